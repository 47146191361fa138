import { type Address, addressOf, type Locals } from "./addresses.ts";
import type { Project } from "./project.ts";
import type { Call, Expr } from "./tree.ts";

const METHODS = /^(?:get|post|put|patch|delete|head|del)$/i;

/** A request as client code makes it. */
export interface Ask {
  readonly method: string;
  readonly address: Address;
  /** Whether what comes back may be the body itself: a client of the project's own, not the platform's. */
  readonly own: boolean;
}

/** The request that a call makes, if it makes one: `fetch`, `axios.get`, `requests.post`, `client.request("GET", …)` and their like. */
export function askOf(project: Project, call: Call, locals: Locals): Ask | undefined {
  const { callee, args } = call;
  if (args.some((arg) => arg.t === "function")) return undefined;
  const [first, second] = args;
  const named = new Map(call.named);
  const address = (expr: Expr) => addressOf(project, expr, locals);
  const method = (given: Expr | undefined, otherwise: string) =>
    (given && project.text({ expr: given, source: locals.source })?.toUpperCase()) ?? otherwise;
  const member = (expr: Expr | undefined, key: string): Expr | undefined => {
    const found = expr?.t === "name" ? locals.local(expr.name) : expr;
    return found && "t" in found && found.t === "object"
      ? found.entries.find(([name]) => name === key)?.[1]
      : undefined;
  };
  if (callee.t === "name") {
    if (callee.name === "fetch" || callee.name === "urlopen")
      return first && { method: method(member(second, "method"), "GET"), address: address(first), own: false };
    if (!/^(?:axios|got|ky|ofetch|request)$/.test(callee.name) || !first) return undefined;
    const url = member(first, "url");
    const options = url ? first : second;
    const target = url ?? first;
    const made = { method: method(member(options, "method"), "GET"), address: address(target), own: true };
    return url || isAddress(made.address) ? made : undefined;
  }
  if (callee.t !== "member") return undefined;
  if (callee.name === "urlopen" && first) return { method: "GET", address: address(first), own: false };
  if (callee.name === "request") {
    const url = member(first, "url");
    if (url) return { method: method(member(first, "method"), "GET"), address: address(url), own: true };
    const target = second ?? named.get("url");
    const verb = first && project.text({ expr: first, source: locals.source });
    if (verb !== undefined && /^[A-Z]+$/i.test(verb) && target)
      return { method: verb.toUpperCase(), address: address(target), own: true };
    return undefined;
  }
  const target = first ?? named.get("url");
  if (!METHODS.test(callee.name) || !target) return undefined;
  const made = address(target);
  if (!isAddress(made)) return undefined;
  return {
    method: callee.name.toLowerCase() === "del" ? "DELETE" : callee.name.toUpperCase(),
    address: made,
    own: true,
  };
}

/** Members of any object are got by name: an address has a slash in what is written of it. */
function isAddress({ parts }: Address): boolean {
  return parts.some((part) => (typeof part === "string" ? part.includes("/") : part !== undefined));
}

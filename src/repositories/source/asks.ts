import { type Address, addressOf, type Locals } from "./addresses.ts";
import type { Project } from "./project.ts";
import { type Call, type Expr, NOTHING } from "./tree.ts";

const METHODS = /^(?:get|post|put|patch|delete|head|del)$/i;

/** A request as client code makes it. */
export interface Ask {
  /** Undefined where the call gives one that only a run would tell. */
  readonly method: string | undefined;
  readonly address: Address;
  /** Whether what comes back may be the body itself: a client of the project's own, not the platform's. */
  readonly own: boolean;
}

/** How far names are followed to a text. */
const DEEPEST = 8;

/** The text of an expression, following its names to their values. Undefined where it is not written out. */
export function textOf(project: Project, expr: Expr, locals: Locals, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined;
  const inner = (part: Expr) => textOf(project, part, locals, depth + 1);
  switch (expr.t) {
    case "name": {
      const own = locals.local(expr.name);
      if (own === undefined) break;
      return "t" in own
        ? inner(own)
        : own.parts.every((part) => typeof part === "string")
          ? own.parts.join("")
          : undefined;
    }
    case "either":
      for (const option of expr.options) {
        const found = inner(option);
        if (found !== undefined) return found;
      }
      return undefined;
    case "call": {
      const { callee, args } = expr;
      if (callee.t === "member" && /^(?:to(?:Upper|Lower)Case|upper|lower|trim|strip)$/.test(callee.name))
        return inner(callee.of);
      return callee.t === "name" && /^(?:String|str)$/.test(callee.name) && args[0] ? inner(args[0]) : undefined;
    }
    case "member": {
      const found = propertyOf(project, expr.of, expr.name, locals, depth + 1);
      if (found) return inner(found);
      break;
    }
    default:
  }
  return project.text({ expr, source: locals.source });
}

/** A member of an object that is written out, where it was set or handed, or that it takes over from another. */
function propertyOf(
  project: Project,
  expr: Expr | undefined,
  key: string,
  locals: Locals,
  depth = 0,
): Expr | undefined {
  if (!expr || depth > DEEPEST) return undefined;
  const local = expr.t === "name" ? locals.local(expr.name) : undefined;
  if (local) return "t" in local ? propertyOf(project, local, key, locals, depth + 1) : undefined;
  const { expr: found } = project.literal({ expr, source: locals.source });
  if (found.t !== "object") return undefined;
  const entry = found.entries.findLast(([name]) => name === key);
  if (entry) return entry[1];
  const taken = found.spreads.map((spread) => propertyOf(project, spread, key, locals, depth + 1));
  return taken.findLast((each) => each !== undefined);
}

/** An object that is handed to a function, as far as its members are texts that are written out. */
export function handedObject(project: Project, expr: Expr, locals: Locals): Expr | undefined {
  const local = expr.t === "name" ? locals.local(expr.name) : undefined;
  const found = local && "t" in local ? local : expr;
  if (found.t !== "object") return undefined;
  const entries = found.entries.map(([key, value]) => {
    const text = textOf(project, value, locals);
    return [key, text === undefined ? NOTHING : { t: "text" as const, value: text }] as const;
  });
  return { t: "object", entries, spreads: [] };
}

/** The request that a call makes, if it makes one: `fetch`, `axios.get`, `requests.post`, `client.request("GET", …)` and their like. */
export function askOf(project: Project, call: Call, locals: Locals): Ask | undefined {
  const { callee, args } = call;
  if (args.some((arg) => arg.t === "function")) return undefined;
  const [first, second] = args;
  const named = new Map(call.named);
  const address = (expr: Expr) => addressOf(project, expr, locals);
  const text = (expr: Expr) => textOf(project, expr, locals)?.toUpperCase();
  const member = (expr: Expr | undefined, key: string) => propertyOf(project, expr, key, locals);
  /** The method that options give, and the usual one where they give none. */
  const methodIn = (options: Expr | undefined) => {
    const given = member(options, "method");
    return given ? text(given) : "GET";
  };
  if (first && ((callee.t === "name" && callee.name === "fetch") || nameOf(callee) === "urlopen")) {
    const made = requestMade(first, locals);
    if (!made) return { method: methodIn(second), address: address(first), own: false };
    const [target, more] = made.args;
    const options = new Map(made.named);
    const said = options.get("method") ?? member(more, "method");
    const sends = options.has("data") || (nameOf(callee) === "urlopen" && more !== undefined);
    const url = target ?? options.get("url");
    return url && { method: said ? text(said) : sends ? "POST" : "GET", address: address(url), own: false };
  }
  if (callee.t === "name") {
    if (!/^(?:axios|got|ky|ofetch|request)$/.test(callee.name) || !first) return undefined;
    const url = member(first, "url");
    const made = { method: methodIn(url ? first : second), address: address(url ?? first), own: true };
    return url || isAddress(made.address) ? made : undefined;
  }
  if (callee.t !== "member") return undefined;
  if (callee.name === "request") {
    const url = member(first, "url");
    if (url) return { method: methodIn(first), address: address(url), own: true };
    const target = second ?? named.get("url");
    const given = second ? first : (named.get("method") ?? first);
    if (!given || !target) return undefined;
    const verb = text(given);
    const made = { method: verb, address: address(target), own: true };
    if (verb !== undefined) return /^[A-Z]+$/.test(verb) ? made : undefined;
    return isAddress(made.address) ? made : undefined;
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

/** The `Request` that is handed on, where it was made in sight. */
function requestMade(expr: Expr, locals: Locals): Call | undefined {
  const local = expr.t === "name" ? locals.local(expr.name) : expr;
  return local && "t" in local && local.t === "call" && nameOf(local.callee) === "Request" ? local : undefined;
}

function nameOf(expr: Expr): string {
  return expr.t === "name" || expr.t === "member" ? expr.name : "";
}

/** Members of any object are got by name: an address has a slash in what is written of it. */
function isAddress({ parts }: Address): boolean {
  return parts.some((part) => (typeof part === "string" ? part.includes("/") : part !== undefined));
}

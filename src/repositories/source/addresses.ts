import type { Placed, Project } from "./project.ts";
import type { Expr, Source } from "./tree.ts";

/** Where in the source something is written. */
export interface SourceLocation {
  readonly function: string;
  readonly file: string;
  readonly line: number;
}

/** An address in parts: literal text, an environment variable, or what only a run would tell. */
export interface Address {
  readonly parts: readonly (string | { readonly env: string } | undefined)[];
  /** Who wrote its path out. */
  readonly location: SourceLocation | undefined;
}

/** What names stand for where an address is read. */
export interface Locals {
  readonly source: Source;
  readonly location: SourceLocation;
  /** What a name was set to, or the address it was handed. */
  local(name: string): Expr | Address | undefined;
}

const DEEPEST = 12;
/** What is called on an address and leaves its path as it is. */
const SAME = /^(?:replace|replaceAll|rstrip|lstrip|strip|trim|toString|removesuffix)$/;
const UNKNOWN: Address = { parts: [undefined], location: undefined };

/** The environment variable that an expression reads. */
export function environmentRead(expr: Expr): string | undefined {
  if (expr.t === "member" && isEnvironment(expr.of)) return expr.name;
  if (expr.t !== "call") return undefined;
  const { callee, args } = expr;
  const [first] = args;
  if (first?.t !== "text") return undefined;
  const name = callee.t === "member" ? callee.name : callee.t === "name" ? callee.name : "";
  if (name === "getenv") return first.value;
  return name === "get" && callee.t === "member" && isEnvironment(callee.of) ? first.value : undefined;
}

function isEnvironment(expr: Expr): boolean {
  if (expr.t === "name") return expr.name === "environ";
  return (
    expr.t === "member" &&
    expr.of.t === "name" &&
    /^(?:process|os)$/.test(expr.of.name) &&
    /^env(?:iron)?$/.test(expr.name)
  );
}

/** Reads an expression as an address. */
export function addressOf(project: Project, expr: Expr, locals: Locals, depth = 0): Address {
  if (depth > DEEPEST) return UNKNOWN;
  const inner = (part: Expr) => addressOf(project, part, locals, depth + 1);
  const env = environmentRead(expr);
  if (env !== undefined) return { parts: [{ env }], location: undefined };
  switch (expr.t) {
    case "text":
      return { parts: [expr.value], location: isPath(expr.value) ? locals.location : undefined };
    case "template":
      return joined(
        expr.parts.map((part) => (typeof part === "string" ? inner({ t: "text", value: part }) : inner(part))),
      );
    case "either": {
      const options = expr.options.map(inner);
      return options.find((each) => each.parts.some((part) => typeof part === "object")) ?? options[0] ?? UNKNOWN;
    }
    case "name":
    case "member": {
      const own = expr.t === "name" ? locals.local(expr.name) : undefined;
      if (own) return "parts" in own && !("t" in own) ? own : inner(own as Expr);
      const name = expr.t === "name" ? expr.name : isThis(expr.of) ? expr.name : undefined;
      const placed =
        name === undefined
          ? resolvedOnce(project, { expr, source: locals.source })
          : project.value(name, locals.source);
      if (!placed || placed.expr === expr) return UNKNOWN;
      return addressOf(project, placed.expr, { ...locals, source: placed.source }, depth + 1);
    }
    case "call":
      return called(expr, inner);
    default:
      return UNKNOWN;
  }
}

function called(expr: Extract<Expr, { t: "call" }>, inner: (part: Expr) => Address): Address {
  const { callee, args } = expr;
  const [first, second] = args;
  if (callee.t === "name" && first && /^(?:URL|String|str|Request)$/.test(callee.name))
    return second && callee.name === "URL" ? joined([inner(second), inner(first)]) : inner(first);
  if (callee.t === "name" && callee.name === "urljoin" && first && second) return joined([inner(first), inner(second)]);
  if (callee.t !== "member") return UNKNOWN;
  if (callee.name === "Request" && first) return inner(first);
  if (SAME.test(callee.name)) return inner(callee.of);
  if (callee.name === "format") {
    const whole = inner(callee.of);
    return {
      ...whole,
      parts: whole.parts.map((part) => (typeof part === "string" ? part.replace(/\{[^{}]*\}/g, "{}") : part)),
    };
  }
  return UNKNOWN;
}

function resolvedOnce(project: Project, placed: Placed): Placed | undefined {
  const found = project.literal(placed);
  return found.expr === placed.expr ? undefined : found;
}

/** Whether an expression is the object whose method runs. */
export function isThis(expr: Expr): boolean {
  return expr.t === "name" && /^(?:this|self|cls)$/.test(expr.name);
}

function isPath(text: string): boolean {
  return /^(?:https?:\/\/|\/)/.test(text);
}

function joined(all: readonly Address[]): Address {
  return { parts: all.flatMap((each) => each.parts), location: all.find((each) => each.location)?.location };
}

/** The path of an address as a template, and the variable it begins with; undefined where no part of its path is written out. */
export function pathOf({
  parts,
}: Address): { readonly path: string; readonly baseEnv: string | undefined } | undefined {
  const env = parts.find((part) => typeof part === "object");
  const text = parts.map((part) => (typeof part === "string" ? part : "{}")).join("");
  const hostless = text.replace(/^(?:https?:\/\/[^/?#]*|(?:\{\})+(?=\/|$))/, "");
  const rooted = hostless === text && !text.startsWith("/") ? `/${text}` : hostless;
  const path = (rooted.split(/[?#]/)[0] ?? "")
    .split("/")
    .map((segment) => (segment.includes("{}") ? "{}" : segment))
    .filter((segment, index) => segment !== "" || index === 0)
    .join("/");
  const literal = path.split("/").some((segment) => segment !== "" && segment !== "{}");
  if (!literal || !/^[\w\-./{}~:@!$&'()*+,;=%]+$/.test(path)) return undefined;
  return { path, baseEnv: typeof env === "object" ? env.env : undefined };
}

/** An expression of either language, as far as it matters for what a source defines, asks and reads. */
export type Expr =
  | { readonly t: "text"; readonly value: string }
  | { readonly t: "value"; readonly value: number | boolean | null }
  | { readonly t: "template"; readonly parts: readonly (string | Expr)[] }
  | { readonly t: "name"; readonly name: string }
  /** `of.name`, and the same by a literal key. */
  | { readonly t: "member"; readonly of: Expr; readonly name: string }
  | { readonly t: "item"; readonly of: Expr; readonly by: Expr | undefined }
  | Call
  | {
      readonly t: "object";
      readonly entries: readonly (readonly [string, Expr])[];
      readonly spreads: readonly Expr[];
      readonly line?: number;
    }
  | { readonly t: "list"; readonly items: readonly Expr[] }
  | FunctionExpr
  | { readonly t: "equal"; readonly left: Expr; readonly right: Expr }
  /** A list made of the elements of another: `each` is bound in `make`. */
  | { readonly t: "comprehension"; readonly each: Pattern; readonly of: Expr; readonly make: readonly Expr[] }
  /** One of several: `a ?? b`, `a or b`, `c ? a : b`. */
  | { readonly t: "either"; readonly options: readonly Expr[]; readonly test?: Expr }
  | { readonly t: "other"; readonly parts: readonly Expr[] };

/** A call of a function; `line` counts from 1. */
export interface Call {
  readonly t: "call";
  readonly callee: Expr;
  readonly args: readonly Expr[];
  readonly named: readonly (readonly [string, Expr])[];
  readonly line: number;
}

/** A function with what it takes and does. */
export interface FunctionExpr {
  readonly t: "function";
  readonly params: readonly Param[];
  readonly body: readonly Stmt[];
}

/** A parameter, with its type and default where it has them. */
export interface Param {
  readonly pattern: Pattern;
  readonly type?: Expr;
  readonly fallback?: Expr;
}

/** What a value is bound to. */
export type Pattern =
  | { readonly t: "bind"; readonly name: string }
  | { readonly t: "keys"; readonly keys: readonly (readonly [string, Pattern])[] }
  | { readonly t: "items"; readonly items: readonly Pattern[] }
  | { readonly t: "ignore" };

/** A statement of either language, as far as it matters here. */
export type Stmt =
  | { readonly t: "set"; readonly target: Pattern; readonly value: Expr }
  /** `name: type = value`. */
  | { readonly t: "field"; readonly name: string; readonly type: Expr; readonly value: Expr | undefined }
  | { readonly t: "do"; readonly value: Expr }
  | { readonly t: "return"; readonly value: Expr | undefined }
  | { readonly t: "each"; readonly target: Pattern; readonly of: Expr; readonly body: readonly Stmt[] }
  | { readonly t: "switch"; readonly of: Expr; readonly cases: readonly Expr[]; readonly body: readonly Stmt[] }
  | { readonly t: "block"; readonly body: readonly Stmt[] }
  | { readonly t: "class"; readonly name: string; readonly body: readonly Stmt[] }
  | NamedFunction;

/** A function as it is defined in a file; `line` counts from 1. */
export interface NamedFunction {
  readonly t: "function";
  readonly name: string;
  readonly fn: FunctionExpr;
  readonly decorators: readonly Expr[];
  readonly doc?: string;
  readonly line: number;
}

/** What a file takes from another: the name here, the name there (`*` for all of it), and where from as written. */
export interface Import {
  readonly local: string;
  readonly name: string;
  readonly from: string;
}

/** A parsed file. */
export interface Source {
  readonly file: string;
  readonly language: "typescript" | "python";
  readonly imports: readonly Import[];
  readonly body: readonly Stmt[];
}

/** An expression that says nothing of what matters here. */
export const NOTHING: Expr = { t: "other", parts: [] };

/** Every expression directly inside one. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.t) {
    case "template":
      return expr.parts.filter((part) => typeof part !== "string");
    case "member":
      return [expr.of];
    case "item":
      return expr.by === undefined ? [expr.of] : [expr.of, expr.by];
    case "call":
      return [expr.callee, ...expr.args, ...expr.named.map(([, value]) => value)];
    case "object":
      return [...expr.entries.map(([, value]) => value), ...expr.spreads];
    case "list":
      return expr.items;
    case "equal":
      return [expr.left, expr.right];
    case "comprehension":
      return [expr.of, ...expr.make];
    case "either":
      return expr.test === undefined ? expr.options : [expr.test, ...expr.options];
    case "other":
      return expr.parts;
    default:
      return [];
  }
}

/** Every expression in statements, outer ones first, those in functions too. */
export function* expressions(body: readonly Stmt[]): Generator<Expr> {
  for (const stmt of body) {
    if (stmt.t === "set" || stmt.t === "do") yield* within(stmt.value);
    else if ((stmt.t === "return" || stmt.t === "field") && stmt.value) yield* within(stmt.value);
    else if (stmt.t === "each" || stmt.t === "switch") {
      yield* within(stmt.of);
      if (stmt.t === "switch") for (const each of stmt.cases) yield* within(each);
      yield* expressions(stmt.body);
    } else if (stmt.t === "block" || stmt.t === "class") yield* expressions(stmt.body);
    else if (stmt.t === "function") {
      for (const each of stmt.decorators) yield* within(each);
      yield* expressions(stmt.fn.body);
    }
  }
}

function* within(expr: Expr): Generator<Expr> {
  yield expr;
  for (const part of partsOf(expr)) yield* within(part);
  if (expr.t === "function") yield* expressions(expr.body);
}

/** Every class in statements. */
export function* classes(body: readonly Stmt[]): Generator<Extract<Stmt, { t: "class" }>> {
  for (const stmt of body) {
    if (stmt.t === "class") yield stmt;
    if (stmt.t === "class" || stmt.t === "block") yield* classes(stmt.body);
  }
}

/** Every named function in statements, with the class around it. */
export function* functions(
  body: readonly Stmt[],
  of?: string,
): Generator<{ readonly fn: NamedFunction; readonly of: string | undefined }> {
  for (const stmt of body) {
    if (stmt.t === "function") {
      yield { fn: stmt, of };
      yield* functions(stmt.fn.body, of);
    } else if (stmt.t === "class") yield* functions(stmt.body, stmt.name);
    else if (stmt.t === "block" || stmt.t === "each" || stmt.t === "switch") yield* functions(stmt.body, of);
  }
}

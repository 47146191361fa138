import { NotPython, pythonTokens, type Token } from "./python-tokens.ts";
import { type Expr, NOTHING, type Param, type Pattern, partsOf } from "./tree.ts";

/** How deep expressions may nest. */
const DEEPEST = 200;
/** How tightly operators bind, the least first. */
const LEVELS = new Map(
  ["|", "^", "&", "<< >>", "+ -", "* / // % @"].flatMap((row, level) => row.split(" ").map((text) => [text, level])),
);

/** Reads tokens one after another: expressions here, statements in `PythonStatements`. */
export class PythonExpressions {
  readonly tokens: readonly Token[];
  at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get token(): Token {
    return this.tokens[this.at] as Token;
  }

  is(text: string): boolean {
    const { kind } = this.token;
    return this.token.text === text && (kind === "op" || kind === "name");
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  need(text: string): void {
    if (!this.take(text)) throw new NotPython();
  }

  name(): string {
    if (this.token.kind !== "name") throw new NotPython();
    return (this.tokens[this.at++] as Token).text;
  }

  /** One or several expressions with commas between: a list where there are several. */
  several(): Expr {
    const first = this.starred();
    if (!this.is(",")) return first;
    const items = [first];
    while (this.take(",")) {
      if (this.#closes()) break;
      items.push(this.starred());
    }
    return { t: "list", items };
  }

  starred(): Expr {
    if (this.take("*") || this.take("**")) return { t: "other", parts: [this.expr()] };
    return this.expr();
  }

  expr(): Expr {
    return this.#deeper(() => {
      if (this.is("lambda")) return this.#lambda();
      if (this.take("yield")) {
        this.take("from");
        return { t: "other", parts: this.#closes() ? [] : [this.several()] };
      }
      const value = this.#or();
      if (this.take(":=")) return this.expr();
      if (!this.take("if")) return value;
      const test = this.#or();
      this.need("else");
      return { t: "either", test, options: [value, this.expr()] };
    });
  }

  /** Reads one level further in. */
  #deeper<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) throw new NotPython();
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  #closes(): boolean {
    const { kind, text } = this.token;
    return kind === "newline" || kind === "end" || (kind === "op" && /^[)\]}=:;]$/.test(text));
  }

  #lambda(): Expr {
    this.need("lambda");
    const params = this.params(":");
    this.need(":");
    return { t: "function", params, body: [{ t: "return", value: this.expr() }] };
  }

  /** Parameters up to a closing token, which stays. */
  params(end: string): Param[] {
    const out: Param[] = [];
    while (!this.is(end)) {
      const star = this.take("*") || this.take("**");
      if (!this.is(",") && !this.take("/") && !this.is(end)) {
        const name = this.name();
        const type = end === ")" && this.take(":") ? this.starred() : undefined;
        const fallback = this.take("=") ? this.expr() : undefined;
        const pattern: Pattern = star ? { t: "ignore" } : { t: "bind", name };
        out.push({ pattern, ...(type ? { type } : {}), ...(fallback ? { fallback } : {}) });
      }
      if (!this.take(",") && !this.is(end)) throw new NotPython();
    }
    return out;
  }

  #or(): Expr {
    const first = this.#and();
    if (!this.is("or")) return first;
    const options = [first];
    while (this.take("or")) options.push(this.#and());
    return { t: "either", options };
  }

  #and(): Expr {
    let left = this.#not();
    while (this.take("and")) left = { t: "either", test: left, options: [this.#not()] };
    return left;
  }

  #not(): Expr {
    if (this.take("not")) return { t: "other", parts: [this.#deeper(() => this.#not())] };
    return this.#comparison();
  }

  #comparison(): Expr {
    let left = this.#binary();
    for (;;) {
      if (this.take("==") || this.take("!=")) left = { t: "equal", left, right: this.#binary() };
      else if (this.is("in") || (this.is("not") && this.tokens[this.at + 1]?.text === "in")) {
        this.take("not");
        this.take("in");
        const right = this.#binary();
        // One of several literals is a comparison with each.
        left =
          right.t === "list" && isSmall(left)
            ? { t: "other", parts: right.items.map((item) => equal(left, item)) }
            : other(left, right);
      } else if (this.take("is")) {
        this.take("not");
        left = other(left, this.#binary());
      } else if (["<", ">", "<=", ">="].some((text) => this.take(text))) left = other(left, this.#binary());
      else return left;
    }
  }

  /** Operators that bind no less than a level. */
  #binary(least = 0): Expr {
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.token;
      const level = kind === "op" ? LEVELS.get(text) : undefined;
      if (level === undefined || level < least) return left;
      this.at++;
      const right = this.#binary(level + 1);
      left = text === "+" ? { t: "template", parts: [left, right] } : other(left, right);
    }
  }

  #unary(): Expr {
    for (const sign of ["-", "+", "~"]) {
      if (!this.take(sign)) continue;
      const inner = this.#deeper(() => this.#unary());
      if (inner.t !== "value" || sign === "~") return other(inner);
      return { t: "value", value: sign === "-" ? -Number(inner.value) : Number(inner.value) };
    }
    if (this.take("await")) return this.#deeper(() => this.#unary());
    const base = this.#postfix();
    if (!this.take("**")) return base;
    const power = this.#deeper(() => this.#unary());
    return other(base, power);
  }

  #postfix(): Expr {
    let value = this.#atom();
    for (;;) {
      const { line } = this.token;
      if (this.take(".")) value = { t: "member", of: value, name: this.name() };
      else if (this.take("(")) value = this.#call(value, line);
      else if (this.take("[")) value = this.#subscript(value);
      else return value;
    }
  }

  #call(callee: Expr, line: number): Expr {
    const args: Expr[] = [];
    const named: [string, Expr][] = [];
    while (!this.take(")")) {
      if (
        this.token.kind === "name" &&
        this.tokens[this.at + 1]?.text === "=" &&
        this.tokens[this.at + 1]?.kind === "op"
      ) {
        const name = this.name();
        this.need("=");
        named.push([name, this.expr()]);
      } else {
        const value = this.starred();
        args.push(this.is("for") || this.is("async") ? this.#comprehension([value]) : value);
      }
      if (!this.take(",") && !this.is(")")) throw new NotPython();
    }
    // `d.get("key")` reads a member, as `d["key"]` does.
    const [first] = args;
    const key = first?.t === "text" && !first.value.includes("/") ? first.value : undefined;
    if (callee.t === "member" && callee.name === "get" && key !== undefined && isSmall(callee.of))
      return {
        t: "either",
        options: [
          { t: "member", of: callee.of, name: key },
          { t: "call", callee, args, named, line },
        ],
      };
    return { t: "call", callee, args, named, line };
  }

  #subscript(of: Expr): Expr {
    const parts: Expr[] = [];
    while (!this.take("]")) {
      if (this.take(":") || this.take(",")) continue;
      parts.push(this.starred());
    }
    const [only] = parts;
    if (parts.length === 1 && only?.t === "text") return { t: "member", of, name: only.value };
    return { t: "item", of, by: parts.length === 1 ? only : { t: "list", items: parts } };
  }

  #atom(): Expr {
    const { kind, text } = this.token;
    if (kind === "string") return this.#strings();
    if (kind === "number") {
      this.at++;
      const value = Number(text.replaceAll("_", ""));
      return Number.isNaN(value) ? NOTHING : { t: "value", value };
    }
    if (kind === "name") {
      this.at++;
      if (text === "True" || text === "False") return { t: "value", value: text === "True" };
      return text === "None" ? { t: "value", value: null } : { t: "name", name: text };
    }
    if (this.take("...")) return NOTHING;
    if (this.take("(")) return this.#group(")");
    if (this.take("[")) return this.#group("]");
    if (this.take("{")) return this.#braces();
    throw new NotPython();
  }

  #strings(): Expr {
    const parts: (string | Expr)[] = [];
    while (this.token.kind === "string") {
      const token = this.token;
      this.at++;
      if (!token.parts) parts.push(token.text);
      else for (const part of token.parts) parts.push(part.hole ? hole(part.text, token.line) : part.text);
    }
    if (parts.every((part) => typeof part === "string")) return { t: "text", value: parts.join("") };
    return { t: "template", parts };
  }

  #group(end: ")" | "]"): Expr {
    const items: Expr[] = [];
    let comma = end === "]";
    while (!this.take(end)) {
      const value = this.starred();
      if (this.is("for") || this.is("async")) {
        const made = this.#comprehension([value]);
        this.need(end);
        return made;
      }
      items.push(value);
      if (this.take(",")) comma = true;
      else if (!this.is(end)) throw new NotPython();
    }
    const [only] = items;
    return !comma && only && items.length === 1 ? only : { t: "list", items };
  }

  #comprehension(make: readonly Expr[]): Expr {
    this.take("async");
    this.need("for");
    const each = this.target();
    this.need("in");
    const of = this.#or();
    const tests: Expr[] = [];
    while (this.take("if")) tests.push(this.#or());
    const inner = this.is("for") || this.is("async") ? [this.#deeper(() => this.#comprehension(make))] : make;
    return { t: "comprehension", each, of, make: [...inner, ...tests] };
  }

  #braces(): Expr {
    const { line } = this.token;
    const entries: [string, Expr][] = [];
    const spreads: Expr[] = [];
    while (!this.take("}")) {
      if (this.take("**") || this.take("*")) spreads.push(this.expr());
      else {
        const key = this.expr();
        const value = this.take(":") ? this.expr() : undefined;
        if (this.is("for") || this.is("async")) {
          const made = this.#comprehension(value ? [key, value] : [key]);
          this.need("}");
          return made;
        }
        if (value && key.t === "text") entries.push([key.value, value]);
        else spreads.push(key, ...(value ? [value] : []));
      }
      if (!this.take(",") && !this.is("}")) throw new NotPython();
    }
    return { t: "object", entries, spreads, line };
  }

  /** What a loop or comprehension binds. */
  target(): Pattern {
    const items = [this.oneTarget()];
    while (this.take(",")) {
      if (this.is("in") || this.is(")") || this.is("]")) break;
      items.push(this.oneTarget());
    }
    const [only] = items;
    return items.length === 1 && only ? only : { t: "items", items };
  }

  /** One of the things that are bound. */
  oneTarget(): Pattern {
    this.take("*");
    if (!this.is("(") && !this.is("[")) return bound(this.#postfix());
    this.at++;
    const inner = this.#deeper(() => this.target());
    if (!this.take(")")) this.need("]");
    return inner;
  }
}

/** What an expression on the left of `=` binds. */
export function bound(expr: Expr): Pattern {
  if (expr.t === "name") return { t: "bind", name: expr.name };
  if (expr.t === "member" && expr.of.t === "name" && expr.of.name === "self") return { t: "bind", name: expr.name };
  if (expr.t === "list") return { t: "items", items: expr.items.map(bound) };
  return { t: "ignore" };
}

function hole(source: string, line: number): Expr {
  const text = source.trim().replace(/=$/, "");
  return new PythonExpressions(pythonTokens(`(${text})`, line)).expr();
}

/** What stands in two readings of its text may have so many parts: a row of such is walked twice as long with each. */
const MOST_SHARED = 250;

function isSmall(expr: Expr): boolean {
  const left: Expr[] = [expr];
  let seen = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    if (++seen > MOST_SHARED) return false;
    left.push(...partsOf(next));
  }
  return true;
}

function equal(left: Expr, right: Expr): Expr {
  return { t: "equal", left, right };
}

function other(...parts: Expr[]): Expr {
  return { t: "other", parts };
}

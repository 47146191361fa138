import { bound, PythonExpressions } from "./python-expressions.ts";
import { NotPython, pythonTokens } from "./python-tokens.ts";
import type { Expr, Import, Pattern, Source, Stmt } from "./tree.ts";

/** How many levels of lists and nodes there may be. */
const DEEPEST = 2_000;

/** Reads a Python file; undefined where it does not parse. */
export function readPython(file: string, text: string): Source | undefined {
  try {
    const reader = new PythonStatements(pythonTokens(text.replace(/^\uFEFF/, "")));
    const body = reader.file();
    return isDeep(body) ? undefined : { file, language: "python", body, imports: reader.imports };
  } catch (error) {
    if (error instanceof NotPython) return undefined;
    throw error;
  }
}

/** Whether what was read nests too deep to be followed: a long row of operators does, too. */
function isDeep(body: readonly Stmt[]): boolean {
  let level = new Set<unknown>([body]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > DEEPEST) return true;
    const next = new Set<unknown>();
    for (const each of level)
      for (const inner of Object.values(each as object))
        if (typeof inner === "object" && inner !== null) next.add(inner);
    level = next;
  }
  return false;
}

class PythonStatements extends PythonExpressions {
  readonly imports: Import[] = [];

  file(): Stmt[] {
    const out: Stmt[] = [];
    while (this.token.kind !== "end") out.push(...this.#statement());
    return out;
  }

  #statement(): Stmt[] {
    const { kind, text } = this.token;
    if (kind === "newline") {
      this.at++;
      return [];
    }
    if (this.is("@")) return this.#decorated();
    if (kind === "name") {
      if (text === "async" && this.tokens[this.at + 1]?.kind === "name") this.at++;
      const word = this.token.text;
      if (this.is("def")) return [this.#def([])];
      if (this.is("class")) return [this.#class()];
      if (this.is("for")) return [this.#for()];
      if (/^(if|elif|while|with|except|match|case)$/.test(word) && this.#isCompound()) return this.#compound();
      if (/^(else|try|finally)$/.test(word)) {
        this.at++;
        return [{ t: "block", body: this.#suite() }];
      }
    }
    return this.#line();
  }

  /** `match` and `case` are names too: they head a block where their line ends in a colon. */
  #isCompound(): boolean {
    if (!this.is("match") && !this.is("case")) return true;
    for (let at = this.at + 1, depth = 0; ; at++) {
      const token = this.tokens[at];
      if (!token || token.kind === "newline" || token.kind === "end") return false;
      if (token.kind !== "op") continue;
      if (/^[([{]$/.test(token.text)) depth++;
      else if (/^[)\]}]$/.test(token.text)) depth--;
      else if (depth === 0 && token.text === "=") return false;
      else if (depth === 0 && token.text === ":") return at > this.at + 1;
    }
  }

  #compound(): Stmt[] {
    const word = this.name();
    const head: Stmt[] = [];
    if (word === "case") {
      // A pattern is no expression: its names bind nothing that is read here.
      for (let depth = 0; depth > 0 || !this.is(":"); this.at++) {
        if (this.token.kind === "newline" || this.token.kind === "end") throw new NotPython();
        if (this.token.kind === "op")
          depth += /^[([{]$/.test(this.token.text) ? 1 : /^[)\]}]$/.test(this.token.text) ? -1 : 0;
      }
      return [{ t: "block", body: this.#suite() }];
    }
    this.take("*");
    if (word === "with") {
      head.push(...this.#opened());
    } else if (!this.is(":")) {
      head.push({ t: "do", value: this.several() });
      if (this.take("as")) this.name();
    }
    return [...head, { t: "block", body: this.#suite() }];
  }

  /** What a `with` opens, in brackets or not. */
  #opened(): Stmt[] {
    const from = this.at;
    for (const group of this.is("(") ? [true, false] : [false]) {
      const out: Stmt[] = [];
      this.at = group ? from + 1 : from;
      do {
        if (group && this.is(")")) break;
        const value = this.expr();
        out.push(this.take("as") ? { t: "set", target: this.oneTarget(), value } : { t: "do", value });
      } while (this.take(","));
      if ((!group || this.take(")")) && this.is(":")) return out;
    }
    throw new NotPython();
  }

  #for(): Stmt {
    this.need("for");
    const target = this.target();
    this.need("in");
    return { t: "each", target, of: this.several(), body: this.#suite() };
  }

  #decorated(): Stmt[] {
    const decorators: Expr[] = [];
    while (this.take("@")) {
      decorators.push(this.expr());
      while (this.token.kind === "newline") this.at++;
    }
    this.take("async");
    return [this.is("class") ? this.#class() : this.#def(decorators)];
  }

  #def(decorators: readonly Expr[]): Stmt {
    const { line } = this.token;
    this.need("def");
    const name = this.name();
    this.#skip("[", "]");
    this.need("(");
    const params = this.params(")");
    this.need(")");
    if (this.take("->")) this.expr();
    const body = this.#suite();
    const [first] = body;
    const doc = first?.t === "do" && first.value.t === "text" ? first.value.value : undefined;
    return { t: "function", name, fn: { t: "function", params, body }, decorators, ...(doc ? { doc } : {}), line };
  }

  #class(): Stmt {
    this.need("class");
    const name = this.name();
    this.#skip("[", "]");
    this.#skip("(", ")");
    return { t: "class", name, body: this.#suite() };
  }

  /** Passes what stands between brackets, where they are opened: parameters of types, or what a class is made of. */
  #skip(open: string, close: string): void {
    if (!this.take(open)) return;
    for (let depth = 1; depth > 0; this.at++) {
      if (this.token.kind === "end") throw new NotPython();
      depth += this.is(open) ? 1 : this.is(close) ? -1 : 0;
    }
  }

  #suite(): Stmt[] {
    this.need(":");
    if (this.token.kind !== "newline") return this.#line();
    while (this.token.kind === "newline") this.at++;
    if (this.token.kind !== "indent") throw new NotPython();
    this.at++;
    const body: Stmt[] = [];
    while (this.token.kind !== "dedent") {
      if (this.token.kind === "end") throw new NotPython();
      body.push(...this.#statement());
    }
    this.at++;
    return body;
  }

  /** Simple statements up to the end of the line. */
  #line(): Stmt[] {
    const out: Stmt[] = [];
    do {
      if (this.token.kind === "newline") break;
      out.push(...this.#simple());
    } while (this.take(";"));
    if (this.token.kind !== "newline") throw new NotPython();
    this.at++;
    return out;
  }

  #simple(): Stmt[] {
    if (this.is("import") || this.is("from")) return this.#import();
    if (this.take("pass") || this.take("break") || this.take("continue")) return [];
    if (this.take("return"))
      return [{ t: "return", value: this.token.kind === "newline" ? undefined : this.several() }];
    if (this.is("global") || this.is("nonlocal") || this.is("type")) {
      if (!this.is("type") || this.tokens[this.at + 1]?.kind === "name") {
        while (this.token.kind !== "newline" && !this.is(";")) this.at++;
        return [];
      }
    }
    if (this.take("raise") || this.take("assert") || this.take("del")) {
      if (this.token.kind === "newline") return [];
      const parts = [this.several()];
      if (this.take("from")) parts.push(this.expr());
      return [{ t: "do", value: { t: "other", parts } }];
    }
    const left = this.several();
    if (this.take(":")) {
      const type = this.expr();
      const value = this.take("=") ? this.several() : undefined;
      const set: Stmt[] = value ? [{ t: "set", target: bound(left), value }] : [];
      // The value is read where it is set; the field only says its type.
      return left.t === "name" ? [{ t: "field", name: left.name, type, value }, ...set] : set;
    }
    if (this.token.kind === "op" && /^(?:[-+*/%@&|^]|\*\*|\/\/|<<|>>)=$/.test(this.token.text)) {
      this.at++;
      return [{ t: "do", value: { t: "other", parts: [left, this.several()] } }];
    }
    if (!this.is("=")) return [{ t: "do", value: left }];
    const targets: Pattern[] = [bound(left)];
    let value = left;
    while (this.take("=")) {
      value = this.several();
      targets.push(bound(value));
    }
    return targets.slice(0, -1).map((target) => ({ t: "set", target, value }));
  }

  #import(): Stmt[] {
    if (this.take("import")) {
      do {
        const from = this.#dotted();
        const local = this.take("as") ? this.name() : (from.split(".")[0] as string);
        this.imports.push({ local, name: "*", from });
      } while (this.take(","));
      return [];
    }
    this.need("from");
    const from = this.#dotted();
    this.need("import");
    if (this.take("*")) return [];
    const group = this.take("(");
    do {
      if (this.is(")")) break;
      const name = this.name();
      this.imports.push({ local: this.take("as") ? this.name() : name, name, from });
    } while (this.take(","));
    if (group) this.need(")");
    return [];
  }

  #dotted(): string {
    let out = "";
    while (this.token.text === "." || this.token.text === "...") {
      out += this.token.text;
      this.at++;
    }
    if (this.is("import")) return out;
    out += this.name();
    while (this.take(".")) out += `.${this.name()}`;
    return out;
  }
}

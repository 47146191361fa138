import { BehaviourSyntaxError } from "../errors.ts";
import { parseExpression } from "./expression.ts";
import { pathAt } from "./path.ts";
import type { Assignment, Behaviour, Each, Guard, KeyPart, Step, View } from "./schema.ts";
import { templateParts } from "./template.ts";
import { expressionEnd, type Token, tokenAt } from "./tokens.ts";

const STEPS = "read, list, insert, update, delete, let, answer, refuse, recorded or for";
const OPERATIONS = new Set(["=", "+=", "-=", "append", "remove"]);

/** Shifts a syntax error of a part to where the part stands in the line. */
function shifted<T>(by: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    throw new BehaviourSyntaxError(error.at + by, error.word, error.expected, error.code);
  }
}

/** Throws `syntax` where an expression, or a hole of a template, does not parse. */
function checkTemplate(template: string): void {
  for (const part of templateParts(template))
    if ("expr" in part) shifted(part.at, () => parseExpression(/^\s*\w+\s*$/.test(part.expr) ? "x" : part.expr));
}

class LineReader {
  /** Where each part of the JSON form stands in the line, by its path. */
  readonly origins = new Map<string, (offset: number) => number>();
  private readonly text: string;
  private at = 0;
  private index = 0;

  constructor(text: string) {
    this.text = text;
  }

  behaviour(): Behaviour {
    const steps = [this.step()];
    while (this.take(";")) {
      this.index++;
      steps.push(this.step());
    }
    const rest = this.peek();
    if (rest.kind !== "end") throw this.wrong(rest, "; or the end");
    if (steps.length > 50) throw this.wrong(rest, "at most 50 steps");
    return { v: 1, steps };
  }

  private peek(): Token {
    return tokenAt(this.text, this.at);
  }

  private wrong(token: Token, expected: string): BehaviourSyntaxError {
    return new BehaviourSyntaxError(token.start, token.text, expected);
  }

  private take(text: string): boolean {
    const token = this.peek();
    if (token.text !== text || token.kind === "string") return false;
    this.at = token.end;
    return true;
  }

  /** Remembers where the part that is read next stands. */
  private remember(part: string): void {
    const token = this.peek();
    const quoted = token.kind === "string" && /(?:error|template|^key|^else)$/.test(part);
    const { start } = token;
    this.origins.set(
      `steps[${this.index}].${part}`,
      quoted ? (offset) => start + 1 + rawOffset(token.text.slice(1), offset) : (offset) => start + offset,
    );
  }

  private need(text: string): void {
    if (!this.take(text)) throw this.wrong(this.peek(), text);
  }

  private name(what: string): string {
    const token = this.peek();
    if (token.kind !== "word") throw this.wrong(token, what);
    this.at = token.end;
    return token.text;
  }

  /** Parses an expression that stands at `start`; one that ends too early is wrong at the word after it. */
  private check(start: number, expr: string): void {
    shifted(start, () => {
      try {
        parseExpression(expr);
      } catch (error) {
        if (!(error instanceof BehaviourSyntaxError) || error.word !== "") throw error;
        const next = tokenAt(this.text, start + error.at);
        throw new BehaviourSyntaxError(next.start - start, next.text, error.expected);
      }
    });
  }

  private table(): string {
    this.remember("table");
    return this.name("a table");
  }

  private expression(part: string): string {
    this.remember(part);
    const { start } = this.peek();
    const end = expressionEnd(this.text, start);
    const expr = this.text.slice(start, end);
    if (expr === "") throw this.wrong(this.peek(), "an expression");
    this.check(start, expr);
    this.at = end;
    return expr;
  }

  private path(part: string): string {
    this.remember(part);
    const { start } = this.peek();
    const { end, parts } = pathAt(this.text, start);
    for (const inner of parts) if ("expr" in inner) this.check(inner.at, inner.expr);
    this.at = end;
    return this.text.slice(start, end);
  }

  private template(part: string): string {
    this.remember(part);
    const token = this.peek();
    if (token.kind !== "string" || !/^"(?!"")/.test(token.text)) throw this.wrong(token, "a text in double quotes");
    const template = decode(token);
    try {
      checkTemplate(template);
    } catch (error) {
      if (!(error instanceof BehaviourSyntaxError)) throw error;
      const at = token.start + 1 + rawOffset(token.text.slice(1), error.at);
      throw new BehaviourSyntaxError(at, error.word, error.expected, error.code);
    }
    this.at = token.end;
    return template;
  }

  private step(): Step {
    const token = this.peek();
    const word = this.name(STEPS);
    switch (word) {
      case "read": {
        const table = this.table();
        return { op: "read", table, key: this.key(), ...this.view(), ...this.otherwise() };
      }
      case "list":
        return this.list();
      case "let": {
        this.remember("name");
        const name = this.name("a name");
        this.need("=");
        return { op: "let", name, expr: this.expression("expr") };
      }
      case "answer":
        return this.answer();
      case "refuse": {
        const template = this.template("template");
        return { op: "refuse", template, ...(this.take("when") ? { when: this.expression("when") } : {}) };
      }
      case "recorded":
        return { op: "recorded" };
      case "for": {
        const name = this.name("a name");
        this.need("in");
        const each = { name, in: this.expression("each.in") };
        const effect = this.peek();
        return this.effect(this.name("insert, update or delete"), effect, { each });
      }
      default:
        return this.effect(word, token, {});
    }
  }

  private effect(word: string, token: Token, each: { each?: Each }): Step {
    if (word === "insert") {
      const table = this.table();
      const set = this.take("set") ? this.sets() : [];
      const key = this.take("key") ? this.template("key") : "";
      return { op: "insert", ...each, table, set, key, require: this.guards(), ...this.view() };
    }
    if (word === "update") {
      const table = this.table();
      const key = this.key();
      this.need("set");
      const set = this.sets();
      return { op: "update", ...each, table, key, set, require: this.guards(), ...this.view(), ...this.otherwise() };
    }
    if (word !== "delete") throw this.wrong(token, each.each ? "insert, update or delete" : STEPS);
    const table = this.table();
    return {
      op: "delete",
      ...each,
      table,
      key: this.key(),
      require: this.guards(),
      ...this.view(),
      ...this.otherwise(),
    };
  }

  private list(): Step {
    const table = this.table();
    const where = this.take("where") ? { where: this.expression("where") } : {};
    let order: { order_by?: { path: string; desc: boolean } } = {};
    if (this.take("order")) {
      this.need("by");
      const path = this.path("order_by.path");
      order = { order_by: { path, desc: this.take("desc") } };
    }
    const limit = this.take("limit") ? { limit: this.expression("limit") } : {};
    return { op: "list", table, ...where, ...order, ...limit, ...this.view() };
  }

  private answer(): Step {
    const token = this.peek();
    if (token.kind === "string" && /^"(?!"")/.test(token.text)) {
      const next = tokenAt(this.text, token.end);
      if (next.kind === "end" || next.text === ";") return { op: "say", template: this.template("template") };
    }
    return { op: "answer", expr: unshield(this.expression("expr")) };
  }

  private key(): KeyPart[] {
    this.need("by");
    const parts: KeyPart[] = [];
    do {
      const part = `key[${parts.length}]`;
      const column = this.path(`${part}.column`);
      parts.push(this.take("=") ? { column, expr: this.expression(`${part}.expr`) } : { column });
    } while (this.take(","));
    return parts;
  }

  private sets(): Assignment[] {
    const sets: Assignment[] = [];
    do {
      const part = `set[${sets.length}]`;
      const path = this.path(`${part}.path`);
      const token = this.peek();
      if (!OPERATIONS.has(token.text)) throw this.wrong(token, "=, +=, -=, append or remove");
      this.at = token.end;
      sets.push({ path, op: token.text as Assignment["op"], expr: this.expression(`${part}.expr`) });
    } while (this.take(","));
    return sets;
  }

  private guards(): Guard[] {
    const guards: Guard[] = [];
    while (this.take("require")) {
      const part = `require[${guards.length}]`;
      const expr = this.expression(`${part}.expr`);
      this.need("else");
      this.need("error");
      guards.push({ expr, error: this.template(`${part}.error`) });
    }
    return guards;
  }

  private view(): { view?: View } {
    if (!this.take("as")) return {};
    this.need("{");
    const view: View = [];
    if (this.take("}")) return { view };
    do {
      const part = `view[${view.length}]`;
      const path = this.path(`${part}.path`);
      view.push(this.take(":") ? { path, expr: this.expression(`${part}.expr`) } : { path });
    } while (this.take(","));
    this.need("}");
    return { view };
  }

  private otherwise(): { else?: string } {
    if (!this.take("else")) return {};
    this.need("error");
    return { else: this.template("else") };
  }
}

/** Where the character at `offset` of a decoded text stands in its JSON escapes. */
function rawOffset(raw: string, offset: number): number {
  let at = 0;
  for (let i = 0; i < offset && at < raw.length; i++) at += raw[at] !== "\\" ? 1 : raw[at + 1] === "u" ? 6 : 2;
  return at;
}

function decode(token: Token): string {
  try {
    return JSON.parse(token.text) as string;
  } catch {
    throw new BehaviourSyntaxError(token.start, token.text.slice(0, 60), "a text with JSON escapes");
  }
}

/** Whether an expression is one double-quoted text within any number of parentheses: after `answer` that would read as a template. */
function isShielded(expr: string): boolean {
  let inner = expr.trim();
  while (inner.startsWith("(") && inner.endsWith(")")) inner = inner.slice(1, -1).trim();
  if (!/^"(?!"")/.test(inner)) return false;
  return tokenAt(inner, 0).end === inner.length;
}

/** The expression as printed after `answer`: within one more pair of parentheses where it would read as a template. */
export function shield(expr: string): string {
  return isShielded(expr) ? `(${expr})` : expr;
}

function unshield(expr: string): string {
  return expr.startsWith("(") && isShielded(expr) ? expr.slice(1, -1).trim() : expr;
}

/** A line read: its JSON form, and the offset in the line of an offset in one of its parts. */
export interface ReadLine {
  readonly behaviour: Behaviour;
  offsetOf(path: string, at: number): number;
}

/** Reads the one-line form and keeps where its parts stand. Throws as `parseLine`. */
export function readLine(line: string): ReadLine {
  const reader = new LineReader(line);
  return { behaviour: reader.behaviour(), offsetOf: (path, at) => reader.origins.get(path)?.(at) ?? at };
}

/** Reads the one-line form. Throws BehaviourSyntaxError with the offset in the line, the word that stands there and what would fit. */
export function parseLine(line: string): Behaviour {
  return new LineReader(line).behaviour();
}

/** Where a value stands: the field that holds it (elements of a list have their list's), those beside it, and the one above. */
export interface FieldPosition {
  readonly field: string | undefined;
  readonly siblingFields: readonly string[];
  readonly above: FieldPosition | undefined;
}

/** A JSON value that holds no other. */
export type Leaf = string | number | boolean | null;

/** What becomes of leaves and of the names of fields. */
export interface Change {
  leaf(value: Leaf, fieldPosition: FieldPosition): unknown;
  field(name: string, place: FieldPosition): string;
}

/** Where a value stands that is part of nothing. */
export const ROOT: FieldPosition = { field: undefined, siblingFields: [], above: undefined };
/** Deeper values are replaced by nothing: no real result is nested so deep. */
const DEPTH = 400;

/** A JSON value with its leaves and field names changed; the structure stays. */
export function changed(value: unknown, change: Change, fieldPosition: FieldPosition = ROOT, depth = 0): unknown {
  if (depth > DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => changed(each, change, fieldPosition, depth + 1));
  if (typeof value !== "object" || value === null) return change.leaf((value ?? null) as Leaf, fieldPosition);
  const siblings = Object.keys(value);
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => {
      const inside = { field, siblingFields: siblings, above: fieldPosition };
      return [change.field(field, fieldPosition), changed(each, change, inside, depth + 1)];
    }),
  );
}

/** What looks at leaves and at the names of fields, and changes nothing. */
export interface Look {
  leaf(value: Leaf, fieldPosition: FieldPosition): void;
  field?(name: string): void;
}

/** Shows every leaf and field name of a JSON value. */
export function visit(value: unknown, look: Look, fieldPosition: FieldPosition = ROOT, depth = 0): void {
  if (depth > DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value) visit(each, look, fieldPosition, depth + 1);
    return;
  }
  if (typeof value !== "object" || value === null) {
    look.leaf((value ?? null) as Leaf, fieldPosition);
    return;
  }
  const siblingFields = Object.keys(value);
  for (const field of siblingFields) {
    look.field?.(field);
    visit((value as Record<string, unknown>)[field], look, { field, siblingFields, above: fieldPosition }, depth + 1);
  }
}

/** The value of a text that is a JSON object or list; undefined for any other text, and for one nested beyond all measure. */
export function jsonIn(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return depthOf(value) > DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > DEPTH) return depth;
  let deepest = depth;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, depth + 1));
  return deepest;
}

/** A JSON text changed leaf by leaf: blanks, order and spelling of all else stay. `value` is what the text holds. */
export function changedText(text: string, value: unknown, change: Change, fieldPosition: FieldPosition = ROOT): string {
  return new Rewriter(text, change).rewrite(value, fieldPosition);
}

const BLANK = /[\s]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const SCALAR = /[^\s,\]}]+/y;

class Rewriter {
  readonly #text: string;
  readonly #change: Change;
  #at = 0;
  #out = "";

  constructor(text: string, change: Change) {
    this.#text = text;
    this.#change = change;
  }

  rewrite(value: unknown, fieldPosition: FieldPosition): string {
    this.#value(value, fieldPosition, 0);
    return this.#out + this.#text.slice(this.#at);
  }

  #value(value: unknown, place: FieldPosition, depth: number): void {
    this.#copy(BLANK);
    const first = this.#text[this.#at];
    if (first === "{") this.#object((value ?? {}) as Record<string, unknown>, place, depth);
    else if (first === "[") this.#list(Array.isArray(value) ? value : [], place, depth);
    else this.#leaf(first === '"' ? STRING : SCALAR, place);
  }

  #leaf(pattern: RegExp, place: FieldPosition): void {
    const token = this.#take(pattern);
    const leaf = JSON.parse(token) as Leaf;
    const made = this.#change.leaf(leaf, place);
    this.#out += made === leaf ? token : JSON.stringify(made);
  }

  #object(value: Record<string, unknown>, place: FieldPosition, depth: number): void {
    const siblingFields = Object.keys(value);
    this.#members("}", () => {
      const token = this.#take(STRING);
      const field = JSON.parse(token) as string;
      const made = this.#change.field(field, place);
      this.#out += made === field ? token : JSON.stringify(made);
      this.#copy(BLANK);
      this.#out += this.#text[this.#at++];
      this.#value(value[field], { field, siblingFields, above: place }, depth + 1);
    });
  }

  #list(value: readonly unknown[], place: FieldPosition, depth: number): void {
    let index = 0;
    this.#members("]", () => this.#value(value[index++], place, depth + 1));
  }

  #members(end: string, member: () => void): void {
    this.#out += this.#text[this.#at++];
    for (;;) {
      this.#copy(BLANK);
      const next = this.#text[this.#at];
      if (next === end || next === ",") this.#out += this.#text[this.#at++];
      if (next === end || next === undefined) return;
      if (next !== ",") member();
    }
  }

  #copy(pattern: RegExp): void {
    this.#out += this.#take(pattern);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += token.length;
    return token;
  }
}

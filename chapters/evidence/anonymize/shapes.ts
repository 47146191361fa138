import { type Change, changed, type FieldPosition, jsonIn, type Leaf, type Look, visit } from "./walk.ts";

const FORMS: readonly (readonly [string, RegExp])[] = [
  ["email", /^[^@\s]+@[^@\s]+\.[^@\s]+$/],
  ["datetime", /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["time", /^\d{1,2}:\d{2}(?::\d{2})?$/],
  ["uuid", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ["url", /^[a-z][a-z+.-]*:\/\/\S+$/i],
  ["digits", /^\d+$/],
  ["number", /^-?\d+\.\d+$/],
  ["phone", /^[+(]?\d[\d\s().-]{6,}$/],
  ["id", /^(?=.*\d)[\p{L}\d#_-]+$/u],
  ["word", /^\p{L}+$/u],
];

/** The form of a text, without any of it: `<email>`, `<date>`, `<id>`, `<text>`. */
export function formOf(text: string): string {
  if (text === "") return "";
  if (text.length > 300) return "<text>";
  return `<${FORMS.find(([, pattern]) => pattern.test(text))?.[0] ?? "text"}>`;
}

/**
 * Types and formats in place of values: numbers are 0, texts their form, a JSON text the shapes in it. Names of fields
 * stay where they look like a schema's; others could be values themselves.
 */
export class ShapeReader {
  readonly #change: Change = {
    leaf: (value, fieldPosition) => this.#leaf(value, fieldPosition),
    field: (name, place) => this.#field(name, place),
  };
  readonly #values = new Set<string>();

  /** Texts whose words are no names of fields, wherever they stand. */
  learn(value: unknown): void {
    const seen: Look = {
      leaf: (leaf) => {
        if (typeof leaf !== "string") return;
        const inside = jsonIn(leaf);
        if (inside !== undefined) visit(inside, seen);
        else if (leaf.length < 200) for (const [word] of leaf.matchAll(/[\p{L}\d]+/gu)) this.#learnWord(word, leaf);
      },
    };
    visit(value, seen);
  }

  shape(value: unknown): unknown {
    return changed(value, this.#change);
  }

  text(text: string): string {
    return this.#leaf(text) as string;
  }

  #learnWord(word: string, text: string): void {
    // A capitalised word, or one value by itself, may be a name; words of sentences are those of schemas too.
    if (word === text || /^\p{Lu}/u.test(word)) this.#values.add(word.toLowerCase());
  }

  #leaf(value: Leaf, _place?: FieldPosition): unknown {
    if (typeof value === "number") return 0;
    if (typeof value === "boolean") return false;
    if (typeof value !== "string") return null;
    const inside = jsonIn(value);
    return inside === undefined ? formOf(value) : JSON.stringify(changed(inside, this.#change));
  }

  #field(name: string, _place: FieldPosition): string {
    const plain = /^[a-z$@]{1,2}[a-zA-Z]*(?:[_-][a-zA-Z]+)*_?\d?$/.test(name);
    const words = name.split(/[_-]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
    const known = words.filter((word) => this.#values.has(word));
    const value =
      !COMMON_FIELDS.has(name) && (known.length === words.length || known.some((word) => !name.includes(word)));
    return plain && !value ? name : `<field ${formOf(name)}>`;
  }
}

/** Single words that are fields of schemas although they may be somebody's value too. */
const COMMON_FIELDS = new Set(
  "id name email phone address status type date time price total amount city state country zip code title text content error message result results data items value key role user users order orders product products description category source payment quantity size color options available variants flights passengers cabin origin destination".split(
    " ",
  ),
);

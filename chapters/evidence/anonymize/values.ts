import { classOfField, classOfLabel, type FieldClass, snakeCase } from "./keys.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import { TextCleaner } from "./text.ts";
import { Vocabulary } from "./vocabulary.ts";
import {
  type Change,
  changed,
  changedText,
  type FieldPosition,
  jsonIn,
  type Leaf,
  type Look,
  ROOT,
  visit,
} from "./walk.ts";
import { GIVEN_NAMES } from "./words.ts";

/** Parts of an address, and facts about a number, that identify nobody. */
const COARSE = /(?:^|_)(?:country|country_code|state|province|region|type|kind|label|primary|verified|default|status)$/;
/** A line of a text that says what field its value is of. */
const LABELLED =
  /(?:^|[\n,;{(|])[ \t"'*-]*([\p{L}][\p{L}\d_ -]{1,30})["'*]*[ \t]*[:=][ \t]*["']?([^"'\n,;})|]{2,120})/gu;
/** A value by its look: capitalised words and numbers, six at most. */
const VALUE = /^(?:[\p{Lu}\d#][\p{L}\d.'’#@+()-]*(?:\s+|$)){1,6}$/u;
/** A value as closed sets have them: up to three lower-case words. */
const CLOSED = /^[\p{Ll}_-]+(?: [\p{Ll}_-]+){0,2}$/u;
const MAIL = /(?<![\p{L}\d._%+'-])[\p{L}\d._%+'-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,8}/gu;

/**
 * Clears what belongs together (one trace, one document) of identifying values. First everything is `learn`ed, then
 * `clean`ed: a name that stands in one field is then known in every text.
 */
export class ValueCleaner {
  readonly #vocabulary = new Vocabulary();
  readonly #pseudonyms: Pseudonyms;
  readonly #kept = new Set<string>();
  readonly #text: TextCleaner;
  readonly #learn: Look;
  readonly #clean: Change;

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
    this.#text = new TextCleaner(pseudonyms, this.#vocabulary, this.#kept);
    this.#learn = {
      leaf: (value, fieldPosition) => this.#learned(value, fieldPosition),
      field: (name) => {
        for (const [mail] of name.matchAll(MAIL)) this.#vocabulary.addIdWords(mail);
        // A map may be keyed by people, or by things: only a given name tells.
        if (GIVEN_NAMES.has(name.split(" ")[0]?.toLowerCase() ?? "")) this.#vocabulary.addNames(name);
      },
    };
    this.#clean = {
      leaf: (value, place) => this.#cleaned(value, place),
      field: (name, place) => this.#cleanField(name, place),
    };
  }

  /** Words that stay whole, such as the names of tools. */
  keep(word: string): void {
    this.#kept.add(word);
    this.#vocabulary.addPlain(word);
  }

  learn(value: unknown, place: FieldPosition = ROOT): void {
    visit(value, this.#learn, place);
  }

  /** The value cleared; a text that is JSON keeps its spelling. */
  clean(value: unknown, place: FieldPosition = ROOT): unknown {
    return changed(value, this.#clean, place);
  }

  cleanText(text: string): string {
    return this.#cleaned(text, ROOT) as string;
  }

  /** An id or a value under a field of a given name. */
  cleanUnder(field: string, text: string): string {
    return this.#cleaned(text, { field, siblingFields: [], above: undefined }) as string;
  }

  #learned(value: Leaf, place: FieldPosition): void {
    const kind = classAt(place);
    if (typeof value === "number") {
      if (kind !== undefined && kind !== "thing") this.#vocabulary.addNumbers(String(value));
      return;
    }
    if (typeof value !== "string") return;
    const inside = jsonIn(value);
    if (inside !== undefined) {
      visit(inside, this.#learn, place);
      return;
    }
    if (kind === "thing") this.#vocabulary.addPlain(value);
    else if (kind === undefined) {
      if (CLOSED.test(value)) this.#vocabulary.addPlain(value);
      else this.learnText(value);
    } else this.#learnAs(kind, value);
  }

  #learnAs(kind: FieldClass, value: string): void {
    if (kind === "name" || kind === "address") this.#vocabulary.addWords(value, kind === "address" ? 3 : 2);
    if (kind === "id" || kind === "email") this.#vocabulary.addIdWords(value);
    if (kind === "day") this.#vocabulary.addDay(value);
    else this.#vocabulary.addNumbers(value);
  }

  /** What somebody wrote: the names, mail and labelled values in it. */
  learnText(text: string): void {
    for (const [, label = "", value = ""] of text.matchAll(LABELLED)) {
      const kind = classOfLabel(label);
      // In prose a colon is not always a label's: what follows one looks like a value.
      if (kind === undefined || kind === "id" || !VALUE.test(value)) continue;
      if (kind === "name") this.#vocabulary.addTextName(value);
      else this.#learnAs(kind, value);
    }
    for (const [mail] of text.matchAll(MAIL)) this.#vocabulary.addIdWords(mail.slice(0, mail.lastIndexOf("@")));
    this.#vocabulary.addNames(text);
  }

  #cleaned(value: Leaf, place: FieldPosition): unknown {
    const kind = classAt(place);
    if (typeof value === "number") return kind === undefined || kind === "thing" ? value : this.#number(value, kind);
    if (typeof value !== "string" || value === "") return value;
    const inside = jsonIn(value);
    if (inside !== undefined) return changedText(value, inside, this.#clean, place);
    return kind === undefined || kind === "thing" ? this.#text.clean(value) : this.#as(kind, value);
  }

  #as(kind: FieldClass, value: string): string {
    if (value.includes("@")) return this.#text.clean(value);
    if (kind === "day" || /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value))
      return kind === "day" ? this.#pseudonyms.day(value) : value;
    if (kind === "phone" || kind === "number") return this.#text.number(value);
    if (kind === "address") return this.#text.address(value);
    return kind === "id" ? this.#text.id(value) : this.#pseudonyms.runs(value);
  }

  /** Whole numbers become numbers of the same length; of others the part behind the point is replaced. */
  #number(value: number, kind: FieldClass): number {
    if (kind === "name" || kind === "day" || !Number.isFinite(value)) return value;
    const text = String(value);
    if (/e/i.test(text)) return value;
    const [whole = "", fraction] = text.split(".");
    if (fraction === undefined) return Number(this.#pseudonyms.digits(whole, 10));
    return kind === "address" ? Number(`${whole}.${this.#pseudonyms.runs(fraction)}`) : value;
  }

  /** Names of fields stay, but for those that are values themselves: ids, addresses of mail, names of people. */
  #cleanField(name: string, place: FieldPosition): string {
    if (this.#kept.has(name) || /^[a-z][a-zA-Z]*$/.test(name)) {
      return !/[A-Z_]/.test(name) && this.#vocabulary.hasField(name) && place.above !== undefined
        ? this.#pseudonyms.runs(name)
        : name;
    }
    return /^[a-z]+(?:_[a-z]+)*_?\d?$/.test(name) && !this.#namesSomebody(name) ? name : this.#text.clean(name);
  }

  #namesSomebody(name: string): boolean {
    return name.split("_").some((word) => this.#vocabulary.hasField(word));
  }
}

/** What a place holds by its field's name; what has no name of its own is of the kind of what it is part of. */
export function classAt(fieldPosition: FieldPosition): FieldClass | "thing" | undefined {
  const { field, siblingFields, above } = fieldPosition;
  if (field === undefined) return undefined;
  const own = classOfField(field, siblingFields, above?.field);
  if (own !== undefined) return own;
  const outer =
    above?.field === undefined ? undefined : classOfField(above.field, above.siblingFields, above.above?.field);
  const inherits = outer !== undefined && outer !== "thing" && outer !== "id" && !COARSE.test(snakeCase(field));
  return inherits ? outer : undefined;
}

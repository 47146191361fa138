import { fitsCheckDigit, type Pseudonyms } from "./pseudonyms.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { COMMON, ID_WORDS, STREET_WORDS } from "./words.ts";

const STREET =
  "street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way|highway|hwy|parkway|pkwy|circle|cir|trail|alley";

/** Forms that stand in any text, in the order they are looked for at one place. Those of `keep` are passed over. */
const FORMS = new RegExp(
  [
    /(?<email>(?<![\p{L}\d._%+'-])[\p{L}\d._%+'-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,8})/u,
    /(?<hex>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}\b)/u,
    /(?<keep>\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\d-])|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|[$€£¥]\s?\d[\d,]*(?:\.\d+)?|(?<![\w.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.]*\d)|(?<![\w.-])-?\d+\.\d+(?![\w.]*\d))/u,
    /(?<card>(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-]))/u,
    /(?<ssn>(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-]))/u,
    /(?<ip>(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d))/u,
    /(?<phone>(?<![\w+])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{2,4}\)[\s.-]?|\d{2,4}[\s.-])\d{2,4}[\s.-]?\d{3,4}(?:[\s.-]?\d{2,4})?(?![\w])|\+\d{8,15}\b)/u,
    new RegExp(
      `(?<street>\\b\\d{1,6}[A-Za-z]?\\s+(?:[\\p{L}.'’-]+\\s+){1,4}(?:${STREET})\\b\\.?(?:,?\\s+(?:apt|apartment|suite|ste|unit|#)\\.?\\s*[\\p{L}\\d-]+)?)`,
      "iu",
    ),
    /(?<id>#?(?<![\p{L}\d])[\p{L}\d]+(?:[_-][\p{L}\d]+)*(?![\p{L}\d]))/u,
  ]
    .map((each) => each.source)
    .join("|"),
  "giu",
);
const WORDS = /\p{L}+/gu;
/** Quantities: digits with a short unit, and ordinals. */
const QUANTITY = /^\d+(?:st|nd|rd|th|[a-z]{1,3}|(?:-[a-z]+)+)$/i;

/** Clears texts of one trace: forms that identify (mail, phone, card and other numbers, addresses, ids) and known words. */
export class TextCleaner {
  readonly #pseudonyms: Pseudonyms;
  readonly #vocabulary: Vocabulary;
  /** Names of tools and the like: they stay whole. */
  readonly #kept: ReadonlySet<string>;

  constructor(pseudonyms: Pseudonyms, vocabulary: Vocabulary, kept: ReadonlySet<string>) {
    this.#pseudonyms = pseudonyms;
    this.#vocabulary = vocabulary;
    this.#kept = kept;
  }

  /** The text with pseudonyms in place of what identifies; all else, blanks too, stays as it was. */
  clean(text: string): string {
    if (text.length < 2) return text;
    let before: string | undefined;
    const source = text;
    if (!/[\d@]/.test(text)) {
      return text.replace(WORDS, (word, at: number) => {
        const made = this.#words(word, source, at, before);
        before = word;
        return made;
      });
    }
    return text.replace(FORMS, (...found) => {
      const groups = found.at(-1) as Record<string, string | undefined>;
      const at = found.at(-3) as number;
      const all = found[0] as string;
      const made = this.#form(all, groups) ?? this.#token(all, source, at, before);
      before = all;
      return made;
    });
  }

  /** An address of mail: all but the last part of its domain. */
  email(text: string): string {
    const at = text.lastIndexOf("@");
    const domain = text.slice(at + 1).split(".");
    const top = domain.length > 2 && /^(?:co|com|org|ac|gov|net)$/i.test(domain.at(-2) ?? "") ? 2 : 1;
    const labels = domain.map((label, i) => (i < domain.length - top ? this.#pseudonyms.runs(label) : label));
    return `${this.#pseudonyms.runs(text.slice(0, at))}@${labels.join(".")}`;
  }

  /** An id: its runs, but for words that say what it is of. */
  id(text: string): string {
    if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^(?=.*\d)(?=.*[a-f])[0-9a-f]{16,}$/i.test(text))
      return this.#pseudonyms.hex(text);
    return this.#pseudonyms.runs(text, (word) => ID_WORDS.has(word) && !this.#vocabulary.names(word));
  }

  /** A number with separators, such as a phone's. Ten digits are its core: a country's code before them stays. */
  number(text: string): string {
    const digits = text.replace(/\D/g, "");
    if (/\p{L}/u.test(text)) return this.#pseudonyms.runs(text);
    if (digits.length >= 13 && digits.length <= 19 && fitsCheckDigit(digits)) return this.#pseudonyms.card(text);
    return this.#pseudonyms.digits(text, 10);
  }

  /** A postal address: its words and numbers, but for the parts that name no place. */
  address(text: string): string {
    return this.#pseudonyms.runs(text, (word) => STREET_WORDS.has(word));
  }

  #form(all: string, groups: Record<string, string | undefined>): string | undefined {
    if (groups.keep !== undefined) return this.#vocabulary.hasDay(all) ? this.#pseudonyms.day(all) : all;
    if (groups.email !== undefined) return this.email(all);
    if (groups.hex !== undefined) return this.#pseudonyms.hex(all);
    if (groups.card !== undefined || groups.phone !== undefined) return this.number(all);
    if (groups.ssn !== undefined) return this.#pseudonyms.digits(all);
    if (groups.ip !== undefined) return this.#pseudonyms.runs(all);
    if (groups.street === undefined) return undefined;
    if (namesStreet(all)) return this.address(all);
    const number = /^\S+\s+/.exec(all)?.[0] ?? "";
    return this.clean(number.trimEnd()) + number.slice(number.trimEnd().length) + this.clean(all.slice(number.length));
  }

  /** A word, a number or an id. */
  #token(token: string, text: string, at: number, before: string | undefined): string {
    if (this.#kept.has(token)) return token;
    const hasDigit = /\d/.test(token);
    if (!hasDigit) return this.#words(token, text, at, before);
    const bare = token.replace(/^#/, "");
    if (/^\d+$/.test(bare))
      return bare.length >= 6 || token !== bare || this.#vocabulary.hasNumber(bare)
        ? this.#pseudonyms.runs(token)
        : token;
    const named = [...bare.matchAll(/\p{L}{3,}/gu)].some(([word]) => this.#vocabulary.has(word));
    if (named || this.#vocabulary.hasNumber(bare.replace(/\D/g, ""))) return this.id(token);
    return bare.length >= 5 && !QUANTITY.test(bare) && !MODEL.test(bare) ? this.id(token) : token;
  }

  #words(token: string, text: string, at: number, before: string | undefined): string {
    const words = token.match(WORDS);
    if (this.#kept.has(token) || !words?.some((word) => this.#vocabulary.names(word.toLowerCase()))) return token;
    const after = /^[\s'’-]{1,2}(\p{Lu}[\p{L}]*)/u.exec(text.slice(at + token.length, at + token.length + 40))?.[1];
    const beside = (word: string | undefined) => word !== undefined && this.#vocabulary.has(word);
    return token.replace(/\p{L}+/gu, (word) =>
      this.#vocabulary.has(word, beside(after) || beside(before)) ? this.#pseudonyms.run(word) : word,
    );
  }
}

/** Whether the words after a number name a street: capitalised, or none of them everyday words ("3 days on the way"). */
function namesStreet(text: string): boolean {
  const words = (text.match(WORDS) ?? []).slice(0, -1);
  const inner = words.filter((word) => !STREET_WORDS.has(word.toLowerCase()));
  return inner.some((word) => /^\p{Lu}/u.test(word)) || inner.every((word) => !COMMON.has(word.toLowerCase()));
}

/** Names of models and standards look like ids and name nobody. */
const MODEL = /^(?:gpt|claude|gemini|llama|mistral|qwen|o\d|utf|iso|sha|md|http|ipv?\d|v\d)[\w.-]*$/i;

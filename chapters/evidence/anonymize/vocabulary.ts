import { COMMON, GIVEN_NAMES, ID_WORDS, STREET_WORDS } from "./words.ts";

const WORD = /\p{L}+/gu;
/** A capitalised word with no more than blanks, hyphens, apostrophes or an initial's dot to the next. */
const CAPITALS = /(?<![\p{L}\d])\p{Lu}[\p{L}\p{M}]*(?:(?:\.? |-|['’])\p{Lu}[\p{L}\p{M}]*)*/gu;
/** What comes right before a person's name. */
const CUES =
  /(?:\b(?:my name is|name is|name's|named|called|i am|i'm|i’m|this is|it is|it's|speaking with|mr\.?|mrs\.?|ms\.?|miss|dr\.?|prof\.?|sir|hi|hello|hey|dear|thanks|thank you|regards|sincerely|cheers|passenger|customer|guest|user|patient|with|from|by)[,:]?\s+["'“]?)$/i;
/** A name said in whatever case: three words at most. */
const SAID = /\b(?:my (?:full |last |first )?name is|my name's|name[ds]? *[:=])\s*["'“]?((?:\p{L}+[ '’-]?){1,3})/giu;

/**
 * What identifies somebody in one trace: the words and numbers of values that stand in fields for names, addresses and
 * numbers, and the names that texts give away. Texts of the trace are then cleared of them, whatever their case.
 */
export class Vocabulary {
  /** Words of values that a field says to identify. */
  readonly #words = new Set<string>();
  /** Words that a text gives away as a name; a closed set's word is none. */
  readonly #said = new Set<string>();
  readonly #days = new Set<string>();
  readonly #numbers = new Set<string>();
  readonly #plain = new Set<string>();

  /** Words of a value that names somebody or where they live. */
  addWords(value: string, least = 2): void {
    for (const [word] of value.matchAll(WORD)) {
      const lower = word.toLowerCase();
      if (lower.length >= least && !STREET_WORDS.has(lower)) this.#words.add(lower);
    }
  }

  /** Words that a text gives for a name; it may be a thing's. */
  addTextName(value: string): void {
    for (const [word] of value.matchAll(WORD)) if (word.length > 1) this.#said.add(word.toLowerCase());
  }

  /** Words of an id or an address of mail, where they are no words of its kind. */
  addIdWords(value: string): void {
    for (const [word] of value.matchAll(WORD)) {
      const lower = word.toLowerCase();
      if (lower.length >= 3 && !ID_WORDS.has(lower) && !COMMON.has(lower)) this.#words.add(lower);
    }
  }

  /** Numbers of a value: those of four digits or more, but for years, are known again in texts. */
  addNumbers(value: string): void {
    for (const [digits] of value.matchAll(/\d{4,}/g)) if (!/^(?:19|20)\d\d$/.test(digits)) this.#numbers.add(digits);
  }

  /** Words of a closed set or of a tool's name: they name nobody. */
  addPlain(value: string): void {
    for (const [word] of value.matchAll(WORD)) this.#plain.add(word.toLowerCase());
  }

  /** Takes up the names that a text gives away by what stands around them. */
  addNames(text: string): void {
    for (const [, said = ""] of text.matchAll(SAID))
      for (const [word] of said.matchAll(WORD)) if (!this.#common(word)) this.#said.add(word.toLowerCase());
    for (const found of text.matchAll(CAPITALS)) {
      const words = this.#trimmed(found[0].match(WORD) ?? []);
      const named = words.length > 1 || (words[0] !== undefined && this.#aloneIsName(words[0], text, found));
      if (named) for (const word of words) if (word.length > 1) this.#said.add(word.toLowerCase());
    }
  }

  /** Whether a word of a text is one that identifies. Everyday words do only where another such word stands beside them. */
  has(word: string, beside = false): boolean {
    const lower = word.toLowerCase();
    const known = this.#words.has(lower) || (this.#said.has(lower) && !this.#plain.has(lower));
    return known && (!COMMON.has(lower) || (beside && word[0] !== lower[0]));
  }

  /** A day that a field says to identify, such as one of birth. */
  addDay(value: string): void {
    this.#days.add(value.slice(0, 10));
  }

  hasDay(value: string): boolean {
    return this.#days.has(value.slice(0, 10));
  }

  hasNumber(digits: string): boolean {
    return this.#numbers.has(digits);
  }

  /** Whether a field says that the word identifies. */
  hasField(lower: string): boolean {
    return this.#words.has(lower);
  }

  /** Whether a word may identify, wherever it stands: in an id it does, though ids of other things use it too. */
  names(lower: string): boolean {
    return this.#words.has(lower) || (this.#said.has(lower) && !this.#plain.has(lower));
  }

  #common(word: string): boolean {
    const lower = word.toLowerCase();
    return COMMON.has(lower) || this.#plain.has(lower) || (word.length <= 3 && word === word.toUpperCase());
  }

  /** The words without everyday ones before and after. */
  #trimmed(words: readonly string[]): string[] {
    const first = words.findIndex((word) => !this.#common(word));
    const last = words.findLastIndex((word) => !this.#common(word));
    return first === -1 ? [] : words.slice(first, last + 1);
  }

  #aloneIsName(word: string, text: string, found: RegExpMatchArray): boolean {
    if (word.length < 2 || (word.length < 5 && word === word.toUpperCase())) return false;
    if (GIVEN_NAMES.has(word.toLowerCase())) return true;
    const at = (found.index ?? 0) + found[0].indexOf(word);
    const before = text.slice(Math.max(0, at - 40), at);
    return CUES.test(before) && /\p{Ll}/u.test(word);
  }
}

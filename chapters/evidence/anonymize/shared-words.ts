import { plainly } from "./plainly.ts";
import { Pseudonyms } from "./pseudonyms.ts";
import { classAt, ValueCleaner } from "./values.ts";
import { Vocabulary } from "./vocabulary.ts";
import { visit } from "./walk.ts";
import { COMMON } from "./words.ts";

/** Letters become x and digits 0: what is left is a form, the same for everybody, and nobody takes it for a value. */
class Mask extends Pseudonyms {
  constructor() {
    super(Buffer.alloc(16));
  }
  override run(text: string): string {
    return text.replace(/\p{L}|\d/gu, (char) => {
      if (/\d/.test(char)) return "0";
      return char === char.toLowerCase() ? "x" : "X";
    });
  }
  override hex(text: string): string {
    return this.run(text);
  }
  override day(text: string): string {
    return this.run(text);
  }
  override card(text: string): string {
    return this.run(text);
  }
  override digits(text: string): string {
    return this.run(text);
  }
}

const WORD = /\p{L}+/gu;
/** What an id may be: a word with a digit in it, parts of which are joined. */
const ID = /(?<![\p{L}\d_-])#?[\p{L}\d]+(?:[_-][\p{L}\d]+)*(?![\p{L}\d_-])/gu;
/** Shorter ones are figures and numbers of things as often as ids. */
const LEAST_ID = 5;
/** What may stand between two words of a name: two characters, or as many marks of Markdown as there are. */
const BETWEEN = /^(?:[\s\S]{0,2}|[\s*_`~]{0,8})$/;
const TITLE = /\b(?:mr|mrs|ms|miss|mx|dr|prof)\.?\s{1,2}$/i;

/**
 * Words of others as they may be shown outside the org: what identifies somebody, by the rules for evidence that is
 * anonymised, is masked. Rows that were learned tell the names of people from those of things.
 */
export class SharedWords {
  readonly #mask = new Mask();
  readonly #cleaner = new ValueCleaner(this.#mask);
  /** Names and addresses of people that fields of rows hold, as they are and without their accents. */
  readonly #people = new Vocabulary();
  /** Ids that fields of rows hold, in lower case. */
  readonly #ids = new Set<string>();

  /** Takes up rows: who is in them, and what else has a name. */
  learn(rows: unknown): void {
    this.#cleaner.learn(rows);
    visit(rows, {
      leaf: (value, place) => {
        const kind = classAt(place);
        if (typeof value !== "string") return;
        if (kind === "id" && value.length >= LEAST_ID && /\d/.test(value)) this.#ids.add(bare(value));
        if (kind !== "name" && kind !== "address") return;
        for (const each of [value, unaccented(value)]) this.#people.addWords(each, kind === "address" ? 3 : 2);
      },
    });
  }

  /** A request, or another text that somebody was recorded to say: names, addresses, numbers and ids are masked. */
  said(text: string): string {
    const given = plainly(text);
    this.#cleaner.learnText(given);
    return this.#cleaner.cleanText(given);
  }

  /** What a member wrote: names, addresses and ids of the rows are masked; figures and all other words stay. */
  written(text: string): string {
    const named = plainly(text).replace(ID, (id) => (this.#ids.has(bare(id)) ? this.#mask.run(id) : id));
    const words = [...named.matchAll(WORD)];
    let at = -1;
    return named.replace(WORD, (word) => {
      at += 1;
      return this.#isPerson(words, at, named) ? this.#mask.run(word) : word;
    });
  }

  /** Whether a word is part of a person's name or address: an everyday, a short or a small one only beside another that is. */
  #isPerson(words: readonly RegExpExecArray[], at: number, text: string): boolean {
    const here = words[at];
    if (here === undefined || !this.#known(here[0])) return false;
    const [word] = here;
    const beside = [words[at - 1], words[at + 1]].filter(
      (other) => other !== undefined && this.#known(other[0]) && BETWEEN.test(between(here, other, text)),
    );
    const capital = (each: string) => each[0] !== each[0]?.toLowerCase();
    const common = (each: string) => COMMON.has(each.toLowerCase());
    if (!capital(word)) return beside.some((other) => !common(word) || (other !== undefined && !common(other[0])));
    const alone = !common(word) && word.length > 2;
    return alone || beside.length > 0 || TITLE.test(text.slice(Math.max(0, here.index - 8), here.index));
  }

  #known(word: string): boolean {
    return this.#people.hasField(word.toLowerCase()) || this.#people.hasField(unaccented(word).toLowerCase());
  }
}

function between(one: RegExpExecArray, other: RegExpExecArray, text: string): string {
  const [first, last] = one.index < other.index ? [one, other] : [other, one];
  return text.slice(first.index + first[0].length, last.index);
}

/** A word without its accents, as people write it who lack the keys. */
function unaccented(word: string): string {
  return word
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ł", "l")
    .replaceAll("Ł", "L")
    .replaceAll("ø", "o")
    .replaceAll("Ø", "O")
    .replaceAll("ß", "ss");
}

/** An id as it is known again. */
function bare(id: string): string {
  return id.replace(/^#/, "").toLowerCase();
}

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

/**
 * Words of others as they may be shown outside the org: what identifies somebody, by the rules for evidence that is
 * anonymised, is masked. Rows that were learned tell the names of people from those of things.
 */
export class SharedWords {
  readonly #mask = new Mask();
  readonly #cleaner = new ValueCleaner(this.#mask);
  /** Names and addresses of people that fields of rows hold. */
  readonly #people = new Vocabulary();

  /** Takes up rows: who is in them, and what else has a name. */
  learn(rows: unknown): void {
    this.#cleaner.learn(rows);
    visit(rows, {
      leaf: (value, place) => {
        const kind = classAt(place);
        if (typeof value === "string" && (kind === "name" || kind === "address")) this.#people.addWords(value, 3);
      },
    });
  }

  /** A request, or another text that somebody was recorded to say: names, addresses, numbers and ids are masked. */
  said(text: string): string {
    this.#cleaner.learnText(text);
    return this.#cleaner.cleanText(text);
  }

  /** What a member wrote: names and addresses of people in the rows are masked; figures and all other words stay. */
  written(text: string): string {
    const known = (word: string | undefined) => word !== undefined && this.#people.hasField(word.toLowerCase());
    const words = [...text.matchAll(WORD)];
    const beside = (at: number) => {
      const [before, here, after] = [words[at - 1], words[at], words[at + 1]];
      const near = (a: RegExpExecArray | undefined, b: RegExpExecArray | undefined) =>
        a !== undefined && b !== undefined && b.index - a.index - a[0].length <= 2;
      return (near(before, here) && known(before?.[0])) || (near(here, after) && known(after?.[0]));
    };
    let at = -1;
    return text.replace(WORD, (word) => {
      at += 1;
      if (!known(word) || word[0] === word[0]?.toLowerCase()) return word;
      return COMMON.has(word.toLowerCase()) && !beside(at) ? word : this.#mask.run(word);
    });
  }
}

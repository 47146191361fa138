import { hash } from "node:crypto";

/** A class of characters that stand in for one another: where it begins and how many there are. */
interface Alphabet {
  readonly name: string;
  readonly chars: readonly string[];
}

const alphabet = (name: string, chars: string): Alphabet => ({ name, chars: [...chars] });
const VOWELS = alphabet("v", "aeiou");
const CONSONANTS = alphabet("c", "bcdfghjklmnpqrstvwxyz");
const DIGITS = alphabet("d", "0123456789");
const NO_ZERO = alphabet("n", "123456789");
const HEX = alphabet("h", "0123456789abcdef");
/** Letters beyond ASCII stand in for those beside them: so many of one block. */
const BLOCK = 32;
const ROUNDS = 8;
/** Pseudonyms kept at hand; a corpus repeats its names. */
const KEPT = 50_000;

interface Symbol {
  readonly alphabet: Alphabet;
  readonly index: number;
  readonly upper: boolean;
}

/**
 * Keyed pseudonyms: the same value under the same key always becomes the same other value, of the same length, case and
 * kinds of characters, and no two values of one form become the same one (a permutation, as format-preserving ciphers
 * are). Without the key nothing leads back. Letters and digits are replaced run by run, so that a name, the id made of
 * it and the address made of it still agree.
 */
export class Pseudonyms {
  readonly #inner: Buffer;
  readonly #outer: Buffer;
  readonly #known = new Map<string, string>();

  /** `key`: at least 16 random bytes. */
  constructor(key: Buffer) {
    if (key.length < 16) throw new Error("a pseudonym key has at least 16 bytes");
    const block = Buffer.alloc(64);
    (key.length > 64 ? hash("sha256", key, "buffer") : key).copy(block);
    this.#inner = block.map((byte) => byte ^ 0x36) as Buffer;
    this.#outer = block.map((byte) => byte ^ 0x5c) as Buffer;
  }

  /** One run of letters or of digits. The first digit stays zero or not zero, so that numbers keep their length. */
  run(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = this.#permuted([...text].map((char, at) => symbolOf(char, at === 0)));
    if (this.#known.size >= KEPT) this.#known.clear();
    this.#known.set(text, made);
    return made;
  }

  /** Every run of letters and of digits in a text, but for the words that `keep` takes. */
  runs(text: string, keep: (word: string) => boolean = () => false): string {
    return text.replace(/\p{L}+|\d+/gu, (run) => (keep(run.toLowerCase()) ? run : this.run(run)));
  }

  /** Digits with separators between them, as one number: separators stay, and so do digits before the last `core`. */
  digits(text: string, core = Number.POSITIVE_INFINITY): string {
    const all = text.replace(/\D/g, "");
    const from = Math.max(0, all.length - core);
    return refilled(text, all.slice(0, from) + this.run(all.slice(from)));
  }

  /** A card number: its check digit fits again. */
  card(text: string): string {
    const digits = this.run(text.replace(/\D/g, "").slice(0, -1));
    return refilled(text, digits + checkDigit(digits));
  }

  /** A hexadecimal id; what a UUID says of its version stays. */
  hex(text: string): string {
    const digits = [...text.replace(/[^0-9a-f]/gi, "")];
    const fixed = (at: number) => digits.length === 32 && (at === 12 || at === 16);
    const symbols = digits.flatMap((char, at) => {
      const lower = char.toLowerCase();
      return fixed(at) ? [] : [{ alphabet: HEX, index: HEX.chars.indexOf(lower), upper: char !== lower }];
    });
    const made = [...this.#permuted(symbols)];
    const all = digits.map((char, at) => (fixed(at) ? char : (made.shift() ?? char)));
    return text.replace(/[0-9a-f]/gi, () => all.shift() ?? "");
  }

  /** A day moved by up to 500 days, in the form it was written in; a text that is no day becomes its runs. */
  day(text: string): string {
    const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(text);
    const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
    const [year, month, day] = iso ? iso.slice(1) : american ? [american[3], american[1], american[2]] : [];
    const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
    if (Number.isNaN(at)) return this.runs(text);
    const days = 1 + (this.#bytes("day", `${year}-${month}-${day}`).readUInt32BE(0) % 500);
    const moved = new Date(at - days * 86_400_000).toISOString().slice(0, 10);
    if (iso) return moved + text.slice(10);
    const [y, m, d] = moved.split("-");
    return `${Number(m)}/${Number(d)}/${y}`;
  }

  /** An opaque stand-in for a value, 16 hex digits. */
  opaque(text: string): string {
    return this.#bytes("opaque", text).toString("hex").slice(0, 16);
  }

  /** A permutation of all texts of one form: each half in turn is moved by a keyed function of the other. */
  #permuted(symbols: readonly Symbol[]): string {
    const indexes = symbols.map(({ index }) => index);
    const form = symbols.map(({ alphabet }) => alphabet.name).join("");
    const half = Math.ceil(symbols.length / 2);
    for (let round = 0; round < ROUNDS; round++) {
      const [from, to] = round % 2 === 0 ? [0, half] : [half, symbols.length];
      const other = round % 2 === 0 ? indexes.slice(half) : indexes.slice(0, half);
      let bytes: Buffer = Buffer.alloc(0);
      for (let at = from; at < to; at++) {
        const place = (at - from) % 8;
        if (place === 0) bytes = this.#bytes(`${round}.${at}`, `${form}:${other.join(",")}`);
        const size = symbols[at]?.alphabet.chars.length ?? 1;
        indexes[at] = ((indexes[at] ?? 0) + (bytes.readUInt32BE(place * 4) % size)) % size;
      }
    }
    return symbols
      .map(({ alphabet, upper }, at) => {
        const char = alphabet.chars[indexes[at] ?? 0] ?? "";
        return upper ? char.toUpperCase() : char;
      })
      .join("");
  }

  /** HMAC-SHA-256 by its definition: the runtime's own object costs ten times as much to make. */
  #bytes(what: string, of: string): Buffer {
    const inner = hash("sha256", Buffer.concat([this.#inner, Buffer.from(`${what}|${of}`)]), "buffer");
    return hash("sha256", Buffer.concat([this.#outer, inner]), "buffer");
  }
}

const BLOCKS = new Map<number, Alphabet>();

function symbolOf(char: string, first: boolean): Symbol {
  const lower = char.toLowerCase();
  const upper = lower !== char && lower.toUpperCase() === char;
  const own = upper ? lower : char;
  const known = /\d/.test(own)
    ? first && own !== "0"
      ? NO_ZERO
      : first
        ? alphabet("0", "0")
        : DIGITS
    : VOWELS.chars.includes(own)
      ? VOWELS
      : CONSONANTS.chars.includes(own)
        ? CONSONANTS
        : blockOf(own);
  return { alphabet: known, index: known.chars.indexOf(own), upper };
}

/** Letters of the same block of the code that have the same case. */
function blockOf(char: string): Alphabet {
  const code = char.codePointAt(0) ?? 0;
  const known = BLOCKS.get(code);
  if (known) return known;
  const start = code - (code % BLOCK);
  const chars = Array.from({ length: BLOCK }, (_, i) => String.fromCodePoint(start + i)).filter(
    (each) => each === char || (/\p{L}/u.test(each) && each.toLowerCase() === each && char.toLowerCase() === char),
  );
  const made = { name: `u${start}`, chars };
  BLOCKS.set(code, made);
  return made;
}

function refilled(text: string, digits: string): string {
  let at = 0;
  return text.replace(/\d/g, () => digits[at++] ?? "");
}

/** Whether a number's check digit fits, as card numbers' do. */
export function fitsCheckDigit(digits: string): boolean {
  return checkDigit(digits.slice(0, -1)) === digits.at(-1);
}

function checkDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}

import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsCheckDigit, Pseudonyms } from "../../../../chapters/evidence/anonymize/pseudonyms.ts";

const KEY = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER = "ff".repeat(32);
const pseudonyms = new Pseudonyms(Buffer.from(KEY, "hex"));

describe("a pseudonym", () => {
  it("is the same for the same value and key, and another under another key", () => {
    const again = new Pseudonyms(Buffer.from(KEY, "hex"));
    const other = new Pseudonyms(Buffer.from(OTHER, "hex"));
    for (const value of ["Quackenbush", "8675309", "mei_patel_7017"]) {
      expect(pseudonyms.runs(value)).toBe(again.runs(value));
      expect(pseudonyms.runs(value)).not.toBe(value);
      expect(pseudonyms.runs(value)).not.toBe(other.runs(value));
    }
  });

  it("keeps length, case and kind of every character", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 _@.#-]{1,24}$/), (text) => {
        const kind = (value: string) =>
          value.replace(/[a-z]/gi, (char) => {
            const vowel = "aeiou".includes(char.toLowerCase());
            return char === char.toLowerCase() ? (vowel ? "v" : "c") : vowel ? "V" : "C";
          });
        const made = pseudonyms.runs(text);
        expect(made.length).toBe(text.length);
        expect(kind(made).replaceAll(/\d/g, "9")).toBe(kind(text).replaceAll(/\d/g, "9"));
      }),
    );
  });

  it("is one of no other value: all numbers of three digits, and all words of two letters, stay apart", () => {
    const numbers = Array.from({ length: 900 }, (_, i) => String(i + 100));
    expect(new Set(numbers.map((n) => pseudonyms.run(n))).size).toBe(900);
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const words = letters.flatMap((a) => letters.map((b) => a + b));
    expect(new Set(words.map((word) => pseudonyms.run(word))).size).toBe(words.length);
  });

  it("of a name agrees with that of the id and the address made of it, in any case", () => {
    const name = pseudonyms.runs("Mei Patel");
    expect(pseudonyms.runs("mei_patel_7017").startsWith(name.toLowerCase().replace(" ", "_"))).toBe(true);
    expect(pseudonyms.runs("MEI")).toBe(name.split(" ")[0]?.toUpperCase());
  });

  it("of letters beyond ASCII are letters too", () => {
    const made = pseudonyms.runs("李明 Жанна Ünal");
    expect(made).toMatch(/^\p{L}{2} \p{Lu}\p{L}{4} \p{Lu}\p{L}{3}$/u);
    expect(made).not.toContain("李");
  });

  it("rests on HMAC-SHA-256", () => {
    const expected = createHmac("sha256", Buffer.from(KEY, "hex")).update("opaque|value").digest("hex").slice(0, 16);
    expect(pseudonyms.opaque("value")).toBe(expected);
  });

  it("of a card fits its check digit, however it is grouped", () => {
    const made = pseudonyms.card("4111 1111 1111 1111");
    expect(made).toMatch(/^\d{4} \d{4} \d{4} \d{4}$/);
    expect(fitsCheckDigit(made.replaceAll(" ", ""))).toBe(true);
    expect(pseudonyms.card("4111111111111111")).toBe(made.replaceAll(" ", ""));
  });

  it("of a day is a day in the same form", () => {
    expect(pseudonyms.day("1984-02-29")).toMatch(/^198[234]-\d\d-\d\d$/);
    expect(pseudonyms.day("02/29/1984")).toMatch(/^\d{1,2}\/\d{1,2}\/198[234]$/);
  });
});

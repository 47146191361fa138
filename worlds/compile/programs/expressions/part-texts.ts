import { byText } from "../../values.ts";
import type { LabelledText, Line } from "./text-forms.ts";

/** Signs that parts of a text stand between. */
const BETWEEN: readonly string[] = [" | ", "; ", ", "];
/** Distinct parts past which texts are lists of what there is, and no signs of how something is. */
const PARTS = 24;
/** Distinct texts that show a form. */
const LEAST = 4;
/** Letters of a part past which it is a sentence. */
const LONGEST = 40;

const firstWord = (part: string): string => /^[^\s:]+(?::? |$)/u.exec(part)?.[0] ?? part;

/**
 * The form of texts of one line that say how several things are, each in a part of its own that others may lack:
 * `No service | Data ON | Saver`, `3G | Data OFF`. A part is known by its first word, the first one by its place.
 */
export function partsOf(texts: readonly string[]): LabelledText | undefined {
  const distinct = [...new Set(texts)].sort(byText);
  if (distinct.length < LEAST || distinct.some((text) => text.includes("\n"))) return undefined;
  for (const between of BETWEEN) {
    const lines = linesOf(distinct.map((text) => text.split(between)));
    if (lines) return { between, lines };
  }
  return undefined;
}

/** The lines of texts in parts; undefined where the parts are entries of a list. */
function linesOf(all: readonly (readonly string[])[]): Line[] | undefined {
  const distinct = new Set(all.flat());
  if (
    all.filter((parts) => parts.length > 1).length * 2 < all.length ||
    distinct.size > PARTS ||
    [...distinct].some((part) => part.length > LONGEST)
  )
    return undefined;
  const words = [...new Set(all.flatMap(([, ...rest]) => rest.map(firstWord)))];
  const order = inOrder(words, all);
  if (!order) return undefined;
  // Each part comes back: one that is in a single text is a name.
  const rest = all.map((parts) => parts.slice(1));
  if (rest.flat().some((part) => rest.filter((parts) => parts.includes(part)).length < 2)) return undefined;
  // Entries of a list are there or not; of what says how something is, a part has several endings, as have all such in its text.
  const endings = order.map((word) => new Set([...distinct].filter((part) => firstWord(part) === word)).size);
  const several = order.filter((_, i) => (endings[i] ?? 0) > 1);
  const has = (parts: readonly string[], word: string): boolean => parts.some((part) => firstWord(part) === word);
  const apart = rest.every((parts) => new Set(several.map((word) => has(parts, word))).size <= 1);
  if (several.length === 0 || !apart) return undefined;
  return [
    { field: "part 1", before: "", after: "", number: false, alone: "text" },
    ...order.map((word, i): Line => {
      const some = (endings[i] ?? 0) > 1 ? "apart" : "one";
      return { field: word.replace(/:? ?$/u, ""), before: word, after: "", number: false, some };
    }),
  ];
}

/** Words in the order in which all texts have their parts; undefined where one comes twice in a text, or before and after another. */
function inOrder(words: readonly string[], all: readonly (readonly string[])[]): string[] | undefined {
  const at = (word: string, parts: readonly string[]): number => parts.findIndex((part) => firstWord(part) === word);
  for (const parts of all) {
    const own = parts.map(firstWord);
    if (new Set(own).size < own.length || words.some((word) => own[0] === word)) return undefined;
  }
  const before = (a: string, b: string): boolean =>
    all.some((parts) => at(a, parts) >= 0 && at(b, parts) >= 0 && at(a, parts) < at(b, parts));
  const out = [...words].sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : byText(a, b)));
  return out.every((b, i) => out.slice(0, i).every((a) => !before(b, a))) ? out : undefined;
}

import { isObject, type Json } from "../../json.ts";
import { numbersInText } from "../checks/numbers.ts";
import { fold, humanize, singular, stems, tokens } from "../checks/words.ts";
import { type Leaf, leaves } from "../leaves.ts";
import { readPath } from "../select.ts";

const STOP = new Set(
  "a an the of for on in to is are was my me you i please can could would what which who tell know need like want look up checking mind hello hi hey there thank good morning this that it and with do does have has by from at be quick question hope help notes make out can't going through was about wondering one thing".split(
    " ",
  ),
);

/** The words of a text that carry its sense, singular. */
export function contentWords(text: string): string[] {
  return tokens(fold(text))
    .map((t) => singular(t.text))
    .filter((w) => !STOP.has(w));
}

function words(path: string): string[] {
  return path
    .split(/[.[\]*]+/)
    .flatMap((part) => stems(part))
    .filter((w) => w !== "" && w !== "id");
}

/** How well a leaf's path is what a question asks for. */
function overlap(asked: readonly string[], leaf: Leaf): number {
  const own = words(leaf.path);
  const name = stems(leaf.name).filter((w) => w !== "id" && w !== "on" && w !== "at");
  const hits = own.filter((w) => asked.includes(w)).length;
  const last = name.length > 0 && name.every((w) => asked.includes(w)) ? 2 : 0;
  const extra = asked.filter((w) => own.includes(w)).length;
  return last + hits / Math.max(1, own.length) + extra * 0.25;
}

/** Whether a question asks for the entries of a list that some result holds, empty. */
function asksForNone(question: string, results: readonly Json[]): boolean {
  const thing = /\bwhich ([\p{L} ]+?) are there\b/iu.exec(question)?.[1];
  if (thing === undefined) return false;
  const wanted = stems(thing).join(" ");
  return results.some(
    (r) =>
      isObject(r) &&
      Object.entries(r).some(([key, v]) => stems(key).join(" ") === wanted && Array.isArray(v) && v.length === 0),
  );
}

/** A question is a sentence; what is longer is not read to its end, since reading it takes time by its square. */
const MOST = 2_000;

/** The answer to a question for one value: the leaf of the results that its words name best. */
export function findValue(asking: string, results: readonly Json[]): { text: string; empty: boolean } | undefined {
  const question = asking.slice(0, MOST);
  const target = /(?:\bthe |\bneed |^)([\p{L}\d ]{3,60}?) of /iu.exec(
    question.replace(/^.*?\b(?:the)\b (?=[\p{L}\d ]+ of )/iu, "the "),
  )?.[1];
  const asked = contentWords(
    (target ?? question).replace(/[\w.+-]+@[\w.-]+|#?\b[\w-]*\d[\w-]*\b/g, (m) => (/^[a-z]+\d$/i.test(m) ? m : " ")),
  );
  if (asksForNone(question, results)) return { text: "", empty: true };
  let best: { score: number; leaf: Leaf } | undefined;
  results.forEach((result, i) => {
    for (const leaf of leaves(result)) {
      const score = overlap(asked, leaf) + i * 0.01 - (leaf.generic.includes("[*]") ? 0.6 : 0);
      if (score > (best?.score ?? 1.2)) best = { score, leaf };
    }
  });
  if (!best) {
    const bare = results.at(-1);
    return isObject(bare ?? null) &&
      Object.entries(bare as Record<string, Json>).some(
        ([k, v]) => stems(k).some((w) => asked.includes(w)) && (v === null || (Array.isArray(v) && v.length === 0)),
      )
      ? { text: "", empty: true }
      : undefined;
  }
  const { leaf } = best;
  if (leaf.value === null || leaf.value === "") return { text: "", empty: true };
  return { text: `The ${humanize(leaf.name)} is ${String(leaf.value)}.`, empty: false };
}

interface Listed {
  readonly elements: readonly Record<string, Json>[];
  readonly title: string;
}

function lists(results: readonly Json[]): Listed[] {
  const found: Listed[] = [];
  for (const result of results) {
    const generics = new Set(
      leaves(result).flatMap((l) =>
        l.generic.includes("[*]") ? [l.generic.slice(0, l.generic.indexOf("[*]") + 3)] : [],
      ),
    );
    for (const generic of generics) {
      const elements = readPath(result, generic).filter(isObject);
      const [first] = elements;
      if (!first) continue;
      const texts = Object.keys(first).filter((f) => elements.every((e) => typeof e[f] === "string"));
      const distinct = texts.filter((f) => new Set(elements.map((e) => e[f])).size === elements.length);
      const title =
        distinct.find((f) => /name|title/i.test(f)) ??
        distinct.find((f) => /number|code|id$/i.test(f)) ??
        distinct[0] ??
        texts[0];
      if (title !== undefined) found.push({ elements, title });
    }
  }
  return found;
}

/** The answer to a question over a list: those above or below a figure, the highest or lowest, a sum. */
export function findInList(question: string, results: readonly Json[]): string | undefined {
  const folded = fold(question);
  const asked = contentWords(question);
  const field = (list: Listed): string | undefined => {
    const numeric = Object.keys(list.elements[0] ?? {}).filter((f) =>
      list.elements.every((e) => typeof e[f] === "number"),
    );
    return (
      numeric.find((f) => stems(f).every((w) => asked.includes(w))) ??
      numeric.find((f) => stems(f).some((w) => asked.includes(w)))
    );
  };
  const over = /\b(?:above|over|more than|greater than|at least|exceeding)\b(.*)/.exec(folded);
  const under = /\b(?:below|under|less than|cheaper than|at most)\b(.*)/.exec(folded);
  const top = /\b(highest|most expensive|largest|biggest|lowest|cheapest|smallest)\b/.exec(folded)?.[1];
  const sum = /\b(?:add up|in total|altogether|sum|come to|total [\w ]+ of all)\b/.test(folded);
  if (!over && !under && !top && !sum) return undefined;
  for (const list of lists(results)) {
    const by = field(list);
    if (by === undefined) continue;
    const value = (e: Record<string, Json>) => e[by] as number;
    if (sum) return `Together they come to ${Math.round(list.elements.reduce((s, e) => s + value(e), 0) * 100) / 100}.`;
    if (top !== undefined) {
      const low = /lowest|cheapest|smallest/.test(top);
      const best = [...list.elements].sort((a, b) => (low ? value(a) - value(b) : value(b) - value(a)))[0];
      if (best) return `That is ${String(best[list.title])}.`;
    }
    const bound = numbersInText((over ?? under)?.[1] ?? "")[0]?.value;
    if (bound === undefined) continue;
    const fits = list.elements.filter((e) => (over ? value(e) > bound : value(e) < bound));
    return fits.length > 0 ? `These: ${fits.map((e) => String(e[list.title])).join(", ")}.` : "There are none.";
  }
  return undefined;
}

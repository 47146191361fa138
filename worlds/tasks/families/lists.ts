import { isObject, type Json, type Scalar } from "../../json.ts";
import { findFact, Reading as Text } from "../checks/facts.ts";
import { humanize, plural, singular } from "../checks/words.ts";
import { type Draft, excludeOthers, leaks, nameRow, ref, says } from "../draft.ts";
import { factOf, inWords, kindOf } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Check, Fact } from "../schema.ts";
import { isAlike, mustRead } from "../seen.ts";
import { figure, readPath, selector } from "../select.ts";
import { argumentLabel, mine, type Voice, wonder } from "../words/phrases.ts";

/** A list of objects within an answer, with the field that names its elements and those that they can be told by. */
interface NamedList {
  readonly generic: string;
  readonly elements: readonly Json[];
  /** The field, or `@key`, that names each element, unique within the list. */
  readonly title: string;
  readonly titles: readonly Scalar[];
  readonly numbers: readonly string[];
  readonly noun: string;
}

/** The lists of an answer that have at least two named elements. */
export function namedLists(answer: Json): NamedList[] {
  const generics = new Set(
    leaves(answer).flatMap((l) =>
      l.generic.split("[*]").length === 2 ? [l.generic.slice(0, l.generic.indexOf("[*]") + 3)] : [],
    ),
  );
  const found: NamedList[] = [];
  for (const generic of generics) {
    const elements = readPath(answer, generic);
    if (elements.length < 2 || elements.length > 30 || !elements.every(isObject)) continue;
    const [first] = elements;
    const fields = Object.keys(first as object);
    const column = (field: string) => elements.map((e) => (isObject(e) ? e[field] : undefined));
    const scalar = fields.filter((f) => column(f).every((v) => typeof v === "string" && v !== ""));
    const distinct = scalar.filter(
      (f) => new Set(column(f).map((v) => String(v).toLowerCase())).size === elements.length,
    );
    const rank = (f: string) =>
      /name|title/i.test(f)
        ? 0
        : /(?:number|code|id)$/i.test(f)
          ? 1
          : kindOf(String(column(f)[0]), f) === "text"
            ? 2
            : 3;
    const title = distinct.sort((a, b) => rank(a) - rank(b))[0];
    const last = generic.slice(0, -3).split(".").at(-1) ?? "";
    const noun = last === "" ? "entry" : singular(humanize(last));
    // Who tells of two that are called alike says what they are called, and no code.
    const called = scalar.some((f) => /^(?:name|title)$/i.test(f) || humanize(f) === `${noun} name`);
    if (title === undefined || (called && rank(title) > 0)) continue;
    const numbers = fields.filter((f) => column(f).every((v) => typeof v === "number") && new Set(column(f)).size > 1);
    found.push({
      generic,
      elements,
      title,
      titles: column(title) as Scalar[],
      numbers,
      noun,
    });
  }
  return found;
}

function listReads(kit: Kit, rng: Random): RowRead[][] {
  return kit.bindings
    .filter((b) => b.gives === "row" || b.gives === "list")
    .map((b) =>
      rng
        .fork(`${b.tool}${b.table}`)
        .shuffled(kit.reads(b))
        .filter((r) => namedLists(r.answer).length > 0),
    )
    .filter((list) => list.length > 0);
}

function nouns(list: NamedList, rowRead: RowRead): string {
  return plural(list.noun === "entry" && rowRead.binding.gives === "list" ? resultNoun(rowRead) : list.noun);
}

function withArticle(words: string): string {
  return `${/^(?!uni|use|eu)[aeiou]/i.test(words) ? "an" : "a"} ${words}`;
}

/** "cost more than $40", "have a quantity below 3". */
function whichAre(field: string, above: boolean, bound: string): string {
  const named = argumentLabel(field);
  return /^(?:unit )?(?:price|cost)$/.test(named)
    ? `cost ${above ? "more" : "less"} than ${bound}${named.startsWith("unit") ? " each" : ""}`
    : `have ${withArticle(named)} ${above ? "above" : "below"} ${bound}`;
}

/** Lists of ways to pay: nobody asks which of them has the highest amount, or for what they come to. */
const PAYING = /\b(?:payment|card|transaction)\b/;

function resultNoun(rowRead: RowRead): string {
  const words = humanize(rowRead.binding.tool)
    .split(" ")
    .filter((w) => !/^(?:get|list|search|find|all|by|for|fetch|query|lookup|show)$/.test(w));
  return singular(words.at(-1) ?? "result");
}

function place(rowRead: RowRead, who: string): string {
  return rowRead.binding.gives === "list" ? `for ${who}` : `on ${who}`;
}

/** Whether a total is for one of several in another list of the row and was charged for all: either could be meant. */
export function isForEach(
  { answer, leaves: own }: Pick<RowRead, "answer" | "leaves">,
  summed: string,
  total: number,
): boolean {
  const lists = isObject(answer) ? Object.entries(answer).filter(([name]) => `${name}[*]` !== summed) : [];
  return lists.some(([, many]) => {
    const charged = Array.isArray(many) && many.length > 1 ? Math.round(total * many.length * 1e5) / 1e5 : undefined;
    return charged !== undefined && own.some(({ value }) => value === charged);
  });
}

/** Whether a reading holds all of these values. */
function holding(values: readonly Scalar[]): (other: RowRead) => boolean {
  return (other) => values.every((value) => other.leaves.some((leaf) => leaf.value === value));
}

/** Which elements of a list lie above or below a figure. */
export function* filter(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const sources = listReads(kit, rng);
  for (let round = 0; round < 40; round += 1) {
    for (const readings of sources) {
      const rowRead = readings[round % readings.length] as RowRead;
      const list = rng.pick(namedLists(rowRead.answer));
      const [field] = rng.shuffled(list.numbers);
      if (field === undefined || PAYING.test(list.noun)) continue;
      const values = [...new Set(list.elements.map((e) => (e as Record<string, number>)[field] as number))].sort(
        (a, b) => a - b,
      );
      const cut = 1 + rng.below(values.length - 1);
      const [low, high] = [values[cut - 1] as number, values[cut] as number];
      const middle = (low + high) / 2;
      const step = high - low >= 20 ? 10 : high - low >= 2 ? 1 : 0.01;
      const rounded = Math.round(middle / step) * step;
      const above = rng.next() < 0.5;
      // Between two neighbouring counts lies no count: "more than 2" is 3 and up.
      const edge = values.every(Number.isInteger) && high - low < 2 ? (above ? low : high) : undefined;
      const bound = edge ?? Math.round((rounded > low && rounded < high ? rounded : middle) * 100) / 100;
      if (edge === undefined && (bound <= low || bound >= high)) continue;
      // Who means a single one says "only one".
      if (edge !== undefined && !above && bound <= 2) continue;
      // Nobody asks for what costs more than $53.30.
      if (kindOf(bound, field) === "money" && !Number.isInteger(bound)) continue;
      const right = list.titles.filter((_, i) =>
        above
          ? ((list.elements[i] as Record<string, number>)[field] as number) > bound
          : ((list.elements[i] as Record<string, number>)[field] as number) < bound,
      );
      const wrong = list.titles.filter((t) => !right.includes(t));
      if (right.length === 0 || wrong.length === 0 || right.some((t) => leaks(kit, t))) continue;
      const named = nameRow(kit, rowRead, rng);
      const voice = voices();
      const question = `which ${nouns(list, rowRead)} ${place(rowRead, mine(voice, rowRead.anchor.table, named.who))} ${whichAre(field, above, inWords(bound, field))}`;
      const request = wonder(voice, question, rng);
      const facts = right.map((t) => factOf(t, list.title));
      const excluded = wrong
        .map((t) => factOf(t, list.title))
        .filter((f) => !facts.some((r) => says(String(r.value), f)));
      if (
        excluded.length < wrong.length ||
        facts.some((f) => says(request, f) || excluded.some((x) => says(String(x.value), f)))
      )
        continue;
      const n = named.calls.length + 1;
      const path = `${list.generic.slice(0, -3)}${selector(field, bound, above ? ">" : "<")}.${list.title}`;
      const beside = excludeOthers(
        kit,
        rowRead.binding,
        { generic: `${list.generic}.${list.title}`, name: list.title },
        list.titles,
        facts,
        request,
      );
      const checks: Check[] = [
        { kind: "answer_includes", facts },
        ...(isAlike(kit, rowRead, holding(right)) ? [mustRead(kit, rowRead, facts)] : []),
        { kind: "answer_excludes", facts: excluded },
      ];
      if (beside) checks.push(beside);
      checks.push({ kind: "answer_class", class: "answered" }, { kind: "no_state_change" });
      yield {
        family: "filter",
        operation: rowRead.binding.tool,
        object: rowRead.anchor.table,
        condition: "present",
        difficulty: "medium",
        useCase: `filter ${nouns(list, rowRead)} by ${argumentLabel(field)}`,
        voice,
        request,
        script: {
          calls: [...named.calls, { tool: rowRead.binding.tool, args: named.args }],
          answer: `These: {${ref(n, path)}}.`,
          class: "answered",
        },
        checks,
      };
    }
  }
}

/** A total over a list, or the element at its top or bottom. */
export function* aggregate(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const sources = listReads(kit, rng);
  for (let round = 0; round < 40; round += 1) {
    for (const readings of sources) {
      const rowRead = readings[(round * 5 + 1) % readings.length] as RowRead;
      const list = rng.pick(namedLists(rowRead.answer));
      const [field] = rng.shuffled(list.numbers);
      if (field === undefined || PAYING.test(list.noun)) continue;
      const values = list.elements.map((e) => (e as Record<string, number>)[field] as number);
      const named = nameRow(kit, rowRead, rng);
      const voice = voices();
      const n = named.calls.length + 1;
      const generic = `${list.generic}.${field}`;
      const own = rowRead.leaves.map((l) => l.value);
      const money = kindOf(values[0] as number, field) === "money";
      let question: string;
      let answer: string;
      let facts: Fact[];
      let excluded: Check[];
      let alike: (other: RowRead) => boolean;
      // Of prices apiece nobody asks for a sum.
      const counted = list.numbers.some((f) => /quantity|units|count|pieces/i.test(f));
      const mode = money && !counted && round % 2 === 0 ? "sum" : rng.pick(["max", "min"] as const);
      if (mode === "sum") {
        const total = Math.round(values.reduce((a, b) => a + b, 0) * 1e5) / 1e5;
        if (own.includes(total) || isForEach(rowRead, list.generic, total)) continue;
        alike = ({ answer }) => figure("sum", readPath(answer, generic)) === total;
        facts = [{ ...factOf(total, field), kind: "money" }];
        question = `what is the total ${argumentLabel(field).replace(/^total /, "")} of all ${nouns(list, rowRead)} ${place(rowRead, mine(voice, rowRead.anchor.table, named.who))}`;
        answer = `Together they come to {sum ${ref(n, generic)}}.`;
        const check = excludeOthers(kit, rowRead.binding, { generic, name: field, of: "sum" }, own, facts, question);
        if (!check) continue;
        excluded = [check];
      } else {
        const best = mode === "max" ? Math.max(...values) : Math.min(...values);
        const at = values.indexOf(best);
        if (values.filter((v) => v === best).length > 1) continue;
        const title = list.titles[at] as Scalar;
        alike = holding([title]);
        facts = [factOf(title, list.title)];
        const wrong = list.titles.filter((t) => t !== title).map((t) => factOf(t, list.title));
        if (
          leaks(kit, title) ||
          wrong.some((f) => says(String(title), f) || findFact(facts[0] as Fact, new Text(String(f.value))).said > 0)
        )
          continue;
        question = `which ${singular(nouns(list, rowRead))} ${place(rowRead, mine(voice, rowRead.anchor.table, named.who))} has the ${mode === "max" ? "highest" : "lowest"} ${argumentLabel(field)}`;
        answer = `That is {${ref(n, `${list.generic.slice(0, -3)}${selector(field, best)}.${list.title}`)}}.`;
        excluded = [{ kind: "answer_excludes", facts: wrong }];
        const beside = excludeOthers(
          kit,
          rowRead.binding,
          { generic: `${list.generic}.${list.title}`, name: list.title },
          list.titles,
          facts,
          question,
        );
        if (beside) excluded.push(beside);
      }
      const request = wonder(voice, question, rng);
      if (facts.some((f) => says(request, f))) continue;
      yield {
        family: "aggregate",
        operation: rowRead.binding.tool,
        object: rowRead.anchor.table,
        condition: "present",
        difficulty: "medium",
        useCase: `${mode} of ${argumentLabel(field)} over ${nouns(list, rowRead)}`,
        voice,
        request,
        script: {
          calls: [...named.calls, { tool: rowRead.binding.tool, args: named.args }],
          answer,
          class: "answered",
        },
        checks: [
          { kind: "answer_includes", facts },
          ...(isAlike(kit, rowRead, alike) ? [mustRead(kit, rowRead, mode === "sum" ? [] : facts)] : []),
          ...excluded,
          { kind: "answer_class", class: "answered" },
          { kind: "no_state_change" },
        ],
      };
    }
  }
}

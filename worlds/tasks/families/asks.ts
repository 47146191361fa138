import { isObject, type Json, type Scalar } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { moved } from "../acts/proof.ts";
import { recordedIn } from "../acts/recorded.ts";
import {
  type AskableValue,
  askableValuesIn,
  isReading,
  type RecordedRead,
  shownBy,
  stableReads,
} from "../acts/recorded-reads.ts";
import { aboutOf } from "../acts/words.ts";
import { plural, stems } from "../checks/words.ts";
import { type Draft, ref, says } from "../draft.ts";
import { factOf } from "../kinds.ts";
import type { Kit, KitOf } from "../kit.ts";
import { label } from "../leaves.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { Check } from "../schema.ts";
import { refOf } from "../script.ts";
import { playScript } from "../trial.ts";
import { joinQuestions } from "../words/one-sentence.ts";
import { argumentLabel, ask, isClear, type Voice, wonder } from "../words/phrases.ts";
import { beginnings } from "./beginnings.ts";
import {
  conversion,
  MOST_OTHERS,
  mustRead,
  neighboursOfLists,
  otherValues,
  siblingValues,
  whatOf,
} from "./questions.ts";

/** Fields that two readings would be asked for in the same words and that hold different values: nobody can tell which is meant. */
function unclear(kit: Kit, readings: readonly RecordedRead[]): Set<string> {
  const values = new Map<string, Scalar>();
  const twofold = new Set<string>();
  for (const reading of readings)
    for (const { leaf } of askableValuesIn(kit, reading.tool, reading.answer)) {
      const what = whatOf(kit, reading, leaf.path);
      if (what === undefined) continue;
      if (values.has(what) && values.get(what) !== leaf.value) twofold.add(what);
      values.set(what, leaf.value);
    }
  return twofold;
}

/**
 * Readings of sessions, asked where each began: what a session read there is known, whatever is known elsewhere. On the
 * drawn world where evidence shows no other beginning.
 */
export function* asksWhereBegun(
  kits: KitOf,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  // What was read elsewhere is wrong here: of all sessions, before the first world is made.
  const calls = recordedIn(traces).sessions.flat();
  const { kit: drawn } = kits("");
  const reads = isReading(drawn);
  const shown = shownBy(
    drawn,
    calls.flatMap(({ tool, ok, value }) => (ok && reads(tool) ? [{ tool, answer: value }] : [])),
  );
  for (const { kit, start, sessions } of beginnings(kits, traces, rng))
    if (start === undefined) for (const draft of asks(kit, sessions, voices, rng)) yield { draft, kit };
    else for (const draft of asks(kit, sessions, voices, rng, shown)) yield { draft: { ...draft, start }, kit };
}

/**
 * Readings that sessions made, asked for in words: one value of the answer or all of a list, for any world that has
 * sessions. `shown` gathers what readings show over several such worlds.
 */
export function* asks(
  kit: Kit,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
  shown: Map<string, Scalar[]> = new Map(),
): Generator<Draft> {
  const recorded = recordedIn(traces);
  const reads = stableReads(kit, recorded);
  for (const [name, values] of shownBy(kit, reads))
    shown.set(name, [...new Set([...(shown.get(name) ?? []), ...values])]);
  const twofold = unclear(kit, reads);
  const kinds = new Map<string, Generator<Draft>[]>();
  const put = (name: string, share: number, drafts: Generator<Draft>): void => {
    const key = `${String(1e6 - share).padStart(7, "0")} ${name}`;
    kinds.set(key, [...(kinds.get(key) ?? []), drafts]);
  };
  // Of rows that only one beginning is sure to have, no questions are made by rows.
  const bindings = kit.base.recorded?.task === undefined ? kit.bindings : [];
  const rows = new Set(
    bindings.flatMap((binding) => (binding.gives === "row" && kit.reads(binding, 2).length > 1 ? [binding.tool] : [])),
  );
  for (const reading of reads) {
    // What rows tell, questions are made of by rows.
    if (rows.has(reading.tool)) continue;
    const share = recorded.share.get(reading.tool) ?? 0;
    for (const askableValue of askableValuesIn(kit, reading.tool, reading.answer))
      put(
        `${reading.calls.length} ${reading.tool} ${askableValue.leaf.generic}`,
        share,
        one(kit, { reading, reads, asked: askableValue }, shown, twofold, voices, rng),
      );
    put(`${reading.tool} list`, share, lists(kit, [reading], reads, voices, rng));
  }
  for (const [i, reading] of reads.entries()) {
    const next = reads[i + 1];
    if (next === undefined || next.tool === reading.tool || rows.has(reading.tool) || rows.has(next.tool)) continue;
    put(`${reading.tool} ${next.tool}`, 1, two(kit, [reading, next], reads, shown, twofold, voices, rng));
  }
  yield* inTurn([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, drafts]) => drafts));
}

/** Two lists that a session read, asked for in one breath, each two once. */
export function* asksForTwoLists(
  kits: KitOf,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  for (const { kit, start, sessions } of beginnings(kits, traces, rng)) {
    const reads = stableReads(kit, recordedIn(sessions));
    for (const [i, reading] of reads.entries())
      for (const next of reads.slice(i + 1, i + 1 + NEAR)) {
        // Whichever of the two is asked for first, it is one question.
        const pair = [reading, next].sort((a, b) => (JSON.stringify(a.calls) < JSON.stringify(b.calls) ? -1 : 1));
        for (const draft of lists(kit, pair, reads, voices, rng))
          yield { draft: start === undefined ? draft : { ...draft, start }, kit };
      }
  }
}

/** Of two lists asked for in one breath the second is among so many readings after the first. */
const NEAR = 3;

/** One draft of each kind, then the next of each. */
function* inTurn(kinds: readonly Generator<Draft>[][]): Generator<Draft> {
  const longest = Math.max(0, ...kinds.map((drafts) => drafts.length));
  for (let i = 0; i < longest; i += 1) for (const drafts of kinds) yield* drafts[i] ?? [];
}

interface Question {
  readonly reading: RecordedRead;
  readonly reads: readonly RecordedRead[];
  readonly asked: AskableValue;
}

function* one(
  kit: Kit,
  { reading, reads, asked }: Question,
  shown: ReadonlyMap<string, readonly Scalar[]>,
  twofold: ReadonlySet<string>,
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const { leaf, inText } = asked;
  const what = whatOf(kit, reading, leaf.path);
  const fact = factOf(leaf.value, leaf.name);
  if (what === undefined || twofold.has(what) || says(what, fact))
    return lost(kit, "questions", `${reading.tool}: no words ask for ${leaf.generic} alone`);
  const voice = voices();
  if (!isClear(voice, what)) return lost(kit, "questions", `${what} is not clear`);
  const converted = conversion(reading, leaf);
  const request = converted === undefined ? ask(voice, what, rng) : wonder(voice, converted, rng);
  const others = otherValues(kit, reading.tool, asked, reading.answer, shown, request);
  const checks: Check[] = [
    { kind: "answer_includes", facts: [fact] },
    // What stands in a text is said in words of the script's own, whatever was read.
    ...mustRead(kit, reading, reads, [fact], inText),
    ...(others.length > 0 ? [{ kind: "answer_excludes" as const, facts: others }] : []),
    { kind: "answer_class", class: "answered" },
    { kind: "no_state_change" },
  ];
  const said = inText ? String(leaf.value) : `{${ref(reading.calls.length, leaf.path)}}`;
  yield {
    family: "lookup",
    operation: reading.tool,
    object: label(leaf.generic),
    condition: "present",
    difficulty: reading.calls.length > 1 ? "medium" : "easy",
    useCase: `look up ${label(leaf.generic)}`,
    words: "templated",
    voice,
    request,
    script: { calls: reading.calls, answer: `The ${label(leaf.path)} is ${said}.`, class: "answered" },
    checks,
  };
}

/** What of a reading is asked for, in which words. */
interface NamedReading {
  readonly reading: Pick<RecordedRead, "calls">;
  readonly what: string;
  readonly value: Scalar;
}

/**
 * Whether two readings name one thing; where neither names any, whether both are measures or their words share one:
 * nobody asks for a distance and a temperature of two places, or for a shop and the speed, in one breath.
 */
export function areOfOneMatter(one: NamedReading, other: NamedReading): boolean {
  const namedIn = ({ calls }: Pick<RecordedRead, "calls">) =>
    calls.flatMap(({ args }) => Object.values(args)).filter((value) => !isObject(value) && refOf(value) === undefined);
  const [mine, theirs] = [namedIn(one.reading), namedIn(other.reading)];
  if (mine.length + theirs.length > 0) return theirs.some((value) => mine.includes(value));
  const words = stems(other.what);
  const shared = stems(one.what).some((word) => word.length > 3 && words.includes(word));
  return shared || typeof one.value === typeof other.value;
}

/** Two things that a session read one after the other, asked for in one breath. */
function* two(
  kit: Kit,
  pair: readonly [RecordedRead, RecordedRead],
  reads: readonly RecordedRead[],
  shown: ReadonlyMap<string, readonly Scalar[]>,
  twofold: ReadonlySet<string>,
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const voice = voices();
  const parts = pair.map((reading) => {
    const all = askableValuesIn(kit, reading.tool, reading.answer).flatMap((asked) => {
      const what = whatOf(kit, reading, asked.leaf.path);
      const clear = what !== undefined && !twofold.has(what) && isClear(voice, what);
      return clear && !asked.inText && conversion(reading, asked.leaf) === undefined
        ? [{ reading, asked, what, value: asked.leaf.value }]
        : [];
    });
    return all.length === 0 ? undefined : rng.pick(all);
  });
  const [one, other] = parts;
  if (one === undefined || other === undefined || !areOfOneMatter(one, other)) return;
  const request = ask(voice, `${one.what} and the ${other.what}`, rng);
  const [first, second] = [one, other].map(({ asked: { leaf } }) => factOf(leaf.value, leaf.name));
  if (!first || !second || says(request, first) || says(request, second) || says(String(first.value), second)) return;
  const offset = one.reading.calls.length;
  const calls = [...one.reading.calls, ...other.reading.calls.map((call) => moved(call, (n) => n + offset))];
  const others = [one, other].flatMap(({ reading, asked }) =>
    otherValues(kit, reading.tool, asked, reading.answer, shown, request),
  );
  // What is read on the way may be told beside what is asked.
  const read = JSON.stringify(playScript(kit.fork(), { calls, answer: "", class: "answered" }).calls);
  const wrong = others.filter(
    (fact) => !says(read, fact) && [first, second].every((right) => !says(String(right.value), fact)),
  );
  const place = ({ reading, asked }: typeof one, before: number) =>
    `{${ref(before + reading.calls.length, asked.leaf.path)}}`;
  const [said, told] = [place(one, 0), place(other, offset)];
  yield {
    family: "lookup",
    operation: other.reading.tool,
    object: label(other.asked.leaf.generic),
    condition: "present",
    difficulty: "medium",
    useCase: `look up ${label(one.asked.leaf.generic)} and ${label(other.asked.leaf.generic)}`,
    words: "templated",
    voice,
    request,
    script: {
      calls,
      answer: `The ${label(one.asked.leaf.path)} is ${said} and the ${label(other.asked.leaf.path)} is ${told}.`,
      class: "answered",
    },
    checks: [
      { kind: "answer_includes", facts: [first, second] },
      ...mustRead(kit, one.reading, reads, [first]),
      ...mustRead(kit, other.reading, reads, [second]),
      ...(wrong.length > 0 ? [{ kind: "answer_excludes" as const, facts: wrong }] : []),
      { kind: "answer_class", class: "answered" },
      { kind: "no_state_change" },
    ],
  };
}

const LONGEST_LIST = 8;

/** The elements of an answer that is nothing but a short list of words, or holds nothing else. */
function elementsOf(answer: Json): string[] | undefined {
  const members = isObject(answer) ? Object.values(answer) : [];
  if (members.length === 1 && Array.isArray(members[0])) return elementsOf(members[0]);
  const all =
    typeof answer === "string"
      ? /^[^\n]{1,400}$/.test(answer) && /,/.test(answer)
        ? answer.split(/,\s*/)
        : undefined
      : Array.isArray(answer)
        ? answer
        : undefined;
  if (!all || all.length < 2 || all.length > LONGEST_LIST || new Set(all).size < all.length) return undefined;
  return all.every(
    (item): item is string => typeof item === "string" && /^[^\s,;:!?{}()]{3,40}$/.test(item) && !item.endsWith("."),
  )
    ? (all as string[])
    : undefined;
}

/** What a reading of a list gives, by its tool's name without the verb. */
function listed(tool: string): string | undefined {
  const [, ...words] = argumentLabel(tool.split(/[./:]/).at(-1) ?? tool).split(" ");
  const last = words.at(-1);
  return last === undefined || !/s$/.test(last) ? undefined : [...words.slice(0, -1), plural(last)].join(" ");
}

/** A list that a question asks for. */
interface ListQuestion {
  readonly reading: RecordedRead;
  readonly noun: string;
  readonly elements: readonly string[];
  readonly question: string;
}

function listQuestion(kit: Kit, reading: RecordedRead): ListQuestion | undefined {
  const elements = elementsOf(reading.answer);
  const [member] = isObject(reading.answer) ? Object.keys(reading.answer) : [];
  const noun = member === undefined ? listed(reading.tool) : plural(label(member).replace(/ list$/, ""));
  const about = aboutOf(kit, reading.calls, reading.calls.length - 1);
  if (!elements || noun === undefined || about === undefined) return undefined;
  const place = about === "" ? "" : ` for ${about}`;
  // A compound ("playlist", "shortlist") is what holds the elements, and no name of one.
  const holder = member !== undefined && /[a-z]list$/.test(label(member)) ? label(member) : undefined;
  const question = holder === undefined ? `which ${noun} are there` : `what is on the ${holder}`;
  return { reading, noun, elements, question: `${question}${place}` };
}

/** The lists of one reading, or of two that were made one after the other, asked for in one breath. */
function* lists(
  kit: Kit,
  asked: readonly RecordedRead[],
  readings: readonly RecordedRead[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const parts = asked.flatMap((reading) => listQuestion(kit, reading) ?? []);
  const [first, second] = parts;
  if (first === undefined || parts.length < asked.length || first.question === second?.question) return;
  const said = parts.map(({ elements, noun }) => elements.map((value) => factOf(value, noun)));
  const facts = [...new Map(said.flat().map((fact) => [String(fact.value), fact])).values()];
  const voice = voices();
  const request = wonder(voice, joinQuestions(parts.map(({ question }) => question)), rng);
  if (facts.some((fact) => says(request, fact))) return;
  const { noun } = parts.at(-1) ?? first;
  const others = [
    ...new Set(readings.flatMap((other) => (asked.includes(other) ? [] : (elementsOf(other.answer) ?? [])))),
  ].filter(
    (value) =>
      facts.every((fact) => !says(String(fact.value), factOf(value, noun))) && !says(request, factOf(value, noun)),
  );
  const excluded = [
    ...others.slice(0, MOST_OTHERS).map((value) => factOf(value, noun)),
    ...neighboursOfLists(kit, asked, facts, others, request),
  ];
  // Who says all that stands in the list's only row would be right, where nothing of it is excluded.
  if (
    excluded.length === 0 &&
    siblingValues(
      kit,
      facts.map(({ value }) => value),
    ).flat().length > 0
  )
    return lost(kit, "questions", `${first.reading.tool}: nothing tells its list from what stands beside it`);
  const offset = asked[0]?.calls.length ?? 0;
  const calls = asked.flatMap((reading, i) => reading.calls.map((call) => moved(call, (n) => n + i * offset)));
  yield {
    family: "lookup",
    operation: (asked.at(-1) as RecordedRead).tool,
    object: noun,
    condition: "present",
    difficulty: second === undefined ? "easy" : "medium",
    useCase: `list ${[...new Set(parts.map((part) => part.noun))].join(" and ")}`,
    words: "templated",
    voice,
    request,
    script: {
      calls,
      answer: parts.map(({ elements }) => `They are ${elements.join(", ")}.`).join(" "),
      class: "answered",
    },
    checks: [
      { kind: "answer_includes", facts },
      // What is in one of two lists is not told by the other.
      ...asked.flatMap((reading, i) => mustRead(kit, reading, readings, said[i] ?? [], second !== undefined)),
      ...(excluded.length > 0 ? [{ kind: "answer_excludes" as const, facts: excluded }] : []),
      { kind: "answer_class", class: "answered" },
      { kind: "no_state_change" },
    ],
  };
}

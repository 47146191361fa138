import { isObject, type Json, type JsonObject, type Scalar } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { recordedIn } from "../acts/recorded.ts";
import { type AskableValue, askableValuesIn, type RecordedRead, shownBy, stableReads } from "../acts/recorded-reads.ts";
import { ofThing } from "../acts/settings.ts";
import { aboutOf, isChoice } from "../acts/words.ts";
import { plural, singular } from "../checks/words.ts";
import { type Draft, ref, says } from "../draft.ts";
import { askable, factOf, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { label, leaves } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { CallPattern, Check, Fact } from "../schema.ts";
import { argumentLabel, ask, isClear, type Voice, wonder } from "../words/phrases.ts";

/** Values that an answer must not hold beside the right one: this many of those that other readings show. */
const MOST_OTHERS = 20;

/** What other readings show in the same field; where they show nothing else, in others; else what the state holds beside it. */
export function otherValues(
  kit: Kit,
  tool: string,
  askableValue: AskableValue,
  answer: Json,
  shown: ReadonlyMap<string, readonly Scalar[]>,
  request: string,
): Fact[] {
  const { leaf } = askableValue;
  const right = factOf(leaf.value, leaf.name);
  const own = askableValuesIn(kit, tool, answer)
    .map((one) => String(one.leaf.value))
    .join("\n");
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const wrong = (value: Scalar, name: string): boolean => {
    const fact = factOf(value, name);
    return (
      askable(value, name) &&
      !says(String(leaf.value), fact) &&
      !says(String(value), right) &&
      !says(own, fact) &&
      !says(text, fact) &&
      !says(request, fact)
    );
  };
  const same = (shown.get(`${tool}\n${leaf.generic}`) ?? []).filter((value) => wrong(value, leaf.name));
  if (same.length > 0)
    return same.slice(0, MOST_OTHERS).map((value) => ({ ...factOf(value, leaf.name), kind: right.kind }));
  const elsewhere = [...shown].flatMap(([name, values]) =>
    values.flatMap((value) => {
      const field =
        name
          .slice(name.indexOf("\n") + 1)
          .split(".")
          .at(-1) ?? "";
      // A small round figure is said by chance.
      const telling = typeof value !== "number" || Math.abs(value) >= 100 || !Number.isInteger(value);
      return telling && wrong(value, field) ? [factOf(value, field)] : [];
    }),
  );
  if (elsewhere.length > 0) return elsewhere.slice(0, MOST_OTHERS);
  return otherStateValues(kit, leaf.value)
    .filter((value) => wrong(value, leaf.name))
    .slice(0, MOST_OTHERS)
    .map((value) => factOf(value, leaf.name));
}

/** What the state holds in that field of another row, or in other fields of this value's row where a table has but one. */
function otherStateValues(kit: Kit, value: Scalar): Scalar[] {
  const found = new Set<Scalar>();
  const internal = new Set(kit.bundle.tables.flatMap((table) => (table.internal ? [table.name] : [])));
  for (const [table, rows] of Object.entries(kit.base.tables)) {
    if (internal.has(table)) continue;
    const read = Object.entries(rows)
      .slice(0, MOST_ROWS)
      .map(([key, row]) => leaves(row as JsonObject).filter((one) => one.value !== key));
    const fields = new Set(read.flat().flatMap((one) => (one.value === value ? [one.generic] : [])));
    const all = read.length === 1 && fields.size > 0;
    for (const one of read.flat())
      if (one.value !== null && (fields.has(one.generic) || (all && kindOf(one.value, one.name) === "text")))
        found.add(one.value);
  }
  found.delete(value);
  return [...found];
}
/** Rows of a table that are looked at for other values. */
const MOST_ROWS = 200;

/** What is asked for in words: the field, and what it is read of. */
function whatOf(kit: Kit, { calls }: RecordedRead, path: string): string | undefined {
  const own = label(path);
  // "fan speed" of the option "climate" is "climate fan speed".
  const chosen = Object.entries(calls.at(-1)?.args ?? {}).flatMap(([name, value]) =>
    isChoice(name, value) && label(value) !== own && !own.includes(label(value)) ? [label(value)] : [],
  );
  const said = [...chosen, own].join(" ");
  const about = aboutOf(kit, calls, calls.length - 1, said);
  if (about === undefined) return undefined;
  const field = about === "" && !said.includes(" ") ? `current ${said}` : ofThing(said, about);
  // "city of the address" is said already by "for city Rome".
  if (about === "") return field;
  // "the state of case 5002", and "the volume for symbol AAPL and day Monday".
  const link = about.startsWith("between ") ? "" : /^[a-z]+ \S*\d\S*$/.test(about) ? "of " : "for ";
  return `${field} ${link}${about}`;
}

/** A conversion of units as a person asks for it: "how many litres are 3 gallons"; undefined where a reading is none. */
function conversion({ calls, tool }: RecordedRead, leaf: AskableValue["leaf"]): string | undefined {
  const [[name, value] = ["", null], ...more] = Object.entries(calls.at(-1)?.args ?? {});
  if (typeof value !== "number" || more.length > 0 || calls.length > 1) return undefined;
  const [from, to] = [singular(argumentLabel(name)), singular(label(leaf.path))];
  const called = argumentLabel(tool.split(/[./:]/).at(-1) ?? tool)
    .split(" ")
    .map(singular)
    .join(" ");
  return called.includes(`${from} to ${to}`) ? `how many ${plural(to)} are ${value} ${plural(from)}` : undefined;
}

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

/** Readings that sessions made, asked for in words: one value of the answer or all of a list, for any world that has sessions. */
export function* asks(kit: Kit, traces: readonly ObservedTrace[], voices: () => Voice, rng: Random): Generator<Draft> {
  const recorded = recordedIn(traces);
  const reads = stableReads(kit, recorded);
  const shown = shownBy(kit, reads);
  const twofold = unclear(kit, reads);
  const kinds = new Map<string, Generator<Draft>[]>();
  const put = (name: string, share: number, drafts: Generator<Draft>): void => {
    const key = `${String(1e6 - share).padStart(7, "0")} ${name}`;
    kinds.set(key, [...(kinds.get(key) ?? []), drafts]);
  };
  const rows = new Set(
    kit.bindings.flatMap((binding) =>
      binding.gives === "row" && kit.reads(binding, 2).length > 1 ? [binding.tool] : [],
    ),
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
    put(`${reading.tool} list`, share, list(kit, reading, reads, voices, rng));
  }
  yield* inTurn([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, drafts]) => drafts));
}

/**
 * The reading that must be made where another of the tool's shows the same: it is right by chance else. The arguments
 * may change places, and another reading of the same things does as well. None where nothing else shows it.
 */
function mustRead(
  kit: Kit,
  reading: RecordedRead,
  readings: readonly RecordedRead[],
  facts: readonly Fact[],
  always = false,
): Check[] {
  const { tool, args } = reading;
  const own = Object.values(args).filter((value): value is Scalar => typeof value !== "object");
  const shared =
    always ||
    readings.some(
      (other) => other.tool === tool && other !== reading && facts.every((fact) => holds(other.answer, fact)),
    ) ||
    shownElsewhere(kit, reading, readings, facts);
  if (!shared || own.length === 0 || own.length < Object.keys(args).length) return [];
  const others = readings.flatMap((other) =>
    other.tool !== tool &&
    facts.every((fact) => holds(other.answer, fact)) &&
    Object.values(other.args).some((value) => own.some((mine) => mine === value))
      ? [{ tool: other.tool, args: predicates(other.args) }]
      : [],
  );
  return [{ kind: "calls_required", calls: [{ tool, args: predicates(args) }, ...others.slice(0, 10)], any: true }];
}

/** How many other values of an argument are tried. */
const TRIED = 12;

/** Whether the tool shows the facts with another value of one of its arguments, as sessions gave it. */
function shownElsewhere(
  kit: Kit,
  { tool, args }: RecordedRead,
  readings: readonly RecordedRead[],
  facts: readonly Fact[],
): boolean {
  return Object.keys(args).some((name) => {
    const given = new Set(readings.flatMap((other) => other.args[name] ?? []));
    const others = [...given].filter((value) => value !== args[name]).slice(0, TRIED);
    return others.some((value) => {
      const answer = kit.fork().call(tool, { ...args, [name]: value });
      return answer.answerClass === "data" && facts.every((fact) => holds(answer.value, fact));
    });
  });
}

const holds = (answer: Json, fact: Fact): boolean =>
  says(typeof answer === "string" ? answer : JSON.stringify(answer), fact);

function predicates(args: RecordedRead["args"]): NonNullable<CallPattern["args"]> {
  const own = Object.values(args).filter((value) => typeof value !== "object");
  return Object.keys(args).map((path) => ({ path, op: "in" as const, value: own }));
}

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
  if (what === undefined || twofold.has(what) || says(what, fact)) return;
  const voice = voices();
  if (!isClear(voice, what)) return;
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

function* list(
  kit: Kit,
  reading: RecordedRead,
  readings: readonly RecordedRead[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const elements = elementsOf(reading.answer);
  const [member] = isObject(reading.answer) ? Object.keys(reading.answer) : [];
  const noun = member === undefined ? listed(reading.tool) : plural(label(member).replace(/ list$/, ""));
  const about = aboutOf(kit, reading.calls, reading.calls.length - 1);
  if (!elements || noun === undefined || about === undefined) return;
  const facts = elements.map((value) => factOf(value, noun));
  const voice = voices();
  const request = wonder(voice, `which ${noun} are there${about === "" ? "" : ` for ${about}`}`, rng);
  if (facts.some((fact) => says(request, fact))) return;
  const others = [
    ...new Set(readings.flatMap((other) => (other === reading ? [] : (elementsOf(other.answer) ?? [])))),
  ].filter(
    (value) =>
      facts.every((fact) => !says(String(fact.value), factOf(value, noun))) && !says(request, factOf(value, noun)),
  );
  yield {
    family: "lookup",
    operation: reading.tool,
    object: noun,
    condition: "present",
    difficulty: "easy",
    useCase: `list ${noun}`,
    words: "templated",
    voice,
    request,
    script: { calls: reading.calls, answer: `They are ${elements.join(", ")}.`, class: "answered" },
    checks: [
      { kind: "answer_includes", facts },
      ...mustRead(kit, reading, readings, facts),
      ...(others.length > 0
        ? [
            {
              kind: "answer_excludes" as const,
              facts: others.slice(0, MOST_OTHERS).map((value) => factOf(value, noun)),
            },
          ]
        : []),
      { kind: "answer_class", class: "answered" },
      { kind: "no_state_change" },
    ],
  };
}

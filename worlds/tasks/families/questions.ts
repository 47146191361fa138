import type { Json, JsonObject, Scalar } from "../../json.ts";
import { type AskableValue, askableValuesIn, type RecordedRead } from "../acts/recorded-reads.ts";
import { ofThing } from "../acts/settings.ts";
import { aboutOf, isChoice } from "../acts/words.ts";
import { plural, singular } from "../checks/words.ts";
import { says } from "../draft.ts";
import { askable, factOf, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { label, leaves } from "../leaves.ts";
import type { CallPattern, Check, Fact } from "../schema.ts";
import { argumentLabel } from "../words/phrases.ts";

/** Values that an answer must not hold beside the right one: this many of those that other readings show. */
export const MOST_OTHERS = 20;

/**
 * What other readings show in the same field, and what stands beside the value in the state's only row; where they show
 * nothing else, in others; else what the state holds in other rows.
 */
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
  const beside = siblingValues(kit, [leaf.value])
    .flat()
    .filter(({ value, name }) => isTelling(value) && wrong(value, name))
    .slice(0, MOST_BESIDE)
    .map(({ value, name }) => factOf(value, name));
  const same = (shown.get(`${tool}\n${leaf.generic}`) ?? []).filter((value) => wrong(value, leaf.name));
  if (same.length > 0)
    return [
      ...same.slice(0, MOST_OTHERS).map((value) => ({ ...factOf(value, leaf.name), kind: right.kind })),
      ...beside,
    ];
  const elsewhere = [...shown].flatMap(([name, values]) =>
    values.flatMap((value) => {
      const field =
        name
          .slice(name.indexOf("\n") + 1)
          .split(".")
          .at(-1) ?? "";
      return isTelling(value) && wrong(value, field) ? [factOf(value, field)] : [];
    }),
  );
  if (elsewhere.length > 0) return [...elsewhere.slice(0, MOST_OTHERS), ...beside];
  return otherStateValues(kit, leaf.value)
    .filter((value) => wrong(value, leaf.name))
    .slice(0, MOST_OTHERS)
    .map((value) => factOf(value, leaf.name));
}

/**
 * What stands beside lists in the only row of a table that holds an element, where nothing of it is excluded yet: who
 * says all of it would be right else. No code, since who tells an element's own tells no more than is so, and no single
 * word, which is said by chance.
 */
export function neighboursOfLists(
  kit: Kit,
  readings: readonly Pick<RecordedRead, "answer">[],
  elements: readonly Fact[],
  excluded: readonly string[],
  request: string,
): Fact[] {
  const told = [JSON.stringify(readings.map(({ answer }) => answer)), request].join("\n");
  const values = elements.map(({ value }) => value);
  const facts = siblingValues(kit, values).flatMap((beside) =>
    beside.some(({ value }) => excluded.includes(String(value)))
      ? []
      : beside
          .filter(({ value, name }) => isTelling(value) && askable(value, name) && kindOf(value, name) !== "id")
          .filter(({ value }) => !/^[\p{L}_]+$/u.test(String(value)))
          .map(({ value, name }) => factOf(value, name))
          .filter((fact) => !says(told, fact) && elements.every((element) => !says(String(fact.value), element)))
          .slice(0, MOST_BESIDE),
  );
  return [...new Map(facts.map((fact) => [fact.value, fact])).values()];
}

/** So many values that stand beside the right one: who says them all says everything. */
const MOST_BESIDE = 3;

/** A small round figure is said by chance. */
const isTelling = (value: Scalar) => typeof value !== "number" || Math.abs(value) >= 100 || !Number.isInteger(value);

/** By table the other values of its only row where that holds one of these: where all that a session has stands in one row. */
export function siblingValues(
  kit: Kit,
  values: readonly Scalar[],
): { readonly value: Scalar; readonly name: string }[][] {
  const internal = new Set(kit.bundle.tables.flatMap((table) => (table.internal ? [table.name] : [])));
  return Object.entries(kit.base.tables).flatMap(([table, rows]) => {
    const [[key, row] = ["", undefined], ...more] = internal.has(table) ? [] : Object.entries(rows);
    const own = more.length > 0 ? [] : leaves((row ?? {}) as JsonObject).filter((leaf) => leaf.value !== key);
    if (!own.some((leaf) => values.some((value) => value === leaf.value))) return [];
    return [
      own.flatMap(({ value, name }) =>
        value === null || values.some((mine) => mine === value) ? [] : [{ value, name }],
      ),
    ];
  });
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
export function whatOf(kit: Kit, { calls }: RecordedRead, path: string): string | undefined {
  const own = label(path);
  // "level" of the option "oil" is "oil level"; two words are clear as they are.
  const chosen = Object.entries(calls.at(-1)?.args ?? {}).flatMap(([name, value]) =>
    isChoice(name, value) && own.split(" ").length < 2 && !own.includes(label(value)) ? [label(value)] : [],
  );
  const said = [...chosen, own].join(" ");
  const about = aboutOf(kit, calls, calls.length - 1, said);
  if (about === undefined) return undefined;
  if (about === "") {
    const whole = ofWhich(calls.at(-1)?.tool ?? "", said);
    return whole ?? (said.includes(" ") ? said : `current ${said}`);
  }
  const field = ofThing(said, about);
  // "the state of case 5002", and "the volume for symbol AAPL and day Monday".
  const link = about.startsWith("between ") ? "" : /^[a-z]+ \S*\d\S*$/.test(about) ? "of " : "for ";
  return `${field} ${link}${about}`;
}

/** "shop location" that `find_nearest_tire_shop` tells is the "location of the nearest tire shop"; undefined where no more is told. */
function ofWhich(tool: string, said: string): string | undefined {
  const [, ...thing] = argumentLabel(tool.split(/[./:]/).at(-1) ?? tool).split(" ");
  const [owner, ...field] = said.split(" ");
  return thing.length > 1 && field.length > 0 && thing.at(-1) === owner
    ? `${field.join(" ")} of the ${thing.join(" ")}`
    : undefined;
}

/** A conversion of units as a person asks for it: "how many litres are 3 gallons"; undefined where a reading is none. */
export function conversion({ calls, tool }: RecordedRead, leaf: AskableValue["leaf"]): string | undefined {
  const [[name, value] = ["", null], ...more] = Object.entries(calls.at(-1)?.args ?? {});
  if (typeof value !== "number" || more.length > 0 || calls.length > 1) return undefined;
  const [from, to] = [singular(argumentLabel(name)), singular(label(leaf.path))];
  const called = argumentLabel(tool.split(/[./:]/).at(-1) ?? tool)
    .split(" ")
    .map(singular)
    .join(" ");
  return called.includes(`${from} to ${to}`) ? `how many ${plural(to)} are ${value} ${plural(from)}` : undefined;
}

/**
 * The reading that must be made where another of the tool's shows the same: it is right by chance else. The arguments
 * may change places, and another reading of the same things does as well. None where nothing else shows it.
 */
export function mustRead(
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

/** Whether the tool shows the facts with another value of one of its arguments, as sessions gave it or as another row's key. */
function shownElsewhere(
  kit: Kit,
  { tool, args }: RecordedRead,
  readings: readonly RecordedRead[],
  facts: readonly Fact[],
): boolean {
  return Object.keys(args).some((name) => {
    const rows = Object.values(kit.base.tables).filter((table) => Object.hasOwn(table, String(args[name])));
    const given = new Set([...readings.flatMap((other) => other.args[name] ?? []), ...rows.flatMap(Object.keys)]);
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

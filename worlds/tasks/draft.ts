import { digestOf } from "../digest.ts";
import type { Json, Scalar } from "../json.ts";
import type { Binding } from "./bindings.ts";
import { dayOf } from "./checks/dates.ts";
import { findFact, Reading as Text } from "./checks/facts.ts";
import { columnValues, type Others } from "./checks/others.ts";
import { isUnit } from "./checks/units.ts";
import { factOf, kindOf } from "./kinds.ts";
import type { Kit, RowRead } from "./kit.ts";
import type { Leaf } from "./leaves.ts";
import type { Random } from "./random.ts";
import type { Check, Fact, Family, Script, Task } from "./schema.ts";
import { type Figure, readAll } from "./select.ts";
import type { Anchor } from "./surface.ts";
import { knownWays } from "./words/identity.ts";
import { noun, sayArguments, sayValue, storedVoice, type Voice } from "./words/phrases.ts";
import { foundByTitle } from "./words/titles.ts";
import { isUserCode } from "./words/user-codes.ts";

/** What a family writes of a task; the rest follows. */
export interface Draft {
  readonly family: Family;
  readonly operation: string;
  readonly object: string;
  readonly condition: "present" | "absent" | "partial" | "contradictory";
  readonly difficulty: "easy" | "medium" | "hard";
  readonly useCase: string;
  /** Whose words the request is, where the voice does not tell: put together by rule from names and values, or a user's. */
  readonly words?: "templated" | "mined";
  readonly voice: Voice;
  readonly request: string;
  readonly turns?: readonly string[];
  readonly user?: Task["user"];
  readonly script: Script;
  readonly alternatives?: readonly Script[];
  readonly checks: readonly Check[];
  readonly start?: string | undefined;
  readonly dependsOn?: Task["rests_on"];
}

function demandsChange(check: Check): boolean {
  if (check.kind === "calls_required") return check.done === true;
  return check.kind === "state" && check.changes.some(({ required }) => required);
}

/** A whole task, its id from its own content. Who asks for a change is there to be asked whether to go on. */
export function finish(draft: Draft): Task {
  const voice = storedVoice(draft.voice);
  const words = draft.family === "mined" ? "mined" : (draft.voice.told?.words ?? draft.words ?? "templated");
  // An agent may have to have a change confirmed before it makes it.
  const user = draft.user ?? (draft.checks.some(demandsChange) ? { knows: [] } : undefined);
  const body = {
    family: draft.family,
    cell: {
      use_case: draft.useCase,
      operation: draft.operation,
      object: draft.object,
      data_condition: draft.condition,
      difficulty: draft.difficulty,
      persona: voice.persona,
      register: voice.register,
      words,
    },
    ...(draft.start === undefined ? {} : { start: draft.start }),
    ...(draft.dependsOn === undefined ? {} : { rests_on: draft.dependsOn }),
    voice,
    request: draft.request,
    turns: [...(draft.turns ?? [])],
    ...(user === undefined ? {} : { user }),
    script: draft.script,
    ...(draft.alternatives && draft.alternatives.length > 0 ? { alternatives: [...draft.alternatives] } : {}),
    checks: [...draft.checks],
    tier: "deterministic" as const,
  };
  return { id: `task_${digestOf(body).slice(0, 20)}`, ...body };
}

/** A task with something of it changed, under an id of its own. */
export function changed(task: Task, change: Partial<Omit<Task, "id">>): Task {
  const { id: _id, ...body } = { ...task, ...change };
  return { id: `task_${digestOf(body).slice(0, 20)}`, ...body };
}

/** How a request names a row: the words, the calls that find it first, and the arguments of the read that follows. */
export interface Named {
  readonly who: string;
  readonly calls: Script["calls"];
  readonly args: Record<string, unknown>;
  /** The row's key as an argument: a literal, or a reference to what the calls found. */
  readonly key: unknown;
}

function pathTo(answer: Json, key: string, own: readonly Leaf[]): string | undefined {
  if (answer === key) return "";
  return own.find((leaf) => leaf.value === key && !leaf.generic.includes("[*]"))?.path;
}

/** Names a row by the arguments that read it: by its key, else by what the arguments are called. */
export function nameDirectly(rowRead: RowRead): Named {
  const entries = Object.entries(rowRead.args);
  const table = noun(rowRead.anchor.table);
  const [only] = entries;
  const keyed = entries.length === 1 && only !== undefined;
  const other = sayArguments(rowRead.args);
  // A reading that tells of a measure has no name for what it tells of: "the second with visitor v1".
  const whole = isUnit(table.split(" ").at(-1) ?? "") ? other : `the ${table} with ${other}`;
  const who = keyed
    ? String(only[1]) === rowRead.anchor.key
      ? `${table} ${sayValue(only[1], only[0])}`
      : rowRead.binding.gives === "row"
        ? whole
        : other
    : whole;
  return { who, calls: [], args: rowRead.args, key: keyed ? only[1] : rowRead.anchor.key };
}

/** Whether people name a row by the code that a reading takes. */
function isKnownCode(kit: Kit, table: string, { binding }: RowRead, param: string): boolean {
  return isUserCode(kit, param) && knownWays(kit, table, [binding]).length > 0;
}

/** Names a row by other attributes where a read finds its key from them, in a share of the cases; else directly. */
export function nameRow(kit: Kit, rowRead: RowRead, rng: Random): Named {
  const { table } = rowRead.anchor;
  const ways = knownWays(
    kit,
    table,
    kit.bindings.filter((b) => b.table === table && b.gives === "key"),
  );
  const [source] = Object.entries(rowRead.args);
  if (Object.keys(rowRead.args).length !== 1 || !source || source[1] !== rowRead.anchor.key)
    return nameDirectly(rowRead);
  if (ways.length === 0 && !isUserCode(kit, source[0]))
    return nameBySearch(kit, rowRead.anchor, source[0]) ?? nameDirectly(rowRead);
  // A code that nobody says is found by what people do say, where a read finds it.
  if (ways.length === 0 || (rng.next() < 0.55 && isKnownCode(kit, table, rowRead, source[0])))
    return nameDirectly(rowRead);
  const way = rng.pick(ways);
  const found = kit.read(way, rowRead.anchor);
  const path = found && pathTo(found.answer, rowRead.anchor.key, found.leaves);
  if (!found || path === undefined) return nameDirectly(rowRead);
  const ref = path === "" ? "$1" : `$1.${path}`;
  return {
    who: `the ${noun(rowRead.anchor.table)} with ${sayArguments(found.args)}`,
    calls: [{ tool: way.tool, args: found.args }],
    args: { [source[0]]: ref },
    key: ref,
  };
}

/** Names a row of which nobody says the code by its title and its day, where a search finds it by these; undefined where none does. */
export function nameBySearch(kit: Kit, anchor: Anchor, param: string): Named | undefined {
  const found = isUserCode(kit, param) ? undefined : foundByTitle(kit, anchor);
  if (found === undefined) return undefined;
  const key = ref(1, found.path);
  return {
    who: `the ${noun(anchor.table)} ${found.words}`,
    calls: [{ tool: found.tool, args: found.args }],
    args: { [param]: key },
    key,
  };
}

/** A reference to a path of the n-th result. */
export function ref(n: number, path: string): string {
  return path === "" ? `$${n}` : /^[[~]/.test(path) ? `$${n}${path}` : `$${n}.${path}`;
}

/** Whether a text says a value, however it is written. */
export function says(text: string | Text, fact: Fact): boolean {
  const found = findFact(fact, typeof text === "string" ? new Text(text) : text);
  return found.said + found.denied > 0;
}

/** Whether a value is printed in the tools' own descriptions: no secret to ask for. */
export function leaks(kit: Kit, value: Scalar): boolean {
  return typeof value === "string" && value.length >= 3 && kit.manual.includes(value.toLowerCase());
}

const columnOf = new WeakMap<Binding, Map<string, string | undefined>>();

/** The table column that an answer's path shows, proven on a sample of rows; undefined when it is none. */
export function columnPath(kit: Kit, binding: Binding, generic: string, of?: Figure): string | undefined {
  let known = columnOf.get(binding);
  if (!known) {
    known = new Map();
    columnOf.set(binding, known);
  }
  const name = `${generic}\u001f${of ?? ""}`;
  if (!known.has(name)) {
    const sample = kit.reads(binding, 12);
    const same = (path: string) =>
      sample.length > 0 &&
      sample.every(
        (r) =>
          JSON.stringify(readAll(r.anchor.row, { path, of })) ===
          JSON.stringify(readAll(r.answer, { path: generic, of })),
      );
    const shorter =
      generic.includes(".") && !generic.startsWith("[") ? generic.slice(generic.indexOf(".") + 1) : undefined;
    known.set(name, [generic, ...(shorter ? [shorter] : [])].find(same));
  }
  return known.get(name);
}

/** The day of a date value: who says the day of one moment says that of every other on it. */
function dayName(value: Scalar): string {
  const day = typeof value === "boolean" ? undefined : dayOf(value);
  return day === undefined ? String(value) : `${day.year}-${day.month}-${day.day}`;
}

/** The check that an answer holds no other row's value of what was asked: all of the column's values but those that belong. */
export function excludeOthers(
  kit: Kit,
  binding: Binding,
  asked: { readonly generic: string; readonly name: string; readonly of?: Figure },
  own: readonly (Scalar | null)[],
  rightful: readonly Fact[],
  request: string,
): Check | undefined {
  const path = columnPath(kit, binding, asked.generic, asked.of);
  const known = own.filter((v): v is Scalar => v !== null);
  const days = new Set(rightful.flatMap((f) => (f.kind === "date" ? [dayName(f.value)] : [])));
  const asking = new Text(request);
  const right = rightful.map((f) => new Text(String(f.value)));
  const belongs = (value: Scalar) => {
    const fact = factOf(value, asked.name);
    return (
      known.some(
        (v) => v === value || (typeof v === "number" && typeof value === "number" && Math.abs(v - value) < 0.005),
      ) ||
      right.some((text) => says(text, fact)) ||
      (fact.kind === "date" && days.has(dayName(value))) ||
      says(asking, fact)
    );
  };
  const kind = rightful[0]?.kind ?? "text";
  const { of } = asked;
  if (path !== undefined) {
    const others: Omit<Others, "except"> = { table: binding.table, path, kind, ...(of ? { of } : {}) };
    const values = columnValues(kit.base, others);
    const except = values.filter((v) => belongs(v));
    const wrong = values.find((v) => kindOf(v, asked.name) === kind && !belongs(v));
    if (wrong === undefined) return undefined;
    return {
      kind: "answer_excludes",
      facts: [factOf(wrong, asked.name)],
      others: { ...others, ...(except.length > 0 ? { except } : {}) },
    };
  }
  const wrong = new Map<string, Fact>();
  for (const rowRead of kit.reads(binding)) {
    for (const value of readAll(rowRead.answer, { path: asked.generic, of })) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      const fact = { ...factOf(value, asked.name), kind };
      if (!belongs(value) && wrong.size < 400) wrong.set(`${value}`, fact);
    }
  }
  return wrong.size > 0 ? { kind: "answer_excludes", facts: [...wrong.values()] } : undefined;
}

/** A field that holds the last digits of a number that nobody writes out. */
export const ENDING = /^last_?(?:4|four)(?:_?digits)?$/i;

/** The sibling by which a list's element is told from the others in a user's words: a unique text, date or figure. */
export function distinguish(list: readonly Json[], at: number): { field: string; value: Scalar } | undefined {
  const here = list[at];
  if (typeof here !== "object" || here === null || Array.isArray(here)) return undefined;
  const fields = Object.entries(here).filter(
    (entry): entry is [string, Scalar] => ["string", "number"].includes(typeof entry[1]) && entry[1] !== "",
  );
  const unique = fields.filter(([name, value]) =>
    list.every((other, i) => i === at || (other as Record<string, Json>)?.[name] !== value),
  );
  const rank = ([name, value]: [string, Scalar]) => {
    const kind = kindOf(value, name);
    if (kind === "text" && /name|title|label|source|type|description/i.test(name)) return 0;
    if (ENDING.test(name)) return 0.5;
    return kind === "text" ? 1 : kind === "date" || kind === "time" ? 2 : kind === "money" ? 3 : kind === "id" ? 5 : 4;
  };
  const [best] = unique.sort((a, b) => rank(a) - rank(b));
  return best && rank(best) < 5 ? { field: best[0], value: best[1] } : undefined;
}

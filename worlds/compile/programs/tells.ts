import { getOwn, type Json, type JsonObject } from "../../json.ts";
import type { Call } from "../observations.ts";
import { byText, canon, isScalar } from "../values.ts";
import { columnNames, type Learnt } from "./effects.ts";
import { UNKNOWN } from "./expressions/expr.ts";
import type { Step } from "./simulate.ts";
import { toolOf } from "./state/kinds.ts";
import type { Layout } from "./state/observations.ts";
import { amountsOfRefusals } from "./state/refusal-amounts.ts";

/** Values of a cell past which an ending tells none of them. */
const VALUES = 4;
/** Calls of a tool that have to end so, and otherwise, where the cell is known. */
const LEAST = 3;
/** Bits of chance that an ending has to stand against, beside those of the cells and endings that are tried. */
const SURE = 8;
/** Share of calls that have to end as the one before did, where nothing that may write came in between. */
const STEADY = 0.95;

/** Calls that end in one of two ways: by act, which are one way and which the other. */
interface Doors {
  /** Why calls are refused; undefined where only the acts of one tool are told apart. */
  readonly reason: string | undefined;
  readonly closed: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

/** Cells that calls tell by their ending, by call, and those of them that are reasons for refusing. */
export type EndingCells = Pick<Layout, "tells" | "reasons">;

/**
 * Cells that the endings of calls tell: where a tool is refused whenever a cell holds one value, and never while it
 * holds another, each of its calls shows the cell, though nobody reads it there. Tools that are refused for one reason
 * are taken together; where no cell says when they are, the reason is a cell of its own.
 */
export function findTells(learnt: Learnt): EndingCells {
  const all = learnt.steps.flat();
  const cells = [...new Set(all.flatMap(({ before }) => [...before.cells.keys()]))].sort(byText);
  const known = cells.map((name) => [name, valuesBefore(all, name)] as const);
  const doors = doorsOf(all);
  const tried = Math.log2(1 + cells.length * doors.length);
  const told = new Map<string, JsonObject>();
  const reasons = new Set<string>();
  const tell = (acts: ReadonlySet<string>, name: string, value: Json): void => {
    for (const act of acts) told.set(act, { ...told.get(act), [name]: value });
  };
  for (const door of doors) {
    let found = false;
    for (const [name, values] of known) {
      const of = values && valuesOf(values, door, name, learnt);
      if (!of || of.bits < SURE + tried) continue;
      found = true;
      if (of.closed !== undefined) tell(door.closed, name, of.closed);
      if (of.open !== undefined) tell(door.open, name, of.open);
    }
    if (found || door.reason === undefined || !isState(door, learnt)) continue;
    tell(door.closed, door.reason, true);
    tell(door.open, door.reason, false);
    reasons.add(door.reason);
  }
  const out = new Map<Call, JsonObject>(amountsOfRefusals(all, cells));
  for (const { act, call } of all) {
    const of = told.get(act);
    if (of) out.set(call, { ...out.get(call), ...of });
  }
  for (const [call, of] of knownHolders(all, cells, learnt)) out.set(call, { ...of, ...out.get(call) });
  return { tells: out, reasons };
}

/** A column of the row that an argument names, which equals a cell where the tool succeeds. */
interface Holder {
  readonly argument: string;
  readonly table: string;
  readonly column: string;
  readonly cell: string;
}

/**
 * Cells that successes tell by the row that they name: where a tool succeeds only if a column of it is what a cell holds
 * (whose it is, and who is signed in), and is refused where they differ, each of its successes shows the cell.
 */
function knownHolders(all: readonly Step[], cells: readonly string[], learnt: Learnt): Map<Call, JsonObject> {
  const out = new Map<Call, JsonObject>();
  const { layout, timelines, effects } = learnt;
  const columns = columnNames(timelines);
  for (const [tool, own] of [...Map.groupBy(all, ({ call }) => call.tool)].sort(([a], [b]) => byText(a, b)))
    for (const [argument, table] of layout.refs.get(tool) ?? [])
      for (const column of [...(columns.get(table) ?? [])].sort(byText))
        for (const cell of cells) {
          const holder = { argument, table, column, cell };
          if (!isHolder(own, holder)) continue;
          for (const step of own) {
            const set = effects.get(step.act)?.changes.some(({ table: of, name }) => of === undefined && name === cell);
            const value = step.call.ok && !set ? currentHolder(step, holder) : undefined;
            if (value !== undefined) out.set(step.call, { ...out.get(step.call), [cell]: value });
          }
        }
  return out;
}

/** Whether a tool succeeds where a column is what the cell holds, and nowhere else. */
function isHolder(steps: readonly Step[], holder: Holder): boolean {
  const agreed = new Set<string>();
  let [same, differ] = [0, 0];
  for (const step of steps) {
    const held = currentHolder(step, holder);
    const cell = step.before.cells.get(holder.cell);
    if (held === undefined || cell === undefined || cell === UNKNOWN || cell === null) continue;
    const equal = canon(cell as Json) === canon(held);
    if (step.call.ok && !equal) return false;
    if (step.call.ok) {
      same++;
      agreed.add(canon(held));
    } else if (!equal) differ++;
  }
  return agreed.size > 1 && same >= LEAST && differ >= LEAST;
}

/** The text in a column of the row that a call names, where that is known. */
function currentHolder({ call, before }: Step, { argument, table, column }: Holder): string | undefined {
  const key = getOwn(call.args, argument);
  const value = isScalar(key) ? before.tables.get(table)?.rows.get(String(key))?.[column] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Tools that are refused for a reason and succeed at other times, by reason; and every ending of a tool against its others. */
function doorsOf(all: readonly Step[]): Doors[] {
  const acts = new Map<string, Map<string, { n: number; call: Call }>>();
  for (const { act, call } of all) {
    const of = acts.get(toolOf(act)) ?? new Map<string, { n: number; call: Call }>();
    acts.set(toolOf(act), of);
    of.set(act, { n: (of.get(act)?.n ?? 0) + 1, call });
  }
  const reasons = new Map<string, { closed: Set<string>; tools: Set<string> }>();
  const out: Doors[] = [];
  for (const [tool, of] of [...acts].sort(([a], [b]) => byText(a, b)))
    for (const [act, { call }] of [...of].sort(([a], [b]) => byText(a, b))) {
      const others = [...of.keys()].filter((other) => other !== act);
      if (others.length > 0) out.push({ reason: undefined, closed: new Set([act]), open: new Set(others) });
      const reason = call.ok ? undefined : reasonOf(act, call);
      if (reason === undefined) continue;
      const family = reasons.get(reason) ?? { closed: new Set<string>(), tools: new Set<string>() };
      reasons.set(reason, family);
      family.closed.add(act);
      family.tools.add(tool);
    }
  for (const [reason, { closed, tools }] of reasons) {
    const open = [...tools].flatMap((tool) =>
      [...(acts.get(tool) ?? [])].flatMap(([act, { call }]) => (call.ok ? [act] : [])),
    );
    if (open.length > 0) out.push({ reason, closed, open: new Set(open) });
  }
  return out;
}

/** Why a call was refused: the first sentence of what it says, unless that speaks of what the call was given or of amounts. */
function reasonOf(act: string, { value }: Call): string | undefined {
  // Kinds mark what a call was given as {name}, numbers as #, and words that say how something is as ~.
  const kind = act.slice(toolOf(act).length + 1 + "error ".length);
  if (/[#~]/.test(kind) || /\{[^{}:]*\}/.test(kind)) return undefined;
  const [text] = textsIn(value);
  const [first] = text?.split(/(?<=[.!?])\s|[.!]$/) ?? [];
  const reason = first?.replace(/[.!]$/, "").replace(FAILED, "");
  return reason === undefined || reason.split(/\s+/).length < 3 ? undefined : reason;
}

/** What a message begins with that says no more than that it is one of a failure. */
const FAILED = /^error\W+/i;

const textsIn = (value: Json): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** A value that a cell held before calls: before how many, and how many of each act. */
interface ValueBefore {
  readonly value: Json;
  n: number;
  readonly byAct: Map<string, number>;
}

/** The values that a cell held before calls; undefined where they are so few or so many that no ending tells one. */
function valuesBefore(all: readonly Step[], name: string): readonly ValueBefore[] | undefined {
  const base = new Map<string, ValueBefore>();
  for (const { act, before } of all) {
    const value = before.cells.get(name);
    if (value === undefined || value === UNKNOWN || !isScalar(value as Json)) continue;
    const id = canon(value as Json);
    const row = base.get(id) ?? { value: value as Json, n: 0, byAct: new Map<string, number>() };
    base.set(id, row);
    if (base.size > VALUES) return undefined;
    row.n++;
    row.byAct.set(act, (row.byAct.get(act) ?? 0) + 1);
  }
  return base.size < 2 ? undefined : [...base.values()];
}

/** What a cell holds where calls end one way and where the other, if that is one value and others; and the bits of chance against it. */
function valuesOf(
  values: readonly ValueBefore[],
  { closed, open }: Doors,
  name: string,
  { effects }: Learnt,
): { closed: Json | undefined; open: Json | undefined; bits: number } | undefined {
  const ending = (own: ValueBefore["byAct"], wanted: ReadonlySet<string>): number =>
    [...own].reduce((sum, [act, n]) => sum + (wanted.has(act) ? n : 0), 0);
  const rows = values.map(({ value, n, byAct }) => ({
    value,
    n,
    closed: ending(byAct, closed),
    open: ending(byAct, open),
  }));
  if (rows.some((row) => row.closed > 0 && row.open > 0)) return undefined;
  const shut = rows.filter((row) => row.closed > 0);
  const free = rows.filter((row) => row.open > 0);
  const [only] = shut;
  const closes = shut.reduce((sum, row) => sum + row.closed, 0);
  const opens = free.reduce((sum, row) => sum + row.open, 0);
  if (shut.length !== 1 || !only || closes < LEAST || opens < LEAST) return undefined;
  const sets = (acts: ReadonlySet<string>): boolean =>
    [...acts].some((act) =>
      effects.get(act)?.changes.some((change) => change.table === undefined && change.name === name),
    );
  const share = only.n / rows.reduce((sum, { n }) => sum + n, 0);
  return {
    closed: sets(closed) ? undefined : only.value,
    open: free.length === 1 && !sets(open) ? free[0]?.value : undefined,
    bits: -closes * Math.log2(share) - opens * Math.log2(1 - share),
  };
}

/** Whether calls that end one way go on to until something may have written: what refuses them is a state, not their arguments. */
function isState({ closed, open }: Doors, { steps, layout }: Learnt): boolean {
  let [same, other, shut, free] = [0, 0, 0, 0];
  for (const session of steps) {
    let last: boolean | undefined;
    for (const { act, call } of session) {
      const now = closed.has(act) ? true : open.has(act) ? false : undefined;
      if (now !== undefined) {
        if (last === now) same++;
        else if (last !== undefined) other++;
        if (now) shut++;
        else free++;
        last = now;
      }
      if (call.ok && !layout.readers.has(call.tool) && now === undefined) last = undefined;
    }
  }
  return shut >= LEAST && free >= LEAST && same >= LEAST && same >= (same + other) * STEADY;
}

import { getOwn, type Json, setOwn } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";
import { type Env, type Expr, evaluate, type Facts, type Row, UNKNOWN, type Value } from "../expressions/expr.ts";
import type { Kind } from "../state/kinds.ts";
import type { Seen } from "./filters.ts";
import { Layered } from "./layered.ts";
import { fitNamed, fitShape, isOpen, type Shape, shaped, shownColumns } from "./shapes.ts";
import { type ExportTable, type KeyForm, nextKey, UNLISTED } from "./tables.ts";
import { type ListView, listed } from "./views.ts";

/** A row that an argument names. */
export interface Named {
  readonly table: string;
  readonly arg: string;
}

/** A column that a call sets, and when. */
export interface Assignment {
  readonly column: string;
  readonly when: Expr;
  readonly value: Expr;
}

/** What a success does to rows of the export's tables; `unclear` where something may happen to the named row that nobody saw. */
export type Effect =
  | { readonly kind: "none" }
  | { readonly kind: "unclear"; readonly row: Named }
  | { readonly kind: "remove"; readonly row: Named }
  | { readonly kind: "set"; readonly row: Named; readonly sets: readonly Assignment[] }
  | {
      readonly kind: "create";
      readonly table: string;
      readonly form: KeyForm;
      readonly columns: readonly string[];
      readonly sets: readonly Assignment[];
    };

/** What a tool does where nothing refuses it. */
export interface Act {
  readonly tool: string;
  /** How such a call ends. */
  readonly kinds: ReadonlySet<Kind>;
  readonly row: Named | undefined;
  readonly view: ListView | undefined;
  readonly effect: Effect;
  readonly answer: Shape;
  /** Whether later readings bound what it does to what the effect says. */
  readonly bounded: boolean;
}

/** A call with its place. */
export interface Placed extends Seen {
  readonly session: number;
  readonly index: number;
  readonly kind: Kind;
}

export const keyIn = (args: Env["args"], name: string): string | undefined => {
  const value = getOwn(args, name);
  return isScalar(value) && value !== "" ? String(value) : undefined;
};

export const rowOf = (facts: Facts, named: Named, args: Env["args"]): Row | undefined => {
  const key = keyIn(args, named.arg);
  return key === undefined ? undefined : facts.tables.get(named.table)?.rows.get(key);
};

/** The state that an effect leaves. */
export function applied(effect: Effect, args: Env["args"], facts: Facts, tables: readonly ExportTable[]): Facts {
  if (effect.kind === "none") return facts;
  const name = effect.kind === "create" ? effect.table : effect.row.table;
  const held = facts.tables.get(name)?.rows ?? new Map<string, Row>();
  let rows: ReadonlyMap<string, Row> = held;
  if (effect.kind === "create") {
    const table = tables.find((one) => one.name === name) as ExportTable;
    const key = nextKey(held.keys(), effect.form);
    const row: Record<string, Value> = { [table.key]: effect.form.number ? Number(key) : key };
    const env: Env = { args, facts };
    for (const column of table.columns) if (column !== table.key) setOwn<Value>(row, column, UNKNOWN);
    for (const { column, value } of effect.sets) setOwn(row, column, evaluate(value, env));
    rows = Layered.with(held, key, row);
  } else {
    const key = keyIn(args, effect.row.arg);
    const row = key === undefined ? undefined : held.get(key);
    if (key === undefined || row === undefined) return facts;
    if (effect.kind === "remove") rows = Layered.with(held, key, undefined);
    else if (effect.kind === "unclear")
      rows = Layered.with(held, key, Object.fromEntries(Object.keys(row).map((column) => [column, UNKNOWN])));
    else {
      const changed: Record<string, Value> = { ...row, ...(row[UNLISTED] === 1 ? { [UNLISTED]: 2 } : {}) };
      // One after the other, as the stored steps are: a column may follow from one that was set.
      for (const { column, when, value } of effect.sets) {
        const env: Env = { args, facts, row: { ...changed } };
        if (evaluate(when, env) === true) setOwn(changed, column, evaluate(value, env));
      }
      rows = Layered.with(held, key, changed);
    }
  }
  const before = facts.tables.get(name);
  const gone = effect.kind === "remove" ? keyIn(args, effect.row.arg) : undefined;
  const removed = gone === undefined ? before?.removed : new Set([...(before?.removed ?? []), gone]);
  const after = { rows, complete: before?.complete ?? true, ...(removed ? { removed } : {}) };
  return { cells: facts.cells, tables: new Map([...facts.tables, [name, after]]) };
}

/** The row that an act's answer is about. */
export function answerRow(
  act: Pick<Act, "row" | "effect">,
  args: Env["args"],
  before: Facts,
  after: Facts,
): Row | undefined {
  if (act.effect.kind === "create") return [...(after.tables.get(act.effect.table)?.rows.values() ?? [])].at(-1);
  return act.row && rowOf(act.effect.kind === "remove" ? before : after, act.row, args);
}

/** What an act answers: undefined where nothing is known of it, or where a refusal may come instead. */
export function answered(act: Act, args: Env["args"], before: Facts, after: Facts): Json | undefined {
  if (act.view) {
    const value = listed(act.view, args, before);
    return value === UNKNOWN ? undefined : value;
  }
  const row = answerRow(act, args, before, after);
  if ((act.row || act.effect.kind === "create") && !row) return undefined;
  const value = shaped(act.answer, { args, facts: after, ...(row ? { row } : {}) });
  return value === UNKNOWN ? undefined : value;
}

/** Follows sessions from a start: every call with the state before it. */
export function follow(
  sessions: readonly Session[],
  start: Facts,
  acts: ReadonlyMap<string, Act>,
  kindOf: (call: Call) => Kind,
  tables: readonly ExportTable[],
): Placed[][] {
  return sessions.map(({ calls }, session) => {
    let facts = start;
    return calls.map((call, index) => {
      const before = facts;
      const kind = kindOf(call);
      const act = acts.get(call.tool);
      if (act?.kinds.has(kind)) facts = applied(act.effect, call.args, before, tables);
      return { call, before, session, index, kind };
    });
  });
}

/** Arguments that name rows: by how many of the calls. */
export function keyArguments(calls: readonly Seen[], tables: readonly ExportTable[], least: number): Named[] {
  const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
  const found = tables.flatMap(({ name: table, key, complete }) =>
    names.flatMap((name) => {
      const asked = calls.filter(({ call }) => keyIn(call.args, name) !== undefined);
      const hits = asked.filter(({ call, before }) => rowOf(before, { table, arg: name }, call.args)).length;
      // Of rows that nobody saw the keys are not known.
      const share = complete ? least : name === key ? 0 : least / 4;
      return hits > 0 && hits >= asked.length * share ? [{ table, arg: name, hits, named: name === key }] : [];
    }),
  );
  return found
    .sort((a, b) => b.hits - a.hits || Number(b.named) - Number(a.named))
    .map(({ table, arg: of }) => ({ table, arg: of }));
}

/** Learns how a tool reads a row that an argument names, from its successes. */
export function learnRowRead(
  tool: string,
  calls: readonly Placed[],
  tables: readonly ExportTable[],
  determined: ReadonlySet<Call>,
): Act | undefined {
  const kinds = [...new Set(calls.map(({ kind }) => kind))].sort(byText);
  for (const row of keyArguments(calls, tables, 0.1)) {
    const table = tables.find(({ name }) => name === row.table) as ExportTable;
    const examplesOf = (of: readonly Placed[]) =>
      of.flatMap(({ call, before }) => {
        const held = table.shown?.closed && !determined.has(call) ? undefined : rowOf(before, row, call.args);
        return held ? [{ value: call.value, env: { args: call.args, facts: before, row: held } }] : [];
      });
    const structured = kinds.filter((kind) => kind.startsWith("object") || kind === "value");
    const several =
      structured.length > 1
        ? fitNamed(examplesOf(calls.filter(({ kind }) => structured.includes(kind))), table.columns)
        : undefined;
    if (several)
      return {
        tool,
        kinds: new Set(structured),
        row,
        view: undefined,
        effect: { kind: "none" },
        answer: several,
        bounded: true,
      };
    const counts = [...kinds].sort(
      (a, b) => calls.filter(({ kind }) => kind === b).length - calls.filter(({ kind }) => kind === a).length,
    );
    for (const kind of counts) {
      const examples = examplesOf(calls.filter((one) => one.kind === kind));
      if (examples.length === 0) continue;
      const answer = fitNamed(examples, table.columns) ?? fitShape(examples, table.columns);
      if (shownColumns(answer).length > 0 && !isOpen(answer))
        return { tool, kinds: new Set([kind]), row, view: undefined, effect: { kind: "none" }, answer, bounded: true };
    }
  }
  return undefined;
}

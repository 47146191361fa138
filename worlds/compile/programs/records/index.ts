import type { BaseState, Bundle, ToolBehaviour, ToolDefinition } from "../../../bundle.ts";
import { setOwn } from "../../../json.ts";
import { declaredEffect, effectByName } from "../../effects.ts";
import { renderingOf } from "../../models.ts";
import type { Call, Session } from "../../observations.ts";
import { byText } from "../../values.ts";
import type { ProgramWorld } from "../compile.ts";
import type { Expr } from "../expressions/expr.ts";
import { findReaders } from "../expressions/readers.ts";
import { type Kind, Kinds } from "../state/kinds.ts";
import { type Aggregate, learnAggregate } from "./aggregates.ts";
import { isUnlisted } from "./complete-lists.ts";
import { type BoundTool, footprintOf, otherTables, storedRows, tableModels, unknownOf, written } from "./emit.ts";
import { absence, type Endings, emptyTest, isAbsence, learnEndings, supportOf } from "./endings.ts";
import type { Arguments } from "./filters.ts";
import type { Known } from "./later-values.ts";
import { type Act, follow, learnRowRead, type Placed, rowOf } from "./row-actions.ts";
import { shownColumns } from "./shapes.ts";
import { shownTables } from "./shown.ts";
import { type ExportTable, exportTables, listIn, namesOf, startFacts } from "./tables.ts";
import { learnView } from "./views.ts";
import { learnWrite } from "./writes.ts";

/** Kinds of a tool's answers that are tried as what it does where nothing refuses it. */
const TRIED = 4;

/** What a compile over rows is told: an export, else the rows are those that answers showed; the listing that was given, where one was. */
export interface RecordsOptions {
  readonly name: string;
  readonly records?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly ToolDefinition[];
}

/** First what reads, then twice what writes, as each tells of the other's rows, then all of it again. */
const ROUNDS = 4;

/**
 * Compiles a world whose tables are those of an export, or the rows that answers showed, and whose tools are bound to
 * them by what their answers show. Undefined where no tool reads one of its tables. Tools that nothing binds are
 * gaps.
 */
export function compileRecords(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  { name, records, tools: given }: RecordsOptions,
): ProgramWorld | undefined {
  const listing = new Set((given ?? tools).map((one) => one.name));
  const kinds = new Kinds(sessions);
  const kindOf = (call: Call): Kind => kinds.of(call);
  const readers = findReaders(sessions, tools);
  const tables = records ? exportTables(records, sessions) : shownTables(sessions, readers, kindOf);
  if (tables.length === 0) return undefined;
  const names = new Map(
    [...byTool].map(([tool, calls]) => [
      tool,
      argumentsOf(
        calls,
        tools.find((one) => one.name === tool),
      ),
    ]),
  );
  const start = startFacts(tables);
  const untouched = sessions.map((session) => {
    const end = session.calls.findIndex(({ tool }) => !readers.has(tool));
    return end < 0 ? session : { ...session, calls: session.calls.slice(0, end + 1) };
  });
  let actions: ReadonlyMap<string, Act> = new Map();
  let bound = new Map<string, BoundTool>();
  for (let round = 0; round < ROUNDS; round++) {
    const placed = follow(round === 0 ? untouched : sessions, start, actions, kindOf, tables);
    const placing = { sessions: placed, actions, tables, readers };
    const known: Known = { ...placing, determined: determinedCalls(placed, placing) };
    const before = bound;
    bound = new Map();
    for (const tool of byTool.keys()) {
      const earlier = before.get(tool);
      if (round > 0 && round < ROUNDS - 1 && readers.has(tool)) {
        if (earlier) bound.set(tool, earlier);
        continue;
      }
      const calls = placed.flatMap((of) => of.filter(({ call }) => call.tool === tool));
      const reads = readers.has(tool) || round === 0;
      const found = learnTool(tool, calls, known, reads, names.get(tool) ?? { names: [], extra: [] }, listing);
      if (found && (round > 0 || found.act)) bound.set(tool, found);
    }
    // A tool whose answers are rows as they were before its call reads them, whatever it is called.
    if (round === 0) for (const [tool, { act }] of bound) if (act && tellsRow(act, tables)) readers.add(tool);
    actions = new Map([...bound].flatMap(([tool, { act }]) => (act ? [[tool, act] as const] : [])));
  }
  if (![...actions.values()].some(({ view, row, effect }) => view || row || effect.kind === "create")) return undefined;
  borrow(bound, tables);
  return worldOf(bound, sessions, byTool, tools, tables, name);
}

/** Calls before which all that happened is known: nothing was written, or rows alone that lists showed or that were made. */
function determinedCalls(
  placed: readonly (readonly Placed[])[],
  { actions, tables, readers }: Omit<Known, "determined">,
): Set<Call> {
  const out = new Set<Call>();
  if (tables.every(({ shown }) => !shown)) return out;
  for (const calls of placed)
    for (const { call, kind, before } of calls) {
      out.add(call);
      if (readers.has(call.tool)) continue;
      const act = actions.get(call.tool);
      if (!call.ok && !act?.kinds.has(kind)) continue;
      const effect = act?.kinds.has(kind) ? act.effect : undefined;
      if (effect?.kind === "create") continue;
      const row =
        effect?.kind === "set" || effect?.kind === "remove" ? rowOf(before, effect.row, call.args) : undefined;
      if (!row || isUnlisted(row)) break;
    }
  return out;
}

/** The arguments that a listing declares, and those that calls gave besides; all alike where there is none. */
function argumentsOf(calls: readonly Call[], definition: ToolDefinition | undefined): Arguments {
  const listed = Object.keys((definition?.inputSchema.properties as object | undefined) ?? {});
  const observed = [...new Set(calls.flatMap(({ args }) => Object.keys(args)))].sort(byText);
  if (listed.length === 0) return { names: observed, extra: [] };
  return { names: listed.sort(byText), extra: observed.filter((name) => !listed.includes(name)) };
}

function learnTool(
  tool: string,
  calls: readonly Placed[],
  known: Known,
  reads: boolean,
  given: Arguments,
  listing: ReadonlySet<string>,
): BoundTool | undefined {
  const { tables } = known;
  const { names } = given;
  const candidates: {
    act: Act | undefined;
    empty: Expr | undefined;
    compared?: Aggregate["compared"];
  }[] = [];
  const viewed = viewAct(tool, calls, known, given);
  if (viewed) candidates.push({ act: viewed, empty: viewed.view && emptyTest(viewed.view) });
  else if (reads) {
    const successes = calls.filter(({ call }) => call.ok);
    const clear = successes.filter(({ call }) => known.determined.has(call));
    const found = learnAggregate(tool, tables.some(({ shown }) => shown) ? clear : successes, tables);
    if (found) candidates.push({ act: found.act, empty: undefined, compared: found.compared });
    else candidates.push({ act: learnRowRead(tool, successes, tables, known.determined), empty: undefined });
  } else {
    const counts = new Map<Kind, number>();
    for (const { call, kind } of calls) if (call.ok) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const often = [...counts].sort((a, b) => b[1] - a[1] || byText(a[0], b[0])).slice(0, TRIED);
    for (const [kind] of often)
      candidates.push({ act: learnWrite(tool, kind, known, listing.has(tool), calls), empty: undefined });
  }
  const lists = !viewed && calls.some(({ call }) => call.ok && listIn(call.value) !== undefined);
  if (lists && tables.some(({ shown }) => shown)) return undefined;
  if (candidates.length === 0) candidates.push({ act: undefined, empty: undefined });
  let best: (BoundTool & { readonly score: number }) | undefined;
  for (const { act, empty, compared = [] } of candidates) {
    const endings: Endings = learnEndings(calls, act, empty, tables, names, compared);
    const makes = act?.effect.kind === "create" ? 0.5 : 0;
    const score =
      (endings.right - endings.wrong) / Math.max(1, endings.right + endings.wrong) +
      makes +
      calls.filter(({ kind }) => act?.kinds.has(kind)).length / Math.max(1, calls.length) / 4;
    const support = act ? supportOf(act, calls, tables, names, endings) : [];
    if (!best || score > best.score) best = { tool, act, endings, empty, support, calls, score };
  }
  return best;
}

/** Whether an act answers more of rows than the key that it was given. */
const tellsRow = ({ row, answer }: Act, tables: readonly ExportTable[]): boolean => {
  const key = tables.find(({ name }) => name === row?.table)?.key;
  return row === undefined || shownColumns(answer).some((column) => column !== key);
};

/** Whether an act needs its row: it changes it, or answers of it. */
const restsOnRow = ({ effect, answer }: Act): boolean =>
  effect.kind === "set" || effect.kind === "remove" || shownColumns(answer).length > 0;

/** Gives tools that were never asked for a row that is not there the words that all others have for it. */
function borrow(bound: Map<string, BoundTool>, tables: readonly { readonly name: string }[]): void {
  for (const { name: table } of tables) {
    const of = [...bound.values()].filter(({ act }) => act?.row?.table === table && restsOnRow(act));
    const told = of.flatMap((tool) => {
      const rule = tool.endings.rules.find(({ when }) => isAbsence(when, table));
      return rule ? [{ tool, rule }] : [];
    });
    const [first] = told;
    if (!first || told.some(({ rule }) => rule.kind !== first.rule.kind)) continue;
    const lent = first.tool.calls.filter(({ kind }) => kind === first.rule.kind);
    for (const tool of of) {
      if (told.some((one) => one.tool === tool) || !tool.act?.row) continue;
      const when = absence(tool.act.row);
      const endings = { ...tool.endings, rules: [...tool.endings.rules, { kind: first.rule.kind, when }] };
      bound.set(tool.tool, { ...tool, endings, calls: [...tool.calls, ...lent] });
    }
  }
}

/** What a tool lists, with the other words that it has for an empty list. */
function viewAct(
  tool: string,
  calls: readonly Placed[],
  { tables, determined }: Known,
  names: Arguments,
): Act | undefined {
  const lists = calls.filter(({ call }) => call.ok && listIn(call.value) !== undefined);
  if (lists.length === 0) return undefined;
  const others = new Map<Kind, Placed[]>();
  for (const one of calls) if (!lists.includes(one)) others.set(one.kind, [...(others.get(one.kind) ?? []), one]);
  const [often] = [...others.values()].sort((a, b) => b.length - a.length);
  const wide = often && often.length > 1 ? learnView([...lists, ...often], tables, names, determined) : undefined;
  const view = wide ?? learnView(lists, tables, names, determined);
  if (!view) return undefined;
  const kinds = new Set(lists.map(({ kind }) => kind));
  return {
    tool,
    kinds,
    row: undefined,
    view,
    effect: { kind: "none" },
    answer: { kind: "object", fields: [] },
    bounded: true,
  };
}

function worldOf(
  bound: ReadonlyMap<string, BoundTool>,
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  tables: ReturnType<typeof exportTables>,
  name: string,
): ProgramWorld {
  const stored = namesOf(tables);
  const behaviours: Record<string, ToolBehaviour> = {};
  const gaps: Bundle["gaps"] = [];
  const footprints: NonNullable<Bundle["footprints"]> = {};
  const fitted = new Map<string, NonNullable<ReturnType<typeof written>>>();
  for (const definition of tools) {
    const tool = definition.name;
    const calls = byTool.get(tool) ?? [];
    const of = bound.get(tool);
    const found = of && written(of, stored, tables);
    const reads = (declaredEffect(definition) ?? effectByName(tool)) === "read";
    if (found ? found.effect === "write" || !reads : !reads)
      setOwn(footprints, tool, footprintOf(found ? of : undefined, tables, stored));
    if (!found) {
      gaps.push({
        tool,
        reason: calls.length === 0 ? "never observed" : "nothing binds it to rows",
        n: calls.length,
      });
      continue;
    }
    fitted.set(tool, found);
    setOwn(behaviours, tool, {
      effect: found.effect,
      behaviour: found.behaviour,
      rendering: { ...renderingOf(calls), wrap: [] },
      volatile: [],
      support: { seen: calls.length, reproduced: 0 },
    });
  }
  const rows = storedRows(tables, stored);
  const unknown = unknownOf(tables, stored);
  const base: BaseState = { tables: rows, drawn: {}, ...(Object.keys(unknown).length > 0 ? { unknown } : {}) };
  const now = Math.max(0, ...sessions.map(({ at }) => at));
  const models = tableModels(tables, stored);
  const views = [...bound].flatMap(([tool, { act }]) =>
    act?.view?.whole && fitted.has(tool) ? [[tool, act.view.whole] as const] : [],
  );
  for (const [beside, own] of otherTables(tables, views)) {
    setOwn(rows, beside, own);
    models.push({ name: beside, key: ["n"], internal: true, columns: [{ name: "n", types: ["string"], present: 1 }] });
  }
  return {
    bundle: { v: 1, name, tools: [...tools], tables: models, now, behaviours, exceptions: [], gaps, footprints },
    base,
    telling: new Set(views.flatMap(([tool, { domains }]) => (domains.size > 0 ? [tool] : []))),
    programs: { tools: fitted, tables: models, rows, starts: new Map(), unknown: {}, volatile: new Map() },
  };
}

import { searchedColumns } from "../behaviour/visit.ts";
import type { BaseState, Bundle, RecordedAnswer, TableModel, ToolBehaviour, ToolDefinition } from "../bundle.ts";
import { type FittedCollections, fitCollections } from "./collections/index.ts";
import { initialStates } from "./conditions/initial-states.ts";
import { withinLimits } from "./conditions/within-limits.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import { exceptionsFrom } from "./fit/exceptions.ts";
import { candidatesFor, type FittedTool, recordedOnly } from "./fit/fit-tool.ts";
import { findWriters } from "./fit/writers.ts";
import { Footprints } from "./footprints.ts";
import { buildHistory, findColumnReads, type History, Reader } from "./history.ts";
import { manifest } from "./listing.ts";
import { renderingOf, tableModels } from "./models.ts";
import { allCalls, type Call, callsByTool, type Session } from "./observations.ts";
import type { CompileOptions, CompileReport, CompileResult } from "./report.ts";
import { addRecords } from "./tables/records.ts";
import { findEntities } from "./tables/tables.ts";
import { unknownCells } from "./tables/unknown-cells.ts";
import { SHAPE_ONLY, shapeBehaviour } from "./unobserved.ts";
import { byText, canon } from "./values.ts";
import { replayAll, volatilePaths } from "./verify.ts";

/** The newest start of a trace; 0 where no trace tells its start. */
function frozenClock(sessions: readonly Session[]): number {
  return Math.max(0, ...sessions.map((session) => session.at));
}

function understand(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  records: CompileOptions["records"],
  taken: ReadonlySet<string>,
): History {
  const entities = findEntities(byTool, taken);
  const reader = new Reader(entities, findColumnReads(sessions, entities, byTool));
  const writers = findWriters(sessions, reader, byTool, new Map(tools.map((tool) => [tool.name, tool])));
  const history = buildHistory(sessions, entities, reader, writers);
  return records ? addRecords(history, records) : history;
}

function bundleOf(
  name: string,
  tools: readonly ToolDefinition[],
  history: History,
  kept: ReadonlyMap<string, FittedTool>,
  byTool: ReadonlyMap<string, readonly Call[]>,
  now: number,
  exceptions: RecordedAnswer[],
  collections: FittedCollections | undefined,
  starts: BaseState["starts"],
  footprints: Footprints,
): { bundle: Bundle; base: BaseState } {
  const tables: TableModel[] = [...tableModels(history), ...(collections?.tables ?? [])];
  const base: BaseState = { tables: { ...history.base }, drawn: {}, ...unknownCells(history) };
  Object.assign(base.tables, structuredClone(collections?.rows));
  if (starts) base.starts = starts;
  const behaviours: Record<string, ToolBehaviour> = {};
  for (const [tool, fitted] of [...kept].sort(([a], [b]) => byText(a, b))) {
    const calls = byTool.get(tool) ?? [];
    behaviours[tool] = {
      effect: fitted.effect,
      behaviour: fitted.behaviour,
      rendering: fitted.whole ? { ...renderingOf(calls), wrap: [] } : renderingOf(calls),
      volatile: volatilePaths(fitted.behaviour, history),
      support: { seen: calls.length, reproduced: 0 },
    };
    if (!fitted.asked) continue;
    tables.push({
      name: fitted.asked.table,
      key: [...fitted.asked.key],
      internal: true,
      columns: fitted.asked.key.map((column) => ({ name: column, types: ["string"], present: 1 })),
    });
    base.tables[fitted.asked.table] = { ...fitted.asked.rows };
  }
  if (byTool.size === 0)
    for (const tool of tools) {
      const shape = shapeBehaviour(tool);
      if (shape) behaviours[tool.name] = shape;
    }
  const names = new Set(tables.map((table) => table.name));
  const gaps = [...tools]
    .filter((tool) => byTool.size === 0 || isRecorded(behaviours[tool.name]))
    .map((tool) => ({
      tool: tool.name,
      reason: byTool.has(tool.name)
        ? (kept.get(tool.name)?.why ?? "no behaviour explains its calls: only recorded ones are answered")
        : behaviours[tool.name]
          ? SHAPE_ONLY
          : "never observed",
      n: byTool.get(tool.name)?.length ?? 0,
    }));
  return {
    bundle: {
      v: 1,
      name,
      tools: [...tools],
      tables,
      now,
      behaviours,
      exceptions,
      gaps,
      ...(byTool.size === 0 ? { unobserved: true as const } : { footprints: reaches(tools, kept, footprints, names) }),
    },
    base,
  };
}

/** What each tool that is no reading one may change. */
function reaches(
  tools: readonly ToolDefinition[],
  kept: ReadonlyMap<string, FittedTool>,
  footprints: Footprints,
  names: ReadonlySet<string>,
): NonNullable<Bundle["footprints"]> {
  const looked = new Map<string, Set<string>>();
  for (const { behaviour } of kept.values())
    for (const [table, columns] of searchedColumns(behaviour.steps, names))
      looked.set(table, new Set([...(looked.get(table) ?? []), ...columns]));
  return Object.fromEntries(
    tools.flatMap((tool) => {
      const fitted = kept.get(tool.name);
      const effect = fitted?.effect ?? declaredEffect(tool) ?? effectByName(tool.name);
      return effect === "write" || footprints.writers.has(tool.name)
        ? [[tool.name, footprints.of(tool.name, fitted?.behaviour.steps ?? [], looked)]]
        : [];
    }),
  );
}

const isRecorded = (behaviour: ToolBehaviour | undefined): boolean =>
  behaviour === undefined || behaviour.behaviour.steps.some(({ op }) => op === "recorded");

/** Compiles tables with the row history that traces tell. */
export function compileRows(sessions: readonly Session[], options: CompileOptions): CompileResult {
  const byTool = callsByTool(sessions);
  const tools = manifest(options.tools, byTool);
  const collections = fitCollections(sessions, byTool, tools);
  const others = new Map([...byTool].filter(([tool]) => !collections?.tools.has(tool)));
  const taken = new Set(collections?.tables.map((table) => table.name));
  const { history, starts: rows } = initialStates(
    understand(sessions, others, tools, options.records, taken),
    sessions,
  );
  const starts = rows.size === 0 ? undefined : Object.fromEntries([...rows].sort(([a], [b]) => byText(a, b)));
  const now = frozenClock(sessions);
  const writes = allCalls(sessions).filter((call) => call.ok && history.writers.has(call.tool));
  const fittings = new Map(
    [...byTool].map(([tool, calls]): [string, readonly FittedTool[]] => {
      const fitted = collections?.tools.get(tool);
      if (fitted) return [tool, [fitted, recordedOnly(fitted.effect)]];
      return [tool, candidatesFor(tool, calls, history, writes)];
    }),
  );
  const candidates = withinLimits(fittings);
  const writers = [...fittings].flatMap(([tool, [first]]) => (first?.effect === "write" ? [tool] : []));
  const footprints = new Footprints(sessions, history, new Set([...history.writers, ...writers]));
  const make = (kept: ReadonlyMap<string, FittedTool>, exceptions: RecordedAnswer[]) =>
    bundleOf(options.name, tools, history, kept, byTool, now, exceptions, collections, starts, footprints);
  // A candidate is judged by what it answers on the state as it is, not by what gaps of others before it left unknown.
  const bare: typeof make = (kept, exceptions) => {
    const { bundle, base } = make(kept, exceptions);
    return { bundle: { ...bundle, footprints: {} }, base };
  };
  const kept = choose(candidates, bare, sessions);
  const plain = replayAll(make(kept, []), sessions, history.writers);
  const exceptions = exceptionsFrom(plain, history, writes);
  const result = make(kept, exceptions);
  // Without exceptions it is the same world again.
  const final = exceptions.length === 0 ? plain : replayAll(result, sessions, history.writers);
  for (const row of final) {
    const behaviour = result.bundle.behaviours[row.call.tool];
    if (behaviour && row.identical) behaviour.support.reproduced++;
  }
  return { ...result, report: reportOf(sessions, history, kept, result) };
}

/** The calls that a recording of the other traces would have answered as observed: what plain recording is worth on unseen sessions. */
function repeatedCalls(sessions: readonly Session[]): Set<Call> {
  const groups = new Map<string, Call[]>();
  for (const call of allCalls(sessions)) {
    const id = `${call.tool}\n${canon(call.args)}`;
    const list = groups.get(id);
    if (list) list.push(call);
    else groups.set(id, [call]);
  }
  const out = new Set<Call>();
  for (const calls of groups.values()) {
    if (calls.length < 2) continue;
    const traces = new Map<string, Set<number>>();
    for (const call of calls) {
      const text = canon(call.value);
      traces.set(text, (traces.get(text) ?? new Set()).add(call.trace));
    }
    for (const call of calls) if ((traces.get(canon(call.value))?.size ?? 0) > 1) out.add(call);
  }
  return out;
}

/** For each tool the candidate that, with exceptions over it, answers most observed calls as observed; the earlier on a tie. */
function choose(
  candidates: ReadonlyMap<string, readonly FittedTool[]>,
  make: (kept: ReadonlyMap<string, FittedTool>, exceptions: RecordedAnswer[]) => { bundle: Bundle; base: BaseState },
  sessions: readonly Session[],
): Map<string, FittedTool> {
  const rounds = Math.max(...[...candidates.values()].map((list) => list.length), 1);
  const repeated = repeatedCalls(sessions);
  const best = new Map<string, { fitted: FittedTool; score: number }>();
  for (let round = 0; round < rounds; round++) {
    const trial = new Map(
      [...candidates].map(([tool, list]) => [tool, (list[Math.min(round, list.length - 1)] ?? list[0]) as FittedTool]),
    );
    const scores = new Map<string, number>();
    const writers = new Set([...trial].filter(([, fitted]) => fitted.effect === "write").map(([tool]) => tool));
    for (const { call, identical, pristine, wrongSuccess } of replayAll(make(trial, []), sessions, writers)) {
      const worth = identical || (pristine && repeated.has(call)) ? 1 : wrongSuccess ? -1 : 0;
      scores.set(call.tool, (scores.get(call.tool) ?? 0) + worth);
    }
    for (const [tool, fitted] of trial) {
      const score = scores.get(tool) ?? 0;
      const held = best.get(tool);
      if (!held || score > held.score) best.set(tool, { fitted, score });
    }
  }
  return new Map([...best].map(([tool, { fitted }]) => [tool, fitted]));
}

function reportOf(
  sessions: readonly Session[],
  history: History,
  kept: ReadonlyMap<string, FittedTool>,
  { bundle, base }: { bundle: Bundle; base: BaseState },
): CompileReport {
  const behaviours: Record<string, number> = {};
  for (const { how } of kept.values()) {
    const kind = how.split(/[ ,]/)[0] as string;
    behaviours[kind] = (behaviours[kind] ?? 0) + 1;
  }
  const tables = Object.fromEntries(
    bundle.tables
      .filter((table) => !table.internal)
      .map((table) => [table.name, { rows: Object.keys(base.tables[table.name] ?? {}).length, key: table.key }]),
  );
  return {
    traces: sessions.length,
    calls: allCalls(sessions).length,
    tables,
    rows: Object.values(tables).reduce((total, { rows }) => total + rows, 0),
    conflicts: history.conflicts,
    behaviours,
    exceptions: bundle.exceptions.length,
    gaps: bundle.gaps.length,
    tools: Object.fromEntries(
      [...kept].map(([tool, { how, effect }]) => [
        tool,
        {
          how,
          effect,
          seen: bundle.behaviours[tool]?.support.seen ?? 0,
          reproduced: bundle.behaviours[tool]?.support.reproduced ?? 0,
        },
      ]),
    ),
  };
}

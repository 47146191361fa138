import type { BaseState, Bundle, RecordedAnswer, TableModel, ToolBehaviour, ToolDefinition } from "../bundle.ts";
import { fitCollections } from "./collections/index.ts";
import { withDoubts } from "./doubts.ts";
import { candidatesFor, enveloped, type FittedTool, recordedOnly } from "./fit-tool.ts";
import { awareOfGaps } from "./forgetting.ts";
import { buildHistory, findColumnReads, type History, Reader } from "./history.ts";
import { renderingOf, tableModels } from "./models.ts";
import { allCalls, type Call, callsByTool, type Session } from "./observations.ts";
import { addRecords } from "./records.ts";
import { type Beside, type FittedRegisters, findOwnRows, fitRegisters, keylessTools } from "./registers/index.ts";
import type { OwnRows } from "./registers/own-rows.ts";
import { type Proposals, SOURCES } from "./sources.ts";
import { findEntities } from "./tables.ts";
import { SHAPE_ONLY, shapeBehaviour } from "./unobserved.ts";
import { steadied } from "./unsteady.ts";
import { byText } from "./values.ts";
import { volatilePaths } from "./verify.ts";
import { findWriters } from "./writers.ts";

/** A world's parts before it is served. */
export interface Made {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

/** What may explain the calls of some sessions: candidates of every tool, the preferred first, and the world that a choice of them makes. */
export interface Fitted {
  readonly candidates: ReadonlyMap<string, readonly FittedTool[]>;
  make(kept: ReadonlyMap<string, FittedTool>, exceptions: RecordedAnswer[]): Made;
  readonly history: History;
  /** Calls that changed something. */
  readonly writes: readonly Call[];
}

/** What sessions are fitted with besides. */
export interface FitOptions {
  readonly name: string;
  readonly tools: readonly ToolDefinition[];
  readonly records?: Readonly<Record<string, unknown>>;
}

function understand(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  { tools, records }: FitOptions,
  taken: ReadonlySet<string>,
): History {
  const entities = findEntities(byTool, taken);
  const reader = new Reader(entities, findColumnReads(sessions, entities, byTool));
  const writers = findWriters(sessions, reader, byTool, new Map(tools.map((tool) => [tool.name, tool])));
  const history = buildHistory(sessions, entities, reader, writers);
  return records ? addRecords(history, records) : history;
}

/** Finds what may explain the calls of sessions. */
export function fitSessions(sessions: readonly Session[], options: FitOptions): Fitted {
  const { tools } = options;
  const byTool = callsByTool(sessions);
  const collections = fitCollections(sessions, byTool, tools);
  const keyed = without(byTool, collections?.tools);
  const registers = fitRegisters(sessions, keyed, tools, ownRows(sessions, keyed, options));
  const proposals = SOURCES.flatMap((source) => source({ sessions, byTool, tools }) ?? []);
  const groups = [collections, registers, ...proposals].filter((group) => group !== undefined);
  const others = without(without(byTool, collections?.tools), registers?.tools);
  const taken = new Set(groups.flatMap((group) => group.tables.map((table) => table.name)));
  const { history, starts: rows } = steadied(understand(sessions, others, options, taken), sessions);
  const starts = joinedStarts(rows, registers, proposals);
  const now = Math.max(0, ...sessions.map((session) => session.at));
  const writes = allCalls(sessions).filter((call) => call.ok && history.writers.has(call.tool));
  const fittings = new Map(
    [...byTool].map(([tool, calls]): [string, readonly FittedTool[]] => {
      const fitted = collections?.tools.get(tool);
      if (fitted) return [tool, [fitted, recordedOnly(fitted.effect)]];
      const reading = registers?.tools.get(tool);
      if (reading) return [tool, [reading]];
      return [tool, beside(registers?.besides.get(tool), candidatesFor(tool, calls, history, writes))];
    }),
  );
  const own = enveloped(awareOfGaps(withDoubts(fittings, history, byTool)));
  return {
    candidates: withProposals(own, proposals),
    make: (kept, exceptions) => bundleOf(options, history, kept, byTool, now, exceptions, groups, starts),
    history,
    writes,
  };
}

/** Candidates with those of other sources behind them; that nothing but recorded answers is known comes last. */
function withProposals(
  own: ReadonlyMap<string, readonly FittedTool[]>,
  proposals: readonly Proposals[],
): ReadonlyMap<string, readonly FittedTool[]> {
  if (proposals.length === 0) return own;
  return new Map(
    [...own].map(([tool, list]) => {
      const more = proposals.flatMap(({ source, tools }) =>
        (tools.get(tool) ?? []).map((fitted) => ({ ...fitted, how: `${source}:${fitted.how}` })),
      );
      const last = list.at(-1)?.how === "recorded" ? list.length - 1 : list.length;
      return [tool, [...list.slice(0, last), ...more, ...list.slice(last)]];
    }),
  );
}

/** What keyed rows were before every call, as far as tools that are told ids show them: readings of what has no key may rest on them. */
function ownRows(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  options: FitOptions,
): OwnRows | undefined {
  const keyless = keylessTools(sessions, byTool);
  const others = new Map([...byTool].filter(([tool]) => !keyless.has(tool)));
  if (keyless.size === 0 || others.size === 0) return undefined;
  const { history, starts } = steadied(understand(sessions, others, options, new Set()), sessions);
  if (history.entities.size === 0) return undefined;
  const writes = allCalls(sessions).filter((call) => call.ok && history.writers.has(call.tool));
  const fitted = new Map([...others].map(([tool, calls]) => [tool, candidatesFor(tool, calls, history, writes)]));
  const known = enveloped(awareOfGaps(withDoubts(fitted, history, others)));
  const kept = new Map([...known].flatMap(([tool, [first]]) => (first ? [[tool, first] as const] : [])));
  const now = Math.max(0, ...sessions.map((session) => session.at));
  const made = bundleOf(options, history, kept, others, now, [], [], joinedStarts(starts, undefined, []));
  return findOwnRows(made, sessions, history, keyless);
}

/** What sessions of one group alone start with, by group: rows of tables, and readings. */
function joinedStarts(
  rows: ReturnType<typeof steadied>["starts"],
  registers: FittedRegisters | undefined,
  proposals: readonly Proposals[],
): BaseState["starts"] {
  const more = [registers, ...proposals].flatMap((group) => group?.starts ?? []);
  const names = [...new Set([rows, ...more].flatMap((starts) => [...starts.keys()]))].sort(byText);
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => [name, Object.assign({}, rows.get(name), ...more.map((starts) => starts.get(name)))]),
  );
}

function without(
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<string, readonly Call[]> {
  return new Map([...byTool].filter(([tool]) => !tools?.has(tool)));
}

/** Behaviours with what their calls do besides, ahead of their own steps. */
function beside(steps: Beside | undefined, candidates: readonly FittedTool[]): readonly FittedTool[] {
  if (!steps) return candidates;
  return candidates.map((fitted) => {
    const ahead = fitted.behaviour.steps[0]?.op === "recorded" ? steps.unknown : steps.known;
    return { ...fitted, behaviour: { v: 1, steps: [...ahead, ...fitted.behaviour.steps] } };
  });
}

function bundleOf(
  { name, tools }: FitOptions,
  history: History,
  kept: ReadonlyMap<string, FittedTool>,
  byTool: ReadonlyMap<string, readonly Call[]>,
  now: number,
  exceptions: RecordedAnswer[],
  groups: readonly Pick<Proposals, "tables" | "rows">[],
  starts: BaseState["starts"],
): Made {
  const tables: TableModel[] = [...tableModels(history), ...groups.flatMap((group) => group.tables)];
  const base: BaseState = { tables: { ...history.base }, drawn: {} };
  for (const { rows } of groups) Object.assign(base.tables, structuredClone(rows));
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
  const gaps = [...tools]
    .filter((tool) => byTool.size === 0 || isRecorded(behaviours[tool.name]))
    .map((tool) => ({
      tool: tool.name,
      reason: byTool.has(tool.name)
        ? "no behaviour explains its calls: only recorded ones are answered"
        : behaviours[tool.name]
          ? SHAPE_ONLY
          : "never observed",
      n: byTool.get(tool.name)?.length ?? 0,
    }));
  const bundle: Bundle = {
    v: 1,
    name,
    tools: [...tools],
    tables,
    now,
    behaviours,
    exceptions,
    gaps,
    ...(byTool.size === 0 ? { unobserved: true as const } : {}),
  };
  return { bundle, base };
}

const isRecorded = (behaviour: ToolBehaviour | undefined): boolean =>
  behaviour === undefined || behaviour.behaviour.steps.some(({ op }) => op === "recorded");

import type { Behaviour } from "../../behaviour/schema.ts";
import type { Bundle, TableModel, ToolDefinition } from "../../bundle.ts";
import type { JsonObject } from "../../json.ts";
import type { FittedTool } from "../fit/fit-tool.ts";
import { renderingOf } from "../models.ts";
import type { Call, Session } from "../observations.ts";
import { replayAll } from "../verify.ts";
import { readCandidates } from "./reads.ts";
import { initialRows, ORDER } from "./rows.ts";
import { type Collection, findShapes } from "./shapes.ts";
import { writeCandidates } from "./writes.ts";

/** Fits tools that take and answer rows in lists: their tables, the initial rows, and what each tool does. */
export interface FittedCollections {
  readonly tables: readonly TableModel[];
  readonly rows: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly tools: ReadonlyMap<string, FittedTool>;
}

/** Sessions that hypotheses are tried on. */
const TRIED = 40;
/** The share of a tool's calls that its behaviour must answer as observed. */
const RIGHT = 0.8;

/**
 * Fits the tools of lists: every reading of their arguments and answers is tried in replays of whole sessions, one tool
 * at a time beside the best of the others, until none gets better. Undefined where no tool takes whole rows in a list,
 * or where nothing explains them.
 */
export function fitCollections(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  listing: readonly ToolDefinition[],
): FittedCollections | undefined {
  const shapes = findShapes(byTool, new Map(listing.map((tool) => [tool.name, tool])));
  if (!shapes) return undefined;
  const { collections, readers, batches } = shapes;
  if (collections.some(({ columns }) => columns.includes(ORDER))) return undefined;
  const tables = new Map(collections.map((table) => [table.name, table]));
  const reads = new Map(readers.map((reader) => [reader.tool, readCandidates(reader, tables)]));
  const writes = new Map(batches.map((batch) => [batch.tool, writeCandidates(batch, collections)]));
  const candidates = new Map([...reads, ...writes].filter(([, list]) => list.length > 0));
  if (
    ![...candidates.keys()].some((tool) => reads.has(tool)) ||
    ![...candidates.keys()].some((tool) => writes.has(tool))
  )
    return undefined;
  const trial = new Trial(
    sessions,
    collections,
    initialRows(sessions, collections, readers),
    byTool,
    listing,
    new Set(writes.keys()),
  );
  const kept = new Map([...candidates].map(([tool, list]) => [tool, list[0] as Behaviour]));
  for (let round = 0; round < 3; round++) {
    // Reads change nothing: all of them are tried at once.
    let better = improve([...reads.keys()], candidates, kept, trial);
    for (const tool of writes.keys()) better = improve([tool], candidates, kept, trial) || better;
    if (!better) break;
  }
  const shares = trial.shares(kept);
  const tools = new Map(
    [...kept]
      .filter(([tool]) => (shares.get(tool) ?? 0) >= RIGHT)
      .map(([tool, behaviour]): [string, FittedTool] => [
        tool,
        {
          behaviour,
          effect: writes.has(tool) ? "write" : "read",
          how: reads.has(tool) ? "search" : "write",
          whole: true,
        },
      ]),
  );
  return tools.size < 2 ? undefined : { tables: trial.tables, rows: trial.rows, tools };
}

/** Tries the candidates of some tools, all at their n-th at once, and keeps for each the one with which most calls come out as observed. */
function improve(
  tools: readonly string[],
  candidates: ReadonlyMap<string, readonly Behaviour[]>,
  kept: Map<string, Behaviour>,
  trial: Trial,
): boolean {
  const open = tools.filter((tool) => (candidates.get(tool)?.length ?? 0) > 1);
  if (open.length === 0) return false;
  const alone = open.length === 1;
  const scoreOf = (scores: ReadonlyMap<string, number>, tool: string) =>
    alone ? [...scores.values()].reduce((sum, n) => sum + n, 0) : (scores.get(tool) ?? 0);
  const before = trial.scores(kept);
  const best = new Map(open.map((tool) => [tool, scoreOf(before, tool)]));
  const found = new Map<string, Behaviour>();
  const rounds = Math.max(...open.map((tool) => candidates.get(tool)?.length ?? 0));
  for (let n = 0; n < rounds; n++) {
    const tried = new Map(kept);
    for (const tool of open) {
      const candidate = candidates.get(tool)?.[n];
      if (candidate) tried.set(tool, candidate);
    }
    const scores = trial.scores(tried);
    for (const tool of open) {
      const candidate = candidates.get(tool)?.[n];
      if (!candidate || scoreOf(scores, tool) <= (best.get(tool) ?? 0)) continue;
      best.set(tool, scoreOf(scores, tool));
      found.set(tool, candidate);
    }
  }
  for (const [tool, behaviour] of found) kept.set(tool, behaviour);
  return found.size > 0;
}

/** Replays of some sessions with some behaviours. */
class Trial {
  readonly tables: readonly TableModel[];
  readonly rows: FittedCollections["rows"];
  private readonly sessions: readonly Session[];
  private readonly byTool: ReadonlyMap<string, readonly Call[]>;
  private readonly listing: readonly ToolDefinition[];
  private readonly writers: ReadonlySet<string>;

  constructor(
    sessions: readonly Session[],
    collections: readonly Collection[],
    rows: FittedCollections["rows"],
    byTool: ReadonlyMap<string, readonly Call[]>,
    listing: readonly ToolDefinition[],
    writers: ReadonlySet<string>,
  ) {
    const step = Math.max(1, sessions.length / TRIED);
    this.sessions = Array.from(
      { length: Math.min(TRIED, sessions.length) },
      (_, i) => sessions[Math.floor(i * step)] as Session,
    );
    this.rows = rows;
    this.byTool = byTool;
    this.listing = listing;
    this.writers = writers;
    this.tables = collections.map((table) => modelOf(table));
  }

  private replay(behaviours: ReadonlyMap<string, Behaviour>) {
    const bundle: Bundle = {
      v: 1,
      name: "trial",
      tools: [...this.listing],
      tables: [...this.tables],
      now: 0,
      behaviours: Object.fromEntries(
        [...behaviours].map(([tool, behaviour]) => [
          tool,
          {
            effect: this.writers.has(tool) ? ("write" as const) : ("read" as const),
            behaviour,
            rendering: { ...renderingOf(this.byTool.get(tool) ?? []), wrap: [] },
            volatile: [],
            support: { seen: 0, reproduced: 0 },
          },
        ]),
      ),
      exceptions: [],
      gaps: [],
    };
    const base = { tables: structuredClone(this.rows) as Record<string, Record<string, JsonObject>>, drawn: {} };
    return replayAll({ bundle, base }, this.sessions, this.writers).filter(({ call }) => behaviours.has(call.tool));
  }

  /** Calls per tool that come out as observed, less successes that do not. */
  scores(behaviours: ReadonlyMap<string, Behaviour>): Map<string, number> {
    const out = new Map<string, number>();
    for (const { call, identical, wrongSuccess } of this.replay(behaviours))
      out.set(call.tool, (out.get(call.tool) ?? 0) + (identical ? 1 : wrongSuccess ? -1 : 0));
    return out;
  }

  /** The share of each tool's calls that come out as observed. */
  shares(behaviours: ReadonlyMap<string, Behaviour>): Map<string, number> {
    const seen = new Map<string, [right: number, n: number]>();
    for (const { call, identical } of this.replay(behaviours)) {
      const [right, n] = seen.get(call.tool) ?? [0, 0];
      seen.set(call.tool, [right + (identical ? 1 : 0), n + 1]);
    }
    return new Map([...seen].map(([tool, [right, n]]) => [tool, right / n]));
  }
}

function modelOf({ name, key, columns, texts, lists }: Collection): TableModel {
  return {
    name,
    key: [...key],
    columns: [
      ...columns.map((column) => ({
        name: column,
        types: [
          texts.includes(column) ? "string" : lists.includes(column) ? "array" : "object",
        ] as TableModel["columns"][number]["types"],
        present: 1,
      })),
      { name: ORDER, types: ["number"], format: "integer", present: 1 },
    ],
  };
}

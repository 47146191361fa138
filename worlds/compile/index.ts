import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import type { ObservedTrace } from "../observation.ts";
import { select, selectUnjudged } from "../select/index.ts";
import { remember } from "../select/remember.ts";
import { fitSessions } from "./fit.ts";
import type { FittedTool } from "./fit-tool.ts";
import type { History } from "./history.ts";
import { manifest } from "./listing.ts";
import { allCalls, callsByTool, observe, type Session } from "./observations.ts";

/** What a compile is told besides traces. */
export interface CompileOptions {
  readonly name: string;
  readonly tools?: readonly ToolDefinition[];
  /** A database export: tables of rows, by key or as lists. It completes the initial state. */
  readonly records?: Readonly<Record<string, unknown>>;
}

/** Counts of a compile, per tool and in all. */
export interface CompileReport {
  readonly traces: number;
  readonly calls: number;
  readonly tables: Readonly<Record<string, { rows: number; key: readonly string[] }>>;
  readonly rows: number;
  /** Sights of rows that contradicted an earlier one; the newest was kept. */
  readonly conflicts: number;
  /** Tools by how their behaviour was found. */
  readonly behaviours: Readonly<Record<string, number>>;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, { how: string; effect: "read" | "write"; seen: number; reproduced: number }>>;
}

/** A compiled world: its behaviour, its first state, and how each tool's was found. */
export interface CompileResult {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly report: CompileReport;
}

/** Compiles observed traces to a bundle and its initial state. The same traces, tools and records give the same bytes of canonical JSON, whatever the order of the traces. Never throws on odd evidence: what it cannot explain stays recorded or a gap. */
export function compile(traces: readonly ObservedTrace[], options: CompileOptions): CompileResult {
  const sessions = observe(traces);
  const byTool = callsByTool(sessions);
  const tools = manifest(options.tools, byTool);
  const given = { ...options, tools };
  const listed = new Set((options.tools ?? tools).map(({ name }) => name));
  const unlisted = [...byTool.keys()].some((tool) => !listed.has(tool));
  const fitted = fitSessions(sessions, given);
  const { choice, exceptions, table, trust } = select(
    sessions,
    fitted,
    (part) => fitSessions(part, given),
    tools,
    unlisted,
  );
  const made = fitted.make(choice, exceptions);
  const { history, reproduced } = remember(made, table, trust, sessions, fitted.history.writers);
  for (const [tool, n] of reproduced) {
    const behaviour = made.bundle.behaviours[tool];
    if (behaviour) behaviour.support.reproduced = n;
  }
  const bundle = sessions.length === 0 ? made.bundle : { ...made.bundle, history, trust };
  const result = { bundle, base: made.base };
  return { ...result, report: reportOf(sessions, fitted.history, choice, result) };
}

/** What behaviours alone make of traces, taken at their word: no layer stands beside them and nothing is held out. */
export function compileBehaviours(traces: readonly ObservedTrace[], options: CompileOptions): CompileResult {
  const sessions = observe(traces);
  const tools = manifest(options.tools, callsByTool(sessions));
  const fitted = fitSessions(sessions, { ...options, tools });
  const { choice, exceptions } = selectUnjudged(sessions, fitted);
  const made = fitted.make(choice, exceptions);
  return { ...made, report: reportOf(sessions, fitted.history, choice, made) };
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

import { compileBehaviour } from "../behaviour/program.ts";
import type { BaseState, Bundle, Footprint, TableModel } from "../bundle.ts";
import { renderingOf } from "../compile/models.ts";
import type { Call } from "../compile/observations.ts";
import { generatedColumns } from "../declare.ts";
import { getOwn, type Json, type JsonObject, setOwn } from "../json.ts";
import { joinKey } from "../state/keys.ts";
import { programOf, tablesOf } from "./program.ts";
import type { Proposal, ProposedTool } from "./schema.ts";
import { type Cuts, isReading } from "./units.ts";

/** A compiled world. */
export interface Made {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

type TableFootprint = Footprint["tables"][string];
const WHOLE: TableFootprint = { named: "*", near: "*", others: "*", made: true };

/** What a proposed tool's program reads and writes, cut cases included. */
export function touchesOf(
  tool: ProposedTool,
  tables: readonly TableModel[],
): { readonly reads: Set<string>; readonly writes: Set<string> } {
  const { keyed, scanned, written } = compileBehaviour(programOf(tool), { tables });
  return { reads: new Set([...keyed, ...scanned]), writes: new Set(written) };
}

/**
 * A world with programs of a proposal in place of what it had for their tools. What such a tool may have changed of the
 * tables that its program does not write is unknown after each call; what other tools may change of the proposal's tables
 * is, where they are not shown to leave these alone.
 */
export function withPrograms(
  { bundle, base }: Made,
  proposal: Proposal,
  taken: ReadonlySet<string>,
  cuts: Cuts,
  byTool: ReadonlyMap<string, readonly Call[]>,
  probe = false,
): Made {
  const own = tablesOf(proposal);
  const tables = [...bundle.tables, ...own];
  const behaviours = { ...bundle.behaviours };
  const footprints = { ...bundle.footprints };
  const tools = proposal.tools.filter(({ name }) => taken.has(name));
  const touches = new Map(proposal.tools.map((tool) => [tool.name, touchesOf(tool, tables)]));
  const reaches = reachesOf(proposal, own);
  for (const tool of tools) {
    const calls = byTool.get(tool.name) ?? [];
    const behaviour = programOf(tool, cuts.casesOf(tool.name), probe);
    const writes = touches.get(tool.name)?.writes ?? new Set<string>();
    setOwn(behaviours, tool.name, {
      effect: writes.size > 0 ? "write" : "read",
      behaviour,
      rendering: { ...renderingOf(calls), wrap: [] },
      volatile: generatedColumns(behaviour, tables),
      support: { seen: calls.length, reproduced: 0 },
    });
    const before = getOwn(bundle.footprints ?? {}, tool.name);
    const footprint = footprintOf(before, writes, reaches);
    if (Object.keys(footprint.tables).length > 0) setOwn(footprints, tool.name, footprint);
  }
  for (const tool of bundle.tools) {
    if (taken.has(tool.name)) continue;
    const writes = touches.get(tool.name)?.writes;
    const apart = writes === undefined || writes.size === 0;
    if (apart && (isReading(tool) || !cuts.has({ kind: "apart", tool: tool.name }))) continue;
    const doubted: Footprint["tables"] = { ...getOwn(bundle.footprints ?? {}, tool.name)?.tables };
    for (const { name } of own) setOwn(doubted, name, withDoubt(reaches.get(name) ?? WHOLE));
    setOwn(footprints, tool.name, { tables: doubted });
  }
  return {
    bundle: {
      ...bundle,
      tables,
      behaviours,
      footprints,
      exceptions: bundle.exceptions.filter(({ tool }) => !taken.has(tool)),
      gaps: bundle.gaps.filter(({ tool }) => !taken.has(tool)),
    },
    base: withStart(base, proposal, cuts),
  };
}

/** What is left open of each table where a call is not understood: which rows there are only where programs make or remove some. */
function reachesOf({ tools }: Proposal, own: readonly TableModel[]): Map<string, TableFootprint> {
  const moved = new Set(
    tools.flatMap(({ cases }) =>
      cases.flatMap(({ steps }) => steps.flatMap((s) => (s.op === "insert" || s.op === "delete" ? [s.table] : []))),
    ),
  );
  return new Map(
    own.map(({ name, key, columns }) => {
      const cells = columns.map((column) => column.name).filter((column) => !key.includes(column));
      return [name, moved.has(name) ? WHOLE : { named: cells, near: cells, others: cells }];
    }),
  );
}

const withDoubt = (reach: TableFootprint): TableFootprint => {
  const { doubted: _, ...plain } = reach;
  return { ...plain, doubted: plain };
};

/** The footprint of a tool with a new program: what the program writes where calls fail, and all that they did before. */
function footprintOf(
  before: Footprint | undefined,
  writes: ReadonlySet<string>,
  reaches: ReadonlyMap<string, TableFootprint>,
): Footprint {
  const tables: Footprint["tables"] = {};
  for (const [table, reach] of Object.entries(before?.tables ?? {}))
    setOwn(tables, table, writes.has(table) ? reach : withDoubt(reach));
  for (const table of writes) setOwn(tables, table, reaches.get(table) ?? WHOLE);
  return { tables };
}

/** The first state with the proposal's rows; a column that a row lacks, or that is cut, is not known. */
function withStart(base: BaseState, { tables }: Proposal, cuts: Cuts): BaseState {
  const rows: BaseState["tables"] = { ...base.tables };
  const unknown: NonNullable<BaseState["unknown"]> = { ...base.unknown };
  for (const { name, key, columns, start = [] } of tables) {
    const all = [...new Set([...columns, ...start.flatMap((row) => Object.keys(row))])].filter((c) => !key.includes(c));
    const into: Record<string, JsonObject> = {};
    for (const row of start) {
      const own = joinKey(key.map((column) => row[column] as Json | undefined));
      if (own === undefined) continue;
      const known = Object.entries(row).filter(([c]) => key.includes(c) || !cuts.hides(name, c, own));
      setOwn(into, own, Object.fromEntries(known) as JsonObject);
    }
    setOwn(rows, name, into);
    const keys = Object.keys(into);
    if (keys.length > 0 && all.length > 0) setOwn(unknown, name, [{ columns: all, keys }]);
  }
  return { ...base, tables: rows, ...(Object.keys(unknown).length > 0 ? { unknown } : {}) };
}

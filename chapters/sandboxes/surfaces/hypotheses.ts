import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import type { BundleRecord, Environment } from "../../records/sandboxes/sandboxes.ts";
import { evidenceOf, readInputs } from "./surface-evidence.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** A named representation of a surface that worlds are drawn from. */
export type Hypothesis = Doc<typeof Environment>["hypothesis"];

/** Every hypothesis with what its worlds hold. */
export const HYPOTHESES: readonly { readonly hypothesis: Hypothesis; readonly holds: string }[] = [
  { hypothesis: "observed", holds: "The rows that evidence showed, and no other." },
  { hypothesis: "fitted", holds: "The observed rows, and rows drawn to fit them." },
  { hypothesis: "export", holds: "The rows of the database export alone, in the tables that it has." },
  { hypothesis: "declared", holds: "The rows of the bundle, under the behaviours that were declared for its tools." },
];

/** Why a bundle has no representation of this name; undefined where it has. */
export async function missingFor(ctx: Ctx, bundle: BundleDoc, hypothesis: Hypothesis): Promise<string | undefined> {
  if (hypothesis === "observed" || hypothesis === "fitted") return undefined;
  if (hypothesis === "declared")
    return bundle.declared
      ? undefined
      : "Nothing has been declared over this surface; surface_world_redraw declares tools.";
  const evidence = await evidenceOf(ctx, bundle.evidence);
  return evidence.some(isExport) ? undefined : "The surface has no database export among its evidence.";
}

function isExport(row: Doc<typeof Evidence>): boolean {
  return row.kind === "document" && row.format === "records";
}

/** The rows that a hypothesis starts from. */
export async function startingRows(
  ctx: Ctx,
  record: BundleDoc,
  world: { readonly bundle: Bundle; readonly base: BaseState },
  hypothesis: Hypothesis,
): Promise<BaseState> {
  if (hypothesis !== "export") return world.base;
  const evidence = (await evidenceOf(ctx, record.evidence)).filter(isExport);
  const { records } = await readInputs(ctx, evidence);
  if (!records) throw conflict("The surface has no database export among its evidence.", { by: "evidence_post" });
  return exportedRows(world.bundle, world.base, records);
}

const KEY_SEPARATOR = "\u001f";

/** A base with only the export's rows in the export's tables; a table is matched by its columns and keys. */
export function exportedRows(bundle: Bundle, base: BaseState, records: Readonly<Record<string, unknown>>): BaseState {
  const tables = { ...base.tables };
  for (const [name, rows] of Object.entries(records)) {
    if (!Array.isArray(rows)) continue;
    const found = bundle.tables
      .filter((table) => table.internal !== true)
      .map((table) => ({ table: table.name, keyed: keyedRows(rows, table.key) }))
      .filter(({ table, keyed }) => [...keyed.keys()].some((key) => base.tables[table]?.[key] !== undefined))
      .map((one) => ({
        ...one,
        alike: columnsShared(rows, base.tables[one.table] ?? {}) + (one.table === name ? 0.5 : 0),
      }))
      .sort((a, b) => b.alike - a.alike)[0];
    if (found) tables[found.table] = Object.fromEntries(found.keyed);
  }
  return { ...base, tables, drawn: {} };
}

const SAMPLE = 50;

function columnsShared(rows: readonly unknown[], table: Readonly<Record<string, Record<string, unknown>>>): number {
  const of = (some: readonly unknown[]) => new Set(some.slice(0, SAMPLE).flatMap((row) => Object.keys(row as object)));
  const [given, known] = [of(rows), of(Object.values(table))];
  return [...given].filter((column) => known.has(column)).length / Math.max(1, given.size, known.size);
}

function keyedRows(rows: readonly unknown[], key: readonly string[]): Map<string, Record<string, unknown>> {
  const keyed = new Map<string, Record<string, unknown>>();
  for (const row of rows as Record<string, unknown>[]) {
    const parts = key.map((column) => row[column]);
    if (parts.every((part) => ["string", "number", "boolean"].includes(typeof part)))
      keyed.set(parts.join(KEY_SEPARATOR), row);
  }
  return keyed;
}

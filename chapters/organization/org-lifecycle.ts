import { actLine } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { badField, conflict, orNotFound } from "../errors.ts";
import { KINDS } from "../kinds.ts";
import type { RowCounts } from "../ports/store.ts";
import { ORG_TAG } from "./tag.ts";

/** Ids that a preview names of each kind; the others are counted. */
const NAMED = 50;
/** Tables with what was read of evidence, beside the evidence records themselves. */
const SIDECARS = ["traces", "blobs"] as const;

/** What deletion would remove, counted now in every table. Nothing is changed. */
export async function purgePreview(ctx: Ctx) {
  const [tables, kinds] = await Promise.all([ctx.lifecycle.rows(), ctx.store.records.kinds()]);
  const records = Object.fromEntries(kinds.map(({ kind, count }) => [kind, count]));
  const ids: Record<string, string[]> = {};
  for (const kind of KINDS) {
    if (records[kind.kind] === undefined) continue;
    const page = await ctx.store.records.list(kind, { limit: NAMED, order: "oldest" });
    ids[kind.kind] = page.items.map((doc) => String(doc.id));
  }
  return {
    org: ctx.org.tag,
    records,
    evidence_sidecars: Object.fromEntries(SIDECARS.map((table) => [table, tables[table] ?? 0])),
    ontology_graph: Object.entries(records)
      .filter(([kind]) => /^(ontology|dimension)/.test(kind))
      .reduce((sum, [, count]) => sum + count, 0),
    ids,
    jobs_note: await jobsNote(ctx),
    tables: { ...tables },
    total: totalOf(tables),
    tier: "deterministic" as const,
  };
}

async function jobsNote(ctx: Ctx): Promise<string> {
  const { items, next } = await ctx.store.jobs.list({ live: true, limit: 500 });
  if (items.length === 0) return "No job is under way.";
  const many = next === undefined ? `${items.length}` : `More than ${items.length}`;
  return `${many} ${items.length === 1 ? "job is" : "jobs are"} queued, held or running: deletion ends them first, and what they write until then goes too.`;
}

/** Deletes the org with everything it owns; it cannot be undone. `confirm` must be the org's own tag. */
export async function deleteOrg(ctx: Ctx, input: { readonly confirm: string }) {
  if (input.confirm !== ctx.org.tag) {
    throw badField("confirm", "must be the tag of the org: deletion removes everything and cannot be undone");
  }
  const kinds = await ctx.store.records.kinds();
  const removed = orNotFound(await ctx.lifecycle.remove(ctx.caller.kind), "org");
  return {
    org: ctx.org.tag,
    deleted: true as const,
    records: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
    tables: { ...removed.rows },
    total: totalOf(removed.rows),
    scrubbed: removed.scrubbed,
    note: removed.scrubbed
      ? "Every row is gone, and what was deleted is out of the database's own files as far as its engine can. Copies that the operator made are the operator's to delete."
      : "Every row is gone. What was deleted could not be taken out of the database's own files yet; it is tried again at the next start.",
    tier: "deterministic" as const,
  };
}

/** Gives the org another tag; its records, tokens and links by id stay as they are. */
export async function renameOrg(ctx: Ctx, input: { readonly to: string; readonly by?: string | undefined }) {
  const { to } = input;
  if (!ORG_TAG.test(to)) throw badField("to", "1 to 63 lower-case letters, digits and inner hyphens");
  if (to === ctx.org.tag) throw badField("to", "is the tag the org has");
  const rows = await ctx.lifecycle.rows();
  // The tag before is the org's own text and stays in the org's own chain.
  const line = actLine(ctx, "org_renamed", { from: ctx.org.tag, to }, input.by);
  if (!(await ctx.lifecycle.rename(to, line))) throw conflict("Another org has this tag.");
  return {
    org: to,
    was: ctx.org.tag,
    moved: totalOf(rows),
    note: "Every record moved at once. Tokens and ids stay valid; addresses that name the tag before answer no more.",
    tier: "deterministic" as const,
  };
}

function totalOf(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

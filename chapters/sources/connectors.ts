import { z } from "zod";
import { digestOf } from "../../worlds/digest.ts";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError, badField, notFound } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import { everyRow } from "../page.ts";
import type { RecordChange } from "../ports/store.ts";
import type { Doc } from "../record.ts";
import { Connector, ConnectorTier } from "../records/sources/sources.ts";
import { Reply } from "../reply.ts";
import { restore, retire } from "../retirement.ts";
import { CATALOG, CATEGORIES, type CatalogRow } from "./connector-catalog.ts";

type ConnectorDoc = Doc<typeof Connector>;

/** The class that a promoted connector moves to. */
const PROMOTION_TIER = "core" as const;
/** The highest regression rate with which a connector is promoted. */
const PROMOTABLE_RATE = 0.02;

/** A row of the catalog as answered. Its `tier` is the connector's class, not how a number was made. */
export const ConnectorView = z.object({
  id: z.string(),
  name: z.string(),
  category: z.string(),
  tier: ConnectorTier,
  version: z.string().optional(),
  regression_rate: z.number().optional().describe("0..1; absent until it is measured."),
  rerun_due: z.boolean().describe("Whether a new version waits to be measured."),
  eval_set: z.string().optional().describe("Of a standard or core connector: its category's."),
  promote: z.boolean().describe("Standard, no rerun due, and a known regression rate of at most 0.02."),
  retired: z.boolean(),
  retired_at: z.number().optional(),
  retired_by: z.string().optional(),
  retired_reason: z.string().optional(),
  updated_at: z.number().optional().describe("When this org last changed it."),
  by: z.string().optional(),
});
type ConnectorView = z.infer<typeof ConnectorView>;

/** The catalog: the rows that every org begins with, and the org's own over them. */
export async function listConnectors(ctx: Ctx, input: { readonly retired?: boolean | undefined }) {
  const all = (await catalog(ctx)).map(view);
  const shown = all.filter((row) => input.retired === true || !row.retired);
  const count = (keep: (row: ConnectorView) => boolean) => all.filter(keep).length;
  const live = (row: ConnectorView) => !row.retired;
  const categories = [...new Set([...CATEGORIES.map(({ id }) => id), ...all.map((row) => row.category)])].map((id) => {
    const known = CATEGORIES.find((each) => each.id === id);
    return {
      id,
      name: known?.name ?? id,
      ...(known === undefined ? {} : { eval_set: known.eval_set }),
      connectors: count((row) => live(row) && row.category === id),
    };
  });
  return {
    org: ctx.org.tag,
    categories,
    connectors: shown,
    counts: {
      all: count(live),
      retired: all.length - count(live),
      promote: count((row) => row.promote),
      rerun_due: count((row) => live(row) && row.rerun_due),
      ...Object.fromEntries(
        ConnectorTier.options.map((tier) => [tier, count((row) => live(row) && row.tier === tier)]),
      ),
    },
    promotion_tier: PROMOTION_TIER,
    tier: "deterministic" as const,
  };
}

/** A row as it is sent. */
export const ConnectorInput = z
  .object({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,59}$/)
      .describe("Lower-case letters, digits and hyphens."),
    name: z.string().min(1).max(100),
    category: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,59}$/)
      .describe("As connectors_list has it, or a new one."),
    tier: ConnectorTier.optional().describe("The connector's class."),
    version: z.string().min(1).max(60).optional(),
    regression_rate: z.number().min(0).max(1).optional().describe("0..1; absent where it is not measured."),
    rerun_due: z.boolean().optional().describe("Whether a new version waits to be measured."),
    retired: z.boolean().optional(),
    eval_set: z.string().optional().describe("Computed; a row may be sent back as it was listed."),
    promote: z.boolean().optional().describe("Computed; a row may be sent back as it was listed."),
  })
  .strict();

/** Adds rows or writes over those of the same id. The same rows again change nothing. */
export async function upsertConnectors(
  ctx: Ctx,
  input: { readonly connectors: readonly z.infer<typeof ConnectorInput>[]; readonly by?: string | undefined },
) {
  const ids = input.connectors.map(({ id }) => id);
  const twice = ids.findIndex((id, i) => ids.indexOf(id) !== i);
  if (twice !== -1) throw badField(`connectors.${twice}.id`, "is given twice");
  const by = actor(ctx, input.by);
  const { rows, counts } = await upsertedOnce(ctx, input.connectors, by);
  if (counts.created + counts.updated > 0)
    await auditAct(ctx, "connectors_upserted", { created: counts.created, updated: counts.updated }, input.by);
  return new Reply(counts.created > 0 ? 201 : 200, { org: ctx.org.tag, connectors: rows, ...counts, by });
}

/** How often rows are written again over what another wrote meanwhile. */
const TRIES = 5;

/** Writes the rows over those that were read, all or none; where another was first they are read again. */
async function upsertedOnce(ctx: Ctx, given: readonly z.infer<typeof ConnectorInput>[], by: string) {
  for (let tries = 1; ; tries++) {
    const { changes, ...answer } = upserted(ctx, await catalog(ctx), given, by);
    try {
      await ctx.store.records.apply(changes);
      return answer;
    } catch (error) {
      if (tries === TRIES || !(error instanceof AppError) || error.code !== "conflict") throw error;
    }
  }
}

function upserted(ctx: Ctx, all: readonly Row[], input: readonly z.infer<typeof ConnectorInput>[], by: string) {
  const known = new Map(all.map((row) => [row.id, row]));
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const rows: ConnectorView[] = [];
  const changes: RecordChange[] = [];
  for (const given of input) {
    const before = known.get(given.id);
    const after = marked(ctx, changed(before ?? blank({ ...given, tier: "experimental" }), given), { ...given, by });
    if (before && same(before, after)) {
      counts.unchanged++;
      rows.push(view(after));
      continue;
    }
    counts[before ? "updated" : "created"]++;
    const doc = stamped(ctx, before, after, by);
    rows.push(view(doc));
    changes.push(
      before?.created_at === undefined
        ? { op: "insert", kind: Connector, doc }
        : { op: "put", kind: Connector, doc, expect: digestOf(before) },
    );
  }
  return { rows, counts, changes };
}

/** What `connector_patch` takes. */
export const ConnectorPatch = z.object({
  ...orgRef,
  cid: z.string().min(1).max(60).describe("The connector's id."),
  name: ConnectorInput.shape.name.optional(),
  category: ConnectorInput.shape.category.optional(),
  tier: ConnectorTier.optional().describe("The connector's class."),
  version: z.string().min(1).max(60).optional(),
  regression_rate: z.number().min(0).max(1).nullable().optional().describe("0..1; null for not measured."),
  rerun_due: z.boolean().optional().describe("Whether a new version waits to be measured."),
  retired: z.boolean().optional(),
  reason: z.string().max(500).optional().describe("Why it is retired."),
  ...byField,
});
export type ConnectorPatch = z.output<typeof ConnectorPatch>;

/** Changes what is given. A new version marks a rerun due; a regression rate that is measured clears that. */
export async function patchConnector(ctx: Ctx, input: ConnectorPatch): Promise<ConnectorView> {
  const by = actor(ctx, input.by);
  const begun = CATALOG.find(({ id }) => id === input.cid);
  // A row that every org begins with becomes the org's own by its first change.
  if (begun) await ctx.store.records.insert(Connector, stamped(ctx, undefined, blank(begun), by));
  const doc = await ctx.store.records.update(Connector, input.cid, (row) =>
    stamped(ctx, row, marked(ctx, changed(row, input), input), by),
  );
  if (!doc) throw notFound("connector");
  await auditAct(ctx, "connector_changed", { connector: doc.id, retired: doc.retired_at !== undefined }, input.by);
  return view(doc);
}

type Row = Omit<ConnectorDoc, "created_at" | "by" | "updated_at"> & Partial<ConnectorDoc>;

async function catalog(ctx: Ctx): Promise<Row[]> {
  const rows = new Map<string, Row>(CATALOG.map((row) => [row.id, blank(row)]));
  for await (const own of everyRow((page) => ctx.store.records.list(Connector, { ...page, order: "oldest" })))
    rows.set(own.id, own);
  return [...rows.values()];
}

/** A row of which nothing was measured. */
function blank({ id, name, category, tier }: CatalogRow): Row {
  return { id, name, category, tier, rerun_due: false };
}

type Changes = Pick<ConnectorPatch, "name" | "category" | "tier" | "version" | "regression_rate">;

function changed(before: Row, { name, category, tier, version, regression_rate: rate }: Changes): Row {
  const { regression_rate: was, ...rest } = before;
  const newVersion = version !== undefined && version !== before.version;
  // A rate belongs to the version it was measured on.
  const kept = rate === undefined ? (newVersion ? undefined : was) : (rate ?? undefined);
  const measured = rate !== undefined && rate !== null;
  return {
    ...rest,
    ...(name === undefined ? {} : { name }),
    ...(category === undefined ? {} : { category }),
    ...(tier === undefined ? {} : { tier }),
    ...(version === undefined ? {} : { version }),
    ...(kept === undefined ? {} : { regression_rate: kept }),
    rerun_due: measured ? false : newVersion || before.rerun_due,
  };
}

/** The row with what is said of it outright: that a rerun is due or not, that it is retired or not. */
function marked(ctx: Ctx, row: Row, said: Pick<ConnectorPatch, "rerun_due" | "retired" | "reason" | "by">): Row {
  const due = said.rerun_due === undefined ? row : { ...row, rerun_due: said.rerun_due };
  return said.retired === undefined ? due : said.retired ? retire(ctx, due, said) : restore(due);
}

function same(a: Row, b: Row): boolean {
  const fields = ["name", "category", "tier", "version", "regression_rate", "rerun_due", "retired_at"] as const;
  return fields.every((field) => a[field] === b[field]);
}

function stamped(ctx: Ctx, before: Row | undefined, after: Row, by: string): ConnectorDoc {
  const now = ctx.now();
  return { ...after, created_at: before?.created_at ?? now, by, updated_at: now };
}

function view({ created_at: _made, ...row }: Row): ConnectorView {
  const evaluated = row.tier !== "experimental";
  const evalSet = evaluated ? CATEGORIES.find(({ id }) => id === row.category)?.eval_set.id : undefined;
  const { regression_rate: rate } = row;
  const retired = row.retired_at !== undefined;
  return {
    ...row,
    ...(evalSet === undefined ? {} : { eval_set: evalSet }),
    promote: !retired && row.tier === "standard" && !row.rerun_due && rate !== undefined && rate <= PROMOTABLE_RATE,
    retired,
  };
}

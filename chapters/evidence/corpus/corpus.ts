import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { everyValue } from "../../dimensions/axes.ts";
import { proposeValues } from "../../dimensions/propose.ts";
import { count, orgRef } from "../../fields.ts";
import { read } from "../../models/pass.ts";
import { changePreferences, readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { CorpusItem } from "../../records/evidence/corpus.ts";
import { corpusPass, useCaseOf } from "./corpus-read.ts";

type ItemDoc = Doc<typeof CorpusItem>;

export const words = (most: number) => z.string().trim().min(1).max(most);

/** What `corpus_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  items: z
    .array(
      z.strictObject({
        text: words(2_000),
        provenance: z
          .strictObject({
            site: words(200).optional(),
            date: words(40).optional().describe("When it was said, as the source writes it."),
            url: z.url().max(2_000).optional(),
          })
          .optional(),
        licence: words(100).optional(),
      }),
    )
    .min(1)
    .max(1_000),
  licence: words(100).optional().describe("Of items that name none."),
  site: words(200).optional().describe("Of items that name none."),
});
export type PostInput = z.output<typeof PostInput>;

/** An item that is not stored, by its place. */
export const RefusedItem = z.object({ index: count, reason: z.string() });

/** Stores public requests as text with where they stood. The same words are stored once; an item without a licence is refused and named. */
export async function postCorpus(ctx: Ctx, input: PostInput) {
  const refused: z.infer<typeof RefusedItem>[] = [];
  let [stored, already] = [0, 0];
  for (const [index, { text, provenance, licence: own }] of input.items.entries()) {
    const licence = own ?? input.licence;
    const site = provenance?.site ?? input.site;
    if (licence === undefined || site === undefined) {
      refused.push({ index, reason: licence === undefined ? "It names no licence." : "It names no site." });
      continue;
    }
    const words = text.trim().replace(/\s+/g, " ");
    const doc: ItemDoc = {
      id: idOfValue(CorpusItem, words.toLowerCase()),
      created_at: ctx.now(),
      by: ctx.caller.name,
      text: words,
      site,
      ...(provenance?.date === undefined ? {} : { date: provenance.date }),
      ...(provenance?.url === undefined ? {} : { url: provenance.url }),
      licence,
      use_case: useCaseOf(words),
      read: false,
    };
    if (await ctx.store.records.insert(CorpusItem, doc)) stored += 1;
    else already += 1;
  }
  await auditAct(ctx, "corpus_stored", { items: stored });
  return { org: ctx.org.tag, stored, already, refused, tier: "deterministic" as const };
}

/** The corpus in numbers: items by licence, site and use case, whether public demand counts, and its proposals. */
export async function getCorpus(ctx: Ctx) {
  const counts = { by_licence: {}, by_site: {}, use_cases: {} } as Record<
    "by_licence" | "by_site" | "use_cases",
    Record<string, number>
  >;
  const ids = new Set<string>();
  let unread = 0;
  for await (const item of everyRow((page) => ctx.store.records.list(CorpusItem, page))) {
    ids.add(item.id);
    if (!item.read) unread += 1;
    add(counts.by_licence, item.licence);
    add(counts.by_site, item.site);
    if (item.use_case !== null) add(counts.use_cases, item.use_case);
  }
  const values = [...(await everyValue(ctx, "use_case")), ...(await everyValue(ctx, "register"))];
  const candidates = values
    .filter(({ cites }) => cites.some((id) => ids.has(id)))
    .map(({ id, field, value, status, tier, cites }) => ({
      id,
      field,
      value,
      status,
      tier,
      items: cites.filter((cite) => ids.has(cite)).length,
    }));
  const { public_demand } = await corpusPolicy(ctx);
  return {
    org: ctx.org.tag,
    items: ids.size,
    unread,
    ...counts,
    public_demand,
    candidates,
    tier: "deterministic" as const,
  };
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Most items that one pass reads: what a model can hold in view. */
const MOST = 200;

/**
 * One pass over items that none has read: use cases and registers are proposed as dimension values, each citing its items.
 * A use case weighs as its share of what was read; that counts where public demand does.
 */
export async function deriveCorpus(ctx: Ctx, input: { readonly limit?: number | undefined }) {
  const { items } = await ctx.store.records.list(CorpusItem, {
    where: { read: false },
    order: "oldest",
    limit: Math.min(input.limit ?? MOST, MOST),
  });
  const answer = { org: ctx.org.tag, read: items.length };
  if (items.length === 0) return { ...answer, ...NOTHING, note: "No item is unread; nothing was asked of a reader." };
  const found = await read(
    ctx,
    corpusPass,
    items.map(({ id, text }) => ({ id, text })),
  );
  const useCases = found.value.use_cases.map(({ label, profile, items: cites }) => ({
    field: "use_case",
    value: label,
    profile,
    cites,
    weight: cites.length / items.length,
  }));
  const registers = found.value.registers.map(({ label, profile, items: cites }) => ({
    field: "register",
    value: label,
    profile,
    cites,
  }));
  const { proposed, deduped } = await proposeValues(ctx, [...useCases, ...registers], found);
  // Read only once it is written down: a pass that fails leaves its items for the next.
  for (const { id } of items) await ctx.store.records.update(CorpusItem, id, (doc) => ({ ...doc, read: true }));
  await auditAct(ctx, "corpus_derived", { read: items.length, proposed: proposed.length });
  return {
    ...answer,
    proposed: proposed.map(({ id, field, value }) => ({ id, field, value })),
    deduped,
    model: found.model,
    prompt_version: found.prompt_version,
    usd: found.usd,
    tier: found.tier,
  };
}

const NOTHING = { proposed: [], deduped: 0, model: null, prompt_version: null, usd: 0, tier: "deterministic" as const };

/** Whether public demand weights the org's datasets (more tasks for use cases that are asked for more), set by whom and when. */
export async function corpusPolicy(ctx: Ctx) {
  const { corpus } = await readPreferences(ctx);
  return {
    org: ctx.org.tag,
    public_demand: corpus?.public_demand ?? false,
    set_by: corpus?.by ?? null,
    set_at: corpus?.at ?? null,
    tier: "human" as const,
  };
}

/** Sets whether public demand shapes the org's datasets, from the next pass on. */
export async function putCorpusPolicy(
  ctx: Ctx,
  input: { readonly public_demand: boolean; readonly by?: string | undefined },
) {
  const by = actor(ctx, input.by);
  const { public_demand } = input;
  await changePreferences(ctx, (doc) => ({ ...doc, corpus: { public_demand, by, at: ctx.now() } }));
  await auditAct(ctx, "corpus_policy_set", { public_demand }, by);
  return corpusPolicy(ctx);
}

import { shownEffect } from "../../../worlds/shown-effects.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { PageInput } from "../../page.ts";
import { publicProposal } from "../../records/sandboxes/proposals.ts";
import { BundleRecord } from "../../records/sandboxes/sandboxes.ts";

/** The org's compiled bundles, newest first: counts and fidelity, not the bundles themselves. */
export async function listBundles(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(BundleRecord, input);
  const bundles = page.items.map(
    ({ bundle_blob: _bundle, base_blob: _base, wrong_blob: _wrong, inputs: _inputs, proposed, ...row }) => ({
      ...row,
      ...(proposed === undefined ? {} : { proposed: publicProposal(proposed) }),
    }),
  );
  return { bundles, ...(page.next === undefined ? {} : { next: page.next }) };
}

/** Exactly what an agent sees on a tools listing of this bundle's worlds. */
export async function bundleManifest(ctx: Ctx, input: { readonly bundle_id: string }) {
  const { record, bundle } = await loadBundle(ctx, input.bundle_id);
  const effects = bundle.tools.map(({ name }) => [name, shownEffect(bundle, name)] as const);
  return {
    bundle_id: record.id,
    tool_count: bundle.tools.length,
    readonly_tools: effects.flatMap(([name, { effect }]) => (effect === "none" ? [name] : [])),
    effects: Object.fromEntries(effects),
    ...(record.user_tools === undefined ? {} : { user_tools: record.user_tools }),
    ...(record.listings === undefined ? {} : { listings: record.listings }),
    tools: bundle.tools,
  };
}

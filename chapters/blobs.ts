import { BaseState, Bundle } from "../worlds/bundle.ts";
import type { OutOfFold } from "../worlds/compile/out-of-fold.ts";
import type { Ctx } from "./context.ts";
import { orNotFound } from "./errors.ts";
import type { Doc } from "./record.ts";
import { BundleRecord, type Environment } from "./records/sandboxes/sandboxes.ts";

/**
 * Stores a JSON value as text, its keys in the order they stand: a manifest is listed and rows are answered in the order
 * they were observed.
 */
export async function putJson(ctx: Ctx, value: unknown): Promise<string> {
  return ctx.store.blobs.put(new TextEncoder().encode(JSON.stringify(value)));
}

/** Reads a JSON blob back. A missing blob is a fault of ours: records never name what is not stored. */
export async function getJson(ctx: Ctx, digest: string): Promise<unknown> {
  const bytes = await ctx.store.blobs.get(digest);
  if (!bytes) throw new Error(`blob ${digest} is named by a record and not stored`);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A bundle of this org with its compiled tools. Unknown and another org's are the same 404. */
export async function loadBundle(ctx: Ctx, id: string): Promise<{ record: Doc<typeof BundleRecord>; bundle: Bundle }> {
  const record = orNotFound(await ctx.store.records.get(BundleRecord, id), "bundle");
  return { record, bundle: Bundle.parse(await getJson(ctx, record.bundle_blob)) };
}

/** The stored bundle of a record; undefined where it cannot be read: an earlier version may not have kept the limits of this one. */
export async function readableBundle(
  ctx: Ctx,
  record: Pick<Doc<typeof BundleRecord>, "bundle_blob">,
): Promise<Bundle | undefined> {
  return Bundle.safeParse(await getJson(ctx, record.bundle_blob)).data;
}

/** What an environment's worlds are made of, and how held-out sessions were answered by such where that was measured. */
export async function loadEnvironment(
  ctx: Ctx,
  environment: Pick<Doc<typeof Environment>, "bundle" | "base_blob">,
): Promise<{ bundle: Bundle; base: BaseState; measured?: OutOfFold }> {
  const { record, bundle } = await loadBundle(ctx, environment.bundle);
  const base = BaseState.parse(await getJson(ctx, environment.base_blob));
  return { bundle, base, ...(record.out_of_fold === undefined ? {} : { measured: record.out_of_fold }) };
}

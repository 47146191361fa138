import { mayChange } from "../../../worlds/shown-effects.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { badField, notFound } from "../../errors.ts";
import { mayRead } from "../../modes/note-audience.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import type { EnvironmentDoc } from "../../sandboxes/environments/environment-records.ts";

/** A failure mode that the caller may read. Unknown ids, another org's and staff's are the same 404. */
export async function findMode(ctx: Ctx, id: string): Promise<ModeDoc> {
  const mode = await ctx.store.records.get(FailureMode, id);
  if (!mode || !mayRead(ctx, mode)) throw notFound("failure mode");
  return mode;
}

/** A sandbox that tasks may go on, with the tools that its worlds serve. */
export interface Bucket {
  readonly environment: EnvironmentDoc;
  readonly tools: readonly string[];
  /** Of these, those that nothing says to change anything: neither evidence nor a listing nor their names. */
  readonly reads: readonly string[];
}

/** The live sandboxes of the org, newest first, at most `most`. */
export async function buckets(ctx: Ctx, most = 50): Promise<Bucket[]> {
  const found: Bucket[] = [];
  const tools = new Map<string, Pick<Bucket, "tools" | "reads">>();
  const gone = new Set<string>();
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (surface.retired_at !== undefined) gone.add(surface.id);
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, page))) {
    if (environment.retired_at !== undefined || gone.has(environment.surface)) continue;
    const served = tools.get(environment.bundle) ?? (await servedTools(ctx, environment.bundle));
    tools.set(environment.bundle, served);
    found.push({ environment, ...served });
    if (found.length >= most) break;
  }
  return found;
}

/** The names of the tools that a bundle serves, and of those that nothing says to change anything. */
async function servedTools(ctx: Ctx, id: string): Promise<Pick<Bucket, "tools" | "reads">> {
  const { bundle } = await loadBundle(ctx, id);
  const tools = bundle.tools.map(({ name }) => name);
  const reads = tools.filter((name) => !mayChange(bundle, name));
  return { tools, reads };
}

/** The sandbox for tasks about a tool: the newest that serves it, or the newest of all where no tool is meant. */
export function bucketFor(all: readonly Bucket[], tool: string | undefined): Bucket | undefined {
  return tool === undefined ? all[0] : all.find(({ tools }) => tools.includes(tool));
}

/** The sandbox of this id, live; as a field that is wrong where there is none. */
export function namedBucket(all: readonly Bucket[], id: string, field: string): Bucket {
  const bucket = all.find(({ environment }) => environment.id === id);
  if (!bucket) throw badField(field, "no live sandbox of the org has this id");
  return bucket;
}

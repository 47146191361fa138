import { z } from "zod";
import { parseResult } from "../../../worlds/answers.ts";
import type { Json } from "../../../worlds/json.ts";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { StoredTrace } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { traceName } from "./compile-newest.ts";
import { WrongAnswers, WrongVerdict } from "./wrong-answers.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** A call that a world did not answer as it was observed. What was observed is absent where its trace is no longer stored. */
export const WrongAnswer = z.object({
  verdict: WrongVerdict,
  answered: z.unknown().describe("What the world answered; null where it served nothing."),
  observed: z
    .object({
      args: z.unknown(),
      answer: z.unknown(),
      answer_class: z.string(),
      evidence: z.string().describe("The record that its trace is in."),
      trace: z.string(),
    })
    .optional(),
});
export type WrongAnswer = z.infer<typeof WrongAnswer>;

/** The calls of a tool that were kept of the bundle's measurement, wrong successes before all; undefined where none were kept. */
export async function readWrongAnswers(
  ctx: Ctx,
  bundle: BundleDoc,
  tool: string,
): Promise<readonly WrongAnswer[] | undefined> {
  if (bundle.wrong_blob === undefined) return undefined;
  const kept = new Map(Object.entries(WrongAnswers.parse(await getJson(ctx, bundle.wrong_blob)))).get(tool) ?? [];
  const traces = await tracesOf(ctx, bundle, new Set(kept.map(({ trace }) => trace)));
  return kept.map(({ verdict, answered, trace, call }) => {
    const found = traces.get(trace);
    const observed = found?.trace.calls[call];
    if (found === undefined || observed?.tool !== tool) return { verdict, answered };
    const { args, result, answer_class } = observed;
    const answer = parseResult((result ?? null) as Json).value;
    return { verdict, answered, observed: { args, answer, answer_class, evidence: found.evidence, trace: found.id } };
  });
}

/** The stored traces that a bundle was compiled from under these names. */
async function tracesOf(ctx: Ctx, bundle: BundleDoc, names: ReadonlySet<string>): Promise<Map<string, StoredTrace>> {
  const records = await ctx.store.records.getMany(Evidence, bundle.evidence);
  const found = new Map<string, StoredTrace>();
  for (const { id, digest } of records) {
    const prefix = traceName(digest, 0).slice(0, -7);
    const positions = [...names].flatMap((name) => (name.startsWith(prefix) ? Number(name.slice(prefix.length)) : []));
    if (positions.length === 0) continue;
    for (const row of await ctx.store.traces.at(id, positions)) found.set(traceName(digest, row.position), row);
  }
  return found;
}

import { parseResult } from "../../../worlds/answers.ts";
import type { Json } from "../../../worlds/json.ts";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import type { StoredTrace } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { traceName } from "../../sandboxes/surfaces/compile-newest.ts";
import { findSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { WrongAnswers } from "../../sandboxes/surfaces/wrong-answers.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import type { PageDoc, PageSection } from "../pages/page-doc.ts";
import { counted, cut, percent, shown } from "../pages/words.ts";
import { jsonDifferences } from "./align.ts";

type BundleDoc = Doc<typeof BundleRecord>;
type Wrong = WrongAnswers[string][number];

const LINE_CHARS = 300;
const DIFFERENCES = 60;

const TOLD: Readonly<Record<Wrong["verdict"], string>> = {
  wrong_success: "a wrong success",
  different: "a wrong refusal",
  same_class: "a refusal of the same class, worded otherwise",
  same_shape: "a refusal of the same shape, worded otherwise",
  not_served: "not served",
};

/** A tool of a surface: how often its worlds answered as observed, and calls that were not, observed beside answered. Not found: 404. */
export async function toolPage(ctx: Ctx, surface: string, tool: string): Promise<PageDoc> {
  const found = await findSurface(ctx, surface);
  const bundle = found.bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, found.bundle);
  const counts = Object.entries(bundle?.fidelity?.tools ?? {}).find(([name]) => name === tool)?.[1];
  if (bundle === undefined || counts === undefined) throw notFound("measured tool of this surface");
  const right = counts.calls === 0 ? 0 : counts.identical_volatile / counts.calls;
  return {
    v: 1,
    title: `${cut(tool, 80)} of ${found.name}`,
    made_at: ctx.now(),
    verdict: {
      text: `Answered as observed: ${percent(right)} of ${counted(counts.calls, "call")}. Wrong successes: ${counts.wrong_success}; not served: ${counts.not_served}.`,
      tone: counts.wrong_success > 0 ? "warn" : "plain",
      tier: bundle.fidelity?.tier ?? "deterministic",
      how: "Replayed from traces not used to compile; up to generated ids and times.",
    },
    ...((await inventedSurfaces(ctx, [found.id])) ? { invented: true } : {}),
    sections: [
      await wrongCalls(ctx, bundle, tool),
      {
        show: "facts",
        facts: [{ name: "All tools", value: { text: "fidelity", link: { page: "fidelity", id: found.id } } }],
      },
    ],
  };
}

async function wrongCalls(ctx: Ctx, bundle: BundleDoc, tool: string): Promise<PageSection> {
  const heading = "Calls that were not answered as observed";
  const text = (paragraph: string): PageSection => ({ show: "text", heading, paragraphs: [paragraph] });
  if (bundle.wrong_blob === undefined)
    return text("They were not kept when this version was compiled: compile the system again to see them.");
  const kept = new Map(Object.entries(WrongAnswers.parse(await getJson(ctx, bundle.wrong_blob)))).get(tool) ?? [];
  if (kept.length === 0) return text("There is none.");
  const traces = await tracesOf(ctx, bundle, new Set(kept.map(({ trace }) => trace)));
  return {
    show: "sides",
    heading,
    caption: `The first ${counted(kept.length, "call")} of them, wrong successes before all: a is what was observed, b what the world answered.`,
    tier: "deterministic",
    a: "observed",
    b: "answered",
    rows: kept.map((wrong) => row(tool, wrong, traces.get(wrong.trace))),
  };
}

function row(tool: string, { verdict, answered, call }: Wrong, trace: StoredTrace | undefined) {
  const observed = trace?.trace.calls[call];
  const what = TOLD[verdict];
  const answer = verdict === "not_served" ? "nothing" : shown(answered, LINE_CHARS);
  // What was observed is read from its trace: it is gone where that was erased.
  if (trace === undefined || observed === undefined || observed.tool !== tool)
    return { a: { title: "The trace is no longer stored." }, b: { title: answer }, what, differences: [] };
  const link = { page: "trace" as const, id: `${trace.evidence}/${trace.id}` };
  const was = parseResult((observed.result ?? null) as Json).value;
  const differences = verdict === "not_served" ? [] : jsonDifferences(was, answered);
  return {
    a: {
      title: `${tool} ${shown(observed.args, LINE_CHARS)} → ${shown(was, LINE_CHARS)}`,
      badge: observed.answer_class,
      link,
    },
    b: { title: answer },
    what,
    differences: differences.slice(0, DIFFERENCES).map(({ path, ...values }) => ({
      path: path === "" ? "answer" : path,
      ...("a" in values ? { a: shown(values.a, LINE_CHARS) } : {}),
      ...("b" in values ? { b: shown(values.b, LINE_CHARS) } : {}),
    })),
  };
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

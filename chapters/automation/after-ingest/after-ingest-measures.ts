import type { z } from "zod";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { loadBundle, loadEnvironment, readableBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { everyValue, type ValueDoc } from "../../dimensions/axes.ts";
import { documentsPass } from "../../evidence/documents/documents-pass.ts";
import { everyPin } from "../../evidence/documents/extract-documents.ts";
import { newestPositions } from "../../evidence/traces/new-traces.ts";
import { certifiedTasks } from "../../ontology/live-tasks.ts";
import { coverageMatrix } from "../../ontology/matrices.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import type { IngestAct, IngestMeasure, IngestProposalKind } from "../../records/evidence/after-ingest.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { BundleRecord, Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { readSome, surfaceEvidence } from "../../sandboxes/surfaces/surface-evidence.ts";
import { type Replayed, replayNew } from "./after-ingest-replay.ts";

type SurfaceDoc = Doc<typeof Surface>;
type BundleDoc = Doc<typeof BundleRecord>;

/** What a measure passed its threshold for. `reasonOf` beside the counts makes the digest: the same reason is one offer. */
export interface Offer {
  readonly kind: IngestProposalKind;
  readonly target: string;
  readonly measure: z.infer<typeof IngestMeasure>;
  /** What else tells this reason from another of the same counts. */
  readonly about: string;
  readonly reason: string;
  readonly act: z.infer<typeof IngestAct>;
}

/** New traces of one surface that are replayed, the newest; a replay stays within seconds. */
const REPLAYED = 400;
/** Calls under which a share says nothing. */
const ENOUGH_CALLS = 20;
/** A share of new calls answered right that is so much under the measured one: two points. */
const FALL = 0.02;
/** Share of compared rows that must contradict a draw. */
const CONTRADICTED = 0.02;
/** Traces that must show a value or an operation. */
const SHOWN = 3;
/** Environments of one surface that are compared, the newest. */
const COMPARED = 8;

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;

/** Everything that passes its threshold now. Nothing is asked of a model. */
export async function measureOffers(ctx: Ctx): Promise<Offer[]> {
  const offers: Offer[] = [];
  const covered = await coveredOperations(ctx);
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (surface.retired_at !== undefined || surface.superseded_by !== undefined || surface.bundle === undefined)
      continue;
    ctx.signal.throwIfAborted();
    const served = await ctx.store.records.get(BundleRecord, surface.bundle);
    if (served && (await readableBundle(ctx, served)) === undefined) {
      offers.push(unreadableOffer(surface, served));
      continue;
    }
    offers.push(...(await surfaceOffers(ctx, surface, surface.bundle, covered.get(surface.id) ?? new Set())));
  }
  return [...offers, ...(await gapOffers(ctx)), ...(await valueOffers(ctx)), ...(await readingOffers(ctx))];
}

/** Operations that certified tasks call, by surface. */
async function coveredOperations(ctx: Ctx): Promise<Map<string, Set<string>>> {
  const surfaceOf = new Map<string, string>();
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, page)))
    surfaceOf.set(row.id, row.surface);
  const covered = new Map<string, Set<string>>();
  for await (const { environment, task } of certifiedTasks(ctx)) {
    const surface = surfaceOf.get(environment) ?? "";
    const called = covered.get(surface) ?? new Set<string>();
    for (const { tool } of task.script.calls) called.add(tool);
    covered.set(surface, called);
  }
  return covered;
}

async function surfaceOffers(ctx: Ctx, surface: SurfaceDoc, served: string, covered: ReadonlySet<string>) {
  const { record, bundle } = await loadBundle(ctx, served);
  const traces = await unusedTraces(ctx, surface, record);
  if (traces.length === 0) return [];
  const { base } = await loadEnvironment(ctx, { bundle: record.id, base_blob: record.base_blob });
  const replayed = await ctx.compute.run(replayNew, { bundle, base, traces }, ctx.signal);
  const known = new Set(bundle.gaps.map(({ tool }) => tool));
  const open = Object.entries(replayed.operations)
    .filter(([tool, n]) => n >= SHOWN && tool in bundle.behaviours && !known.has(tool) && !covered.has(tool))
    .map(([tool]) => tool)
    .sort();
  return [
    ...rebuildOffer(surface, record, replayed, traces.length),
    ...(await redrawOffer(ctx, surface, record, traces, replayed)),
    ...(open.length === 0 ? [] : [operationsOffer(surface, open, traces.length)]),
  ];
}

/** The newest traces of a surface that its served version was not compiled from. */
async function unusedTraces(ctx: Ctx, surface: SurfaceDoc, served: BundleDoc): Promise<ObservedTrace[]> {
  const compiled = new Set(served.evidence);
  const traces: ObservedTrace[] = [];
  for (const record of (await surfaceEvidence(ctx, surface.name)).reverse()) {
    if (record.kind !== "traces" || (compiled.has(record.id) && record.rolling === undefined)) continue;
    const since = compiled.has(record.id) ? served.created_at : 0;
    const places = await newestPositions(ctx, record, since, REPLAYED - traces.length);
    traces.push(...(await readSome(ctx, record, places)));
    if (traces.length >= REPLAYED) break;
  }
  return traces;
}

/** A version that cannot be read is no reason to leave the other surfaces unmeasured. */
function unreadableOffer(surface: SurfaceDoc, served: BundleDoc): Offer {
  return {
    kind: "rebuild",
    target: surface.id,
    measure: { name: "unreadable_version", value: 1, threshold: 1, counts: {} },
    about: served.id,
    reason: "The served version cannot be read: it was compiled past a limit. Compiling again makes one that can.",
    act: pipelineOf(surface),
  };
}

function pipelineOf(surface: SurfaceDoc): Offer["act"] {
  const route = "/v0/orgs/{orgtag}/pipeline";
  return { operation: "pipeline_post", method: "POST", route, body: { surface: surface.name } };
}

function rebuildOffer(
  surface: SurfaceDoc,
  { fidelity }: BundleDoc,
  { calls, alike }: Replayed,
  traces: number,
): Offer[] {
  if (fidelity === undefined || fidelity.all.calls === 0 || calls < ENOUGH_CALLS) return [];
  const was = fidelity.all.identical_volatile / fidelity.all.calls;
  const fall = was - alike / calls;
  if (fall < FALL) return [];
  return [
    {
      kind: "rebuild",
      target: surface.id,
      measure: {
        name: "fidelity_fall",
        value: Math.round(fall * 1000) / 1000,
        threshold: FALL,
        of: calls,
        counts: { alike, traces, measured_calls: fidelity.all.calls, measured_alike: fidelity.all.identical_volatile },
      },
      about: "",
      reason: `The served version answers ${percent(alike / calls)} of ${calls} new calls as observed; on the calls it was measured with it was ${percent(was)}.`,
      act: pipelineOf(surface),
    },
  ];
}

/** Of the environments' draws the one that new rows contradict most. */
async function redrawOffer(
  ctx: Ctx,
  surface: SurfaceDoc,
  served: BundleDoc,
  traces: readonly ObservedTrace[],
  ofServed: Replayed,
): Promise<Offer[]> {
  const done = new Map([[`${served.id} ${served.base_blob}`, ofServed]]);
  let worst: Replayed | undefined;
  let environments = 0;
  const { items } = await ctx.store.records.list(Environment, { where: { surface: surface.id }, limit: 100 });
  for (const environment of items.filter((row) => row.retired_at === undefined).slice(0, COMPARED)) {
    const key = `${environment.bundle} ${environment.base_blob}`;
    const known = done.get(key);
    const drawn =
      known ?? (await ctx.compute.run(replayNew, { ...(await loadEnvironment(ctx, environment)), traces }, ctx.signal));
    done.set(key, drawn);
    environments++;
    if (drawn.contradicted > (worst?.contradicted ?? 0)) worst = drawn;
  }
  if (worst === undefined || worst.contradicted / worst.compared < CONTRADICTED) return [];
  const { compared, contradicted, digest } = worst;
  return [
    {
      kind: "redraw",
      target: surface.id,
      measure: {
        name: "rows_contradicted",
        value: Math.round((contradicted / compared) * 1000) / 1000,
        threshold: CONTRADICTED,
        of: compared,
        counts: { contradicted, environments, traces: traces.length },
      },
      about: digest,
      reason: `New traces saw ${contradicted} of ${compared} rows otherwise than they were drawn.`,
      act: {
        operation: "surface_world_redraw",
        method: "POST",
        route: `/v0/orgs/{orgtag}/surfaces/${surface.id}/world/redraw`,
        body: { reobserve: true },
      },
    },
  ];
}

function operationsOffer(surface: SurfaceDoc, operations: readonly string[], traces: number): Offer {
  return {
    kind: "tasks",
    target: surface.id,
    measure: {
      name: "operations_uncovered",
      value: operations.length,
      threshold: 1,
      counts: { traces, shown_by_at_least: SHOWN },
    },
    about: operations.join("\n"),
    reason: `No certified task has ${countOf(operations.length, "operation")} that new traces call.`,
    act: {
      operation: "generate_environments",
      method: "POST",
      route: "/v0/orgs/{orgtag}/environments/generate",
      body: { surface: surface.id, selection: { operation: [...operations] } },
    },
  };
}

/** Personas whose jobs, as a person marked them, no certified task covers. */
async function gapOffers(ctx: Ctx): Promise<Offer[]> {
  const surface = await onlySurface(ctx);
  if (surface === undefined) return [];
  const { gaps } = await coverageMatrix(ctx);
  const personas = (await everyValue(ctx, "persona")).filter(({ status }) => status === "accepted");
  return [...Map.groupBy(gaps, ({ persona }) => persona)].flatMap(([name, of]): Offer[] => {
    const persona = personas.find(({ value }) => value === name);
    if (persona === undefined) return [];
    return [
      {
        kind: "tasks",
        target: persona.id,
        measure: { name: "situations_uncovered", value: of.length, threshold: 1, counts: {} },
        about: of
          .map(({ job }) => job)
          .sort()
          .join("\n"),
        reason: `No certified task has ${countOf(of.length, "job")} that a person marked for a persona.`,
        act: {
          operation: "dimensions_persona_draw",
          method: "POST",
          route: `/v0/orgs/{orgtag}/dimensions/personas/${persona.id}/draw`,
          body: { surface: surface.name },
        },
      },
    ];
  });
}

/** The compiled surface that a draw is of where nobody named one: the oldest that stands. */
async function onlySurface(ctx: Ctx): Promise<SurfaceDoc | undefined> {
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, { ...page, order: "oldest" })))
    if (row.bundle !== undefined && row.retired_at === undefined && row.superseded_by === undefined) return row;
  return undefined;
}

async function valueOffers(ctx: Ctx): Promise<Offer[]> {
  const values = (await everyValue(ctx)).filter(({ status }) => status === "proposed");
  return values.filter((row) => (row.traces ?? SHOWN) >= SHOWN && row.cites.length > 0).map(valueOffer);
}

function valueOffer({ id, traces, cites }: ValueDoc): Offer {
  const shown = traces === undefined ? countOf(cites.length, "record") : countOf(traces, "trace");
  return {
    kind: "value",
    target: id,
    measure: {
      name: traces === undefined ? "records" : "traces",
      value: traces ?? cites.length,
      threshold: traces === undefined ? 1 : SHOWN,
      counts: { cites: cites.length },
    },
    about: "",
    reason: `A value that is not accepted yet is shown by ${shown}.`,
    act: {
      operation: "dimension_value_accept",
      method: "POST",
      route: `/v0/orgs/{orgtag}/dimensions/values/${id}/accept`,
      body: {},
    },
  };
}

/** Records with documents that nobody read, or whose pins were made with another prompt than a reader has now. */
async function readingOffers(ctx: Ctx): Promise<Offer[]> {
  const offers: Offer[] = [];
  const where = { kind: "document" };
  for await (const record of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where }))) {
    const texts = record.document?.texts ?? 0;
    if (texts === 0 || record.superseded_by !== undefined) continue;
    const pins = (await everyPin(ctx, record.id)).filter(({ state }) => state === "current");
    const unread = Math.max(0, texts - pins.length);
    const older = pins.filter(({ prompt_version: made }) => made !== null && made !== documentsPass.version).length;
    if (unread + older === 0) continue;
    const again = older > 0;
    offers.push({
      kind: "reread",
      target: record.id,
      measure: {
        name: again ? "pins_of_an_older_reader" : "documents_unread",
        value: again ? older : unread,
        threshold: 1,
        of: texts,
        counts: { unread, older },
      },
      about: "",
      reason: again
        ? `Read with an older prompt: ${older} of ${countOf(texts, "document")}.`
        : `Not read yet: ${unread} of ${countOf(texts, "document")}.`,
      act: {
        operation: again ? "evidence_re_extract" : "evidence_extract",
        method: "POST",
        route: `/v0/evidence/${record.id}/${again ? "re-extract" : "extract"}`,
        body: {},
      },
    });
  }
  return offers;
}

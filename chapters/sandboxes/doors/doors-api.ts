import { z } from "zod";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { HttpGrammar } from "../../../worlds/http/grammar.ts";
import { getJson, loadBundle, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound, orNotFound, unprocessable } from "../../errors.ts";
import { readExchanges, readToolListing } from "../../evidence/documents/contents.ts";
import { byField, orgRef, recordId } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { Door, HttpGrammarRecord } from "../../records/sandboxes/doors.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { drawEnvironment } from "../environments/draw-environment.ts";
import type { EnvironmentDoc } from "../environments/environment-records.ts";
import { compiledBefore, serveBundle, storeBundle } from "../surfaces/compile-bundle.ts";
import { declareBundle } from "../surfaces/declare-bundle.ts";
import { ensureSurface } from "../surfaces/surfaces.ts";
import { makeWorld } from "../worlds/world-records.ts";
import { type DoorDoc, doorUrl, grammarOf, makeDoor } from "./doors.ts";
import { compileDoor } from "./doors-compile.ts";
import { urls } from "./fields.ts";

type BundleDoc = Doc<typeof BundleRecord>;
type EvidenceDoc = Doc<typeof Evidence>;

/** The surface that holds the versions of an org's API door. */
const API_SURFACE = "api-door";
/** Changes when what is read of the same evidence may: part of every inputs digest. */
const COMPILER = "door-2";

/** What `apidoor_post` takes. */
export const ApiDoorInput = z.object({
  ...orgRef,
  bundle_id: recordId("bundle").optional().describe("Serves this compiled API again instead of compiling."),
  capture: recordId("evidence").optional().describe("The capture to compile; every one that stands when absent."),
  grammar: z
    .array(z.string().regex(/^(?:[A-Z]+ +)?\/[^\s?#]{0,500}$/))
    .max(500)
    .optional()
    .describe("Route templates that stand before learned ones, such as `/orders/{order_id}`."),
  description_overrides: z
    .record(z.string(), z.string().min(1).max(2048))
    .optional()
    .describe("Descriptions by tool name, in place of those compiled."),
  quota_limit: z.number().int().min(1).max(1_000_000).optional().describe("Requests a minute before a 429."),
  ...byField,
});
export type ApiDoorInput = z.output<typeof ApiDoorInput>;

/**
 * Compiles the org's HTTP API from held evidence and serves it at a door. The same evidence is not compiled twice; the
 * door keeps its address when newer evidence is compiled, and its world is then a fresh one.
 */
export async function postApiDoor(ctx: Ctx, input: ApiDoorInput) {
  const { bundle: compiled, recompiled } =
    input.bundle_id === undefined ? await compiledApi(ctx, input) : await existingApi(ctx, input.bundle_id);
  const bundle = await described(ctx, compiled, input.description_overrides);
  await serveBundle(ctx, bundle);
  const label = `API ${bundle.id}`;
  const environment = await drawEnvironment(ctx, bundle, {
    label,
    seed: "1",
    augment: false,
    selection: {},
    tasks: 0,
    hypothesis: "observed",
  });
  const { door, reused } = await doorTo(ctx, environment, input);
  const grammar = await grammarOf(ctx, bundle.id);
  const { bundle: tools } = await loadBundle(ctx, bundle.id);
  const base_url = await doorUrl(ctx, door);
  await audited(ctx, input, "api_door_served", { door: door.id, bundle: bundle.id, recompiled });
  return {
    org: ctx.org.tag,
    id: environment.id,
    bundle_id: bundle.id,
    world: door.world,
    token_id: door.id,
    ...(base_url === undefined ? {} : { base_url }),
    recompiled,
    reused_token: reused,
    tool_names: tools.tools.map(({ name }) => name),
    census: { ...(grammar?.census ?? NO_CENSUS), tier: "deterministic" as const },
    compile: {
      tables: bundle.tables,
      routes: grammar?.routes ?? 0,
      exceptions: bundle.exceptions,
      conflicts: bundle.conflicts,
      gaps: bundle.gaps,
      ...(grammar?.replay ? { replay: grammar.replay } : {}),
      tier: "deterministic" as const,
    },
    note: "Point a client's upstream at base_url. What no evidence answers is a 501, listed by route at gaps_url; nothing is made up.",
  };
}

const NO_CENSUS = { captures: 0, exchanges: 0, other_hosts: 0, routes_observed: 0, routes_declared: 0, statuses: {} };

async function existingApi(ctx: Ctx, id: string) {
  const { record } = await loadBundle(ctx, id);
  if (!(await grammarOf(ctx, id)))
    throw conflict("This bundle was not compiled from an HTTP API; leave bundle_id out to compile one.");
  return { bundle: record, recompiled: false };
}

async function compiledApi(ctx: Ctx, { capture, grammar = [] }: ApiDoorInput) {
  const evidence = await apiEvidence(ctx, capture);
  const surface = await ensureSurface(ctx, API_SURFACE);
  const inputs = digestOf([
    COMPILER,
    evidence.map(({ digest, erased }) => [digest, erased ?? 0]).sort(),
    [...grammar].sort(),
  ]);
  const known = await compiledBefore(ctx, surface.id, inputs);
  if (known && (await grammarOf(ctx, known.id))) return { bundle: known, recompiled: false };
  const ofKind = (kind: string) => evidence.filter((row) => row.kind === kind);
  const captures = await Promise.all(
    ofKind("http_capture").map(async (row) => ({
      id: row.digest.slice(0, 16),
      exchanges: await readExchanges(ctx, row),
    })),
  );
  const listed: ToolDefinition[] = [];
  for (const row of ofKind("tool_listing")) listed.push(...(await readToolListing(ctx, row)));
  const made = await ctx.compute.run(
    compileDoor,
    { name: API_SURFACE, captures, listed, templates: grammar },
    ctx.signal,
  );
  if (made.grammar.routes.length === 0) throw unprocessable("The evidence shows no route of an HTTP API.");
  const bundle = await storeBundle(ctx, made.bundle, made.base, {
    surface: surface.id,
    evidence: evidence.map(({ id }) => id),
    inputs,
    conflicts: made.report.conflicts,
  });
  await keepGrammar(ctx, bundle.id, made);
  return { bundle, recompiled: true };
}

async function keepGrammar(
  ctx: Ctx,
  bundle: string,
  { grammar, census, replay }: { grammar: HttpGrammar } & Pick<Doc<typeof HttpGrammarRecord>, "census" | "replay">,
): Promise<void> {
  await ctx.store.records.insert(HttpGrammarRecord, {
    id: idOfValue(HttpGrammarRecord, bundle),
    created_at: ctx.now(),
    by: ctx.caller.name,
    bundle,
    blob: await putJson(ctx, grammar),
    routes: grammar.routes.length,
    census,
    ...(replay ? { replay } : {}),
  });
}

/** The captures and documents that an API is read from: one named capture, else all that stand, with the newest OpenAPI document. */
async function apiEvidence(ctx: Ctx, capture: string | undefined): Promise<EvidenceDoc[]> {
  const captures: EvidenceDoc[] = [];
  if (capture !== undefined) {
    const named = orNotFound(await ctx.store.records.get(Evidence, capture), "evidence");
    if (named.kind !== "http_capture")
      throw unprocessable("The evidence named as capture is no HTTP capture (kind http_capture).");
    captures.push(named);
  } else {
    for await (const row of standing(ctx, "http_capture")) captures.push(row);
  }
  const documents: EvidenceDoc[] = [];
  for await (const row of standing(ctx, "tool_listing")) if (row.format === "openapi") documents.push(row);
  const newest = documents.at(-1);
  const all = newest ? [...captures, newest] : captures;
  if (all.length > 0) return all;
  throw conflict("There is no HTTP capture and no OpenAPI document. Post one as evidence first (evidence_post).");
}

async function* standing(ctx: Ctx, kind: string): AsyncGenerator<EvidenceDoc> {
  for await (const row of everyRow((page) =>
    ctx.store.records.list(Evidence, { ...page, where: { kind }, order: "oldest" }),
  ))
    if (row.superseded_by === undefined) yield row;
}

/** The bundle with some tools described anew; its routes are the same. */
async function described(
  ctx: Ctx,
  bundle: BundleDoc,
  overrides: ApiDoorInput["description_overrides"],
): Promise<BundleDoc> {
  if (overrides === undefined || Object.keys(overrides).length === 0) return bundle;
  const declared = await declareBundle(ctx, bundle, { description_overrides: { ...overrides } });
  const held = await grammarOf(ctx, bundle.id);
  if (held && !(await grammarOf(ctx, declared.id)))
    await keepGrammar(ctx, declared.id, { ...held, grammar: HttpGrammar.parse(await getJson(ctx, held.blob)) });
  return declared;
}

/** The org's API door on an environment: the one that stands, moved to a fresh world where it stood on another draw. */
async function doorTo(
  ctx: Ctx,
  environment: EnvironmentDoc,
  { quota_limit, by }: ApiDoorInput,
): Promise<{ door: DoorDoc; reused: boolean }> {
  const { items } = await ctx.store.records.list(Door, { where: { api: true }, limit: 500 });
  const standing = items.find((door) => door.revoked_at === undefined);
  if (!standing)
    return { door: await makeDoor(ctx, environment, { label: "API", api: true, quota_limit, by }), reused: false };
  const moves = standing.sandbox !== environment.id;
  const world = moves
    ? (await makeWorld(ctx, environment, { label: "API", ...(by === undefined ? {} : { by }) })).id
    : standing.world;
  const door = await ctx.store.records.update(Door, standing.id, ({ quota_limit: limit, ...row }) => ({
    ...row,
    sandbox: environment.id,
    world,
    ...((quota_limit ?? limit) === undefined ? {} : { quota_limit: quota_limit ?? limit }),
  }));
  if (!door) throw notFound("door");
  if (moves) {
    await ctx.store.records.update(WorldRecord, standing.world, (row) => ({
      ...row,
      ended_at: row.ended_at ?? ctx.now(),
    }));
    ctx.worlds.drop(standing.world);
  }
  return { door, reused: true };
}

/** An open API door. */
export const ApiDoorRow = z.object({
  world: z.string(),
  token_id: z.string(),
  sandbox: z.string(),
  label: z.string().optional(),
  version: z.string().optional(),
  quota_limit: z.number().int().optional(),
  ...urls,
});
type ApiDoorRow = z.infer<typeof ApiDoorRow>;

/** Every open door by the bundle its world serves: where a client's upstream is pointed, and where its gaps are listed. */
export async function getApiDoors(ctx: Ctx) {
  const byBundle = new Map<string, ApiDoorRow[]>();
  for await (const door of everyRow((page) => ctx.store.records.list(Door, { ...page, order: "oldest" }))) {
    const world = await ctx.store.records.get(WorldRecord, door.world);
    if (!world || door.revoked_at !== undefined) continue;
    const base_url = await doorUrl(ctx, door);
    const { label, version, quota_limit, sandbox } = door;
    const row = {
      world: world.id,
      token_id: door.id,
      sandbox,
      ...(label === undefined ? {} : { label }),
      ...(version === undefined ? {} : { version }),
      ...(quota_limit === undefined ? {} : { quota_limit }),
      ...(base_url === undefined ? {} : { base_url, gaps_url: `${base_url}/_svc/gaps` }),
    };
    byBundle.set(world.bundle, [...(byBundle.get(world.bundle) ?? []), row]);
  }
  return {
    org: ctx.org.tag,
    doors: [...byBundle].map(([bundle_id, worlds]) => ({ bundle_id, worlds_served: worlds.length, worlds })),
  };
}

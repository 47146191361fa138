import { z } from "zod";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { HttpGrammar } from "../../../worlds/http/grammar.ts";
import { Matcher } from "../../../worlds/http/match.ts";
import type { World } from "../../../worlds/world-api.ts";
import { getJson, putJson } from "../../blobs.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import { AppError, conflict, notFound, orNotFound, unprocessable } from "../../errors.ts";
import { storeEvidence } from "../../evidence/intake/store-evidence.ts";
import { once } from "../../evidence/reading/bytes.ts";
import { type JobCtx, job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { Door } from "../../records/sandboxes/doors.ts";
import { type BundleRecord, WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { SERVED_STAGES, ServedRepo } from "../../records/sandboxes/served-repos.ts";
import type { Checkout, SourceReading } from "../../repositories.ts";
import { closeDoor, doorsOf, doorUrl, grammarOf, makeDoor } from "../doors/doors.ts";
import { findEnvironment } from "../environments/environment-records.ts";
import { compileBundle, compiledBefore, serveBundle } from "../surfaces/compile-bundle.ts";
import { readInputs, surfaceEvidence } from "../surfaces/surface-evidence.ts";
import { ensureSurface } from "../surfaces/surfaces.ts";
import { type Recording, recordReads, storeRecording } from "./served-repos-record.ts";
import { pathOfDoor, startLines, upstreamEnv } from "./served-repos-start.ts";

export type ServedRepoDoc = Doc<typeof ServedRepo>;
type Stage = (typeof SERVED_STAGES)[number];

/** What its server's secret is at the door, which asks for none. */
const NO_SECRET = "svc-mock";

/** What refusals with details say of them; a record keeps none. */
const PROMISED = /; details name [^.;]*\.$/;

const Input = z.object({ record: z.string(), ref: z.string().optional() });

/**
 * Connects a served repository: checks out its commit, reads its source, starts it with its upstream at a door, lists
 * its tools and records what those that read answer, and makes a surface of both. What it cannot do refuses the
 * record, with the stage and the reason; a repeated attempt begins again and ends the same.
 */
export const servedRepoJob = job({
  kind: "served_repo",
  input: Input,
  key: ({ record }) => record,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: connect,
});

async function connect(ctx: JobCtx, input: z.infer<typeof Input>) {
  const record = orNotFound(await ctx.store.records.get(ServedRepo, input.record), "served repository");
  let stage: Stage = "checkout";
  const enter = async (next: Stage, done: Partial<ServedRepoDoc>) => {
    await change(ctx, record.id, { ...done, stage });
    ctx.progress(SERVED_STAGES.indexOf(next), SERVED_STAGES.length, next);
    stage = next;
  };
  try {
    const checkout = await checkOut(ctx, record, input.ref);
    const links = checkout.removed.filter(({ kind }) => kind === "link").length;
    await enter("source", {
      commit: checkout.commit,
      ref: checkout.ref,
      ref_words: refWords(input.ref, checkout),
      removed_at_checkout: { links, submodules: checkout.removed.length - links },
    });
    const reading = await ctx.repositories.source(checkout, ctx.signal);
    const facts = await sourceFacts(ctx, record, checkout, reading);
    await enter("serve", facts);
    const { tools, recording } = await served(ctx, { ...record, ...facts }, checkout);
    const { calls, upstream_gaps } = recording;
    const told = { operations: tools.length, manifest_hash: digestOf(tools) };
    await enter("surface", { ...told, recorded: { calls: calls.length, upstream_gaps } });
    const made = await surfaceOf(ctx, record, { tools, recording, commit: checkout.commit });
    const connected = await change(ctx, record.id, { ...made, stage, state: "connected", connected_at: ctx.now() });
    await supersede(ctx, connected);
    await ctx.job.audit("served_repo_connected", { record: record.id, tools: tools.length });
    return { record: record.id, state: connected.state, tools: tools.length };
  } catch (error) {
    if (!(error instanceof AppError) || ctx.signal.aborted) throw error;
    // What the server or its host said stays out: only our own sentence is kept, and the operator's log has the rest.
    const { names = [] } = error.details;
    const said = names.length > 0;
    if (said) ctx.log.warn({ record: record.id, stage, said: names }, "a served repository was refused");
    const reason = error.reason.replace(PROMISED, said ? "; the service's log has what it said last." : ".");
    const refusal = { stage, reason };
    await change(ctx, record.id, { state: "refused", refused_at: ctx.now(), refusal });
    await ctx.job.audit("served_repo_refused", { record: record.id, stage });
    return { record: record.id, state: "refused", stage };
  }
}

async function checkOut(ctx: JobCtx, record: ServedRepoDoc, ref: string | undefined): Promise<Checkout> {
  const access = await openRepository(ctx, record.url, record.installation === undefined ? undefined : "covered");
  const found = await access.commit(ref);
  return { ...(await access.checkout(found.sha)), ref: found.branch ?? found.ref };
}

function refWords(asked: string | undefined, { ref, commit }: Checkout): string {
  const at = commit.slice(0, 12);
  if (asked === undefined) return `the default branch at ${at}`;
  return asked === commit || ref === commit ? `commit ${at}` : `${ref} at ${at}`;
}

/** What its source says that serving it needs; refuses where it says too little. */
async function sourceFacts(ctx: JobCtx, record: ServedRepoDoc, checkout: Checkout, reading: SourceReading) {
  const { repositories } = ctx;
  const lines = await startLines(await repositories.files(checkout), (path) => repositories.text(checkout, path));
  if (!lines)
    throw unprocessable(
      "The repository does not say how its server is started: it has no .mcp.json, package bin, main or start script, project script, or server entry file.",
    );
  const upstream_env = upstreamEnv(reading);
  if (upstream_env === undefined)
    throw unprocessable(
      "The source reads its upstream's address from no environment variable, so its calls cannot be sent to a door.",
    );
  if (record.token_env !== undefined && !reading.env.includes(record.token_env))
    throw unprocessable("The source reads no environment variable of the name given as token_env.");
  const grammar = await doorGrammar(ctx, record);
  const matcher = new Matcher(grammar);
  const { path, held } = pathOfDoor(
    reading.routes,
    grammar.routes.map(({ template }) => template),
    (method, at) => matcher.find(method, at) !== undefined,
  );
  return {
    ...lines,
    upstream_env,
    door: { ...record.door, path },
    held: [...held],
    response_keys: new Set(reading.routes.flatMap(({ route, keys }) => keys.map((key) => `${route} ${key}`))).size,
    read_blob: await putJson(ctx, reading),
  };
}

async function doorGrammar(ctx: JobCtx, { door }: ServedRepoDoc): Promise<HttpGrammar> {
  const { world } = await openDoorOf(ctx, door.tid);
  const bundle = (await ctx.store.records.get(WorldRecord, world))?.bundle ?? "";
  const held = await grammarOf(ctx, bundle);
  if (!held) throw conflict("The door serves no HTTP API any more; open another.", { by: "apidoor_post" });
  return HttpGrammar.parse(await getJson(ctx, held.blob));
}

async function openDoorOf(ctx: JobCtx, tid: string) {
  const door = await ctx.store.records.get(Door, tid);
  if (!door || door.revoked_at !== undefined)
    throw conflict("The door was revoked; open another.", { by: "apidoor_post" });
  return door;
}

/** The tools that the server itself lists and what it answers to calls that read, started with its upstream at a door. */
async function served(ctx: JobCtx, record: ServedRepoDoc, checkout: Checkout): Promise<Served> {
  const { run, setup, upstream_env, token_env } = record;
  if (run === undefined || upstream_env === undefined) throw new Error("a stage was left out");
  return atOwnDoor(ctx, record, ({ door, base, world }) => {
    const env = {
      [upstream_env]: `${base}${record.door.path}`,
      ...(token_env === undefined ? {} : { [token_env]: NO_SECRET }),
    };
    return ctx.agents.withServer(
      { checkout, run, env, ...(setup === undefined ? {} : { setup }) },
      async (session) => {
        const { tools } = session;
        if (tools.length === 0) throw unprocessable("The server lists no tools.");
        return { tools, recording: await recordReads(ctx, session, { door, world }) };
      },
      ctx.signal,
    );
  });
}

interface OwnDoor {
  readonly door: string;
  readonly base: string;
  readonly world: World;
}

/**
 * Does something at a door of its own to the sandbox of the record's door, which is closed after it: what is recorded is
 * the state as drawn, whatever others did at theirs, and counts in nobody's quota.
 */
async function atOwnDoor<T>(ctx: JobCtx, record: ServedRepoDoc, act: (own: OwnDoor) => Promise<T>): Promise<T> {
  const { sandbox } = await openDoorOf(ctx, record.door.tid);
  const label = `recording ${record.id}`;
  const left = (await doorsOf(ctx, sandbox)).filter((row) => row.label === label);
  for (const row of left) await closeDoor(ctx, row, {});
  const made = await makeDoor(ctx, await findEnvironment(ctx, sandbox), { label });
  try {
    const [base, open] = [await doorUrl(ctx, made), await ctx.worlds.open(made.world)];
    if (base === undefined || !open) throw notFound("door");
    return await act({ door: made.id, base, world: open.world });
  } finally {
    await closeDoor(ctx, made, {});
  }
}

interface Served {
  readonly tools: readonly ToolDefinition[];
  readonly recording: Recording;
}

/** The surface of the server's tools and answers, a new version where either changed. Earlier recordings are superseded. */
async function surfaceOf(ctx: JobCtx, { url, label }: ServedRepoDoc, served: Served & { readonly commit: string }) {
  const surface = await ensureSurface(ctx, label);
  await storeEvidence(ctx, once(Buffer.from(JSON.stringify({ tools: served.tools }))), {
    kind: "tool_listing",
    by: ctx.caller.name,
    surface: label,
    origin: "pull",
  });
  const recording = await storeRecording(ctx, served.recording.calls, { surface: label, commit: served.commit });
  for await (const row of everyRow((page) => ctx.store.records.list(ServedRepo, { ...page, where: { url } }))) {
    const { recording: earlier } = row;
    if (earlier === undefined || earlier === recording) continue;
    const by = recording ?? earlier;
    await ctx.store.records.update(Evidence, earlier, (doc) => ({ ...doc, superseded_by: doc.superseded_by ?? by }));
  }
  const inputs = await readInputs(ctx, await surfaceEvidence(ctx, label));
  const known = await compiledBefore(ctx, surface.id, inputs.digest);
  const bundle: Doc<typeof BundleRecord> = known ?? (await compileBundle(ctx, surface, inputs, "1"));
  await serveBundle(ctx, bundle);
  return { surface_id: surface.id, bundle: bundle.id, ...(recording === undefined ? {} : { recording }) };
}

/** Every earlier connection of the same address ends with this one. */
async function supersede(ctx: JobCtx, record: ServedRepoDoc): Promise<void> {
  const where = { url: record.url, state: "connected" };
  for await (const row of everyRow((page) => ctx.store.records.list(ServedRepo, { ...page, where })))
    if (row.id < record.id && row.superseded_by === undefined) await change(ctx, row.id, { superseded_by: record.id });
}

async function change(ctx: JobCtx, id: string, changes: Partial<ServedRepoDoc>): Promise<ServedRepoDoc> {
  const after = await ctx.store.records.update(ServedRepo, id, (row) => ({ ...row, ...changes }));
  if (!after) throw notFound("served repository");
  return after;
}

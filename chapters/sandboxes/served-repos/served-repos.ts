import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { getJson } from "../../blobs.ts";
import { vcsInstallation } from "../../code-host/vcs-installation.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, forbidden, orNotFound } from "../../errors.ts";
import { byField, orgRef, recordId } from "../../fields.ts";
import { everyRow, type PageInput } from "../../page.ts";
import { Door } from "../../records/sandboxes/doors.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { SERVED_STAGES, ServedRepo } from "../../records/sandboxes/served-repos.ts";
import { Reply } from "../../reply.ts";
import type { SourceReading } from "../../repositories.ts";
import { type ServedRepoDoc, servedRepoJob } from "./served-repos-connect.ts";

const LOOK_MS = 100;

/** What `served_repo_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  url: z.string().min(1).max(2000).describe("The repository's address, or owner/name at the code host."),
  ref: z.string().min(1).max(250).optional().describe("A branch, tag or commit; the default branch when absent."),
  door: recordId("door").optional().describe("The org's API door when absent."),
  installation: z.string().min(1).max(100).optional().describe("Reads it through the code host's app."),
  token_env: z
    .string()
    .regex(/^[A-Za-z_]\w{0,99}$/)
    .optional()
    .describe("The variable its upstream credential is read from; it gets a placeholder."),
  wait: z.number().int().min(0).max(240).optional().describe("Seconds to wait for its end."),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/** Starts connecting a customer's MCP server with its upstream at a door. Refused where commands are off. */
export async function postServedRepo(ctx: Ctx, input: PostInput) {
  if (!ctx.settings.commandsAllowed)
    throw forbidden(
      "Commands are off on this workspace, so a repository's server cannot be started. Ask the operator to allow them.",
    );
  const { url, installation, token_env, ref } = input;
  const door = await doorFor(ctx, input.door);
  if (installation !== undefined && String((await vcsInstallation(ctx))?.installation_id) !== installation)
    throw badField("installation", "is no installation of this org");
  const record: ServedRepoDoc = {
    id: ctx.id(ServedRepo.prefix),
    created_at: ctx.now(),
    by: actor(ctx, input.by),
    url,
    label: labelOf(url),
    state: "connecting",
    door,
    ...(installation === undefined ? {} : { installation }),
    ...(token_env === undefined ? {} : { token_env }),
    transport: "stdio",
    tier: "deterministic",
  };
  await ctx.store.records.insert(ServedRepo, record);
  const { job, poll } = await ctx.jobs.start(servedRepoJob, {
    record: record.id,
    ...(ref === undefined ? {} : { ref }),
  });
  await ctx.store.records.update(ServedRepo, record.id, (row) => ({ ...row, job }));
  await auditAct(ctx, "served_repo_posted", { record: record.id, door: door.tid }, input.by);
  const state = await stateWithin(ctx, record.id, input.wait ?? 0);
  return new Reply(state === "connecting" ? 202 : 200, {
    job,
    poll,
    record: record.id,
    stages: [...SERVED_STAGES],
    state,
  });
}

/** The last words of an address, as the name of its surface. */
function labelOf(url: string): string {
  const words = url
    .replace(/[?#].*$/, "")
    .replace(/\.git$|\/+$/g, "")
    .split("/")
    .slice(-2);
  return `served ${words.join("/")}`.replace(/[^\w ./-]/g, "_").slice(0, 150);
}

/** The door named, else the org's API door. A revoked one is a conflict. */
async function doorFor(ctx: Ctx, tid: string | undefined): Promise<ServedRepoDoc["door"]> {
  if (tid !== undefined) {
    const door = orNotFound(await ctx.store.records.get(Door, tid), "door");
    if (door.revoked_at !== undefined)
      throw conflict("The door is revoked; open another.", { by: "sandbox_door_post" });
    return { sandbox: door.sandbox, tid, path: "" };
  }
  const { items } = await ctx.store.records.list(Door, { where: { api: true }, limit: 500 });
  const open = items.find((door) => door.revoked_at === undefined);
  if (open) return { sandbox: open.sandbox, tid: open.id, path: "" };
  throw conflict("The org has no door to point the server at. Serve its API first (apidoor_post).");
}

async function stateWithin(ctx: Ctx, id: string, seconds: number): Promise<ServedRepoDoc["state"]> {
  for (let left = seconds * 1_000; ; left -= LOOK_MS) {
    const row = await ctx.store.records.get(ServedRepo, id);
    if (row?.state !== "connecting" || left <= 0) return row?.state ?? "connecting";
    await sleep(LOOK_MS, undefined, { signal: ctx.signal });
  }
}

/** A served repository of this org. Unknown and another org's are the same 404. */
async function findServedRepo(ctx: Ctx, id: string): Promise<ServedRepoDoc> {
  return orNotFound(await ctx.store.records.get(ServedRepo, id), "served repository");
}

/** The org's served repositories, newest first: pins and counts. */
export async function listServedRepos(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(ServedRepo, input);
  const served_repos = page.items.map((row) => {
    const { id, label, state, created_at, by, commit, ref, operations, response_keys, manifest_hash } = row;
    const { connected_at, superseded_by, surface_id, door } = row;
    return {
      ...present({ commit, ref, operations, response_keys, manifest_hash, connected_at, superseded_by, surface_id }),
      id,
      label,
      state,
      created_at,
      by,
      door: door.tid,
    };
  });
  return { org: ctx.org.tag, served_repos, ...(page.next === undefined ? {} : { next: page.next }) };
}

function present<T extends Record<string, unknown>>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** One served repository whole: its pin, how it is started, what it reads, and its versions. */
export async function getServedRepo(ctx: Ctx, input: { readonly rid: string }) {
  const record = await findServedRepo(ctx, input.rid);
  const { read_blob: _blob, bundle: _bundle, ...row } = record;
  const versions = [];
  const where = { url: record.url };
  for await (const each of everyRow((page) =>
    ctx.store.records.list(ServedRepo, { ...page, where, order: "oldest" }),
  )) {
    const { id, state, commit, ref, manifest_hash, connected_at, superseded_by } = each;
    versions.push({ ...present({ commit, ref, manifest_hash, connected_at, superseded_by }), id, state });
  }
  const surface = record.surface_id === undefined ? undefined : await ctx.store.records.get(Surface, record.surface_id);
  const retired_at = surface?.retired_at;
  return {
    ...row,
    kind: "served_repo" as const,
    ...(retired_at === undefined ? {} : { retired_at }),
    serving:
      record.state === "connected" &&
      record.superseded_by === undefined &&
      retired_at === undefined &&
      ctx.settings.commandsAllowed,
    stages: [...SERVED_STAGES],
    egress: {
      enforced: false,
      note: "Its upstream's address is the door's; other addresses that its code may call are not held back on this machine.",
    },
    replaced_earlier: versions.filter(({ superseded_by }) => superseded_by === record.id).map(({ id }) => id),
    versions,
  };
}

/** What a served version's client code asks and reads of the answers: names and literals of its source. */
export async function readServedRepo(ctx: Ctx, input: { readonly rid: string }) {
  const { id, commit, ref, read_blob } = await findServedRepo(ctx, input.rid);
  if (commit === undefined || ref === undefined || read_blob === undefined)
    throw conflict("Its source code has not been read: the repository is not connected completely yet.");
  const { routes, files, unread, unread_asks } = (await getJson(ctx, read_blob)) as SourceReading;
  return {
    id,
    commit,
    ref,
    read: routes.map(({ forms, keys, unkeyed, codes, ...route }) => ({
      ...route,
      forms: [...forms],
      keys: [...keys],
      unkeyed: [...unkeyed],
      codes: Object.fromEntries(Object.entries(codes).map(([path, values]) => [path, [...values]])),
    })),
    source: { files, unread: unread.length, ...present({ unread_asks }), tier: "deterministic" as const },
  };
}

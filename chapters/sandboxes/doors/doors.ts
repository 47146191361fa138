import { allows } from "../../caller.ts";
import { actor, type Ctx } from "../../context.ts";
import { mintToken } from "../../credentials.ts";
import { conflict, notFound, orNotFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { TokenRow } from "../../ports/store.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { Door, DoorSecret, HttpGrammarRecord, NO_TALLY } from "../../records/sandboxes/doors.ts";
import { audited } from "../../retirement.ts";
import { type EnvironmentDoc, findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { makeWorld } from "../worlds/world-records.ts";

export type DoorDoc = Doc<typeof Door>;

/** What a door is made with. */
export interface NewDoor {
  readonly label?: string | undefined;
  readonly version?: string | undefined;
  readonly quota_limit?: number | undefined;
  readonly api?: boolean;
  readonly by?: string | undefined;
}

/** Where doors are. */
export const DOORS_PATH = "/d";

/** A door of a sandbox. Unknown, another org's and another sandbox's are the same 404. */
export async function findDoor(ctx: Ctx, sandbox: string, id: string): Promise<DoorDoc> {
  const door = await ctx.store.records.get(Door, id);
  if (door?.sandbox !== sandbox) throw notFound("door");
  return door;
}

/** What the wire of a bundle's API is known by; undefined where it has none. */
export async function grammarOf(ctx: Pick<Ctx, "store">, bundle: string) {
  return ctx.store.records.get(HttpGrammarRecord, idOfValue(HttpGrammarRecord, bundle));
}

/** Makes a world of an environment and a door to it. The secret is stored as a hash to look it up by, and sealed. */
export async function makeDoor(ctx: Ctx, environment: EnvironmentDoc, made: NewDoor): Promise<DoorDoc> {
  if (!(await grammarOf(ctx, environment.bundle)))
    throw conflict(
      "This sandbox was not drawn from an HTTP API, so it has no door. Compile one from a capture first (apidoor_post).",
    );
  const { label, version, quota_limit, api, by } = made;
  const world = await makeWorld(ctx, environment, { label: label ?? "door", ...(by === undefined ? {} : { by }) });
  const { raw, hash, prefix } = mintToken("door");
  const id = ctx.id(Door.prefix);
  const token: TokenRow = {
    id,
    kind: "door",
    hash,
    prefix,
    name: label ?? "door",
    scope: "read",
    world: world.id,
    created_by: actor(ctx, by),
    created_at: ctx.now(),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  };
  const door: DoorDoc = {
    id,
    created_at: ctx.now(),
    by: actor(ctx, by),
    sandbox: environment.id,
    world: world.id,
    starts: prefix,
    ...(label === undefined ? {} : { label }),
    ...(version === undefined ? {} : { version }),
    ...(api === true ? { api } : {}),
    ...(quota_limit === undefined ? {} : { quota_limit }),
    tally: NO_TALLY,
  };
  const { created_at } = door;
  const secret = { id: secretOf(id), created_at, by: door.by, door: id, sealed: ctx.sealer.seal(raw) };
  await ctx.store.records.apply([
    { op: "insert", kind: Door, doc: door },
    { op: "insert", kind: DoorSecret, doc: secret },
  ]);
  // Only now does the address open anything: a door without its record would be one nobody could list or revoke.
  await ctx.store.tokens.insert(token);
  await audited(ctx, made, "door_opened", { door: id, sandbox: environment.id });
  return door;
}

function secretOf(door: string): string {
  return idOfValue(DoorSecret, door);
}

/** A door's address, whole for callers who may act on it; undefined once it is revoked. Without the end slash. */
export async function doorUrl(ctx: Ctx, door: DoorDoc): Promise<string | undefined> {
  if (door.revoked_at !== undefined) return undefined;
  const base = `${ctx.settings.publicUrl ?? ""}${DOORS_PATH}/`;
  if (!allows(ctx.caller.scope, "push")) return `${base}${door.starts}…`;
  const secret = await ctx.store.records.get(DoorSecret, secretOf(door.id));
  return secret && `${base}${ctx.sealer.open(secret.sealed)}`;
}

/** A door as it is answered: its address, what it was asked in all, and whether it is open. */
export async function doorView(ctx: Ctx, door: DoorDoc) {
  const { id, tally, starts: _starts, api: _api, ...row } = door;
  const url = await doorUrl(ctx, door);
  return {
    tid: id,
    ...row,
    live: door.revoked_at === undefined,
    ...(url === undefined ? {} : { base_url: url, gaps_url: `${url}/_svc/gaps`, reset_url: `${url}/_svc/reset` }),
    requests: requestsOf(tally),
  };
}

function requestsOf({ routes, unserved, limited }: DoorDoc["tally"]): number {
  const served = Object.values(routes).flatMap((statuses) => Object.values(statuses));
  return [...served, ...Object.values(unserved), limited].reduce((sum, n) => sum + n, 0);
}

/** The doors of a sandbox, oldest first, revoked ones too. */
export async function doorsOf(ctx: Ctx, sandbox: string): Promise<DoorDoc[]> {
  const doors: DoorDoc[] = [];
  for await (const door of everyRow((page) =>
    ctx.store.records.list(Door, { ...page, where: { sandbox }, order: "oldest" }),
  ))
    doors.push(door);
  return doors;
}

/** Opens a door to a sandbox drawn from an HTTP API, with a world of its own as drawn. */
export async function openDoor(ctx: Ctx, input: { readonly sid: string } & Omit<NewDoor, "api">) {
  return { door: await doorView(ctx, await makeDoor(ctx, await liveEnvironment(ctx, input.sid), input)) };
}

/** The doors of a sandbox, oldest first, revoked ones included. */
export async function listDoors(ctx: Ctx, input: { readonly sid: string }) {
  const { id } = await findEnvironment(ctx, input.sid);
  const doors = await doorsOf(ctx, id);
  return { doors: await Promise.all(doors.map((door) => doorView(ctx, door))) };
}

interface DoorRef {
  readonly sid: string;
  readonly tid: string;
  readonly by?: string | undefined;
}

/** Revokes a door at once and for good; a second revoke keeps the first mark. */
export async function revokeDoor(ctx: Ctx, input: DoorRef) {
  const door = await findDoor(ctx, input.sid, input.tid);
  return { door: await doorView(ctx, await closeDoor(ctx, door, input)) };
}

/** Ends a door: its token first, so that nothing is served while the rest is written. */
export async function closeDoor(ctx: Ctx, door: DoorDoc, by: { readonly by?: string | undefined }): Promise<DoorDoc> {
  await ctx.store.tokens.revoke(door.id, ctx.now());
  if (door.revoked_at !== undefined) return door;
  const closed = await ctx.store.records.update(Door, door.id, (row) => ({
    ...row,
    revoked_at: row.revoked_at ?? ctx.now(),
  }));
  await ctx.store.records.delete(DoorSecret, secretOf(door.id));
  await audited(ctx, by, "door_revoked", { door: door.id, sandbox: door.sandbox });
  if (!closed) throw notFound("door");
  return closed;
}

/** Puts a door's world back to its drawn state and counts it. */
export async function resetDoorWorld(ctx: Pick<Ctx, "store" | "worlds">, door: DoorDoc) {
  const open = orNotFound(await ctx.worlds.open(door.world), "door");
  await open.reset();
  await ctx.store.records.update(Door, door.id, (row) => ({
    ...row,
    tally: { ...row.tally, resets: row.tally.resets + 1 },
  }));
  return { tid: door.id, world: door.world, reset: true as const, digest: open.world.digest() };
}

/** The same reset as the door's own `/_svc/reset`, for callers of the service. A revoked door is a conflict. */
export async function resetDoor(ctx: Ctx, input: DoorRef) {
  const door = await findDoor(ctx, input.sid, input.tid);
  if (door.revoked_at !== undefined) throw conflict("The door is revoked; open another.", { by: "sandbox_door_post" });
  return resetDoorWorld(ctx, door);
}

/** What a door was asked, in counts alone. */
export async function doorTally(ctx: Ctx, input: DoorRef) {
  const door = await findDoor(ctx, input.sid, input.tid);
  return { tid: door.id, ...door.tally, requests: requestsOf(door.tally), tier: "deterministic" as const };
}

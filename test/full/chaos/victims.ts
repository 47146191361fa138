import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import type { TestApp, TestOrg } from "../../helpers/app.ts";
import { mintWorld } from "../../helpers/world.ts";

// What is done to a service that is killed meanwhile, and what must hold of each answer.

/** Who calls the service that lives now; undefined is no answer, and a refusal of the moment. */
export class Caller {
  url = "";
  answered = 0;
  async ask(method: string, path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
    try {
      const sent = body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) };
      const type = { "content-type": body instanceof Uint8Array ? "application/gzip" : "application/json" };
      const answer = await fetch(this.url + path, {
        method,
        ...(sent as { body?: BodyInit }),
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : type), ...headers },
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (answer.status >= 500 || answer.status === 429) return undefined;
      this.answered += 1;
      return { status: answer.status, bytes, body: () => JSON.parse(new TextDecoder().decode(bytes)) };
    } catch {
      return undefined;
    }
  }
}

export const content = (name: string) => [
  {
    id: name,
    messages: [
      { role: "user", content: `Where is ${name}?` },
      { role: "assistant", content: "On its way." },
    ],
  },
];

/** How many worlds the org has whose links are turned over. */
export const WORLDS = 4;

/** The org's worlds, each with one link; beside them one of an environment's own, whose link nobody turns over. */
export async function plantWorlds(app: TestApp, org: TestOrg): Promise<void> {
  const { id } = await mintWorld(app, org);
  const environment = (await app.service.store.forOrg(org.id).records.get(WorldRecord, id))?.environment;
  for (let i = 0; i < WORLDS; i++) await app.rest("POST", "/v0/worlds", { environment, label: `w${i}` }, org.push);
}

/** Turns the org's links over; answers whether it was told so. */
export async function rotateLinks(caller: Caller, { tag, push }: TestOrg): Promise<boolean> {
  const links = await caller.ask("POST", `/v0/orgs/${tag}/connections/rotations`, push, {});
  if (links === undefined) return false;
  expect(links.status).toBe(200);
  expect(links.body().rotated).toBe(WORLDS);
  return true;
}

export interface Victim {
  readonly tag: string;
  readonly archive: Uint8Array;
  readonly whole: Record<string, number>;
  /** As the last answer said; undefined where there was none. */
  there: boolean | undefined;
  /** Asked for, and answered. */
  begun: number;
  purged: number;
  restored: number;
}

export const counted = (tables: Record<string, number>) =>
  Object.fromEntries(["records", "traces", "blobs", "attributes"].map((name) => [name, tables[name] ?? 0]));

/** Deletes an org and brings it back from its archive, again and again: at each look it is whole or gone, as was answered. */
export async function purgeAndRestore(caller: Caller, operator: string, ended: () => boolean, victim: Victim) {
  while (!ended()) {
    const look = await caller.ask("GET", `/v0/orgs/${victim.tag}/purge`, operator);
    if (look === undefined) return;
    expect([200, 404]).toContain(look.status);
    const there = look.status === 200;
    if (there) expect(counted(look.body().tables)).toEqual(victim.whole);
    if (victim.there !== undefined) expect(there).toBe(victim.there);
    victim.there = undefined;
    victim.begun += 1;
    const act = there
      ? await caller.ask("DELETE", `/v0/orgs/${victim.tag}?confirm=${victim.tag}`, operator)
      : await caller.ask("POST", "/v0/operator/orgs/restore", operator, victim.archive);
    if (act === undefined) return;
    if (!there && act.status === 409) {
      // A restore that was cut keeps others from beginning one for a minute; a deletion that was cut is ended first.
      expect(act.body().reason).toMatch(/brought back already|there already/);
      victim.there = false;
      await sleep(200);
      continue;
    }
    expect([200, 201], new TextDecoder().decode(act.bytes)).toContain(act.status);
    victim.there = !there;
    if (there) victim.purged += 1;
    else victim.restored += 1;
  }
}

/**
 * An org with so many traces that were looked through, brought back once from its archive, and what it holds whole. What
 * was not looked through yet would be after two minutes, which adds records to what an archive brought back.
 */
export async function plantVictim(app: TestApp, tag: string): Promise<Victim> {
  const org = await app.org(tag);
  const many = Array.from({ length: 40 }, (_, i) => content(`${tag}-${i}`)[0]);
  await app.rest("POST", "/v0/evidence", { content: many }, org.push);
  const { job } = (await app.rest("POST", `/v0/orgs/${tag}/after-ingest`, {}, org.push)).body;
  const { jobs } = app.service.store.forOrg(org.id);
  await expect.poll(async () => (await jobs.get(job))?.status).toBe("landed");
  const caller = new Caller();
  caller.url = app.url;
  const archive = (await caller.ask("GET", `/v0/orgs/${tag}/archive`, org.admin))?.bytes ?? new Uint8Array();
  expect(archive.length).toBeGreaterThan(500);
  expect((await app.rest("DELETE", `/v0/orgs/${tag}?confirm=${tag}`, undefined, app.operator)).status).toBe(200);
  expect((await caller.ask("POST", "/v0/operator/orgs/restore", app.operator, archive))?.status).toBe(201);
  const preview = await app.rest("GET", `/v0/orgs/${tag}/purge`, undefined, app.operator);
  const whole = counted(preview.body.tables);
  expect(whole.traces).toBe(40);
  return { tag, archive, whole, there: true, begun: 0, purged: 0, restored: 0 };
}

/** Brings it back if need be, and looks whether it is whole. */
export async function lookLast(caller: Caller, operator: string, victim: Victim): Promise<void> {
  const path = `/v0/orgs/${victim.tag}/purge`;
  const look = await caller.ask("GET", path, operator);
  if (victim.there !== undefined) expect(look?.status).toBe(victim.there ? 200 : 404);
  const restored = () => caller.ask("POST", "/v0/operator/orgs/restore", operator, victim.archive);
  if (look?.status === 404) await expect.poll(async () => (await restored())?.status, { interval: 1_000 }).toBe(201);
  const whole = await caller.ask("GET", path, operator);
  expect(counted(whole?.body().tables)).toEqual(victim.whole);
}

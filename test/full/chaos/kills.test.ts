import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, expect, it } from "vitest";
import { everyRow } from "../../../chapters/page.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { seeded } from "../../chapters/statistics/seeded.ts";
import { HANGS_MS } from "../../hangs.ts";
import { invoker, startApp } from "../../helpers/app.ts";
import { startServe, svc } from "../../helpers/process.ts";
import { mintWorld } from "../../helpers/world.ts";

/** How many times the service is killed; SVC_CHAOS_KILLS makes it more. */
const KILLS = Number(process.env.SVC_CHAOS_KILLS ?? 30);
/** The longest that one lives after it answers; a tenth is killed while it starts. Milliseconds. */
const LIVES_MS = 700;
const STARTS_MS = 2_000;
const WORLDS = 4;
const random = seeded(20261123);
const folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPERATOR = `svc_op_${randomBytes(32).toString("base64url")}`;
const ENV = { SVC_OPERATOR_TOKEN: OPERATOR, SVC_CALLS_PER_MINUTE: "0" };

/** Who calls the service that lives now; undefined is no answer, and a refusal of the moment. */
class Caller {
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

const content = (name: string) => [
  {
    id: name,
    messages: [
      { role: "user", content: `Where is ${name}?` },
      { role: "assistant", content: "On its way." },
    ],
  },
];

/** Evidence under a key of its own each: what had no answer is sent again as it was. */
async function ingest(caller: Caller, token: string, ended: () => boolean, sent: { accepted: string[]; next: number }) {
  while (!ended()) {
    const name = `kill-${sent.next}`;
    const answer = await caller.ask("POST", "/v0/evidence", token, { idempotency_key: name, content: content(name) });
    if (answer === undefined) return;
    expect([200, 201], new TextDecoder().decode(answer.bytes)).toContain(answer.status);
    sent.accepted.push(name);
    sent.next += 1;
  }
}

/** Turns links and the sealing key over. */
async function rotate(caller: Caller, token: string, ended: () => boolean, done: { links: number; keys: number }) {
  while (!ended()) {
    const links = await caller.ask("POST", "/v0/orgs/acme/connections/rotations", token, {});
    if (links === undefined) return;
    expect(links.status).toBe(200);
    expect(links.body().rotated).toBe(WORLDS);
    done.links += 1;
    const keys = await caller.ask("POST", "/v0/operator/keys/rotate", OPERATOR, {});
    if (keys === undefined) return;
    expect(keys.body()).toMatchObject({ unreadable: 0 });
    done.keys += 1;
    await sleep(20);
  }
}

interface Victim {
  readonly archive: Uint8Array;
  readonly whole: Record<string, number>;
  /** As the last answer said; undefined where there was none. */
  there: boolean | undefined;
  /** Asked for, and answered. */
  begun: number;
  purged: number;
  restored: number;
}

const counted = (tables: Record<string, number>) =>
  Object.fromEntries(["records", "traces", "blobs", "attributes"].map((name) => [name, tables[name] ?? 0]));

/** Deletes an org and brings it back from its archive, again and again: at each look it is whole or gone, as was answered. */
async function purgeAndRestore(caller: Caller, ended: () => boolean, victim: Victim) {
  while (!ended()) {
    const look = await caller.ask("GET", "/v0/orgs/victim/purge", OPERATOR);
    if (look === undefined) return;
    expect([200, 404]).toContain(look.status);
    const there = look.status === 200;
    if (there) expect(counted(look.body().tables)).toEqual(victim.whole);
    if (victim.there !== undefined) expect(there).toBe(victim.there);
    victim.there = undefined;
    victim.begun += 1;
    const act = there
      ? await caller.ask("DELETE", "/v0/orgs/victim?confirm=victim", OPERATOR)
      : await caller.ask("POST", "/v0/operator/orgs/restore", OPERATOR, victim.archive);
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

it(
  "a service that is killed at random loses nothing it accepted: traces, links, keys, an org that is deleted and restored",
  async () => {
    const app = await startApp({ dataDir: folder });
    const org = await app.org();
    const { id } = await mintWorld(app, org);
    const store = app.service.store.forOrg(org.id);
    const environment = (await store.records.get(WorldRecord, id))?.environment;
    for (let i = 0; i < WORLDS; i++) await app.rest("POST", "/v0/worlds", { environment, label: `w${i}` }, org.push);
    const agent = { kind: "command", name: "bot", command: "true", env: { KEY: "of a customer" } };
    expect((await invoker(app, "rest", org)("agents_post", agent)).status).toBe(201);
    const victimOrg = await app.org("victim");
    const many = Array.from({ length: 40 }, (_, i) => content(`victim-${i}`)[0]);
    await app.rest("POST", "/v0/evidence", { content: many }, victimOrg.push);
    const first = new Caller();
    first.url = app.url;
    const archive = (await first.ask("GET", "/v0/orgs/victim/archive", victimOrg.admin))?.bytes ?? new Uint8Array();
    expect(archive.length).toBeGreaterThan(500);
    expect((await app.rest("DELETE", "/v0/orgs/victim?confirm=victim", undefined, app.operator)).status).toBe(200);
    expect((await first.ask("POST", "/v0/operator/orgs/restore", app.operator, archive))?.status).toBe(201);
    const preview = await app.rest("GET", "/v0/orgs/victim/purge", undefined, app.operator);
    const victim: Victim = {
      archive,
      whole: counted(preview.body.tables),
      there: true,
      begun: 0,
      purged: 0,
      restored: 0,
    };
    expect(victim.whole.traces).toBe(40);
    await app.close();

    const sent = { accepted: [] as string[], next: 0 };
    const done = { links: 0, keys: 0 };
    let answered = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (random() < 0.1) {
        const early = svc(["serve"], { SVC_DATA_DIR: folder, SVC_PORT: "0", ...ENV });
        const gone = new Promise((resolve) => early.once("exit", resolve));
        await sleep(random() * STARTS_MS);
        early.kill("SIGKILL");
        await gone;
        continue;
      }
      const { child, url } = await startServe(folder, ENV);
      const caller = new Caller();
      caller.url = url;
      let over = false;
      const ended = () => over;
      const work = Promise.all([
        ingest(caller, org.push, ended, sent),
        ingest(caller, org.push, ended, { accepted: [], next: sent.next }),
        rotate(caller, org.push, ended, done),
        purgeAndRestore(caller, ended, victim),
      ]);
      await Promise.race([sleep(50 + random() * LIVES_MS), work]);
      over = true;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await Promise.all([gone, work]);
      answered += caller.answered;
    }

    const { child, url } = await startServe(folder, ENV);
    const last = new Caller();
    last.url = url;
    const look = await last.ask("GET", "/v0/orgs/victim/purge", OPERATOR);
    if (victim.there !== undefined) expect(look?.status).toBe(victim.there ? 200 : 404);
    const restored = () => last.ask("POST", "/v0/operator/orgs/restore", OPERATOR, victim.archive);
    if (look?.status === 404) await expect.poll(async () => (await restored())?.status, { interval: 1_000 }).toBe(201);
    const whole = await last.ask("GET", "/v0/orgs/victim/purge", OPERATOR);
    expect(counted(whole?.body().tables)).toEqual(victim.whole);
    expect((await last.ask("GET", "/v0/operator/audit/verify", OPERATOR))?.body()).toMatchObject({ intact: true });
    const keys = (await last.ask("POST", "/v0/operator/keys/rotate", OPERATOR, {}))?.body();
    expect(keys).toMatchObject({ resealed: 1, unreadable: 0 });
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));

    const db = new Database(join(folder, "store.db"), { readonly: true });
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    const live = db.prepare(
      "select world, count(*) as n from tokens where org = ? and kind = 'world' and revoked_at is null and world is not null group by world",
    );
    expect((live.all(org.id) as { n: number }[]).map(({ n }) => n)).toEqual(Array(WORLDS + 1).fill(1));
    db.close();

    const after = await startApp({ dataDir: folder, jobs: false });
    try {
      const own = after.service.store.forOrg(org.id);
      const stored = new Map<string, number>();
      const records: string[] = [];
      for await (const record of everyRow((page) => own.records.list(Evidence, page))) records.push(record.id);
      for await (const { trace } of own.traces.stream(records)) {
        const name = /kill-\d+/.exec(trace.request)?.[0] ?? "";
        stored.set(name, (stored.get(name) ?? 0) + 1);
      }
      expect(sent.accepted.filter((name) => stored.get(name) !== 1)).toEqual([]);
      expect([...stored.values()].every((n) => n === 1)).toBe(true);
    } finally {
      await after.close();
    }
    console.log(
      `${KILLS} kills: ${answered} calls answered; ${sent.accepted.length} posts of evidence, each stored once; links rotated ${done.links} times, the sealing key ${done.keys} times; of ${victim.begun} deletions and restores that were begun ${victim.purged} and ${victim.restored} were answered`,
    );
    expect(sent.accepted.length).toBeGreaterThan(KILLS / 2);
    for (const times of [done.links, done.keys, victim.begun]) expect(times).toBeGreaterThan(0);
  },
  HANGS_MS + KILLS * 60_000,
);

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, expect, it } from "vitest";
import { everyRow } from "../../../chapters/page.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { seeded } from "../../chapters/statistics/seeded.ts";
import { HANGS_MS } from "../../hangs.ts";
import { invoker, startApp, type TestOrg } from "../../helpers/app.ts";
import { startServe, svc } from "../../helpers/process.ts";
import {
  Caller,
  content,
  lookLast,
  plantVictim,
  plantWorlds,
  purgeAndRestore,
  rotateLinks,
  WORLDS,
} from "./victims.ts";

/** How many times the service is killed; SVC_CHAOS_KILLS makes it more. */
const KILLS = Number(process.env.SVC_CHAOS_KILLS ?? 30);
/** One is killed a moment after so many answers at most, on a machine of any speed; each eighth later, a tenth while it starts. */
const ANSWERS = 24;
const LATER = 240;
const MOMENT_MS = 60;
const STARTS_MS = 2_000;
const random = seeded(20261123);
const folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPERATOR = `svc_op_${randomBytes(32).toString("base64url")}`;
const ENV = { SVC_OPERATOR_TOKEN: OPERATOR, SVC_CALLS_PER_MINUTE: "0" };

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
async function rotate(caller: Caller, org: TestOrg, ended: () => boolean, done: { links: number; keys: number }) {
  while (!ended()) {
    if (!(await rotateLinks(caller, org))) return;
    done.links += 1;
    const keys = await caller.ask("POST", "/v0/operator/keys/rotate", OPERATOR, {});
    if (keys === undefined) return;
    expect(keys.body()).toMatchObject({ unreadable: 0 });
    done.keys += 1;
    await sleep(20);
  }
}

it(
  "a service that is killed at random loses nothing it accepted: traces, links, keys, an org that is deleted and restored",
  async () => {
    const app = await startApp({ dataDir: folder });
    const org = await app.org();
    await plantWorlds(app, org);
    const agent = { kind: "command", name: "bot", command: "true", env: { KEY: "of a customer" } };
    expect((await invoker(app, "rest", org)("agents_post", agent)).status).toBe(201);
    const victim = await plantVictim(app, "victim");
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
        rotate(caller, org, ended, done),
        purgeAndRestore(caller, OPERATOR, ended, victim),
      ]);
      const most = random() * (kill % 8 === 7 ? LATER : ANSWERS);
      const answers = async () => {
        while (caller.answered < most) await sleep(5);
        await sleep(random() * MOMENT_MS);
      };
      await Promise.race([answers(), work]);
      over = true;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await Promise.all([gone, work]);
      answered += caller.answered;
    }

    const { child, url } = await startServe(folder, ENV);
    const last = new Caller();
    last.url = url;
    await lookLast(last, OPERATOR, victim);
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

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { Member } from "../../../chapters/records/organization/organization.ts";
import { readConfig } from "../../../src/config.ts";
import { createService } from "../../../src/service/service.ts";
import { createOrg, mintFor } from "../../../src/service/workspace.ts";
import { startServe } from "../../helpers/process.ts";

const RECORDS = 10_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "mirror-kill-"));
  folders.push(made);
  return made;
}

/** A workspace on disk with org `acme`, its admin token, and members as told. */
async function workspace(
  members: number,
): Promise<{ readonly dir: string; readonly token: string; readonly org: string }> {
  const dir = folder();
  const service = await createService({ config: readConfig({ SVC_DATA_DIR: dir, SVC_LOG_LEVEL: "error" }) });
  try {
    const org = await createOrg(service, "acme");
    const token = await mintFor(service, org, "admin", "admin");
    const { records } = service.store.forOrg(org.id);
    const row = (i: number) => ({
      id: service.id("mb"),
      created_at: i,
      by: "t",
      email: `p${i}@example.com`,
      name: `P${i}`,
      role: "member" as const,
      email_opt_out: false,
    });
    for (let at = 0; at < members; at += 1000)
      await records.apply(
        Array.from({ length: Math.min(1000, members - at) }, (_, i) => ({
          op: "insert" as const,
          kind: Member,
          doc: row(at + i),
        })),
      );
    return { dir, token, org: org.id };
  } finally {
    await service.close();
  }
}

type Served = Awaited<ReturnType<typeof startServe>>;

async function killed(served: Served): Promise<void> {
  const gone = once(served.child, "exit");
  served.child.kill("SIGKILL");
  await gone;
}

async function ask(url: string, token: string, path: string, body?: object) {
  const res = await fetch(`${url}/v0/${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of several operations; a wrong name fails the expectation.
  return { status: res.status, body: (await res.json()) as any };
}

async function ended(url: string, token: string, job: string) {
  for (let i = 0; i < 1200; i++) {
    const { body } = await ask(url, token, `jobs/${job}`);
    if (body.ended_at !== null && body.ended_at !== undefined) return body;
    await sleep(100);
  }
  throw new Error("the round did not end in two minutes");
}

it(`an org of ${RECORDS} records is whole on the other side after either server was killed in a round`, async () => {
  const target = await workspace(0);
  const source = await workspace(RECORDS);
  const taking = { SVC_MIRROR_FROM: target.org };
  let there = await startServe(target.dir, taking);
  const port = new URL(there.url).port;
  const sending = { SVC_MIRROR_URL: there.url, SVC_MIRROR_TOKEN: target.token };
  let here = await startServe(source.dir, sending);
  try {
    const held = async () => {
      const { body } = await ask(there.url, target.token, "orgs/acme/mirror-in?wait=1");
      expect(body.filling).toBe(false);
      return Object.keys(body.held).length;
    };
    const until = async (least: number) => {
      for (let i = 0; i < 600; i++) {
        const n = await held();
        if (n >= least) return n;
        await sleep(20);
      }
      throw new Error("the round does not go on");
    };
    const listed = (await ask(here.url, source.token, "orgs/acme/mirror")).body.members;
    expect(listed).toHaveLength(RECORDS);

    // The receiver dies in the middle: what it said it has, it has.
    const first = await ask(here.url, source.token, "orgs/acme/mirror", {});
    expect(first.status).toBe(202);
    const before = await until(500);
    expect(before).toBeLessThan(RECORDS);
    await killed(there);
    there = await startServe(target.dir, { ...taking, SVC_PORT: port });
    expect(await held()).toBeGreaterThanOrEqual(before);

    // The sender dies in the middle of what it took up again, or of a round that was started anew.
    const state = (await ask(here.url, source.token, `jobs/${first.body.job}`)).body;
    if (state.ended_at !== null) await ask(here.url, source.token, "orgs/acme/mirror", {});
    const middle = await until(before + 500);
    expect(middle).toBeLessThan(RECORDS);
    await killed(here);
    here = await startServe(source.dir, sending);

    const round = await ask(here.url, source.token, "orgs/acme/mirror", {});
    const done = await ended(here.url, source.token, round.body.job);
    expect(done).toMatchObject({ status: "landed", result: { members: RECORDS, refused: [], more_refused: 0 } });
    const last = await ask(here.url, source.token, "orgs/acme/mirror", {});
    const after = await ended(here.url, source.token, last.body.job);
    expect(after.result).toMatchObject({ members: RECORDS, same: RECORDS, sent: 0, refused: [] });
    expect((await ask(there.url, target.token, "orgs/acme/mirror")).body.members).toEqual(listed);
  } finally {
    await killed(here);
    await killed(there);
  }
});

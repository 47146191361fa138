import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { Evidence, EvidenceDraft } from "../../../chapters/records/evidence/evidence.ts";
import { openStore } from "../../../store/open.ts";
import { LARGE_TRACES } from "./large-body.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-evidence-kill-"));
const path = join(folder, "store.db");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs the child until a line of it matches, then kills it; or to its end. Gives back what it had answered by then:
 * records and their traces.
 */
function storeUntil(round: string, moment: RegExp | undefined): Promise<[id: string, traces: number][]> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./kill-child.ts", import.meta.url)), path, round]);
  return new Promise((resolve, reject) => {
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (moment?.test(out)) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (_, signal) => {
      if ((moment === undefined) === (signal === "SIGKILL")) reject(new Error(`it ended by ${signal}: ${errors}`));
      const answered = [...out.matchAll(/^stored (\S+) (\d+)\n/gm)];
      resolve(answered.map(([, id, traces]) => [id ?? "", Number(traces)]));
    });
  });
}

it("what was answered is whole after a kill in the middle of a large body; of that nothing shows, and it can be sent again", async () => {
  const answered: [string, number][] = [];
  for (const [round, moment] of [
    ["a", /^read \d+\nread \d+\n/m],
    ["b", /^read 1[0-9]{3}\n/m],
  ] as const) {
    const now = await storeUntil(round, moment);
    expect(now.map(([, traces]) => traces)).toEqual([5]);
    answered.push(...now);
    const store = await openStore({ path });
    const { records, traces } = store.forOrg("org1");
    expect(await records.count(Evidence)).toBe(answered.length);
    for (const [id, count] of answered) expect(await traces.count(id)).toBe(count);
    const drafts = (await records.list(EvidenceDraft, {})).items;
    expect(drafts.length).toBe(answered.length);
    for (const { id } of drafts) expect(await traces.count(id)).toBeGreaterThanOrEqual(256);
    await store.close();
  }
  const [small, large] = await storeUntil("c", undefined);
  expect([small?.[1], large?.[1]]).toEqual([5, LARGE_TRACES]);
  const store = await openStore({ path });
  const { records, traces } = store.forOrg("org1");
  expect(await records.count(Evidence)).toBe(4);
  const sessions: string[] = [];
  for await (const row of traces.stream([large?.[0] ?? ""])) sessions.push(row.trace.session);
  expect(sessions).toEqual(Array.from({ length: LARGE_TRACES }, (_, n) => `large ${n}`));
  await store.close();
});

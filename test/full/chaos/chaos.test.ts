import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TrialRow } from "../../../chapters/records/runs/runs.ts";
import { seeded } from "../../chapters/statistics/seeded.ts";
import { startApp } from "../../helpers/app.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { type ChaosProvider, modelsAt, startChaosProvider } from "./provider.ts";

const SERVICE_KILLS = 4;
const random = seeded(20261121);
let folder = "";
let provider: ChaosProvider;
let child: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "chaos-"));
  provider = await startChaosProvider(join(folder, "key.json"), random);
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A service process; `said` is all that it has printed. */
function serve(start: boolean) {
  const entry = fileURLToPath(new URL("./service.ts", import.meta.url));
  const args = [entry, folder, provider.url, ...(start ? ["start"] : [])];
  const own = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const said = { text: "", errors: "" };
  own.stdout.on("data", (chunk) => {
    said.text += chunk;
  });
  own.stderr.on("data", (chunk) => {
    said.errors += chunk;
  });
  child = own;
  const ended = new Promise<void>((resolve) => own.once("close", () => resolve()));
  return { own, said, ended };
}

async function until(what: () => boolean, seconds: number, why: () => string): Promise<void> {
  for (let i = 0; i < seconds * 20; i++) {
    if (what()) return;
    await sleep(50);
  }
  throw new Error(why());
}

/** Kills the process that started an agent which is at work, where there is one: agents that others kill have failed. */
function killLauncher(): boolean {
  const pids = existsSync(`${folder}/pids`)
    ? readFileSync(`${folder}/pids`, "utf8").trim().split("\n").map(Number)
    : [];
  const alive = pids.slice(-40).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent.mjs");
    } catch {
      return false;
    }
  });
  const one = alive[Math.floor(random() * alive.length)];
  if (one === undefined) return false;
  try {
    const parent = Number(readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
    if (!readFileSync(`/proc/${parent}/cmdline`, "utf8").includes("launcher-process")) return false;
    process.kill(parent, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

const worldsOf = (text: string) =>
  Math.max(0, ...[...text.matchAll(/^worlds (\d+)$/gm)].map((match) => Number(match[1])));

it("500 trials among killed launchers, services, providers and worlds: the met rate moves less than a point, and no fault that was injected is the agent's", async () => {
  let service = serve(true);
  await until(
    () => service.said.text.includes("groups "),
    120,
    () => service.said.errors,
  );
  const [, calmOwn = "", calmLoop = "", org = ""] = /calm (\S+) (\S+) (\S+)/.exec(service.said.text) ?? [];
  const [, own = "", loop = ""] = /groups (\S+) (\S+)/.exec(service.said.text) ?? [];
  provider.chance = 0.08;
  let [launchers, worlds] = [0, 0];
  for (let kill = 0; kill < SERVICE_KILLS; kill++) {
    for (let i = 0; i < 20; i++) {
      await sleep(100 + 200 * random());
      if (random() < 0.2 && killLauncher()) launchers += 1;
    }
    service.own.kill("SIGKILL");
    await service.ended;
    worlds += worldsOf(service.said.text);
    service = serve(false);
  }
  await sleep(3_000);
  service.own.kill("SIGKILL");
  await service.ended;
  worlds += worldsOf(service.said.text);

  // The last of it is played here, with launchers still being killed.
  const app = await startApp({ dataDir: folder, config: { ...OPEN_AGENTS.config, models: modelsAt(provider.url) } });
  try {
    const store = app.service.store.forOrg(org);
    const ended = async (id: string) => (await store.jobs.get(id))?.ended_at != null;
    for (let i = 0; !((await ended(own)) && (await ended(loop))); i++) {
      await sleep(50);
      if (i % 25 === 0 && i < 400 && killLauncher()) launchers += 1;
    }
    expect([(await store.jobs.get(own))?.status, (await store.jobs.get(loop))?.status]).toEqual(["landed", "landed"]);
    const attempts = async (group: string): Promise<TrialRow[]> => {
      const { items } = await store.jobs.list({ parent: group, limit: 10 });
      const rows: TrialRow[] = [];
      for (const { id } of items)
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = await store.trials.list(id, { limit: 500, cursor });
          rows.push(...page.items);
          cursor = page.next;
        }
      return rows;
    };
    const counted = (rows: readonly TrialRow[]) => {
      const newest = new Map<string, TrialRow>();
      for (const row of rows) {
        const known = newest.get(`${row.task} ${row.n}`);
        if (!known || known.attempt < row.attempt) newest.set(`${row.task} ${row.n}`, row);
      }
      return [...newest.values()];
    };
    const told: string[] = [];
    const causes = new Map<string, number>();
    for (const [calm, group, trials] of [
      [calmOwn, own, 300],
      [calmLoop, loop, 200],
    ] as const) {
      const expected = new Map(counted(await attempts(calm)).map((row) => [row.task, row.end]));
      expect(new Set(expected.values())).toEqual(new Set(["met", "failed"]));
      const all = await attempts(group);
      for (const { end, cause } of all)
        if (end === "infra") causes.set(cause ?? "", (causes.get(cause ?? "") ?? 0) + 1);
      const rows = counted(all);
      expect(rows).toHaveLength(trials);
      const valid = rows.filter(({ end }) => end === "met" || end === "failed");
      const blamed = valid.filter((row) => row.end === "failed" && expected.get(row.task) === "met");
      expect(blamed.map(({ task, n, cause, log }) => ({ task, n, cause, log }))).toEqual([]);
      expect(rows.filter(({ end }) => end === "invalid")).toEqual([]);
      const rate = valid.filter(({ end }) => end === "met").length / valid.length;
      const calmRate = [...expected.values()].filter((end) => end === "met").length / expected.size;
      told.push(
        `${trials} trials: met ${(100 * rate).toFixed(2)} %, in calm ${(100 * calmRate).toFixed(2)} %, ${rows.length - valid.length} infra, ${all.length} attempts`,
      );
      expect(Math.abs(rate - calmRate)).toBeLessThan(0.01);
    }
    console.log(
      [
        ...told,
        `killed: ${launchers} launchers, ${SERVICE_KILLS + 1} services, ${provider.failed} exchanges, ${worlds} worlds; attempts lost: ${JSON.stringify(Object.fromEntries(causes))}`,
      ].join("\n"),
    );
    expect(launchers).toBeGreaterThan(5);
    expect(provider.failed).toBeGreaterThan(5);
    expect(worlds).toBeGreaterThan(10);
    expect(causes.get("service") ?? 0).toBeGreaterThan(3);
    expect(causes.get("provider") ?? 0).toBeGreaterThan(3);
  } finally {
    await app.close();
  }
});

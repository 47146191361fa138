import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sample } from "../../src/evaluate/sample.ts";
import { type Answer, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { remembered } from "../helpers/run/compute.ts";
import { folderOfRun } from "../helpers/run/results-folder.ts";
import { buildDesk, ended, ok } from "../tools/sandboxes/kit.ts";

/** What a store that somebody has worked with for a while holds: the ids by which its records are reached. */
export interface DeskStore {
  readonly ids: Readonly<Record<string, string>>;
  /** Run groups: the reference, a rule, and two versions of an agent. */
  readonly groups: readonly [string, string, string, string];
}

/** A service of its own over a copy of that store, which is made once in a run of the tests; `close` ends it. */
export async function deskStore(): Promise<DeskStore & { readonly app: TestApp; readonly org: TestOrg }> {
  const { folder, ...made } = await remembered("desk store", undefined, async () => {
    const dataDir = folderOfRun("desk-");
    const app = await startApp({ dataDir });
    try {
      const org = await app.org();
      return { folder: dataDir, org, ...(await filled(app, org)) };
    } finally {
      await app.close();
    }
  });
  const dataDir = mkdtempSync(join(tmpdir(), "desk-"));
  cpSync(folder, dataDir, { recursive: true });
  const app = await startApp({ dataDir });
  const close = async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...made, app: { ...app, close } };
}

/** The order desk, compiled from all of its sessions, with two versions of an agent run on it, a world, and reports. */
async function filled(app: TestApp, org: TestOrg): Promise<DeskStore> {
  const invoke = invoker(app, "rest", org);
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer["body"]> =>
    (await ok(invoke(tool, args))).body;
  await call("failure_modes_post", {
    title: "Says refunded too early",
    description: "It claims a refund that no call made.",
  });
  const { environments } = await buildDesk(invoke, "desk", 1);
  const environment: string = environments[0].id;
  const jobs: string[] = [];
  const run = async (args: Record<string, unknown>): Promise<string> => {
    const { job, group } = await call("start_run", { environment, ...args });
    await ended(invoke, job);
    jobs.push(job);
    return group;
  };
  const { name, versions } = sample().agent;
  const [first, second] = versions.map(({ name: _name, ...version }) => version);
  const { agent } = await call("agents_post", { kind: "command", name, ...first });
  await call("agents_patch", { aid: agent.id, ...second });
  await call("agent_primary", { aid: agent.id });
  const groups = [
    await run({ harness: "reference" }),
    await run({ harness: "rule" }),
    await run({ agent: agent.id, agent_version: "1" }),
    await run({ agent: agent.id, agent_version: "2" }),
  ] as const;
  const { evidence } = await call("evidence_list");
  const { bundles } = await call("bundles_list");
  const { runs } = await call("runs_list");
  const report = await call("reports_post", { kind: "comparison", id: groups[2], against: groups[3] });
  const schedule = await call("schedules_post", { kind: "weekly", cadence: "weekly" });
  const world = await call("worlds_post", { environment });
  const idOf = (row: Record<string, unknown> | undefined, ...names: string[]) =>
    String(names.map((name) => row?.[name]).find((id) => typeof id === "string") ?? "");
  return {
    groups,
    ids: {
      environment,
      agent: agent.id,
      job: jobs[3] as string,
      evidence: idOf(evidence.at(-1), "id", "evidence"),
      bundle: idOf(bundles[0], "id", "bundle"),
      run: idOf(runs[0], "id", "run"),
      report: idOf(report, "id", "report"),
      schedule: idOf(schedule, "id", "schedule"),
      world: idOf(world, "id", "world"),
    },
  };
}

import { fileURLToPath } from "node:url";
import { type Answer, invoker, type TestApp, type TestOrg } from "../helpers/app.ts";
import { buildDesk, ended, ok } from "../tools/sandboxes/kit.ts";

const AGENT = fileURLToPath(new URL("../../worlds/samples/desk/agent.ts", import.meta.url));

/** What a store that somebody has worked with for a while holds: the ids by which its records are reached. */
export interface DeskStore {
  readonly ids: Readonly<Record<string, string>>;
  /** Run groups: the reference, a rule, and two versions of an agent. */
  readonly groups: readonly [string, string, string, string];
}

/** The order desk, compiled from every n-th session, with two versions of an agent run on it, a world, and reports. */
export async function deskStore(app: TestApp, org: TestOrg, every: number): Promise<DeskStore> {
  const invoke = invoker(app, "rest", org);
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer["body"]> =>
    (await ok(invoke(tool, args))).body;
  await call("failure_modes_post", {
    title: "Says refunded too early",
    description: "It claims a refund that no call made.",
  });
  const { environments } = await buildDesk(invoke, "desk", every);
  const environment: string = environments[0].id;
  const jobs: string[] = [];
  const run = async (args: Record<string, unknown>): Promise<string> => {
    const { job, group } = await call("start_run", { environment, ...args });
    await ended(invoke, job);
    jobs.push(job);
    return group;
  };
  const command = (version: string) => [process.execPath, AGENT, "--version", version];
  const { agent } = await call("agents_post", {
    kind: "command",
    name: "desk agent",
    version: "1",
    command: command("1"),
  });
  await call("agents_patch", { aid: agent.id, version: "2", command: command("2") });
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
  const first = (row: Record<string, unknown> | undefined, ...names: string[]) =>
    String(names.map((name) => row?.[name]).find((id) => typeof id === "string") ?? "");
  return {
    groups,
    ids: {
      environment,
      agent: agent.id,
      job: jobs[3] as string,
      evidence: first(evidence.at(-1), "id", "evidence"),
      bundle: first(bundles[0], "id", "bundle"),
      run: first(runs[0], "id", "run"),
      report: first(report, "id", "report"),
      schedule: first(schedule, "id", "schedule"),
      world: first(world, "id", "world"),
    },
  };
}

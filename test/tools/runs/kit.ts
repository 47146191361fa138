import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BundleRecord, Environment, Surface, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { canonicalJson, digestOf } from "../../../worlds/digest.ts";
import { Beginnings } from "../../../worlds/starts.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import type { GradeEnv } from "../../../worlds/tasks/grading/grade.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import type { Answer, Invoke, TestApp } from "../../helpers/app.ts";
import { remembered } from "../../helpers/run/compute.ts";
import { lengtheningPauses } from "../../helpers/run/pauses.ts";
import { folderOfRun } from "../../helpers/run/results-folder.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";

/** An environment with certified tasks, written into an org. */
export interface ShopOrg {
  readonly environment: string;
  readonly tasks: readonly Task[];
  /** A file with the right calls and answer of every request, for the test agent. */
  readonly key: string;
}

/** Stores the shop as a bundle, an environment drawn from it and tasks written by rule. */
export async function shopIn(service: TestApp["service"], orgId: string, count = 12, label = "shop"): Promise<ShopOrg> {
  const tasks = await remembered("shop tasks", count, () => generateTasks(shop, shopRows, { seed: "1", count }));
  return placeIn(service, orgId, label, { bundle: shop, base: shopRows }, tasks);
}

/** Stores a world as a bundle, an environment drawn from it and these tasks, certified. */
export async function placeIn(
  service: TestApp["service"],
  orgId: string,
  label: string,
  env: GradeEnv,
  tasks: readonly Task[],
): Promise<ShopOrg> {
  const store = service.store.forOrg(orgId);
  const { id } = service;
  const base = { created_at: service.now(), by: "test" };
  const blob = (value: unknown) => store.blobs.put(new TextEncoder().encode(canonicalJson(value)));
  const [bundleBlob, baseBlob] = [await blob(env.bundle), await blob(env.base)];
  const surface = id("sf");
  const bundle = id("bd");
  await store.records.insert(Surface, { ...base, id: surface, name: label, bundle, versions: [], evidence: [] });
  await store.records.insert(BundleRecord, {
    ...base,
    id: bundle,
    surface,
    digest: digestOf(env.bundle),
    bundle_blob: bundleBlob,
    base_blob: baseBlob,
    evidence: [],
    inputs: "hand",
    tools: env.bundle.tools.length,
    readonly_tools: [],
    tables: {},
    exceptions: 0,
    gaps: [],
    conflicts: 0,
  });
  const environment = id("env");
  await store.records.insert(Environment, {
    ...base,
    id: environment,
    label,
    surface,
    bundle,
    hypothesis: "observed",
    seed: "1",
    base_blob: baseBlob,
    rows: {},
    selection: {},
    tasks: tasks.length,
    revision: 1,
  });
  for (const [index, task] of tasks.entries()) {
    await store.records.insert(TaskRecord, {
      ...base,
      id: id("tk"),
      environment,
      index,
      digest: digestOf(task),
      task,
      status: "certified",
      verdicts: [],
    });
  }
  return { environment, tasks, key: answerKey(tasks, env) };
}

/**
 * A file with the right calls and answer of every request of these tasks, on the shop where no other world is named,
 * for the test agent.
 */
export function answerKey(tasks: readonly Task[], env: GradeEnv = { bundle: shop, base: shopRows }): string {
  const worlds = new Beginnings({ ...env, seed: "1" });
  const entries = tasks.map((task) => {
    const played = playScript(worlds.fresh(task), task.script);
    const calls = played.calls.map(({ tool, args, changed }) => ({ tool, args, changed }));
    const { class: cls, questions } = task.script;
    return [task.request, { calls, answer: played.answers.at(-1)?.text ?? "", class: cls, questions }];
  });
  const file = join(folderOfRun("key-"), "key.json");
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
  return file;
}

/** Connects the test agent; a fault makes it a worse version. */
export async function connect(invoke: Invoke, shopOrg: ShopOrg, name: string, fault = ""): Promise<string> {
  const file = fileURLToPath(new URL("./agent.mjs", import.meta.url));
  const env = { KEY: shopOrg.key, FAULT: fault };
  const made = await invoke("agents_post", { kind: "command", name, command: [process.execPath, file], env });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.agent.id;
}

/** Starts a run and waits until its group has ended. */
export async function runToEnd(
  invoke: Invoke,
  args: Record<string, unknown>,
): Promise<{ group: string; started: Answer; status: string }> {
  const started = await invoke("start_run", args);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  const status = await endOf(invoke, started.body.job);
  return { group: started.body.group, started, status };
}

/** Polls a job until it has ended; its status. */
export async function endOf(invoke: Invoke, job: string): Promise<string> {
  for (const pause = lengtheningPauses(); ; await pause()) {
    const { body } = await invoke("job_status", { job_id: job });
    if (body.ended_at !== null) return body.status;
  }
}

/** What a start is refused with. */
export async function refusedStart(invoke: Invoke, args: Record<string, unknown>) {
  const { status, body } = await invoke("start_run", args);
  return { status, path: body.fields?.[0]?.path, names: body.details?.names };
}

import { readFileSync } from "node:fs";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { BundleRecord, Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { deskTools, deskTraces, ended, ok } from "../../tools/sandboxes/kit.ts";
import type { Answer, Invoke } from "../app.ts";

/** The folder of one earlier version's stores, and the names of what is in it. */
export const WRITTEN = new URL("../../store/written/", import.meta.url);
export const FILES = { folder: "data-folder.zip", dump: "postgres.sql.gz", known: "known.json" } as const;

/** What was put into a store when it was written, by name. */
export interface Ids {
  readonly surface: string;
  readonly bundle: string;
  readonly environment: string;
  readonly world: string;
  readonly agent: string;
  readonly before: string;
  readonly after: string;
  readonly mode: string;
  readonly report: string;
}

/** A store as an earlier version wrote it: who may read it, what is in it, and what it answered then. */
export interface WrittenStore {
  readonly tables: number;
  /** The key that secrets of the shared store are sealed with; the data folder has its own in a file. */
  readonly key: string;
  readonly token: string;
  readonly ids: Ids;
  readonly said: Said;
  /** The `ENGINE` that certified its tasks, and digests of what their reviews came to, by index. */
  readonly engine: number;
  readonly reviews: Readonly<Record<string, string>>;
}

export interface Known {
  readonly version: string;
  readonly sqlite: WrittenStore;
  readonly postgres: WrittenStore;
}

export function known(name: string): Known {
  return JSON.parse(readFileSync(new URL(`${name}/${FILES.known}`, WRITTEN), "utf8")) as Known;
}

const EVERY = 5;

/** Fills an org through the public operations with what a workspace comes to hold; synthetic evidence of the order desk alone. */
export async function fill(invoke: Invoke): Promise<Ids> {
  const surface = "desk";
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer> => ok(invoke(tool, args));
  const landed = async (tool: string, args: Record<string, unknown>) => {
    const job = await ended(invoke, (await call(tool, args)).body.job);
    if (job.status !== "landed") throw new Error(`${tool} ended ${job.status}: ${job.note}`);
    return job;
  };
  await call("evidence_post", { surface, content: deskTraces(EVERY) });
  await call("evidence_post", { surface, content: deskTools() });
  await call("evidence_post", { surface, kind: "document", content: "# Returns\n\nWithin 30 days, unused." });
  const { bundle, environments } = (await landed("pipeline_post", { surface })).result;
  const environment: string = environments[0].id;
  await landed("ontology_compile", { surface });
  const minted = (await call("worlds_post", { environment, label: "kept" })).body;
  const at = { bundle_id: minted.bundle_id, world: minted.world };
  for (const args of [ORDER, { ...ORDER, order_id: "SO-00000" }])
    await call("world_call", { ...at, tool: "get_order", args });
  // Found on the PATH: no path of a machine is kept.
  const command = (version: string) => ["desk-agent", "--version", version];
  const env = { SPOKEN: "plain" };
  const made = { kind: "command", name: "desk agent", version: "1", command: command("1"), env };
  const agent: string = (await call("agents_post", made)).body.agent.id;
  await call("agents_patch", { aid: agent, version: "2", command: command("2"), env });
  const groups: string[] = [];
  for (const agent_version of ["1", "2"]) {
    const { body } = await call("start_run", { agent, agent_version, environment, selection: "ci-8", trials: 2 });
    await ended(invoke, body.job);
    groups.push(body.group);
  }
  const [before = "", after = ""] = groups;
  const { tasks } = (await call("environment_tasks", { env_id: environment })).body;
  const mode = { title: "Skips the refund", description: "The refund was due.", tasks: [tasks[0].id] };
  const recorded = (await call("failure_modes_post", mode)).body.failure_modes[0].id;
  const report = (await call("reports_post", { kind: "run_group", id: after, title: "The second version" })).body.id;
  return { surface, bundle, environment, world: minted.world, agent, before, after, mode: recorded, report };
}

const ORDER = { order_id: "SO-10122" };

/** What a store says through the public operations; what a later version may add to an answer is not in it. */
export async function said(invoke: Invoke, ids: Ids) {
  const read = async (tool: string, args: Record<string, unknown> = {}) => (await ok(invoke(tool, args))).body;
  const evidence = (await read("evidence_list", { limit: 50 })).evidence as Row[];
  const { bundles } = await read("bundles_list", { limit: 50 });
  const { tasks, world_snapshot } = await read("environment_tasks", { env_id: ids.environment });
  const ontology = await read("ontology_get", { surface: ids.surface });
  const at = { bundle_id: ids.bundle, world: ids.world };
  const called = await read("world_call", { ...at, tool: "get_order", args: ORDER });
  const { agent } = await read("agents_get", { aid: ids.agent });
  const { page } = await read("reports_get", { report_id: ids.report });
  const { failure_modes: modes } = await read("failure_modes");
  const compared = await ok(invoke("compare_runs", { a: ids.before, b: ids.after, format: "json" }));
  const { a, b, tasks: pairs } = JSON.parse(compared.file ?? "{}");
  return {
    evidence: await Promise.all(
      evidence.map(async ({ id: eid, kind }) => {
        const { digest, stats } = await read("evidence_get", { eid });
        const { preview = [] } = await read("evidence_get", { eid, summary: true });
        const traces = (preview as Row[]).map(({ session, request, calls }) => ({ session, request, calls }));
        return { id: eid, kind, digest, traces: stats.traces, preview: traces };
      }),
    ),
    bundles: (bundles as Row[]).map(({ id, digest }) => ({ id, digest })),
    base: world_snapshot,
    tasks: (tasks as Row[]).map(({ id, index, digest, request }) => ({ id, index, digest, request })),
    ontology: { revision: ontology.revision, counts: ontology.counts },
    world: { text: called.text, answer_class: called.answer_class, changes: called.changes },
    agent: { name: agent.name, versions: (agent.versions as Row[]).map(({ version }) => version) },
    groups: await Promise.all(
      [ids.before, ids.after].map(async (gid) => {
        const { runs } = await read("runs_list", { group: gid });
        const { trials } = await read("run_get", { rid: runs[0].id });
        return (trials as Row[]).map(({ trial, end, cause }) => ({ trial, end, cause }));
      }),
    ),
    comparison: { tasks: pairs.length, a: met(a), b: met(b) },
    mode: (modes as Row[]).map(({ id, title, status }) => ({ id, title, status })),
    report: page.verdict.text as string,
  };
}

/** The first tasks of each family. */
const PER_FAMILY = 2;

/** The stored tasks of an environment, by index. */
export async function storedTasks(store: OrgStore, { environment }: Ids) {
  const { items } = await store.records.list(TaskRecord, { where: { environment }, limit: 500 });
  return items.sort((a, b) => a.index - b.index);
}

/** Digests of what reviews of stored tasks come to, two of each family: worlds, checks and reviews are all in them. */
export async function reviews(store: OrgStore, ids: Ids): Promise<Record<string, string>> {
  const json = async (digest: string) => JSON.parse(new TextDecoder().decode((await store.blobs.get(digest))!));
  const environment = (await store.records.get(Environment, ids.environment))!;
  const bundle = Bundle.parse(await json((await store.records.get(BundleRecord, ids.bundle))!.bundle_blob));
  const base = BaseState.parse(await json(environment.base_blob));
  const families = Map.groupBy(await storedTasks(store, ids), (row) => row.task.family);
  const chosen = [...families.values()].flatMap((rows) => rows.slice(0, PER_FAMILY));
  return Object.fromEntries(
    chosen.map(({ index, task }) => {
      const { engine: _engine, ...certificate } = reviewTask(task, { bundle, base }).certificate;
      return [String(index), digestOf(certificate)];
    }),
  );
}

export type Said = Awaited<ReturnType<typeof said>>;

// biome-ignore lint/suspicious/noExplicitAny: rows of many answers; a wrong name fails the expectation.
type Row = any;

const met = ({ rates, met: count, valid }: Row) => ({ met: rates?.met ?? count, valid: rates?.valid ?? valid });

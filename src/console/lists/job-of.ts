import type { Ctx } from "../../../chapters/context.ts";
import type { PageLink } from "../../../chapters/findings/pages/page-doc.ts";
import { inWords } from "../../../chapters/findings/pages/words.ts";
import { shownTo } from "../../../chapters/modes/note-audience.ts";
import type { JobRow } from "../../../chapters/ports/store.ts";
import type { RecordKind } from "../../../chapters/record.ts";
import { Agent } from "../../../chapters/records/agents/agents.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { playerName, Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { BundleRecord, Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { surfaceNamed } from "../../../chapters/sandboxes/surfaces/surfaces.ts";

/** Kinds of jobs in plain words; a kind that is not here is told by its own name. */
export const JOB_WORDS: Readonly<Record<string, string>> = {
  after_ingest: "look through new traces",
  agent_detect: "find how an agent is started",
  agent_discover: "find what an agent can do",
  agent_onboard: "set up an agent",
  agent_scan: "find agents in a repository",
  audit_environment: "audit of a sandbox",
  author_tasks: "writing of tasks anew",
  call: "a call made later",
  coverage_worldplans: "sandboxes of an upload's traces",
  dimensions_derive: "finding of dimensions",
  evaluate_online: "judging of production traces",
  extract_attributes: "reading of attributes",
  extract_documents: "reading of documents",
  failure_mode_tasks: "tasks for a failure mode",
  find_failure: "search for a failure mode",
  generate_environments: "build of sandboxes",
  mint_sandbox: "drawing of a sandbox",
  ontology_compile: "compile of an ontology",
  ontology_relations: "reading of relations",
  persona_draw: "tasks of a persona",
  pipeline: "build of a world",
  reconvert_evidence: "reading of an upload anew",
  rereview: "review of tasks once more",
  reserve_tasks: "tasks in reserve",
  retention: "removal of what is too old",
  review: "review of tasks",
  run: "run on one sandbox",
  run_finish: "end of a run",
  run_group: "run",
  served_repo: "connecting of a repository",
  server_ref: "reading of a server's version",
  source_sync: "pull from a source",
  worldplan: "plan of sandboxes",
  write_path_count: "count of an agent's writes",
};

/** What a kind of job does, in words. */
export const jobWords = (kind: string): string => JOB_WORDS[kind] ?? inWords(kind);

/** Something that a job works on, with its page. */
interface JobOf {
  readonly text: string;
  readonly link: PageLink;
}

/** Sandboxes of one run that are named. */
const NAMED = 3;

/** The pages of what each of these jobs works on, by the job's id, as far as its input names it and it is still kept. */
export async function worksOn(ctx: Ctx, jobs: readonly JobRow[]): Promise<ReadonlyMap<string, readonly JobOf[]>> {
  const { records } = ctx.store;
  const kept = async <K extends RecordKind>(kind: K, ids: readonly (string | null)[]) => {
    const docs = await records.getMany(kind, [...new Set(ids.filter((id) => id !== null && id !== ""))] as string[]);
    const known = new Map(docs.map((doc) => [String(doc.id), doc]));
    return (id: string | null) => known.get(id ?? "");
  };
  const inputs = jobs.map(namesIn);
  const named = <K extends RecordKind>(kind: K, name: string) =>
    kept(
      kind,
      inputs.map((input) => input(name)),
    );
  const [bundle, environment, evidence, mode, group] = await Promise.all([
    named(BundleRecord, "bundle"),
    named(Environment, "environment"),
    named(Evidence, "evidence"),
    named(FailureMode, "mode"),
    named(RunGroup, "group"),
  ]);
  const systems = inputs.map((input) => input("surface") || (bundle(input("bundle"))?.surface ?? ""));
  const agents = inputs.map((input) => input("agent") || (group(input("group"))?.player.agent ?? ""));
  const [surface, agent] = await Promise.all([kept(Surface, systems), kept(Agent, agents)]);
  // A build names its system as callers do.
  const others = [...new Set(systems)].filter((name) => name !== "" && surface(name) === undefined);
  const called = new Map(await Promise.all(others.map(async (name) => [name, await surfaceNamed(ctx, name)] as const)));
  const of = ({ kind }: JobRow, i: number): JobOf[] => {
    const input = inputs[i] ?? (() => "");
    const system = surface(systems[i] ?? "") ?? called.get(systems[i] ?? "");
    const who = agent(agents[i] ?? "");
    const run = group(input("group"));
    const sandbox = environment(input("environment"));
    const upload = evidence(input("evidence"));
    const failing = mode(input("mode"));
    const all = [
      system && {
        text: `System ${system.name}`,
        link: { page: kind.startsWith("ontology") ? "ontology" : "fidelity", id: system.id } as const,
      },
      sandbox && { text: `Sandbox ${sandbox.label}`, link: { page: "packet", id: sandbox.id } as const },
      upload && { text: "Its traces", link: { page: "evidence", id: upload.id } as const },
      who && { text: `Agent ${who.name}`, link: { page: "agent", id: who.id } as const },
      failing &&
        shownTo(failing, "customer") && { text: failing.title, link: { page: "mode", id: failing.id } as const },
      // The row of a run leads to it itself.
      run &&
        (kind !== "run_group" || who === undefined) && {
          text: `Run of ${playerName(run.player)}`,
          link: { page: "group", id: run.id } as const,
        },
      ...(sandbox === undefined ? (run?.runs ?? []) : []).slice(0, NAMED).map(({ environment: id, label }) => ({
        text: `Sandbox ${label}`,
        link: { page: "packet", id } as const,
      })),
    ];
    return all.filter((each) => !!each);
  };
  return new Map(jobs.map((job, i) => [job.id, of(job, i)]));
}

/** The names in a job's input, or in the arguments of a call that is made later; empty where it has none. */
function namesIn({ input }: JobRow): (name: string) => string {
  const own = (input ?? {}) as Readonly<Record<string, unknown>>;
  const args = (own.args ?? {}) as Readonly<Record<string, unknown>>;
  return (name) => [own[name], args[name]].find((each) => typeof each === "string") ?? "";
}

/** The run that a job of one of its sandboxes belongs to; undefined for any other job, and where the run is not kept. */
export async function runOfJob({ store: { records } }: Ctx, { id, kind, parent }: JobRow): Promise<string | undefined> {
  if (kind !== "run") return undefined;
  const group = parent ?? (await records.get(Run, id))?.group;
  return group === undefined ? undefined : (await records.get(RunGroup, group))?.id;
}

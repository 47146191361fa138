import type { Ctx } from "../../../chapters/context.ts";
import type { PageLink } from "../../../chapters/findings/pages/page-doc.ts";
import { shownTo } from "../../../chapters/modes/note-audience.ts";
import type { JobRow } from "../../../chapters/ports/store.ts";
import type { RecordKind } from "../../../chapters/record.ts";
import { Agent } from "../../../chapters/records/agents/agents.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { playerName, Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { BundleRecord, Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { surfaceNamed } from "../../../chapters/sandboxes/surfaces/surfaces.ts";

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

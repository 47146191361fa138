import { actor, type Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { type AgentChange, changeDoc, marked } from "./save.ts";
import {
  type AgentDoc,
  changedTarget,
  findAgent,
  findVersion,
  hasTarget,
  type TargetInput,
  type VersionDoc,
} from "./targets.ts";
import { agentView, versionView } from "./views.ts";

interface VersionInput extends TargetInput {
  readonly aid: string;
  readonly version: string;
  readonly notes?: string | undefined;
  readonly by?: string | undefined;
}

/** Adds a version: what is not given stays as in the newest one. */
export async function addVersion(ctx: Ctx, input: VersionInput) {
  const agent = await findAgent(ctx, input.aid);
  const changed = await changeDoc(ctx, agent.id, (doc) => withVersion(ctx, doc, input, input.version));
  return {
    agent: agentView(changed, ctx.settings.commandsAllowed),
    version: versionView(changed.versions[changed.versions.length - 1] as VersionDoc),
  };
}

/** Retires or restores a version; retiring twice keeps the first mark. */
export async function markVersion(
  ctx: Ctx,
  input: { readonly aid: string; readonly version: string; readonly retired: boolean },
) {
  const agent = await findAgent(ctx, input.aid);
  const { version } = findVersion(agent, input.version);
  const changed = await changeDoc(ctx, agent.id, (doc) => ({
    doc: {
      ...doc,
      versions: doc.versions.map((row) => (row.version === version ? marked(row, input.retired, ctx.now()) : row)),
    },
  }));
  return versionView(findVersion(changed, version));
}

/** The agent with one more version under this label, or the next free number; a label that is there is a conflict. */
export function withVersion(
  ctx: Ctx,
  agent: AgentDoc,
  input: TargetInput & { readonly notes?: string | undefined; readonly by?: string | undefined },
  label: string | undefined,
): AgentChange {
  const newest = agent.versions.at(-1);
  if (!newest) throw new Error("an agent has no version");
  const version = label ?? nextLabel(agent);
  if (agent.versions.some((row) => row.version === version)) {
    throw new AppError("conflict", "The agent has a version of this name already; versions never change.");
  }
  const { target, values } = hasTarget(input)
    ? changedTarget(ctx, newest.target, input)
    : { target: newest.target, values: "as before" as const };
  const made = { version, target, created_at: ctx.now(), by: actor(ctx, input.by) };
  const added = { ...made, ...(input.notes === undefined ? {} : { notes: input.notes }) };
  return {
    doc: { ...agent, versions: [...agent.versions, added] },
    added: { version, after: newest.version, values },
  };
}

function nextLabel(agent: AgentDoc): string {
  let n = agent.versions.length + 1;
  while (agent.versions.some((row) => row.version === String(n))) n += 1;
  return String(n);
}

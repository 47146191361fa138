import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { type AgentDoc, findAgent, findVersion, type VersionDoc } from "../../find-agent.ts";
import { aid, targetFields, versionLabel } from "../fields.ts";
import { type AgentChange, changeDoc, marked } from "../save.ts";
import { agentView, versionView } from "../views.ts";
import { changedTarget, hasTarget, type Resolved, type TargetInput } from "./new-target.ts";
import { resolveTarget } from "./resolve-target.ts";

/** What `agent_versions_post` takes. */
export const VersionInput = z.object({
  ...orgRef,
  aid,
  version: versionLabel.optional().describe("Its label; the commit's first letters or the next number when absent."),
  ...targetFields,
  notes: z.string().max(4_000).optional(),
  ...byField,
});
export type VersionInput = z.output<typeof VersionInput>;

/** Adds a version: what is not given stays as in the newest one. A ref is resolved to its commit at once. */
export async function addVersion(ctx: Ctx, input: VersionInput) {
  const agent = await findAgent(ctx, input.aid);
  const was = newestVersion(agent).target;
  const resolved = await resolveTarget(ctx, was.kind, input, was);
  const changed = await changeDoc(ctx, agent.id, (doc) => withVersion(ctx, doc, input, input.version, resolved));
  const added = newestVersion(changed);
  await auditAct(ctx, "agent_version_added", { agent: agent.id, version: added.version }, input.by);
  return { agent: agentView(changed, ctx.settings.commandsAllowed), version: versionView(added) };
}

/** What `agent_version_patch` takes. */
export const MarkVersionInput = z.object({
  ...orgRef,
  aid,
  version: versionLabel,
  retired: z.boolean().describe("false brings it back."),
  ...byField,
});

/** Retires or restores a version; retiring twice keeps the first mark. */
export async function setVersionRetired(ctx: Ctx, input: z.output<typeof MarkVersionInput>) {
  const agent = await findAgent(ctx, input.aid);
  const { version } = findVersion(agent, input.version);
  const mark = { at: ctx.now(), by: actor(ctx, input.by) };
  const changed = await changeDoc(ctx, agent.id, (doc) => ({
    doc: {
      ...doc,
      versions: doc.versions.map((row) => (row.version === version ? marked(row, input.retired, mark) : row)),
    },
  }));
  const act = input.retired ? "agent_version_retired" : "agent_version_restored";
  await auditAct(ctx, act, { agent: agent.id, version }, input.by);
  return versionView(findVersion(changed, version));
}

/** An agent's newest version, retired or not. */
export function newestVersion(agent: AgentDoc): VersionDoc {
  const newest = agent.versions.at(-1);
  if (!newest) throw new Error("an agent has no version");
  return newest;
}

/** Where a version was made, when it was made of a repository's ref. */
export function originOf({ commit }: Resolved): Pick<VersionDoc, "origin"> {
  if (!commit) return {};
  const { sha, ref, branch = ref, repo } = commit;
  return { origin: { kind: "branch", ref: branch, sha, ...(repo === undefined ? {} : { repo }) } };
}

/**
 * The agent with one more version under this label, else its commit's first letters or the next free number; a label that
 * is there is a conflict.
 */
export function withVersion(
  ctx: Ctx,
  agent: AgentDoc,
  input: TargetInput & { readonly notes?: string | undefined; readonly by?: string | undefined },
  label: string | undefined,
  resolved: Resolved = {},
  origin: Pick<VersionDoc, "origin"> = originOf(resolved),
): AgentChange {
  const newest = newestVersion(agent);
  const version = label ?? freeLabel(agent, resolved.commit?.sha.slice(0, 12));
  if (agent.versions.some((row) => row.version === version)) {
    throw conflict("The agent has a version of this name already; versions never change.", { by: "agents_get" });
  }
  const changes = hasTarget(input) || Object.keys(resolved).length > 0;
  const { target, values } = changes
    ? changedTarget(ctx, newest.target, input, resolved)
    : { target: newest.target, values: "as before" as const };
  const made = { version, target, created_at: ctx.now(), by: actor(ctx, input.by), ...origin };
  const added = { ...made, ...(input.notes === undefined ? {} : { notes: input.notes }) };
  return {
    doc: { ...agent, versions: [...agent.versions, added] },
    added: { version, after: newest.version, values },
  };
}

function freeLabel(agent: AgentDoc, wanted: string | undefined): string {
  const taken = new Set(agent.versions.map((row) => row.version));
  if (wanted !== undefined && !taken.has(wanted)) return wanted;
  const stem = wanted === undefined ? "" : `${wanted}-`;
  let n = wanted === undefined ? agent.versions.length + 1 : 2;
  while (taken.has(`${stem}${n}`)) n += 1;
  return `${stem}${n}`;
}

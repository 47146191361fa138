import type { Ctx } from "../context.ts";
import { AppError, conflict, orNotFound } from "../errors.ts";
import type { AgentDoc } from "../find-agent.ts";
import type { RecordChange } from "../ports/store.ts";
import { idOfValue } from "../record.ts";
import { Agent, AgentName, AgentSecret } from "../records/agents/agents.ts";
import { sealedValues } from "./targets.ts";
import type { NewTarget } from "./versions/new-target.ts";

/** A changed agent, with the values of the version that was added to it, if one was. */
export interface AgentChange {
  readonly doc: AgentDoc;
  readonly added?: { readonly version: string; readonly after: string; readonly values: NewTarget["values"] };
}

const TRIES = 5;

/** An agent as it is stored, with what a write of it expects to find. Throws the unknown id's 404 when it is gone. */
export async function storedAgent(ctx: Ctx, id: string): Promise<{ readonly doc: AgentDoc; readonly expect: string }> {
  const stored = orNotFound(await ctx.store.records.raw(Agent.kind, id), "agent");
  return { doc: Agent.schema.parse(JSON.parse(stored.text)), expect: stored.digest };
}

/** Does what reads and writes an agent as one step, again when another writer was first. */
export async function raced<T>(step: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1)
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict" || left === 1) throw error;
    }
}

/**
 * Reads, changes and writes an agent, its name and the values of a new version as one step. `change` may run again when
 * another writer was first; when that writer took the name, or the agent is gone, it is a conflict.
 */
export async function changeDoc(ctx: Ctx, id: string, change: (doc: AgentDoc) => AgentChange): Promise<AgentDoc> {
  for (let left = TRIES; ; left -= 1) {
    const { doc: was, expect } = await storedAgent(ctx, id);
    const { doc, added } = change(was);
    const values = added === undefined ? [] : await secretChange(ctx, doc, added.version, added.values, added.after);
    const renamed = doc.name === was.name ? [] : await renameChanges(ctx, was, doc);
    try {
      await ctx.store.records.apply([...renamed, { op: "put", kind: Agent, doc, expect }, ...values]);
      return doc;
    } catch (error) {
      const lost = error instanceof AppError && error.code === "conflict";
      if (!lost || left === 1) throw error;
      if (doc.name !== was.name && (await nameTaken(ctx, doc.name)))
        throw conflict("Another agent of the org has this name.", { by: "agents_list" });
    }
  }
}

/** Whether an agent of the org, retired or not, has this name. */
export async function nameTaken(ctx: Ctx, name: string): Promise<boolean> {
  return (await ctx.store.records.get(AgentName, idOfValue(AgentName, name))) !== undefined;
}

/** The write of a version's sealed values: those given, or a copy of those of the version it came after; none for none. */
export async function secretChange(
  ctx: Ctx,
  agent: AgentDoc,
  version: string,
  values: NewTarget["values"],
  after?: string,
): Promise<RecordChange[]> {
  const sealed =
    values === "as before"
      ? await sealedValues(ctx, agent.id, after ?? "")
      : Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ctx.sealer.seal(value)]));
  if (Object.keys(sealed).length === 0) return [];
  const row = agent.versions.find((one) => one.version === version);
  const doc = {
    id: idOfValue(AgentSecret, agent.id, version),
    created_at: row?.created_at ?? ctx.now(),
    by: row?.by ?? agent.by,
    agent: agent.id,
    version,
    sealed,
  };
  return [{ op: "put", kind: AgentSecret, doc }];
}

/** A row with its mark of being retired, and by whom, set or taken off; a mark that is there stays as it is. */
export function marked<
  T extends { readonly retired_at?: number | undefined; readonly retired_by?: string | undefined },
>(row: T, retired: boolean, mark: { readonly at: number; readonly by: string }): T {
  if (retired) return row.retired_at === undefined ? { ...row, retired_at: mark.at, retired_by: mark.by } : row;
  const { retired_at: _was, retired_by: _by, ...rest } = row;
  return rest as T;
}

async function renameChanges(ctx: Ctx, was: AgentDoc, doc: AgentDoc): Promise<RecordChange[]> {
  const name = { created_at: ctx.now(), by: doc.by, agent: doc.id };
  return [
    { op: "insert", kind: AgentName, doc: { ...name, id: idOfValue(AgentName, doc.name) } },
    { op: "delete", kind: AgentName, id: idOfValue(AgentName, was.name) },
  ];
}

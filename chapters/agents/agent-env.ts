import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, orNotFound } from "../errors.ts";
import type { PageInput } from "../page.ts";
import { type Doc, idOfValue } from "../record.ts";
import { AgentEnv } from "../records/agents/agents.ts";

/** The names of the values that agents are given, who set each and when. Never a value. */
export async function listAgentEnv(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(AgentEnv, input);
  return { env: page.items.map(view), ...(page.next === undefined ? {} : { next: page.next }) };
}

/** Names that each trial's environment has from the service. */
function isReserved(name: string): boolean {
  return /^SVC_/i.test(name) || ["PATH", "HOME", "TMPDIR", "LANG"].includes(name);
}

/** Sets a value; of two writers at once the last one wins. A name that the service itself gives to trials is refused. */
export async function putAgentEnv(
  ctx: Ctx,
  input: { readonly name: string; readonly value: string; readonly by?: string | undefined },
) {
  if (isReserved(input.name))
    throw badField(
      "name",
      "the service sets this variable for every trial: an agent would not get this value, or not start",
    );
  const by = actor(ctx, input.by);
  const now = ctx.now();
  const sealed = ctx.sealer.seal(input.value);
  const known = await find(ctx, input.name);
  const doc = known
    ? { ...known, sealed, by, updated_at: now }
    : { id: idOfValue(AgentEnv, input.name), created_at: now, by, name: input.name, sealed, updated_at: now };
  await ctx.store.records.put(AgentEnv, doc);
  await auditAct(ctx, "agent_env_set", { id: doc.id }, by);
  return view(doc);
}

/** Removes a value: agents that name it cannot be started any more. */
export async function deleteAgentEnv(ctx: Ctx, input: { readonly name: string }) {
  const known = orNotFound(await find(ctx, input.name), "agent environment value");
  await ctx.store.records.delete(AgentEnv, known.id);
  await auditAct(ctx, "agent_env_deleted", { id: known.id });
  return { deleted: known.name };
}

async function find(ctx: Ctx, name: string): Promise<Doc<typeof AgentEnv> | undefined> {
  const { items } = await ctx.store.records.list(AgentEnv, { where: { name }, limit: 1 });
  return items[0];
}

function view({ name, by, created_at, updated_at }: Doc<typeof AgentEnv>) {
  return { name, by, created_at, updated_at };
}

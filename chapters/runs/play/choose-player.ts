import { primaryAgent } from "../../agents/versions/primary.ts";
import { startable } from "../../agents/versions/ready-version.ts";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { findAgent } from "../../find-agent.ts";
import { offeredModel } from "../../models/spend.ts";
import type { Player, RunHarness } from "../../records/runs/runs.ts";
import { pinnedModel } from "../pins.ts";

/** What says who plays. */
export interface PlayerInput {
  readonly agent?: string | undefined;
  readonly agent_version?: string | undefined;
  readonly harness?: RunHarness | undefined;
  /** Of the react harness, as offered. */
  readonly model?: string | undefined;
  /** A pin of the react harness, or the provider whose first model it is. */
  readonly provider?: string | undefined;
}

/** A built-in harness as who plays; of `react` the model by the name it is offered under. */
export function harnessPlayer(ctx: Ctx, harness: RunHarness, model: string | undefined): Player {
  if (harness === "react") return { agent: null, name: harness, version: offeredModel(ctx, model).model, harness };
  if (model !== undefined) throw badField("model", "only the react harness takes a model");
  return { agent: null, name: harness, version: null, harness };
}

/** Who a run is of: the harness or agent version named, else the primary agent's newest. Refusals say why it could not be started. */
export async function choosePlayer(ctx: Ctx, input: PlayerInput): Promise<Player> {
  const harness = input.harness ?? (input.provider === undefined ? undefined : "react");
  if (harness !== undefined) {
    const said = input.harness === undefined ? "provider" : "harness";
    if (input.agent !== undefined || input.agent_version !== undefined)
      throw badField(said, "name an agent or a harness, not both");
    if (input.provider === undefined) return harnessPlayer(ctx, harness, input.model);
    if (harness !== "react") throw badField("provider", "only the react harness takes one");
    return harnessPlayer(ctx, harness, pinnedModel(ctx, input.provider, input.model));
  }
  if (input.model !== undefined) throw badField("model", "only the react harness takes a model");
  const agent = input.agent === undefined ? await primaryAgent(ctx) : await findAgent(ctx, input.agent);
  if (!agent)
    throw badField("agent", "name an agent (agents_list) or a harness: the org has no primary agent (agent_primary)");
  const version = startable(ctx, agent, input.agent_version);
  const { target } = version;
  const surface = target.kind === "surface" ? { surface: target.surface } : {};
  return { agent: agent.id, name: agent.name, version: version.version, harness: null, ...surface };
}

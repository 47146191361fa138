import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { type JobCtx, job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { AgentOnboarding, OnboardPlan, type Stage, type StageOutput } from "../../records/agents/onboarding.ts";
import { type Made, stagesOf } from "./onboard-stages.ts";

type OnboardingDoc = Doc<typeof AgentOnboarding>;

/** From a connected version to its run beside the last one's, compared. Its record is written stage by stage. */
export const onboardJob = job<OnboardPlan, OnboardingDoc>({
  kind: "agent_onboard",
  input: OnboardPlan,
  key: ({ agent, version }) => `${agent}:${version}`,
  attempts: 20,
  ends: "cancel",
  concurrency: 8,
  run: onboard,
});

/** The record that an onboarding writes, known when its job starts. */
export function onboardingOf(jobId: string): string {
  return `${AgentOnboarding.prefix}${jobId.slice(jobId.indexOf("_"))}`;
}

const State = z.object({ stage: z.string(), child: z.string() });

async function onboard(ctx: JobCtx, plan: OnboardPlan): Promise<OnboardingDoc> {
  const id = onboardingOf(ctx.job.id);
  let doc: OnboardingDoc = (await ctx.store.records.get(AgentOnboarding, id)) ?? {
    id,
    created_at: ctx.now(),
    by: ctx.caller.name,
    agent: plan.agent,
    version: plan.version,
    against: plan.against,
    stages: [],
    tier: "deterministic",
  };
  const stages = stagesOf(ctx, plan);
  const known = await madeBefore(ctx, plan.agent);
  const outputs: Partial<Record<Stage["name"], StageOutput>> = {};
  for (const [i, { name, due, make, stands }] of stages.entries()) {
    ctx.progress(i, stages.length, name);
    const own = doc.stages.find((stage) => stage.name === name);
    const asked = own ?? (await due(outputs));
    let stage: Stage;
    if ("state" in asked) stage = asked;
    else if ("not_due" in asked)
      stage = { name, state: "not_due", inputs: digestOf([name]), output: {}, note: asked.not_due, at: ctx.now() };
    else {
      const inputs = digestOf([asked.kind, asked.inputs]);
      const before = known.get(inputs);
      const reused = before !== undefined && (await stands(before)) ? before : undefined;
      const output = reused ?? (await make(outputs, childOf(ctx, name)));
      stage = { name, state: reused ? "unchanged" : "made", inputs, output, at: ctx.now() };
    }
    outputs[name] = stage.output;
    if (own === undefined) {
      doc = { ...doc, stages: [...doc.stages, stage] };
      await ctx.store.records.put(AgentOnboarding, doc);
      await ctx.job.audit("stage", { name, state: stage.state });
    }
  }
  ctx.progress(stages.length, stages.length, "compared");
  return doc;
}

/** The job that a stage waits for, kept so that the next attempt waits for the same one. */
function childOf(ctx: JobCtx, stage: string): Made {
  return async (start) => {
    const state = State.safeParse(ctx.job.state);
    if (state.success && state.data.stage === stage) return state.data.child;
    const child = await start();
    await ctx.job.checkpoint({ stage, child });
    return child;
  };
}

/** What stages of the agent's onboardings came to, by the digest of their inputs; the newest stands. */
async function madeBefore(ctx: JobCtx, agent: string): Promise<Map<string, StageOutput>> {
  const made = new Map<string, StageOutput>();
  for await (const { stages } of everyRow((page) =>
    ctx.store.records.list(AgentOnboarding, { ...page, where: { agent } }),
  ))
    for (const { state, inputs, output } of stages)
      if (state !== "not_due" && !made.has(inputs)) made.set(inputs, output);
  return made;
}

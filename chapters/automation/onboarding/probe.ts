import { z } from "zod";
import { household } from "../../../worlds/samples/household/index.ts";
import type { FinishedTrial } from "../../../worlds/tasks/schema.ts";
import { launchedVersion } from "../../agents/versions/ready-version.ts";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { DEFAULT_TIMEOUT_S } from "../../fields.ts";
import { type JobCtx, job } from "../../job.ts";
import type { Doc } from "../../record.ts";
import { AgentProbe, type AnswerForm } from "../../records/agents/probe.ts";
import { finishTrial } from "../../runs/play/finish-trial.ts";
import { householdPlace, type Tried, toolsUsed, tryTasks } from "./try-tasks.ts";

type ProbeDoc = Doc<typeof AgentProbe>;
type Act = ProbeDoc["act"];

/** Which of the household's tasks each act asks: a fact that only a tool knows, and two calls where the second needs the first. */
const ASKED: Readonly<Record<Act, string>> = {
  probe: "household_minutes_of_a_chore",
  smoke: "household_who_does_a_chore",
};

const ProbeInput = z.object({ agent: z.string(), version: z.string() });
type ProbeInput = z.infer<typeof ProbeInput>;

function probing(act: Act) {
  return job<ProbeInput, ProbeDoc>({
    kind: `agent_${act}`,
    input: ProbeInput,
    key: ({ agent, version }) => `${agent}:${version}`,
    attempts: 3,
    ends: "cancel",
    concurrency: 4,
    run: (ctx, input) => askHousehold(ctx, act, input),
  });
}

/** Asks a version one question of the household and stores the form of what came back. */
export const probeJob = probing("probe");
/** Plays one task of the household with a version and grades it. */
export const smokeJob = probing("smoke");

async function askHousehold(ctx: JobCtx, act: Act, { agent, version }: ProbeInput): Promise<ProbeDoc> {
  const task = household().tasks.find(({ id }) => id === ASKED[act]);
  if (!task) throw new Error("the household lacks the task that is asked");
  const [row] = await tryTasks(
    ctx,
    {
      agent,
      version,
      environment: householdPlace(),
      tasks: [{ id: task.id, task }],
      timeoutSeconds: DEFAULT_TIMEOUT_S,
    },
    Seen,
    (tried) => seen(act, tried),
  );
  if (!row) throw new Error("the household's task was not asked");
  const base = { id: probeOf(ctx.job.id), created_at: ctx.now(), by: ctx.caller.name };
  const probe: ProbeDoc = { ...base, agent, version, act, ...row, tier: "deterministic" };
  await ctx.store.records.put(AgentProbe, probe);
  await ctx.job.audit(act, { agent, answered: probe.answered, connected: probe.connected });
  return probe;
}

const Seen = AgentProbe.schema.omit({
  id: true,
  created_at: true,
  by: true,
  agent: true,
  version: true,
  act: true,
  tier: true,
});

function seen(act: Act, { task, played, connected }: Tried): z.infer<typeof Seen> {
  const { trial, cause, ms } = played;
  const { end, root_cause, checks, answer_class, cause: told } = finishTrial(task, household(), played);
  return {
    task: task.id,
    answered: cause !== "format" && trial.answers.length > task.turns.length && said(trial) !== "",
    connected,
    in_time: cause === undefined || cause === "format" || cause === "stopped_early",
    cause: act === "smoke" ? told : (cause ?? null),
    ms,
    tools: toolsUsed(trial.calls),
    answer: formOf(trial, answer_class),
    ...(act === "probe"
      ? {}
      : { graded: { end, root_cause, checks: checks.map(({ kind, verdict }) => ({ kind, verdict })) } }),
  };
}

const said = ({ answers }: FinishedTrial) => answers.at(-1)?.text.trim() ?? "";

const MARKDOWN = /^(?:#{1,6} |[-*] |\d+\. |```|\|.*\|)|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\)/m;

function formOf(trial: FinishedTrial, answerClass: AnswerForm["class"]): AnswerForm {
  const text = said(trial);
  return {
    form: text === "" ? "none" : isJson(text) ? "json" : MARKDOWN.test(text) ? "markdown" : "text",
    chars: text.length,
    lines: text === "" ? 0 : text.split("\n").length,
    class_given: trial.answers.at(-1)?.class !== undefined,
    class: answerClass,
  };
}

function isJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The record that a job of these writes, known when it starts. */
function probeOf(jobId: string): string {
  return `${AgentProbe.prefix}${jobId.slice(jobId.indexOf("_"))}`;
}

interface AskInput {
  readonly aid: string;
  readonly version?: string | undefined;
}

/** Starts a probe of a version, or answers the one that runs. `probe` is the record that it will write. */
export async function startProbe(ctx: Ctx, input: AskInput) {
  const { agent, version } = await launchedVersion(ctx, input.aid, input.version);
  const handle = await ctx.jobs.start(probeJob, { agent: agent.id, version: version.version });
  await auditAct(ctx, "agent_probed", { agent: agent.id, job: handle.job });
  return {
    ...handle,
    agent: agent.id,
    version: version.version,
    probe: probeOf(handle.job),
    stages: ["start", "ask", "read"],
    note: "Asks one question of the built-in household; the job's result says whether it answered, reached the tools, ended in time and which tools it called.",
  };
}

/** Starts one graded trial of a version on the built-in household, or answers the one that runs. It counts in no rate. */
export async function startSmoke(ctx: Ctx, input: AskInput) {
  const began = performance.now();
  const { agent, version } = await launchedVersion(ctx, input.aid, input.version);
  const handle = await ctx.jobs.start(smokeJob, { agent: agent.id, version: version.version });
  await auditAct(ctx, "agent_smoked", { agent: agent.id, job: handle.job });
  return {
    ...handle,
    agent: agent.id,
    version: version.version,
    probe: probeOf(handle.job),
    stages: ["start", "play", "grade"],
    note: "One trial on the built-in household; the job's result says how it ended and what each check decided.",
    accepted_ms: performance.now() - began,
  };
}

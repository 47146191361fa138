import { existsSync } from "node:fs";
import { readTraces } from "../src/fidelity/traces.ts";
import { observe } from "../worlds/compile/observations.ts";
import { generatedBy, Renaming } from "../worlds/fidelity/renaming.ts";
import { asOfDay } from "../worlds/floor/session-days.ts";
import { type Volatility, volatilityOf } from "../worlds/floor/volatile.ts";
import type { Json } from "../worlds/json.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { Beginnings, withStart } from "../worlds/starts.ts";
import { type GradeEnv, grade } from "../worlds/tasks/grading/grade.ts";
import type { FinishedTrial, Task } from "../worlds/tasks/schema.ts";
import { playCall } from "../worlds/tasks/trial.ts";
import type { World } from "../worlds/world-api.ts";

/** Of a task's recorded sessions at most this share may meet a gap where the task counts. */
const GAPS = 0.1;

/** What became of other recorded sessions of the tasks that were mined: a piece of a line; empty where there are none. */
export async function replayed(
  folder: string | undefined,
  tasks: readonly Task[],
  traces: readonly ObservedTrace[],
  env: GradeEnv,
): Promise<string> {
  const file = `${folder}/test/same-tasks.jsonl`;
  const mined = tasks.filter(({ family }) => family === "mined");
  if (folder === undefined || mined.length === 0 || !existsSync(file)) return "";
  const others = asOfDay((await readTraces([file], () => {})).traces, env.bundle.now);
  const volatility = generatedBy(env.bundle, volatilityOf(observe(traces)));
  const worlds = new Beginnings({ ...env, seed: "replayed" });
  const ends = { met: 0, failed: 0, invalid: 0 };
  const rewards = { met: [0, 0], not: [0, 0] } as { met: [number, number]; not: [number, number] };
  let [tried, poor] = [0, 0];
  for (const task of mined) {
    const groups = new Set(traces.filter((trace) => says(trace, task)).flatMap(({ group }) => group ?? []));
    const sessions = others.filter(({ group }) => group !== undefined && groups.has(group));
    const judged = sessions.map((session) => ({
      session,
      end: grade(task, trialOf(session, worlds.fresh(task), volatility), withStart(env, task)).end,
    }));
    tried += sessions.length === 0 ? 0 : 1;
    if (judged.filter(({ end }) => end === "invalid").length > sessions.length * GAPS) poor += 1;
    for (const { session, end } of judged) {
      ends[end] += 1;
      if (session.reward === undefined) continue;
      const tally = session.reward >= 1 ? rewards.met : rewards.not;
      tally[1] += 1;
      if (end === "met") tally[0] += 1;
    }
  }
  const { met, not } = rewards;
  const graded = met[1] + not[1] === 0 ? "" : `, rewarded met ${met.join("/")}, unrewarded met ${not.join("/")}`;
  return `; mined ${mined.length}, ${tried} with other sessions: met ${ends.met}, failed ${ends.failed}, invalid ${ends.invalid}${graded}, too many gaps in ${poor}`;
}

const says = ({ request = "", turns = [] }: ObservedTrace, task: Task): boolean =>
  [request, ...turns].includes(task.request);

/** A recorded session as a trial: its calls on a task's world, and what its agent said. */
function trialOf(trace: ObservedTrace, world: World, volatility: Volatility): FinishedTrial {
  const renaming = new Renaming(volatility);
  const calls = observe([trace]).flatMap((session) =>
    session.calls.map((call) => {
      const made = playCall(world, call.tool, renaming.args(call.args));
      if (call.ok && !made.is_error) renaming.learn(call.tool, call.value, made.answer as Json);
      return made;
    }),
  );
  const said = trace.answers?.length ? trace.answers : [trace.finalAnswer ?? "Done."];
  return { calls, answers: said.map((text) => ({ text })), diff: world.diff() };
}

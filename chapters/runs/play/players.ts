import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { Beginnings } from "../../../worlds/starts.ts";
import { playRule } from "../../../worlds/tasks/grading/rule-agent.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { ScriptError } from "../../../worlds/tasks/script.ts";
import { playCall, playNothing, playScript } from "../../../worlds/tasks/trial.ts";
import { UserByRule } from "../../../worlds/tasks/user/reply.ts";
import { userReplies } from "../../../worlds/tasks/user/user-replies.ts";
import type { World } from "../../../worlds/world-api.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { RunHarness } from "../../records/runs/runs.ts";
import type { Played } from "./finish-trial.ts";

/** Plays one try of a task; `n` is which try, from 1. */
export type Play = (task: Task, n: number) => Played;

/** What `replay` plays: the stored traces that ask exactly this, oldest first. */
export type TracesByRequest = ReadonlyMap<string, readonly CanonicalTrace[]>;

/** A built-in harness on a drawn state, each try in a fresh fork of it. */
export function harnessPlayer(
  harness: Exclude<RunHarness, "react">,
  env: { readonly bundle: Bundle; readonly base: BaseState; readonly seed: string },
  traces: TracesByRequest,
): Play {
  const worlds = new Beginnings(env);
  return (task, n) => {
    const started = performance.now();
    const fork = worlds.fresh(task);
    const ended = (trial: FinishedTrial, rest: Partial<Played> = {}): Played => ({
      trial,
      ms: performance.now() - started,
      log: "",
      ...rest,
    });
    const turns = [task.request, ...task.turns];
    switch (harness) {
      case "reference":
        try {
          return ended(withReplies(task, playScript(fork, task.script, turns.length)));
        } catch (error) {
          if (!(error instanceof ScriptError)) throw error;
          return ended(playNothing(turns.length), { cause: "task", log: "The script refers to what is not there." });
        }
      case "null":
        return ended(playNothing(turns.length));
      case "rule":
        return ended(playRule(fork, turns, new UserByRule(task)));
      case "replay":
        return replay(fork, traces.get(task.request) ?? [], n, ended);
    }
  };
}

/** The reference asks before its calls; what it was replied is kept as of any other player. */
function withReplies(task: Task, trial: FinishedTrial): FinishedTrial {
  return task.user === undefined ? trial : { ...trial, said: [...userReplies(task, trial)] };
}

function replay(
  fork: World,
  traces: readonly CanonicalTrace[],
  n: number,
  ended: (trial: FinishedTrial, rest?: Partial<Played>) => Played,
): Played {
  const trace = traces[(n - 1) % Math.max(1, traces.length)];
  if (!trace) return ended(playNothing(1), { cause: "task", log: "No stored trace asks this." });
  const own = trace.calls.filter((call) => call.requestor !== "user");
  const calls = own.map((call) => playCall(fork, call.tool, call.args));
  return ended({ calls, answers: [{ text: trace.final_answer ?? "" }], diff: fork.diff() });
}

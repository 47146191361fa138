import { type Judgement, met, notMet } from "../checks/judgement.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { says, UserByRule, type UserReply } from "./reply.ts";

type UserTask = Pick<Task, "request"> & Partial<Pick<Task, "turns" | "user">>;

/** Grading one trial asks several times, and wrong trials share the answers of the right one. */
const replied = new WeakMap<FinishedTrial["answers"], { readonly to: UserTask; readonly said: readonly UserReply[] }>();

/**
 * What the simulated user told the agent in a trial: as it was recorded, else as it replies by rule to these answers, all
 * before the first call. Nothing where the task has no such user.
 */
export function userReplies(task: UserTask, trial: Pick<FinishedTrial, "said" | "answers">): readonly UserReply[] {
  if (trial.said !== undefined || task.user === undefined) return trial.said ?? [];
  const known = replied.get(trial.answers);
  const { request, turns = [] } = task;
  if (known?.to.user === task.user && known.to.request === request && known.to.turns === task.turns) return known.said;
  const user = new UserByRule({ ...task, turns });
  for (let n = turns.length + 1; n < trial.answers.length; n += 1)
    if (user.reply(trial.answers.slice(0, n), 0) === undefined) break;
  replied.set(trial.answers, { to: task, said: user.said });
  return user.said;
}

/** All that the user said in a trial, the request first: what an agent can know without a call. */
export function userWords(task: UserTask, trial: Pick<FinishedTrial, "said" | "answers">): string {
  return [task.request, ...(task.turns ?? []), ...userReplies(task, trial).map(({ text }) => text)].join("\n");
}

/** Whether the agent had the user tell what the request leaves out before it changed anything. */
export function clarifiedBeforeChange(task: UserTask, trial: FinishedTrial): Judgement {
  const asked = userReplies(task, trial).find(({ text }) =>
    task.user?.knows.some((fact) => says(text, fact) && !says(task.request, fact)),
  );
  if (asked === undefined) return notMet("the user was not asked for what the request leaves out");
  return trial.calls.slice(0, asked.calls).some(({ changed }) => changed)
    ? notMet("the change was made before the user was asked for what the request leaves out")
    : met("the user was asked for what the request leaves out, and said it");
}

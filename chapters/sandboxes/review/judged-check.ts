import { z } from "zod";
import type { CheckVerdict, FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { evidence, pass, read } from "../../models/pass.ts";
import { judgeOf } from "../../organization/judge.ts";

interface Question {
  readonly criterion: string;
  readonly request: string;
  /** How many fixed turns follow the request. */
  readonly turns: number;
  readonly trial: FinishedTrial;
}

/** Longest transcript that a judge is shown, characters. A longer one is not judged: what is left out could be what decides. */
const SHOWN = 60_000;

/** A judged check decided by a model: there is no rule reader, since a rule that could decide it would be a check of its own. */
export const judgedCheck = pass<Question, { met: boolean; reason: string }>({
  name: "judged_check",
  version: "2026-11-1",
  output: z.object({
    met: z.boolean(),
    reason: z.string().min(1).max(600).describe("One sentence that names what in the transcript decides it."),
  }),
  maxOutputTokens: 400,
  prompt: ({ criterion, ...rest }) => ({
    system:
      "You decide whether an agent's finished work meets one criterion. Judge only what the transcript shows. When it does not show that the criterion is met, it is not met.",
    user: `Criterion: ${criterion}\n\n${evidence(transcript(rest))}`,
  }),
});

function transcript({ request, turns, trial }: Omit<Question, "criterion">): string {
  const { calls, answers, said = [], diff } = trial;
  return [
    `User: ${request}`,
    ...calls.map((call) => `Call ${call.tool} ${JSON.stringify(call.args)} -> ${JSON.stringify(call.answer)}`),
    `Changes: ${JSON.stringify(diff)}`,
    // What the user replies is to the answer to its last fixed turn and to those after it.
    ...answers.flatMap(({ text }, i) => {
      const reply = said[i - turns];
      return [`Agent: ${text}`, ...(reply ? [`User: ${reply.text}`] : [])];
    }),
  ].join("\n");
}

/** What the judge of a criterion says of a trial; what code said, `open`, where there is no judge or it gives no usable answer. */
export async function askJudge(
  ctx: Ctx,
  criterion: string,
  task: Pick<Task, "request" | "turns">,
  trial: FinishedTrial,
  open: CheckVerdict,
): Promise<CheckVerdict> {
  const model = await judgeOf(ctx, criterion);
  if (model === undefined) return open;
  const question = {
    criterion,
    request: [task.request, ...task.turns].join("\nUser: "),
    turns: task.turns.length,
    trial,
  };
  if (transcript(question).length > SHOWN)
    return { ...open, reason: `The transcript is longer than the ${SHOWN} characters that a judge is shown.` };
  try {
    const { value } = await read(ctx, judgedCheck, question, { model });
    return { kind: "judged", verdict: value.met ? "met" : "not_met", reason: `${model}: ${value.reason}` };
  } catch (error) {
    const undecided = error instanceof AppError && (error.code === "unavailable" || error.code === "unprocessable");
    if (!undecided) throw error;
    return { ...open, reason: `The judge gave no usable answer: ${error.reason}` };
  }
}

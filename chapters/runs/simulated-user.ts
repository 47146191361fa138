import { z } from "zod";
import { findFact, Reading } from "../../worlds/tasks/checks/facts.ts";
import type { FinishedTrial, Task } from "../../worlds/tasks/schema.ts";
import { mostReplies, tells, UserByRule, type UserReply } from "../../worlds/tasks/user/reply.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { evidence, pass, read } from "../models/pass.ts";
import type { GradingTier } from "../records/runs/runs.ts";

type Answer = Pick<FinishedTrial["answers"][number], "text">;

interface Conversation {
  readonly task: Task;
  readonly answers: readonly Answer[];
  readonly said: readonly UserReply[];
}

/** Characters of a conversation that a model is shown at most: its end is what is replied to. */
const SHOWN = 30_000;
/** Seconds that a model may take for a reply: the agent's time runs meanwhile. */
const PATIENCE_S = 20;

/** A simulated user put into words by a model. Where it gives no usable reply the user by rule does. */
export const simulatedUser = pass<Conversation, { ends: boolean; reply: string }>({
  name: "simulated_user",
  version: "2026-11-1",
  output: z.object({
    ends: z.boolean().describe("Whether the assistant's last message asks the user nothing that is still to be said."),
    reply: z.string().max(2_000).describe("What the user says next; empty where it ends."),
  }),
  maxOutputTokens: 400,
  prompt: ({ task, answers, said }) => ({
    system: [
      "You play a user who talks with an assistant. Say only what you are asked for, in one or two plain sentences.",
      "You know nothing but what you asked for and the facts below. Asked for anything else, say that you don't know it. Never make up a value.",
      task.user?.confirms === false
        ? "Asked whether to go on, say no."
        : "Asked whether to go on with what you asked for, say yes. Refuse anything beyond it.",
      "The conversation ends when the assistant asks you nothing more, or says that it is done or cannot do it.",
      "Facts that you know:",
      ...(task.user?.knows ?? []).map((fact) => `- ${fact.names.join(", ")}: ${tells(fact)}`),
    ].join("\n"),
    user: evidence(conversation(task, answers, said).slice(-SHOWN)),
  }),
  check: ({ ends, reply }, { task, answers, said }) => {
    if (!ends && reply.trim() === "") return "it goes on and says nothing.";
    const known = [conversation(task, answers, said), ...(task.user?.knows ?? []).map(tells)].join("\n");
    const made = invented(reply, known);
    return made === undefined ? undefined : `${JSON.stringify(made)} is nothing that the user knows.`;
  },
});

function conversation({ request, turns }: Task, answers: readonly Answer[], said: readonly UserReply[]): string {
  const theirs = [request, ...turns, ...said.map(({ text }) => text)];
  return theirs
    .flatMap((text, i) => [`User: ${text}`, ...(answers[i] ? [`Assistant: ${answers[i].text}`] : [])])
    .join("\n");
}

/** A number or name with digits that a reply says and that is not among what is known. */
function invented(reply: string, known: string): string | undefined {
  const source = new Reading(known);
  return (reply.match(/#?(?=[\p{L}\d_.-]*\d)[\p{L}\d_-]+(?:\.\d+)?/gu) ?? []).find((value) => {
    const kind = /^\d+(?:\.\d+)?$/.test(value) ? ("number" as const) : ("id" as const);
    const found = findFact({ value, kind }, source);
    return found.said + found.denied === 0 && !source.folded.includes(new Reading(value).folded);
  });
}

/** The user's side of one trial: what it replies, kept as it was said. A spent budget is thrown; all else falls to the rule. */
export class UserSide {
  readonly #ctx: Ctx;
  readonly #task: Task;
  readonly #tier: GradingTier;
  readonly #rule: UserByRule;

  constructor(ctx: Ctx, task: Task, tier: GradingTier) {
    this.#ctx = ctx;
    this.#task = task;
    this.#tier = ctx.models.offered.length > 0 ? tier : "deterministic";
    this.#rule = new UserByRule(task);
  }

  get kept(): Pick<FinishedTrial, "said"> {
    return this.#rule.kept;
  }

  /** What the user says to the newest answer; undefined when it has gone. `calls` is how many were made by now. */
  async reply(answers: readonly FinishedTrial["answers"][number][], calls: number): Promise<string | undefined> {
    const { user, turns } = this.#task;
    if (user === undefined || answers.length <= turns.length) return undefined;
    const { said } = this.#rule;
    if (this.#tier === "deterministic" || said.length >= mostReplies(user)) return this.#rule.reply(answers, calls);
    const clock = AbortSignal.timeout(PATIENCE_S * 1_000);
    const ctx = { ...this.#ctx, signal: AbortSignal.any([this.#ctx.signal, clock]) };
    try {
      const { value } = await read(ctx, simulatedUser, { task: this.#task, answers, said }, { reader: "model" });
      if (value.ends) return undefined;
      said.push({ text: value.reply.trim(), calls, tier: "llm-derived" });
      return said.at(-1)?.text;
    } catch (error) {
      const unusable = error instanceof AppError && (error.code === "unavailable" || error.code === "unprocessable");
      if (this.#ctx.signal.aborted || !(unusable || clock.aborted)) throw error;
      return this.#rule.reply(answers, calls);
    }
  }
}

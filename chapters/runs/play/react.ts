import type { JsonObject } from "../../../worlds/json.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import type { World, WorldAnswer } from "../../../worlds/world-api.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { askModel } from "../../models/pass.ts";
import type { ChatMessage, ChatReply, ChatTool, ModelPrice } from "../../models/port.ts";
import { costOf, offeredModel } from "../../models/spend.ts";
import type { GradingTier, TrialTokens } from "../../records/runs/runs.ts";
import { UserSide } from "../simulated-user.ts";
import type { Played } from "./finish-trial.ts";

/** The tool loop as it is written down with every exchange; it changes with the prompt. */
export const REACT = { name: "react", version: "2026-11-1" } as const;

/**
 * A provider that has said nothing for so long when a trial's time is up did not answer: seconds, or half of the time that
 * the trial has, whichever is less.
 */
const SILENT_S = 60;

/** What ends a trial of the tool loop before its own answer: the agent's failure, never ours. */
export const REACT_LIMITS = {
  /** Exchanges with the model over all turns. */
  exchanges: 40,
  /** Tokens that one exchange may write. */
  outputTokens: 2_048,
  /** Micro-dollars over the trial. */
  microUsd: 1_000_000,
} as const;

const SYSTEM =
  "You help a user by calling tools. Use a tool whenever the answer is not in what you were told; never make up a value. Do what the user asks and nothing else. When you are done, answer the user in plain words.";

type Call = FinishedTrial["calls"][number];

/**
 * A model's tool loop over one world: each turn goes on until the model answers without a call. Provider trouble is an end
 * `provider` (tried again by the run), a passed limit is the agent's `flood`, passed time its `timeout` unless the provider
 * was silent for long when it passed.
 */
export async function playReact(
  ctx: Ctx,
  world: World,
  task: Task,
  options: { readonly model: string; readonly timeoutSeconds: number; readonly tier?: GradingTier },
): Promise<Played> {
  const started = performance.now();
  const clock = AbortSignal.timeout(options.timeoutSeconds * 1000);
  const signal = AbortSignal.any([ctx.signal, clock]);
  const loop = new ToolLoop({ ...ctx, signal }, world, options.model);
  const user = new UserSide({ ...ctx, signal }, task, options.tier ?? "deterministic");
  const ended = (rest: Partial<Played> = {}): Played => ({
    trial: { calls: loop.calls, answers: loop.answers, diff: world.diff(), ...user.kept },
    ms: performance.now() - started,
    log: "",
    usd: loop.usd,
    tokens: loop.tokens,
    ...rest,
  });
  try {
    const turns = [task.request, ...task.turns];
    for (let turn = turns.shift(); turn !== undefined; ) {
      const answer = await loop.answer(turn);
      if (answer === undefined) return ended({ cause: "flood", log: "The model passed a limit of the tool loop." });
      turn = turns.shift() ?? (await user.reply(loop.answers, loop.calls.length));
    }
    return ended();
  } catch (error) {
    if (ctx.signal.aborted) return ended({ cause: "stopped" });
    if (error instanceof AppError && error.code === "unavailable") {
      const { retryAfter } = error.details;
      return ended({ cause: "provider", log: error.reason, ...(retryAfter === undefined ? {} : { retryAfter }) });
    }
    if (clock.aborted) {
      const silent = loop.silentSeconds();
      if (silent < Math.min(SILENT_S, options.timeoutSeconds / 2)) return ended({ cause: "timeout" });
      const { provider } = offeredModel(ctx, options.model);
      const log = `The model's provider (${provider}) had said nothing for ${silent.toFixed(1)} s when the trial's time was up.`;
      return ended({ cause: "provider", log });
    }
    // A model that declines has answered, with nothing.
    if (error instanceof AppError && error.code === "unprocessable") return ended({ log: error.reason });
    throw error;
  }
}

class ToolLoop {
  readonly calls: Call[] = [];
  readonly answers: { text: string }[] = [];
  readonly #ctx: Ctx;
  readonly #world: World;
  readonly #model: string;
  readonly #tools: readonly ChatTool[];
  readonly #messages: ChatMessage[] = [];
  /** When the exchange under way last brought something; undefined between exchanges. */
  #heardAt: number | undefined;
  #exchanges = 0;
  #micro = 0;
  #read = 0;
  #written = 0;

  constructor(ctx: Ctx, world: World, model: string) {
    this.#ctx = ctx;
    this.#world = world;
    this.#model = model;
    this.#tools = world.tools.map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      schema: inputSchema,
    }));
  }

  /** What its exchanges that were answered have cost, US dollars. */
  get usd(): number {
    return this.#micro / 1_000_000;
  }

  /** What its exchanges that were answered have read and written. */
  get tokens(): TrialTokens {
    return { input: this.#read, output: this.#written };
  }

  /** How long the exchange under way has brought nothing. */
  silentSeconds(): number {
    return this.#heardAt === undefined ? 0 : (performance.now() - this.#heardAt) / 1_000;
  }

  /** The model's answer to a turn, also kept; undefined when a limit is passed. */
  async answer(turn: string): Promise<string | undefined> {
    this.#messages.push({ role: "user", text: turn });
    for (;;) {
      if (this.#exchanges >= REACT_LIMITS.exchanges || this.#micro >= REACT_LIMITS.microUsd) return undefined;
      const reply = await this.#exchange();
      this.#messages.push({ role: "assistant", text: reply.text, calls: reply.calls });
      if (reply.calls.length === 0) {
        this.answers.push({ text: reply.text });
        return reply.text;
      }
      this.#messages.push({ role: "tool", results: reply.calls.map((call) => ({ ...this.#call(call), id: call.id })) });
    }
  }

  async #exchange(): Promise<ChatReply> {
    const request = {
      model: this.#model,
      system: SYSTEM,
      messages: this.#messages,
      tools: this.#tools,
      maxOutputTokens: REACT_LIMITS.outputTokens,
    };
    const heard = () => {
      this.#heardAt = performance.now();
    };
    heard();
    const { reply, micro, tokens } = await askModel(this.#ctx, request, REACT, undefined, heard);
    this.#heardAt = undefined;
    this.#exchanges += 1;
    this.#micro += micro;
    this.#read += tokens.input;
    this.#written += tokens.output;
    return reply;
  }

  #call({ tool, args }: { readonly tool: string; readonly args: unknown }) {
    if (typeof args !== "object" || args === null || Array.isArray(args))
      return { tool, text: "The arguments are not a JSON object.", is_error: true };
    const answer: WorldAnswer = this.#world.call(tool, args as JsonObject);
    this.calls.push({
      tool,
      args: args as Call["args"],
      answer: answer.value,
      answer_class: answer.answerClass,
      is_error: answer.isError,
      changed: answer.changes.length > 0,
      ...(answer.changes.length > 0 ? { changes: [...answer.changes] } : {}),
      at: this.#ctx.now(),
    });
    return { tool, text: answer.text, is_error: answer.isError };
  }
}

/** What a trial of the tool loop is taken to cost where nothing is known yet: a dozen exchanges over a short conversation. */
const ASSUMED = { input: 40_000, output: 2_500 };

/** Micro-dollars that so many trials may cost, for the day's budget. */
export function reactEstimate(price: ModelPrice, trials: number): number {
  return trials * costOf(price, ASSUMED);
}

import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { Proposal } from "../../../worlds/propose/schema.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { type ReadOptions, read, readerOf, UnusableAnswer } from "../../models/pass.ts";
import { briefPrograms, tryPrograms } from "./compute-tasks.ts";
import { proposalPass, type Question } from "./pass.ts";

/** Rounds of asking, at most. */
const ROUNDS = 4;
/** Share of the shown calls of wanted tools from which nothing more is asked. */
const ENOUGH = 0.98;

/** What programs are asked for with. */
export interface Asking {
  readonly name: string;
  /** Traces of which some are shown: never a hidden fifth, nor what is kept back under the seed to measure on. */
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly records: Readonly<Record<string, unknown>> | undefined;
  readonly policies: readonly string[];
  readonly model: string;
  /** All traces but the hidden ones may be shown where it is absent. */
  readonly seed?: string | undefined;
  /** What the rounds may cost at most, US dollars; the org's budget bounds them too. */
  readonly usdCap?: number | undefined;
}

/** One exchange with the model, word for word. */
export interface ModelRound {
  readonly round: number;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly answer: string;
}

/** What came of asking. */
export interface ProposalResult {
  readonly model: string;
  readonly prompt_version: string;
  readonly rounds: number;
  readonly usd: number;
  /** Ids of the `model_call` records. */
  readonly calls: readonly string[];
  readonly exchanges: readonly ModelRound[];
  /** The best of what was proposed; absent where nothing could be replayed. */
  readonly proposal?: Proposal;
  /** Why it ended early, or was not begun; absent where it came to its own end. */
  readonly note?: string;
}

/**
 * Asks a model for programs of the tools that the compiled world answers badly, in up to four rounds, each told what the
 * last one missed. The answers are proposals: nothing of them serves before `compile` took it. A model's or a budget's
 * trouble ends the rounds and is told in `note`; only a stop is thrown.
 */
export async function askForPrograms(ctx: Ctx, asking: Asking): Promise<ProposalResult> {
  const { name, traces, tools, records, policies, model, usdCap, seed } = asking;
  const exchanges: ModelRound[] = [];
  const calls: string[] = [];
  let [usd, rounds, round] = [0, 0, 0];
  const { brief, plain } = await ctx.compute.run(briefPrograms, { name, traces, tools, records, seed }, ctx.signal);
  const ended = (note?: string, proposal?: Proposal): ProposalResult => ({
    ...{ model, prompt_version: proposalPass.version, rounds, usd, calls, exchanges },
    ...(proposal === undefined ? {} : { proposal }),
    ...(note === undefined ? {} : { note }),
  });
  if (brief.wanted.length === 0)
    return ended("Nothing was asked: every tool is answered well, or there are too few sessions to tell.");
  const options: ReadOptions = {
    reader: "model",
    model,
    exchanged: ({ system, messages }, { text }) => {
      const texts = messages.map((one) => ({ role: one.role, text: "text" in one ? one.text : "" }));
      exchanges.push({ round, system, messages: texts, answer: text });
    },
  };
  let best: { readonly proposal: Proposal; readonly score: number } | undefined;
  let question: Question = { brief, policies };
  for (round = 1; round <= ROUNDS; round++) {
    const { estimate_usd } = readerOf(ctx, proposalPass, question, options);
    if (usdCap !== undefined && usd + estimate_usd > usdCap)
      return ended(
        `Round ${round} may cost $${estimate_usd.toFixed(4)}, more than is left of usd_cap ($${usdCap.toFixed(2)}); it was not asked.`,
        best?.proposal,
      );
    let proposal: Proposal;
    try {
      const reading = await read(ctx, proposalPass, question, options);
      rounds++;
      usd += reading.usd;
      calls.push(...reading.calls);
      proposal = reading.value;
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (error instanceof UnusableAnswer) {
        rounds++;
        usd += error.usd;
      } else if (!(error instanceof AppError)) throw error;
      return ended(`Round ${round}: ${error.reason}`, best?.proposal);
    }
    const tried = await ctx.compute.run(
      tryPrograms,
      { plain, proposal, traces, wanted: brief.wanted, seed },
      ctx.signal,
    );
    if (tried.faults.length === 0 && (best === undefined || tried.score > best.score))
      best = { proposal, score: tried.score };
    else if (tried.faults.length === 0) break;
    if (tried.faults.length === 0 && tried.right >= ENOUGH * tried.calls) break;
    const { faults, right, calls: of, counterexamples } = tried;
    question = { brief, policies, last: { proposal, faults, right, calls: of, counterexamples } };
  }
  return best === undefined
    ? ended("No answer could be replayed: names or expressions of each were faulty.")
    : ended(undefined, best.proposal);
}

/** Names what was asked: the same evidence is not asked twice of the same model. */
export const requestDigest = (inputs: string, model: string): string => digestOf([inputs, model, proposalPass.version]);

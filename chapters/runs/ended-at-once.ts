import { z } from "zod";
import type { TrialRow } from "../records/runs/runs.ts";

/** Trials in which an agent did nothing at all but end by an error: what it may be is how it is started. */
export const EndedAtOnce = z.object({
  trials: z.number().int().describe("Trials that an error ended before any call or answer."),
  of: z.number().int(),
  why: z.string().describe("How one of them ended, with the name of its error."),
  run: z.string(),
  trial: z.string().describe("One of them, as run_trace takes it."),
});
export type EndedAtOnce = z.infer<typeof EndedAtOnce>;

/** Said where it is of at least this share: less may be a fault of single tasks. */
const MOST_OF = 0.5;
/** How a command's end is told at the end of its log. */
const EXIT = /^The command (?:ended with (exit status \d+)|was ended by (\w+))\.$/m;
/** The name of an error at the start of the line that tells it. A line of an agent may hold anything, so no more of it is told. */
const NAMED = /^\s*(?:Uncaught )?((?:[A-Za-z_]\w{0,40}\.){0,4}[A-Za-z_]\w{0,40}(?:Error|Exception)|Error)\b/m;

type Row = Pick<TrialRow, "run" | "task" | "n" | "attempt" | "cause" | "trial" | "log">;

/** What ended most of these trials before the agent did anything; undefined where most began. */
export function endedAtOnce(rows: readonly Row[]): EndedAtOnce | undefined {
  const ended = rows.filter(isEndedAtOnce);
  const [first] = ended;
  if (first === undefined || ended.length < MOST_OF * rows.length) return undefined;
  return {
    ...{ trials: ended.length, of: rows.length, why: whyOf(first) },
    ...{ run: first.run, trial: `${first.task}.${first.n}` },
  };
}

function isEndedAtOnce({ cause, trial }: Row): boolean {
  if (cause !== "crash" && cause !== "could_not_start") return false;
  return trial.calls.length === 0 && trial.answers.every(({ text }) => text.trim() === "");
}

/** How the command ended, and the name of the error that it wrote. */
function whyOf({ cause, log }: Row): string {
  const end = EXIT.exec(log);
  const how = end?.[1] ?? end?.[2] ?? (cause === "could_not_start" ? "could not start" : "ended by an error");
  const error = NAMED.exec(log)?.[1];
  return error === undefined ? how : `${how}, ${error}`;
}

/** What a headline adds: nothing where most trials began. */
export function endedAtOnceWords(told: EndedAtOnce | undefined): string {
  if (told === undefined) return "";
  return `the agent ended at once in ${told.trials} of ${told.of} trials: ${told.why}; see run_trace with rid=${told.run} trial=${told.trial}`;
}

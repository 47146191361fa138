import { z } from "zod";
import type { TrialRow } from "../records/runs/runs.ts";

/** Trials in which an agent did nothing at all but end by an error: what it may be is how it is started. */
export const EndedAtOnce = z.object({
  trials: z.number().int().describe("Trials that an error ended before any call or answer."),
  of: z.number().int(),
  why: z.string().describe("How one of them ended, with the line of its error."),
  run: z.string(),
  trial: z.string().describe("One of them, as run_trace takes it."),
});
export type EndedAtOnce = z.infer<typeof EndedAtOnce>;

/** Said where it is of at least this share: less may be a fault of single tasks. */
const MOST_OF = 0.5;
const WHY_CHARS = 160;
/** How a command's end is told at the end of its log. */
const EXIT = /^The command (?:ended with (exit status \d+)|was ended by (\w+))\.$/;
/** A line that names the error before one that only has such a word, as the line of the code does. */
const NAMED = /^\s*(Uncaught )?[\w.]*(Error|Exception)\b/;
const ERROR = /\b\w*(error|exception|fatal|panic)\b|not found|no such|cannot|denied|refused/i;

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

/** The exit status, and of what it wrote the line that names the error. A line of an agent may hold anything: its words alone are passed on. */
function whyOf({ cause, log }: Row): string {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const said = lines.filter((line) => !EXIT.test(line));
  const end = lines.map((line) => EXIT.exec(line)).find(Boolean);
  const how = end?.[1] ?? end?.[2] ?? (cause === "could_not_start" ? "could not start" : "ended by an error");
  const error = plain(
    [NAMED, ERROR].map((form) => said.find((line) => form.test(line))).find(Boolean) ?? said[0] ?? "",
  );
  return error === "" ? how : `${how}, ${error}`;
}

function plain(line: string): string {
  const words = line
    .replace(/\b\w+:\/\/\S+|www\.\S+/g, "…")
    .replace(/[^\p{L}\p{N} …._:;,/'()=+-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return words.length > WHY_CHARS ? `${words.slice(0, WHY_CHARS - 1)}…` : words;
}

/** What a headline adds: nothing where most trials began. */
export function endedAtOnceWords(told: EndedAtOnce | undefined): string {
  if (told === undefined) return "";
  return `the agent ended at once in ${told.trials} of ${told.of} trials: ${told.why}; see run_trace with rid=${told.run} trial=${told.trial}`;
}

import type { EndCause, TrialEnd, TrialRow } from "../../records/runs/runs.ts";

/** A JSON object of other people's making. */
export type Raw = Readonly<Record<string, unknown>>;

/** A tool's results, before their transcripts are read: what the file says of the run, its tasks and how each trial ended. */
export interface ForeignResults {
  /** The benchmark's domain or task, told as the environment. */
  readonly domain: string;
  readonly agent: string;
  readonly model: string | null;
  readonly tier: "deterministic" | "llm-derived";
  readonly terms: { readonly base: string; readonly tools: string; readonly limits: string };
  readonly created_at: number | undefined;
  /** The file says of itself that its evaluation did not come to its end. */
  readonly brokenOff?: boolean;
  /** In the order of the file, one for each of its trials. */
  readonly trials: readonly ForeignTrial[];
}

/** One trial as its source judged it. */
export interface ForeignTrial {
  readonly task: string;
  /** Which try of the task it is, as the source numbers them; absent where it does not. */
  readonly trial?: number;
  /** What the task asks, what it is checked by: all that the file tells of them. */
  readonly asks: unknown;
  readonly checkedBy: unknown;
  /** What its source gave it, 0 to 1, where it tells more than whether it was met. */
  readonly reward?: number;
  readonly end: TrialEnd;
  readonly cause: EndCause | null;
  readonly checks: TrialRow["checks"];
  /** Milliseconds; 0 where the source does not say. */
  readonly ms: number;
  readonly usd: number | undefined;
  /** Whether it has messages; one that never began has none. */
  readonly hasMessages: boolean;
}

/** An object, or an empty one. */
export function rawObject(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

/** A list, or an empty one. */
export function rawList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name of the source: text of at most 120 characters without control characters, or undefined. */
export function rawName(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const clean = text
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, 120);
  return clean === "" ? undefined : clean;
}

/** A finite number that is not negative, or undefined. */
export function rawNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A reward of 0 to 1, or undefined. */
export function rawReward(value: unknown): number | undefined {
  const reward = rawNumber(value);
  return reward === undefined || reward > 1 + 1e-6 ? undefined : Math.min(1, reward);
}

/** How a trial without such a reward is told: it has none, or one that nothing is known to be the whole of. */
export function noReward(value: unknown): Pick<ForeignTrial, "end" | "cause" | "checks"> {
  const checks: ForeignTrial["checks"] =
    typeof value === "number"
      ? [{ kind: "reward", verdict: "not_decided", reason: `The source's reward is ${value}, not between 0 and 1.` }]
      : [];
  return { end: "invalid", cause: "undecided", checks };
}

/** Unix seconds of a date as text or of a number, or undefined. */
export function rawTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) / 1000 : rawNumber(value);
  return at === undefined || Number.isNaN(at) ? undefined : at;
}

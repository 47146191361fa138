import type { Json, JsonObject } from "./json.ts";

/** One observed call: what was asked, what came back exactly as it stood in the trace. */
export interface ObservedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** A string stays a string; null when no result was recorded. */
  readonly result: Json;
  /** The protocol's own error flag, where the format has one. */
  readonly isError: boolean;
  /** Who called, where it was not the agent: the user, with tools of the user's own. */
  readonly by?: "user";
}

/** One observed session, calls in order. */
export interface ObservedTrace {
  readonly id: string;
  /** Names the file or push that the trace came with: two of them may come from two versions of a system. */
  readonly source?: string;
  /** Traces of one task share a group; folds are cut between groups. */
  readonly group?: string;
  readonly request?: string;
  /** What the user said after the request, in order. */
  readonly turns?: readonly string[];
  /** Places among the request (0) and the turns after which the session shows no call and no word of the agent. */
  readonly unanswered?: readonly number[];
  readonly startedAt?: number;
  readonly calls: readonly ObservedCall[];
  readonly finalAnswer?: string | null;
  /** What the agent said to the user, in order. */
  readonly answers?: readonly string[];
  /** Whether the source says that it was stopped from outside: by a limit or an error. */
  readonly cutOff?: boolean;
  /** 0..1 where the source graded the session. */
  readonly reward?: number;
}

/** The last second of which the year has four digits. */
const LATEST = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** When a session started, in Unix seconds; undefined where nobody tells, or tells what is no such time (milliseconds, say). */
export const startOf = ({ startedAt }: ObservedTrace): number | undefined =>
  startedAt !== undefined && startedAt > 0 && startedAt <= LATEST ? startedAt : undefined;

import { STATUS_CODES } from "node:http";
import type { Random } from "./random.ts";

export type Args = Readonly<Record<string, unknown>>;

export interface Call {
  readonly tool: string;
  readonly args: Args;
}

/** What a system says no with: how it looks to the agent is decided by the service's `refusals`. */
export class Refusal extends Error {
  /** The HTTP status, where refusals are told as `problem`. */
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** What a refusal is answered as: the sentence itself, or what is written as JSON. */
export function refused({ message, status }: Refusal, refusals: InventedService["refusals"]): unknown {
  if (refusals === "object") return { error: message };
  if (refusals === "problem") return { type: "about:blank", title: STATUS_CODES[status], status, detail: message };
  return message;
}

/** A row of answer data. */
export type Data = Record<string, unknown>;

/**
 * What a careful agent does for one task: it yields a call and is given what the system answered, undefined where the
 * call was left out.
 */
export type Plan = Generator<Call, void, unknown>;

/** One system in the first state of a task. */
export interface Started {
  readonly request: string;
  /** When the session is held, where its day shows. */
  readonly at?: string;
  /** A handler for each tool; a string is answered as text, anything else as JSON. */
  readonly handlers: Readonly<Record<string, (args: Args) => unknown>>;
  readonly plan: Plan;
  /** A call that the task does not need: a read, or something that the agent got wrong. */
  stray(random: Random): Call;
}

export interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, Data>>;
    readonly required: readonly string[];
  };
}

export interface InventedService {
  readonly name: string;
  /** How sessions and the listing are written down. */
  readonly form: "openai" | "mcp";
  /**
   * `object`: `{"error": "…"}`; `problem`: the problem details of RFC 9457; `text`: the sentence alone; `flag`: the
   * sentence, marked as an error.
   */
  readonly refusals: "object" | "problem" | "text" | "flag";
  /** Spaces that JSON answers are indented by. */
  readonly indent?: number;
  readonly tools: readonly ToolListing[];
  /** `task` decides the first state and the plan, `session` what differs each time: clocks and random ids. */
  start(task: Random, session: Random): Started;
}

/** What the lists that a parameter may be hold. */
const ITEMS: Readonly<Record<string, string>> = { list: "string", numbers: "number", objects: "object" };

/**
 * Declares a tool: a parameter is `type`, `list` of texts, `numbers` or `objects`, or choices apart by `|`, each with `?`
 * where it is optional; words after a space describe it.
 */
export function tool(
  name: string,
  description: string,
  parameters: Readonly<Record<string, string>> = {},
): ToolListing {
  const properties: Record<string, Data> = {};
  const required: string[] = [];
  for (const [key, said] of Object.entries(parameters)) {
    const [form = "", ...words] = said.split(" ");
    const kind = form.replace(/\?$/, "");
    if (!form.endsWith("?")) required.push(key);
    properties[key] = {
      ...(kind.includes("|")
        ? { type: "string", enum: kind.split("|") }
        : ITEMS[kind] !== undefined
          ? { type: "array", items: { type: ITEMS[kind] } }
          : { type: kind }),
      ...(words.length === 0 ? {} : { description: words.join(" ") }),
    };
  }
  return { name, description, schema: { type: "object", properties, required } };
}

export const str = (value: unknown, otherwise = ""): string => (value === undefined ? otherwise : String(value));
export const num = (value: unknown, otherwise = 0): number => (value === undefined ? otherwise : Number(value));
export const cents = (value: number): number => Math.round(value * 100) / 100;

/** `args` without those that are undefined. */
export function call(tool: string, args: Args = {}): Call {
  return { tool, args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) };
}

/** The member of an answer, where the answer is an object that has it as text or number. */
export function fieldOf(answer: unknown, key: string): string | undefined {
  const value = typeof answer === "object" && answer !== null ? (answer as Data)[key] : undefined;
  return value === undefined || typeof value === "object" ? undefined : String(value);
}

/** The rows of an answer: its objects where it is a list, otherwise those of the first list that it has. */
export function rowsOf(answer: unknown): Data[] {
  if (typeof answer !== "object" || answer === null) return [];
  const list = Array.isArray(answer) ? answer : (Object.values(answer).find(Array.isArray) ?? []);
  return list.filter((row: unknown): row is Data => typeof row === "object" && row !== null);
}

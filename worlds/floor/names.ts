import { isObject, type Json, type JsonObject, setOwn } from "../json.ts";
import { isText, mapLeaves, timeForm } from "./leaves.ts";
import type { Volatility } from "./volatile.ts";

/** How the k-th generated id of a session is written where sessions are compared. */
const placeholder = (k: number) => `\u2039${k}\u203a`;
const PLACEHOLDER = /\u2039(\d+)\u203a/g;

/** An answer as sessions are compared: generated ids by the order in which their session showed them. */
export interface Canonical {
  /** Equal for answers that are equal up to generated ids and clocks. */
  readonly key: Json;
  /** With the clocks as they were read. */
  readonly value: Json;
}

/** The generated ids of one session, by the order in which they were shown. Not safe to share between sessions. */
export class Names {
  private readonly volatility: Volatility;
  private readonly numbers = new Map<string, number>();
  private readonly values: (string | number)[] = [];

  constructor(volatility: Volatility) {
    this.volatility = volatility;
  }

  /** How many ids the session was shown. */
  get count(): number {
    return this.values.length;
  }

  /** The ids that were shown, from the k-th on. */
  from(k: number): readonly (string | number)[] {
    return this.values.slice(k);
  }

  /** Whether the session was shown an id. */
  knows(id: string | number): boolean {
    return this.numbers.has(String(id));
  }

  /** The k-th id that the session was shown. */
  at(k: number): string | number | undefined {
    return this.values[k];
  }

  /** Arguments with the ids that the session knows by their numbers. */
  args(args: JsonObject): JsonObject {
    if (this.numbers.size === 0) return args;
    return mapLeaves(args, ({ value }) => this.known(value)) as JsonObject;
  }

  private known(value: string | number): string | number {
    const k = this.numbers.get(String(value));
    return k === undefined ? value : placeholder(k);
  }

  /** Takes the new ids of a successful answer up, and gives the answer as sessions are compared. */
  answer(tool: string, value: Json, ok: boolean): Canonical {
    if (ok)
      mapLeaves(value, ({ path, value: own }) => {
        if (!this.numbers.has(String(own)) && this.volatility.kind(tool, path) === "generated") this.add(own);
        return own;
      });
    let clocks = false;
    const kept = mapLeaves(value, ({ path, value: own }) => {
      if (this.volatility.kind(tool, path) === "clock" && timeForm(own) !== undefined) clocks = true;
      return this.known(own);
    });
    if (!clocks) return { key: kept, value: kept };
    const key = mapLeaves(value, ({ path, value: own }) =>
      this.volatility.kind(tool, path) === "clock" && timeForm(own) !== undefined ? "\u2039now\u203a" : this.known(own),
    );
    return { key, value: kept };
  }

  private add(value: string | number): void {
    this.numbers.set(String(value), this.values.length);
    this.values.push(value);
  }

  /** A compared answer in this session's own ids; `mint` makes those that it has not shown. Nothing is taken up. */
  restore(value: Json, mint: (k: number) => string | number): Json {
    return restored(value, (k) => this.values[k] ?? mint(k));
  }
}

function restored(value: Json, own: (k: number) => string | number): Json {
  if (typeof value === "string") {
    if (!value.includes("\u2039")) return value;
    const whole = /^\u2039(\d+)\u203a$/.exec(value);
    if (whole && !isText(value)) return own(Number(whole[1]));
    return value.replace(PLACEHOLDER, (_, k: string) => String(own(Number(k))));
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, own));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, String(restored(key, own)), restored(item, own));
  return out;
}

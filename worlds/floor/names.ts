import { isObject, type Json, type JsonObject, setOwn } from "../json.ts";
import { isText, mapLeaves, timeForm } from "./leaves.ts";
import type { Volatility } from "./volatile.ts";

/** How the k-th generated id of a session is written where sessions are compared, and the k-th moment of its clock. */
const placeholder = (k: number) => `\u2039${k}\u203a`;
const momentPlaceholder = (k: number) => `\u2039t${k}\u203a`;
const WHOLE = /^\u2039(t?)(\d+)\u203a$/;
const PLACEHOLDER = /\u2039(?:(t?)(\d+)|_)\u203a/g;
const QUOTE = "\u2039";
/** How a mark is written that a call or an answer itself holds: it stands for no id. */
const ESCAPED = "\u2039_\u203a";

type Id = string | number;

/** An answer as sessions are compared: generated ids by the order in which their session showed them. */
export interface Canonical {
  /** Equal for answers that are equal up to generated ids and clocks. */
  readonly key: Json;
  /** With the clocks as they were read. */
  readonly value: Json;
}

/**
 * The generated ids of one session, by the order in which they were shown, and the moments that its clock showed: what an
 * answer shows of a moment later is the session's own too. Not safe to share between sessions.
 */
export class Names {
  private readonly volatility: Volatility;
  private readonly numbers = new Map<string, number>();
  private readonly values: Id[] = [];
  /** A clock may stand still: moments are counted as often as they are shown. */
  private readonly moments: Id[] = [];
  private readonly momentNumbers = new Map<string, number>();

  constructor(volatility: Volatility) {
    this.volatility = volatility;
  }

  /** How many ids the session was shown. */
  get count(): number {
    return this.values.length;
  }

  /** The ids that were shown, from the k-th on. */
  from(k: number): readonly Id[] {
    return this.values.slice(k);
  }

  /** Whether the session was shown an id. */
  knows(id: string | number): boolean {
    return this.numbers.has(String(id));
  }

  /** The k-th id that the session was shown. */
  at(k: number): Id | undefined {
    return this.values[k];
  }

  /** The k-th moment that the session's clock showed. */
  moment(k: number): Id | undefined {
    return this.moments[k];
  }

  /** Arguments with the ids that the session knows by their numbers. */
  args(args: JsonObject): JsonObject {
    const own = escaped(args) as JsonObject;
    if (this.numbers.size === 0 && this.momentNumbers.size === 0) return own;
    return mapLeaves(own, ({ value }) => this.known(value)) as JsonObject;
  }

  private known(value: Id): Id {
    const k = this.numbers.get(String(value));
    if (k !== undefined) return placeholder(k);
    const moment = this.momentNumbers.get(String(value));
    return moment === undefined ? value : momentPlaceholder(moment);
  }

  /** Takes the new ids of a successful answer up, and gives the answer as sessions are compared. */
  answer(tool: string, answered: Json, ok: boolean): Canonical {
    const value = escaped(answered);
    if (ok)
      mapLeaves(value, ({ path, value: own }) => {
        if (!this.numbers.has(String(own)) && this.volatility.kind(tool, path) === "generated") this.add(own);
        return own;
      });
    const shown: Id[] = [];
    const isClock = (path: string, own: Id) =>
      this.volatility.kind(tool, path) === "clock" && timeForm(own) !== undefined;
    const kept = mapLeaves(value, ({ path, value: own }) => {
      if (!isClock(path, own)) return this.known(own);
      shown.push(own);
      return own;
    });
    if (shown.length === 0) return { key: kept, value: kept };
    const key = mapLeaves(value, ({ path, value: own }) => (isClock(path, own) ? "\u2039now\u203a" : this.known(own)));
    if (ok)
      for (const own of shown) {
        if (!this.momentNumbers.has(String(own))) this.momentNumbers.set(String(own), this.moments.length);
        this.moments.push(own);
      }
    return { key, value: kept };
  }

  private add(value: Id): void {
    this.numbers.set(String(value), this.values.length);
    this.values.push(value);
  }

  /**
   * A compared answer in this session's own ids; `mint` makes those that it has not shown. Undefined where it has a moment
   * that the session's clock did not show, unless that is written by `moment`. Nothing is taken up.
   */
  restore(value: Json, mint: (k: number) => Id, moment?: (k: number) => Id): Json | undefined {
    let lost = false;
    const out = restored(value, (time, k) => {
      const own = time ? (moment?.(k) ?? this.moments[k]) : (this.values[k] ?? mint(k));
      if (own === undefined) lost = true;
      return own ?? "";
    });
    return lost ? undefined : out;
  }
}

/** A value with every mark in its texts written as such; the same value where there is none. */
function escaped(value: Json): Json {
  if (typeof value === "string") return value.includes(QUOTE) ? value.replaceAll(QUOTE, ESCAPED) : value;
  if (Array.isArray(value)) return value.some(holdsQuote) ? value.map(escaped) : value;
  if (!isObject(value) || !holdsQuote(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, escaped(key) as string, escaped(item));
  return out;
}

function holdsQuote(value: Json): boolean {
  if (typeof value === "string") return value.includes(QUOTE);
  if (Array.isArray(value)) return value.some(holdsQuote);
  return isObject(value) && Object.entries(value).some(([key, item]) => key.includes(QUOTE) || holdsQuote(item));
}

function restored(value: Json, own: (time: boolean, k: number) => Id): Json {
  if (typeof value === "string") {
    if (!value.includes("\u2039")) return value;
    const whole = WHOLE.exec(value);
    if (whole && !isText(value)) return own(whole[1] === "t", Number(whole[2]));
    return value.replace(PLACEHOLDER, (_, time: string, k?: string) =>
      k === undefined ? QUOTE : String(own(time === "t", Number(k))),
    );
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, own));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, String(restored(key, own)), restored(item, own));
  return out;
}

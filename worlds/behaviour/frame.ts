import { WorldError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { UNKNOWN } from "../unknown.ts";

/** What an expression yields; undefined is an absent field, which reads as null everywhere but in `has` and assignments. */
export type Value = Json | undefined;

/** A compiled expression. */
export type Run = (frame: Frame) => Value;

/** What expressions may see of a world's state. */
export interface StateView {
  /** The row; unknown where a call that is not understood may have made or removed it. */
  get(table: string, key: string): JsonObject | undefined;
  /** Whether the row that was there at the start has been removed since. */
  removed(table: string, key: string): boolean;
  /** Whether a call that is not understood may have made or removed rows of the table. */
  incomplete(table: string): boolean;
  /** Whether anything in the state may be unknown. */
  readonly doubtful: boolean;
  rows(table: string): readonly JsonObject[];
  /** Keys of the rows that have the value at the path, or may have it. */
  find(table: string, path: readonly string[], value: Json): readonly string[];
}

/** Draws generated keys of a kind and width. */
export interface KeySource {
  draw(kind: string, width: number): string;
}

/** How much one call may do: `steps` bounds it alike on every machine, `milliseconds` is a net under it. */
export interface Limits {
  readonly steps: number;
  readonly milliseconds: number;
}

/** A million steps is about a thousand times what an ordinary call takes. */
export const LIMITS: Limits = { steps: 1_000_000, milliseconds: 2_000 };

const CHECK_EVERY = 4096;
const MAX_TEXT = 1_000_000;
const MAX_LIST = 100_000;
const MAX_WEIGHT = 200_000;

/** One call's evaluation: what is in scope, and what it has used up. */
export class Frame {
  row: JsonObject | undefined;
  readonly args: JsonObject;
  readonly now: number;
  readonly slots: Value[] = [];
  readonly state: StateView;
  readonly keys: KeySource;
  /** Whether the behaviour itself made an unknown value. */
  unsure = false;
  /** Texts with keys drawn in them. */
  drawn: Set<string> | undefined;
  private readonly limits: Limits;
  private steps = 0;
  private nextCheck = CHECK_EVERY;
  private deadline = 0;

  constructor(args: JsonObject, now: number, state: StateView, keys: KeySource, limits: Limits = LIMITS) {
    this.args = args;
    this.now = now;
    this.state = state;
    this.keys = keys;
    this.limits = limits;
  }

  /** Whether any value may be unknown or hold what is. */
  get doubtful(): boolean {
    return this.unsure || this.state.doubtful;
  }

  /** Counts work done; throws `limit` when the call's steps or time are used up. */
  charge(steps: number): void {
    this.steps += steps;
    if (this.steps < this.nextCheck) return;
    if (this.steps > this.limits.steps) throw new WorldError("limit", "the behaviour took too many steps");
    const clock = performance.now();
    if (this.deadline === 0) this.deadline = clock + this.limits.milliseconds;
    else if (clock > this.deadline) throw new WorldError("limit", "the behaviour took too long");
    this.nextCheck = this.steps + CHECK_EVERY;
  }

  /** A text made by the behaviour, charged and bounded. */
  text(made: string): string {
    this.charge(1 + (made.length >> 6));
    if (made.length > MAX_TEXT) throw new WorldError("limit", "the behaviour made too long a text");
    return made;
  }

  /** A list made by the behaviour, charged and bounded. */
  list(made: Json[]): Json[] {
    this.charge(1 + made.length);
    if (made.length > MAX_LIST) throw new WorldError("limit", "the behaviour made too long a list");
    return made;
  }

  /** A value that is walked whole: charged by its size each time, and bounded as `bounded` has it. */
  walked<T extends Value>(value: T): T {
    if (typeof value === "object" && value !== null) this.charge(1 + (weigh(this.bounded(value), this) >> 3));
    else this.charge(1);
    return value;
  }

  /** A value that leaves an expression: bounded as it would be written out, however often it refers to one part. */
  bounded<T extends Value>(value: T): T {
    if (typeof value === "object" && value !== null && weigh(value, this) > MAX_WEIGHT)
      throw new WorldError("limit", "the behaviour made too large a value");
    return value;
  }
}

const weights = new WeakMap<object, number>();

function weigh(value: Json, frame: Frame): number {
  if (typeof value === "string") return 1 + (value.length >> 4);
  if (typeof value !== "object" || value === null) return 1;
  const known = weights.get(value);
  if (known !== undefined) return known;
  frame.charge(1);
  let weight = 1;
  if (Array.isArray(value)) for (const member of value) weight += weigh(member, frame);
  else for (const key of Object.keys(value)) weight += 1 + weigh(value[key] as Json, frame);
  weights.set(value, weight);
  return weight;
}

/** What a value is called in a message. */
export function typeName(value: Value): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "map" : typeof value === "boolean" ? "bool" : typeof value;
}

/** The typed error of an operation on the wrong kinds of value. */
export function typeError(operation: string, ...values: Value[]): WorldError {
  return new WorldError("type", `${operation} does not take ${values.map(typeName).join(", ")}`);
}

/** A field of a map by its own name; absent on null and on what is not there. Throws `type` on a text, number, bool or list. */
export function fieldOf(value: Value, name: string): Value {
  if (value === UNKNOWN) return UNKNOWN;
  if (typeof value === "object") {
    if (value === null) return undefined;
    if (!Array.isArray(value)) return Object.hasOwn(value, name) ? value[name] : undefined;
  } else if (value === undefined) return undefined;
  throw typeError("a field access", value);
}

/** A member by index or key; absent where nothing stands. Throws `type` when the container or the index is of the wrong kind. */
export function entryOf(value: Value, index: Value): Value {
  if (value === null || value === undefined || index === null || index === undefined) return undefined;
  if (value === UNKNOWN || index === UNKNOWN) return UNKNOWN;
  if (Array.isArray(value) && typeof index === "number")
    return Number.isInteger(index) && index >= 0 ? value[index] : undefined;
  if (isObject(value) && typeof index !== "object") {
    const name = String(index);
    return Object.hasOwn(value, name) ? value[name] : undefined;
  }
  throw typeError("an index", value, index);
}

/** Order of two values: numbers, texts by code unit, false before true. Undefined when one is null; throws `type` on two kinds. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (a === null || a === undefined || b === null || b === undefined) return undefined;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  throw typeError("a comparison", a, b);
}

/** A total order for sorting: null first, then booleans, numbers, texts, then the rest as it stands. */
export function sortOrder(a: Value, b: Value): number {
  const left = rank(a);
  const right = rank(b);
  return left === right ? (left === 4 ? 0 : (compareValues(a, b) ?? 0)) : left - right;
}

function rank(value: Value): number {
  if (value === null || value === undefined) return 0;
  return typeof value === "boolean" ? 1 : typeof value === "number" ? 2 : typeof value === "string" ? 3 : 4;
}

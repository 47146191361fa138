import type { Json } from "../../../json.ts";
import { canon } from "../../values.ts";
import { type Env, type Expr, evaluate, UNKNOWN, type Value } from "./expr.ts";

/** The number that every unknown value has. */
export const UNKNOWN_ID = 1;

/** Numbers values: equal data, equal number. Objects are read once each. */
export class Ids {
  private readonly scalars = new Map<Json, number>();
  private readonly texts = new Map<string, number>();
  private readonly objects = new Map<object, number>();
  private next = UNKNOWN_ID;

  of(value: Value): number {
    if (value === UNKNOWN) return UNKNOWN_ID;
    if (typeof value !== "object" || value === null) return this.numbered(this.scalars, value);
    let id = this.objects.get(value);
    if (id === undefined) {
      id = this.numbered(this.texts, canon(value));
      this.objects.set(value, id);
    }
    return id;
  }

  private numbered<K>(known: Map<K, number>, key: K): number {
    let id = known.get(key);
    if (id === undefined) {
      id = ++this.next;
      known.set(key, id);
    }
    return id;
  }
}

/** The values of one expression over a list of moments, each found when it is first asked for. */
export class Vector {
  readonly expr: Expr;
  private readonly envs: readonly Env[];
  private readonly shared: Ids;
  private readonly found: Value[];
  private readonly ids: Int32Array;
  private asNumbers: Float64Array | undefined;

  constructor(expr: Expr, envs: readonly Env[], shared: Ids) {
    this.expr = expr;
    this.envs = envs;
    this.shared = shared;
    this.ids = new Int32Array(envs.length);
    this.found = new Array(envs.length);
  }

  id(i: number): number {
    return this.ids[i] || this.find(i);
  }

  value(i: number): Value {
    if (this.ids[i] === 0) this.find(i);
    return this.found[i] as Value;
  }

  private find(i: number): number {
    const value = evaluate(this.expr, this.envs[i] as Env);
    this.found[i] = value;
    const id = this.shared.of(value);
    this.ids[i] = id;
    return id;
  }

  /** The values as numbers; NaN where they are something else. */
  get numbers(): Float64Array {
    this.asNumbers ??= Float64Array.from(this.envs, (_, i) => {
      const value = this.value(i);
      return typeof value === "number" ? value : Number.NaN;
    });
    return this.asNumbers;
  }

  some(at: Int32Array, test: (value: Value) => boolean): boolean {
    for (let k = 0; k < at.length; k++) if (test(this.value(at[k] as number))) return true;
    return false;
  }

  /** A text that vectors of the same values alone share; undefined where nothing is known. */
  signature(): string | undefined {
    let known = false;
    for (let i = 0; i < this.ids.length; i++) if (this.id(i) !== UNKNOWN_ID) known = true;
    return known ? this.ids.join() : undefined;
  }
}

/** The vectors of expressions over one list of moments. */
export class Vectors {
  readonly ids = new Ids();
  private readonly envs: readonly Env[];
  private readonly known = new Map<Expr, Vector>();

  constructor(envs: readonly Env[]) {
    this.envs = envs;
  }

  of(expr: Expr): Vector {
    let vector = this.known.get(expr);
    if (!vector) {
      vector = new Vector(expr, this.envs, this.ids);
      this.known.set(expr, vector);
    }
    return vector;
  }
}

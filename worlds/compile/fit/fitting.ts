import { isObject, type Json } from "../../json.ts";
import type { Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";

/** A wanted value per example; undefined where an example does not constrain it. */
export type Target = readonly (Json | undefined)[];

/** How a term fits a target: known agreements, known disagreements. */
export interface Fit {
  readonly hits: number;
  readonly misses: number;
}

/** Equal up to the noise of binary fractions. */
export function close(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Equal as data, numbers at any depth up to the noise of binary fractions. */
export function agrees(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a === "number" && typeof b === "number") return close(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => agrees(item, b[i]));
  if (a === undefined || b === undefined || !isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && agrees(a[key], b[key]));
}

/** Counts of a term against a target over the examples where both are known. */
export function scoreOf(vals: readonly (Json | undefined)[], target: Target): Fit {
  let hits = 0;
  let misses = 0;
  target.forEach((want, i) => {
    if (want === undefined || vals[i] === undefined) return;
    if (agrees(vals[i], want)) hits++;
    else misses++;
  });
  return { hits, misses };
}

/** How many examples constrain a target. */
export function wanted(target: Target): number {
  return target.filter((value) => value !== undefined).length;
}

/** Whether a fit is good enough: no more misses than noise explains, and enough known. */
export function fits({ hits, misses }: Fit, target: Target, tolerance: number): boolean {
  const n = wanted(target);
  return hits >= Math.max(1, n * 0.3) && misses <= hits * tolerance;
}

/** Finds the simplest expression for a target. */
export type Solve = (env: Env, target: Target, depth?: number) => Term | undefined;

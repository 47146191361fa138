import { singular } from "./words.ts";

/** Unit words by what they measure, as factors of one base unit. */
const UNITS: readonly (readonly [base: string, factor: number, ...names: string[]])[] = [
  ["second", 1, "second", "sec", "s"],
  ["second", 60, "minute", "min"],
  ["second", 3600, "hour", "hr", "h"],
  ["second", 86_400, "day", "d"],
  ["second", 604_800, "week", "wk"],
  ["second", 0.001, "millisecond", "ms"],
  ["gram", 1, "gram", "gramme", "g"],
  ["gram", 1000, "kilogram", "kilogramme", "kilo", "kg"],
  ["gram", 0.001, "milligram", "mg"],
  ["gram", 453.59237, "pound", "lb"],
  ["gram", 28.349523125, "ounce", "oz"],
  ["metre", 1, "metre", "meter", "m"],
  ["metre", 1000, "kilometre", "kilometer", "km"],
  ["metre", 0.01, "centimetre", "centimeter", "cm"],
  ["metre", 0.001, "millimetre", "millimeter", "mm"],
  ["metre", 1609.344, "mile", "mi"],
  ["metre", 0.3048, "foot", "feet", "ft"],
  ["metre", 0.0254, "inch", "in"],
  ["litre", 1, "litre", "liter", "l"],
  ["litre", 0.001, "millilitre", "milliliter", "ml"],
  ["byte", 1, "byte", "b"],
  ["byte", 1e3, "kilobyte", "kb"],
  ["byte", 1e6, "megabyte", "mb"],
  ["byte", 1e9, "gigabyte", "gb"],
  ["byte", 1e12, "terabyte", "tb"],
  ["percent", 1, "percent", "%"],
];
const BY_NAME = new Map(
  UNITS.flatMap(([base, factor, ...names]) => names.map((name) => [name, { base, factor }] as const)),
);

/** A number with its unit, in the unit's base; a word that is no known unit (items, seats) is a base of its own. */
export interface Quantity {
  readonly value: number;
  readonly base: string;
}

/** Reads a quantity's unit word; the singular of a known or unknown unit. */
export function quantity(value: number, unit: string): Quantity {
  const name = unit.toLowerCase().replace(/\.$/, "");
  const known = BY_NAME.get(name) ?? BY_NAME.get(singular(name)) ?? BY_NAME.get(name.replace(/s$/, ""));
  return known ? { value: value * known.factor, base: known.base } : { value, base: singular(name) };
}

/** Whether a word is one of what is measured: hours, miles. */
export const isUnit = (word: string): boolean => BY_NAME.has(singular(word.toLowerCase()));

/** Equal amounts of the same thing, to one part in a thousand, which is what conversions are written to. */
export function sameQuantity(a: Quantity, b: Quantity): boolean {
  return (
    a.base === b.base &&
    Math.abs(a.value - b.value) <=
      Math.max(1e-9, Math.abs(b.value) * 1e-3 * (Number.isInteger(b.value) && a.value === b.value ? 0 : 1))
  );
}

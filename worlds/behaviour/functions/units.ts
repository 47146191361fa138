import { getOwn } from "../../json.ts";

/** Units by kind and name, each as so many of the first one of its kind. Names of all kinds differ. */
const KINDS: readonly Readonly<Record<string, number>>[] = [
  { m: 1, km: 1000, cm: 0.01, mm: 0.001, um: 1e-6, nm: 1e-9, mi: 1609.344, yd: 0.9144, ft: 0.3048, in: 0.0254 },
  { kg: 1, g: 0.001, mg: 1e-6, lb: 0.45359237, oz: 0.028349523125, st: 6.35029318 },
  { l: 1, ml: 0.001, cl: 0.01, gal: 3.785411784, qt: 0.946352946, pt: 0.473176473, cup: 0.2365882365 },
  { s: 1, ms: 0.001, min: 60, h: 3600, d: 86_400, week: 604_800 },
  { "m/s": 1, "km/h": 1 / 3.6, mph: 0.44704, knot: 1852 / 3600 },
  { pa: 1, kpa: 1000, bar: 100_000, psi: 6894.757293168, atm: 101_325 },
];

/** Other names of units. */
const ALSO: Readonly<Record<string, string>> = {
  meter: "m",
  metre: "m",
  kilometer: "km",
  kilometre: "km",
  centimeter: "cm",
  millimeter: "mm",
  mile: "mi",
  yard: "yd",
  foot: "ft",
  feet: "ft",
  inch: "in",
  inche: "in",
  kilogram: "kg",
  gram: "g",
  pound: "lb",
  ounce: "oz",
  liter: "l",
  litre: "l",
  milliliter: "ml",
  gallon: "gal",
  second: "s",
  minute: "min",
  hour: "h",
  day: "d",
  kph: "km/h",
  kmh: "km/h",
  kmph: "km/h",
  celsius: "c",
  fahrenheit: "f",
  kelvin: "k",
};

/** Temperatures from kelvin and back. */
const TEMPERATURES: Readonly<
  Record<string, readonly [kelvin: (x: number) => number, from: (kelvin: number) => number]>
> = {
  k: [(x) => x, (x) => x],
  c: [(x) => x + 273.15, (x) => x - 273.15],
  f: [(x) => ((x - 32) * 5) / 9 + 273.15, (x) => ((x - 273.15) * 9) / 5 + 32],
};

function named(text: unknown): string {
  if (typeof text !== "string") return "";
  const name = text.toLowerCase();
  const one = name.length > 2 ? name.replace(/s$/, "") : name;
  return getOwn(ALSO, name) ?? getOwn(ALSO, one) ?? one;
}

export const isUnit = (text: unknown): boolean =>
  Object.hasOwn(TEMPERATURES, named(text)) || KINDS.some((kind) => Object.hasOwn(kind, named(text)));

/** A number in another unit of the same kind; undefined where one of both is not known, or of another kind. */
export function converted(x: unknown, from: unknown, to: unknown): number | undefined {
  if (typeof x !== "number") return undefined;
  const [a, b] = [named(from), named(to)];
  const [warm, other] = [getOwn(TEMPERATURES, a), getOwn(TEMPERATURES, b)];
  if (warm && other) return other[1](warm[0](x));
  const kind = KINDS.find((of) => Object.hasOwn(of, a));
  return kind && Object.hasOwn(kind, b) ? (x * (kind[a] as number)) / (kind[b] as number) : undefined;
}

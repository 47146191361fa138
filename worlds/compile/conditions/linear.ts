import { close, type Target, wanted } from "../fit/fitting.ts";
import { isScalar } from "../values.ts";
import { literal, type Term, tidy } from "./term.ts";
import type { Env } from "./terms.ts";

/** One amount that a total may hold: so many for each of what a term counts. */
interface Feature {
  readonly cel: string;
  readonly cost: number;
  readonly vals: readonly (number | undefined)[];
  /** Only a rate that the examples give makes it an amount. */
  readonly rated: boolean;
}

interface Part {
  readonly feature: Feature;
  readonly rate: number;
}

const MAX_PARTS = 3;
const BEAM = 24;
const MAX_NUMBERS = 40;

/** A total of up to three amounts (sums, rates, surcharges), each rate seen twice; it must fit a share `least` of the examples. */
export function linear(env: Env, target: Target, without = "", least = 1): Term | undefined {
  const rows = target.flatMap((value, i) => (typeof value === "number" ? [i] : []));
  if (rows.length < 4 || rows.length < wanted(target) || new Set(rows.map((i) => target[i])).size < 3) return undefined;
  const features = featuresOf(env, rows, without);
  let beam: { parts: Part[]; rest: (number | undefined)[]; cost: number }[] = [
    { parts: [], rest: rows.map((i) => target[i] as number), cost: 0 },
  ];
  for (let depth = 0; depth < MAX_PARTS; depth++) {
    const next: typeof beam = [];
    for (const state of beam)
      for (const feature of features) {
        if (state.parts.some((part) => part.feature === feature)) continue;
        const rate = rateOf(env, feature, rows, state.rest, depth === 0, least);
        if (rate === undefined) continue;
        const rest = rows.map((i, e) => {
          const [value, left] = [feature.vals[i], state.rest[e]];
          return value === undefined || left === undefined ? undefined : tidy(left - rate * value);
        });
        next.push({ parts: [...state.parts, { feature, rate }], rest, cost: state.cost + feature.cost });
      }
    const left = (rest: readonly (number | undefined)[]) =>
      rest.filter((value) => value !== undefined && !close(value, 0)).length;
    next.sort((a, b) => left(a.rest) - left(b.rest) || a.cost - b.cost || (named(a.parts) < named(b.parts) ? -1 : 1));
    const done = next.find(
      ({ rest }) =>
        left(rest) <= rows.length * (1 - least) &&
        rest.filter((value) => value !== undefined).length >= Math.max(4, rows.length * 0.5),
    );
    if (done) return asTerm(env, done.parts, done.cost);
    beam = next.slice(0, BEAM);
  }
  return undefined;
}

function named(parts: readonly Part[]): string {
  return parts.map(({ feature }) => feature.cel).join();
}

/** Numbers, numbers for each item of a list, and what argument values switch on. */
function featuresOf(env: Env, rows: readonly number[], without: string): Feature[] {
  const seen = new Set<string>();
  const numbers = env.terms
    .filter(
      ({ cel, vals, cost }) =>
        cost < 5 &&
        !/^rows\(|\.(first|last)\(\)/.test(cel) &&
        (without === "" || !cel.includes(without)) &&
        rows.some((i) => typeof vals[i] === "number" && vals[i] !== 0) &&
        rows.every((i) => vals[i] === undefined || typeof vals[i] === "number"),
    )
    .sort((a, b) => a.cost - b.cost || (a.cel < b.cel ? -1 : 1))
    .filter(({ vals }) => {
      const text = rows.map((i) => String(vals[i])).join();
      return !seen.has(text) && Boolean(seen.add(text));
    })
    .slice(0, MAX_NUMBERS)
    .map(({ cel, cost, vals }): Feature => ({ cel, cost, vals: vals as (number | undefined)[], rated: false }));
  const sizes = numbers.filter(({ cel }) => /^size\([\w.]+\)$/.test(cel));
  const each = numbers.flatMap((a) =>
    sizes.flatMap((b): Feature[] =>
      a === b || /^size\(/.test(a.cel) ? [] : [{ ...times(a, b), cost: a.cost + b.cost + 0.3 }],
    ),
  );
  const switches = env.terms
    .filter(({ cel, vals }) => /^args\.\w+$/.test(cel) && rows.every((i) => isScalar(vals[i]) || vals[i] === null))
    .flatMap(({ cel, vals }): Feature[] => {
      const values = new Set(rows.map((i) => vals[i]));
      if (values.size < 2 || values.size > 3) return [];
      return [...values]
        .filter((value) => typeof value === "string" || typeof value === "boolean")
        .map((value) => ({
          cel: `(${cel} == ${literal(value)} ? 1 : 0)`,
          cost: 2.4,
          vals: vals.map((other) => (other === undefined ? undefined : other === value ? 1 : 0)),
          rated: true,
        }));
    });
  const counted = switches.flatMap((a) => sizes.map((b) => ({ ...times(a, b), cost: a.cost + 0.4, rated: true })));
  return [...numbers, ...each, ...switches, ...counted];
}

function times(a: Feature, b: Feature): Feature {
  return {
    cel: `${a.cel} * ${b.cel}`,
    cost: a.cost + b.cost,
    vals: a.vals.map((x, i) => {
      const y = b.vals[i];
      return x === undefined || y === undefined ? undefined : tidy(x * y);
    }),
    rated: a.rated,
  };
}

/** The rate of a feature in the remaining total: 1 or -1 first, else one that two questions share and no example contradicts. */
function rateOf(
  env: Env,
  { vals, rated }: Feature,
  rows: readonly number[],
  rest: readonly (number | undefined)[],
  first: boolean,
  least: number,
): number | undefined {
  const rates = new Map<number, Set<number>>();
  let open = 0;
  rows.forEach((i, e) => {
    const [value, left] = [vals[i], rest[e]];
    if (value === undefined || left === undefined || value === 0) return;
    open++;
    const rate = tidy(left / value);
    if (!Number.isInteger(rate * 2) || rate === 0) return;
    rates.set(rate, (rates.get(rate) ?? new Set()).add(env.groups[i] ?? i));
  });
  const [best] = [...rates].sort((a, b) => b[1].size - a[1].size || Math.abs(a[0]) - Math.abs(b[0]));
  if (!best || best[1].size < 2) return undefined;
  if (first)
    return rated || Math.abs(best[0]) !== 1 || best[1].size < open * (least < 1 ? 0.3 : 0.1) ? undefined : best[0];
  return best[1].size < open * (least < 1 ? 0.4 : 0.2) ? undefined : best[0];
}

function asTerm(env: Env, parts: readonly Part[], cost: number): Term {
  const cel = parts
    .map(({ feature, rate }, i) => {
      const sign = rate < 0 ? "- " : i === 0 ? "" : "+ ";
      return `${sign}${Math.abs(rate) === 1 ? "" : `${Math.abs(rate)} * `}${feature.cel}`;
    })
    .join(" ")
    .replace(/^- /, "-");
  const vals = Array.from({ length: env.n }, (_, i) => {
    let total = 0;
    for (const { feature, rate } of parts) {
      const value = feature.vals[i];
      if (value === undefined) return undefined;
      total += rate * value;
    }
    return tidy(total);
  });
  return { cel, cost: cost + 0.5 * parts.length, vals };
}

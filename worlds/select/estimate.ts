import { byText } from "../compile/values.ts";
import type { TrustModel } from "../history/schema.ts";
import { BEFORE, type CellPath, type Source } from "./trust.ts";

/** One way to answer a held-out call, and whether it would have been right. */
export interface Option {
  readonly source: Source;
  readonly cells: CellPath;
  readonly right: boolean;
}

/** A held-out call with every way to answer it; calls in one situation count as one. */
export interface Case {
  readonly situation: string;
  readonly options: readonly Option[];
}

/** Share of wrong answers that an organization accepts. */
export const WRONG = 0.02;
/** How many answers of the wider case an estimate begins with. */
const WIDER = 3;
/** No case is answered of which more than this share is expected to be wrong, as a multiple of what is accepted over all. */
const EACH = 2.5;
/** What a tool is less sure than its kind before any answer of it was tried. */
const UNTRIED = 0.05;
/** 90 % of estimates lie below their bound. */
const Z = 1.2816;

interface Tally {
  right: number;
  n: number;
}

/** Weights by which each situation counts once. */
function weights(cases: readonly Case[]): number[] {
  const n = new Map<string, number>();
  for (const { situation } of cases) n.set(situation, (n.get(situation) ?? 0) + 1);
  return cases.map(({ situation }) => 1 / (n.get(situation) as number));
}

/** The upper 90 % bound of a share (Wilson). */
export function upperBound(hits: number, n: number): number {
  if (n <= 0) return 1;
  const p = hits / n;
  const z2 = (Z * Z) / n;
  return (p + z2 / 2 + Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n))) / (1 + z2);
}

/**
 * The confidence of every case of every way to answer, and the least that is answered with: from the most confident
 * down, cases are taken with which the bound of the share of wrong answers among all calls stays within `wrong`; the
 * others have none. `cases` are
 * held-out calls with all ways to answer them, `heard` more calls with what sessions heard alone; `wider` is what cells
 * are worth over more calls than these, `weightOfHeard` what one of `heard` counts.
 */
export function estimate(
  cases: readonly Case[],
  heard: readonly Case[],
  wider: Readonly<Record<string, number>> = {},
  wrong: number = WRONG,
  weightOfHeard = 1,
): TrustModel["known"] {
  const tallies = new Map<string, Tally>();
  const paths = new Map<string, CellPath>();
  const tally = (list: readonly Case[], counts: (source: Source) => boolean, share = 1) => {
    const weight = weights(list).map((one) => one * share);
    for (const [i, { options }] of list.entries())
      for (const { source, cells, right } of options)
        for (const [at, cell] of counts(source) ? cells.entries() : []) {
          const one = tallies.get(cell) ?? { right: 0, n: 0 };
          one.n += weight[i] as number;
          if (right) one.right += weight[i] as number;
          tallies.set(cell, one);
          if (!paths.has(cell)) paths.set(cell, cells.slice(at));
        }
  };
  tally(heard, () => true, weightOfHeard);
  tally(cases, (source) => source === "program" || source === "recorded" || source === "schema");
  const found = new Map<string, number>();
  const confidence = (path: CellPath): number => {
    const [cell, ...parents] = path as [string, ...string[]];
    const known = found.get(cell);
    if (known !== undefined) return known;
    const before = BEFORE[path.at(-1) as Source];
    const untried = parents.length === 1 && isTried(path);
    const prior = wider[cell] ?? (parents.length > 0 ? confidence(parents) - (untried ? UNTRIED : 0) : before.right);
    const weight = parents.length > 0 ? WIDER : before.weight;
    const { right, n } = tallies.get(cell) ?? { right: 0, n: 0 };
    const own = Math.round(((right + weight * prior) / (n + weight)) * 1e4) / 1e4;
    found.set(cell, own);
    return own;
  };
  for (const path of paths.values()) confidence(path);
  for (const source of TRIED) if (wider[`${source}|`] === undefined) confidence([`${source}|`, source]);
  const least = 1 - EACH * wrong;
  for (const cell of refusedCells(cases, confidence, least, wrong)) found.set(cell, 0);
  const cells = Object.fromEntries([...new Map([...Object.entries(wider), ...found])].sort(([a], [b]) => byText(a, b)));
  return { cells, least };
}

/** Behaviours are tried tool by tool: what one tool's is worth says less of another's. */
const TRIED: readonly Source[] = ["program", "recorded"];
const isTried = (path: CellPath): boolean => TRIED.includes(path.at(-1) as Source);

/** Exact history comes first; of others the most confident, the earlier on a tie. */
export function bestOf<O extends { readonly source: Source }>(
  options: readonly O[],
  confidence: (option: O) => number,
): { readonly option: O; readonly confidence: number } | undefined {
  let best: { option: O; confidence: number } | undefined;
  for (const option of options) {
    const own = confidence(option);
    if (option.source === "exact") return { option, confidence: own };
    if (!best || own > best.confidence) best = { option, confidence: own };
  }
  return best;
}

/** Cases that are not answered, though they are sure enough by themselves: with them too much would be wrong over all. */
function refusedCells(
  cases: readonly Case[],
  confidence: (path: CellPath) => number,
  least: number,
  wrong: number,
): Set<string> {
  const weight = weights(cases);
  const picks = new Map<string, { confidence: number; n: number; missed: number }>();
  for (const [i, { options }] of cases.entries()) {
    const best = bestOf(options, ({ cells }) => confidence(cells));
    const cell = best?.option.cells[0];
    if (!best || cell === undefined || best.confidence < least) continue;
    const pick = picks.get(cell) ?? { confidence: best.confidence, n: 0, missed: 0 };
    picks.set(cell, pick);
    pick.n += weight[i] as number;
    if (!best.option.right) pick.missed += weight[i] as number;
  }
  const all = weight.reduce((sum, one) => sum + one, 0);
  const out = new Set<string>();
  let taken = 0;
  let missed = 0;
  const sorted = [...picks].sort(([a, x], [b, y]) => y.confidence - x.confidence || byText(a, b));
  for (const [cell, pick] of sorted) {
    const [n, m] = [taken + pick.n, missed + pick.missed];
    // Little evidence bounds nothing: there the estimate itself is compared.
    if (pick.missed > 0 && m > wrong * n && upperBound(m, all) > wrong) out.add(cell);
    else [taken, missed] = [n, m];
  }
  return out;
}

import { byText } from "../../values.ts";
import type { Case } from "../cases.ts";
import { bounded, type Increment, numberIn, shiftsFrom } from "../increments.ts";
import { Grid } from "./grid.ts";
import { type Leaf, type Model, modelled, type Node, type Tree } from "./tree.ts";

/** Cases that shifts are taken from. */
const PROBED = 24;
/** Copies, and shifts, that leaves choose from. */
const MODELS = 5;
/** Cases that a model must explain to be one to choose from. */
const LEAST = 4;
const MAX_DEPTH = 7;
const MAX_LEAVES = 28;
/** A feature of more values than this is told apart by its size alone. */
const MAX_VALUES = 16;
/** A feature of more numbers than this counts something: its size tells, not each number. */
const MAX_NUMBERS = 4;
/** What every further branch must tell, in bits. */
const BRANCH = 1.75;
/** The share of what it takes to say which feature a split is of that the split must tell as well. */
const CHOICE = 0.5;
/** The share of a leaf's cases that its model must explain. */
const PURE = 0.985;
/** Groups of sessions that must agree for a leaf to tell anything. */
const GROUPS = 3;

const [WRONG, RIGHT, UNKNOWN] = [0, 1, 2];
/** The label of cases that tell nothing for or against what explains most others. */
const IGNORED = -2;

interface Candidate {
  readonly model: Model;
  /** Per case whether it explains it: RIGHT, WRONG, or UNKNOWN where its feature is not known. */
  readonly right: Uint8Array;
  readonly all: number;
}

/** Fits a decision tree over features; undefined where nothing is predicted. `own` is the feature of the value before. */
export function fitTree(cases: readonly Case[], names: readonly string[], own?: string): Tree | undefined {
  if (cases.length < LEAST) return undefined;
  const root = new Grower(cases, names, own).fit();
  return tells(root) ? { kind: "tree", root } : undefined;
}

function tells(node: Node): boolean {
  if (node.kind === "leaf") return node.model !== undefined;
  if (node.kind === "compare") return tells(node.within) || tells(node.above);
  return [...node.entries.values(), ...(node.rest ? [node.rest] : [])].some(tells);
}

/** A model with how many of some cases it explains, and of all. */
interface Ranked {
  readonly model: Model;
  readonly n: number;
  readonly wrong: number;
  readonly all: number;
}

const fits = ({ n, wrong }: Ranked): boolean => n >= (n + wrong) * PURE;

interface Split {
  readonly score: number;
  readonly parts: readonly (readonly number[])[];
  readonly made: (nodes: readonly Node[]) => Node;
}

class Grower {
  private readonly grid: Grid;
  private readonly names: readonly string[];
  private readonly candidates: readonly Candidate[];
  private readonly own: string | undefined;
  private readonly choice: number;
  private leaves = 1;

  constructor(cases: readonly Case[], names: readonly string[], own: string | undefined) {
    this.grid = new Grid(cases);
    this.own = own;
    this.names = names.filter((name) => this.grid.column(name).size > 1);
    this.choice = Math.log2(this.names.length + 1) * CHOICE;
    this.candidates = candidatesOf(cases, names);
  }

  fit(): Node {
    return this.node(
      this.grid.cases.map((_, i) => i),
      0,
    );
  }

  private node(at: readonly number[], depth: number): Node {
    const { ranked, labels } = this.labelled(at);
    const best = ranked[0];
    if (!best || fits(best) || depth >= MAX_DEPTH) return this.leaf(at, ranked);
    const split = this.leaves < MAX_LEAVES ? this.split(at, labels) : undefined;
    if (!split) return this.leaf(at, ranked);
    this.leaves += split.parts.length - 1;
    return split.made(split.parts.map((part) => this.node(part, depth + 1)));
  }

  /** What explains most of some cases, then most of those left; with, for each case, which of them explains it. */
  private labelled(at: readonly number[]): { ranked: Ranked[]; labels: Int32Array } {
    const { values, cases } = this.grid;
    const counts = new Map<number, number>();
    for (const i of at) counts.set(values[i] as number, (counts.get(values[i] as number) ?? 0) + 1);
    const ranked: (Ranked & { readonly right: (i: number) => number })[] = [];
    for (const [code, n] of counts) {
      const first = at.find((i) => values[i] === code) as number;
      const { value } = cases[first] as Case;
      const right = (i: number) => (values[i] === code ? RIGHT : WRONG) as number;
      ranked.push({ model: { kind: "constant", value }, n, wrong: at.length - n, all: 0, right });
    }
    for (const { model, right, all } of this.candidates) {
      let [n, wrong] = [0, 0];
      for (const i of at) {
        if (right[i] === RIGHT) n++;
        else if (right[i] === WRONG) wrong++;
      }
      if (n > 0) ranked.push({ model, n, wrong, all, right: (i) => right[i] as number });
    }
    ranked.sort((a, b) => b.n - a.n || b.all - a.all);
    const labels = new Int32Array(at.length).fill(-1);
    let left = at.length;
    for (const [r, { right }] of ranked.entries()) {
      if (left === 0) break;
      for (const [k, i] of at.entries()) {
        const is = labels[k] === -1 ? right(i) : WRONG;
        if (is === WRONG) continue;
        labels[k] = is === RIGHT ? r : IGNORED;
        left--;
      }
    }
    return { ranked, labels };
  }

  private leaf(at: readonly number[], ranked: readonly Ranked[]): Leaf {
    const none: Leaf = { kind: "leaf", model: undefined, also: undefined };
    const groups = new Set<number>();
    const values = new Set<number>();
    for (const i of at) {
      groups.add(this.grid.groups[i] as number);
      values.add(this.grid.values[i] as number);
    }
    if (groups.size < GROUPS) return none;
    const fitting = ranked.filter(fits);
    const constant = fitting.find(({ model }) => model.kind === "constant");
    const kept = fitting.find(({ model }) => model.kind !== "constant" && model.of === this.own);
    // One value tells nothing of what else it is like, but for what it took the place of.
    if (constant) return { kind: "leaf", model: constant.model, also: kept?.model };
    const [best] = kept ? [kept] : fitting;
    return best && values.size > 1 ? { kind: "leaf", model: best.model, also: undefined } : none;
  }

  private split(at: readonly number[], labels: Int32Array): Split | undefined {
    let best: Split | undefined;
    const consider = (split: Split | undefined) => {
      if (split && split.score > 0 && (!best || split.score > best.score + 1e-9)) best = split;
    };
    for (const name of this.names) {
      const { codes, texts } = this.grid.column(name);
      const known: number[] = [];
      const parts = new Map<number, number[]>();
      for (const [k, i] of at.entries()) {
        const code = codes[i] as number;
        if (code < 0) continue;
        known.push(k);
        const part = parts.get(code);
        if (part) part.push(k);
        else parts.set(code, [k]);
      }
      if (parts.size < 2 || known.length * 2 < at.length) continue;
      const share = known.length / at.length;
      const whole = bits(known, labels);
      const scored = (of: readonly (readonly number[])[]): number =>
        (whole - of.reduce((sum, part) => sum + bits(part, labels), 0)) * share - this.choice - BRANCH * of.length;
      const cases = (of: readonly (readonly number[])[]) => of.map((part) => part.map((k) => at[k] as number));
      const groups = [...parts].sort(([a], [b]) => byText(texts[a] as string, texts[b] as string));
      const counts = groups.length > MAX_NUMBERS && texts.every((text) => numberIn(text) !== undefined);
      if (groups.length <= MAX_VALUES && !counts) {
        const values = groups.map(([code]) => texts[code] as string);
        const of = groups.map(([, part]) => part);
        consider({
          score: scored(of),
          parts: cases(of),
          made: (nodes) => ({
            kind: "choose",
            of: name,
            entries: new Map(nodes.map((node, i) => [values[i] as string, node] as const)),
            rest: undefined,
          }),
        });
        if (groups.length > 2)
          for (const [code, part] of groups) {
            const others = known.filter((k) => codes[at[k] as number] !== code);
            consider({
              score: scored([part, others]),
              parts: cases([part, others]),
              made: ([node, rest]) => ({
                kind: "choose",
                of: name,
                entries: new Map([[texts[code] as string, node as Node]]),
                rest,
              }),
            });
          }
      }
      if (groups.length > 2) for (const split of compared(name, groups, texts, scored, cases)) consider(split);
    }
    return best;
  }
}

/** Splits of a feature of numbers by their size. */
function* compared(
  name: string,
  groups: readonly (readonly [number, readonly number[]])[],
  texts: readonly string[],
  scored: (of: readonly (readonly number[])[]) => number,
  cases: (of: readonly (readonly number[])[]) => number[][],
): Generator<Split> {
  const numbers = groups.map(([code, part]) => ({ number: numberIn(texts[code]), part }));
  if (numbers.some(({ number }) => number === undefined)) return;
  const sorted = numbers
    .map(({ number, part }) => ({ number: number as number, part }))
    .sort((a, b) => a.number - b.number);
  for (let cut = 1; cut < sorted.length; cut++) {
    const of = [sorted.slice(0, cut), sorted.slice(cut)].map((side) => side.flatMap(({ part }) => part));
    const most = ((sorted[cut - 1]?.number as number) + (sorted[cut]?.number as number)) / 2;
    yield {
      score: scored(of),
      parts: cases(of),
      made: ([within, above]) => ({ kind: "compare", of: name, most, within: within as Node, above: above as Node }),
    };
  }
}

/** How much it takes to tell the labels of some cases, in bits. */
function bits(part: readonly number[], labels: Int32Array): number {
  const counts = new Map<number, number>();
  let all = 0;
  for (const k of part) {
    const label = labels[k] as number;
    if (label === IGNORED) continue;
    all++;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  let sum = 0;
  for (const n of counts.values()) sum -= n * Math.log2(n / all);
  return sum;
}

function candidatesOf(cases: readonly Case[], names: readonly string[]): Candidate[] {
  const judged = (model: Model): Candidate => {
    const right = Uint8Array.from(cases, ({ features, value }) => {
      const told = modelled(model, features);
      return told === undefined ? UNKNOWN : told === value ? RIGHT : WRONG;
    });
    return { model, right, all: right.reduce((sum, is) => sum + (is === RIGHT ? 1 : 0), 0) };
  };
  const most = (models: readonly Model[]): Candidate[] =>
    models
      .map(judged)
      .filter(({ all }) => all >= LEAST)
      .sort((a, b) => b.all - a.all)
      .slice(0, MODELS);
  const shifts = most(shiftsOf(cases, names)).filter(({ model, right }) =>
    severalNumbers(model as Increment, right, cases),
  );
  return [...most(names.map((of) => ({ kind: "copy", of }) as const)), ...shifts];
}

function shiftsOf(cases: readonly Case[], names: readonly string[]): Increment[] {
  const steps = names.filter((name) => name.startsWith("args."));
  const found = new Map<string, Increment>();
  for (const { features, value } of cases.slice(0, PROBED))
    for (const name of numberIn(value) === undefined ? [] : names)
      for (const increment of shiftsFrom(value, name, features, steps))
        found.set(`${increment.of}\n${increment.by}\n${increment.sign}`, increment);
  const values = cases.map(({ value }) => value);
  return [...found].sort(([a], [b]) => byText(a, b)).map(([, shift]) => bounded(shift, values));
}

/** A shift of one number only is a constant. */
function severalNumbers({ of }: Increment, right: Uint8Array, cases: readonly Case[]): boolean {
  const numbers = new Set<string | undefined>();
  for (const [i, { features }] of cases.entries()) if (right[i] === RIGHT) numbers.add(features.get(of));
  return numbers.size > 1;
}

import { type Json, type JsonObject, setOwn } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { byText, canon, same } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import type { Facts } from "../expressions/expr.ts";
import type { Effects } from "../simulate.ts";
import { NO_POINTERS, type Pointers } from "./pointed.ts";
import type { RowPath } from "./row-paths.ts";

/** Answers that a pointer has to foretell where the answer before was another one. */
const LEAST = 4;
/** Share of answers under one value of a pointer that are as they were the last time. */
const STEADY = 0.8;
/** A path begins with the name of a folder: a slash further on may be that of a unit (`12 Mbit/s`). */
const PATH = /^\S*\//;

interface Tally {
  /** Answers as the last one under the same value, of those that the answer before does not tell. */
  right: number;
  wrong: number;
  readonly values: Set<string>;
}

/**
 * Cells that point, of those that hold paths (others that merely change with an answer, such as a switch, do not):
 * what a reading without arguments answers is as it was when the cell last held the same value, in the session or in
 * others of its group, though it answered otherwise in between. Where calls may have written there since, nothing is
 * told.
 */
export function findPointers({ steps, timelines, layout, effects }: Learnt): Pointers {
  const cells = new Set(
    timelines.flatMap(({ facts }) =>
      [...facts.values()].flatMap(({ fact, seen }) =>
        fact.table === undefined && seen.some(({ value }) => typeof value === "string" && PATH.test(value))
          ? [fact.name]
          : [],
      ),
    ),
  );
  const names = [...cells].sort(byText);
  const tallies = new Map<string, Map<string, Tally>>();
  const shared = new Map<string, Json>();
  for (const [t, session] of steps.entries()) {
    const group = timelines[t]?.session.group ?? "";
    const last = new Map<string, Json>();
    const own = new Map<string, Json>();
    const written = new Set<string>();
    for (const { call, act, before: facts } of session) {
      if (!call.ok) continue;
      const reads = layout.readers.has(call.tool);
      if (reads && !isBare(call, layout.paths)) continue;
      const previous = last.get(call.tool);
      if (reads) last.set(call.tool, call.value);
      for (const name of names) {
        const at = held(facts, name);
        if (at === undefined) continue;
        if (!reads) {
          // What was written where the cell points may be otherwise from then on; what moves the cell writes nothing there.
          if (!moves(effects.get(act), name)) written.add(`${name}\u001e${at}`);
          continue;
        }
        if (shows(call, at)) continue;
        const of = tallies.get(call.tool) ?? new Map<string, Tally>();
        tallies.set(call.tool, of);
        const tally = of.get(name) ?? { right: 0, wrong: 0, values: new Set<string>() };
        of.set(name, tally);
        const here = `${call.tool}\u001e${name}\u001e${at}`;
        const clean = !written.has(`${name}\u001e${at}`);
        const then = clean ? (own.get(here) ?? shared.get(`${group}\u001e${here}`)) : undefined;
        if (clean) {
          own.set(here, call.value);
          shared.set(`${group}\u001e${here}`, call.value);
        }
        if (then === undefined || (previous !== undefined && same(previous, call.value))) continue;
        if (same(then, call.value)) {
          tally.right++;
          tally.values.add(canon(call.value));
        } else tally.wrong++;
      }
    }
  }
  const paths: RowPath[] = [];
  const taken = new Set(layout.tables.keys());
  for (const [tool, of] of [...tallies].sort(([a], [b]) => byText(a, b))) {
    const [best] = [...of]
      .filter(([, { right, wrong, values }]) => right >= LEAST && values.size > 1 && right >= (right + wrong) * STEADY)
      .sort(([, a], [, b]) => b.right - b.wrong - (a.right - a.wrong));
    if (!best) continue;
    const base = tool.replace(/[^A-Za-z0-9_]+/g, "_");
    const table = taken.has(base) ? `${base}_here` : base;
    paths.push({ tool, path: "$", table, key: { from: "cell", name: best[0] } });
  }
  if (paths.length === 0) return NO_POINTERS;
  const pointing = new Set(paths.flatMap(({ key }) => (key.from === "cell" ? [key.name] : [])));
  const pointed = new Map<Call, JsonObject>();
  for (const { call, before: facts } of steps.flat()) {
    const own: JsonObject = {};
    for (const name of pointing) {
      const at = held(facts, name);
      if (at !== undefined) setOwn(own, name, at);
    }
    pointed.set(call, own);
  }
  return { paths, pointed };
}

function held({ cells }: Facts, name: string): string | undefined {
  const value = cells.get(name);
  return typeof value === "string" ? value : undefined;
}

/** Whether an act sets a cell to something else. */
const moves = (effects: Effects | undefined, name: string): boolean =>
  effects?.changes.some(
    ({ table, name: of, value }) => table === undefined && of === name && !(value.op === "cell" && value.name === name),
  ) === true;

/** Whether a reading was asked nothing, and its answer holds no rows. */
const isBare = ({ tool, args }: Call, places: Learnt["layout"]["paths"]): boolean =>
  !places.has(tool) && Object.values(args).every((value) => value === null || typeof value === "boolean");

/** Whether an answer shows the cell itself, and not what it points at. */
const shows = ({ value }: Call, at: string): boolean =>
  value === at || (typeof value === "object" && value !== null && Object.values(value).includes(at));

import type { Json } from "../../json.ts";
import type { Session } from "../observations.ts";
import { canon, same } from "../values.ts";
import { type Layout, leafId, sightsOf } from "./sights.ts";

/** Leaves that disagree with others of their name where nothing was written in between: they show something else. */
export function findDerived(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  layout: Omit<Layout, "refs">,
  sure: boolean,
): { derived: Set<string>; volatile: Set<string>; own: Map<string, string> } {
  const whole: Layout = { ...layout, refs: new Map() };
  const against = new Map<string, Map<string, { same: number; other: number }>>();
  const kinds = new Map<string, Set<string>>();
  const drift = new Map<string, { same: number; other: number }>();
  const note = (a: string, b: string, equal: boolean): void => {
    for (const [x, y] of [
      [a, b],
      [b, a],
    ] as const) {
      const row = against.get(x) ?? new Map<string, { same: number; other: number }>();
      const count = row.get(y) ?? { same: 0, other: 0 };
      if (equal) count.same++;
      else count.other++;
      against.set(x, row.set(y, count));
    }
  };
  for (const session of sessions) {
    let last = new Map<string, { leaf: string; value: Json }[]>();
    for (const call of session.calls) {
      if (!call.ok) continue;
      if (!readers.has(call.tool)) last = new Map();
      const { cells, rows } = sightsOf(call, whole);
      const facts: [string, string, Json][] = Object.entries(cells).map(([name, value]) => [
        `cell ${name}`,
        leafId(call.tool, "$", name),
        value,
      ]);
      for (const { place, key, columns } of rows)
        for (const [name, value] of Object.entries(columns))
          facts.push([`${place.table} ${key} ${name}`, leafId(call.tool, place.path, name), value]);
      for (const [fact, leaf, value] of facts) {
        kinds.set(leaf, (kinds.get(leaf) ?? new Set()).add(canon(value)));
        const seen = last.get(fact) ?? [];
        for (const other of seen)
          if (other.leaf !== leaf) note(leaf, other.leaf, same(other.value, value));
          else {
            const count = drift.get(leaf) ?? { same: 0, other: 0 };
            if (same(other.value, value)) count.same++;
            else count.other++;
            drift.set(leaf, count);
          }
        last.set(fact, [...seen.filter((other) => other.leaf !== leaf), { leaf, value }]);
      }
    }
  }
  const volatile = new Set(
    [...drift].filter(([, { same: still, other }]) => other >= 2 && other > still * 0.2).map(([leaf]) => leaf),
  );
  const out = new Set<string>(volatile);
  for (;;) {
    let worst: { leaf: string; bad: number } | undefined;
    for (const [leaf, row] of against) {
      if (out.has(leaf)) continue;
      let bad = 0;
      for (const [other, { same: equal, other: unequal }] of row)
        if (!out.has(other) && unequal > 0 && unequal > equal * 0.1) bad += unequal;
      // Of two that disagree, the one that never varies says the least.
      if (bad > 0 && kinds.get(leaf)?.size === 1) bad *= 2;
      if (bad > 0 && (!worst || bad > worst.bad)) worst = { leaf, bad };
    }
    if (!worst) break;
    out.add(worst.leaf);
  }
  const own = new Map<string, string>();
  for (const leaf of out) {
    const [tool, path, ...name] = leaf.split(" ") as [string, string, ...string[]];
    if (
      path !== "$" ||
      volatile.has(leaf) ||
      !readers.has(tool) ||
      layout.places.get(tool)?.some((place) => place.path === "$")
    )
      continue;
    own.set(leaf, `${tool}.${name.join(" ")}`);
    out.delete(leaf);
  }
  if (sure) for (const leaf of unread(sessions, readers, { ...layout, derived: out, own })) out.add(leaf);
  return { derived: out, volatile, own };
}

/** Leaves of writes that no reading shows: what a write says of itself. */
function unread(sessions: readonly Session[], readers: ReadonlySet<string>, layout: Omit<Layout, "refs">): string[] {
  const whole: Layout = { ...layout, refs: new Map() };
  const read = new Set<string>();
  const tables = new Set<string>();
  const written = new Map<string, string>();
  for (const { calls } of sessions)
    for (const call of calls) {
      const { cells, rows } = sightsOf(call, whole);
      const leaves: [string, string][] = Object.keys(cells).map((name) => [
        `cell ${name}`,
        leafId(call.tool, "$", name.startsWith(`${call.tool}.`) ? name.slice(call.tool.length + 1) : name),
      ]);
      for (const { place, columns } of rows) {
        if (readers.has(call.tool)) tables.add(place.table);
        for (const name of Object.keys(columns))
          leaves.push([`${place.table} ${name}`, leafId(call.tool, place.path, name)]);
      }
      for (const [fact, leaf] of leaves)
        if (readers.has(call.tool)) read.add(fact);
        else written.set(leaf, fact);
    }
  return [...written]
    .filter(([, fact]) => !read.has(fact) && (fact.startsWith("cell ") || tables.has(fact.split(" ")[0] as string)))
    .map(([leaf]) => leaf);
}

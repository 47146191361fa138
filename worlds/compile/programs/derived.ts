import { getOwn, type Json } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { canon, isScalar, same } from "../values.ts";
import { arg, argumentPaths } from "./expressions/expr.ts";
import { fitExpression } from "./expressions/fit.ts";
import { type Turns, turnsOf } from "./expressions/switches.ts";
import { type Layout, leafId, observationOf } from "./state/observations.ts";

/** Leaves that disagree with others of their name where nothing was written in between: they show something else. */
export function findDerived(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  layout: Omit<Layout, "refs">,
  sure: boolean,
): Pick<Layout, "derived" | "volatile" | "own" | "echoes" | "sizes"> {
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
  const sizes = new Sizes();
  for (const session of sessions) {
    let last = new Map<string, { leaf: string; value: Json }[]>();
    for (const call of session.calls) {
      if (!call.ok) continue;
      if (!readers.has(call.tool)) last = new Map();
      const { cells, rows } = observationOf(call, whole);
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
          if (other.leaf !== leaf) {
            note(leaf, other.leaf, same(other.value, value));
            sizes.note(leaf, value, other.value);
            sizes.note(other.leaf, other.value, value);
          } else {
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
  const sized = sizes.leaves();
  for (const leaf of sized) out.add(leaf);
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
      layout.paths.get(tool)?.some((place) => place.path === "$")
    )
      continue;
    own.set(leaf, `${tool}.${name.join(" ")}`);
    out.delete(leaf);
  }
  const leaves = { derived: out, volatile, own, sizes: byPath(sized) };
  if (!sure) return { ...leaves, echoes: new Map() };
  for (const [leaf, cell] of findAliases(sessions, readers, { ...layout, derived: out, own })) own.set(leaf, cell);
  const { said, echoes } = unread(sessions, readers, { ...layout, derived: out, own });
  for (const leaf of said) out.add(leaf);
  return { ...leaves, echoes };
}

/** Names of leaves by tool and place. */
function byPath(leaves: readonly string[]): Layout["sizes"] {
  const out = new Map<string, string[]>();
  for (const leaf of leaves) {
    const [tool, path, ...name] = leaf.split(" ");
    const place = `${tool} ${path}`;
    out.set(place, [...(out.get(place) ?? []), name.join(" ")]);
  }
  return out;
}

/** Numbers that say how long a list of the same name elsewhere is (`comments: 2` in a list of tickets). */
class Sizes {
  private readonly counts = new Map<string, { right: number; wrong: number }>();

  note(leaf: string, value: Json, other: Json): void {
    if (typeof value !== "number" || !Array.isArray(other)) return;
    const count = this.counts.get(leaf) ?? { right: 0, wrong: 0 };
    this.counts.set(leaf, count);
    if (other.length === value) count.right++;
    else count.wrong++;
  }

  leaves(): string[] {
    return [...this.counts].flatMap(([leaf, { right, wrong }]) => (right > 0 && wrong === 0 ? [leaf] : []));
  }
}

/** Numbers seen under two names that make them one cell; one is enough where one name holds the other's words. */
const TWINS = 2;
const wordsOf = (name: string): string[] =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());

/** Values in the answers of writes that readings show right after them under another name, and never otherwise. */
function findAliases(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  layout: Omit<Layout, "refs">,
): Map<string, string> {
  const whole: Layout = { ...layout, refs: new Map() };
  const counts = new Map<string, { leaf: string; cell: string; number: boolean; same: Set<string>; other: number }>();
  const read = new Set<string>();
  const leaves = new Set<string>();
  for (const { calls } of sessions) {
    let pending = new Map<string, Json>();
    for (const call of calls) {
      const { cells } = observationOf(call, whole);
      if (!readers.has(call.tool)) {
        if (call.ok) pending = new Map();
        for (const [name, value] of call.ok ? Object.entries(cells) : [])
          if (isScalar(value)) {
            pending.set(leafId(call.tool, "$", name), value);
            leaves.add(leafId(call.tool, "$", name));
          }
        continue;
      }
      for (const [cell, value] of Object.entries(cells)) {
        read.add(cell);
        if (!isScalar(value)) continue;
        for (const [leaf, said] of pending) {
          const id = `${leaf}\u001e${cell}`;
          const number = typeof value === "number";
          const count = counts.get(id) ?? { leaf, cell, number, same: new Set<string>(), other: 0 };
          counts.set(id, count);
          if (same(value, said)) count.same.add(canon(value));
          else count.other++;
        }
      }
    }
  }
  const out = new Map<string, string>();
  for (const { leaf, cell, number, same: values, other } of counts.values()) {
    const name = leaf.split(" ").slice(2).join(" ");
    const named = wordsOf(cell).every((word) => wordsOf(name).includes(word));
    // Words are few: that two things are called alike at times says nothing unless their names agree.
    if (!number && !named) continue;
    const wanted = number && named ? 1 : TWINS;
    if (other === 0 && values.size >= wanted && !read.has(name) && !out.has(leaf)) out.set(leaf, cell);
  }
  // Other writes that tell it under the same name tell the same.
  const named = new Map([...out].map(([leaf, cell]) => [leaf.split(" ").slice(1).join(" "), cell]));
  for (const leaf of leaves) {
    const cell = named.get(leaf.split(" ").slice(1).join(" "));
    if (cell !== undefined) out.set(leaf, cell);
  }
  return out;
}

/** Leaves of writes that no reading shows: what a write says of itself, and cells that it shows or sets. */
function unread(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  layout: Omit<Layout, "refs">,
): { said: readonly string[]; echoes: Layout["echoes"] } {
  const whole: Layout = { ...layout, refs: new Map() };
  const read = new Set<string>();
  const tables = new Set<string>();
  const written = new Map<string, { fact: string; seen: Shown[] }>();
  for (const [session, { calls }] of sessions.entries())
    for (const call of calls) {
      const { cells, rows } = observationOf(call, whole);
      const leaves = Object.entries(cells).map(([name, value]) => {
        const own = name.startsWith(`${call.tool}.`) ? name.slice(call.tool.length + 1) : name;
        return { fact: `cell ${name}`, leaf: leafId(call.tool, "$", own), value };
      });
      for (const { place, columns } of rows) {
        if (readers.has(call.tool)) tables.add(place.table);
        for (const [name, value] of Object.entries(columns))
          leaves.push({ fact: `${place.table} ${name}`, leaf: leafId(call.tool, place.path, name), value });
      }
      for (const { fact, leaf, value } of leaves)
        if (readers.has(call.tool)) read.add(fact);
        else {
          const row = written.get(leaf) ?? { fact, seen: [] };
          written.set(leaf, row);
          row.seen.push({ session, call, value });
        }
    }
  const said: string[] = [];
  const echoes = new Map<string, Turns | undefined>();
  const values = new Map<string, Set<string>>();
  for (const { fact, seen } of written.values())
    for (const { value } of seen) values.set(fact, (values.get(fact) ?? new Set()).add(canon(value)));
  for (const [leaf, { fact, seen }] of written) {
    const cell = fact.startsWith("cell ");
    const name = fact.slice("cell ".length);
    const echo = `${leaf.split(" ")[0]} ${name}`;
    const turns = cell ? turnsOfLeaf(leaf, seen) : undefined;
    if (turns) echoes.set(echo, turns);
    if (turns || read.has(fact) || !(cell || tables.has(fact.split(" ")[0] as string))) continue;
    const given = cell && isGiven(name, seen);
    if (given && isState(name, seen, values.get(fact)?.size ?? 0)) echoes.set(echo, undefined);
    else if (given || !cell || !stays(seen)) said.push(leaf);
  }
  return { said, echoes };
}

/** One leaf of one answer. */
interface Shown {
  readonly session: number;
  readonly call: Call;
  readonly value: Json;
}

/** The values of a leaf that each call of its tool switches. */
const turnsOfLeaf = (leaf: string, seen: readonly Shown[]): Turns | undefined =>
  turnsOf(leaf.split(" ")[0] as string, Map.groupBy(seen, ({ session }) => session).values());

/** Names that say of nothing in particular how it is. */
const PLAIN =
  /^(?:status|state|result|results|success|ok|done|message|msg|info|note|detail|details|response|value|type|code)$/i;
/** Names that say what a call is about. */
const KEY = /(?:^|[_\-.])(?:id|uuid|key|name)$|[a-z](?:Id|ID|Uuid|Key|Name)$/;
/** Names of tools whose arguments are how something is from then on. */
const SETS = /(?:^|[./:])(?:set|adjust|change|configure|switch|turn)(?![a-z])/;
/** A text of so many words is a message. */
const WORDS = 3;
/** Share of answers that what a call was given has to tell. */
const TOLD = 0.9;

/** Whether what a call was given tells a leaf of its answer. */
function isGiven(name: string, seen: readonly Shown[]): boolean {
  if (new Set(seen.map(({ session }) => session)).size < 2) return false;
  const facts = { cells: new Map(), tables: new Map() };
  const examples = seen.map(({ session, call, value }) => ({
    env: { args: call.args, facts },
    target: value,
    session,
  }));
  const terms = argumentPaths(seen.map(({ call }) => call)).map((path) => arg(...path));
  const found = fitExpression(examples, terms, undefined, 2, name);
  return found !== undefined && found.wrong === 0 && found.right >= examples.length * TOLD;
}

/** Whether a leaf that a write tells says how something is now: no message, no key, and no flag of having succeeded. */
function isState(name: string, seen: readonly Shown[], values: number): boolean {
  if (PLAIN.test(name) || KEY.test(name)) return false;
  // An argument that is said again under its own name is what was asked for, but for tools that set things.
  const again = seen.every(({ call, value }) => same(getOwn(call.args, name) ?? null, value));
  if (again && !seen.every(({ call }) => SETS.test(call.tool))) return false;
  if (values === 1 && (typeof seen[0]?.value === "boolean" || seen[0]?.value === null)) return false;
  return seen.every(
    ({ value, call }) =>
      value === null ||
      typeof value === "boolean" ||
      typeof value === "number" ||
      (typeof value === "string" &&
        (value.split(/\s+/).length < WORDS || Object.values(call.args).some((given) => same(given as Json, value)))),
  );
}

/** Whether a leaf is shown again as it was, whatever was done in between: it is there without the call. */
function stays(seen: readonly Shown[]): boolean {
  const last = new Map<number, Json>();
  let again = 0;
  for (const { session, value } of seen) {
    const before = last.get(session);
    if (before !== undefined && !same(before, value)) return false;
    if (before !== undefined) again++;
    last.set(session, value);
  }
  return again >= 2;
}

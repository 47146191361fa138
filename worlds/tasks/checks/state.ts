import { KEY_SEPARATOR } from "../../state/keys.ts";
import type { AllowedChange, FinishedTrial } from "../schema.ts";
import { at, changedPaths, sameBag, sameData, splitPath } from "./data.ts";
import { type Judgement, met, notMet } from "./judgement.ts";

/** What a trial made of a row: `before` is absent where it is new, `after` where it is gone. */
export type Change = FinishedTrial["diff"][number];

/** A row's change as one of the three kinds. */
export function opOf(change: Change): AllowedChange["op"] {
  if (change.before === undefined) return "insert";
  return change.after === undefined ? "delete" : "update";
}

function covers(path: string, prefix: string): boolean {
  if (path === prefix || prefix === "") return true;
  return path.startsWith(prefix) && (path[prefix.length] === "." || path[prefix.length] === "[");
}

/** Lists of the row that changed together: where two of one length did, their order pairs them and is held. */
function pairs(change: Change): boolean {
  const lengths = Object.entries(change.after ?? {})
    .filter(([key, value]) => Array.isArray(value) && value.length > 1 && !sameData(value, change.before?.[key]))
    .map(([, value]) => (value as unknown[]).length);
  return new Set(lengths).size < lengths.length;
}

/** The value each field must end with; undefined for one that is taken away. */
function wanted({ fields, gone }: AllowedChange): Readonly<Record<string, unknown>> {
  return gone === undefined ? fields : { ...fields, ...Object.fromEntries(gone.map((path) => [path, undefined])) };
}

/** Whether two changes of rows end alike, lists in any order unless it pairs them with another list of the row. */
export function sameEnd(change: Change, other: Change): boolean {
  const same = pairs(change) || pairs(other) ? sameData : sameBag;
  const [one, two] = [change.after, other.after];
  if (one === undefined || two === undefined) return one === two;
  const keys = new Set([...Object.keys(one), ...Object.keys(two)]);
  return [...keys].every((key) => same(one[key], two[key]));
}

/** The first field in which a change is not the allowed one; undefined when it is. */
export function misfit(change: Change, allowed: AllowedChange): string | undefined {
  const same = pairs(change) ? sameData : sameBag;
  const fields = wanted(allowed);
  for (const [path, value] of Object.entries(fields)) {
    if (allowed.required && change.after !== undefined && !same(value, at(change.after, path))) {
      const inner = changedPaths(value, at(change.after, path), path).filter(
        (p) => !allowed.any.some((free) => covers(p, free)),
      );
      if (inner.length > 0) return inner[0];
    }
  }
  for (const path of changedPaths(change.before ?? {}, change.after ?? {})) {
    if (change.after === undefined) break;
    if (allowed.any.some((free) => covers(path, free))) continue;
    const owner = Object.keys(fields)
      .filter((field) => covers(path, field) || covers(field, path))
      .sort((a, b) => b.length - a.length)[0];
    if (owner === undefined) return path;
    const value = at(change.after, owner);
    if (same(fields[owner], value)) continue;
    const inner = changedPaths(fields[owner], value, owner).filter((p) => !allowed.any.some((free) => covers(p, free)));
    if (inner.length > 0) return inner[0];
  }
  return undefined;
}

/** Whether a field's value is a row's key, or one of its parts. */
export function holdsKey(value: unknown, key: string | undefined): boolean {
  return (
    (typeof value === "string" || typeof value === "number") && key?.split(KEY_SEPARATOR).includes(`${value}`) === true
  );
}

/** The first link of the placed changes that does not hold the key of the row that it must. */
function broken(placed: ReadonlyMap<AllowedChange, Change>): Judgement | undefined {
  const named = new Map([...placed].flatMap(([{ as }, change]) => (as === undefined ? [] : [[as, change]])));
  for (const [{ links = {} }, change] of placed) {
    for (const [path, as] of Object.entries(links)) {
      if (holdsKey(at(change.after, path), named.get(as)?.key)) continue;
      return notMet(`${name(change)} field ${JSON.stringify(path)} does not name the new row that the task requires`);
    }
  }
  return undefined;
}

function name(change: Pick<Change, "table" | "key">): string {
  return `${JSON.stringify(change.table)} row ${JSON.stringify(change.key)}`;
}

/**
 * The whole final difference lies within what one of the accepted ones allows and holds what it requires. Names
 * table, row and field where it does not, by the one that comes nearest.
 */
export function stateWithin(
  changes: readonly AllowedChange[],
  diff: readonly Change[],
  alternatives: readonly (readonly AllowedChange[])[] = [],
): Judgement {
  const judged = [changes, ...alternatives].map((allowed) => within(allowed, diff));
  const fit = judged.find(({ verdict }) => verdict === "met");
  if (fit) return fit;
  const nearest = judged.reduce((a, b) => (b.placed > a.placed ? b : a));
  const others = alternatives.length === 0 ? "" : `; nor is it one of the ${alternatives.length} other accepted ends`;
  const { missing } = nearest;
  return { ...notMet(`${nearest.reason}${others}`), ...(missing && { missing }) };
}

/** One accepted difference held against a trial's; `placed` counts the changes that fit before one did not. */
function within(allowed: readonly AllowedChange[], diff: readonly Change[]): Judgement & { readonly placed: number } {
  const open = new Set(allowed);
  const judged = place(open, diff);
  return { ...judged, placed: allowed.length - open.size };
}

function place(open: Set<AllowedChange>, diff: readonly Change[]): Judgement {
  const rest: Change[] = [];
  const placed = new Map<AllowedChange, Change>();
  const put = (allowed: AllowedChange, change: Change) => {
    open.delete(allowed);
    placed.set(allowed, change);
  };
  for (const change of diff) {
    const exact = [...open].find(
      (a) =>
        a.table === change.table && a.key === change.key && a.op === opOf(change) && misfit(change, a) === undefined,
    );
    if (exact) put(exact, change);
    else rest.push(change);
  }
  for (const change of rest) {
    const op = opOf(change);
    const candidates = [...open].filter(
      (a) => a.table === change.table && a.op === op && (a.key === undefined || a.key === change.key),
    );
    const fit = candidates.find((a) => misfit(change, a) === undefined);
    if (fit) {
      put(fit, change);
      continue;
    }
    const [first] = candidates;
    if (!first)
      return notMet(
        `${name(change)} was ${op === "insert" ? "added" : op === "delete" ? "removed" : `changed in ${changedPaths(change.before ?? {}, change.after ?? {})[0] ?? "a field"}`}, which the task does not allow`,
      );
    const field = misfit(change, first) ?? "a field";
    return notMet(
      `${name(change)} field ${JSON.stringify(splitPath(field).join("."))} does not end with the value that the task requires`,
    );
  }
  const missing = [...open].find((a) => a.required);
  if (missing) {
    const { table, key, op } = missing;
    const row = key === undefined ? `a row of ${JSON.stringify(table)}` : name({ table, key });
    return {
      ...notMet(`${row} should have had its ${op}, and did not`),
      missing: { table, ...(key !== undefined && { key }), op },
    };
  }
  return (
    broken(placed) ??
    met(
      diff.length === 0
        ? "nothing changed, and nothing had to"
        : "the final difference is what the task requires, and no more",
    )
  );
}

/** The world ends as it was drawn. */
export function stateUnchanged(diff: readonly Change[]): Judgement {
  const [first] = diff;
  if (!first) return met("nothing changed");
  const field = changedPaths(first.before ?? {}, first.after ?? {})[0];
  return notMet(
    `${name(first)} ${field && opOf(first) === "update" ? `field ${JSON.stringify(field)} ` : ""}was changed, and nothing may change`,
  );
}

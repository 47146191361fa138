import { at, changedPaths, sameBag, splitPath } from "../checks/data.ts";
import { type Change, misfit, opOf } from "../checks/state.ts";
import type { AllowedChange } from "../schema.ts";

/** One way in which a trial ended otherwise than a rewarded run: in one column of a row, or in whether a row came or went. */
export interface Deviation {
  readonly table: string;
  readonly key: string | undefined;
  /** The column that differs; undefined where a row was added or removed by one of the two alone. */
  readonly column: string | undefined;
  /** Whether the row is one that the rewarded run changed too. */
  readonly touched: boolean;
  /** The place that differs in the column, or the column itself. */
  readonly path: string | undefined;
  /** What the two ended with; undefined where it has none. */
  readonly wanted: unknown;
  readonly actual: unknown;
}

/** The column of a row that a path lies in. */
export const columnOf = (path: string): string => splitPath(path)[0] ?? path;

/**
 * In what a trial's final difference is not the one that a rewarded run left; nothing where it is the same. Rows are
 * paired by key, new ones by what they hold.
 */
export function deviations(end: readonly AllowedChange[], diff: readonly Change[]): Deviation[] {
  const left = [...diff];
  const pairs = new Map<AllowedChange, Change>();
  const pair = (rank: (allowed: AllowedChange, change: Change) => number | undefined) => {
    for (const allowed of end) {
      if (pairs.has(allowed)) continue;
      const ranked = left
        .filter((change) => change.table === allowed.table && opOf(change) === allowed.op)
        .flatMap((change) => {
          const n = rank(allowed, change);
          return n === undefined ? [] : [{ change, n }];
        });
      const best = ranked.sort((a, b) => a.n - b.n)[0];
      if (!best) continue;
      pairs.set(allowed, best.change);
      left.splice(left.indexOf(best.change), 1);
    }
  };
  pair((allowed, change) => (allowed.key === change.key && misfit(change, allowed) === undefined ? 0 : undefined));
  pair((allowed, change) => (allowed.key === undefined && misfit(change, allowed) === undefined ? 0 : undefined));
  pair((allowed, change) => (allowed.key === change.key ? 0 : undefined));
  pair((allowed, change) =>
    allowed.op === "insert" && allowed.key === undefined ? otherPaths(allowed, change).length : undefined,
  );
  return [
    ...end.flatMap((allowed) => {
      const change = pairs.get(allowed);
      return change ? inColumns(allowed, change) : missing(allowed);
    }),
    ...left.flatMap((change) => extra(change, end)),
  ];
}

/** The paths in which a change of the same row, or of a new one, is not the allowed one. */
function otherPaths(allowed: AllowedChange, { before, after }: Change): string[] {
  if (after === undefined) return [];
  const asked = [...Object.keys(allowed.fields), ...(allowed.gone ?? [])];
  const others = changedPaths(before ?? {}, after).filter((path) => !asked.some((own) => within(path, own)));
  return [...asked.filter((path) => !sameBag(allowed.fields[path], at(after, path))), ...others].filter(
    (path) => !allowed.any.some((free) => within(path, free)),
  );
}

/** Whether a path is another one, or lies in it. */
const within = (path: string, outer: string): boolean =>
  splitPath(outer).every((part, i) => splitPath(path)[i] === part);

function inColumns(allowed: AllowedChange, change: Change): Deviation[] {
  if (misfit(change, allowed) === undefined) return [];
  const paths = otherPaths(allowed, change);
  const row = { table: change.table, key: allowed.key, touched: true };
  // Links and the order of paired lists are no column's own.
  if (paths.length === 0) return [{ ...row, path: undefined, column: undefined, wanted: undefined, actual: undefined }];
  return paths.map((path) => ({
    ...row,
    path,
    column: columnOf(path),
    wanted: path in allowed.fields ? allowed.fields[path] : at(change.before, path),
    actual: at(change.after, path),
  }));
}

/** A change that the trial did not make: of a row that stays, each column of it. */
function missing({ table, key, op, fields, gone, any }: AllowedChange): Deviation[] {
  const row = { table, key, touched: true, actual: undefined };
  if (op !== "update") return [{ ...row, path: undefined, column: undefined, wanted: op }];
  const paths = [...new Set([...Object.keys(fields), ...(gone ?? []), ...any])];
  return paths.map((path) => ({ ...row, path, column: columnOf(path), wanted: fields[path] }));
}

/** A change that only the trial made. */
function extra(change: Change, end: readonly AllowedChange[]): Deviation[] {
  const { table, key, before, after } = change;
  const row = { table, key, touched: end.some((allowed) => allowed.table === table && allowed.key === key) };
  const op = opOf(change);
  if (op !== "update") return [{ ...row, path: undefined, column: undefined, wanted: undefined, actual: op }];
  return changedPaths(before ?? {}, after ?? {}).map((path) => ({
    ...row,
    path,
    column: columnOf(path),
    wanted: at(before, path),
    actual: at(after, path),
  }));
}

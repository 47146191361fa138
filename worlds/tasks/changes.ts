import type { Bundle } from "../bundle.ts";
import { MADE, RUN, TIE, UNLISTED } from "../compile/programs/records/tables.ts";
import { at, changedPaths, joinPath, sameData, splitPath } from "./checks/data.ts";
import { type Change, holdsKey, misfit, opOf } from "./checks/state.ts";
import type { AllowedChange, FinishedTrial } from "./schema.ts";

/**
 * What a final difference requires of others, net of what differs between them: `one` and each of `others` are the
 * differences that the same calls left under another seed, or in another order. Generated keys and values are left
 * free; a field that holds the generated key of an added row is linked to it. In a stable order.
 */
export function requiredOf(one: readonly Change[], ...others: readonly (readonly Change[])[]): AllowedChange[] {
  const pairs = others.map((other) => {
    const left = [...other];
    return one.map((change) => takeMatch(change, left));
  });
  const names = new Map<string, string>();
  const required = one.map((change, i) => {
    const twins = pairs.map((twinsOf) => twinsOf[i]);
    const free = twins.flatMap((twin) => (twin ? changedPaths(change.after ?? {}, twin.after ?? {}) : []));
    const op = opOf(change);
    const fields: Record<string, unknown> = {};
    const any = [...new Set(free)];
    const paths =
      op === "insert"
        ? Object.keys(change.after ?? {}).map((key) => joinPath("", key))
        : op === "delete"
          ? []
          : [...new Set(changedPaths(change.before ?? {}, change.after ?? {}).map((p) => p.replace(/\[.*$/s, "")))];
    const held = paths.filter((path) => !any.includes(path));
    const gone = held.filter((path) => at(change.after, path) === undefined);
    for (const path of held) if (!gone.includes(path)) fields[path] = at(change.after, path);
    const allowed: AllowedChange = {
      table: change.table,
      op,
      fields,
      ...(gone.length > 0 ? { gone } : {}),
      any,
      required: true,
      ...(twins.every((twin) => twin?.key === change.key) ? { key: change.key } : {}),
    };
    const links = linksOf({ one, pairs, names }, i, any);
    const whole = links ? { ...allowed, links } : allowed;
    return misfit(change, whole) === undefined
      ? whole
      : { ...allowed, any: [...any, ...changedPaths(change.before ?? {}, change.after ?? {})] };
  });
  const named = required.map((allowed, i) => {
    const as = names.get(nameOf(one[i] as Change));
    return as === undefined ? allowed : { ...allowed, as };
  });
  return named.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const OWN = new Set([MADE, UNLISTED, TIE, RUN]);

/** The changes with the compiler's own columns left free (such as row order): names that no model of the table knows. */
export function ownFree(bundle: Pick<Bundle, "tables">, changes: readonly AllowedChange[]): AllowedChange[] {
  return changes.map((change) => freed(change, (column) => OWN.has(column) && !isKnown(bundle, change, column)));
}

/** Whether the model of a change's table has a column; also where the table has no model. */
export function isKnown({ tables }: Pick<Bundle, "tables">, { table }: AllowedChange, column: string): boolean {
  return tables.find(({ name }) => name === table)?.columns.some(({ name }) => name === column) ?? true;
}

/** A change with some columns left free. */
export function freed(change: AllowedChange, isFree: (column: string) => boolean): AllowedChange {
  const open = (path: string) => isFree(splitPath(path)[0] ?? "");
  const own = [...Object.keys(change.fields), ...(change.gone ?? [])].filter(open);
  if (own.length === 0) return change;
  const { gone: _gone, ...rest } = change;
  const gone = change.gone?.filter((path) => !open(path)) ?? [];
  const fields = Object.fromEntries(Object.entries(change.fields).filter(([path]) => !open(path)));
  return { ...rest, fields, ...(gone.length > 0 ? { gone } : {}), any: [...new Set([...change.any, ...own])] };
}

const nameOf = ({ table, key }: Change): string => `${table}\n${key}`;

interface Compared {
  readonly one: readonly Change[];
  /** For each other difference, what stands there in the place of each change of `one`. */
  readonly pairs: readonly (readonly (Change | undefined)[])[];
  /** What linked rows are called, by table and key. */
  readonly names: Map<string, string>;
}

/** The free fields of a change that hold in every difference the key of a row which the same calls added: they are free no more. */
function linksOf({ one, pairs, names }: Compared, index: number, any: readonly string[]): AllowedChange["links"] {
  const links: [string, string][] = [];
  for (const path of any) {
    const made = one.find(
      (other, k) =>
        k !== index &&
        opOf(other) === "insert" &&
        holdsKey(at(one[index]?.after, path), other.key) &&
        pairs.every((twins) => holdsKey(at(twins[index]?.after, path), twins[k]?.key)),
    );
    if (!made) continue;
    const name = names.get(nameOf(made)) ?? `${made.table} ${names.size + 1}`;
    names.set(nameOf(made), name);
    links.push([path, name]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** How unlike two added rows are: their own keys count for nothing, and figures for little, since they may be counters. */
function unlikeness(one: Change, two: Change): number {
  const paths = changedPaths(one.after ?? {}, two.after ?? {});
  const weights = paths.map((path) => {
    const [a, b] = [at(one.after, path), at(two.after, path)];
    if (holdsKey(a, one.key) && holdsKey(b, two.key)) return 0;
    return typeof a === "number" && typeof b === "number" ? 0.3 : 1;
  });
  return weights.reduce((sum, weight) => sum + weight, one.key === two.key ? 0 : 0.5);
}

/** The change that another seed made in a change's place: the same row, else the inserted one that differs least. */
function takeMatch(change: Change, left: Change[]): Change | undefined {
  const rank = (other: Change) =>
    other.table !== change.table || opOf(other) !== opOf(change)
      ? Number.POSITIVE_INFINITY
      : opOf(change) === "insert"
        ? unlikeness(change, other)
        : other.key === change.key
          ? -1
          : changedPaths(change.after ?? {}, other.after ?? {}).length;
  const best = left.reduce<Change | undefined>((a, b) => (a === undefined || rank(b) < rank(a) ? b : a), undefined);
  if (best === undefined || rank(best) === Number.POSITIVE_INFINITY) return undefined;
  left.splice(left.indexOf(best), 1);
  return best;
}

/**
 * Changes without fields that end in the opposite of what the call that set them last was told, such as "locked" by
 * `unlock: true`: the world is wrong there, and nobody has to leave it so.
 */
export function freeOpposites(
  changes: readonly AllowedChange[],
  calls: readonly Pick<FinishedTrial["calls"][number], "args" | "changes">[],
): AllowedChange[] {
  const setBy = (table: string, key: string | undefined, path: string) =>
    calls.findLast(({ changes = [] }) =>
      changes.some(
        (one) => one.table === table && one.key === key && !sameData(at(one.before, path), at(one.after, path)),
      ),
    );
  return changes.map((change) => {
    const wrong = Object.keys(change.fields).filter((path) =>
      isOpposite(change.fields[path], setBy(change.table, change.key, path)?.args ?? {}),
    );
    if (wrong.length === 0) return change;
    const fields = Object.entries(change.fields).filter(([path]) => !wrong.includes(path));
    return { ...change, fields: Object.fromEntries(fields), any: [...change.any, ...wrong] };
  });
}

/** Whether arguments tell a call to undo what a value says. */
function isOpposite(value: unknown, args: Readonly<Record<string, unknown>>): boolean {
  const told = Object.keys(args).filter((name) => args[name] === true && /^un\w{3}/.test(name));
  return typeof value === "string" && told.some((name) => `un${value}`.startsWith(name));
}

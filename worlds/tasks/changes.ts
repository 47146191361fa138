import { at, changedPaths, joinPath } from "./checks/data.ts";
import { type Change, holdsKey, misfit, opOf } from "./checks/state.ts";
import type { AllowedChange } from "./schema.ts";

/**
 * What a final difference requires of another, net of what differs between two seeds: `one` and `two` are the
 * differences that the same calls left under two seeds. Generated keys and values are left free. In a stable order.
 */
export function requiredOf(one: readonly Change[], two: readonly Change[]): AllowedChange[] {
  const left = [...two];
  const twins = one.map((change) => takeTwin(change, left));
  const names = new Map<string, string>();
  const required = one.map((change, i) => {
    const twin = twins[i];
    const op = opOf(change);
    const fields: Record<string, unknown> = {};
    const any = twin ? changedPaths(change.after ?? {}, twin.after ?? {}) : [];
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
      ...(twin?.key === change.key ? { key: change.key } : {}),
    };
    const links = twin && linksOf(change, twin, any, one, twins, names);
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

const nameOf = ({ table, key }: Change): string => `${table}\n${key}`;

/** The free fields that hold, under either seed, the key of a row which the same calls added: they are free no more. */
function linksOf(
  change: Change,
  twin: Change,
  any: readonly string[],
  all: readonly Change[],
  twins: readonly (Change | undefined)[],
  names: Map<string, string>,
): AllowedChange["links"] {
  const links: [string, string][] = [];
  for (const path of any) {
    const i = all.findIndex(
      (other, k) =>
        other !== change &&
        opOf(other) === "insert" &&
        holdsKey(at(change.after, path), other.key) &&
        holdsKey(at(twin.after, path), twins[k]?.key),
    );
    const made = all[i];
    if (!made) continue;
    const name = names.get(nameOf(made)) ?? `${made.table} ${names.size + 1}`;
    names.set(nameOf(made), name);
    links.push([path, name]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** The change that another seed made in a change's place: the same row, else the inserted one that differs least. */
function takeTwin(change: Change, left: Change[]): Change | undefined {
  const rank = (other: Change) =>
    other.table !== change.table || opOf(other) !== opOf(change)
      ? Number.POSITIVE_INFINITY
      : other.key === change.key
        ? -1
        : changedPaths(change.after ?? {}, other.after ?? {}).length;
  const best = left.reduce<Change | undefined>((a, b) => (a === undefined || rank(b) < rank(a) ? b : a), undefined);
  if (best === undefined || rank(best) === Number.POSITIVE_INFINITY) return undefined;
  left.splice(left.indexOf(best), 1);
  return best;
}

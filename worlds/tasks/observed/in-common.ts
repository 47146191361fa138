import { sameData } from "../checks/data.ts";
import type { AllowedChange } from "../schema.ts";

/** What all ends have in common is required, what they differ in is free, and so are rows that only some of them changed. */
export function inCommon(ends: readonly (readonly AllowedChange[])[]): AllowedChange[] {
  const [first = [], ...others] = ends;
  const left = others.map((changes) => [...changes]);
  const take = (changes: AllowedChange[], like: AllowedChange) => {
    const twins = changes.filter((c) => c.table === like.table && c.op === like.op && c.key === like.key);
    const alike = ({ fields }: AllowedChange) =>
      Object.entries(like.fields).filter(([path, value]) => path in fields && sameData(fields[path], value)).length;
    const [twin] = twins.toSorted((a, b) => alike(b) - alike(a));
    if (twin !== undefined) changes.splice(changes.indexOf(twin), 1);
    return twin;
  };
  const agreed = first.map((change) => {
    const twins = left.map((changes) => take(changes, change));
    if (twins.includes(undefined)) return free(change);
    return (twins as AllowedChange[]).reduce(agreement, change);
  });
  return linkedAlike([...agreed, ...left.flat().map(free)], ends);
}

/** Changes with the links that every end has; one that ends do not share says nothing of which row is meant. */
function linkedAlike(changes: readonly AllowedChange[], ends: readonly (readonly AllowedChange[])[]): AllowedChange[] {
  const [first, ...others] = ends.map((end) => end.flatMap(({ links, as }) => (links || as ? [{ links, as }] : [])));
  if (others.every((other) => sameData(other, first)) && changes.every(({ required }) => required)) return [...changes];
  return changes.map(({ links, as: _as, ...change }) => ({
    ...change,
    any: [...change.any, ...Object.keys(links ?? {})],
  }));
}

const free = (change: AllowedChange): AllowedChange => ({
  table: change.table,
  op: change.op,
  ...(change.key === undefined ? {} : { key: change.key }),
  fields: {},
  any: [""],
  required: false,
});

function agreement(one: AllowedChange, two: AllowedChange): AllowedChange {
  const paths = [...new Set([...Object.keys(one.fields), ...Object.keys(two.fields)])];
  const same = paths.filter((path) => path in one.fields && sameData(one.fields[path], two.fields[path]));
  const gone = (one.gone ?? []).filter((path) => two.gone?.includes(path));
  const differ = [...paths, ...(one.gone ?? []), ...(two.gone ?? [])].filter(
    (path) => !same.includes(path) && !gone.includes(path),
  );
  return {
    ...one,
    fields: Object.fromEntries(same.map((path) => [path, one.fields[path]])),
    ...(gone.length > 0 ? { gone } : {}),
    any: [...new Set([...one.any, ...two.any, ...differ])],
  };
}

/** Equal as JSON data; numbers to a millionth, and the order of keys is free. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= 1e-6;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameData(item, b[i]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameData(left[key], right[key]))
  );
}

/** Equal as data, lists taken as bags at every level. */
export function sameBag(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    const left = [...b];
    return a.every((item) => {
      const at = left.findIndex((other) => sameBag(item, other));
      if (at < 0) return false;
      left.splice(at, 1);
      return true;
    });
  }
  return sameData(a, b);
}

/** The value at a dotted path with `[i]` for list elements; undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const part of splitPath(path)) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Array.isArray(here)
      ? here[Number(part)]
      : Object.hasOwn(here, part)
        ? (here as Record<string, unknown>)[part]
        : undefined;
  }
  return here;
}

/** A path's parts; a part with dots or brackets stands as `["…"]`. */
export function splitPath(path: string): string[] {
  const parts: string[] = [];
  for (const match of path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)) {
    parts.push(match[1] !== undefined ? (JSON.parse(`"${match[1]}"`) as string) : (match[2] ?? match[3] ?? ""));
  }
  return parts;
}

/** A path with one more part. */
export function joinPath(path: string, part: string | number): string {
  if (typeof part === "number") return `${path}[${part}]`;
  if (!/^[^.[\]"]+$/.test(part)) return `${path}[${JSON.stringify(part)}]`;
  return path === "" ? part : `${path}.${part}`;
}

/** The paths of the smallest parts in which two values differ; lists of unequal length differ as a whole. */
export function changedPaths(before: unknown, after: unknown, path = ""): string[] {
  if (sameData(before, after)) return [];
  const object = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);
  if (object(before) && object(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changedPaths(before[key], after[key], joinPath(path, key)));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, i) => changedPaths(item, after[i], joinPath(path, i)));
  }
  return [path];
}

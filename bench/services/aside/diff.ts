/** Texts by path. */
export type Tree = Readonly<Record<string, string>>;

/** The tree with another text at a path, or without that path. */
export function put(tree: Tree, path: string, text: string | undefined): Tree {
  const others = Object.fromEntries(Object.entries(tree).filter(([key]) => key !== path));
  return text === undefined ? others : { ...others, [path]: text };
}

/** What became of each path that differs, in order. */
export const changed = (before: Tree, after: Tree) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((path) => {
    if (before[path] === after[path]) return [];
    const kind = before[path] === undefined ? "new file" : after[path] === undefined ? "deleted" : "modified";
    return [[kind, path] as const];
  });

/** A unified diff of one file: a single hunk around the lines that differ. */
export function diffOf(path: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [before, after].map((text) => (text === undefined ? [] : text.replace(/\n$/, "").split("\n"))) as [
    string[],
    string[],
  ];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - 3);
  const more = Math.min(3, tail);
  const span = (list: readonly string[]) => {
    const length = list.length - tail + more - from;
    return `${length === 0 ? from : from + 1}${length === 1 ? "" : `,${length}`}`;
  };
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...now.slice(now.length - tail, now.length - tail + more).map((line) => ` ${line}`),
  ];
  const names = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${after === undefined ? "/dev/null" : `b/${path}`}`;
  return [`diff --git a/${path} b/${path}`, names, `@@ -${span(old)} +${span(now)} @@`, ...lines].join("\n");
}
/** The diffs of all files that differ. */
export const diffs = (before: Tree, after: Tree) =>
  changed(before, after)
    .map(([, path]) => diffOf(path, before[path], after[path]))
    .join("\n");

/** How many files and lines differ. */
export const statistics = (before: Tree, after: Tree) => {
  const files = changed(before, after);
  const text = diffs(before, after).split("\n");
  const lines = (sign: string) => text.filter((one) => one.startsWith(sign) && !one.startsWith(sign.repeat(3))).length;
  const part = (n: number, noun: string, sign: string) =>
    n === 0 ? "" : `, ${n} ${noun}${n === 1 ? "" : "s"}(${sign})`;
  return ` ${files.length} file${files.length === 1 ? "" : "s"} changed${part(lines("+"), "insertion", "+")}${part(lines("-"), "deletion", "-")}`;
};

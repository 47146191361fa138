import { type Json, type JsonObject, setOwn } from "../../json.ts";
import { entryOf, sortOrder } from "../frame.ts";
import { pattern } from "../pattern.ts";
import { list, map, number, text, toText, whole } from "./casts.ts";
import type { Callable } from "./functions.ts";
import { distinct, extreme, flatten, indexIn, sizeOf } from "./lists.ts";
import { add } from "./numbers.ts";

const search = (test: (subject: string, wanted: string) => boolean): Callable => ({
  args: [2, 2],
  run: (frame, [subject, wanted]) => {
    if (subject === null || subject === undefined || wanted === null || wanted === undefined) return false;
    const within = text(subject, "a text search");
    frame.charge(within.length >> 6);
    return test(within, text(wanted, "a text search"));
  },
});
const change = (run: (subject: string) => string): Callable => ({
  args: [1, 1],
  run: (frame, [subject]) => frame.text(run(text(subject, "a text function"))),
});

/** Functions called on a value, which comes as their first argument: `x.contains("a")`. Macros are compiled by expression.ts. */
export const METHODS: Readonly<Record<string, Callable>> = {
  size: { args: [1, 1], run: (frame, [value]) => sizeOf(frame, value) },
  contains: search((subject, wanted) => subject.includes(wanted)),
  startsWith: search((subject, wanted) => subject.startsWith(wanted)),
  endsWith: search((subject, wanted) => subject.endsWith(wanted)),
  matches: {
    args: [2, 2],
    run: (frame, [subject, source]) => {
      if (subject === null || subject === undefined) return false;
      const within = text(subject, "matches");
      frame.charge(within.length);
      return pattern(text(source, "matches")).matcher(within).find();
    },
  },
  lowerAscii: change((subject) => subject.replace(/[A-Z]+/g, (run) => run.toLowerCase())),
  upperAscii: change((subject) => subject.replace(/[a-z]+/g, (run) => run.toUpperCase())),
  lower: change((subject) => subject.toLowerCase()),
  upper: change((subject) => subject.toUpperCase()),
  trim: change((subject) => subject.trim()),
  replace: {
    args: [3, 3],
    run: (frame, [subject, wanted, by]) => {
      const [within, old] = [text(subject, "replace"), text(wanted, "replace")];
      const parts = within.split(old);
      frame.charge(parts.length * (1 + (text(by, "replace").length >> 6)));
      return frame.text(parts.join(text(by, "replace")));
    },
  },
  split: {
    args: [2, 2],
    run: (frame, [subject, mark]) => frame.list(text(subject, "split").split(text(mark, "split"))),
  },
  substring: {
    args: [2, 3],
    run: (frame, [subject, from, to]) => {
      const chars = [...frame.text(text(subject, "substring"))];
      frame.charge(chars.length >> 4);
      return chars.slice(whole(from, "substring"), to === undefined ? undefined : whole(to, "substring")).join("");
    },
  },
  indexOf: {
    args: [2, 2],
    unknown: "whole",
    run: (frame, [subject, wanted]) =>
      typeof subject === "string"
        ? subject.indexOf(text(wanted, "indexOf"))
        : indexIn(frame, list(subject, "indexOf"), wanted),
  },
  sum: {
    args: [1, 1],
    unknown: "whole",
    run: (frame, [values]) => {
      const numbers = list(values, "sum");
      frame.charge(numbers.length);
      return numbers.reduce<number>((total, value) => add(total, number(value, "sum")), 0);
    },
  },
  min: { args: [1, 1], unknown: "whole", run: (_, [values]) => extreme(list(values, "min"), -1) },
  max: { args: [1, 1], unknown: "whole", run: (_, [values]) => extreme(list(values, "max"), 1) },
  join: {
    args: [1, 2],
    unknown: "whole",
    run: (frame, [values, mark]) => {
      const between = mark === undefined ? "" : text(mark, "join");
      const parts = list(values, "join").map((value) => {
        const part = toText(value);
        frame.charge(1 + ((part.length + between.length) >> 6));
        return part;
      });
      return frame.text(parts.join(between));
    },
  },
  numbered: {
    args: [2, 2],
    run: (frame, [values, before]) => {
      const mark = text(before, "numbered");
      return frame.list(list(values, "numbered").map((value, i) => mark.replace("#", String(i + 1)) + toText(value)));
    },
  },
  sort: {
    args: [1, 1],
    unknown: "whole",
    run: (frame, [values]) => frame.list([...list(values, "sort")]).sort(sortOrder),
  },
  distinct: { args: [1, 1], unknown: "whole", run: (frame, [values]) => distinct(frame, list(values, "distinct")) },
  reverse: { args: [1, 1], run: (frame, [values]) => frame.list([...list(values, "reverse")]).reverse() },
  slice: {
    args: [3, 3],
    run: (frame, [values, from, to]) =>
      frame.list(list(values, "slice").slice(whole(from, "slice"), whole(to, "slice"))),
  },
  flatten: {
    args: [1, 2],
    unknown: "whole",
    run: (frame, [values, depth]) =>
      frame.list(flatten(frame, list(values, "flatten"), depth === undefined ? 1 : whole(depth, "flatten"))),
  },
  first: { args: [1, 1], run: (_, [values]) => list(values, "first")[0] ?? null },
  last: { args: [1, 1], run: (_, [values]) => list(values, "last").at(-1) ?? null },
  keys: { args: [1, 1], run: (frame, [value]) => frame.list(Object.keys(map(value, "keys")).sort()) },
  values: {
    args: [1, 1],
    run: (frame, [value]) => {
      const source = map(value, "values");
      return frame.list(
        Object.keys(source)
          .sort()
          .map((key) => source[key] as Json),
      );
    },
  },
  get: { args: [2, 3], run: (_, [value, key, otherwise]) => entryOf(value, key) ?? otherwise },
  merge: {
    args: [2, 2],
    run: (frame, [value, more]) => {
      const out: JsonObject = { ...map(value, "merge") };
      const added = map(more, "merge");
      frame.charge(Object.keys(out).length + Object.keys(added).length);
      for (const key of Object.keys(added)) setOwn(out, key, added[key] as Json);
      return out;
    },
  },
  without: {
    args: [2, 10],
    run: (frame, [value, ...keys]) => {
      const out: JsonObject = { ...map(value, "without") };
      frame.charge(Object.keys(out).length);
      for (const key of keys) delete out[text(key, "without")];
      return out;
    },
  },
};

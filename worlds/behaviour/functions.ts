import { canonicalJson } from "../digest.ts";
import { WorldError } from "../errors.ts";
import { equalJson, isObject, type Json, type JsonObject, setOwn } from "../json.ts";
import { joinKey } from "../state/keys.ts";
import { compareValues, type Frame, memberOf, sortOrder, typeError, typeName, type Value } from "./frame.ts";
import { add, calculate, fixed, round } from "./numbers.ts";
import { pattern } from "./pattern.ts";
import { formatTime, parseTime } from "./times.ts";

/** A function of the language: how many arguments it takes, and what it does with them. */
export interface Callable {
  readonly args: readonly [least: number, most: number];
  readonly run: (frame: Frame, args: readonly Value[]) => Value;
}

/** Raised by `not_served()` and by `known(null)`: the call answers the gap. */
export class GapSignal extends WorldError {
  constructor() {
    super("unsupported", "the evidence does not say what this call answers");
  }
}

/** Raised by `error(text)`: the call answers this error and changes nothing. */
export class ErrorSignal extends WorldError {
  readonly text: string;
  constructor(text: string) {
    super("unsupported", "the behaviour answered an error");
    this.text = text;
  }
}

const list = (value: Value, of: string): readonly Json[] => {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw typeError(of, value);
  return value;
};
const text = (value: Value, of: string): string => {
  if (typeof value !== "string") throw typeError(of, value);
  return value;
};
const number = (value: Value, of: string): number => {
  if (typeof value !== "number") throw typeError(of, value);
  return value;
};
const whole = (value: Value, of: string): number => {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw typeError(of, value);
  return value;
};
const map = (value: Value, of: string): JsonObject => {
  if (!isObject(value)) throw typeError(of, value);
  return value;
};
const orNull = (value: Value): Json => value ?? null;

/** Number of characters of a text (code points), elements of a list or entries of a map; 0 for null. */
export function sizeOf(frame: Frame, value: Value): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "string") {
    frame.charge(value.length >> 6);
    let size = value.length;
    for (let i = 0; i < value.length - 1; i++)
      if ((value.charCodeAt(i) & 0xfc00) === 0xd800 && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00) size--;
    return size;
  }
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw typeError("size", value);
}

/** A scalar as text: as JSON writes it, texts as they are. Throws `type` on null, lists and maps. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw typeError("string", value);
}

/** Equality as data, charged; null equals an absent field. */
export function equals(frame: Frame, a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return (a ?? null) === null && (b ?? null) === null;
  frame.charge(1);
  return equalJson(frame.bounded(a), frame.bounded(b));
}

function parseNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  const source = text(value, "a number").trim();
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(source))
    throw new WorldError("type", "the text does not read as a number");
  return Number(source);
}

function extreme(values: readonly Json[], sign: 1 | -1): Value {
  let best: Value;
  for (const value of values) {
    if (value === null) continue;
    const order = best === undefined ? 1 : compareValues(value, best);
    if (best === undefined || (order !== undefined && order * sign > 0)) best = value;
  }
  return best ?? null;
}

function flatten(frame: Frame, values: readonly Json[], depth: number): Json[] {
  const out: Json[] = [];
  for (const value of values) {
    frame.charge(1);
    if (Array.isArray(value) && depth > 0) {
      for (const inner of flatten(frame, value, depth - 1)) {
        frame.charge(1);
        out.push(inner);
      }
    } else out.push(value);
  }
  return out;
}

function distinct(frame: Frame, values: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    frame.charge(1);
    const name = canonicalJson(frame.bounded(value));
    return !seen.has(name) && Boolean(seen.add(name));
  });
}

function indexIn(frame: Frame, values: readonly Json[], wanted: Value): number {
  frame.charge(values.length);
  return values.findIndex((value) => equals(frame, value, wanted));
}

/** Functions called by name: `size(x)`. `rows`, `lookup`, `generate` and `has` are compiled by expression.ts. */
export const FUNCTIONS: Readonly<Record<string, Callable>> = {
  size: { args: [1, 1], run: (frame, [value]) => sizeOf(frame, value) },
  string: { args: [1, 1], run: (frame, [value]) => frame.text(toText(value)) },
  int: { args: [1, 1], run: (_, [value]) => Math.trunc(parseNumber(value)) + 0 },
  double: { args: [1, 1], run: (_, [value]) => parseNumber(value) },
  bool: {
    args: [1, 1],
    run: (_, [value]) => {
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "false") return value === "true";
      throw typeError("bool", value);
    },
  },
  dyn: { args: [1, 1], run: (_, [value]) => value },
  type: { args: [1, 1], run: (_, [value]) => typeName(value) },
  json: { args: [1, 1], run: (frame, [value]) => frame.text(JSON.stringify(frame.bounded(orNull(value)))) },
  round: {
    args: [1, 2],
    run: (_, [x, digits]) => round(number(x, "round"), digits === undefined ? 0 : whole(digits, "round")),
  },
  fixed: { args: [2, 2], run: (frame, [x, digits]) => frame.text(fixed(number(x, "fixed"), whole(digits, "fixed"))) },
  calculate: {
    args: [1, 1],
    run: (frame, [source]) => {
      const expression = text(source, "calculate");
      frame.charge(expression.length);
      return calculate(expression);
    },
  },
  timestamp: { args: [1, 1], run: (_, [value]) => parseTime(text(value, "timestamp")) },
  strftime: {
    args: [2, 2],
    run: (frame, [seconds, format]) => frame.text(formatTime(number(seconds, "strftime"), text(format, "strftime"))),
  },
  not_served: {
    args: [0, 0],
    run: () => {
      throw new GapSignal();
    },
  },
  known: {
    args: [1, 1],
    run: (_, [value]) => {
      if (value === null || value === undefined) throw new GapSignal();
      return value;
    },
  },
  error: {
    args: [1, 1],
    run: (frame, [value]) => {
      throw new ErrorSignal(frame.text(toText(value)));
    },
  },
};

const math = (run: (x: number) => number): Callable => ({
  args: [1, 1],
  run: (_, [x]) => run(number(x, "a math function")) + 0,
});

/** Functions of a namespace: `math.abs(x)`. */
export const NAMESPACES: Readonly<Record<string, Readonly<Record<string, Callable>>>> = {
  math: {
    abs: math(Math.abs),
    ceil: math(Math.ceil),
    floor: math(Math.floor),
    trunc: math(Math.trunc),
    sign: math(Math.sign),
    round: math((x) => round(x, 0)),
    greatest: {
      args: [1, 20],
      run: (_, args) => extreme(args.length === 1 ? list(args[0], "greatest") : args.map(orNull), 1),
    },
    least: {
      args: [1, 20],
      run: (_, args) => extreme(args.length === 1 ? list(args[0], "least") : args.map(orNull), -1),
    },
  },
  regex: {
    extract: {
      args: [2, 2],
      run: (frame, [value, source]) => {
        if (value === null || value === undefined) return null;
        const subject = text(value, "regex.extract");
        frame.charge(subject.length);
        const matcher = pattern(text(source, "regex.extract")).matcher(subject);
        if (!matcher.find()) return null;
        return frame.text(matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? "");
      },
    },
    replace: {
      args: [3, 3],
      run: (frame, [value, source, by]) => {
        const subject = text(value, "regex.replace");
        frame.charge(subject.length);
        const matcher = pattern(text(source, "regex.replace")).matcher(subject);
        return frame.text(matcher.replaceAll(text(by, "regex.replace")));
      },
    },
  },
};

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
      frame.charge(parts.length + ((parts.length * text(by, "replace").length) >> 6));
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
    run: (frame, [subject, wanted]) =>
      typeof subject === "string"
        ? subject.indexOf(text(wanted, "indexOf"))
        : indexIn(frame, list(subject, "indexOf"), wanted),
  },
  sum: {
    args: [1, 1],
    run: (frame, [values]) => {
      const numbers = list(values, "sum");
      frame.charge(numbers.length);
      return numbers.reduce<number>((total, value) => add(total, number(value, "sum")), 0);
    },
  },
  min: { args: [1, 1], run: (_, [values]) => extreme(list(values, "min"), -1) },
  max: { args: [1, 1], run: (_, [values]) => extreme(list(values, "max"), 1) },
  join: {
    args: [1, 2],
    run: (frame, [values, mark]) => {
      const parts = list(values, "join").map(toText);
      frame.charge(parts.length);
      return frame.text(parts.join(mark === undefined ? "" : text(mark, "join")));
    },
  },
  sort: { args: [1, 1], run: (frame, [values]) => frame.list([...list(values, "sort")]).sort(sortOrder) },
  distinct: { args: [1, 1], run: (frame, [values]) => distinct(frame, list(values, "distinct")) },
  reverse: { args: [1, 1], run: (frame, [values]) => frame.list([...list(values, "reverse")]).reverse() },
  slice: {
    args: [3, 3],
    run: (frame, [values, from, to]) =>
      frame.list(list(values, "slice").slice(whole(from, "slice"), whole(to, "slice"))),
  },
  flatten: {
    args: [1, 2],
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
  get: { args: [2, 3], run: (_, [value, key, otherwise]) => memberOf(value, key) ?? otherwise },
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

/** The key of a lookup: one scalar, or a list of the parts of a composite key; undefined when it cannot be a key. */
export function lookupKey(values: readonly Value[]): string | undefined {
  const [first] = values;
  return joinKey(values.length === 1 && Array.isArray(first) ? first : values);
}

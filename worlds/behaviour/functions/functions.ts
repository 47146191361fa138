import { WorldError } from "../../errors.ts";
import { isObject, type Json, type JsonObject, setOwn } from "../../json.ts";
import { joinKey } from "../../state/keys.ts";
import { UNKNOWN } from "../../unknown.ts";
import { type Frame, typeError, typeName, type Value } from "../frame.ts";
import { pattern } from "../pattern.ts";
import { ErrorSignal, GapSignal } from "../signals.ts";
import { list, number, text, toText, whole } from "./casts.ts";
import { extreme, sizeOf } from "./lists.ts";
import { computed, type MathName, OF_LIST, OF_ONE, OF_TWO } from "./mathematics.ts";
import { binaryMinus, calculate, fixed, round } from "./numbers.ts";
import { resolvePath } from "./paths.ts";
import { formatTime, parseTime } from "./times.ts";

/**
 * Functions of the expression language, beyond the operators of CEL. `x` a number, `t` a text, `l` a list, `m` a map,
 * `v` any value, `e` an expression over the variable named before it.
 *
 * | written | yields |
 * |---|---|
 * | `has(v.f)` | whether the field is there, null or not |
 * | `rows(table)` | all rows of a table, by key; a filter on `==` over it uses an index |
 * | `lookup(table, k, …)` | the row of that key (its parts, or one list of them), else null |
 * | `removed(table, k, …)` | whether a call removed the row of that key, which was there at the start |
 * | `unknown()` | what nobody knows: whatever is computed from it is unknown, and a call that answers it or rests on it is a gap |
 * | `known(v)` | the value; null is a gap: the call answers `not_served` |
 * | `told(v)` | the same at the end of a write: what the call did is known, what it says is not |
 * | `null_as_unknown(v)`, `unknown_as_null(v)` | the one for the other, of a value or the fields of a map |
 * | `not_served()`, `error(t)` | end the call: a gap, or an error in these words |
 * | `generate("O{n:7}")` | a template's text, with generated keys |
 * | `size(v)`, `type(v)`, `string(v)`, `int(v)`, `double(v)`, `bool(v)`, `json(v)`, `dyn(v)` | as in CEL; `int` cuts, `type` is `null bool number string list map` |
 * | `round(x, n)`, `fixed(x, n)` | to n decimals, halves away from zero: a number, a text with all its digits |
 * | `calculate(t)` | the value of an arithmetic text, in decimals |
 * | `binary_minus(x, y)` | the difference in binary fractions, noise and all, as systems answer it that reckon so |
 * | `resolve(t, t)` | the path that the second leads to from the first, `.` and `..` followed |
 * | `timestamp(t)`, `strftime(x, t)` | ISO 8601 text to unix seconds; unix seconds to text, in UTC |
 * | `math.greatest least (x, … or l)` | |
 * | `math.NAME(x)`, `math.NAME(x, y)`, `math.NAME(l)` | in binary fractions, unknown where it has no value: mathematics.ts lists them |
 * | `regex.extract(t, p)`, `regex.replace(t, p, t)` | the first match's group (null without one); every match replaced; RE2 patterns |
 * | `t.contains startsWith endsWith (t)`, `t.matches(p)` | false on null |
 * | `t.lowerAscii upperAscii lower upper trim ()`, `t.replace(t, t)`, `t.split(t)`, `t.substring(a, b)`, `t.indexOf(t)` | `b` may be absent |
 * | `l.all exists exists_one filter count sortBy (v, e)`, `l.map(v, e)`, `l.map(v, e, e)` | null counts as empty, a map is walked by its keys |
 * | `l.find(v, e)` | the element that meets it, where no two may: the first that is known to, null where none may |
 * | `l.sum min max first last ()`, `l.join(t)`, `l.indexOf(v)` | `min`, `max`, `first` and `last` of none are null |
 * | `l.numbered("#. ")` | each entry as a text behind the mark, `#` standing for its number from one |
 * | `l.sort distinct reverse ()`, `l.slice(a, b)`, `l.flatten(n)` | `n` 1 when absent |
 * | `m.keys values ()`, `m.get(k, v)`, `m.merge(m)`, `m.without(k, …)` | `v` is what an absent key yields |
 */

/** A function of the language: how many arguments it takes, and what it does with them. */
export interface Callable {
  readonly args: readonly [least: number, most: number];
  /** What an unknown argument makes of it: unknown where nothing is said, also one within a list for `whole`; `given` takes it as it is. */
  readonly unknown?: "whole" | "given";
  readonly run: (frame: Frame, args: readonly Value[]) => Value;
}

const orNull = (value: Value): Json => value ?? null;

/** A value, or the fields of a map, each with what stands for it. */
function replaced(value: Value, change: (part: Json) => Json): Json {
  const whole = change(orNull(value));
  if (whole === UNKNOWN || !isObject(whole)) return whole;
  const out: JsonObject = {};
  for (const key of Object.keys(whole)) setOwn(out, key, change(whole[key] as Json));
  return out;
}

function parseNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  const source = text(value, "a number").trim();
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(source))
    throw new WorldError("type", "the text does not read as a number");
  const parsed = Number(source);
  if (!Number.isFinite(parsed)) throw new WorldError("arithmetic", "the number is out of range");
  return parsed;
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
  unknown: {
    args: [0, 0],
    run: (frame) => {
      frame.unsure = true;
      return UNKNOWN;
    },
  },
  null_as_unknown: {
    args: [1, 1],
    run: (frame, [value]) => {
      frame.unsure = true;
      return replaced(value, (part) => (part === null ? UNKNOWN : part));
    },
  },
  unknown_as_null: {
    args: [1, 1],
    unknown: "given",
    run: (_, [value]) => replaced(value, (part) => (part === UNKNOWN ? null : part)),
  },
  dyn: { args: [1, 1], run: (_, [value]) => value },
  type: { args: [1, 1], run: (_, [value]) => typeName(value) },
  json: {
    args: [1, 1],
    unknown: "whole",
    run: (frame, [value]) => frame.text(JSON.stringify(frame.bounded(orNull(value)))),
  },
  round: {
    args: [1, 2],
    run: (_, [x, digits]) => round(number(x, "round"), digits === undefined ? 0 : whole(digits, "round")),
  },
  binary_minus: {
    args: [2, 2],
    run: (_, [x, y]) => binaryMinus(number(x, "binary_minus"), number(y, "binary_minus")),
  },
  resolve: {
    args: [2, 2],
    run: (frame, [base, other]) => frame.text(resolvePath(text(base, "resolve"), text(other, "resolve"))),
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
    unknown: "given",
    run: (_, [value]) => {
      if (value === null || value === undefined || value === UNKNOWN) throw new GapSignal();
      return value;
    },
  },
  told: {
    args: [1, 1],
    unknown: "given",
    run: (_, [value]) => {
      if (value === null || value === undefined || value === UNKNOWN) throw new GapSignal(true);
      return value;
    },
  },
  error: {
    args: [1, 1],
    unknown: "given",
    run: (frame, [value]) => {
      if (value === UNKNOWN) throw new GapSignal();
      throw new ErrorSignal(frame.text(toText(value)));
    },
  },
};

/** A function of numbers: what has no value, or is given something else than numbers, is unknown. */
const math = (name: MathName, args: number): Callable => ({
  args: [args, args],
  unknown: "whole",
  run: (frame, given) => {
    for (const value of given) if (Array.isArray(value) || typeof value === "string") frame.charge(value.length);
    const value = computed(name, given);
    if (value === undefined) frame.unsure = true;
    return value ?? UNKNOWN;
  },
});

const namesOf = <T extends object>(functions: T) => Object.keys(functions) as (keyof T)[];

/** Functions of a namespace: `math.abs(x)`. */
export const NAMESPACES: Readonly<Record<string, Readonly<Record<string, Callable>>>> = {
  math: {
    ...Object.fromEntries(namesOf(OF_ONE).map((name) => [name, math(name, 1)])),
    ...Object.fromEntries(namesOf(OF_TWO).map((name) => [name, math(name, 2)])),
    ...Object.fromEntries(namesOf(OF_LIST).map((name) => [name, math(name, 1)])),
    calculate: math("calculate", 1),
    converted: math("converted", 3),
    greatest: {
      args: [1, 20],
      unknown: "whole",
      run: (_, args) => extreme(args.length === 1 ? list(args[0], "greatest") : args.map(orNull), 1),
    },
    least: {
      args: [1, 20],
      unknown: "whole",
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
        const [subject, put] = [text(value, "regex.replace"), text(by, "regex.replace")];
        frame.charge(subject.length * (1 + (put.length >> 6)));
        return frame.text(pattern(text(source, "regex.replace")).matcher(subject).replaceAll(put));
      },
    },
  },
};

/** The key of a lookup: one scalar, or a list of the parts of a composite key; undefined when it cannot be a key. */
export function lookupKey(values: readonly Value[]): string | undefined {
  const [first] = values;
  return joinKey(values.length === 1 && Array.isArray(first) ? first : values);
}

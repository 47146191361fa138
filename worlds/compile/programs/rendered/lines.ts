import { byText } from "../../values.ts";
import type { Token } from "./tokens.ts";

/** A piece of a line: signs that stand for themselves, or a run of words or a number that may be another one. */
export interface Piece {
  readonly kind: "text" | "words" | "number" | "box";
  readonly text: string;
}

/** What a part of a line is in all lines of a class. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "slot"; readonly holds: "words" | "number" | "box" }
  /** A word that has an s where the number of the slot before is not one. */
  | { readonly kind: "plural"; readonly one: string; readonly many: string }
  /** Several values, each with what stands around it. */
  | { readonly kind: "list"; readonly before: string; readonly between: string; readonly after: string };

/** Lines that differ in their values alone. `tail` is at the end of some of them. */
export interface LineClass {
  readonly parts: readonly Part[];
  readonly tail: readonly Part[];
}

/** A line read by its class: a value for each slot and list, undefined for those of a tail that it lacks. */
export type LineValues = readonly (string | readonly string[] | undefined)[];

const WORDS = "\u0001";
const DIGITS = "\u0002";
const BOX = "\u0003";
const isSlot = (sign: string): boolean => sign === WORDS || sign === DIGITS;

/** A line as pieces: words with one space between them are one. */
export function piecesOf(line: readonly Token[]): Piece[] {
  const out: Piece[] = [];
  for (let at = 0; at < line.length; at++) {
    const { text, kind } = line[at] as Token;
    const last = out.at(-1);
    if (kind === "number" || kind === "box") out.push({ kind, text });
    else if (kind === "value") out.push({ kind: "words", text });
    else if (kind === "word") {
      let words = text;
      while (line[at + 1]?.text === " " && line[at + 2]?.kind === "word") {
        words += ` ${line[at + 2]?.text}`;
        at += 2;
      }
      out.push({ kind: "words", text: words });
    } else if (kind === "sign" && last?.kind === "text" && !last.text.endsWith(" "))
      out.splice(-1, 1, { kind: "text", text: last.text + text });
    else out.push({ kind: "text", text });
  }
  return out;
}

const SIGNS: Readonly<Partial<Record<Piece["kind"], string>>> = { words: WORDS, number: DIGITS, box: BOX };
const signOf = ({ kind, text }: Piece): string => SIGNS[kind] ?? text;
export const signature = (pieces: readonly Piece[]): string[] => pieces.map(signOf);
const joined = (signatures: readonly string[]): string => signatures.join("\u0000");
const signText = (pieces: readonly Piece[]): string => joined(signature(pieces));

/** A form of lines that end with the same pieces again and again. */
interface Repeated {
  readonly base: readonly string[];
  readonly unit: readonly string[];
}

/** Every way in which a line's end is a piece that is repeated, or is left out once. */
function repeatedEnds(signatures: readonly string[]): (Repeated & { times: number })[] {
  const out: (Repeated & { times: number })[] = [];
  for (let k = 2; k <= Math.min(5, signatures.length - 1); k++) {
    const unit = signatures.slice(-k);
    if (unit.filter(isSlot).length !== 1) continue;
    let times = 1;
    while (
      (times + 1) * k < signatures.length &&
      joined(signatures.slice(-(times + 1) * k, signatures.length - times * k)) === joined(unit)
    )
      times++;
    out.push({ base: signatures.slice(0, signatures.length - times * k), unit, times });
  }
  return out;
}

interface Group {
  readonly base: readonly string[];
  readonly unit: readonly string[] | undefined;
  readonly lines: (readonly Piece[])[];
}

/** Lines in groups of one signature, where the ends of some may be repeated. */
function groupsOf(all: readonly (readonly Piece[])[]): Group[] {
  const bySign = Map.groupBy(all, signText);
  const ends = new Map<string, Repeated & { of: Map<string, number> }>();
  for (const [id, [pieces = []]] of bySign)
    for (const { base, unit, times } of repeatedEnds(signature(pieces))) {
      const key = `${joined(base)}\n${joined(unit)}`;
      const found = ends.get(key) ?? { base, unit, of: new Map<string, number>() };
      ends.set(key, found);
      found.of.set(id, times);
      if (bySign.has(joined(base))) found.of.set(joined(base), 0);
    }
  const size = ({ of }: { of: Map<string, number> }): number =>
    [...of.keys()].reduce((sum, id) => sum + (bySign.get(id)?.length ?? 0), 0);
  // A unit that is there once or not at all is a part that some lines lack.
  const repeated = [...ends]
    .filter(([, { of }]) => [...of.values()].some((times) => times > 1) && of.size > 1)
    .sort(([a, x], [b, y]) => size(y) - size(x) || byText(a, b));
  const out: Group[] = [];
  const done = new Set<string>();
  for (const [, { base, unit, of }] of repeated) {
    const own = [...of.keys()].filter((id) => !done.has(id));
    if (own.length < 2) continue;
    for (const id of own) done.add(id);
    out.push({ base, unit, lines: own.flatMap((id) => bySign.get(id) ?? []) });
  }
  for (const [id, lines] of bySign)
    if (!done.has(id)) out.push({ base: signature(lines[0] ?? []), unit: undefined, lines });
  return out;
}

/** What words at one place of all lines have in common at their beginning and end. */
function slotParts(runs: readonly string[], holds: "words" | "number" | "box"): Part[] {
  if (holds === "number") return [{ kind: "slot", holds }];
  if (new Set(runs).size === 1) return [{ kind: "text", text: runs[0] ?? "" }];
  if (holds === "box") return [{ kind: "slot", holds }];
  const words = runs.map((run) => run.split(" "));
  const [of = []] = words;
  const least = Math.min(...words.map(({ length }) => length));
  let head = 0;
  while (head < least - 1 && words.every((other) => other[head] === of[head])) head++;
  let tail = 0;
  while (tail < least - 1 - head && words.every((other) => other.at(-1 - tail) === of.at(-1 - tail))) tail++;
  return [
    ...(head > 0 ? [{ kind: "text" as const, text: `${of.slice(0, head).join(" ")} ` }] : []),
    { kind: "slot", holds },
    ...(tail > 0 ? [{ kind: "text" as const, text: ` ${of.slice(-tail).join(" ")}` }] : []),
  ];
}

/** Two texts of which one has an s more at the end of a word. */
function pluralOf(runs: ReadonlySet<string>): { one: string; many: string } | undefined {
  const [one, many, ...more] = [...runs].sort((a, b) => a.length - b.length);
  if (one === undefined || many === undefined || more.length > 0 || many.length !== one.length + 1) return undefined;
  const at = [...many].findIndex((letter, i) => letter !== one[i]);
  return many[at] === "s" && !/\p{L}/u.test(many[at + 1] ?? " ") ? { one, many } : undefined;
}

/** The parts of the pieces that all lines have, in order. */
function partsOf(lines: readonly (readonly Piece[])[], from: number, to: number): Part[] {
  const out: Part[] = [];
  for (let at = from; at < to; at++) {
    const pieces = lines.map((line) => line[at] as Piece);
    const [first] = pieces;
    if (!first || first.kind === "text") {
      out.push({ kind: "text", text: first?.text ?? "" });
      continue;
    }
    const runs = pieces.map(({ text }) => text);
    const plural = first.kind === "words" ? pluralOf(new Set(runs)) : undefined;
    const before = [1, 2].map((back) => at - back).find((i) => i >= from && lines[0]?.[i]?.kind === "number");
    const counts = plural && before !== undefined;
    if (counts && lines.every((line) => (line[at]?.text === plural.one) === (line[before]?.text === "1")))
      out.push({ kind: "plural", ...plural });
    else out.push(...slotParts(runs, first.kind));
  }
  return merged(out);
}

/** Neighbouring texts as one. */
function merged(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind === "text" && last?.kind === "text") out.splice(-1, 1, { kind: "text", text: last.text + part.text });
    else out.push(part);
  }
  return out;
}

function classOf({ base, unit, lines }: Group): LineClass {
  if (!unit) return { parts: partsOf(lines, 0, base.length), tail: [] };
  const slot = unit.findIndex(isSlot);
  const [before, after] = [unit.slice(0, slot).join(""), unit.slice(slot + 1).join("")];
  // `a, b, c`: the value before the first repeated one is of the list.
  const within = after === "" && base.at(-1) === unit[slot] && before !== "" && base.length > 1;
  const parts = partsOf(lines, 0, base.length - (within ? 1 : 0));
  return {
    parts: [...parts, { kind: "list", before: within ? "" : before, between: within ? before : "", after }],
    tail: [],
  };
}

const isValue = ({ kind }: Part): boolean => kind === "slot" || kind === "list";

/** Lines from which a class is one; fewer are texts of their own. */
const LEAST = 2;
/** Values that a line of a class may hold. */
const MOST = 8;
/** Letters past which a line is of no class but its own. */
const LONGEST = 500;

/** A class with the signatures of its lines. */
interface FoundClass {
  readonly of: LineClass;
  readonly signatures: ReadonlySet<string>;
  /** Its lines, as they were read. */
  readonly lines: readonly string[];
}

export interface ReadLine {
  readonly id: number;
  readonly values: LineValues;
}

/** The classes of a tool's lines, and each line read by its class; the last class takes any line whole. */
export function readLines(all: readonly (readonly Piece[])[]): { classes: LineClass[]; read: ReadLine[] } {
  const distinct = new Map(all.map((pieces) => [pieces.map(({ text }) => text).join(""), pieces]));
  const counts = new Map<string, number>();
  for (const pieces of all) {
    const text = pieces.map((piece) => piece.text).join("");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const groups = groupsOf([...distinct.values()]).filter(
    ({ lines: [first = [], ...others] }) =>
      others.length + 1 >= LEAST || (counts.get(first.map(({ text }) => text).join("")) ?? 0) >= LEAST,
  );
  const found = withTails(wider(alike(groups)))
    .filter(({ of }) => of.parts.filter(isValue).length <= MOST)
    .map((one, id) => ({ ...one, id, pattern: patternOf(one.of) }));
  const order = [...found].sort((a, b) => weightOf(b.of) - weightOf(a.of) || a.id - b.id);
  const others = order.filter(({ of }) => isApart(of));
  const readOne = (pieces: readonly Piece[], text: string): ReadLine => {
    const sign = signText(pieces);
    const own = order.filter(({ signatures }) => signatures.has(sign));
    for (const { id, of, pattern } of [...own, ...(text.length > LONGEST ? [] : others)]) {
      const values = valuesIn(text, of, pattern);
      if (values) return { id, values };
    }
    return { id: found.length, values: [text] };
  };
  const known = new Map<string, ReadLine>();
  const read = all.map((pieces) => {
    const text = pieces.map((piece) => piece.text).join("");
    const line = known.get(text) ?? readOne(pieces, text);
    known.set(text, line);
    return line;
  });
  const whole: LineClass = { parts: [{ kind: "slot", holds: "words" }], tail: [] };
  return { classes: [...found.map(({ of }) => of), whole], read };
}

/** A line whose values stand between signatures: words alone between two values may be looked for in too many places. */
const isApart = ({ parts }: LineClass): boolean =>
  parts.every((part, i) => {
    const next = parts[i + 1];
    const after = parts[i + 2];
    if (!isValue(part) || !after || !isValue(after)) return true;
    return next?.kind === "text" && next.text.trim() !== "";
  }) && parts.every((part, i) => !isValue(part) || !parts[i + 1] || !isValue(parts[i + 1] as Part));

/** Letters that a class says itself: the more, the less it takes for a line of its own by chance. */
const weightOf = ({ parts }: LineClass): number =>
  parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 0), 0) -
  (parts.every(isValue) ? 1000 : 0) +
  (parts.some(isValue) ? 0 : 1000);

/** The classes of groups, those of the same parts as one: words and a value may be one run in some lines. */
function alike(groups: readonly Group[]): FoundClass[] {
  const out = new Map<string, { of: LineClass; signatures: Set<string>; lines: string[] }>();
  for (const group of groups) {
    const of = classOf(group);
    const id = JSON.stringify(of);
    const found = out.get(id) ?? { of, signatures: new Set<string>(), lines: [] };
    out.set(id, found);
    for (const line of group.lines) {
      found.signatures.add(signText(line));
      found.lines.push(line.map(({ text }) => text).join(""));
    }
  }
  return [...out.values()];
}

/** Classes without those of which all lines are of another one too, where a value of theirs was always the same. */
function wider(classes: readonly FoundClass[]): FoundClass[] {
  const values = ({ of }: FoundClass): number => of.parts.filter(isValue).length;
  const out: FoundClass[] = [];
  for (const one of [...classes].sort((a, b) => values(b) - values(a))) {
    const holds = ({ of }: FoundClass): boolean => {
      const pattern = patternOf(of);
      return one.lines.every((line) => line.length <= LONGEST && valuesIn(line, of, pattern) !== undefined);
    };
    const at =
      values(one) === 0
        ? -1
        : out.findIndex((other) => values(other) > values(one) && isApart(other.of) && holds(other));
    const other = out[at];
    if (!other) out.push(one);
    else
      out[at] = {
        ...other,
        signatures: new Set([...other.signatures, ...one.signatures]),
        lines: [...other.lines, ...one.lines],
      };
  }
  return out;
}

/** Classes of which one is another one with an end of its own, as one. */
function withTails(classes: readonly FoundClass[]): FoundClass[] {
  const text = (parts: readonly Part[]): string => JSON.stringify(parts);
  const out: FoundClass[] = [];
  const done = new Set<number>();
  for (const [i, { of, signatures, lines }] of classes.entries()) {
    const { parts } = of;
    if (done.has(i) || parts.filter(isValue).length < 2) continue;
    const at = classes.findIndex(
      ({ of: other }, j) =>
        j !== i &&
        !done.has(j) &&
        other.parts.length > parts.length &&
        text(other.parts.slice(0, parts.length)) === text(parts) &&
        other.parts.slice(parts.length).filter(isValue).length === 1,
    );
    const longer = classes[at];
    if (!longer) continue;
    done.add(i).add(at);
    const tail = longer.of.parts.slice(parts.length);
    out.push({
      of: { parts, tail },
      signatures: new Set([...signatures, ...longer.signatures]),
      lines: [...lines, ...longer.lines],
    });
  }
  return [...classes.filter((_, i) => !done.has(i)), ...out];
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const HELD = { words: "([^]+?)", number: "(\\d+(?:\\.\\d+)?)", box: "(\\[[ xX]\\])" } as const;

/** A sign within a set of signs of a pattern: entries of a list hold none that begins one. */
const inClass = (sign: string | undefined): string =>
  sign === undefined ? "\\n" : `\\n\\u{${(sign.codePointAt(0) ?? 10).toString(16)}}`;

function patternOf({ parts, tail }: LineClass): RegExp {
  const piece = (part: Part): string =>
    part.kind === "text"
      ? escaped(part.text)
      : part.kind === "plural"
        ? `(?:${escaped(part.one)}|${escaped(part.many)})`
        : part.kind === "slot"
          ? HELD[part.holds]
          : part.between !== ""
            ? "([^]+?)"
            : `((?:${escaped(part.before)}[^${inClass(part.before.trim()[0] ?? part.after[0])}]+${escaped(part.after)})*)`;
  const end = tail.length === 0 ? "" : `(?:${tail.map(piece).join("")})?`;
  return new RegExp(`^${parts.map(piece).join("")}${end}$`, "u");
}

/** The values of a line in a class; undefined where it is not in it. */
function valuesIn(text: string, { parts, tail }: LineClass, pattern: RegExp): LineValues | undefined {
  const found = pattern.exec(text);
  if (!found) return undefined;
  const values = [...parts, ...tail].filter(isValue).map((part, i) => {
    const value = found[i + 1];
    if (value === undefined || part.kind !== "list") return value;
    if (part.between !== "") return value.split(part.between);
    if (value === "") return [];
    return value.slice(part.before.length, value.length - part.after.length).split(part.after + part.before);
  });
  return lineText({ parts, tail }, values) === text ? values : undefined;
}

/** A line written by its class. */
export function lineText({ parts, tail }: LineClass, values: LineValues): string {
  let at = 0;
  let number = "";
  const write = (part: Part): string => {
    if (part.kind === "text") return part.text;
    if (part.kind === "plural") return number === "1" ? part.one : part.many;
    const value = values[at++];
    if (part.kind === "slot") {
      if (part.holds === "number") number = String(value);
      return String(value);
    }
    return (value as readonly string[]).map((one) => part.before + one + part.after).join(part.between);
  };
  const head = parts.map(write).join("");
  return values[at] === undefined ? head : head + tail.map(write).join("");
}

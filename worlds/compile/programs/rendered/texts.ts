import type { Call } from "../../observations.ts";
import { grammarOf, type Node } from "./grammar.ts";
import { type LineClass, type LineValues, type Piece, piecesOf, type ReadLine, readLines } from "./lines.ts";
import { linesOf, type Token } from "./tokens.ts";

/** The line below the heads of a table. */
const RULE = /^(?=.*[-=]{3})[\s:=-]*[|+][|\s:+=-]*$/;

/** Share of texts whose lines stand in an order that comes back, from which the others may be left out. */
const SHARE = 0.6;

/** A label may stand in a list and be set off: `- **Points:** 3`, `**Points**: 3`. */
const LABEL = /^(?:[-*•] +)?(?:\*\*)?[\p{L}_][^:\n]{0,40}:(?:\*\*)?(?: +|$)/u;
/** The label of a line; empty where it has none. */
const labelOf = (line: string): string => LABEL.exec(line)?.[0].trimEnd() ?? "";

/** Share of texts that have a label. */
const MOSTLY = 0.5;

/** One text, with where it was shown. */
export interface Shown {
  readonly call: Call;
  readonly session: number;
  readonly text: string;
}

/** A line of a text: blank lines before it, its class, and its values. */
export interface Read {
  readonly id: number;
  readonly values: LineValues;
}

/** What a text is by the grammar of its tool: a line, none where it lacks one, or the entries of a list. */
export type Tree = readonly (Read | undefined | readonly Tree[])[];

/** A class of lines, with what parts such a line from the one before; `lead` besides where that is of another class. */
export interface SpacedClass {
  readonly of: LineClass;
  readonly before: string;
  readonly lead: string;
}

/** The lines of a tool's texts in their classes, by number. */
export interface Lines {
  readonly classes: readonly SpacedClass[];
  readonly texts: readonly (readonly Read[])[];
}

/** Labels that most texts of several lines have once: such a label is a name of what its line shows, and no value. */
function labelsOf(shown: readonly Shown[]): ReadonlySet<string> {
  const texts = [...new Set(shown.map(({ text }) => text))].filter((text) => text.includes("\n"));
  const counts = new Map<string, number>();
  const again = new Set<string>();
  for (const text of texts) {
    const labels = text.split("\n").map(labelOf);
    for (const label of new Set(labels)) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      if (labels.indexOf(label) !== labels.lastIndexOf(label)) again.add(label);
    }
  }
  return new Set(
    [...counts]
      .filter(([label, n]) => label !== "" && !again.has(label) && n >= texts.length * MOSTLY)
      .map(([label]) => label),
  );
}

/** A line with its label as one piece; the value of a label of `whole` is one too. */
function labelledPieces(line: readonly Token[], labels: ReadonlySet<string>, whole: ReadonlySet<string>): Piece[] {
  const text = line.map((token) => token.text).join("");
  const label = labelOf(text);
  if (!labels.has(label)) return piecesOf(line);
  const value = text.slice(label.length).trimStart();
  if (whole.has(label) && value !== "")
    return [
      { kind: "text", text: text.slice(0, -value.length) },
      { kind: "words", text: value },
    ];
  let at = 0;
  let length = 0;
  while (length < label.length) length += line[at++]?.text.length ?? label.length;
  return length > label.length ? piecesOf(line) : [{ kind: "text", text: label }, ...piecesOf(line.slice(at))];
}

/** Labels whose lines are of several classes: their values are built in no one way, and each is one value. */
function variedLabels(
  lines: readonly { readonly pieces: readonly Piece[] }[],
  read: readonly ReadLine[],
  labels: ReadonlySet<string>,
): ReadonlySet<string> {
  const classes = new Map<string, Set<number>>();
  for (const [i, { pieces }] of lines.entries()) {
    const [first, ...value] = pieces;
    if (!first || !labels.has(first.text) || value.length === 0) continue;
    classes.set(first.text, (classes.get(first.text) ?? new Set()).add(read[i]?.id ?? -1));
  }
  return new Set([...classes].filter(([, of]) => of.size > 1).map(([label]) => label));
}

/** Texts as lines with the breaks before them, blank lines among these; the heads of a table are one piece. */
function spacedLines(
  { text, call }: Shown,
  given: readonly string[],
  labels: ReadonlySet<string>,
  whole: ReadonlySet<string>,
): { before: string; pieces: Piece[] }[] {
  let before = "\n";
  return linesOf(text, call.args, given).flatMap((line, i, all) => {
    if (line.length === 0 && i < all.length - 1) {
      before += "\n";
      return [];
    }
    const own = { before, pieces: labelledPieces(line, labels, whole) };
    before = "\n";
    const below = all[i + 1] ?? [];
    if (!RULE.test(below.map((token) => token.text).join(""))) return [own];
    return [{ ...own, pieces: [{ kind: "text" as const, text: line.map((token) => token.text).join("") }] }];
  });
}

/** Reads the lines of a tool's texts. Blank lines before the first of several lines of a class are its lead. */
export function linesIn(shown: readonly Shown[], given: (session: number) => readonly string[]): Lines {
  const labels = labelsOf(shown);
  const parted = (whole: ReadonlySet<string>) => {
    const split = shown.map((one) => spacedLines(one, given(one.session), labels, whole));
    return { split, ...readLines(split.flat().map(({ pieces }) => pieces)) };
  };
  const plain = parted(new Set());
  const varied = variedLabels(plain.split.flat(), plain.read, labels);
  const { split, classes, read } = varied.size === 0 ? plain : parted(varied);
  let at = 0;
  const lines = split.map((of) => of.map(({ before }) => ({ before, ...(read[at++] as ReadLine) })));
  const breaks = new Map<number, { first: Set<string>; after: Set<string> }>();
  for (const of of lines)
    for (const [i, { id, before }] of of.entries()) {
      const found = breaks.get(id) ?? { first: new Set(), after: new Set() };
      breaks.set(id, found);
      (of[i - 1]?.id === id ? found.after : found.first).add(before);
    }
  const ids = new Map<string, number>();
  const out: SpacedClass[] = [];
  const idOf = (own: number, before: string): number => {
    const { first, after } = breaks.get(own) as { first: Set<string>; after: Set<string> };
    const [lead = "", between = ""] = [[...first][0], [...after][0]];
    const led = first.size === 1 && after.size === 1 && lead.length > between.length;
    const name = led ? String(own) : `${own} ${before.length}`;
    const known = ids.get(name);
    if (known !== undefined) return known;
    const spaced = led ? { before: between, lead: lead.slice(between.length) } : { before, lead: "" };
    ids.set(name, out.push({ of: classes[own] as LineClass, ...spaced }) - 1);
    return out.length - 1;
  };
  const texts = lines.map((of) => of.map(({ id, before, values }): Read => ({ id: idOf(id, before), values })));
  return { classes: out, texts };
}

/** The grammar of most texts: those whose lines stand in an order that no other text has may be left out. */
export function grammarIn(texts: readonly (readonly Read[])[]): Node[] | undefined {
  const sequences = texts.map((lines) => lines.map(({ id }) => id));
  const all = grammarOf(sequences);
  if (all) return all;
  const counts = new Map<string, number>();
  for (const sequence of sequences) counts.set(sequence.join(), (counts.get(sequence.join()) ?? 0) + 1);
  const again = sequences.filter((sequence) => (counts.get(sequence.join()) ?? 0) > 1);
  return again.length < sequences.length * SHARE ? undefined : grammarOf(again);
}

/** A text by the grammar of its tool; undefined where it has another line. */
export function treeOf(nodes: readonly Node[], lines: readonly Read[]): Tree | undefined {
  let at = 0;
  const walk = (of: readonly Node[]): Tree | undefined => {
    const out: (Read | undefined | Tree[])[] = [];
    for (const node of of) {
      if (node.kind === "line") {
        const line = lines[at];
        if (line?.id === node.line) at++;
        else if (!node.optional) return undefined;
        out.push(line?.id === node.line ? line : undefined);
        continue;
      }
      const entries: Tree[] = [];
      while (at < lines.length) {
        const from = at;
        const entry = walk(node.of);
        if (!entry || at === from) {
          at = from;
          break;
        }
        entries.push(entry);
      }
      out.push(entries);
    }
    return out;
  };
  const tree = walk(nodes);
  return tree && at === lines.length ? tree : undefined;
}

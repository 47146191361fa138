import { isObject, type Json, type JsonObject } from "../../json.ts";

/** One place of a composite reading. */
export interface Slot {
  /** Of these at most one is there at a time. */
  readonly marks: readonly string[];
  /** By mark those of later places that are never there with it. */
  readonly apart: ReadonlyMap<string, readonly string[]>;
}

/** One piece of an answer that may be a reading: what stands before it names it. */
export interface Item {
  /** The words before the value, or the place where there are none. */
  readonly label: string;
  readonly value: string;
  /** Which of the form's holes it fills. */
  readonly hole: number;
  /** Which place of a composite reading it is, where several share a hole. */
  readonly flag?: Slot;
}

/** An answer taken apart: its form (what stands around the values) and its values in order. */
export interface Answer {
  readonly form: Form;
  readonly items: readonly Item[];
}

/** What an answer looks like but for its values: a text with holes, or an object's fields. */
export interface Form {
  readonly id: string;
  readonly refusal: boolean;
  /** The texts around the values of a text answer, one more than values. */
  readonly texts?: readonly string[];
  /** Where the values of an object answer stand, each a path of fields. */
  readonly paths?: readonly (readonly string[])[];
}

const LABELLED = /^(\s*(?:[-*•]\s*)?[^:\n]{1,48}?:\s+)(\S.*)$/;
/** More pieces than this are prose or data, not readings. */
const MAX_ITEMS = 40;

/** Objects deeper than this are documents. */
const MAX_DEPTH = 4;

/** Parses an answer into labelled lines, sentences with numbers, or fields; undefined for anything else. */
export function takeApart(value: Json, ok: boolean, whole = false): Answer | undefined {
  if (!ok && whole && typeof value === "string")
    return { form: { id: `!${value}`, refusal: true, texts: [value] }, items: [] };
  if (typeof value === "string") return ofText(value, !ok);
  if (!isObject(value) || !ok) return undefined;
  const leaves = [...leavesOf(value, [])];
  if (leaves.length === 0 || leaves.length > MAX_ITEMS) return undefined;
  return {
    form: {
      id: `{${leaves.map(({ path }) => path.join(".")).join(",")}}`,
      refusal: false,
      paths: leaves.map(({ path }) => path),
    },
    items: leaves.map(({ path, leaf }, hole) => ({ label: path.join("."), value: JSON.stringify(leaf), hole })),
  };
}

function* leavesOf(value: JsonObject, path: readonly string[]): Generator<{ path: readonly string[]; leaf: Json }> {
  for (const [field, item] of Object.entries(value)) {
    const here = [...path, field];
    if (isObject(item) && Object.keys(item).length > 0 && here.length < MAX_DEPTH) yield* leavesOf(item, here);
    else yield { path: here, leaf: item };
  }
}

/** Sentences of a line, each with the space before it. */
const sentences = (line: string): string[] => line.split(/(?<=[.!?])(?= +\S)/);
const NUMBER = /(?<![\w.,])-?\d+(?:\.\d+)?(?![\w]|[.,]\d)/g;

function ofText(text: string, refusal: boolean): Answer | undefined {
  const lines = text.split("\n");
  if (lines.length > MAX_ITEMS) return undefined;
  const items: Item[] = [];
  const texts: string[] = [""];
  for (const [i, line] of lines.entries()) {
    if (i > 0) texts[texts.length - 1] += "\n";
    const found = LABELLED.exec(line);
    // What follows a refusal's words is no reading.
    if (found && !refusal) {
      texts[texts.length - 1] += found[1] as string;
      items.push({ label: (found[1] as string).trim(), value: found[2] as string, hole: items.length });
      texts.push("");
      continue;
    }
    if (line === "") continue;
    for (const [k, sentence] of (refusal ? [line] : sentences(line)).entries()) {
      const label = k === 0 ? `line ${i + 1}` : `line ${i + 1}.${k + 1}`;
      const numbers = refusal ? [] : [...sentence.matchAll(NUMBER)];
      if (numbers.length === 0) {
        const lead = /^ */.exec(sentence)?.[0] ?? "";
        texts[texts.length - 1] += lead;
        items.push({ label, value: sentence.slice(lead.length), hole: items.length });
        texts.push("");
        continue;
      }
      let from = 0;
      for (const [n, { 0: number, index }] of numbers.entries()) {
        texts[texts.length - 1] += sentence.slice(from, index);
        items.push({ label: `${label} number ${n + 1}`, value: number, hole: items.length });
        texts.push("");
        from = index + number.length;
      }
      texts[texts.length - 1] += sentence.slice(from);
    }
  }
  return { form: { id: `${refusal ? "!" : ""}${texts.join("\u0000")}`, refusal, texts }, items };
}

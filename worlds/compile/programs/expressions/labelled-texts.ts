import { type Json, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import type { Call, Session } from "../../observations.ts";
import { byText } from "../../values.ts";

/** One line of a text that says a record: `Seats: 4 left` is the field `Seats` with the number 4. */
interface Line {
  readonly field: string;
  /** What stands before the value, the label with it, and after it. */
  readonly before: string;
  readonly after: string;
  /** All values are numbers. */
  readonly number: boolean;
}

/** How a tool writes a record as a text of lines, each with its label. */
export type LabelledText = readonly Line[];

/** Distinct texts of one form that show it, and the share of a tool's texts that are in it. */
const LEAST = 3;
const SHARE = 0.6;

const LABEL = /^[\p{L}_][^:\n]{0,40}:(?: +|$)/u;
/** A number with signs around it and words after it: a letter before it makes it a name. */
const NUMBER = /^([^\p{L}\p{N}\s-]{0,2})(-?\d+(?:\.\d+)?)((?:[^\p{N}].*)?)$/u;

const labelOf = (line: string): string => LABEL.exec(line)?.[0].trimEnd() ?? "";

/** The labels of a text's lines, of which at least half have one; undefined where the text is no such. */
function labelsOf(text: string): string | undefined {
  const labels = text.split("\n").map(labelOf);
  const named = labels.filter((label) => label !== "");
  return new Set(named).size === named.length && named.length > 0 && named.length * 2 >= labels.length
    ? labels.join("\n")
    : undefined;
}

/** The form of a tool's texts; undefined where they are no records. */
function formOf(texts: readonly string[]): LabelledText | undefined {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const labels = labelsOf(text);
    if (labels !== undefined) groups.set(labels, [...(groups.get(labels) ?? []), text]);
  }
  const [best] = [...groups].sort((a, b) => b[1].length - a[1].length || byText(a[0], b[0]));
  if (!best || best[1].length < texts.length * SHARE || new Set(best[1]).size < LEAST) return undefined;
  const rows = [...new Set(best[1])].map((text) => text.split("\n"));
  return best[0].split("\n").map((label, i): Line => {
    const spaced = rows.every((row) => row[i] === label || row[i]?.startsWith(`${label} `));
    const before = label !== "" && spaced ? `${label} ` : label;
    const values = rows.map((row) => (row[i] as string).slice(before.length));
    const field = label === "" ? `line ${i + 1}` : label.slice(0, -1);
    const numbers = values.map((value) => NUMBER.exec(value));
    const [first] = numbers;
    const alike = numbers.every(
      (found) =>
        found &&
        found[1] === first?.[1] &&
        found[3] === first?.[3] &&
        Number.isSafeInteger(Number(found[2]) * 1e6) &&
        String(Number(found[2])) === found[2],
    );
    if (!first || !alike) return { field, before, after: "", number: false };
    return { field, before: before + (first[1] ?? ""), after: first[3] ?? "", number: true };
  });
}

/** The record that a text in a form says; undefined where the text is not in it. */
export function recordOf(text: string, form: LabelledText): JsonObject | undefined {
  const lines = text.split("\n");
  if (lines.length !== form.length) return undefined;
  const out: JsonObject = {};
  for (const [i, { field, before, after, number }] of form.entries()) {
    const line = lines[i] as string;
    if (!line.startsWith(before) || !line.endsWith(after) || line.length < before.length + after.length)
      return undefined;
    const value = line.slice(before.length, line.length - after.length);
    if (number && String(Number(value)) !== value) return undefined;
    setOwn(out, field, number ? Number(value) : value);
  }
  return textOfRecord(out, form) === text ? out : undefined;
}

/** The text of a record in a form. */
export const textOfRecord = (record: JsonObject, form: LabelledText): string =>
  form.map(({ field, before, after }) => `${before}${String(record[field])}${after}`).join("\n");

/** The expression of the text of a record that `value` is the expression of. */
export function labelledText(value: string, form: LabelledText): string {
  const lines = form.map(
    ({ field, before, after }, i) =>
      `${literal((i === 0 ? "" : "\n") + before)} + string(o[${literal(field)}])` +
      (after === "" ? "" : ` + ${literal(after)}`),
  );
  return `[${value}].map(o, ${lines.join(" + ")})[0]`;
}

/** Reads texts that are records as records: the sessions as if those tools answered them, and the form of each tool. */
export function readLabelled(sessions: readonly Session[]): {
  sessions: readonly Session[];
  labelled: ReadonlyMap<string, LabelledText>;
} {
  const texts = new Map<string, string[]>();
  const others = new Set<string>();
  const note = ({ ok, tool, value }: Call): void => {
    if (!ok || value === null) return;
    if (typeof value !== "string") others.add(tool);
    else texts.set(tool, [...(texts.get(tool) ?? []), value]);
  };
  for (const { calls } of sessions) calls.forEach(note);
  const labelled = new Map<string, LabelledText>();
  for (const [tool, of] of texts) {
    const form = others.has(tool) ? undefined : formOf(of);
    if (form) labelled.set(tool, form);
  }
  if (labelled.size === 0) return { sessions, labelled };
  const read = (call: Call): Call => {
    const form = labelled.get(call.tool);
    const value: Json | undefined =
      call.ok && form && typeof call.value === "string" ? recordOf(call.value, form) : undefined;
    return value === undefined ? call : { ...call, value };
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), labelled };
}

import { getOwn, type Json, type JsonObject, setOwn } from "../../../json.ts";
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
  /** Not every text has the line: its field is null where it is not there, and a list where there may be several such lines. */
  readonly some?: "one" | "several";
}

/** How a tool writes a record as a text of lines, most with labels. The first line is always there. */
export type LabelledText = readonly Line[];

/** Distinct texts of one form that show it, and the share of a tool's texts that are in it. */
const LEAST = 3;
const SHARE = 0.6;
/** Share of lines that texts have in common which are of one form. */
const ALIKE = 0.5;

/** A label may stand in a list and be set off: `- **Points:** 3`, `**Points**: 3`. */
const LABEL = /^(?:[-*•] +)?(?:\*\*)?[\p{L}_][^:\n]{0,40}:(?:\*\*)?(?: +|$)/u;
/** What is about the name in a label. */
const MARKUP = /^(?:[-*•] +)?(?:\*\*)?|(?:\*\*)?:(?:\*\*)?$/gu;
/** What an entry of a list begins with. */
const MARK = /^ *(?:[-*•] +)|^ {2,}/u;
/** A number with signs around it and words after it: a letter before it makes it a name. */
const NUMBER = /^([^\p{L}\p{N}\s-]{0,2})(-?\d+(?:\.\d+)?)((?:[^\p{N}].*)?)$/u;

/** A line as its form tells it: by a label, by the mark of an entry, or by being the n-th line without either. */
interface Read {
  readonly id: string;
  readonly before: string;
  readonly entry: boolean;
}

const labelOf = (line: string): string => LABEL.exec(line)?.[0].trimEnd() ?? "";

/** Labels that several texts have: what but one says before a colon is part of its line. */
function labelsOf(texts: ReadonlySet<string>): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const label of new Set(text.split("\n").map(labelOf))) counts.set(label, (counts.get(label) ?? 0) + 1);
  counts.delete("");
  return new Set([...counts].filter(([, n]) => n > 1).map(([label]) => label));
}

/** The lines of a text, entries of one list as one; undefined where labels come back or fewer than half have one. */
function readsOf(text: string, labels: ReadonlySet<string>): Read[] | undefined {
  const out: Read[] = [];
  let plain = 0;
  for (const line of text.split("\n")) {
    const said = labelOf(line);
    const label = labels.has(said) ? said : "";
    const mark = label === "" ? (MARK.exec(line)?.[0] ?? "") : "";
    const entry = mark !== "" && line.length > mark.length;
    if (label === "" && !entry) plain++;
    const id = label !== "" ? label : entry ? `\n${mark}` : `\n${plain}`;
    if (entry && out.at(-1)?.id === id) continue;
    out.push({ id, before: label !== "" ? label : entry ? mark : "", entry });
  }
  const named = out.filter(({ before }) => before !== "");
  return new Set(out.map(({ id }) => id)).size === out.length && named.length > 0 && named.length * 2 >= out.length
    ? out
    : undefined;
}

/** The lines of one form with those of another in their places; undefined where their orders differ. */
function merged(form: readonly Read[], other: readonly Read[]): Read[] | undefined {
  const ids = new Set(form.map(({ id }) => id));
  const common = other.filter(({ id }) => ids.has(id));
  if (common.length < (form.length + other.length - common.length) * ALIKE) return undefined;
  const out = [...form];
  let at = 0;
  for (const line of other) {
    const found = out.findIndex(({ id }) => id === line.id);
    if (found < 0) out.splice(at++, 0, line);
    else if (found < at) return undefined;
    else at = found + 1;
  }
  return out;
}

/** The values that a text has at each line of a form; undefined where it is not in it. */
function valuesAt(
  text: string,
  form: readonly Read[],
  labels: ReadonlySet<string>,
): (string | string[] | undefined)[] | undefined {
  const read = readsOf(text, labels);
  const lines = text.split("\n");
  let at = 0;
  const out = form.map(({ id, before, entry }) => {
    if (read?.[at]?.id !== id) return undefined;
    at++;
    const own = entry ? lines.findIndex((line) => !line.startsWith(before) || labels.has(labelOf(line))) : 1;
    return lines.splice(0, own < 0 ? lines.length : own).map((line) => line.slice(before.length));
  });
  if (!read || at < read.length || lines.length > 0) return undefined;
  return out.map((values, i) => (form[i]?.entry ? values : values?.[0]));
}

/** The form of a tool's texts; undefined where they are no records. */
function formOf(texts: readonly string[]): LabelledText | undefined {
  const distinct = new Set(texts);
  const labels = labelsOf(distinct);
  const groups = new Map<string, { reads: readonly Read[]; n: number }>();
  for (const text of texts) {
    const reads = readsOf(text, labels);
    if (!reads) continue;
    const id = reads.map((line) => line.id).join("\n");
    groups.set(id, { reads, n: (groups.get(id)?.n ?? 0) + 1 });
  }
  const sorted = [...groups].sort((a, b) => b[1].n - a[1].n || byText(a[0], b[0])).map(([, group]) => group);
  let form: readonly Read[] = sorted[0]?.reads ?? [];
  for (const { reads } of sorted) form = merged(form, reads) ?? form;
  const held = new Map([...distinct].map((text) => [text, valuesAt(text, form, labels)]));
  const rows = [...held.values()].filter((values) => values !== undefined);
  const read = texts.filter((text) => held.get(text)).length;
  if (read < texts.length * SHARE || rows.length < LEAST || rows.some(([first]) => first === undefined))
    return undefined;
  return form.map(({ id, before: label, entry }, i): Line => {
    const field = label === "" || entry ? `line ${i + 1}` : id.replace(MARKUP, "");
    if (entry) return { field, before: label, after: "", number: false, some: "several" };
    const values = rows.flatMap((row) => (typeof row[i] === "string" ? [row[i]] : []));
    const some = values.length < rows.length ? { some: "one" as const } : {};
    const space = label !== "" && values.every((value) => value === "" || value.startsWith(" ")) ? " " : "";
    const numbers = values.map((value) => NUMBER.exec(value.slice(space.length)));
    const [first] = numbers;
    const alike = numbers.every(
      (found) =>
        found &&
        found[1] === first?.[1] &&
        found[3] === first?.[3] &&
        Number.isSafeInteger(Number(found[2]) * 1e6) &&
        String(Number(found[2])) === found[2],
    );
    const before = label + (values.every((value) => value === "") ? "" : space);
    if (!first || !alike) return { field, before, after: "", number: false, ...some };
    return { field, before: before + (first[1] ?? ""), after: first[3] ?? "", number: true, ...some };
  });
}

/** The record that a text in a form says; undefined where the text is not in it. */
export function recordOf(text: string, form: LabelledText): JsonObject | undefined {
  const lines = text.split("\n");
  const labels = form.flatMap(({ before, some }) => (labelOf(before) === "" || some === "several" ? [] : [before]));
  const out: JsonObject = {};
  let at = 0;
  for (const { field, before, after, number, some } of form) {
    const value = (line: string | undefined): string | undefined =>
      line?.startsWith(before) && line.endsWith(after) && line.length >= before.length + after.length
        ? line.slice(before.length, line.length - after.length)
        : undefined;
    if (some === "several") {
      const values: string[] = [];
      while (value(lines[at]) && !labels.some((label) => lines[at]?.startsWith(label)))
        values.push(value(lines[at++]) as string);
      setOwn(out, field, values);
      continue;
    }
    const found = value(lines[at]);
    const wrong = found === undefined || (number && String(Number(found)) !== found);
    if (wrong && !some) return undefined;
    if (!wrong) at++;
    setOwn(out, field, wrong ? null : number ? Number(found) : found);
  }
  return textOfRecord(out, form) === text ? out : undefined;
}

/** The text of a record in a form. */
export const textOfRecord = (record: JsonObject, form: LabelledText): string =>
  form
    .flatMap(({ field, before, after, some }) => {
      const value = getOwn(record, field);
      const values = some === "several" && Array.isArray(value) ? value : some && value === null ? [] : [value];
      return values.map((one) => `${before}${String(one)}${after}`);
    })
    .join("\n");

/** The expression of the text of a record that `value` is the expression of. */
export function labelledText(value: string, form: LabelledText): string {
  const lines = form.map(({ field, before, after, some }, i) => {
    const of = `o[${literal(field)}]`;
    const line = (each: string): string =>
      `${literal((i === 0 ? "" : "\n") + before)} + string(${each})${after === "" ? "" : ` + ${literal(after)}`}`;
    if (some === "several") return `${of}.map(l, ${line("l")}).join("")`;
    return some ? `(${of} == null ? "" : ${line(of)})` : line(of);
  });
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

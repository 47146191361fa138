import { getOwn, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";

/** One line of a text that says a record: `Seats: 4 left` is the field `Seats` with the number 4. */
export interface Line {
  readonly field: string;
  /** What stands before the value, the label with it, and after it. */
  readonly before: string;
  readonly after: string;
  /** All values are numbers. */
  readonly number: boolean;
  /**
   * Not every text has the line: its field is null where it is not there, a list where there may be several such lines,
   * and `apart` is left out with all others that not every text has, as such a text tells of something else.
   */
  readonly some?: "one" | "several" | "apart";
  /** The field of the line in texts that lack the lines apart. */
  readonly alone?: string;
}

/** How a tool writes a record as a text of lines, most with labels. The first line is always there. */
export interface LabelledText {
  readonly lines: readonly Line[];
  /** What stands between two lines. */
  readonly between: string;
}

/** A label may stand in a list and be set off: `- **Points:** 3`, `**Points**: 3`. */
const LABEL = /^(?:[-*•] +)?(?:\*\*)?[\p{L}_][^:\n]{0,40}:(?:\*\*)?(?: +|$)/u;
/** The label of a line; empty where it has none. */
export const labelOf = (line: string): string => LABEL.exec(line)?.[0].trimEnd() ?? "";

/** The record that a text in a form says; undefined where the text is not in it. */
export function recordOf(text: string, form: LabelledText): JsonObject | undefined {
  const lines = text.split(form.between);
  const labels = form.lines.flatMap(({ before, some }) =>
    labelOf(before) === "" || some === "several" ? [] : [before],
  );
  const out: JsonObject = {};
  let at = 0;
  for (const { field, before, after, number, some } of form.lines) {
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
  if (textOfRecord(out, form) !== text) return undefined;
  const other = form.lines.some(({ field, some }) => some === "apart" && getOwn(out, field) === null);
  if (!other) return out;
  for (const { field, some, alone } of form.lines) {
    if (alone !== undefined) setOwn(out, alone, getOwn(out, field) ?? null);
    if (alone !== undefined || (some && getOwn(out, field) === null)) delete out[field];
  }
  return out;
}

/** The text of a record in a form. */
export const textOfRecord = (record: JsonObject, form: LabelledText): string =>
  form.lines
    .flatMap(({ field, before, after, some, alone }) => {
      const value = getOwn(record, field) ?? (alone === undefined ? null : (getOwn(record, alone) ?? null));
      const values = some === "several" && Array.isArray(value) ? value : some && value === null ? [] : [value];
      return values.map((one) => `${before}${String(one)}${after}`);
    })
    .join(form.between);

/** The expression of the text of a record that `value` is the expression of. */
export function labelledText(value: string, form: LabelledText): string {
  const lines = form.lines.map(({ field, before, after, some, alone }, i) => {
    const own = `o[${literal(field)}]`;
    const of = alone === undefined ? own : `(${own} == null ? o[${literal(alone)}] : ${own})`;
    const line = (each: string): string =>
      `${literal((i === 0 ? "" : form.between) + before)} + string(${each})${after === "" ? "" : ` + ${literal(after)}`}`;
    if (some === "several") return `${of}.map(l, ${line("l")}).join("")`;
    return some ? `(${of} == null ? "" : ${line(of)})` : line(of);
  });
  return `[${value}].map(o, ${lines.join(" + ")})[0]`;
}

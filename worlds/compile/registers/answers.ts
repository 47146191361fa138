import { isObject, type Json } from "../../json.ts";
import { isScalar } from "../values.ts";

/** One piece of an answer that may be a reading: what stands before it names it. */
export interface Item {
  /** The words before the value, or the place where there are none. */
  readonly label: string;
  readonly value: string;
  /** Which of the form's holes it fills. */
  readonly hole: number;
  /** The mark whose being there it is, where several share a hole. */
  readonly mark?: string;
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
  /** The fields of an object answer. */
  readonly fields?: readonly string[];
}

const LABELLED = /^(\s*(?:[-*•]\s*)?[^:\n]{1,48}?:\s+)(\S.*)$/;
/** More pieces than this are prose or data, not readings. */
const MAX_ITEMS = 40;

/** Takes an answer apart into labelled lines, or fields of a flat object; undefined for anything else. */
export function takeApart(value: Json, ok: boolean): Answer | undefined {
  if (typeof value === "string") return ofText(value, !ok);
  if (!isObject(value) || !ok) return undefined;
  const fields = Object.keys(value);
  if (fields.length === 0 || fields.length > MAX_ITEMS || !fields.every((field) => scalarOrNull(value[field])))
    return undefined;
  return {
    form: { id: `{${fields.join(",")}}`, refusal: false, fields },
    items: fields.map((label, hole) => ({ label, value: JSON.stringify(value[label]), hole })),
  };
}

const scalarOrNull = (value: Json | undefined): boolean => value === null || isScalar(value);

function ofText(text: string, refusal: boolean): Answer | undefined {
  const lines = text.split("\n");
  if (lines.length > MAX_ITEMS) return undefined;
  const items: Item[] = [];
  const texts: string[] = [""];
  for (const [i, line] of lines.entries()) {
    if (i > 0) texts[texts.length - 1] += "\n";
    const found = LABELLED.exec(line);
    // What follows a refusal's words is no reading.
    const [label, value] = found && !refusal ? [found[1] as string, found[2] as string] : ["", line];
    if (value === "") continue;
    texts[texts.length - 1] += label;
    items.push({ label: label === "" ? `line ${i + 1}` : label.trim(), value, hole: items.length });
    texts.push("");
  }
  return { form: { id: `${refusal ? "!" : ""}${texts.join("\u0000")}`, refusal, texts }, items };
}

import type { Step } from "../../behaviour/schema.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import { effectByName } from "../effects.ts";
import type { Call } from "../observations.ts";
import { canon, isScalar } from "../values.ts";

/** What stands around a list of rows: an answer about a search, not a row. */
export interface Envelope {
  /** The column that holds the rows. */
  readonly rows: string;
  /** All columns in their order, the rows' own among them, as expressions over `args` and the rows found. */
  readonly fields: readonly { readonly name: string; readonly cel: string }[];
}

/** The name of the rows found, in what is said around them. */
const FOUND = "found";
/** Answers that show what stands around their rows. */
const LEAST = 3;
/** A column of this name may say the same around every list. */
const PLAIN = /^(page|pages|next|previous|cursor|next_cursor|has_more|ok|success|status)$/i;

interface Answer {
  readonly args: JsonObject;
  readonly value: JsonObject;
  readonly rows: readonly JsonObject[];
}

/** What a read always answers around one list of rows: their count and its arguments. Undefined for a column of a row. */
export function envelopeOf(tool: string, calls: readonly Call[]): Envelope | undefined {
  const ok = calls.filter((call) => call.ok);
  const [first] = ok;
  if (ok.length < LEAST || !isObject(first?.value) || effectByName(tool) !== "read") return undefined;
  const names = Object.keys(first.value);
  const [rows, ...others] = names.filter((name) => Array.isArray((first.value as JsonObject)[name]));
  if (rows === undefined || others.length > 0 || names.length < 2) return undefined;
  const answers: Answer[] = [];
  for (const { args, value } of ok) {
    const list = isObject(value) && Object.keys(value).length === names.length ? value[rows] : undefined;
    if (!Array.isArray(list) || !list.every(isObject)) return undefined;
    answers.push({ args, value: value as JsonObject, rows: list });
  }
  const fields = names.map((name) => ({ name, cel: name === rows ? FOUND : fieldOf(name, answers) }));
  if (fields.some(({ cel }) => cel === undefined) || !hasIds(answers)) return undefined;
  const known = fields as Envelope["fields"];
  return tellsOfSearch(known, answers) ? { rows, fields: known } : undefined;
}

/** What a column beside the rows says: how many they are, what was asked, or always the same. */
function fieldOf(name: string, answers: readonly Answer[]): string | undefined {
  if (answers.every(({ value, rows }) => value[name] === rows.length)) return `size(${FOUND})`;
  if (!answers.every(({ value }) => value[name] === null || isScalar(value[name]))) return undefined;
  const args = [name, ...Object.keys(answers[0]?.args ?? {})];
  const echo = args.find((arg) => answers.every(({ args, value }) => (args[arg] ?? null) === value[name]));
  if (echo !== undefined) {
    const cel = member("args", echo);
    return answers.every(({ args }) => Object.hasOwn(args, echo)) ? cel : `(${cel} == null ? null : ${cel})`;
  }
  const values = new Set(answers.map(({ value }) => canon(value[name])));
  return values.size === 1 && PLAIN.test(name) ? literal(answers[0]?.value[name] as Json) : undefined;
}

/** Whether the elements have a column that goes by the name of an id and tells those of one list apart. */
function hasIds(answers: readonly Answer[]): boolean {
  const all = answers.flatMap(({ rows }) => rows);
  return Object.keys(all[0] ?? {}).some(
    (column) =>
      /(^|_)(id|key|number|no|code|sku|uuid|ref|reference|slug)$|Id$|ID$/.test(column) &&
      all.every((row) => isScalar(row[column])) &&
      answers.every(({ rows }) => new Set(rows.map((row) => row[column])).size === rows.length),
  );
}

/** Whether what stands around is about a question: lists of several lengths are counted, or their rows repeat what was asked. */
function tellsOfSearch(fields: Envelope["fields"], answers: readonly Answer[]): boolean {
  const counted = fields.some(({ cel }) => cel === `size(${FOUND})`);
  if (counted && new Set(answers.map(({ rows }) => rows.length)).size > 1) return true;
  return fields.some(
    ({ name, cel }) =>
      cel.includes("args") && answers.every(({ value, rows }) => rows.every((row) => row[name] === value[name])),
  );
}

/** A behaviour that ends with a list of rows, with what stands around them. `optional` are columns that some rows lack. */
export function inEnvelope(steps: readonly Step[], { fields }: Envelope, optional: ReadonlySet<string>): Step[] {
  const last = steps.at(-1);
  if (last?.op !== "list") return [...steps];
  const said = fields.map(({ name, cel }) => `${literal(name)}: ${cel}`).join(", ");
  return [
    ...steps.slice(0, -1),
    { op: "let", name: FOUND, expr: listed(last, optional) },
    { op: "answer", expr: `{${said}}` },
  ];
}

/** The rows that a step lists, as an expression. */
function listed(step: Extract<Step, { op: "list" }>, optional: ReadonlySet<string>): string {
  const where = step.where === undefined ? "" : `.filter(row, ${step.where})`;
  let out = `rows(${literal(step.table)})${where}`;
  if (step.order_by) {
    const sorted = `.sortBy(row, ${member("row", step.order_by.path)})`;
    // Rows that are alike stay in their order either way.
    out += step.order_by.desc ? `.reverse()${sorted}.reverse()` : sorted;
  }
  if (step.limit !== undefined) out = `(${step.limit} == null ? ${out} : ${out}.slice(0, ${step.limit}))`;
  if (!step.view) return out;
  const parts = step.view.map(({ path, expr }) => ({ path, cel: expr ?? member("row", path) }));
  const always = parts.filter(({ path }) => !optional.has(path)).map(({ path, cel }) => `${literal(path)}: ${cel}`);
  const some = parts
    .filter(({ path }) => optional.has(path))
    .map(({ path, cel }) => `.merge(has(${cel}) ? {${literal(path)}: ${cel}} : {})`);
  return `${out}.map(row, {${always.join(", ")}}${some.join("")})`;
}

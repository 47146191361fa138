import { getOwn, isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";

/** A piece of a rendered line, by the fields of the record that it shows. */
export type FormPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly name: string; readonly number: boolean }
  /** A word with an s where the field is not one. */
  | { readonly kind: "plural"; readonly of: string; readonly one: string; readonly many: string }
  | {
      readonly kind: "list";
      readonly name: string;
      readonly before: string;
      readonly between: string;
      readonly after: string;
    }
  /** The end of a line that is there where the field is not null. */
  | { readonly kind: "tail"; readonly when: string; readonly parts: readonly FormPart[] };

/**
 * A line with what stands before it, there where `when` is not null, or in place of the list `unless` where that is empty;
 * or a list of records that are lines each, after a lead.
 */
export type FormNode =
  | {
      readonly kind: "line";
      readonly before: string;
      readonly parts: readonly FormPart[];
      readonly when?: string;
      readonly unless?: string;
    }
  /** `alone`: the one field of its records, whose values the list holds. */
  | {
      readonly kind: "repeat";
      readonly name: string;
      readonly lead: string;
      /** What each entry begins with; `#` is its number, from one. */
      readonly numbered?: string;
      readonly of: readonly FormNode[];
      readonly alone?: string;
    };

/** A part of a sentence: a text, or an argument of the call. */
export type SentencePart = { readonly text: string } | { readonly arg: string };

/** How a tool writes a record as a text. */
export interface RenderedText {
  readonly nodes: readonly FormNode[];
  /** The text in place of one whose list is empty. */
  readonly empty?: { readonly list: string; readonly parts: readonly SentencePart[] };
}

const text = (value: Json | undefined): string => String(value ?? null);
const isEmpty = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0;

function partText(part: FormPart, record: JsonObject): string {
  if (part.kind === "text") return part.text;
  if (part.kind === "plural") return getOwn(record, part.of) === 1 ? part.one : part.many;
  if (part.kind === "field") return text(getOwn(record, part.name));
  if (part.kind === "tail")
    return (getOwn(record, part.when) ?? null) === null ? "" : part.parts.map((one) => partText(one, record)).join("");
  const values = getOwn(record, part.name);
  return (Array.isArray(values) ? values : []).map((one) => part.before + text(one) + part.after).join(part.between);
}

const nodesText = (nodes: readonly FormNode[], record: JsonObject): string =>
  nodes
    .map((node) => {
      if (node.kind === "line") {
        if (node.when !== undefined && (getOwn(record, node.when) ?? null) === null) return "";
        if (node.unless !== undefined && !isEmpty(getOwn(record, node.unless))) return "";
        return node.before + node.parts.map((part) => partText(part, record)).join("");
      }
      const entries = getOwn(record, node.name);
      const written = (Array.isArray(entries) ? entries : []).map((entry, i) => {
        const number = (node.numbered ?? "").replace("#", String(i + 1));
        const own: JsonObject = {};
        if (node.alone !== undefined) setOwn(own, node.alone, entry);
        return number + nodesText(node.of, node.alone === undefined && isObject(entry) ? entry : own);
      });
      return (written.length > 0 ? node.lead : "") + written.join("");
    })
    .join("");

/** The text of a record; each line but the first stands on a line of its own. */
export const renderedText = (record: JsonObject, { nodes }: RenderedText): string => nodesText(nodes, record).slice(1);

/** A term of a sum of texts: a text itself, or an expression. */
type Term = { readonly text: string } | { readonly cel: string };
/** The expression of a field by its name. */
type Access = (name: string) => string;

/** The expression of the text of a record that `value` is the expression of. */
export function renderedExpression(value: string, { nodes, empty }: RenderedText): string {
  const field: Access = (name) => `o[${literal(name)}]`;
  const whole = `(${sumOf(nodesTerms(nodes, field, 0))}).substring(1)`;
  if (!empty) return `[${value}].map(o, ${whole})[0]`;
  const sentence = empty.parts.map((part): Term => ("text" in part ? part : { cel: `string(${arg(part.arg)})` }));
  // What the sentence repeats may not have been given: how an empty list is written then, nobody saw.
  const lacks = empty.parts.flatMap((part) => ("arg" in part ? `${arg(part.arg)} == null` : []));
  const text = lacks.length === 0 ? sumOf(sentence) : `(${lacks.join(" || ")} ? unknown() : ${sumOf(sentence)})`;
  return `[${value}].map(o, ${field(empty.list)}.size() == 0 ? ${text} : ${whole})[0]`;
}

const arg = (name: string): string => `args[${literal(name)}]`;

/** Texts one after another; those that are known are written as one. */
function sumOf(terms: readonly Term[]): string {
  const out: Term[] = [];
  for (const term of terms) {
    const last = out.at(-1);
    if (last && "text" in last && "text" in term) out.splice(-1, 1, { text: last.text + term.text });
    else out.push(term);
  }
  const written = out.map((term) => ("text" in term ? literal(term.text) : term.cel));
  return written.length === 0 ? literal("") : written.join(" + ");
}

function nodesTerms(nodes: readonly FormNode[], field: Access, depth: number): Term[] {
  return nodes.flatMap((node): Term[] => {
    if (node.kind === "line") {
      const line = [{ text: node.before }, ...node.parts.map((part) => partTerm(part, field))];
      if (node.unless !== undefined) return [{ cel: `(${field(node.unless)}.size() == 0 ? ${sumOf(line)} : "")` }];
      return node.when === undefined ? line : [{ cel: `(${field(node.when)} == null ? "" : ${sumOf(line)})` }];
    }
    const each = `e${depth}`;
    const own: Access = (name) => (node.alone === name ? each : `${each}[${literal(name)}]`);
    const number = node.numbered === undefined ? "" : `.numbered(${literal(node.numbered)})`;
    const entries = `${field(node.name)}.map(${each}, ${sumOf(nodesTerms(node.of, own, depth + 1))})${number}.join("")`;
    if (node.lead === "") return [{ cel: entries }];
    return [{ cel: `(${field(node.name)}.size() == 0 ? "" : ${literal(node.lead)})` }, { cel: entries }];
  });
}

function partTerm(part: FormPart, field: Access): Term {
  if (part.kind === "text") return part;
  if (part.kind === "field") return { cel: `string(${field(part.name)})` };
  if (part.kind === "plural") return { cel: `(${field(part.of)} == 1 ? ${literal(part.one)} : ${literal(part.many)})` };
  if (part.kind === "tail") {
    const inner = sumOf(part.parts.map((one) => partTerm(one, field)));
    return { cel: `(${field(part.when)} == null ? "" : ${inner})` };
  }
  const entry = sumOf([{ text: part.before }, { cel: "string(l)" }, { text: part.after }]);
  return { cel: `${field(part.name)}.map(l, ${entry}).join(${literal(part.between)})` };
}

/** The fields that a part shows. */
export function fieldsIn(part: FormPart): { name: string; number: boolean }[] {
  if (part.kind === "field") return [part];
  if (part.kind === "list") return [{ name: part.name, number: false }];
  return part.kind === "tail" ? part.parts.flatMap(fieldsIn) : [];
}

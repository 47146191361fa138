import type { Json } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText } from "../../values.ts";
import { partsOf } from "./part-texts.ts";
import { switchForms } from "./switches.ts";
import { type LabelledText, type Line, labelOf, recordOf } from "./text-forms.ts";

/** Distinct texts of one form that show it, and the share of a tool's texts that are in it. */
const LEAST = 3;
const SHARE = 0.6;
/** Share of lines that texts have in common which are of one form. */
const ALIKE = 0.5;

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
    const found = labelOf(line);
    const label = labels.has(found) ? found : "";
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
  const parsed = new Map([...distinct].map((text) => [text, valuesAt(text, form, labels)]));
  const rows = [...parsed.values()].filter((values) => values !== undefined);
  const read = texts.filter((text) => parsed.get(text)).length;
  if (read < texts.length * SHARE || rows.length < LEAST || rows.some(([first]) => first === undefined))
    return undefined;
  const lines = form.map(({ id, before: label, entry }, i): Line => {
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
  return { lines, between: "\n" };
}

/** Reads texts that are records as records: the sessions as if those tools answered them, and the form of each tool. */
export function readLabelled(
  sessions: readonly Session[],
  readers: ReadonlySet<string> = new Set(),
): {
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
    const form = others.has(tool) ? undefined : (formOf(of) ?? partsOf(of));
    if (form) labelled.set(tool, form);
  }
  for (const [tool, form] of switchForms(sessions, readers)) if (!labelled.has(tool)) labelled.set(tool, form);
  if (labelled.size === 0) return { sessions, labelled };
  const read = (call: Call): Call => {
    const form = labelled.get(call.tool);
    const value: Json | undefined =
      call.ok && form && typeof call.value === "string" ? recordOf(call.value, form) : undefined;
    return value === undefined ? call : { ...call, value };
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), labelled };
}

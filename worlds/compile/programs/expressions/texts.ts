import type { Call, Session } from "../../observations.ts";

/** How a tool writes a list as a text: what stands before it, between its entries and around each. */
export interface ListText {
  readonly head: string;
  /** Between two entries. */
  readonly between: string;
  /** Before an entry; `#` stands for its number, from one. */
  readonly before: string;
  readonly tail: string;
}

/** Texts of which so many say a list are lists. */
const SHARE = 0.95;

/** Forms that lists are written in, beside single entries on lines of their own. */
const PLAIN: readonly string[] = [",", ", ", "\n", "; ", " | "];

/** The entries of a text in a form; undefined where the text is not in it. */
export function entriesOf(text: string, form: ListText): string[] | undefined {
  if (!text.startsWith(form.head) || !text.endsWith(form.tail) || text.length < form.head.length + form.tail.length)
    return undefined;
  const body = text.slice(form.head.length, text.length - form.tail.length);
  if (body === "") return [];
  const parts = body.split(form.between);
  const out: string[] = [];
  for (const [i, part] of parts.entries()) {
    const before = form.before.replace("#", String(i + 1));
    if (!part.startsWith(before) || part.length === before.length) return undefined;
    out.push(part.slice(before.length));
  }
  return out;
}

/** The text of entries in a form. */
export function textOfEntries(entries: readonly string[], form: ListText): string {
  return (
    form.head +
    entries.map((entry, i) => form.before.replace("#", String(i + 1)) + entry).join(form.between) +
    form.tail
  );
}

/** The form in which a tool writes lists; undefined where its texts are none. */
function formOf(texts: readonly string[]): ListText | undefined {
  const distinct = [...new Set(texts)];
  if (distinct.length < 3) return undefined;
  for (const form of [
    ...numbered(distinct),
    ...PLAIN.map((between) => ({ head: "", between, before: "", tail: "" })),
  ]) {
    const parsed = distinct.map((text) => entriesOf(text, form));
    const whole = parsed.filter((entries) => entries !== undefined);
    const several = whole.filter((entries) => entries.length > 1);
    const words = whole.flat().every((entry) => entry.length <= 80 && !entry.includes("\n") && entry.trim() === entry);
    // Entries that come back in several texts tell a list from a sentence with commas in it.
    const seen = new Map<string, number>();
    for (const entries of whole) for (const entry of new Set(entries)) seen.set(entry, (seen.get(entry) ?? 0) + 1);
    const again = [...seen.values()].filter((n) => n > 1).length;
    if (
      whole.length >= distinct.length * SHARE &&
      several.length * 3 >= whole.length &&
      words &&
      again * 3 >= seen.size
    )
      return form;
  }
  return undefined;
}

/** Forms of numbered or marked lines under a heading, as the texts begin. */
function numbered(texts: readonly string[]): ListText[] {
  const out: ListText[] = [];
  for (const [pattern, before] of [
    [/^1\. /m, "#. "],
    [/^1\) /m, "#) "],
    [/^- /m, "- "],
    [/^\* /m, "* "],
  ] as const) {
    const found = texts.find((text) => pattern.test(text));
    if (found === undefined) continue;
    const head = found.slice(0, found.search(pattern));
    for (const tail of ["", "\n"]) out.push({ head, between: "\n", before, tail });
  }
  return out;
}

/** Reads texts that are lists as lists: the sessions as if those tools answered them, and the form of each tool. */
export function readLists(sessions: readonly Session[]): { sessions: Session[]; forms: Map<string, ListText> } {
  const texts = new Map<string, string[]>();
  for (const { calls } of sessions)
    for (const { ok, tool, value } of calls)
      if (ok && typeof value === "string") texts.set(tool, [...(texts.get(tool) ?? []), value]);
      else if (ok) texts.delete(tool);
  const forms = new Map<string, ListText>();
  for (const [tool, of] of texts) {
    const form = formOf(of);
    if (form) forms.set(tool, form);
  }
  if (forms.size === 0) return { sessions: [...sessions], forms };
  const read = (call: Call): Call => {
    const form = forms.get(call.tool);
    const entries = call.ok && form && typeof call.value === "string" ? entriesOf(call.value, form) : undefined;
    return entries ? { ...call, value: entries } : call;
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), forms };
}

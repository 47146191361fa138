import type { Call, Session } from "../../observations.ts";

/** What tools write between the entries of a list that is one line. */
const BETWEEN: readonly string[] = [",", ", ", "; ", " | "];
/** Distinct texts that show a list, and the share of a tool's that have to be in its form. */
const LEAST = 3;
const SHARE = 0.95;
/** Characters of an entry: longer ones are sentences. */
const LONGEST = 80;

/** The entries of a text; none of an empty one. */
const entriesOf = (text: string, between: string): string[] => (text === "" ? [] : text.split(between));

/** Whether an entry is one of a list: a word or a name. */
const isEntry = (entry: string): boolean =>
  entry !== "" && entry.length <= LONGEST && !entry.includes("\n") && entry.trim() === entry;

/** What stands between the entries of the lists that texts are; undefined where they are none. */
function betweenIn(texts: readonly string[]): string | undefined {
  const distinct = [...new Set(texts)];
  if (distinct.length < LEAST) return undefined;
  return BETWEEN.find((between) => {
    const lists = distinct.map((text) => entriesOf(text, between)).filter((entries) => entries.every(isEntry));
    const several = lists.filter((entries) => entries.length > 1);
    // Entries that come back in several texts tell a list from a sentence with commas in it.
    const seen = new Map<string, number>();
    for (const entry of lists.flatMap((entries) => [...new Set(entries)])) seen.set(entry, (seen.get(entry) ?? 0) + 1);
    const again = [...seen.values()].filter((n) => n > 1).length;
    return lists.length >= distinct.length * SHARE && several.length * 3 >= lists.length && again * 3 >= seen.size;
  });
}

/** Reads texts that are the entries of a list as lists; `between` is what each such tool writes between two. */
export function readJoinedLists(sessions: readonly Session[]): {
  sessions: readonly Session[];
  between: ReadonlyMap<string, string>;
} {
  const texts = new Map<string, string[]>();
  const others = new Set<string>();
  for (const { ok, tool, value } of sessions.flatMap(({ calls }) => calls))
    if (ok && typeof value === "string") texts.set(tool, [...(texts.get(tool) ?? []), value]);
    else if (ok) others.add(tool);
  const between = new Map<string, string>();
  for (const [tool, of] of texts) {
    const found = others.has(tool) ? undefined : betweenIn(of);
    if (found !== undefined) between.set(tool, found);
  }
  if (between.size === 0) return { sessions, between };
  const read = (call: Call): Call => {
    const by = between.get(call.tool);
    const entries = call.ok && by !== undefined ? entriesOf(String(call.value), by) : [""];
    return entries.every(isEntry) ? { ...call, value: entries } : call;
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), between };
}

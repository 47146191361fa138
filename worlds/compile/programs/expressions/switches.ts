import { isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, canon } from "../../values.ts";
import type { RenderedText } from "../rendered/form.ts";

/** Pairs of calls in turn that show two values to take turns: by chance, a pair differs in one of two. */
const PAIRS = 4;
/** Names of tools that say so: one pair is enough. */
const TOGGLES = /(?:^|[./:_-])(?:toggle|flip|invert)(?![a-z])/;

/** Two values, of which each call leaves the other one. */
export type Turns = readonly [Json, Json];

/** What a call was answered, as far as it may be switched. */
type Shown = { readonly call: Pick<Call, "args">; readonly value: Json };

/**
 * The two values that a tool's calls take in turns, each the other one than before, from what each session shows in order:
 * back and forth, as a count goes up alone. Undefined where what calls were given tells which.
 */
export function turnsOf(tool: string, shown: Iterable<readonly Shown[]>): Turns | undefined {
  const values = new Map<string, Json>();
  const byArgs = new Map<string, Set<string>>();
  const left = new Set<string>();
  let pairs = 0;
  for (const list of shown)
    for (const [i, { call, value }] of list.entries()) {
      const [id, args] = [canon(value), canon(call.args)];
      values.set(id, value);
      byArgs.set(args, (byArgs.get(args) ?? new Set()).add(id));
      if (i === 0) continue;
      const before = canon(list[i - 1]?.value as Json);
      if (before === id) return undefined;
      left.add(before);
      pairs++;
    }
  const [a, b, ...more] = [...values.keys()].sort(byText).map((key) => values.get(key) as Json);
  if (a === undefined || b === undefined || more.length > 0) return undefined;
  if ([...byArgs.values()].every((of) => of.size === 1)) return undefined;
  const taken = TOGGLES.test(tool) ? pairs > 0 : pairs >= PAIRS && left.size === 2;
  return taken ? [a, b] : undefined;
}

/** Words that say no more than that something is so now. */
const COPULA = /(?:^| )(?:is|are|was|has been|now|=|:)(?= |$)/g;

/** A form of two texts that differ in one word, with the field that says which. */
interface SwitchText {
  readonly form: RenderedText;
  readonly field: string;
  /** The word of each text. */
  readonly words: ReadonlyMap<string, string>;
}

/**
 * Reads the texts of tools that switch something between two words as records of one field: `Data is ON.`, `Data is OFF.`
 * Not where a reading tells both apart: then each text is an ending of its own, and what is read is the state.
 */
export function readSwitches(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
): { sessions: readonly Session[]; forms: ReadonlyMap<string, RenderedText> } {
  const found = new Map<string, SwitchText>();
  for (const [tool, shown] of textsByTool(sessions)) {
    const turns = turnsOf(tool, shown);
    const form = turns && !isRead(tool, sessions, readers) && wordForm(turns[0] as string, turns[1] as string);
    if (form) found.set(tool, form);
  }
  const read = (call: Call): Call => {
    const { field, words } = found.get(call.tool) ?? {};
    const word = call.ok && typeof call.value === "string" ? words?.get(call.value) : undefined;
    if (field === undefined || word === undefined) return call;
    const value: JsonObject = {};
    setOwn(value, field, word);
    return { ...call, value };
  };
  return {
    sessions: found.size === 0 ? sessions : sessions.map((one) => ({ ...one, calls: one.calls.map(read) })),
    forms: new Map([...found].map(([tool, { form }]) => [tool, form])),
  };
}

/** What tools that answer texts alone answered, by session. */
function textsByTool(sessions: readonly Session[]): ReadonlyMap<string, readonly (readonly Shown[])[]> {
  const texts = new Map<string, Shown[][]>();
  const others = new Set<string>();
  for (const { calls } of sessions)
    for (const [tool, of] of Map.groupBy(
      calls.filter(({ ok }) => ok),
      (call) => call.tool,
    )) {
      const list = of.flatMap((call) => (typeof call.value === "string" ? [{ call, value: call.value }] : []));
      if (list.length < of.length) others.add(tool);
      else texts.set(tool, [...(texts.get(tool) ?? []), list]);
    }
  return new Map([...texts].filter(([tool]) => !others.has(tool)));
}

/** Readings right after each of two answers, that show them to be told apart. */
const READ = 2;

/** Whether some value that readings show right after a tool's calls is one after the one answer, and another after the other. */
function isRead(tool: string, sessions: readonly Session[], readers: ReadonlySet<string>): boolean {
  const leaves = new Map<string, Map<string, { value: string; n: number } | undefined>>();
  for (const { calls } of sessions) {
    let last: string | undefined;
    for (const call of calls) {
      if (!call.ok) continue;
      if (call.tool === tool) last = canon(call.value);
      else if (!readers.has(call.tool)) last = undefined;
      else if (last !== undefined)
        for (const [path, value] of scalarsIn(call.value, call.tool)) {
          const of = leaves.get(path) ?? new Map<string, { value: string; n: number } | undefined>();
          leaves.set(path, of);
          const seen = of.get(last);
          if (!of.has(last)) of.set(last, { value, n: 1 });
          else of.set(last, seen?.value === value ? { value, n: seen.n + 1 } : undefined);
        }
    }
  }
  return [...leaves.values()].some((of) => {
    const [a, b] = [...of.values()];
    return a !== undefined && b !== undefined && a.value !== b.value && Math.min(a.n, b.n) >= READ;
  });
}

/** Scalars in an answer by their path; lists are left out. */
function scalarsIn(value: Json, path: string): [path: string, value: string][] {
  if (isObject(value)) return Object.entries(value).flatMap(([name, of]) => scalarsIn(of, `${path}.${name}`));
  return Array.isArray(value) ? [] : [[path, canon(value)]];
}

/** The form of two texts that differ in one word. */
function wordForm(a: string, b: string): SwitchText | undefined {
  const [ours, theirs] = [a.split(" "), b.split(" ")];
  const at = ours.findIndex((word, i) => word !== theirs[i]);
  if (ours.length !== theirs.length || ours.slice(at + 1).join(" ") !== theirs.slice(at + 1).join(" "))
    return undefined;
  const after = sharedEnd(ours[at] as string, theirs[at] as string);
  const lead = ours.slice(0, at).join(" ");
  const rest = ours.slice(at + 1).join(" ");
  const named = `${lead} ${rest}`
    .replace(COPULA, "")
    .replace(/[^\p{L}\p{N}]+$/u, "")
    .trim();
  const field = named === "" ? "state" : named;
  const tail = `${after}${rest === "" ? "" : ` ${rest}`}`;
  const before = lead === "" ? "" : `${lead} `;
  const parts = [
    { kind: "text" as const, text: before },
    { kind: "field" as const, name: field, number: false },
    { kind: "text" as const, text: tail },
  ];
  const words = new Map([a, b].map((text) => [text, text.slice(before.length, text.length - tail.length)]));
  return { form: { nodes: [{ kind: "line", before: "\n", parts }] }, field, words };
}

/** The signs that two words both end with. */
function sharedEnd(a: string, b: string): string {
  let end = "";
  for (let i = 1; i < Math.min(a.length, b.length); i++) {
    const sign = a.at(-i) as string;
    if (sign !== b.at(-i) || /[\p{L}\p{N}]/u.test(sign)) break;
    end = sign + end;
  }
  return end;
}

import { type Call, observe } from "../../compile/observations.ts";
import { isObject, type Json } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { fold, singular, stems, tokens } from "../checks/words.ts";
import type { Kit } from "../kit.ts";
import { isMap, member } from "../leaves.ts";

/** A scalar of a call's arguments or result, by its path from the top: `tasks[0].title`. */
export interface ScalarAt {
  readonly path: string;
  /** The same with `[*]` for elements of lists and maps. */
  readonly generic: string;
  readonly name: string;
  readonly value: string | number | boolean | null;
}

/** What sessions did, as tasks are made from it. */
export interface Recorded {
  readonly sessions: readonly (readonly Call[])[];
  /** How many sessions made a call of each tool. */
  readonly share: ReadonlyMap<string, number>;
  /** The values that sessions gave to an argument, each once, in a stable order. */
  values(tool: string, generic: string): readonly Json[];
  /** Whether an argument holds words that nothing ties to the service's state: titles, texts, notes. */
  isFree(tool: string, generic: string): boolean;
  /** Whether a text is its own call's: it names whom another argument is of, or says no more than the tool's name. */
  isBound(tool: string, text: string): boolean;
}

/** Words that stand where nothing was thought of. */
const FILLER = new Set("new my the an a test untitled placeholder example sample some default".split(" "));

/** Whether a text names the person of a mail address in its call: "Lunch with Ann" beside ann@example.com. */
export function namesOther(text: string, others: readonly Json[]): boolean {
  const names = (text.match(/\b\p{Lu}\p{Ll}{2,}/gu) ?? []).map((name) => name.toLowerCase());
  const mail = others.flatMap((other) => (typeof other === "string" ? (/^([^\s@]+)@/.exec(other)?.[1] ?? []) : []));
  return mail.some((of) =>
    of
      .toLowerCase()
      .split(/[._+-]/)
      .some((part) => names.includes(part)),
  );
}

/** Whether a text says only what a call of the tool makes: "New Event" of create_event. */
function saysNothing(tool: string, text: string): boolean {
  const own = new Set(stems(tool));
  const words = tokens(fold(text)).map((word) => word.text);
  return words.every((word) => FILLER.has(word) || own.has(singular(word)));
}

/** Deeper values than these are no argument that a request could say. */
const DEEPEST = 6;
/** As many elements of a list are looked at. */
const MOST_ELEMENTS = 60;

/** Deeper answers than these nobody reads. */
const DEEPEST_ANSWER = 60;

function isShallow(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item as Json, levels - 1));
}

/** Every scalar of a value in order. Own members only, whatever they are called. */
export function scalarsOf(value: Json): ScalarAt[] {
  const found: ScalarAt[] = [];
  const walk = (v: Json, path: string, generic: string, name: string, depth: number): void => {
    if (v === null || typeof v !== "object") {
      found.push({ path, generic, name, value: v });
      return;
    }
    if (depth > DEEPEST) return;
    if (Array.isArray(v)) {
      for (const [i, item] of v.slice(0, MOST_ELEMENTS).entries())
        walk(item, `${path}[${i}]`, `${generic}[*]`, name, depth + 1);
      return;
    }
    const map = isMap(v);
    for (const key of Object.keys(v).slice(0, 200))
      walk(
        v[key] as Json,
        member(path, key),
        map ? `${generic}[*]` : member(generic, key),
        map ? name : key,
        depth + 1,
      );
  };
  walk(value, "", "", "", 0);
  return found;
}

/** Every text that the drawn state holds, keys and members' names too: a value among them is the service's own. */
export function textsOfState(kit: Kit): ReadonlySet<string> {
  let held = states.get(kit);
  if (held) return held;
  const all = new Set<string>();
  const walk = (value: Json): void => {
    if (typeof value === "string") all.add(value);
    else if (Array.isArray(value)) for (const item of value) walk(item);
    else if (isObject(value))
      for (const key of Object.keys(value)) {
        all.add(key);
        walk(value[key] as Json);
      }
  };
  const { tables } = kit.base;
  for (const { name, internal } of kit.bundle.tables)
    if (!internal && Object.hasOwn(tables, name))
      for (const [key, row] of Object.entries(tables[name] ?? {})) {
        for (const part of key.split("\u001f")) all.add(part);
        walk(Object.values(row as Record<string, Json>));
      }
  held = all;
  states.set(kit, held);
  return held;
}

const states = new WeakMap<Kit, ReadonlySet<string>>();
const read = new WeakMap<readonly ObservedTrace[], Recorded>();

/** Reads traces once: the same list answers the same object. */
export function recordedIn(traces: readonly ObservedTrace[]): Recorded {
  const known = read.get(traces);
  if (known) return known;
  const sessions = observe(traces).map(({ calls }) =>
    calls.filter(({ args, value }) => isShallow(args, DEEPEST) && isShallow(value, DEEPEST_ANSWER)),
  );
  const given = new Map<string, Map<string, { value: Json; n: number }>>();
  const bound = new Set<string>();
  const share = new Map<string, number>();
  for (const calls of sessions) {
    for (const tool of new Set(calls.map((call) => call.tool))) share.set(tool, (share.get(tool) ?? 0) + 1);
    for (const { tool, args, ok } of calls) {
      if (!ok) continue;
      const all = scalarsOf(args);
      const others = all.map(({ value }) => value);
      for (const { generic, value } of all) {
        if (typeof value === "string" && (namesOther(value, others) || saysNothing(tool, value)))
          bound.add(`${tool}\n${value}`);
        const name = `${tool}\n${generic}`;
        const values = given.get(name) ?? new Map<string, { value: Json; n: number }>();
        given.set(name, values);
        const text = JSON.stringify(value);
        values.set(text, { value, n: (values.get(text)?.n ?? 0) + 1 });
      }
    }
  }
  const values = (tool: string, generic: string): Json[] =>
    [...(given.get(`${tool}\n${generic}`)?.values() ?? [])].map(({ value }) => value);
  const recorded: Recorded = {
    sessions,
    share,
    values,
    isBound: (tool, text) => bound.has(`${tool}\n${text}`),
    isFree: (tool, generic) => {
      const all = values(tool, generic);
      const worded = all.filter((value) => typeof value === "string" && /\S\s+\S/.test(value));
      return all.length >= LEAST_WORDINGS && worded.length >= all.length * MOSTLY;
    },
  };
  read.set(traces, recorded);
  return recorded;
}

/** Fewer different values than these may be a closed set. */
const LEAST_WORDINGS = 4;
const MOSTLY = 0.8;

import { getOwn, type JsonObject } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { isScalar, scalarsOf } from "../../values.ts";
import type { Kind } from "../state/kinds.ts";
import { type KeyForm, keyForm, nextKey } from "./tables.ts";

/** What is claimed of keys that no answer showed a row of. */
export interface KeyClaims {
  /** The rows, and those without a known column of which it is claimed that they are there. */
  readonly rows: ReadonlyMap<string, JsonObject>;
  /** Whether all other keys are claimed to have none. */
  readonly complete: boolean;
  /** The form of all keys, as a pattern, where they are counted. */
  readonly pattern: string | undefined;
}

/** Calls that have to bear out that keys are there, or are not. */
const BORNE = 3;
/** The share of them that may say otherwise. */
const OTHERWISE = 0.02;
/** Keys are not counted through where so few of them have a known row. */
const SPARSE = 20;
/** Where one in so many keys has a known row, one and the same key may bear out that the others are there. */
const DENSE = 3;
const MOST = 3_000;
/** Endings of so many calls of a tool that name a known row, or of this share of them, are those of rows that are there. */
const OFTEN = 2;
const SHARE = 0.05;

/**
 * Claims of keys that are counted that all below the next one have a row, and that others have none: each where calls
 * that named such keys ended so, which is as calls of the same tool on known rows end, or otherwise.
 */
export function claimKeys(
  key: string,
  rows: ReadonlyMap<string, JsonObject>,
  listed: ReadonlySet<string>,
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  kindOf: (call: Call) => Kind,
): KeyClaims {
  const form = keyForm({ key, rows });
  if (!form) return { rows, complete: false, pattern: undefined };
  const pattern = patternOf(form);
  const next = nextOf(rows, form, sessions, readers) ?? numberOf(nextKey(rows.keys(), form), form);
  const numbers = [...rows.keys()].flatMap((one) => numberOf(one, form) ?? []);
  const named = namings(key, rows, sessions, readers);
  const asked = named.filter(({ written }) => !written);
  const least = Math.min(...numbers, ...asked.flatMap(({ named }) => numberOf(named, form) ?? []));
  // An answer with parts shows that its row is there.
  const shows = ({ call }: KeyQuestion): boolean => call.ok && typeof call.value === "object";
  const there = new Set([...listed, ...named.filter(shows).map((one) => one.named)]);
  const known = kindsOfKnown(asked, there, kindOf);
  const isInside = (named: string): boolean => {
    const number = numberOf(named, form);
    return number !== undefined && next !== undefined && number >= least && number < next;
  };
  // What a list showed was asked for because it is there: the others tell of keys that somebody thought of.
  const thought = asked.filter(({ call, named }) => !listed.has(named) && known.has(call.tool));
  const isThere = (one: KeyQuestion): boolean => shows(one) || known.get(one.call.tool)?.has(kindOf(one.call)) === true;
  const outside = thought.filter(({ named }) => !isInside(named));
  const refusals = new Set(outside.filter((one) => !isThere(one)).map(({ call }) => `${call.tool} ${kindOf(call)}`));
  const inside = thought.filter(({ named }) => isInside(named));
  const found = inside.filter(isThere);
  // A call may be refused for another reason than that its row is not there.
  const absent = inside.filter(
    (one) => !isThere(one) && (refusals.size === 0 || refusals.has(`${one.call.tool} ${kindOf(one.call)}`)),
  );
  const guessed = new Set(found.map(({ named }) => named));
  const borne = (right: number, wrong: number): boolean => right >= BORNE && wrong <= (right + wrong) * OTHERWISE;
  const range = (next ?? 0) - least;
  const whole = range <= numbers.length;
  const dense = range <= numbers.length * DENSE || guessed.size >= BORNE;
  const counted = dense && range <= Math.min(MOST, numbers.length * SPARSE) && borne(found.length, absent.length);
  if (!counted && !whole) return { rows: withLast(rows, key, form, next), complete: false, pattern };
  const all = new Map(rows);
  for (let n = least; n < (next ?? 0); n++) {
    const text = form.prefix + String(n).padStart(form.width, "0");
    if (!all.has(text)) all.set(text, { [key]: form.number ? n : text });
  }
  return {
    rows: all,
    complete: borne(outside.filter((one) => !isThere(one)).length, outside.filter(isThere).length),
    pattern,
  };
}

/** The rows with the last one, where new keys tell that there are more than answers showed. */
function withLast(
  rows: ReadonlyMap<string, JsonObject>,
  key: string,
  form: KeyForm,
  next: number | undefined,
): ReadonlyMap<string, JsonObject> {
  if (next === undefined) return rows;
  const last = form.prefix + String(next - 1).padStart(form.width, "0");
  return rows.has(last) || next < 1 ? rows : new Map([...rows, [last, { [key]: form.number ? next - 1 : last }]]);
}

function patternOf({ prefix, width }: KeyForm): string {
  const escaped = prefix.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return `^${escaped}[0-9]${width > 0 ? `{${width},}` : "+"}$`;
}

function numberOf(key: string, { prefix, width }: KeyForm): number | undefined {
  const digits = key.startsWith(prefix) ? key.slice(prefix.length) : "";
  return /^\d{1,15}$/.test(digits) && digits.length >= width ? Number(digits) : undefined;
}

/** The number of the first row that a session makes: a tool's first answers show one past all known ones, alike in all sessions. */
function nextOf(
  rows: ReadonlyMap<string, JsonObject>,
  form: KeyForm,
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
): number | undefined {
  const largest = Math.max(...[...rows.keys()].map((one) => numberOf(one, form) ?? 0));
  const first = new Map<string, Map<number, number>>();
  for (const { calls } of sessions) {
    const met = new Set<string>();
    for (const { tool, ok, value, args } of calls) {
      if (readers.has(tool) || !ok || met.has(tool)) continue;
      met.add(tool);
      const given = new Set([...scalarsOf(args)].map(String));
      for (const one of scalarsOf(value)) {
        const number = given.has(String(one)) ? undefined : numberOf(String(one), form);
        if (number === undefined || number <= largest) continue;
        const counts = first.get(tool) ?? new Map<number, number>();
        first.set(tool, counts.set(number, (counts.get(number) ?? 0) + 1));
      }
    }
  }
  for (const counts of first.values()) {
    const [often] = [...counts].sort((a, b) => b[1] - a[1]);
    const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
    if (often && often[1] > 1 && often[1] >= all * 0.9) return often[0];
  }
  return undefined;
}

interface KeyQuestion {
  readonly call: Call;
  readonly named: string;
  /** A write of the session named the row before. */
  readonly written: boolean;
}

/** Calls that name a row that their session did not make, by an argument that names rows. */
function namings(
  key: string,
  rows: ReadonlyMap<string, JsonObject>,
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
): KeyQuestion[] {
  const every = sessions.flatMap(({ calls }) => calls);
  const names = new Map<string, { hits: number; n: number }>();
  for (const { tool, args } of every)
    for (const [name, value] of Object.entries(args)) {
      if (!isScalar(value) || value === "") continue;
      const count = names.get(`${tool}\n${name}`) ?? { hits: 0, n: 0 };
      names.set(`${tool}\n${name}`, count);
      count.n++;
      if (rows.has(String(value))) count.hits++;
    }
  const out: KeyQuestion[] = [];
  for (const { calls } of sessions) {
    const touched = new Set<string>();
    const made = new Set<string>();
    for (const call of calls) {
      for (const name of Object.keys(call.args)) {
        const { hits = 0, n = 0 } = names.get(`${call.tool}\n${name}`) ?? {};
        const value = getOwn(call.args, name);
        if (!isScalar(value) || value === "" || hits === 0 || (name !== key && hits * 4 < n)) continue;
        const named = String(value);
        if (!made.has(named)) out.push({ call, named, written: touched.has(named) });
      }
      if (readers.has(call.tool)) continue;
      for (const value of scalarsOf(call.args)) touched.add(String(value));
      for (const value of scalarsOf(call.value)) if (!touched.has(String(value))) made.add(String(value));
    }
  }
  return out;
}

/** By tool how calls end that name a row that is there. */
function kindsOfKnown(
  asked: readonly KeyQuestion[],
  there: ReadonlySet<string>,
  kindOf: (call: Call) => Kind,
): Map<string, Set<Kind>> {
  const counts = new Map<string, Map<Kind, number>>();
  for (const { call, named } of asked) {
    if (!there.has(named)) continue;
    const of = counts.get(call.tool) ?? new Map<Kind, number>();
    const kind = kindOf(call);
    counts.set(call.tool, of.set(kind, (of.get(kind) ?? 0) + 1));
  }
  return new Map(
    [...counts].map(([tool, of]) => {
      const all = [...of.values()].reduce((sum, n) => sum + n, 0);
      return [tool, new Set([...of].flatMap(([kind, n]) => (n >= OFTEN || n >= all * SHARE ? [kind] : [])))];
    }),
  );
}

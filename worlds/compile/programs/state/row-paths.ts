import { getOwn, isObject, type Json, type JsonObject } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { canon, isScalar, unusedName } from "../../values.ts";

/** Where objects stand in the answers of a tool: `$`, `$.tasks[]`, `$.tasks[].steps[]`. */
export interface Shown {
  readonly path: string;
  readonly object: JsonObject;
  /** The objects around it, the outermost first. */
  readonly around: readonly { readonly path: string; readonly object: JsonObject }[];
  /** Its position in the list that holds it, if one does. */
  readonly index: number | undefined;
}

/** Names of an object's fields, over all answers of a tool, past which they are no fields: the object is a value. */
export const FIELDS = 40;

/** Paths of objects that are values and have no fields, by tool. */
export type Values = ReadonlyMap<string, ReadonlySet<string>>;

const NONE: ReadonlySet<string> = new Set();
export const valuesOf = (values: Values, tool: string): ReadonlySet<string> => values.get(tool) ?? NONE;

/** Finds objects whose names are data: maps by key, with more names than an object has fields. */
export function findValues(sessions: readonly Session[]): Values {
  const names = new Map<string, Map<string, Set<string>>>();
  const forms = new Map<string, Forms>();
  const asked = argumentValues(sessions);
  const out = new Map<string, Set<string>>();
  for (const [s, { calls }] of sessions.entries())
    for (const { ok, tool, value } of calls) {
      if (!ok || typeof value !== "object") continue;
      const paths = names.get(tool) ?? new Map<string, Set<string>>();
      names.set(tool, paths);
      const wide = out.get(tool) ?? new Set<string>();
      for (const { path, object } of objectsIn(value, wide)) {
        if (path === "$" || path.endsWith("[]")) continue;
        const seen = paths.get(path) ?? new Set<string>();
        const form = forms.get(`${tool} ${path}`) ?? { tool, path, all: 0, of: new Map(), given: new Set() };
        forms.set(`${tool} ${path}`, form);
        const own = Object.keys(object);
        for (const name of own) {
          seen.add(name);
          if (asked[s]?.has(name)) form.given.add(name);
        }
        form.all++;
        const id = canon(own.sort());
        form.of.set(id, (form.of.get(id) ?? 0) + 1);
        paths.set(path, seen);
        if (seen.size > FIELDS) out.set(tool, wide.add(path));
      }
    }
  for (const { tool, path, all, of, given } of forms.values()) {
    const size = names.get(tool)?.get(path)?.size ?? 0;
    const most = Math.max(...of.values());
    if (size >= KEYS && given.size * 2 >= size && most <= all * ALIKE)
      out.set(tool, (out.get(tool) ?? new Set<string>()).add(path));
  }
  return out;
}

/** Names of the objects at one path, by object, and those that calls of the same session were given as values. */
interface Forms {
  readonly tool: string;
  readonly path: string;
  all: number;
  readonly of: Map<string, number>;
  readonly given: Set<string>;
}

/** Names from which objects may be maps, and the share of those with the same names past which they are none. */
const KEYS = 3;
const ALIKE = 0.8;

/** Every object of an answer, outer ones first. Maps of objects are walked by their names; what is a `value` is not looked into. */
export function* objectsIn(
  value: Json,
  values: ReadonlySet<string>,
  path = "$",
  around: Shown["around"] = [],
  index: number | undefined = undefined,
): Generator<Shown> {
  if (Array.isArray(value)) {
    for (const [i, entry] of value.entries())
      if (typeof entry === "object") yield* objectsIn(entry, values, `${path}[]`, around, i);
  } else if (isObject(value) && !values.has(path)) {
    yield { path, object: value, around, index };
    const inside = [...around, { path, object: value }];
    for (const name of Object.keys(value)) {
      const entry = value[name] as Json;
      if (typeof entry === "object") yield* objectsIn(entry, values, `${path}.${name}`, inside, undefined);
    }
  }
}

/** An object's leaves by dotted name: scalars, nulls, empty objects, values and lists whole, without rows that stand on their own. */
export function leavesOf(
  object: JsonObject,
  isPlace: (path: string) => boolean,
  values: ReadonlySet<string>,
  path = "$",
  prefix = "",
): [name: string, value: Json][] {
  const out: [string, Json][] = [];
  for (const name of Object.keys(object)) {
    const value = object[name] as Json;
    const here = `${path}.${name}`;
    if (isPlace(here) || isPlace(`${here}[]`)) continue;
    if (isObject(value) && !values.has(here) && Object.keys(value).length > 0)
      out.push(...leavesOf(value, isPlace, values, here, `${prefix}${name}.`));
    else out.push([`${prefix}${name}`, value]);
  }
  return out;
}

/** How the rows at one place are told apart. */
export type KeySource =
  | { readonly from: "field"; readonly name: string }
  | { readonly from: "args"; readonly names: readonly string[] }
  /** The value that a cell has. */
  | { readonly from: "cell"; readonly name: string };

/** A place where rows of a table stand in a tool's answers. */
export interface RowPath {
  readonly tool: string;
  readonly path: string;
  readonly table: string;
  readonly key: KeySource;
}

interface Instance {
  readonly session: number;
  readonly call: Call;
  readonly object: JsonObject;
  readonly index: number | undefined;
}

interface Pattern {
  readonly tool: string;
  readonly path: string;
  readonly instances: Instance[];
  key?: string;
}

/** Endings of names that number things, and sometimes measure them. */
const ENDS_AS_NUMBER = /(?:^|_)(?:no|nr|num|number|code|ref|reference)$|[a-z](?:No|Nr|Num|Number|Code|Ref|Reference)$/;
const ENDS_AS_ID = /(?:^|[_\-.])(?:id|uuid|guid|key)$|[a-z](?:Id|ID|Uuid|Key)$/;

/** How much a name alone says that a field tells rows apart. */
function nameScore(name: string): number {
  if (/^(?:id|uuid|guid)$/i.test(name)) return 3;
  return ENDS_AS_ID.test(name) ? 2 : ENDS_AS_NUMBER.test(name) ? 1 : 0;
}

const tellsApart = (value: Json | undefined): value is string | number =>
  (typeof value === "string" && value.length > 0 && value.length <= 200) || Number.isInteger(value);

function patternsOf(sessions: readonly Session[], values: Values): Map<string, Pattern> {
  const out = new Map<string, Pattern>();
  for (const [s, session] of sessions.entries())
    for (const call of session.calls) {
      if (!call.ok) continue;
      for (const { path, object, index } of objectsIn(call.value, valuesOf(values, call.tool))) {
        const id = `${call.tool} ${path}`;
        const pattern = out.get(id) ?? { tool: call.tool, path, instances: [] };
        pattern.instances.push({ session: s, call, object, index });
        out.set(id, pattern);
      }
    }
  return out;
}

/** Texts and whole numbers among the arguments of each session's calls. */
function argumentValues(sessions: readonly Session[]): Set<string>[] {
  return sessions.map((session) => {
    const out = new Set<string>();
    const walk = (value: Json): void => {
      if (isScalar(value)) out.add(String(value));
      else if (Array.isArray(value)) value.forEach(walk);
      else if (isObject(value)) Object.values(value).forEach(walk);
    };
    for (const call of session.calls) walk(call.args);
    return out;
  });
}

/** Of the fields of a pattern the one that tells its objects apart. */
function keyField(pattern: Pattern, asked: readonly ReadonlySet<string>[]): string | undefined {
  const { instances } = pattern;
  const [first] = instances;
  if (!first) return undefined;
  let best: { name: string; score: number } | undefined;
  const names = new Set(instances.flatMap(({ object }) => Object.keys(object)));
  const all = pattern.instances;
  for (const name of names) {
    const instances = all.filter(({ object }) => Object.hasOwn(object, name));
    if (instances.length * 2 < all.length || !instances.every(({ object }) => tellsApart(object[name]))) continue;
    const listed = instances.some(({ index }) => index !== undefined);
    const lists = new Map<Call, Set<Json>>();
    let repeated = 0;
    const perSession = new Map<number, Set<Json>>();
    let echoes = 0;
    let flows = 0;
    for (const { call, object, session, index } of instances) {
      const value = object[name] as Json;
      perSession.set(session, (perSession.get(session) ?? new Set()).add(value));
      if (Object.values(call.args).some((given) => given === value)) echoes++;
      if (asked[session]?.has(String(value))) flows++;
      if (index === undefined) continue;
      const seen = lists.get(call) ?? new Set();
      if (seen.has(value)) repeated++;
      lists.set(call, seen.add(value));
    }
    if (repeated > 0) continue;
    const varies = [...perSession.values()].some((values) => values.size > 1);
    const echoed = echoes / instances.length;
    const flow = flows / instances.length;
    const named = nameScore(name);
    if (named === 0) {
      if (typeof instances[0]?.object[name] !== "string" || names.size < 2 || !varies) continue;
      if (listed ? flow < 0.3 : echoed < 0.9 || !determines(pattern, name)) continue;
    } else if (named === 1) {
      // A number of something measured is not asked for again.
      if (!varies || (flow < 0.3 && (listed || echoed < 0.9 || !determines(pattern, name)))) continue;
    } else if (!varies && echoed < 0.8 && !listed && flow < 0.3) continue;
    const score = named * 10 + echoed * 4 + flow * 2;
    if (!best || score > best.score) best = { name, score };
  }
  return best?.name;
}

/** Whether objects of one value of a field agree in most of the rest, where a value is seen twice at all. */
function determines(pattern: Pattern, name: string): boolean {
  const seen = new Map<string, Set<string>>();
  let twice = 0;
  for (const { session, object } of pattern.instances) {
    const id = `${session} ${canon(getOwn(object, name))}`;
    const texts = seen.get(id) ?? new Set();
    if (texts.size > 0) twice++;
    seen.set(id, texts.add(canon(object)));
  }
  const several = [...seen.values()].filter((texts) => texts.size > 1).length;
  return twice >= 3 && several <= seen.size * 0.3;
}

/** Rows in answers by a field of their own: patterns whose keys are the same things share a table. */
export function findKeyedPaths(sessions: readonly Session[], values: Values): RowPath[] {
  const patterns = patternsOf(sessions, values);
  const asked = argumentValues(sessions);
  const keyed: { pattern: Pattern; key: string; values: Set<string>; columns: Set<string> }[] = [];
  for (const pattern of patterns.values()) {
    const key = keyField(pattern, asked);
    if (key === undefined) continue;
    keyed.push({
      pattern,
      key,
      values: new Set(pattern.instances.map(({ session, object }) => `${session} ${String(getOwn(object, key))}`)),
      columns: new Set(pattern.instances.flatMap(({ object }) => Object.keys(object))),
    });
  }
  const parent = keyed.map((_, i) => i);
  const find = (i: number): number => (parent[i] === i ? i : find(parent[i] as number));
  for (let i = 0; i < keyed.length; i++)
    for (let j = 0; j < i; j++) {
      const [a, b] = [keyed[i], keyed[j]] as const;
      if (!a || !b) continue;
      const [few, many] = a.values.size < b.values.size ? [a.values, b.values] : [b.values, a.values];
      let both = 0;
      for (const value of few) if (many.has(value)) both++;
      const alike = a.key === b.key && [...a.columns].filter((name) => b.columns.has(name)).length > 1;
      if (!sameForm(a, b) && (both < 2 || both < few.size * (alike ? 0.1 : 0.3))) continue;
      const shared = [...a.columns].filter((name) => b.columns.has(name) && name !== a.key).length;
      const bare = Math.min(a.columns.size, b.columns.size) <= 2;
      const distinctive = [...few].some((value) => !/^\S+ \d{1,6}$/.test(value));
      if (a.key === b.key || shared >= 2 || bare || (distinctive && both >= few.size * 0.5))
        if (distinctive || a.key === b.key || shared >= 2) parent[find(i)] = find(j);
    }
  const names = new Map<number, string>();
  const taken = new Set<string>();
  return keyed.map(({ pattern, key }, i) => {
    const root = find(i);
    let name = names.get(root);
    if (name === undefined) {
      const group = keyed.filter((_, j) => find(j) === root);
      name = unusedName(tableName(group.map((one) => [one.pattern.path, one.key])), taken);
      taken.add(name);
      names.set(root, name);
    }
    return { tool: pattern.tool, path: pattern.path, table: name, key: { from: "field", name: key } };
  });
}

/** Objects of three fields and more that all have the same names are one kind of thing, though few were seen in both places. */
function sameForm(a: { key: string; columns: ReadonlySet<string> }, b: typeof a): boolean {
  const names = [...a.columns];
  const all = a.columns.size > 2 && a.columns.size === b.columns.size && names.every((name) => b.columns.has(name));
  return all && a.key === b.key && nameScore(a.key) > 0;
}

const plainName = (text: string): string => text.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)/, "t") || "rows";

/** What the rows are called: the list that holds them, else what their key is the key of. */
function tableName(group: readonly (readonly [path: string, key: string])[]): string {
  const lists = group.flatMap(([path]) => /([A-Za-z_]\w*)\[\]$/.exec(path)?.[1] ?? []);
  const [list] = lists.sort((a, b) => count(lists, b) - count(lists, a) || a.length - b.length);
  const stems = group.flatMap(([, key]) => /^(.+?)[_-]?(?:id|Id|ID|uuid|key)$/.exec(key)?.[1] ?? []);
  return plainName(stems[0] !== undefined ? `${stems[0]}s` : (list ?? "rows"));
}

const count = (list: readonly string[], wanted: string): number => list.filter((one) => one === wanted).length;

import type { Session } from "../compile/observations.ts";
import { byText, isScalar, scalarsOf } from "../compile/values.ts";
import { isObject, type Json } from "../json.ts";
import { Course, type Rules } from "./course.ts";
import type { Generated, GeneratedByTool } from "./names.ts";

/** Pairs that must show a member to differ, and the share of them. */
const SHOWN = 3;
const SHARE = 0.9;
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

interface Seen {
  readonly path: readonly string[];
  pairs: number;
  differ: number;
  readonly values: Set<string | number>;
}

interface Place {
  readonly session: number;
  readonly value: Json;
  /** What the session had shown or been told before. */
  readonly before: ReadonlySet<unknown>;
}

/**
 * The members of answers that the system makes up anew: where sessions that went the same way asked the same, these
 * differed nearly always, and were new in their session. Found until nothing new is: an id that has its name lets more sessions read alike.
 */
export function findGenerated(
  sessions: readonly Session[],
  rules: Rules,
  isRead: (tool: string) => boolean,
): GeneratedByTool {
  let found: GeneratedByTool = new Map();
  for (let round = 0; round < 4; round++) {
    const next = generatedIn(sessions, { ...rules, generated: found }, isRead);
    if ([...next].every(([tool, list]) => list.length <= (found.get(tool)?.length ?? 0))) return found;
    found = next;
  }
  return found;
}

function generatedIn(
  sessions: readonly Session[],
  rules: Rules,
  isRead: (tool: string) => boolean,
): Map<string, readonly Generated[]> {
  const tasks = new Map<string, number>();
  for (const { group } of sessions) tasks.set(group, (tasks.get(group) ?? 0) + 1);
  const alone = [...tasks.values()].every((n) => n === 1);
  const last = new Map<string, Place>();
  const seen = new Map<string, Map<string, Seen>>();
  const asked = new Set<unknown>();
  for (const [session, { group, calls }] of sessions.entries()) {
    const course = new Course(rules, alone ? "" : group);
    const before = new Set<unknown>();
    for (const call of calls) {
      for (const scalar of scalarsOf(call.args)) {
        if (before.has(scalar)) asked.add(scalar);
        before.add(scalar);
      }
      const key = call.ok ? course.keys(call.tool, call.args).get("exact") : undefined;
      const held = key === undefined ? undefined : last.get(key);
      if (held && held.session !== session) {
        const paths = seen.get(call.tool) ?? new Map<string, Seen>();
        seen.set(call.tool, paths);
        compare(held.value, call.value, [], (path, a, b) => {
          const fresh = !held.before.has(a) && !before.has(b);
          note(paths, path, a, b, a !== b && fresh);
        });
      }
      if (key !== undefined && held?.session !== session)
        last.set(key, { session, value: call.value, before: new Set(before) });
      for (const scalar of scalarsOf(call.value)) before.add(scalar);
      course.hear(call);
    }
  }
  const out = new Map<string, readonly Generated[]>();
  for (const [tool, paths] of [...seen].sort(([a], [b]) => byText(a, b))) {
    const list = [...paths.values()].flatMap((one) => {
      if (one.pairs < SHOWN || one.differ < one.pairs * SHARE) return [];
      return formOf(one, (value) => asked.has(value), alone && isRead(tool)) ?? [];
    });
    const old = rules.generated.get(tool) ?? [];
    const all = [...old, ...list.filter(({ path }) => !old.some((held) => held.path.join("\n") === path.join("\n")))];
    if (all.length > 0) out.set(tool, all.sort((a, b) => byText(a.path.join("\n"), b.path.join("\n"))));
  }
  for (const [tool, list] of rules.generated) if (!out.has(tool)) out.set(tool, list);
  return out;
}

function note(paths: Map<string, Seen>, path: readonly string[], a: string | number, b: string | number, differ: boolean) {
  const id = path.join("\n");
  const one = paths.get(id) ?? { path, pairs: 0, differ: 0, values: new Set() };
  paths.set(id, one);
  one.pairs++;
  if (differ) one.differ++;
  one.values.add(a).add(b);
}

function compare(
  a: Json,
  b: Json,
  path: readonly string[],
  each: (path: readonly string[], a: string | number, b: string | number) => void,
): void {
  if (isScalar(a) && isScalar(b)) {
    if (typeof a !== "boolean" && typeof b !== "boolean") each(path, a, b);
  } else if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) compare(a[i] as Json, b[i] as Json, [...path, "*"], each);
  } else if (isObject(a) && isObject(b)) {
    for (const key of Object.keys(a))
      if (Object.hasOwn(b, key)) compare(a[key] as Json, b[key] as Json, [...path, key], each);
  }
}

/** The form of made-up values; undefined where they look like neither ids nor times. */
function formOf({ path, values }: Seen, isAsked: (value: unknown) => boolean, clockOnly: boolean): Generated | undefined {
  const texts = [...values].filter((value) => typeof value === "string");
  if (path.length === 0) return undefined;
  if (texts.length === values.size && texts.every((text) => TIME.test(text)))
    return { path, kind: "clock", prefix: "", alphabet: "n", width: 1 };
  if (clockOnly || ![...values].some(isAsked)) return undefined;
  if (texts.length === 0) {
    const most = Math.max(...([...values] as number[]));
    return { path, kind: "id", prefix: "", alphabet: "n", width: String(most).length, most, number: true };
  }
  if (texts.length < values.size || texts.some((text) => /\s/.test(text))) return undefined;
  const prefix = commonPrefix(texts).replace(/[A-Za-z0-9]+$/, (rest) => (/\d|^[a-f]+$/.test(rest) ? "" : rest));
  const rests = texts.map((text) => text.slice(prefix.length));
  const width = Math.max(...rests.map(({ length }) => length));
  const alphabet = rests.every((rest) => /^\d+$/.test(rest))
    ? "n"
    : rests.every((rest) => /^[0-9a-f]+$/.test(rest))
      ? "x"
      : rests.every((rest) => /^[0-9A-Z]+$/.test(rest))
        ? "a"
        : "w";
  const most = alphabet === "n" && width < 16 ? Math.max(...rests.map(Number)) : undefined;
  return { path, kind: "id", prefix, alphabet, width, ...(most === undefined ? {} : { most }) };
}

function commonPrefix(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  let n = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, n))) n--;
  return first.slice(0, n);
}

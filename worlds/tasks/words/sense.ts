import type { Json, JsonObject } from "../../json.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { mismatched, tornApart } from "../together.ts";
import { changesOnePerson, foreignCode } from "./owners.ts";
import { asDone, forbidden, policyFor } from "./policy.ts";

/** A word is missing where one was meant to stand. */
const GAP =
  /\b(?:the|of|a|an|my|your|on|for|with) ?(?:[?.!,;:]|$)|\b(?:the|my|an?) (?:of|on|for|with|and)\b|\b(of|the|on|in|at|by|for|to|with|from|and|an?|my|is) \1\b|(?:^| ) of (?!\S)|\(\s*\)|^\s|\S {2,}\S/u;

/** Whether a request of rules has lost a word. */
export function broken(request: string): boolean {
  return GAP.test(request);
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)(?:$|[T ])/;
/** Days beside those that rows hold, within which a day is still the system's now. */
const NEAR = 45;
/** A year that fewer of the dates stand in than this share is no year of the system's now: of births, of slips. */
const LIVELY = 0.05;
const MOST_DATES = 50_000;

interface Now {
  readonly from: number;
  readonly to: number;
  /** Days that rows hold, of whatever year. */
  readonly held: ReadonlySet<number>;
}

const nows = new WeakMap<Kit, Now | null>();
const dayNumber = (value: string): number => Date.parse(value.slice(0, 10)) / 86_400_000;

function datesIn(value: Json | undefined, into: string[]): void {
  if (into.length >= MOST_DATES) return;
  if (typeof value === "string") {
    if (DAY.test(value) && Number.isFinite(dayNumber(value))) into.push(value);
  } else if (Array.isArray(value)) for (const item of value) datesIn(item, into);
  else if (value !== null && typeof value === "object")
    for (const [name, item] of Object.entries(value)) {
      if (DAY.test(name)) into.push(name);
      if (!/dob|birth/i.test(name)) datesIn(item as Json, into);
    }
}

/** The days that the drawn rows mean: from the first to the last of the years that many of their dates stand in. */
function nowOf(kit: Kit): Now | null {
  let now = nows.get(kit);
  if (now === undefined) {
    const dates: string[] = [];
    // What only searches asked for is no row of the system: an agent may have slipped in the year.
    const asked = new Set(kit.bundle.tables.flatMap(({ name, internal }) => (internal ? [name] : [])));
    for (const [table, rows] of Object.entries(kit.base.tables)) if (!asked.has(table)) datesIn(rows as Json, dates);
    const years = new Map<string, number>();
    for (const date of dates) years.set(date.slice(0, 4), (years.get(date.slice(0, 4)) ?? 0) + 1);
    const days = dates
      .filter((date) => (years.get(date.slice(0, 4)) ?? 0) >= dates.length * LIVELY)
      .map(dayNumber)
      .sort((a, b) => a - b);
    const [first, last] = [days[0], days.at(-1)];
    now =
      days.length < 20 || first === undefined || last === undefined
        ? null
        : { from: first, to: last, held: new Set(dates.map(dayNumber)) };
    nows.set(kit, now);
  }
  return now;
}

/** A day that a task's script names outside of what the rows mean by now; undefined where none is. A day that a row holds is inside. */
function outOfTime(kit: Kit, task: Task): string | undefined {
  const now = nowOf(kit);
  if (now === null) return undefined;
  const named: string[] = [];
  for (const { args } of task.script.calls)
    for (const [name, value] of Object.entries(args)) if (!/dob|birth/i.test(name)) datesIn(value as Json, named);
  return named.find((date) => {
    const day = dayNumber(date);
    return (day < now.from - NEAR || day > now.to + NEAR) && !now.held.has(day);
  });
}

/** What a form offers for all else: no reason that somebody has. */
const ALL_ELSE = /^(?:other|misc|miscellaneous|unspecified|unknown|n\/?a)$/i;

/** An address that stands where nobody knew one. */
const NOBODY =
  /^(?:person|user|someone|somebody|name|test|example|email|participant|attendee|recipient|guest|your[._-]?\w*)\d*@\S+$/i;

/** What sets something to a value: where it is so already, nobody asks for it. */
const SETS = /^(?:update|modify|change|edit|set|switch)(?=[_A-Z .-])/;

/** Why a change asks for what is so: all that it sets, the row holds already under the same names. Undefined where none does. */
function isSoAlready({ calls, diff }: Pick<FinishedTrial, "calls" | "diff">): string | undefined {
  for (const { tool, args, changed } of calls) {
    if (!changed || !SETS.test(tool.split(/[./:]/).at(-1) ?? "")) continue;
    const row = diff.find(({ key, before }) => before !== undefined && Object.values(args).includes(key));
    if (row === undefined) continue;
    const held = leaves(row.before as Json);
    const given = Object.entries(args).filter(([, value]) => value !== row.key);
    const isHeld = ([name, value]: [string, unknown]) =>
      held.some((leaf) => leaf.name === name && leaf.value === value) &&
      held.every((leaf) => leaf.name !== name || leaf.value === value);
    if (given.length > 0 && given.every(isHeld)) return `asks ${tool} for what is so already`;
  }
  return undefined;
}

/** Whether two changes make one thing twice: a new row each, of the same in all but days and hours at most. */
function makesTwice(calls: FinishedTrial["calls"]): boolean {
  const made = calls.filter(({ changes = [] }) => changes.some(({ before }) => before === undefined));
  const isMoment = (value: unknown, name: string) =>
    typeof value === "string" && ["date", "time"].includes(kindOf(value, name));
  return made.some((one, i) =>
    made.slice(i + 1).some(({ tool, args }) => {
      const names = [...new Set([...Object.keys(one.args), ...Object.keys(args)])];
      const differing = names.filter((name) => JSON.stringify(args[name]) !== JSON.stringify(one.args[name]));
      return tool === one.tool && differing.every((name) => isMoment(args[name], name));
    }),
  );
}

/** What recorded sessions tell of the requests that make sense. */
export interface Evidence {
  /** Whether sessions change rows of several people. */
  readonly mixed: boolean;
  /** By tool, how the rows stood on which sessions made its change. */
  readonly done: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Why a change breaks what the documents say; where a rule cannot read them, why no session was seen to make it on such a row. */
function againstPolicy(kit: Kit, { calls, diff }: FinishedTrial, { done }: Evidence): string | undefined {
  const policy = policyFor(kit);
  if (policy.guards.length === 0 && policy.unread.size === 0) return undefined;
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  for (const { tool, args } of calls) {
    if (!writes.has(tool)) continue;
    const named = new Set(Object.values(args).filter((value) => typeof value === "string"));
    for (const { table, key, before } of diff) {
      if (before === undefined || !named.has(key)) continue;
      const row = before as JsonObject;
      const guard = forbidden(policy, tool, table, row);
      if (guard) return `the documents say: ${guard.sentence}`;
      if (!asDone(policy, done, tool, { table, row }))
        return `no session was seen to use ${tool} on such a row, and its conditions are not read`;
    }
  }
  return undefined;
}

/**
 * Why nobody would ask for this: a word of the request is missing, its days are none of the system's, its rows are
 * several people's or what it gives another's, its change is so already or tears apart what belongs
 * together, or the documents are against it. Undefined where nothing tells against it.
 */
export function senseless(kit: Kit, task: Task, right: FinishedTrial, evidence: Evidence): string | undefined {
  const mixed = !evidence.mixed && !changesOnePerson(kit, right) ? "changes rows of several people" : undefined;
  if (task.family === "mined") return mixed;
  if ([task.request, ...task.turns].some(broken)) return "a word is missing";
  const day = outOfTime(kit, task);
  if (day !== undefined) return `${day} is outside of the days that the rows hold`;
  if (mixed !== undefined) return mixed;
  const foreign = evidence.mixed ? undefined : foreignCode(kit, right);
  if (foreign !== undefined) return `gives ${foreign}, which is another's`;
  const torn = tornApart(kit, right);
  const writes = right.calls.filter(({ changed }) => changed);
  const tools = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  const tried = right.calls.filter(({ tool }) => tools.has(tool));
  const given = tried.flatMap(({ args }) => Object.values(args));
  if (given.some((value) => typeof value === "string" && ALL_ELSE.test(value))) return "gives a reason that is none";
  if (given.some((value) => typeof value === "string" && NOBODY.test(value)))
    return "gives an address that is nobody's";
  if (makesTwice(writes)) return "makes one thing twice";
  const split = writes.map(({ args }) => mismatched(kit, args)).find((one) => one !== undefined);
  if (torn !== undefined || split !== undefined) return `tears apart ${torn ?? split}`;
  return isSoAlready(right) ?? againstPolicy(kit, right, evidence);
}

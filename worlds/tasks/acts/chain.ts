import type { Call, SessionCalls } from "../../compile/observations.ts";
import { canonicalJson } from "../../digest.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../../json.ts";
import { DOUBTS } from "../../state/unknown-rows.ts";
import { UNKNOWN } from "../../unknown.ts";
import type { World, WorldAnswer } from "../../world-api.ts";

import { isCount } from "../bindings.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { member, NAMING, nameScore } from "../leaves.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { Script } from "../schema.ts";
import { refOf, resolveArgs, ScriptError } from "../script.ts";
import { parsePath, selector } from "../select.ts";
import { namesOther, type Recorded, type ScalarAt, scalarsOf, textsOfState } from "./recorded.ts";
import { settingOf } from "./settings.ts";

/** Calls of one session that can be made on the drawn world, with what they were answered there. */
export interface Chain {
  readonly calls: Script["calls"];
  /** What the drawn world answered to each. */
  readonly answers: readonly WorldAnswer[];
  readonly results: readonly Json[];
  /** Whether the recorded system answered each with a success. */
  readonly recordedOk: readonly boolean[];
  /** Where each call stood in its session. */
  readonly picked: readonly number[];
}

/** Below this a served answer is a guess. */
const CERTAIN = 0.9;

/** Whether an answer is one that evidence makes certain, a refusal too. */
export function isCertain(answer: WorldAnswer): boolean {
  return (
    answer.servedBy !== "gap" &&
    answer.layer !== "floor" &&
    (answer.confidence ?? 1) >= CERTAIN &&
    answer.answerClass !== "error:behaviour" &&
    answer.answerClass !== "error:bad_arguments" &&
    answer.answerClass !== "error:unknown_tool"
  );
}

/** Whether an answer is a success. */
export function succeeded({ isError, answerClass }: WorldAnswer): boolean {
  return !isError && (answerClass === "data" || answerClass === "empty");
}

/**
 * Whether nobody can tell what the newest call did: of rows, or of a whole table. A cell that it leaves unknown beside
 * those that it changes is no change, and is required of nobody.
 */
function isLost(kit: Kit, world: World): boolean {
  const internal = new Set(kit.bundle.tables.flatMap(({ name, internal: own }) => (own ? [name] : [])));
  return (
    world.lost === true ||
    (world.lastEntry(0)?.changes ?? []).some(
      ({ table, after }) => table === DOUBTS || (!internal.has(table) && after === UNKNOWN),
    )
  );
}

/**
 * Makes a call of a script on a world; undefined where its references lead nowhere or the answer is not certain. What
 * was recorded where the world begins, `recorded`, is certain. What it changed need only be known where it is `followed`.
 */
export function step(
  kit: Kit,
  world: World,
  call: Script["calls"][number],
  results: readonly Json[],
  recorded?: Json,
  followed = true,
): WorldAnswer | undefined {
  let args: JsonObject;
  try {
    args = resolveArgs(call.args, results);
  } catch (error) {
    if (error instanceof ScriptError || error instanceof SyntaxError) return undefined;
    throw error;
  }
  const answer = world.call(call.tool, args);
  const isRecorded = recorded !== undefined && canonicalJson(answer.value) === canonicalJson(recorded);
  if (!isCertain(answer) && !isRecorded)
    return lost(kit, "calls", `${call.tool} ${answer.servedBy === "gap" ? "meets a gap" : "is answered by a guess"}`);
  return followed && isLost(kit, world) ? lost(kit, "calls", `${call.tool} leaves unknown what it changed`) : answer;
}

/** The field by which what was said tells an element of a list from the others; a title before any other. */
function fieldFromRequest(
  list: readonly Json[],
  at: number,
  said: ReadonlySet<Json>,
): { field: string; value: Scalar } | undefined {
  const here = list[at];
  if (!isObject(here)) return undefined;
  const fields = Object.entries(here).filter(
    (entry): entry is [string, Scalar] =>
      typeof entry[1] !== "object" &&
      entry[1] !== "" &&
      said.has(entry[1]) &&
      list.every((other, i) => i === at || !isObject(other) || other[entry[0]] !== entry[1]),
  );
  const [field, value] = fields.find(([name]) => NAMING.test(name)) ?? fields[0] ?? [];
  return field === undefined || value === undefined ? undefined : { field, value };
}

/** A place in an answer as an agent finds it: elements of lists by what was said of them. Undefined where nothing tells one. */
export function told(result: Json, path: string, said: ReadonlySet<Json>): string | undefined {
  let out = "";
  let here: Json = result;
  for (const part of parsePath(path)) {
    if (part.op === "key") {
      if (!isObject(here) || !Object.hasOwn(here, part.key)) return undefined;
      here = here[part.key] as Json;
      out = member(out, part.key);
    } else if (part.op === "at") {
      if (!Array.isArray(here) || part.index >= here.length) return undefined;
      const by = fieldFromRequest(here, part.index, said);
      if (here.length > 1 && by === undefined) return undefined;
      here = here[part.index] as Json;
      out += by === undefined ? `[${part.index}]` : selector(by.field, by.value);
    } else return undefined;
  }
  return out;
}

/** Where an earlier call of a session was answered a value that the service made. */
export interface Made {
  readonly at: number;
  readonly path: string;
}

interface Origins {
  /** What was first seen in an answer, and in nothing that was given before. */
  readonly texts: ReadonlyMap<string, Made>;
  readonly numbers: ReadonlyMap<number, readonly (Made & { readonly name: string; readonly tool: string })[]>;
}

const origins = new WeakMap<SessionCalls, Origins>();

function originsIn(session: SessionCalls): Origins {
  const known = origins.get(session);
  if (known) return known;
  const texts = new Map<string, Made>();
  const numbers = new Map<number, (Made & { name: string; tool: string })[]>();
  const given = new Set<string>();
  for (const [at, call] of session.entries()) {
    const own = scalarsOf(call.args);
    const numbersGiven = new Set(own.map(({ value }) => value));
    for (const { value } of own) if (typeof value === "string" && !texts.has(value)) given.add(value);
    if (!call.ok) continue;
    for (const { value, path, name } of scalarsOf(call.value)) {
      if (typeof value === "string" && value !== "" && !given.has(value) && !texts.has(value))
        texts.set(value, { at, path });
      if (typeof value === "number" && !numbersGiven.has(value)) {
        const list = numbers.get(value) ?? [];
        list.push({ at, path, name, tool: call.tool });
        numbers.set(value, list);
      }
    }
  }
  const found = { texts, numbers };
  origins.set(session, found);
  return found;
}

/** Where the service made a text or number that a call of a session names: in an earlier result, and not what somebody brought. */
export function madeBy(
  session: SessionCalls,
  index: number,
  scalarAt: ScalarAt,
  held: ReadonlySet<string>,
): Made | undefined {
  const { value, name } = scalarAt;
  const { texts, numbers } = originsIn(session);
  if (typeof value === "string") {
    if (value === "" || held.has(value) || /\s/.test(value)) return undefined;
    const made = texts.get(value);
    return made && made.at < index ? made : undefined;
  }
  if (typeof value !== "number") return undefined;
  // A figure may be anything: only one of the same name is the same thing, and a small whole one of another thing is so by chance.
  const telling = ID.test(name) || Math.abs(value) >= TELLING || !Number.isInteger(value);
  const own = new Set(textsOf(session[index]));
  const ofAnother = (at: number) => {
    const named = textsOf(session[at]);
    const shown = scalarsOf(session[at]?.value ?? null);
    return named.length > 0 && !named.some((text) => own.has(text)) && !shown.some((one) => own.has(String(one.value)));
  };
  return numbers
    .get(value)
    ?.find(
      (one) =>
        one.at < index &&
        isCount(one.name) === isCount(name) &&
        (nameScore(name, one.name, one.tool) >= 2 || ID.test(name)) &&
        (telling || !ofAnother(one.at)),
    );
}

/** The texts that a call names, codes of things among them. */
const textsOf = (call: Call | undefined): string[] =>
  scalarsOf(call?.args ?? {}).flatMap(({ value }) => (typeof value === "string" && value !== "" ? [value] : []));

const ID = /(?:^|_)id$|[a-z]Id$/;
/** Whole figures below this (counts, sizes, shares) stand in many answers of a session. */
const TELLING = 100;

/** The calls whose answers hold what a call of a session names, and those they rest on in turn, in order. */
export function closure(session: SessionCalls, last: readonly number[], held: ReadonlySet<string>): number[] {
  const chosen = new Set<number>();
  const add = (index: number): void => {
    if (chosen.has(index)) return;
    chosen.add(index);
    for (const scalarAt of scalarsOf((session[index] as Call).args)) {
      const made = madeBy(session, index, scalarAt, held);
      if (made) add(made.at);
    }
  };
  for (const index of last) add(index);
  return [...chosen].sort((a, b) => a - b);
}

/** Earlier calls of a session on things that a call names, made or held: what it may rest on beside them. */
export function onSameThings(session: SessionCalls, index: number, held: ReadonlySet<string>): number[] {
  const own = new Set(
    scalarsOf((session[index] as Call).args).flatMap(({ value }) =>
      typeof value === "string" && value !== "" && !/\s/.test(value) ? [value] : [],
    ),
  );
  const made = closure(session, [index], held);
  const out = new Set(made);
  for (let at = 0; at < index; at += 1) {
    const call = session[at] as Call;
    if (call.ok && scalarsOf(call.args).some(({ value }) => typeof value === "string" && own.has(value))) out.add(at);
  }
  return [...out].sort((a, b) => a - b);
}

/** How the words of a chain's calls are chosen: as recorded, or anew from what sessions wrote in the same place. */
export interface Wording {
  readonly recorded: Recorded;
  readonly rng: Random;
  /** How many calls at the session's start left its world as it began. */
  readonly begun?: number;
  /** What the calls change need not be known, and what another call told is said as it stands where this holds of that call. */
  readonly unfollowed?: (call: Call) => boolean;
}

/**
 * Calls of a session as a script, made on a fork: what the service made is referred to, free words are drawn anew.
 * Undefined where the drawn world does not serve one of them for certain, or nothing tells apart what one refers to.
 */
export function chainOf(
  kit: Kit,
  session: SessionCalls,
  picked: readonly number[],
  { recorded, rng, begun = 0, unfollowed }: Wording,
  world: World = kit.fork(),
  held: ReadonlySet<string> = textsOfState(kit),
): Chain | undefined {
  const calls: Script["calls"] = [];
  const answers: WorldAnswer[] = [];
  const results: Json[] = [];
  const drawn = new Map<string, string>();
  const said = new Set<Json>();
  for (const index of picked) {
    const recordedCall = session[index] as Call;
    // What a value beside a field's name may be depends on the field.
    const setting = settingOf(recordedCall.args);
    const args = rewritten(recordedCall.args, (scalarAt) => {
      const { value, generic, name } = scalarAt;
      const made = madeBy(session, index, scalarAt, held);
      const n = made ? picked.indexOf(made.at) : -1;
      if (made) {
        const path = n < 0 ? undefined : told(results[n] as Json, made.path, said);
        // A name out of a list is said as it stands, where a code could not be.
        if (path === undefined && typeof value === "string" && kindOf(value, name) === "text") return { value };
        if (n < 0 && unfollowed?.(session[made.at] as Call)) return { value };
        return path === undefined
          ? lost(kit, "calls", `${recordedCall.tool} names what nothing tells apart`)
          : { value: path === "" ? `$${n + 1}` : refTo(n + 1, path) };
      }
      // A literal that reads as a reference cannot stand in a script, nor a long one in a request.
      if (refOf(value) || (typeof value === "string" && value.length > LONGEST)) return undefined;
      const own = setting?.names.has(scalarAt.name) === true;
      if (typeof value === "string" && !own && recorded.isFree(recordedCall.tool, generic) && !held.has(value))
        return { value: redrawn(value, freeValues(recorded, recordedCall, generic, value), held, drawn, rng).trim() };
      return { value };
    });
    if (args === undefined) return undefined;
    const call = { tool: recordedCall.tool, args };
    for (const { value } of scalarsOf(args)) if (!refOf(value)) said.add(value);
    const answer = step(kit, world, call, results, index < begun ? recordedCall.value : undefined, !unfollowed);
    if (!answer) return undefined;
    calls.push(call);
    answers.push(answer);
    results.push(answer.value);
  }
  return {
    calls,
    answers,
    results,
    recordedOk: picked.map((index) => (session[index] as Call).ok),
    picked: [...picked],
  };
}

/** Characters of a value that a person would write out. */
const LONGEST = 1_000;

const refTo = (n: number, path: string): string => (path.startsWith("[") ? `$${n}${path}` : `$${n}.${path}`);

/** What may stand for a text: nothing that names somebody of another call; none but itself where it names one of its own. */
function freeValues(recorded: Recorded, { tool, args }: Call, generic: string, value: string): readonly Json[] {
  if (
    namesOther(
      value,
      scalarsOf(args).map((one) => one.value),
    )
  )
    return [];
  return recorded.values(tool, generic).filter((other) => typeof other !== "string" || !recorded.isBound(tool, other));
}

/** Another value that sessions wrote in the same place; the same text always becomes the same other one, two never one. */
function redrawn(
  value: string,
  values: readonly Json[],
  held: ReadonlySet<string>,
  drawn: Map<string, string>,
  rng: Random,
): string {
  const before = drawn.get(value);
  if (before !== undefined) return before;
  const taken = new Set(drawn.values());
  const open = values.filter(
    (other): other is string =>
      typeof other === "string" && /\S\s+\S/.test(other) && !taken.has(other) && !held.has(other),
  );
  const chosen = open.length > 0 ? rng.pick(open) : value;
  drawn.set(value, chosen);
  return chosen;
}

/** Arguments with every scalar put through `change`; undefined where it has no value for one. */
function rewritten(
  args: JsonObject,
  change: (scalarAt: ScalarAt) => { readonly value: Json } | undefined,
): JsonObject | undefined {
  const changed = new Map<string, Json>();
  for (const place of scalarsOf(args)) {
    const other = change(place);
    if (other === undefined) return undefined;
    changed.set(place.path, other.value);
  }
  const walk = (value: Json, path: string): Json => {
    if (value === null || typeof value !== "object") return changed.has(path) ? (changed.get(path) as Json) : value;
    if (Array.isArray(value)) return value.map((item, i) => walk(item, `${path}[${i}]`));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, member(path, key))]));
  };
  return walk(args, "") as JsonObject;
}

import { declaredEffect, effectByName } from "../../compile/effects.ts";
import type { Call, SessionCalls } from "../../compile/observations.ts";
import { canonicalJson } from "../../digest.ts";
import type { Json, JsonObject, Scalar } from "../../json.ts";
import { stems } from "../checks/words.ts";
import { leaks } from "../draft.ts";
import { isReference } from "../families/lookup.ts";
import { askable, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { type Leaf, leaves } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Script } from "../schema.ts";
import { resolveArgs } from "../script.ts";
import type { Act } from "./candidates.ts";
import { type Chain, chainOf, closure, madeBy, step, succeeded } from "./chain.ts";
import { outcomeOf } from "./proof.ts";
import { type Recorded, textsOfState } from "./recorded.ts";
import { aboutOf } from "./words.ts";

/** A value of an answer that a question can ask for. Its path is none where the answer is a text. */
export interface AskableValue {
  readonly leaf: Leaf & { readonly value: Scalar };
  readonly inText: boolean;
}

/** A reading that sessions made and that the drawn world answers for certain, after the readings that it rests on. */
export interface RecordedRead {
  readonly calls: Script["calls"];
  readonly answer: Json;
  /** What each call was answered. */
  readonly results: readonly Json[];
  readonly tool: string;
  /** What the last call was given, references resolved. */
  readonly args: JsonObject;
}

const NONE: ReadonlySet<string> = new Set();
/** Lines of a text are read as fields where they look like this. */
const FIELD = /^[\s\-*\u2022\d.)#]*(\p{L}[\p{L}\p{N} _-]{0,30}?)\s*[:=]\s+?(\S.{0,80}?)\s*$/u;
const MOST_LINES = 100;

/** The fields of a text of lines such as "owner: Ana"; each name once. */
export function textFields(text: string): Leaf[] {
  const found = new Map<string, Leaf | undefined>();
  for (const line of text.slice(0, 20_000).split("\n").slice(0, MOST_LINES)) {
    const [, name, said] = FIELD.exec(line) ?? [];
    if (name === undefined || said === undefined) continue;
    const value = /^-?\d+(?:\.\d+)?$/.test(said) ? Number(said) : said;
    found.set(name, found.has(name) ? undefined : { path: name, generic: name, name, value });
  }
  return [...found.values()].filter((leaf) => leaf !== undefined);
}

/** So many codes, and nothing else, are an index. */
const INDEX = 5;

/** What no person asks for by its name alone. */
const UNTOLD =
  /^(?:message|msg|text|value|result|results|data|content|contents|response|output|answer|info|success|ok|error|type|id|key|name)$/i;

/** A state of the answer itself, such as `requests_listed` of `list_requests`, is nothing to ask for. */
function isProtocol(tool: string, { name, value }: Leaf): boolean {
  if (!/status$/i.test(name) || typeof value !== "string") return false;
  const own = new Set(stems(tool));
  return (
    /^(?:ok|okay|success|successful|error|failed|failure)$/i.test(value) || stems(value).some((word) => own.has(word))
  );
}

/** Whether a tool is known to change nothing: the world saw no effect, and its name or its listing says that it reads. */
export function isReading(kit: Kit): (tool: string) => boolean {
  const reads = new Set(
    kit.tools.flatMap(({ name, tool, effect }) => {
      const last = name.split(/[./:]/).at(-1) ?? name;
      const told = declaredEffect(tool) ?? (/^display(?![a-z])/.test(last) ? "read" : effectByName(name));
      return effect === "read" && told === "read" ? [name] : [];
    }),
  );
  return (tool) => reads.has(tool);
}

/** An answer's values that can be asked for: named on their own and in no description; with `counts` small whole numbers too. */
export function askableValuesIn(kit: Kit, tool: string, answer: Json, counts = false): AskableValue[] {
  const inText = typeof answer === "string";
  const all = inText ? textFields(answer) : leaves(answer);
  // A list of names with their codes is there to look codes up: nobody asks for one by the name alone.
  if (all.length >= INDEX && all.every(({ value, name }) => kindOf(value ?? "", name) === "id")) return [];
  return all.flatMap((leaf) =>
    leaf.value === null ||
    leaf.generic.includes("[*]") ||
    /\[\d+\]|(?:^|\.)\d/.test(leaf.path) ||
    UNTOLD.test(leaf.name) ||
    leaf.name.startsWith("_") ||
    !(askable(leaf.value, leaf.name) || (counts && Number.isInteger(leaf.value) && Number(leaf.value) > 1)) ||
    (isReference(leaf) && all.length > 1) ||
    isProtocol(tool, leaf) ||
    leaks(kit, leaf.value)
      ? []
      : [{ leaf: { ...leaf, value: leaf.value }, inText }],
  );
}

/** Whether a chain only reads, for certain and with success. */
function readsOnly(kit: Kit, chain: Chain): boolean {
  return (
    chain.answers.every((answer) => succeeded(answer) && answer.changes.length === 0) &&
    !chain.recordedOk.includes(false) &&
    chain.calls.every(({ tool }) => isReading(kit)(tool))
  );
}

/** Sessions that are looked at for readings. */
const MOST_SESSIONS = 150;
const MOST_READINGS = 400;

/**
 * The readings of the sessions that can be made on the world as drawn, each once: with their arguments as given, and
 * with those that earlier readings told taken from these.
 */
function recordedReadsOf(kit: Kit, recorded: Recorded, rng: Random): RecordedRead[] {
  const found = new Map<string, RecordedRead>();
  const tried = new Set<string>();
  const held = textsOfState(kit);
  const reads = isReading(kit);
  for (const session of rng.shuffled(recorded.sessions).slice(0, MOST_SESSIONS)) {
    const acted = session.findIndex(({ tool }) => !reads(tool));
    const begun = acted < 0 ? session.length : acted;
    for (const [i, call] of session.entries()) {
      if (!call.ok || !reads(call.tool) || found.size >= MOST_READINGS) continue;
      for (const [own, index] of [[held, [i]] as const, [NONE, closure(session, [i], NONE)] as const]) {
        if (own === NONE && index.length === 1) continue;
        if (index.length > 4 || !index.every((at) => reads((session[at] as Call).tool))) continue;
        const name = JSON.stringify(index.map((at) => [(session[at] as Call).tool, (session[at] as Call).args]));
        if (tried.has(name)) continue;
        tried.add(name);
        const chain = chainOf(kit, session, index, { recorded: asGiven(recorded), rng, begun }, kit.fork(), own);
        if (!chain || !readsOnly(kit, chain) || aboutOf(kit, chain.calls, chain.calls.length - 1) === undefined)
          continue;
        const args = resolveArgs(chain.calls.at(-1)?.args ?? {}, chain.results);
        const given = Object.values(args).map(canonicalJson).sort().join();
        const key = `${call.tool}\n${given}\n${JSON.stringify(chain.results.at(-1))}`;
        // One question is one task: that which is told by what other readings tell says the most of an agent.
        if ((found.get(key)?.calls.length ?? 0) < chain.calls.length)
          found.set(key, {
            calls: chain.calls,
            results: chain.results,
            answer: chain.results.at(-1) as Json,
            tool: call.tool,
            args,
          });
      }
    }
  }
  return [...found.values()];
}

const steady = new WeakMap<Kit, WeakMap<Recorded, readonly RecordedRead[]>>();

/** Whether a call gives all that its tool requires: what is answered without, though nothing marks it, tells of no thing. */
export function givesRequired(kit: Pick<Kit, "tools">, { tool, args }: Pick<RecordedRead, "tool" | "args">): boolean {
  const params = kit.tools.find(({ name }) => name === tool)?.params ?? [];
  return params.every(({ name, required }) => !required || Object.hasOwn(args, name));
}

/** The readings that the drawn world answers the same under any seed; found once. */
export function stableReads(kit: Kit, recorded: Recorded): readonly RecordedRead[] {
  const known = steady.get(kit) ?? new WeakMap<Recorded, readonly RecordedRead[]>();
  steady.set(kit, known);
  let found = known.get(recorded);
  if (!found) {
    found = recordedReadsOf(kit, recorded, kit.rng.fork("readings")).filter(
      (reading) => givesRequired(kit, reading) && isSteady(kit, reading),
    );
    known.set(recorded, found);
  }
  return found;
}

/** What a reading names is never drawn anew. */
const asGiven = (recorded: Recorded): Recorded => ({ ...recorded, isFree: () => false });

/** Every value of the fields that readings show, by tool and field. */
export function shownBy(kit: Kit, readings: readonly Pick<RecordedRead, "tool" | "answer">[]): Map<string, Scalar[]> {
  const shown = new Map<string, Scalar[]>();
  for (const { tool, answer } of readings)
    for (const { leaf } of askableValuesIn(kit, tool, answer)) {
      const name = `${tool}\n${leaf.generic}`;
      const values = shown.get(name) ?? [];
      if (!values.includes(leaf.value)) values.push(leaf.value);
      shown.set(name, values);
    }
  return shown;
}

/** Readings that the session of an act made after it, and that the drawn world answers the same under any seed after the act. */
export function* readsAfter(kit: Kit, act: Act): Generator<RecordedRead> {
  const held = textsOfState(kit);
  const reads = isReading(kit);
  const { session, picked, calls } = act;
  const tried = new Set<string>();
  for (let index = (picked.at(-1) ?? 0) + 1; index < session.length; index += 1) {
    const { tool, ok, args: given } = session[index] as Call;
    if (!ok || !reads(tool)) continue;
    const args = referring(session, index, given, picked, act.outcome.results, held);
    const reading = args && [...calls, { tool, args }];
    if (!reading || tried.has(JSON.stringify(args) + tool)) continue;
    tried.add(JSON.stringify(args) + tool);
    const outcome = outcomeOf(kit, reading);
    const answer = outcome?.results.at(-1);
    if (outcome?.succeeded.at(-1) !== true || outcome.changed.at(-1) !== false || answer === undefined) continue;
    const made = { calls: reading, results: [], answer, tool, args: resolveArgs(args, outcome.results) };
    if (isSteady(kit, made)) yield made;
  }
}

/** The arguments of a later call with what earlier ones made taken from these; undefined where another call made it. */
function referring(
  session: SessionCalls,
  index: number,
  given: JsonObject,
  picked: readonly number[],
  results: readonly Json[],
  held: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "object" && value !== null) return undefined;
    const made = madeBy(session, index, { path: name, generic: name, name, value }, held);
    const n = made ? picked.indexOf(made.at) : -1;
    if (made && n < 0) return undefined;
    if (!made) args[name] = value;
    else if (/\[/.test(made.path)) return undefined;
    else args[name] = `$${n + 1}.${made.path}`;
    if (made && results[n] === undefined) return undefined;
  }
  return args;
}

/** Whether a reading answers the same under another seed: what is made up anew can be no fact. */
function isSteady(kit: Kit, { calls, answer, results: before }: RecordedRead): boolean {
  const world = kit.otherwise();
  const results: Json[] = [];
  for (const [i, call] of calls.entries()) {
    const made = step(kit, world, call, results, before[i]);
    if (!made || !succeeded(made)) return false;
    results.push(made.value);
  }
  return JSON.stringify(results.at(-1)) === JSON.stringify(answer);
}

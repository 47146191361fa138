import type { BaseState, ToolDefinition } from "../bundle.ts";
import { ACCEPTED_WRONG } from "../confidence.ts";
import { canonicalJson } from "../digest.ts";
import { isAgreed } from "../floor/calibration.ts";
import { ACROSS, LEVELS, MINDING, train, UNSEEN } from "../floor/index.ts";
import { Names } from "../floor/names.ts";
import type { Best } from "../floor/tape.ts";
import { hashOf } from "../hash.ts";
import { isScarce, written, writtenMoment } from "../memory/ids.ts";
import { EXACT, Memory } from "../memory/index.ts";
import type { MemoryModel } from "../memory/schema.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import type { Call, Session } from "./observations.ts";
import { byText } from "./values.ts";

/** Where a call has a key only if it holds a text that no answer showed. */
const UNSEEN_AT = LEVELS.indexOf(UNSEEN);

/** Entries that a bundle keeps at most, and characters of answers. */
const MOST_ENTRIES = 40_000;
const MOST_TEXT = 8_000_000;
/** Texts of answers that a bundle keeps the hashes of, at most: above it no answer rests on whether one was shown. */
const MOST_SHOWN = 100_000;
/** Share of the sessions that did exactly the same that an answer needs to be given to another. */
const MOSTLY = 0.8;
/** Share of a tool's answers by exact history that has to be right out of fold; what fails it is lost to self-replay too. */
const DIFFER = 2 / 3;

/** What of the calls that are not missed is remembered. */
interface Remembering {
  readonly all?: boolean;
  /** Tools that memory answered in sessions that were held out: a world may know its own sessions by heart. */
  readonly helped?: ReadonlySet<string>;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
}

const newest = new WeakMap<
  readonly Session[],
  { readonly asked: string; readonly trained: ReturnType<typeof train> }
>();

/** Each way to explain a service remembers the same sessions: what was trained on them last is kept for the next. */
function trainedOn(
  sessions: readonly Session[],
  reads: (tool: string) => boolean,
  tools: ReadonlySet<string> | undefined,
): ReturnType<typeof train> {
  const seen = [...new Set(sessions.flatMap(({ calls }) => calls.map(({ tool }) => tool)))].sort(byText);
  const asked = canonicalJson([seen.filter(reads), tools ? seen.filter((tool) => tools.has(tool)) : null]);
  const before = newest.get(sessions);
  if (before?.asked === asked) return before.trained;
  // Not both at once: of many sessions each takes much memory.
  newest.delete(sessions);
  const trained = train(sessions, { reads, ...(tools ? { tools } : {}) });
  newest.set(sessions, { asked, trained });
  return trained;
}

/**
 * What sessions were answered, by what the answer may rest on: of the calls that `missed` holds, which the rest of the
 * world does not answer as observed, or of all. Deterministic.
 */
export function remember(
  sessions: readonly Session[],
  missed: ReadonlySet<Call>,
  listing: readonly ToolDefinition[],
  { all = false, helped = new Set(), telling = new Set() }: Remembering = {},
): MemoryModel | undefined {
  if (missed.size === 0 && helped.size === 0 && !all) return undefined;
  const tools = new Set([...[...missed].map(({ tool }) => tool), ...helped]);
  const listed = new Map(listing.map((tool) => [tool.name, tool]));
  const reads = (tool: string) => (declaredEffect(listed.get(tool)) ?? effectByName(tool)) === "read";
  const { volatility, effects, tape, calibration, keyedCalls, shown, issued, reaches } = trainedOn(
    sessions,
    reads,
    all ? undefined : tools,
  );
  const blank = new Names(volatility);
  const answers: MemoryModel["answers"] = [];
  const numbers = new Map<string, number | undefined>();
  const sure: MemoryModel["sure"] = [];
  const sures = new Map<string, number>();
  const found = new Map<string, { readonly tool: string; readonly entry: readonly [number, number]; exact: boolean }>();
  let text = 0;
  const answerOf = ({ id, answer }: Best): number | undefined => {
    if (numbers.has(id)) return numbers.get(id);
    const { ok, answerClass, flagged, before, fresh } = answer;
    const value = blank.restore(answer.value, (k) => written(k, before), writtenMoment) ?? null;
    text += JSON.stringify(value).length;
    const number = text > MOST_TEXT ? undefined : answers.length;
    numbers.set(id, number);
    if (number !== undefined)
      answers.push({
        value,
        ok,
        answer_class: answerClass,
        is_error: flagged,
        ...(fresh.length > 0 ? { fresh: [...fresh] } : {}),
      });
    return number;
  };
  const sureOf = (level: string, known: number, unknown: number): number => {
    const [a, b] = [Math.round(known * 1e4) / 1e4, Math.round(unknown * 1e4) / 1e4];
    const name = `${level} ${a} ${b}`;
    const number = sures.get(name) ?? sure.length;
    if (number === sure.length) sure.push({ level, known: a, unknown: b });
    sures.set(name, number);
    return number;
  };
  const note = (key: string, tool: string, level: string, known: number, unknown: number) => {
    if (found.size >= MOST_ENTRIES) return;
    const name = hashOf(key);
    if (found.has(name)) return;
    const best = tape.best(key);
    const answer = best && answerOf(best);
    if (answer === undefined) return;
    found.set(name, { tool, entry: [answer, sureOf(level, known, unknown)], exact: level === EXACT });
  };
  for (const { call, exact } of keyedCalls.flat()) {
    const best = missed.has(call) ? tape.best(exact) : undefined;
    if (!best || best.support < MOSTLY * best.of) continue;
    const known = calibration.confidence(LEVELS[0], call.tool, true, best.support === best.of);
    // A tool that answers sessions of one history otherwise shows what differs between sessions, such as their day.
    if (known < DIFFER) continue;
    note(exact, call.tool, EXACT, Math.max(known, 1 - ACCEPTED_WRONG), Math.max(known, 1 - ACCEPTED_WRONG));
  }
  const texts = [...shown.all()];
  let minded = false;
  for (const [i, level] of LEVELS.entries()) {
    // Which texts were shown is kept beside such answers: without it a text that was never shown would be taken for one that was.
    const minds = MINDING.has(level);
    if (minds && texts.length > MOST_SHOWN) continue;
    for (const { call, tool, keys } of keyedCalls.flat()) {
      const key = minds && telling.has(tool) && keys[UNSEEN_AT] !== undefined ? undefined : keys[i];
      const best = key === undefined || !(all || missed.has(call) || helped.has(tool)) ? undefined : tape.best(key);
      if (key === undefined || !best || best.answer.own) continue;
      const [known, unknown] = [true, false].map((one) =>
        calibration.confidence(level, tool, one, isAgreed(level, best, one)),
      ) as [number, number];
      // Where no task is known, only what needs none is asked for.
      if (!calibration.reaches(known) && !(i >= ACROSS && calibration.reaches(unknown))) continue;
      note(key, tool, level, known, unknown);
      if (minds) minded = true;
    }
  }
  const order = [...found].sort(([a], [b]) => byText(a, b));
  const named = (list: typeof order) => [...new Set(list.map(([, { tool }]) => tool))].sort(byText);
  const seen = new Set([...listed.keys(), ...sessions.flatMap(({ calls }) => calls.map(({ tool }) => tool))]);
  const scarce = [...new Set([...issued].filter(isScarce).map(String))].sort(byText);
  const extents = [...reaches].flatMap(([asked, acts]) =>
    [...acts].map(([act, far]) => [hashOf(`${asked}\n${act}`), far] as const),
  );
  return {
    v: 1,
    generated: [...volatility.generated].sort(byText),
    clocks: [...volatility.clocks].sort(byText),
    pure: [...seen].filter((tool) => effects.pure(tool)).sort(byText),
    reaches: Object.fromEntries(extents.sort(([a], [b]) => byText(a, b))),
    tasks: [...new Set(sessions.flatMap(({ id, group }) => (id === group ? [] : [hashOf(group)])))].sort(byText),
    answers,
    sure,
    ...(scarce.length > 0 ? { issued: scarce } : {}),
    ...(minded ? { shown: texts.map(hashOf).sort(byText).join("") } : {}),
    keys: order.map(([key]) => key).join(""),
    entries: order.flatMap(([, { entry }]) => [...entry]),
    tools: named(order),
    exact: named(order.filter(([, { exact }]) => exact)),
    least: 1 - ACCEPTED_WRONG,
  };
}

/**
 * Groups of sessions that began in a state of their own of which no table tells: before any call that may change
 * something all of their sessions read what another group read otherwise, and memory alone answers it. Each starts with
 * no rows of its own.
 */
export function recordedStarts(
  sessions: readonly Session[],
  missed: ReadonlySet<Call>,
  memory: MemoryModel,
): NonNullable<BaseState["starts"]> {
  const { volatility, effects } = new Memory(memory);
  const read = new Map<string, Map<string, Set<string>>>();
  const asked = new Set<string>();
  for (const { group, calls } of sessions) {
    const names = new Names(volatility);
    for (const call of calls) {
      const question = `${call.tool}\n${canonicalJson(names.args(call.args))}`;
      const { key } = names.answer(call.tool, call.value, call.ok);
      const groups = read.get(question) ?? new Map<string, Set<string>>();
      read.set(question, groups);
      groups.set(group, (groups.get(group) ?? new Set()).add(`${call.ok}\n${canonicalJson(key)}`));
      if (missed.has(call)) asked.add(question);
      if (call.ok && !effects.pure(call.tool)) break;
    }
  }
  const apart = [...asked].flatMap((question) => {
    const settled = [...(read.get(question) ?? [])].flatMap(([group, [answer, ...others]]) =>
      answer === undefined || others.length > 0 ? [] : [{ group, answer }],
    );
    return new Set(settled.map(({ answer }) => answer)).size > 1 ? settled.map(({ group }) => group) : [];
  });
  return Object.fromEntries([...new Set(apart)].sort(byText).map((group) => [group, {}]));
}

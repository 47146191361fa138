import type { BaseState } from "../../bundle.ts";
import { isObject } from "../../json.ts";
import type { CallPattern, FinishedTrial, Shown } from "../schema.ts";
import { at, sameData } from "./data.ts";
import { type Judgement, met, notDecided, notMet } from "./judgement.ts";
import { showsRow } from "./shown.ts";

type Call = FinishedTrial["calls"][number];

type Predicate = NonNullable<CallPattern["args"]>[number];

function holds(args: Call["args"], predicate: Predicate): boolean {
  const [list = "", ...rest] = predicate.path.split("[*]");
  if (rest.length === 0) return isSo(at(args, predicate.path), predicate);
  const elements = at(args, list);
  const path = `element${rest.join("[*]")}`;
  return Array.isArray(elements) && elements.some((element) => holds({ element }, { ...predicate, path }));
}

function isSo(value: unknown, predicate: Predicate): boolean {
  if (predicate.op === "equals") return sameData(value, predicate.value);
  if (predicate.op === "in") {
    return Array.isArray(predicate.value) && predicate.value.some((one) => sameData(one, value));
  }
  return (value !== undefined) === (predicate.op === "present");
}

function fits(call: Call, pattern: CallPattern): boolean {
  return call.tool === pattern.tool && (pattern.args ?? []).every((predicate) => holds(call.args, predicate));
}

/** Whether the world took the call: it named a tool and arguments that it has. */
function taken(call: Call): boolean {
  return call.answer_class !== "error:unknown_tool" && call.answer_class !== "error:bad_arguments";
}

/** Whether a call was answered as done. */
export const succeeded = ({ is_error, answer_class }: Call): boolean =>
  !is_error && (answer_class === "data" || answer_class === "empty");

/** The place of the first call from `from` on that fits and that the world took, from 0; -1 where there is none. */
export function indexOfCall(pattern: CallPattern, calls: readonly Call[], from = 0): number {
  return calls.findIndex((call, i) => i >= from && taken(call) && fits(call, pattern));
}

function show(pattern: CallPattern): string {
  const args = (pattern.args ?? [])
    .filter((a) => isObject(a))
    .map((a) => `${a.path} ${a.op}${a.value === undefined ? "" : ` ${JSON.stringify(a.value)}`}`);
  return args.length > 0 ? `${pattern.tool} (${args.join(", ")})` : pattern.tool;
}

/**
 * What is as good as every pattern: with `any` one of them, or another reading that shows what is `shown` (`tables`
 * are the drawn ones). With `done` a refused call is none.
 */
interface Instead {
  readonly any?: true | undefined;
  readonly shown?: Shown | undefined;
  readonly done?: true | undefined;
  readonly tables?: BaseState["tables"];
}

/** Each pattern was called, and answered, or what is as good; a call that only met a gap of the world decides nothing. */
export function callsRequired(
  patterns: readonly CallPattern[],
  calls: readonly Call[],
  { any, shown, done, tables = {} }: Instead = {},
): Judgement {
  if (shown && showsRow(shown, calls, tables)) return met("what the required call reads was read");
  if (any) {
    const judged = patterns.map((pattern) => callsRequired([pattern], calls, done ? { done } : {}));
    const best =
      judged.find(({ verdict }) => verdict === "met") ?? judged.find(({ verdict }) => verdict === "not_decided");
    return best ?? notMet(`none of ${patterns.map(show).join(", ")} was called`);
  }
  for (const pattern of patterns) {
    const fitting = calls.filter((call) => taken(call) && fits(call, pattern));
    if (fitting.length === 0) return notMet(`${show(pattern)} was not called`);
    if (fitting.every((call) => call.answer_class === "error:not_served"))
      return notDecided(`the world does not serve ${show(pattern)}`);
    if (done && !fitting.some(succeeded)) return notMet(`${show(pattern)} was refused`);
  }
  return met("every required call was made");
}

/** No pattern was called. */
export function callsForbidden(patterns: readonly CallPattern[], calls: readonly Call[]): Judgement {
  for (const pattern of patterns) {
    if (calls.some((call) => taken(call) && fits(call, pattern))) return notMet(`${show(pattern)} was called`);
  }
  return met("no forbidden call was made");
}

/** Calls that fit the patterns stand in this order, others between them as they like. */
export function callOrder(patterns: readonly CallPattern[], calls: readonly Call[]): Judgement {
  let next = 0;
  for (const call of calls) {
    const pattern = patterns[next];
    if (pattern && taken(call) && !call.is_error && fits(call, pattern)) next += 1;
  }
  const missed = patterns[next];
  return missed ? notMet(`${show(missed)} was not called in its place`) : met("the calls stand in their order");
}

/** At most n calls were made. */
export function maxCalls(n: number, calls: readonly Call[]): Judgement {
  return calls.length <= n ? met(`${calls.length} calls, ${n} allowed`) : notMet(`${calls.length} calls, ${n} allowed`);
}

import { parseResult } from "../../../worlds/answers.ts";
import type { Json } from "../../../worlds/json.ts";
import type { DecidedAt } from "../../../worlds/tasks/grading/decided-at.ts";
import { isUnknownForm } from "../../../worlds/unknown.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import type { TrialTree } from "../../runs/trials/trace-run.ts";
import type { Step, Tone } from "../pages/page-doc.ts";
import { counted, cut, dollars, inWords, shown } from "../pages/words.ts";

/** Characters of a text or of one JSON value that a page shows; the rest is in the trial's JSON. */
const TEXT_CHARS = 20_000;
const VALUE_CHARS = 60_000;
const LINE_CHARS = 160;
/** Changes of one step that are listed. */
const CHANGES = 50;

type Call = TrialRow["trial"]["calls"][number];
type ModelCall = TrialTree["exchanges"][number];
type Change = TrialRow["trial"]["diff"][number];

/** A check's verdict and the step that it rests on. */
export interface PlacedCheck {
  readonly check: TrialRow["checks"][number];
  readonly at: DecidedAt;
}

/** How a check's verdict is coloured. */
export const VERDICT_TONE = { met: "good", not_met: "bad", not_decided: "warn" } as const;

/**
 * A trial step by step: what the user said, what models were asked, every call with what it changed, what the agent
 * answered; beside each what was decided at it. Times are told where they were kept.
 */
export function trialSteps(
  row: TrialRow,
  request: string,
  exchanges: readonly ModelCall[],
  checks: readonly PlacedCheck[],
): Step[] {
  const { trial, started_at: start } = row;
  const { calls, answers, said = [] } = trial;
  const steps: Step[] = [{ who: "user", title: cut(request, TEXT_CHARS), at: 0 }];
  const waiting = exchanges.filter(({ name }) => name === "react");
  const timed = calls.every(({ at }) => at !== undefined);
  const asked = (until: number) => {
    while (waiting[0] !== undefined && waiting[0].ended_at <= until) steps.push(modelStep(waiting.shift()!, start));
  };
  // Replies of a simulated user stand before the answers that followed them; scripted turns were not kept with a place.
  const before = answers.length - said.length - 1;
  let call = 0;
  const until = (count: number) => {
    for (; call < Math.min(count, calls.length); call += 1) {
      const own = calls[call] as Call;
      if (timed && own.at !== undefined) asked(own.at);
      steps.push({ ...callStep(own, start), ...decided(checks, call) });
    }
  };
  answers.forEach((answer, i) => {
    const reply = said[i - before];
    until(reply?.calls ?? (i < before ? 0 : calls.length));
    const last = i === answers.length - 1;
    if (last) asked(Number.POSITIVE_INFINITY);
    steps.push({
      who: last ? "agent" : `agent, turn ${i + 1}`,
      title: answer.text === "" ? "(nothing)" : cut(answer.text, TEXT_CHARS),
      ...(answer.class === undefined ? {} : { badge: answer.class }),
      ...(last ? { at: row.ms, ...decided(checks, "answers") } : {}),
    });
    if (reply !== undefined && i >= before) steps.push({ who: "user", title: cut(reply.text, TEXT_CHARS) });
  });
  until(calls.length);
  asked(Number.POSITIVE_INFINITY);
  return [...withGaps(steps), ...exchanges.filter(({ name }) => name !== "react").map((one) => modelStep(one, start))];
}

/** A trial that is still tried: the request, and every call so far. */
export function callSteps(request: string, calls: readonly Call[], start: number): Step[] {
  return withGaps([
    { who: "user", title: cut(request, TEXT_CHARS), at: 0 },
    ...calls.map((call) => callStep(call, start)),
  ]);
}

function callStep(call: Call, start: number): Step {
  return {
    who: call.tool,
    title: shown(call.args, LINE_CHARS),
    tone: toneOfCall(call),
    badge: call.changed ? `${call.answer_class}, changed the world` : call.answer_class,
    ...(call.at === undefined ? {} : { at: Math.max(0, 1000 * (call.at - start)) }),
    values: [
      { name: "Arguments", value: bounded(call.args) },
      { name: "Answer", value: bounded(call.answer) },
    ],
    ...(call.changes === undefined ? {} : { changes: changeLines(call.changes) }),
  };
}

function modelStep({ model, tokens, tokens_source, outcome, usd, ended_at, name }: ModelCall, start: number): Step {
  const estimated = tokens_source === "estimated" ? " (estimated)" : "";
  return {
    who: name === "react" ? "model" : `model, ${name}`,
    title: model,
    tone: outcome === "answered" ? "plain" : "warn",
    badge: outcome,
    at: Math.max(0, 1000 * (ended_at - start)),
    took: [`${tokens.input} tokens in, ${tokens.output} out${estimated}`, dollars(usd)],
  };
}

/** How an answered call is coloured. */
export function toneOfCall({ is_error, answer_class }: Pick<Call, "is_error" | "answer_class">): Tone {
  if (is_error || answer_class.startsWith("error:")) return "bad";
  return answer_class === "data" ? "good" : "plain";
}

function decided(checks: readonly PlacedCheck[], at: DecidedAt): Pick<Step, "decided"> {
  const own = checks.filter((placed) => placed.at === at);
  return own.length === 0 ? {} : { decided: own.map(decision) };
}

/** What a check decided, in a line. */
export function decision({ check: { kind, verdict, reason } }: PlacedCheck): { text: string; tone: Tone } {
  return { text: `${inWords(kind)} ${inWords(verdict)}: ${cut(reason, 600)}`, tone: VERDICT_TONE[verdict] };
}

/** Each step's time from the one before it, where both are known: what passed until it was done. */
function withGaps(steps: readonly Step[]): Step[] {
  let last = 0;
  return steps.map((step) => {
    if (step.at === undefined || step.ms !== undefined) return step;
    const ms = Math.max(0, step.at - last);
    last = Math.max(last, step.at);
    return step.at === 0 ? step : { ...step, ms };
  });
}

/** Changed rows as lines: one for each field that is another. */
export function changeLines(changes: readonly Change[]): string[] {
  const lines = changes.flatMap((change) =>
    changedFields(change).map(
      ({ field, before, after }) => `${change.table} ${cut(change.key, 80)}: ${field} ${before} → ${after}`,
    ),
  );
  return lines.length <= CHANGES ? lines : [...lines.slice(0, CHANGES), `… and ${lines.length - CHANGES} more`];
}

/** A value with words where it holds the form of an unknown one. */
function withoutForm(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const told = (_: string, each: unknown) =>
    typeof each === "object" && each !== null && isUnknownForm(each) ? "(not known)" : each;
  return JSON.parse(JSON.stringify(value, told));
}

/** The fields of a row that are another after a change, each as text; `whole` is what it became, uncut, to be compared. */
export function changedFields({ before, after }: Change, most = LINE_CHARS) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const value = (row: Record<string, unknown> | undefined, field: string) =>
    row === undefined ? "(no row)" : field in row ? shown(withoutForm(row[field]), most) : "(none)";
  return fields
    .filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]))
    .map((field) => ({
      field,
      before: value(before, field),
      after: value(after, field),
      whole: after === undefined ? "" : (JSON.stringify(after[field]) ?? "(none)"),
    }));
}

/** A value as a page can bear it: what is longer is its beginning as text. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= VALUE_CHARS ? value : cut(text, VALUE_CHARS);
}

/** A stored trace step by step: each turn, and after it the calls that it made; calls of no known turn stand last. */
export function traceSteps({ turns, calls, started_at, final_answer, final_answer_class }: CanonicalTrace): Step[] {
  const start = started_at ?? turns.find(({ at }) => at !== undefined)?.at;
  const since = (at: number | undefined) =>
    at === undefined || start === undefined ? {} : { at: Math.max(0, 1000 * (at - start)) };
  const of = Map.groupBy(calls, ({ turn }) => (turn !== undefined && turns[turn] !== undefined ? turn : -1));
  const called = (turn: number) => (of.get(turn) ?? []).map(tracedCall);
  const told = new Set<string>();
  const steps = turns.flatMap(({ role, text, at }, i): Step[] => {
    // Results of tools stand with their calls.
    const own: Step[] =
      (role === "tool" && calls.length > 0) || (text === "" && of.has(i))
        ? []
        : [{ who: role === "assistant" ? "agent" : role, title: cut(text, TEXT_CHARS), ...since(at) }];
    if (role === "assistant") told.add(text);
    return [...own, ...called(i)];
  });
  const last: Step[] =
    final_answer === null || told.has(final_answer)
      ? []
      : [{ who: "agent", title: cut(final_answer, TEXT_CHARS), badge: final_answer_class }];
  return [...steps, ...called(-1), ...last];
}

function tracedCall(call: CanonicalTrace["calls"][number]): Step {
  return {
    who: call.requestor === "user" ? `${call.tool} (the user's)` : call.tool,
    title: shown(call.args, LINE_CHARS),
    tone: toneOfCall(call),
    badge: call.answer_class,
    ...(call.ms === undefined ? {} : { ms: call.ms }),
    values: [
      { name: "Arguments", value: bounded(call.args) },
      { name: "Answer", value: bounded(parseResult((call.result ?? null) as Json).value) },
    ],
  };
}

/** The steps that hold every word of a search, in any letter case, and how many there are in all. */
export function searched(steps: readonly Step[], search: string): { readonly steps: Step[]; readonly note: string } {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (step: Step) => {
    const text = JSON.stringify(step).toLowerCase();
    return words.every((word) => text.includes(JSON.stringify(word).slice(1, -1)));
  };
  const found = words.length === 0 ? [...steps] : steps.filter(holds);
  const note =
    words.length === 0 ? "" : `${found.length} of ${counted(steps.length, "step")} hold “${cut(search, 80)}”. `;
  return { steps: found, note };
}

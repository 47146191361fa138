import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { Reading } from "../checks/facts.ts";
import type { Fact } from "../schema.ts";

const ASKS =
  /\bhow much\b|\bwhat(?:'s| is| was| are| would be| will be)? (?:the|my) (?:total|refund|price|cost|amount|sum)\b|\b(?:tell|give|let) me (?:know )?(?:the|what the|my) (?:total|refund|amount|sum|exact)\b|\btotal\b[^.!?]*\?/;
const NUMBER = /-?\d+(?:\.\d+)?/g;
const CLAUSE = 60;

const TO_BE_TOLD =
  /\b(?:tell|give|send|show|let) (?:me|us)\b|\b(?:need|want|like|love) to (?:check|see|know|find out|look up)\b|\bwhat(?:'s| is| are| will be| would be)\b/;
const FIGURE = /\bhow many\b|\bbalance\b/;

/** Whether a sentence asks for a number of things or a balance, and does not only speak of it. */
function asksForCount(sentence: string): boolean {
  const from = sentence.search(TO_BE_TOLD);
  return (from >= 0 && FIGURE.test(sentence.slice(from))) || (sentence.endsWith("?") && /\bhow many\b/.test(sentence));
}

/** Whether a text asks for a sum of money. */
const asksForSum = (text: string): boolean => ASKS.test(new Reading(text).folded);

/** Whether a text asks to be told a figure: a sum of money, a number of things, a balance. */
export const asksForFigure = (text: string): boolean =>
  asksForSum(text) || new Reading(text).folded.split(/(?<=[.!?])/).some(asksForCount);

function numbersIn(value: Json): number[] {
  return [...(JSON.stringify(value) ?? "").matchAll(NUMBER)].map(([digits]) => Math.abs(Number(digits)));
}

const cents = (value: number): number => Math.round(Math.abs(value) * 100);

const FORMULA = /^[\d\s.,()+*/^$%-]+$/;
/** A dash or a stroke between whole numbers is as likely a date's or a code's: it counts beside spaces or decimals. */
const OPERATES = /[\d)]\s*[+*^]\s*[\d($]|\s[-/]\s|\.\d.*[-/]/;

/** Whether a call only reckons, a formula in and a figure out: its answer is the agent's own figure. */
function reckons(args: JsonObject, result: Json): boolean {
  const [formula, ...others] = Object.values(args);
  const figure = typeof result === "number" || (typeof result === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(result));
  return (
    figure && others.length === 0 && typeof formula === "string" && FORMULA.test(formula) && OPERATES.test(formula)
  );
}

/** Totals that an agent computed: sums in no result, argument or user's word. In cents. */
function totalsInAnswers(trace: ObservedTrace): Set<number> {
  const known = new Set([trace.request ?? "", ...(trace.turns ?? [])].flatMap(numbersIn).map(cents));
  for (const { args, result } of trace.calls)
    if (!reckons(args, result)) for (const value of [...numbersIn(args), ...numbersIn(result)]) known.add(cents(value));
  const said = new Reading((trace.answers ?? []).join("\n"));
  const totals = said.numbers.filter(
    ({ start, money, decimals }) =>
      (money || decimals === 2) && /\btotal\b[^;.!?]*$/.test(said.folded.slice(Math.max(0, start - CLAUSE), start)),
  );
  return new Set(
    totals
      .map(({ value, bracketed }) => cents(bracketed ? Math.abs(value) : value))
      .filter((value) => !known.has(value)),
  );
}

/**
 * The sums that a user has to be told: asked for by the request (with several rewarded runs: at any time), and said as
 * a total by every rewarded run of the task. What only some of them said was not needed; nor, of several totals that
 * one run said with no other to compare, can any be told to have been.
 */
export function requestedSums(rewarded: readonly ObservedTrace[]): Fact[] {
  const asked = (trace: ObservedTrace) =>
    [trace.request ?? "", ...(rewarded.length > 1 ? (trace.turns ?? []) : [])].some(asksForSum);
  if (rewarded.length === 0 || !rewarded.every(asked)) return [];
  const [first = new Set<number>(), ...others] = rewarded.map(totalsInAnswers);
  if (others.length === 0 && first.size > 1) return [];
  return [...first]
    .filter((value) => others.every((said) => said.has(value)))
    .map((value) => {
      const plain = (value / 100).toFixed(2);
      const grouped = (value / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });
      return { value: value / 100, kind: "money" as const, aliases: [...new Set([plain, grouped])] };
    });
}

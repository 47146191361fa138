import type { Obstacle } from "../../../worlds/tasks/losses.ts";
import { countOf, named } from "../../count-of.ts";
import { refusedFor } from "./no-tasks.ts";
import { distinctOf } from "./suite.ts";
import { isHeldAsPoor, type TaskDoc } from "./task-records.ts";

/** An interval over tasks holds from so many on. */
const ENOUGH = 20;
/** So many reasons are told of each stage. */
const TOLD = 3;

/** What was lost at a stage, in words. */
const WORDS: Record<Exclude<Obstacle["stage"], "held drafts">, (n: number) => string> = {
  sessions: (n) => `${countOf(n, "recorded session")} could not be replayed`,
  "recorded tasks": (n) => `${countOf(n, "recorded request")} gave none`,
  calls: (n) => `${countOf(n, "draft")} ended at a call`,
  words: (n) => `${countOf(n, "draft")} had no words to be asked in`,
};

/**
 * Which gap costs how many tasks where some count and fewer than 20 distinct ones, and what evidence would help, by what
 * was dropped when they were written. Undefined where enough count or none, where a review is due, and where what was
 * written is all that was asked for.
 */
export function whyFewCount(tasks: readonly TaskDoc[], lost: readonly Obstacle[] | undefined): string | undefined {
  const distinct = distinctOf(tasks);
  const waits = tasks.some(({ status }) => status === "draft");
  if (lost === undefined || waits || distinct === 0 || distinct >= ENOUGH) return undefined;
  const costs = [...poorCost(tasks, lost), ...refusedCost(tasks), ...lost.flatMap(lostCost)];
  const all = costs.length === 0 ? "" : ` What others were lost to: ${costs.join("; ")}.`;
  const helps = helpOf(tasks, lost);
  return `${countOf(distinct, "distinct task")} ${distinct === 1 ? "counts" : "count"}; an interval holds from ${ENOUGH} on.${all} What would help: ${helps.join(", or ")}.`;
}

/** Held tasks, and those that were not even written since as many would be held. */
function poorCost(tasks: readonly TaskDoc[], lost: readonly Obstacle[]): string[] {
  const more = lost.find(({ stage }) => stage === "held drafts");
  const reasons = new Map((more?.reasons ?? []).map(({ reason, n }) => [reason, n]));
  const held = tasks.filter(isHeldAsPoor);
  for (const { certificate } of held) {
    const why = certificate?.neighbourhood?.poor ?? "";
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const n = held.length + (more?.n ?? 0);
  const told = [...reasons].sort(([, a], [, b]) => b - a).map(([reason, times]) => ({ reason, n: times }));
  return n === 0 ? [] : [`${countOf(n, "task")} held, since the world is too poor for them (${reasonsOf(told)})`];
}

function refusedCost(tasks: readonly TaskDoc[]): string[] {
  const reasons = Object.entries(refusedFor(tasks)).map(([reason, n]) => ({ reason, n }));
  const n = reasons.reduce((sum, one) => sum + one.n, 0);
  return n === 0 ? [] : [`${countOf(n, "task")} refused by review (${reasonsOf(reasons)})`];
}

function lostCost({ stage, n, reasons }: Obstacle): string[] {
  return stage === "held drafts" ? [] : [`${WORDS[stage](n)} (${reasonsOf(reasons)})`];
}

function reasonsOf(reasons: readonly { readonly reason: string; readonly n: number }[]): string {
  return reasons
    .slice(0, TOLD)
    .map(({ reason, n }) => `${n}: ${reason}`)
    .join(", ");
}

/** The tools at which most was lost first, then words, then whole requests. */
function helpOf(tasks: readonly TaskDoc[], lost: readonly Obstacle[]): string[] {
  const toolsAt = (...stages: Obstacle["stage"][]) => {
    const reasons = lost.filter(({ stage }) => stages.includes(stage)).flatMap((one) => one.reasons);
    return [
      ...Map.groupBy(
        reasons.filter(({ tool }) => tool !== undefined),
        ({ tool = "" }) => tool,
      ),
    ]
      .map(([tool, own]) => ({ tool, n: own.reduce((sum, { n }) => sum + n, 0) }))
      .sort((a, b) => b.n - a.n || (a.tool < b.tool ? -1 : 1))
      .map(({ tool }) => tool);
  };
  const poor = tasks.filter(isHeldAsPoor).flatMap(({ certificate }) => certificate?.neighbourhood?.tools ?? []);
  const answered = [...new Set([...toolsAt("held drafts", "sessions", "calls"), ...poor])];
  const said = toolsAt("words");
  const helps = [
    ...(answered.length === 0 ? [] : [`more sessions that call ${named(answered)}`]),
    ...(said.length === 0 ? [] : [`sessions whose users ask for ${named(said)} in their own words`]),
    ...(lost.some(({ stage }) => stage === "recorded tasks") ? ["more sessions of the same requests"] : []),
  ];
  return helps.length === 0 ? ["sessions of more kinds of request"] : helps;
}

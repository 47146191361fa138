import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import type { Certificate, CheckVerdict, ReviewVerdict, Task } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { judgeOf } from "../../organization/judge.ts";
import { openTrials, type reviewTasks } from "../tasks/compute-tasks.ts";
import { askJudge } from "./judged-check.ts";

/** A review by code, and why a judged check of the task is still to be tried; a task that is so is held. */
export type Review = Awaited<ReturnType<typeof reviewTasks.run>>[number] & { readonly open?: string };

const UNDECIDED: CheckVerdict = { kind: "judged", verdict: "not_decided", reason: "no judge was asked" };

/** The criteria that a task leaves to a judge. */
export function criteriaOf(task: Task): string[] {
  return task.checks.flatMap((check) => (check.kind === "judged" ? [check.criterion] : []));
}

/**
 * A review with what its judge says, for a task with judged checks: the judge must spare the right trials, and reject with
 * the other checks the wrong ones. What a judge proved on the same task and world stands (`before`). Without `ask`, or
 * without a judge, it stays open.
 */
export async function judgedReview(
  ctx: Ctx,
  world: { readonly bundle: Bundle; readonly base: BaseState },
  task: Task,
  review: Review,
  { before, ask }: { readonly before?: Certificate | undefined; readonly ask: boolean },
): Promise<Review> {
  const criteria = criteriaOf(task);
  const byCode = review.verdicts.filter(({ name }) => name !== "natural" && name !== "discriminating");
  if (criteria.length === 0 || byCode.some(({ passed }) => !passed)) return review;
  const proven = before && sameTerms(before, review.certificate) ? before : undefined;
  const known = proven?.judges && proven.verdicts.find(({ name }) => name === "discriminating");
  if (known) return withVerdict(review, known, proven.judges ?? []);
  const models = await Promise.all(criteria.map((criterion) => judgeOf(ctx, criterion)));
  if (models.includes(undefined))
    return {
      ...review,
      open: "No model may judge its judged check here: the operator can set models (SVC_MODELS); environment_review_rereview then rehearses it.",
    };
  if (!ask)
    return { ...review, open: "Its judged check was not rehearsed: environment_review_rereview asks the judge." };
  const trials = await ctx.compute.run(openTrials, { ...world, task }, ctx.signal);
  const judged: Judged[] = [];
  // One after another: a provider's limits are for runs.
  for (const { name, right, trial } of trials) {
    const verdicts: CheckVerdict[] = [];
    for (const criterion of criteria) verdicts.push(await askJudge(ctx, criterion, task, trial, UNDECIDED));
    judged.push({ name, right, verdicts });
  }
  const silent = judged.flatMap(({ verdicts }) => verdicts).find(({ verdict }) => verdict === "not_decided");
  if (silent)
    return {
      ...review,
      open: `Its judged check could not be rehearsed: ${silent.reason}; environment_review_rereview tries again.`,
    };
  const asked = [...new Set(models.flatMap((model) => model ?? []))];
  return withVerdict(review, verdictOf(review, judged), asked);
}

type Judged = { readonly name: string; readonly right: boolean; readonly verdicts: readonly CheckVerdict[] };

function verdictOf({ mutants, rejected, equals }: Review, judged: readonly Judged[]): ReviewVerdict {
  const isMet = ({ verdicts }: Judged) => verdicts.every(({ verdict }) => verdict === "met");
  const wrongly = judged.filter((one) => isMet(one) !== one.right);
  const [right, wrong] = [judged.filter((one) => one.right), judged.filter((one) => !one.right)];
  const passed = wrongly.length === 0 && right.length > 0 && rejected + wrong.length > 0;
  const [first] = wrongly;
  const said = first?.verdicts.find(({ verdict }) => (verdict === "met") !== first.right)?.reason ?? "";
  const reason = passed
    ? `the judge spared ${right.length} of ${right.length} right trials that code leaves open and rejected ${wrong.length} of ${wrong.length} wrong ones; code rejected ${rejected} of ${mutants}`
    : first
      ? `the judge ${first.right ? "rejected a right trial" : "met a wrong trial"}: ${first.name} (${said.slice(0, 160)})`
      : "no trial was left to the judge that would tell";
  return {
    name: "discriminating",
    passed,
    reason,
    counts: {
      mutants,
      rejected: rejected + wrong.filter((one) => !isMet(one)).length,
      equals,
      spared: right.filter(isMet).length,
      undecided: 0,
      judged: judged.length,
    },
    survivors: wrongly.map(({ name, right: isRight }) => ({
      name: isRight ? `not spared: ${name}` : `not rejected: ${name}`,
      detail: said,
      changes: [],
    })),
  };
}

function withVerdict(review: Review, verdict: ReviewVerdict, judges: readonly string[]): Review {
  const verdicts = review.verdicts.map((one) => (one.name === verdict.name ? verdict : one));
  const proven = verdicts.filter(({ name }) => name !== "natural");
  const passed = proven.length === 4 && proven.every((one) => one.passed);
  const { rejected = 0, spared = 0 } = verdict.counts;
  return {
    ...review,
    verdicts,
    rejected,
    spared,
    certificate: { ...review.certificate, verdicts: proven, passed, judges: [...judges] },
  };
}

function sameTerms(a: Certificate, b: Certificate): boolean {
  return a.engine === b.engine && a.world === b.world && a.tools === b.tools && a.checks === b.checks;
}

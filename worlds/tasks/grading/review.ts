import type { OutOfFold } from "../../compile/out-of-fold.ts";
import { withStart } from "../../starts.ts";
import { undetermined } from "../determined.ts";
import type { Kit } from "../kit.ts";
import { random } from "../random.ts";
import type { Certificate, FinishedTrial, ReviewVerdict, Script, Task } from "../schema.ts";
import { ScriptError } from "../script.ts";
import { playScript } from "../trial.ts";
import type { Corpus } from "../words/corpus.ts";
import { naturalness } from "../words/natural.ts";
import { certify } from "./certificate.ts";
import { reordered } from "./equals.ts";
import { type GradeEnv, grade, gradeMade } from "./grade.ts";
import { ungrounded } from "./grounded.ts";
import { rehearsals } from "./rehearse.ts";
import { reference, references, reviewKit } from "./variation.ts";

/** What a review of one task found: five verdicts, the certificate over the first four, and the counts behind them. */
export interface Review {
  readonly verdicts: ReviewVerdict[];
  readonly certificate: Certificate;
  readonly mutants: number;
  readonly rejected: number;
  readonly equals: number;
  readonly spared: number;
}

const RUNS = 3;

function verdict(
  name: ReviewVerdict["name"],
  passed: boolean,
  reason: string,
  counts: ReviewVerdict["counts"] = {},
  survivors: ReviewVerdict["survivors"] = [],
): ReviewVerdict {
  return { name, passed, reason, counts, survivors };
}

function solvable(kit: Kit, task: Task, env: GradeEnv): ReviewVerdict {
  const rng = random(`solvable ${task.id}`);
  for (let run = 0; run < RUNS; run += 1) {
    const calls = run === 0 ? task.script.calls : (reordered(kit, task.script.calls, rng, false) ?? task.script.calls);
    let trial: FinishedTrial;
    try {
      trial = playScript(
        kit.fork(),
        run === 0
          ? task.script
          : { ...task.script, calls, answer: calls === task.script.calls ? task.script.answer : answerOf(kit, task) },
        task.turns.length + 1,
      );
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return verdict("solvable", false, `run ${run + 1}: ${error.message}`, { runs: run });
    }
    const graded = grade(task, trial, env);
    if (graded.end !== "met")
      return verdict("solvable", false, `run ${run + 1} ends ${graded.end}: ${graded.cause}`, { runs: run + 1 });
  }
  for (const [i, script] of (task.alternatives ?? []).entries()) {
    const problem = alternativeProblem(kit, task, env, script);
    if (problem) return verdict("solvable", false, `alternative ${i + 1} ${problem}`, { runs: RUNS });
  }
  return verdict("solvable", true, `the script meets every check in ${RUNS} of ${RUNS} runs`, {
    runs: RUNS,
    ...(task.alternatives ? { alternatives: task.alternatives.length } : {}),
  });
}

/** Why an alternative script is none; undefined when it meets every check. */
function alternativeProblem(kit: Kit, task: Task, env: GradeEnv, script: Script): string | undefined {
  try {
    const graded = grade(task, playScript(kit.fork(), script, task.turns.length + 1), env);
    return graded.end === "met" ? undefined : `ends ${graded.end}: ${graded.cause}`;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `leads nowhere: ${error.message}`;
  }
}

function answerOf(kit: Kit, task: Task): string {
  return reference(kit, task).answers.at(-1)?.text ?? "";
}

function discriminating(task: Task, env: GradeEnv, others: readonly Task[]): ReviewVerdict {
  const survivors: ReviewVerdict["survivors"] = [];
  const counts = { mutants: 0, rejected: 0, equals: 0, spared: 0, undecided: 0, gaps: 0 };
  for (const made of rehearsals(task, env, others)) {
    const { name, detail, right, open, trial } = made;
    const graded = gradeMade(task, made, env);
    if (open && graded.end === "invalid") {
      counts.undecided += 1;
      continue;
    }
    // Neither met nor failed, since the world does not serve what was needed: no hole of the checks, and no proof of them.
    if (!right && graded.end === "invalid" && trial.calls.some((c) => c.answer_class === "error:not_served")) {
      counts.gaps += 1;
      continue;
    }
    if (right) counts.equals += 1;
    else counts.mutants += 1;
    if (graded.end === "invalid") counts.undecided += 1;
    if (right && graded.end === "met") counts.spared += 1;
    else if (!right && graded.end === "failed") counts.rejected += 1;
    else
      survivors.push({
        name: right ? `not spared: ${name}` : `not rejected: ${name}`,
        detail: right ? `${detail} ${graded.cause}`.trim() : detail,
        changes: trial.diff,
      });
  }
  const passed = survivors.length === 0 && counts.mutants > 0;
  const reason = passed
    ? `${counts.rejected} of ${counts.mutants} wrong trials rejected, ${counts.spared} of ${counts.equals} equal ones spared`
    : counts.mutants === 0
      ? "no wrong trial could be made"
      : `${survivors.length} trials were judged wrongly: ${survivors[0]?.name} (${survivors[0]?.detail.slice(0, 120)})`;
  return verdict("discriminating", passed, reason, counts, survivors);
}

/** A task with the checks that code decides alone. */
export function withoutJudged(task: Task): Task {
  const checks = task.checks.filter(({ kind }) => kind !== "judged");
  return checks.length === task.checks.length ? task : { ...task, checks };
}

/** What a task is reviewed on: its surface, and how the evidence's people speak where that is given. */
export interface ReviewEnv extends GradeEnv {
  readonly corpus?: Corpus | undefined;
}

/**
 * Reviews one task on its drawn surface: solvable, discriminating, determined, grounded, natural, each with its evidence.
 * What only a judge decides is set aside, and a task with such a check has no certificate by code alone. `others` are
 * tasks of the same set: what is right of one must not pass as another. `measured` is how the world answers held-out
 * sessions. Pure.
 */
export function reviewTask(whole: Task, on: ReviewEnv, others: readonly Task[] = [], measured?: OutOfFold): Review {
  const env = withStart(on, whole);
  const kit = reviewKit(env);
  const task = withoutJudged(whole);
  const verdicts: ReviewVerdict[] = [solvable(kit, task, env)];
  let right: FinishedTrial | undefined;
  try {
    [right] = references(kit, task);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
  }
  if (right) {
    verdicts.push(discriminating(task, env, others));
    const open = undetermined(kit, task, right);
    verdicts.push(
      verdict(
        "determined",
        open.length === 0,
        open[0] ?? "every argument follows from the request or an earlier result",
        { problems: open.length },
      ),
    );
    const loose = ungrounded(kit, task, right);
    verdicts.push(
      verdict("grounded", loose.length === 0, loose[0] ?? "every fact and call stands on the world", {
        problems: loose.length,
      }),
    );
  } else {
    for (const name of ["discriminating", "determined", "grounded"] as const)
      verdicts.push(verdict(name, false, "the script leads nowhere, so that nothing could be tried"));
  }
  const reads = naturalness(kit, task, env.corpus);
  verdicts.push(verdict("natural", reads.verdict !== "odd", reads.reason, { ...reads.counts }));
  const counts = verdicts[1]?.counts ?? {};
  const certificate = certify(whole, on, verdicts, measured);
  return {
    verdicts,
    certificate: task === whole ? certificate : { ...certificate, passed: false },
    mutants: counts.mutants ?? 0,
    rejected: counts.rejected ?? 0,
    equals: counts.equals ?? 0,
    spared: counts.spared ?? 0,
  };
}

/** The health of an environment's verifiers over reviewed tasks: counts, and shares where there is something to share. */
export interface ReviewSummary {
  readonly reviews: readonly Review[];
  readonly passed: number;
  readonly mutants: number;
  readonly rejected: number;
  readonly equals: number;
  readonly spared: number;
  readonly undecided: number;
  /** Share of wrong trials rejected, 0..1; absent without any. */
  readonly health?: number;
}

/** Reviews tasks one after another and sums what they found. */
export function reviewAll(tasks: readonly Task[], env: ReviewEnv): ReviewSummary {
  const reviews = tasks.map((task) => reviewTask(task, env, tasks));
  const sum = (of: (review: Review) => number) => reviews.reduce((total, review) => total + of(review), 0);
  const mutants = sum((r) => r.mutants);
  const rejected = sum((r) => r.rejected);
  return {
    reviews,
    passed: reviews.filter((r) => r.certificate.passed).length,
    mutants,
    rejected,
    equals: sum((r) => r.equals),
    spared: sum((r) => r.spared),
    undecided: sum((r) => r.verdicts[1]?.counts.undecided ?? 0),
    ...(mutants > 0 ? { health: rejected / mutants } : {}),
  };
}

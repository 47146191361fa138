import { trialName } from "../../chapters/records/runs/run-bundle.ts";
import type { ComparedTask, Comparison } from "../../chapters/runs/compare/compare-types.ts";
import type { Api } from "./api.ts";
import type { AgentRun, Compared, Flip, FlippedTrial, ListedTrial, OpenedPair } from "./report.ts";

/** Tasks whose trials the page holds side by side, those that flipped before all; the others stand in its tables alone. */
const OPENED = 30;

/** Compares two runs paired by task, the first as what was, the second as what is. */
export async function compare(api: Api, before: AgentRun, after: AgentRun): Promise<Compared> {
  const found = await api.call<Comparison>("compare_runs", { a: before.group, b: after.group, format: "json" });
  const runs = new FlippedRuns(api, before.group, after.group);
  const flips: Flip[] = [];
  for (const task of found.flips) {
    const opened = flips.length < OPENED ? await runs.trialsOf(task) : undefined;
    flips.push({
      task: task.task,
      request: task.request,
      family: task.family,
      before: outcome(task.a),
      after: outcome(task.b),
      cause: (task.delta < 0 ? task.causes.b : task.causes.a)[0]?.cause,
      ...(opened === undefined ? {} : { opened }),
    });
  }
  const trials = await runs.trialsOfTasks(found.tasks);
  const flipped = new Set(flips.map(({ task }) => task));
  const pairs: NonNullable<Compared["opened"]>["pairs"][number][] = [];
  for (const task of found.tasks) {
    if (flips.length + pairs.length >= OPENED) break;
    if (flipped.has(task.task) || !trials.some((each) => each.task === task.task && each.end === "failed")) continue;
    const opened = await runs.trialsOf(task);
    if (opened !== undefined) pairs.push({ task: task.task, request: task.request, opened });
  }
  return {
    before: before.name,
    after: after.name,
    // A version's number is given here: nobody typed it.
    verdict: found.verdict
      .replaceAll(`${found.a.name} ${found.a.version}`, before.name)
      .replaceAll(`${found.b.name} ${found.b.version}`, after.name),
    // What cannot be told is told with no confidence.
    confidence: found.cannot_tell === undefined ? found.confidence : 0,
    words: found.words,
    ...(found.worse === undefined ? {} : { worse: found.worse }),
    tasks: found.tasks.length,
    refused: found.refused.length,
    flips,
    opened: { trials, pairs },
    causes: found.causes,
  };
}

interface GroupRuns {
  readonly environments: readonly { readonly environment: string; readonly run: string }[];
}
interface Traced {
  readonly tree: FlippedTrial | null;
}
type RunTrial = Pick<ListedTrial, "task" | "n" | "end" | "cause" | "root_cause" | "checks">;

/** The trials of two groups, read once for each run. */
class FlippedRuns {
  readonly #api: Api;
  readonly #groups: readonly string[];
  #environments: readonly GroupRuns["environments"][] | undefined;
  readonly #trials = new Map<string, readonly RunTrial[]>();

  constructor(api: Api, before: string, after: string) {
    this.#api = api;
    this.#groups = [before, after];
  }

  /** Two trials of a task, one of each group: of the first try that ended otherwise, else of the first that failed. */
  async trialsOf({ environment, task }: ComparedTask): Promise<OpenedPair | undefined> {
    const [left, right] = await this.#runsOn(environment);
    if (left === undefined || right === undefined) return undefined;
    const [x, y] = [await this.#triesOf(left, task), await this.#triesOf(right, task)];
    const both = [...x.keys()].filter((n) => y.has(n));
    const n = both.find((each) => x.get(each) !== y.get(each)) ?? both.find((each) => x.get(each) === "failed");
    if (n === undefined) return undefined;
    const tree = async (rid: string) =>
      (await this.#api.call<Traced>("run_trace", { rid, trial: trialName(task, n) })).tree;
    const [was, is] = [await tree(left), await tree(right)];
    return was === null || is === null ? undefined : { n, before: shownOf(was), after: shownOf(is) };
  }

  /** Every trial of these tasks, of the first group and then of the second. */
  async trialsOfTasks(tasks: readonly ComparedTask[]): Promise<ListedTrial[]> {
    const requests = new Map(tasks.map(({ task, request }) => [task, request]));
    const listed: ListedTrial[] = [];
    for (const environment of new Set(tasks.map((each) => each.environment)))
      for (const [i, run] of (await this.#runsOn(environment)).entries())
        for (const { task, n, end, cause, root_cause, checks } of run === undefined ? [] : await this.#trialsOf(run)) {
          const request = requests.get(task);
          const arm = i === 0 ? "before" : "after";
          if (request !== undefined) listed.push({ arm, task, n, request, end, cause, root_cause, checks });
        }
    return listed.sort((a, b) => (a.arm === b.arm ? 0 : a.arm === "before" ? -1 : 1));
  }

  /** The run of each group on an environment. */
  async #runsOn(environment: string): Promise<readonly (string | undefined)[]> {
    this.#environments ??= await Promise.all(
      this.#groups.map(async (gid) => (await this.#api.call<GroupRuns>("run_group", { gid })).environments),
    );
    return this.#environments.map((all) => all.find((each) => each.environment === environment)?.run);
  }

  /** How each try of a task ended in a run. */
  async #triesOf(rid: string, task: string): Promise<ReadonlyMap<number, string>> {
    const own = (await this.#trialsOf(rid)).filter((each) => each.task === task);
    return new Map(own.map(({ n, end }) => [n, end]));
  }

  async #trialsOf(rid: string): Promise<readonly RunTrial[]> {
    const known = this.#trials.get(rid);
    if (known) return known;
    const { trials } = await this.#api.call<{ trials: readonly RunTrial[] }>("run_get", { rid });
    this.#trials.set(rid, trials);
    return trials;
  }
}

function shownOf({ end, root_cause, ms, calls, answers, checks, diff }: FlippedTrial): FlippedTrial {
  return { end, root_cause, ms, calls, answers, checks, diff };
}

function outcome(arm: { readonly met: number; readonly valid: number }): string {
  if (arm.valid === 1) return arm.met === 1 ? "met" : "failed";
  return `met ${arm.met} of ${arm.valid}`;
}

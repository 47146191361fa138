import { trialName } from "../../chapters/records/runs/run-bundle.ts";
import type { ComparedTask, Comparison } from "../../chapters/runs/compare/compare-types.ts";
import type { Api } from "./api.ts";
import type { AgentRun, Compared, Flip, FlippedTrial } from "./report.ts";

/** Flipped tasks whose trials the page holds; the others stand in its table alone. */
const OPENED = 30;

/** Compares two runs paired by task, the first as what was, the second as what is. */
export async function compare(api: Api, before: AgentRun, after: AgentRun): Promise<Compared> {
  const found = await api.call<Comparison>("compare_runs", { a: before.group, b: after.group, format: "json" });
  const runs = new FlippedRuns(api, before.group, after.group);
  const flips: Flip[] = [];
  for (const task of found.flips) {
    const opened = flips.length < OPENED ? await runs.trialsOf(task) : undefined;
    flips.push({
      request: task.request,
      family: task.family,
      before: outcome(task.a),
      after: outcome(task.b),
      cause: (task.delta < 0 ? task.causes.b : task.causes.a)[0]?.cause,
      ...(opened === undefined ? {} : { opened }),
    });
  }
  return {
    before: before.name,
    after: after.name,
    // A version's label ends in the digest of its command, which nobody typed.
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
    causes: found.causes,
  };
}

interface GroupRuns {
  readonly environments: readonly { readonly environment: string; readonly run: string }[];
}
interface Traced {
  readonly tree: FlippedTrial | null;
  readonly trials: readonly { readonly trial: string; readonly end: string }[];
}

/** The trials of two groups, read once for each run. */
class FlippedRuns {
  readonly #api: Api;
  readonly #groups: readonly string[];
  #environments: readonly GroupRuns["environments"][] | undefined;
  readonly #ends = new Map<string, ReadonlyMap<string, string>>();

  constructor(api: Api, before: string, after: string) {
    this.#api = api;
    this.#groups = [before, after];
  }

  /** Two trials of a task, one of each group: of the first try that ended otherwise. */
  async trialsOf({ environment, task }: ComparedTask): Promise<Flip["opened"]> {
    this.#environments ??= await Promise.all(
      this.#groups.map(async (gid) => (await this.#api.call<GroupRuns>("run_group", { gid })).environments),
    );
    const [left, right] = this.#environments.map((all) => all.find((each) => each.environment === environment)?.run);
    if (left === undefined || right === undefined) return undefined;
    const [x, y] = [await this.#endsOf(left), await this.#endsOf(right)];
    const own = (trial: string) => trial.startsWith(trialName(task, 1).slice(0, -1));
    const name = [...x.keys()].find((trial) => own(trial) && y.has(trial) && x.get(trial) !== y.get(trial));
    if (name === undefined) return undefined;
    const tree = async (rid: string) => (await this.#api.call<Traced>("run_trace", { rid, trial: name })).tree;
    const [was, is] = [await tree(left), await tree(right)];
    return was === null || is === null ? undefined : { before: shownOf(was), after: shownOf(is) };
  }

  async #endsOf(rid: string): Promise<ReadonlyMap<string, string>> {
    const known = this.#ends.get(rid);
    if (known) return known;
    const { trials } = await this.#api.call<Traced>("run_trace", { rid });
    const ends = new Map(trials.map(({ trial, end }) => [trial, end]));
    this.#ends.set(rid, ends);
    return ends;
  }
}

function shownOf({ end, root_cause, ms, calls, answers, checks, diff }: FlippedTrial): FlippedTrial {
  return { end, root_cause, ms, calls, answers, checks, diff };
}

function outcome(arm: { readonly met: number; readonly valid: number }): string {
  if (arm.valid === 1) return arm.met === 1 ? "met" : "failed";
  return `met ${arm.met} of ${arm.valid}`;
}

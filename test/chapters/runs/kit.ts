import type { RunTask, TrialRow } from "../../../chapters/records/runs/runs.ts";
import type { GroupData } from "../../../chapters/runs/groups/group-data.ts";
import { trialRow } from "../../helpers/rows.ts";

/** A trial that ended so, with what a test wants otherwise. */
export function trial(task: string, n: number, end: TrialRow["end"], rest: Partial<TrialRow> = {}): TrialRow {
  const failed = { cause: "checks", root_cause: "missing_call" } as const;
  return trialRow({ task, n, end, ...(end === "failed" ? failed : {}), ...rest });
}

/** A planned task. */
export function planned(id: string, index: number, rest: Partial<RunTask> = {}): RunTask {
  return { id, index, family: "lookup", request: `request ${index}`, digest: `d-${id}`, checks: `c-${id}`, ...rest };
}

interface Shape {
  readonly id?: string;
  readonly version?: string;
  readonly terms?: { base: string; tools: string };
  readonly timeout?: number;
  readonly environment?: string;
  /** Tries a task. */
  readonly tries?: number;
  readonly status?: GroupData["status"];
  readonly selection?: string;
  readonly chosen_by_outcome?: string;
}

/** A group of one run, landed where nothing else is said. */
export function group(tasks: readonly RunTask[], trials: readonly TrialRow[], shape: Shape = {}): GroupData {
  const { id = "rg_1", version = "1", terms = { base: "b", tools: "t" }, timeout = 60, environment = "env_1" } = shape;
  const { tries = 1, status = "landed", selection = "full", chosen_by_outcome: chosen } = shape;
  const made = { created_at: 1, by: "test" };
  const player = { agent: "ag_1", name: "bot", version, harness: null };
  const common = { ...made, player, trials: tries, timeout_seconds: timeout, tier: "deterministic" as const };
  const run = {
    ...common,
    id: `run_${id}`,
    group: id,
    environment,
    label: "shop",
    surface: "sf",
    bundle: "bd",
    terms,
    tasks: [...tasks],
  };
  const runs = [{ run: run.id, environment, label: "shop", tasks: tasks.length }];
  return {
    group: {
      ...common,
      id,
      agent: "ag_1",
      runs,
      selection,
      trigger: "person",
      ...(chosen === undefined ? {} : { chosen_by_outcome: chosen }),
    },
    status,
    job: undefined,
    runs: [{ run, status: "landed", job: undefined, trials }],
  };
}

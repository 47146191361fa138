import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { GroupStatusSchema, JobStatusSchema } from "../../job-view.ts";
import { type PageInput, pageOf } from "../../page.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { EndCause, GradingTier, Player, RootCause, RunGroup, RunTrigger } from "../../records/runs/runs.ts";
import { EndedAtOnce, endedAtOnce } from "../ended-at-once.ts";
import { IsolationSummary, isolationOf } from "../isolation.ts";
import { Ends, endsOf, ratesOf } from "../trials/rates.ts";
import { tallyOf } from "../trials/trial-rows.ts";
import { type GroupData, type GroupState, groupData, groupState } from "./group-data.ts";

const Bounds = z.object({ low: z.number(), high: z.number() });

/** Met of valid with its intervals at 95 %; `bounds` are the rate if all infra and invalid trials had failed, or been met. */
export const RatesView = Ends.extend({
  valid: z.number().int(),
  rate: z.number().optional(),
  wilson: Bounds,
  clustered: Bounds,
  bounds: Bounds,
  tasks: z.number().int(),
  distinct: z
    .number()
    .int()
    .optional()
    .describe("Tasks with those that differ in words alone as one: what the interval counts as sampled."),
  pass: z.object({ k: z.number().int(), at: z.number(), hat: z.number() }).optional(),
});

/** A group as lists show it. */
export const GroupRow = z.object({
  group: z.string(),
  status: GroupStatusSchema,
  player: Player,
  environments: z.array(
    z.object({ run: z.string(), environment: z.string(), label: z.string(), tasks: z.number().int() }),
  ),
  selection: z.string(),
  trials: z.number().int(),
  timeout_seconds: z.number(),
  trigger: RunTrigger,
  tier: GradingTier,
  control_of: z.string().optional(),
  resumes: z.string().optional(),
  resumed_by: z.string().optional(),
  created_at: z.number(),
  by: z.string(),
  counts: Ends.extend({ planned: z.number().int() }),
});

/** A group rolled up: per environment, per criterion (kind of check), per family, per task, by how trials ended. */
export const GroupRollup = GroupRow.extend({
  org: z.string(),
  note: z.string().optional(),
  rates: RatesView,
  by_environment: z.array(
    z.object({
      run: z.string(),
      environment: z.string(),
      label: z.string(),
      status: JobStatusSchema,
      rates: RatesView,
    }),
  ),
  criteria: z.array(
    z.object({
      criterion: z.string(),
      met: z.number().int(),
      not_met: z.number().int(),
      not_decided: z.number().int(),
    }),
  ),
  families: z.array(z.object({ family: z.string(), met: z.number().int(), valid: z.number().int() })),
  tasks: z.array(
    z.object({
      environment: z.string(),
      task: z.string(),
      index: z.number().int(),
      family: z.string(),
      request: z.string(),
      ends: Ends,
      root_causes: z.array(RootCause),
    }),
  ),
  ledger: z.array(z.object({ end: z.string(), cause: EndCause.nullable(), trials: z.number().int() })),
  root_causes: z.array(z.object({ cause: RootCause, trials: z.number().int() })),
  isolation: IsolationSummary.optional().describe("Of trials that were started as a process here."),
  ended_at_once: EndedAtOnce.optional().describe("Where the agent did not begin in most trials."),
});

/** The org's groups, newest first, with status and counts as they are now. */
export async function listGroups(ctx: Ctx, input: PageInput & { readonly retired?: boolean | undefined }) {
  const page = await pageOf(
    (next) => ctx.store.records.list(RunGroup, next),
    input,
    (group) => input.retired === true || group.retired_at === undefined,
  );
  const groups = await Promise.all(
    page.items.map(async (group) =>
      groupRow(
        await groupState(ctx, group),
        await tallyOf(
          ctx,
          group.runs.map(({ run }) => run),
        ),
      ),
    ),
  );
  return { groups, as_of: ctx.now(), behind: 0, ...(page.next === undefined ? {} : { next: page.next }) };
}

/** One group rolled up. */
export async function getGroup(ctx: Ctx, input: { readonly gid: string }) {
  return { ...rollup(await groupData(ctx, input.gid)), org: ctx.org.tag };
}

/** A group as lists show it, from its state and its trials by end. */
export function groupRow({ group, status }: GroupState, ends: z.infer<typeof Ends>): z.infer<typeof GroupRow> {
  const {
    player,
    runs,
    selection,
    trials,
    timeout_seconds,
    trigger,
    tier,
    control_of,
    resumes,
    resumed_by,
    created_at,
    by,
  } = group;
  const planned = runs.reduce((sum, run) => sum + run.tasks * trials, 0);
  return {
    group: group.id,
    status,
    player,
    environments: runs,
    selection,
    trials,
    timeout_seconds,
    trigger,
    tier,
    ...(control_of === undefined ? {} : { control_of }),
    ...(resumes === undefined ? {} : { resumes }),
    ...(resumed_by === undefined ? {} : { resumed_by }),
    created_at,
    by,
    counts: { ...ends, planned },
  };
}

/** A group rolled up from its trials. */
export function rollup(data: GroupData): Omit<z.infer<typeof GroupRollup>, "org"> {
  const { group, job, runs } = data;
  const all = runs.flatMap((own) => own.trials);
  const isolation = isolationOf(all);
  const atOnce = endedAtOnce(all);
  const note = job?.note ?? runs.find((own) => own.job?.note)?.job?.note;
  return {
    ...groupRow(data, endsOf(all)),
    ...(note ? { note } : {}),
    ...(isolation === undefined ? {} : { isolation }),
    ...(atOnce === undefined ? {} : { ended_at_once: atOnce }),
    rates: ratesOf(all, group.trials),
    by_environment: runs.map(({ run, status, trials }) => ({
      run: run.id,
      environment: run.environment,
      label: run.label,
      status,
      rates: ratesOf(trials, group.trials),
    })),
    criteria: criteria(all),
    families: families(data),
    tasks: tasks(data),
    ledger: ledger(all),
    root_causes: ranked(all.flatMap((row) => (row.root_cause === null ? [] : [row.root_cause]))).map(
      ([cause, trials]) => ({
        cause,
        trials,
      }),
    ),
  };
}

function criteria(rows: readonly TrialRow[]) {
  const byKind = Map.groupBy(
    rows.flatMap((row) => row.checks),
    (check) => check.kind,
  );
  return [...byKind]
    .map(([criterion, checks]) => ({
      criterion,
      met: checks.filter((check) => check.verdict === "met").length,
      not_met: checks.filter((check) => check.verdict === "not_met").length,
      not_decided: checks.filter((check) => check.verdict === "not_decided").length,
    }))
    .sort((x, y) => (x.criterion < y.criterion ? -1 : 1));
}

function families({ runs }: GroupData) {
  const totals = new Map<string, { met: number; valid: number }>();
  for (const { run, trials } of runs) {
    const familyOf = new Map(run.tasks.map((task) => [task.id, task.family]));
    for (const row of trials) {
      const family = familyOf.get(row.task) ?? "unknown";
      const total = totals.get(family) ?? { met: 0, valid: 0 };
      if (row.end === "met") total.met += 1;
      if (row.end === "met" || row.end === "failed") total.valid += 1;
      totals.set(family, total);
    }
  }
  return [...totals].map(([family, total]) => ({ family, ...total })).sort((x, y) => (x.family < y.family ? -1 : 1));
}

function tasks({ runs }: GroupData) {
  return runs.flatMap(({ run, trials }) => {
    const byTask = Map.groupBy(trials, (row) => row.task);
    return run.tasks.map(({ id, index, family, request }) => {
      const rows = byTask.get(id) ?? [];
      const causes = rows.flatMap((row) => (row.root_cause === null ? [] : [row.root_cause]));
      const root_causes = ranked(causes).map(([cause]) => cause);
      return { environment: run.environment, task: id, index, family, request, ends: endsOf(rows), root_causes };
    });
  });
}

/** Every way that trials ended, with how many did. */
function ledger(rows: readonly TrialRow[]) {
  const counted = Map.groupBy(rows, (row) => `${row.end}\n${row.cause ?? ""}`);
  return [...counted.values()].map((of) => ({
    end: (of[0] as TrialRow).end,
    cause: (of[0] as TrialRow).cause,
    trials: of.length,
  }));
}

function ranked<T extends string>(names: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([x, n], [y, m]) => m - n || (x < y ? -1 : 1));
}

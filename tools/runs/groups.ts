import { z } from "zod";
import { pageInput } from "../../chapters/page.ts";
import { GradingTier, Player } from "../../chapters/records/runs/runs.ts";
import { cleanRuns } from "../../chapters/runs/clean-runs.ts";
import { GroupRollup, GroupRow, getGroup, listGroups, RatesView } from "../../chapters/runs/groups/group-view.ts";
import { withoutIsolation } from "../../chapters/runs/isolation.ts";
import { lastRun } from "../../chapters/runs/runs.ts";
import { orgRef, recordId } from "../kernel/fields.ts";
import { operation, shaped } from "../kernel/operation.ts";

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Run groups: listed, rolled up, the last one, the clean ones. */
export const groups = [
  operation({
    name: "run_groups_list",
    title: "List run groups",
    description: "Lists run groups, newest first, with who ran, on what, status and trials by end.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/groups",
    input: z.object({ ...orgRef, ...pageInput, retired: z.boolean().optional().describe("Also the retired ones.") }),
    output: z.object({ groups: z.array(GroupRow), as_of: z.number(), behind: z.number(), next: z.string().optional() }),
    handle: listGroups,
  }),
  shaped({
    name: "run_group",
    title: "Read a run group",
    description:
      "Read it when a run has landed: met of valid trials with intervals, per environment, criterion, family and task, how trials ended, and root causes of the failures.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}",
    input: z.object({ ...orgRef, gid: recordId("run group") }),
    output: GroupRollup,
    verdict: ({ status, rates, root_causes, player, isolation }) => {
      const who = player.version === null ? player.name : `${player.name} ${player.version}`;
      if (rates.rate === undefined) return `${who}: no valid trial yet; the group is ${status}.`;
      const beside =
        rates.infra + rates.invalid === 0 ? "" : `; not counted: ${rates.infra} infra, ${rates.invalid} invalid`;
      const first = root_causes[0] ? `; most failures: ${root_causes[0].cause} (${root_causes[0].trials})` : "";
      const open = withoutIsolation(isolation);
      return `${who} met ${rates.met} of ${rates.valid} valid trials (${percent(rates.rate)}, 95 % interval over tasks ${percent(rates.clustered.low)} to ${percent(rates.clustered.high)})${beside}${first}${open && `; ${open}`}; the group is ${status}.`;
    },
    counts: ({ rates, criteria, tier }) => [
      {
        name: "met",
        value: rates.met,
        of: rates.valid,
        tier,
        how: "checks on stored trials, of valid ones",
      },
      {
        name: "infra",
        value: rates.infra,
        tier: "deterministic",
        how: "ended for reasons outside the agent; not in the rate",
      },
      {
        name: "invalid",
        value: rates.invalid,
        tier,
        how: "the world or the task was at fault; not in the rate",
      },
      ...criteria.map((row) => ({
        name: `criterion ${row.criterion}`,
        value: row.met,
        of: row.met + row.not_met + row.not_decided,
        tier: row.criterion === "judged" ? tier : ("deterministic" as const),
        how: "verdicts of this kind of check",
      })),
    ],
    next: ({ group, status }) =>
      status === "running" || status === "queued"
        ? `watch_job with job_id ${group}`
        : `compare_runs with another group, or run_trace of a trial that failed`,
    handle: getGroup,
  }),
  operation({
    name: "last_run",
    title: "Last run on an environment",
    description: "Answers the last landed run on an environment as met of total trials, with who ran it.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/last/{env}",
    input: z.object({ ...orgRef, env: recordId("environment") }),
    output: z.object({
      environment: z.string(),
      group: z.string(),
      run: z.string(),
      player: Player,
      created_at: z.number(),
      met: z.number().int(),
      total: z.number().int(),
      rates: RatesView,
      tier: GradingTier,
    }),
    handle: lastRun,
  }),
  shaped({
    name: "clean_runs",
    title: "Clean runs",
    description:
      "Answers, per environment, the newest group of the org's primary agent that finished, landed every environment and has every trial valid. Starts nothing and spends nothing.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/clean",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      rule: z.string(),
      tier: z.literal("deterministic"),
      agent: z.object({ id: z.string(), name: z.string() }).nullable(),
      note: z.string().optional(),
      clean: z.array(
        z.object({
          environment: z.string(),
          label: z.string(),
          group: z.string(),
          run: z.string(),
          version: z.string().nullable(),
          met: z.number().int(),
          valid: z.number().int(),
          created_at: z.number(),
        }),
      ),
    }),
    verdict: (answer) =>
      answer.agent === null
        ? "No primary agent, so no clean run."
        : `${answer.clean.length} environments have a clean run of ${answer.agent.name}.`,
    counts: (answer) => [
      {
        name: "environments",
        value: answer.clean.length,
        tier: "deterministic",
        how: "environments with a clean group",
      },
    ],
    handle: cleanRuns,
  }),
];

import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { endedAtOnceWords } from "../../../chapters/runs/ended-at-once.ts";
import { GroupRollup, GroupRow, getGroup, listGroups } from "../../../chapters/runs/groups/group-view.ts";
import { withoutIsolation } from "../../../chapters/runs/isolation.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** List run groups; read a run group. */
export const groupView = [
  operation({
    name: "run_groups_list",
    title: "List run groups",
    description: "Lists run groups, newest first, with who ran, on what, status and trials by end.",
    scope: "read",
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
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}",
    input: z.object({ ...orgRef, gid: recordId("run group") }),
    output: GroupRollup,
    verdict: ({ status, rates, root_causes, player, isolation, ended_at_once }) => {
      const who = player.version === null ? player.name : `${player.name} ${player.version}`;
      const atOnce = endedAtOnceWords(ended_at_once);
      if (rates.rate === undefined)
        return `${who}: no valid trial yet${atOnce && `; ${atOnce}`}; the group is ${status}.`;
      const beside =
        rates.infra + rates.invalid === 0 ? "" : `; not counted: ${rates.infra} infra, ${rates.invalid} invalid`;
      const first = root_causes[0] ? `; most failures: ${root_causes[0].cause} (${root_causes[0].trials})` : "";
      const open = withoutIsolation(isolation);
      return `${who} met ${rates.met} of ${rates.valid} valid trials (${percent(rates.rate)}, 95 % interval over tasks ${percent(rates.clustered.low)} to ${percent(rates.clustered.high)})${beside}${atOnce ? `; ${atOnce}` : first}${open && `; ${open}`}; the group is ${status}.`;
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
    next({ group, status, rates, environments }) {
      if (status === "running" || status === "queued") return `watch_job with job_id ${group}`;
      const [first] = environments;
      return rates.failed > 0 && first
        ? `run_trace with rid ${first.run} shows a trial that failed; compare_runs holds the group against another`
        : `compare_runs with another group`;
    },
    handle: getGroup,
  }),
];

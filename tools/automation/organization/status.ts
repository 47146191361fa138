import { z } from "zod";
import { orgStatus } from "../../../chapters/automation/organization/status.ts";
import { countOf } from "../../../chapters/count-of.ts";
import { Figures } from "../../../chapters/evidence/figures/figures-view.ts";
import { count, orgRef } from "../../../chapters/fields.ts";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { shaped } from "../../kernel/operation.ts";

const STORED = "stored records that are not retired";

/** Where an org stands. */
export const status = [
  shaped({
    name: "org_status",
    title: "See where the org stands",
    description:
      "Call it first on an org you do not know: counts evidence, surfaces, environments, tasks, agents, run groups, jobs, spend and what production traces cost, and says what to do next.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/status",
    input: z.object({
      ...orgRef,
      format: z.enum(["md", "json"]).optional().describe("The file's form; Markdown when absent."),
      names: z.boolean().optional().describe("Also the names of surfaces, environments and agents."),
    }),
    output: z.object({
      org: z.string(),
      as_of: z.number(),
      evidence: count,
      surfaces: count,
      environments: count,
      tasks: z.record(TaskStatus, count),
      agents: count,
      groups: count,
      newest_group: z.object({ group: z.string(), player: z.string(), status: GroupStatusSchema }).optional(),
      jobs: z.object({ queued: count, running: count, held: count }),
      spent_usd: z.number(),
      usd_per_day: z.number(),
      figures: Figures.optional().describe(
        "Of traces from production, or of which nobody said where they are from; absent where there are none.",
      ),
      names: z
        .object({
          surfaces: z.array(z.string()),
          environments: z.array(z.string()),
          agents: z.array(z.string()),
        })
        .optional(),
      tier: z.literal("deterministic"),
    }),
    answer: "file",
    verdict: ({ evidence, tasks, agents, groups, jobs }) =>
      `${countOf(tasks.certified, "certified task")} from ${countOf(evidence, "evidence record")}; ${countOf(agents, "agent")}, ${countOf(groups, "run group")}; ${countOf(jobs.running, "job")} running, ${jobs.held} held.`,
    counts: (answer) => [
      { name: "evidence records", value: answer.evidence, tier: answer.tier, how: "stored records" },
      { name: "surfaces", value: answer.surfaces, tier: answer.tier, how: STORED },
      { name: "environments", value: answer.environments, tier: answer.tier, how: STORED },
      {
        name: "certified tasks",
        value: answer.tasks.certified,
        of: Object.values(answer.tasks).reduce((sum, n) => sum + n, 0),
        tier: answer.tier,
        how: "stored tasks by review status",
      },
      { name: "agents", value: answer.agents, tier: answer.tier, how: STORED },
      { name: "run groups", value: answer.groups, tier: answer.tier, how: "stored records" },
      { name: "jobs held", value: answer.jobs.held, tier: answer.tier, how: "jobs that wait for budget or consent" },
    ],
    next: ({ evidence, tasks, agents, jobs, newest_group: newest }) => {
      if (jobs.running + jobs.queued > 0 && tasks.certified === 0 && evidence > 0)
        return "jobs_list shows what runs now; wait for it before you start anything else";
      if (jobs.held > 0) return "spend_summary says what waits and why";
      if (evidence === 0) return "evidence_post with traces of the agent";
      if (tasks.certified === 0) return "pipeline_post makes environments with certified tasks from the evidence";
      if (agents === 0) return "agents_post connects the agent to test";
      return newest === undefined ? "start_run with the agent" : `run_group with gid ${newest.group}`;
    },
    handle: orgStatus,
  }),
];

import { z } from "zod";
import { listDiscoveries, ref, StartInput, startDiscovery } from "../../../chapters/automation/onboarding/discover.ts";
import { Started } from "../../../chapters/job.ts";
import { pageInput } from "../../../chapters/page.ts";
import { AgentDiscovery } from "../../../chapters/records/agents/discovery.ts";
import { operation } from "../../kernel/operation.ts";

/** What a connected agent does with a surface, seen by asking it. */
export const discoveries = [
  operation({
    name: "agent_discover",
    title: "Discover what an agent does",
    description:
      "Asks a connected version a few certified tasks, ungraded, and stores which operations it used or never used, who answered each, and how it goes about its topics. Answers a job; then read agent_discoveries.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/discover",
    input: StartInput,
    output: Started.extend({
      agent: z.string(),
      version: z.string(),
      surface: z.string(),
      environment: z.string(),
      tasks: z.number().int(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startDiscovery,
  }),
  operation({
    name: "agent_discoveries",
    title: "List an agent's discoveries",
    description:
      "Lists what asking an agent has shown, newest first: operations it called and tools it never used, topics, and how it behaves. Make one with agent_discover.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/discoveries",
    input: z.object({ ...ref, ...pageInput }),
    output: z.object({
      agent: z.string(),
      discoveries: z.array(AgentDiscovery.schema),
      next: z.string().optional(),
    }),
    handle: listDiscoveries,
  }),
];

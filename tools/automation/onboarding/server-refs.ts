import { z } from "zod";
import { takeRef } from "../../../chapters/automation/onboarding/server-refs.ts";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { SurfaceVersion } from "../../../chapters/records/agents/agents.ts";
import { operation } from "../../kernel/operation.ts";

const aid = recordId("surface agent, or its name");

/** Make a ref a version of the tools. */
export const serverRefs = [
  operation({
    name: "agent_server_refs",
    title: "Make a ref a version of the tools",
    description:
      "Takes a branch, tag, commit or pull request of a surface agent's server as a version: reads its tools there and at its base, and declares the difference. A tool that is new or takes other parameters needs a line in behaviours, else the version waits as needs_behaviour.",
    scope: "push",
    effect: "start",
    statuses: [202, 200],
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/server-refs",
    input: z.object({
      ...orgRef,
      aid,
      ref: z.string().min(1).max(250).describe("Branch, tag, commit, or pull request as pull/12."),
      behaviours: z
        .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().min(1).max(20_000))
        .optional()
        .describe("What tools do, by name: a line of the behaviour language each."),
      supersedes: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("A declared version that this ref takes the place of."),
      ...byField,
    }),
    output: z.object({
      agent: z.string(),
      job: z.string().nullable(),
      poll: z.string().nullable(),
      same: z.boolean().describe("Whether it stood so already."),
      surface_version: SurfaceVersion.schema,
    }),
    handle: takeRef,
  }),
];

import { z } from "zod";
import { RefsInput, takeRef } from "../../../chapters/automation/onboarding/server-refs.ts";
import { SurfaceVersion } from "../../../chapters/records/agents/agents.ts";
import { operation } from "../../kernel/operation.ts";

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
    input: RefsInput,
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

import { z } from "zod";
import { aid } from "../../../chapters/agents/fields.ts";
import { makePrimary } from "../../../chapters/agents/versions/primary.ts";
import { AgentView } from "../../../chapters/agents/views.ts";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Make an agent primary. */
export const primary = [
  operation({
    name: "agent_primary",
    title: "Make an agent primary",
    description:
      "Makes this the org's primary agent: the one that start_run takes when none is named. A built-in harness cannot be primary.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/primary",
    input: z.object({ ...orgRef, aid, ...byField }),
    output: z.object({ primary_agent: AgentView }),
    handle: makePrimary,
  }),
];

import { z } from "zod";
import { makeMain } from "../../chapters/agents/main.ts";
import { AgentView } from "../../chapters/agents/views.ts";
import { byField, orgRef, recordId } from "../../chapters/fields.ts";
import { operation } from "../kernel/operation.ts";

const aid = recordId("surface agent, or its name");

/** Choose the main version of a tool server. */
export const main = [
  operation({
    name: "agent_main",
    title: "Choose the main version of a tool server",
    description:
      "Makes a version of a surface agent the main one, which others are compared with; base returns to the connected tools. Nothing is served anew; a superseded version cannot be main.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/main",
    input: z.object({
      ...orgRef,
      aid,
      version: z.string().min(1).max(200).describe("The version, the id of its ref's row, or base."),
      ...byField,
    }),
    output: z.object({ agent: AgentView, main: z.string(), same: z.boolean() }),
    handle: makeMain,
  }),
];

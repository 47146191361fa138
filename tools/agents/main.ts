import { z } from "zod";
import { MainInput, makeMain } from "../../chapters/agents/main.ts";
import { AgentView } from "../../chapters/agents/views.ts";
import { operation } from "../kernel/operation.ts";

/** Choose the main version of a tool server. */
export const main = [
  operation({
    name: "agent_main",
    title: "Choose the main version of a tool server",
    description:
      "Makes a version of a surface agent the main one, which others are compared with; base goes back to the connected tools. Nothing is served anew; a superseded version cannot be main.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/main",
    input: MainInput,
    output: z.object({ agent: AgentView, main: z.string(), same: z.boolean() }),
    handle: makeMain,
  }),
];

import { chapter } from "../kernel/chapter.ts";
import { agentEnv } from "./agent-env.ts";
import { agents } from "./agents.ts";
import { trying } from "./trying.ts";
import { versions } from "./versions.ts";
import { writePath } from "./write-path.ts";

/** The agents chapter. */
export const agentsChapter = chapter({
  name: "agents",
  title: "Agents",
  description:
    "The agents under test: connect a command or an http endpoint, add versions, choose the primary one, retire and remove.",
  operations: [...agents, ...versions, ...agentEnv, ...trying, ...writePath],
});

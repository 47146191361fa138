import { chapter } from "../kernel/chapter.ts";
import { agentEnv } from "./agent-env.ts";
import { agents } from "./agents.ts";
import { discoveries } from "./discoveries.ts";
import { first } from "./first.ts";
import { onboarding } from "./onboarding.ts";
import { reading } from "./reading.ts";
import { server } from "./server.ts";
import { trying } from "./trying.ts";
import { vcs } from "./vcs.ts";
import { versionFacts } from "./version-facts.ts";
import { versions } from "./versions/versions.ts";
import { coverage } from "./writes/touched-coverage.ts";
import { writePath } from "./writes/write-path.ts";

/** Who is tried: agents, their versions, and how each is connected. */
export const agentsChapter = chapter({
  name: "agents",
  title: "Agents",
  description:
    "The agents under test: connect a command, an http endpoint, a repository or a tool server, add versions, choose the primary one, retire and remove.",
  operations: [
    ...agents,
    ...versions,
    ...versionFacts,
    ...reading,
    ...server,
    ...vcs,
    ...agentEnv,
    ...trying,
    ...writePath,
    ...discoveries,
    ...coverage,
    ...first,
    ...onboarding,
  ],
});

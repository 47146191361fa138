import { detect } from "../automation/onboarding/detect.ts";
import { discoveries } from "../automation/onboarding/discover.ts";
import { first } from "../automation/onboarding/first.ts";
import { onboarding } from "../automation/onboarding/onboard.ts";
import { trying } from "../automation/onboarding/probe.ts";
import { scan } from "../automation/onboarding/scan.ts";
import { serverRefs } from "../automation/onboarding/server-refs.ts";
import { coverage } from "../automation/onboarding/touched-coverage.ts";
import { vcsInstallation } from "../code-host/vcs-installation.ts";
import { chapter } from "../kernel/chapter.ts";
import { agentEnv } from "./agent-env.ts";
import { agents } from "./agents.ts";
import { main } from "./main.ts";
import { serverListing } from "./repositories/server-listing.ts";
import { serverRepo } from "./repositories/server-repo.ts";
import { vcsRefs } from "./repositories/vcs-refs.ts";
import { changes } from "./versions/changes.ts";
import { primary } from "./versions/primary.ts";
import { versionTexts } from "./versions/version-texts.ts";
import { versions } from "./versions/versions.ts";
import { writePath } from "./writes/write-path.ts";

/** Who is tried: agents, their versions, and how each is connected. */
export const agentsChapter = chapter({
  name: "agents",
  title: "Agents",
  description:
    "The agents under test: connect a command, an http endpoint, a repository or a tool server, add versions, choose the primary one, retire and remove.",
  operations: [
    ...agents,
    ...primary,
    ...versions,
    ...changes,
    ...versionTexts,
    ...detect,
    ...scan,
    ...serverRepo,
    ...serverRefs,
    ...serverListing,
    ...main,
    ...vcsInstallation,
    ...vcsRefs,
    ...agentEnv,
    ...trying,
    ...writePath,
    ...discoveries,
    ...coverage,
    ...first,
    ...onboarding,
  ],
});

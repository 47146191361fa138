import { StartInput, startMirror } from "../../chapters/exports/mirror-out.ts";
import { Started } from "../../chapters/job.ts";
import { operation } from "../kernel/operation.ts";

/** Mirror the org into another workspace. */
export const mirrorOut = [
  operation({
    name: "mirror_post",
    title: "Mirror the org into another workspace",
    description:
      "Starts a round that sends the org's records to the workspace this one mirrors into; a broken round goes on when started again. What differs there is refused unless `replace` is set.",
    scope: "admin",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/mirror",
    input: StartInput,
    output: Started,
    handle: startMirror,
  }),
];

import { z } from "zod";
import { memberKind } from "../../chapters/exports/fields.ts";
import { startMirror } from "../../chapters/exports/mirror-out.ts";
import { orgRef } from "../../chapters/fields.ts";
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
    input: z.object({
      ...orgRef,
      to: z.string().min(1).max(63).optional().describe("The org's tag there; the same as here when absent."),
      kinds: z.array(memberKind).min(1).optional(),
      since: z.number().optional().describe("Only what was made since then, unix seconds."),
      replace: z.boolean().optional().describe("Put this workspace's version in place of one that differs there."),
      dry_run: z.boolean().optional().describe("Count what would be sent and send nothing."),
    }),
    output: Started,
    handle: startMirror,
  }),
];

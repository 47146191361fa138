import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { sid } from "../../chapters/sources/fields.ts";
import { syncSource } from "../../chapters/sources/sync.ts";
import { operation } from "../kernel/operation.ts";

/** Pull a source now. */
export const sync = [
  operation({
    name: "sources_sync",
    title: "Pull a source now",
    description:
      "Pulls a source as a background job, from where the last pull ended. Refused with the reason where consent or a credential is missing, or the source asked to wait.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    statuses: [202, 200],
    route: "POST /v0/orgs/{orgtag}/sources/{sid}/sync",
    input: z.object({ ...orgRef, sid }),
    output: z.object({
      deduplicated: z.boolean(),
      job: z.string(),
      note: z.string().nullable(),
      poll: z.string(),
      source: z.string(),
      status: z.string(),
    }),
    handle: syncSource,
  }),
];

import { z } from "zod";
import { AdmitInput, admitEntry, mirrorContents, RefusedMember } from "../../chapters/exports/mirror-in.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** Say what a mirrored org holds; take in one member of a mirror round. */
export const mirrorIn = [
  operation({
    name: "mirror_in_get",
    title: "Show what a mirrored org holds",
    description:
      "For a sending workspace: what this org holds, `<kind>/<id>` to SHA-256, and what was refused. Only for credentials that the operator listed.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/mirror-in",
    input: z.object({
      ...orgRef,
      wait: z.enum(["1"]).optional().describe("Look longer before answering what was found."),
    }),
    output: z.object({
      org: z.string(),
      filled_at: z.number(),
      filling: z.boolean().describe("Whether some kinds were not looked through in time."),
      pending: z.array(z.string()).describe("Those kinds."),
      held: z.record(z.string(), z.string()),
      refused: z.record(z.string(), RefusedMember),
      tier: Tier,
    }),
    handle: mirrorContents,
  }),
  operation({
    name: "mirror_in_post",
    title: "Take in one member of a mirror round",
    description:
      "For a sending workspace: stores one member's bytes under its id when their SHA-256 is the one named. One that differs is refused unless replace=1.",
    scope: "admin",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/mirror-in/{kind}",
    body: "stream",
    statuses: [200],
    input: AdmitInput,
    output: z.object({ result: z.enum(["stored", "same", "replaced"]) }),
    handle: admitEntry,
  }),
];

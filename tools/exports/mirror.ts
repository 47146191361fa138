import { z } from "zod";
import { EntryHead, ExcludedKind } from "../../chapters/exports/entries.ts";
import { memberId, memberKind } from "../../chapters/exports/fields.ts";
import { mirrorEntry, mirrorList } from "../../chapters/exports/mirror.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** An org copied into another workspace, member by member. */
export const mirror = [
  operation({
    name: "mirror_get",
    title: "List what a mirror round would send",
    description:
      "Use it before mirror_post to see what a copy would hold: lists every record, trace, trial, job and blob that a round would send, with digest and size, and what stays back and why.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/mirror",
    input: z.object({
      ...orgRef,
      kinds: z.string().max(2000).optional().describe("Kinds separated by commas; all when absent."),
      since: z.number().optional().describe("Only what was made since then, unix seconds."),
    }),
    output: z.object({
      org: z.string(),
      order: z.array(z.string()),
      members: z.array(z.object({ kind: z.string(), ...EntryHead.shape })),
      held_back: z.array(ExcludedKind),
      tier: Tier,
    }),
    handle: mirrorList,
  }),
  operation({
    name: "mirror_member_get",
    title: "Read one member of a mirror round",
    description: "Answers the bytes of one listed member exactly as stored; their SHA-256 is the listed digest.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/mirror/{kind}",
    answer: "file",
    input: z.object({ ...orgRef, kind: memberKind, id: memberId }),
    output: z.object({ bytes: z.number().int() }),
    handle: mirrorEntry,
  }),
];

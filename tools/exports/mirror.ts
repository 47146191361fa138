import { z } from "zod";
import { mirrorList, mirrorMember } from "../../chapters/exports/mirror.ts";
import { admitMember, mirrorHeld } from "../../chapters/exports/mirror-in.ts";
import { startMirror } from "../../chapters/exports/mirror-out.ts";
import { Tier } from "../../chapters/tier.ts";
import { orgRef } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";

const memberKind = z.string().min(1).max(60).describe("A kind of member, as mirror_get lists them in `order`.");
const memberId = z.string().min(1).max(400).describe("The member's id, as listed.");
const heldBack = z.array(z.object({ kind: z.string(), count: z.number().int(), reason: z.string() }));

/** An org copied into another workspace, member by member. */
export const mirror = [
  operation({
    name: "mirror_get",
    title: "List what a mirror round would send",
    description:
      "Use it before mirror_post to see what a copy would hold: lists every record, trace, trial, job and blob that a round would send, with digest and size, and what stays back and why.",
    scope: "admin",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/mirror",
    input: z.object({
      ...orgRef,
      kinds: z.string().max(2000).optional().describe("Kinds separated by commas; all when absent."),
      since: z.number().optional().describe("Only what was made since then, unix seconds."),
    }),
    output: z.object({
      org: z.string(),
      order: z.array(z.string()),
      members: z.array(
        z.object({ kind: z.string(), id: z.string(), sha256: z.string(), size: z.number().int().optional() }),
      ),
      held_back: heldBack,
      tier: Tier,
    }),
    handle: mirrorList,
  }),
  operation({
    name: "mirror_member_get",
    title: "Read one member of a mirror round",
    description: "Answers the bytes of one listed member exactly as stored; their SHA-256 is the listed digest.",
    scope: "admin",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/mirror/{kind}",
    answer: "file",
    input: z.object({ ...orgRef, kind: memberKind, id: memberId }),
    output: z.object({ bytes: z.number().int() }),
    handle: mirrorMember,
  }),
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
  operation({
    name: "mirror_in_get",
    title: "Say what a mirrored org holds",
    description:
      "For a sending workspace: what this org holds, `<kind>/<id>` to SHA-256, and what was refused. Only for credentials that the operator listed.",
    scope: "admin",
    effect: "read",
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
      refused: z.record(z.string(), z.object({ sha256: z.string(), reason: z.string() })),
      tier: Tier,
    }),
    handle: mirrorHeld,
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
    input: z.object({
      ...orgRef,
      kind: memberKind,
      id: memberId,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe("SHA-256 of the bytes, lower-case hexadecimal."),
      bundle: z.string().max(60).optional().describe("The bundle it belongs to, which must be here."),
      replace: z.enum(["1"]).optional(),
      content: z.string().optional().describe("The bytes as base64, where no raw body can be sent."),
    }),
    output: z.object({ result: z.enum(["stored", "same", "replaced"]) }),
    handle: admitMember,
  }),
];

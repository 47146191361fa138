import { z } from "zod";
import { verifyAudit } from "../../chapters/automation/operator/audit.ts";
import { erasePerson, eraseTrace } from "../../chapters/automation/operator/erase.ts";
import { inviteAct } from "../../chapters/automation/operator/invite.ts";
import { createOrgAct, restoreAct } from "../../chapters/automation/operator/orgs.ts";
import { rotateSealingKey } from "../../chapters/automation/operator/reseal.ts";
import { putObsWrite, rotateAnonKeyAct } from "../../chapters/automation/operator/secrets.ts";
import { setRetention } from "../../chapters/automation/organization/retention.ts";
import { InviteLink } from "../../chapters/organization/invites.ts";
import { ObsWriteCredential } from "../../chapters/organization/obs-write.ts";
import { chapter } from "../../tools/kernel/chapter.ts";
import { serviceOperation } from "../../tools/kernel/operation.ts";

const orgtag = z.string().min(1).max(63).describe("The org's tag.");
const count = z.number().int();
const tier = z.literal("deterministic");
const surfaces = z.array(z.string()).describe("Surfaces that were compiled from it: they are to be built again.");

/** What the operator does to the workspace. Routes of their own, for the service-wide credential alone; no tools. */
export const operatorChapter = chapter({
  name: "operator",
  title: "Operator",
  description: "Acts on the workspace itself: orgs, erasure, retention, keys, the audit chains.",
  operations: [
    serviceOperation({
      name: "create_org",
      title: "Make an org",
      description: "Makes an org with its first admin token, which is answered this once.",
      scope: "admin",
      effect: "create",
      route: "POST /v0/operator/orgs",
      input: z.object({ tag: orgtag, name: z.string().min(1).max(200).optional().describe("What holds the token.") }),
      output: z.object({
        org: z.string(),
        id: z.string(),
        created_at: z.number(),
        token: z.string(),
        note: z.string(),
      }),
      handle: createOrgAct,
    }),
    serviceOperation({
      name: "restore_org",
      title: "Restore an archived org",
      description:
        "Brings an org back from its archive (the tar.gz that org_archive gives, as the body), under its own id and its tag or another. A cut or changed archive makes no org.",
      scope: "admin",
      effect: "create",
      body: "stream",
      route: "POST /v0/operator/orgs/restore",
      input: z.object({ tag: orgtag.optional().describe("Another tag than the archive's.") }),
      output: z.object({ org: z.string(), id: z.string(), entries: count }),
      handle: restoreAct,
    }),
    serviceOperation({
      name: "invite_member",
      title: "Invite a member to the console",
      description:
        "Makes the one-time link by which a member of an org, named by email address, signs in to the console; their links before end.",
      scope: "admin",
      effect: "create",
      route: "POST /v0/operator/orgs/{orgtag}/invites",
      input: z.object({ orgtag, email: z.email().max(254) }),
      output: InviteLink.extend({ org: z.string(), member: z.string(), note: z.string() }),
      handle: inviteAct,
    }),
    serviceOperation({
      name: "erase_trace",
      title: "Erase a trace",
      description: "Deletes one trace, also from the database's own files, and names the surfaces compiled from it.",
      scope: "admin",
      route: "DELETE /v0/operator/orgs/{orgtag}/traces/{trace}",
      input: z.object({ orgtag, trace: z.string().min(1).max(200) }),
      output: z.object({
        org: z.string(),
        erased: z.string(),
        evidence: z.string(),
        surfaces,
        scrubbed: z.boolean(),
        note: z.string(),
      }),
      handle: eraseTrace,
    }),
    serviceOperation({
      name: "erase_person",
      title: "Erase a person's data",
      description:
        "Deletes every trace of an org that holds one of the values, and every text and row of its documents that does, and names every other place where one still stands.",
      scope: "admin",
      effect: "update",
      hints: { destructive: true },
      route: "POST /v0/operator/orgs/{orgtag}/erase-person",
      input: z.object({
        orgtag,
        values: z
          .array(z.string().trim().min(4).max(500))
          .min(1)
          .max(50)
          .describe("What identifies the person: names, addresses, numbers, ids; each of 4 characters or more."),
      }),
      output: z.object({
        org: z.string(),
        traces: count,
        parts: count.describe("Texts and rows of documents."),
        surfaces,
        remaining: z.array(z.object({ place: z.string(), id: z.string() })),
        remaining_total: count,
        scrubbed: z.boolean(),
        note: z.string(),
        tier,
      }),
      handle: erasePerson,
    }),
    serviceOperation({
      name: "set_retention",
      title: "Set an org's retention",
      description:
        "Erases an org's traces after so many days, beginning at once and every day from then on; null keeps them.",
      scope: "admin",
      route: "PUT /v0/operator/orgs/{orgtag}/retention",
      input: z.object({ orgtag, days: z.number().int().min(1).max(3650).nullable() }),
      output: z.object({ org: z.string(), days: z.number().nullable(), cleared: z.boolean() }),
      handle: setRetention,
    }),
    serviceOperation({
      name: "set_obs_write",
      title: "Set an org's credential for writing to its observability vendor",
      description:
        "Seals the credential that findings are pushed with, JSON of api_key, app_key and site; null takes it away.",
      scope: "admin",
      route: "PUT /v0/operator/orgs/{orgtag}/obs-write",
      input: z.object({ orgtag, credential: ObsWriteCredential.nullable() }),
      output: z.object({ org: z.string(), name: z.string(), set: z.boolean() }),
      handle: putObsWrite,
    }),
    serviceOperation({
      name: "rotate_anon_key",
      title: "Rotate an org's key of pseudonyms",
      description: "Gives an org a new key for pseudonyms and forgets the one before.",
      scope: "admin",
      effect: "update",
      hints: { destructive: true, idempotent: false },
      route: "POST /v0/operator/orgs/{orgtag}/anon-key",
      input: z.object({ orgtag }),
      output: z.object({
        org: z.string(),
        rotated: z.literal(true),
        had: z.boolean().describe("Whether there was one before."),
        scrubbed: z.boolean(),
        note: z.string(),
      }),
      handle: rotateAnonKeyAct,
    }),
    serviceOperation({
      name: "rotate_key",
      title: "Rotate the sealing key",
      description: "Seals every secret of every org under a new key and forgets the keys before.",
      scope: "admin",
      effect: "update",
      hints: { idempotent: false },
      route: "POST /v0/operator/keys/rotate",
      input: z.object({}),
      output: z.object({
        resealed: count.describe("Secrets that are under the new key now and were not before."),
        unreadable: count.describe("Secrets under keys that are gone."),
        note: z.string(),
      }),
      handle: rotateSealingKey,
    }),
    serviceOperation({
      name: "verify_audit",
      title: "Verify the audit chains",
      description: "Reads every org's audit chain and the workspace's own, and says where one was changed.",
      scope: "admin",
      route: "GET /v0/operator/audit/verify",
      input: z.object({}),
      output: z.object({
        intact: z.boolean(),
        lines: count,
        chains: z.array(z.object({ chain: z.string(), lines: count, broken: count.optional() })),
        tier,
      }),
      handle: verifyAudit,
    }),
  ],
});

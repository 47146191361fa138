import { z } from "zod";
import { pageInput } from "../../../chapters/page.ts";
import {
  AuditCounts,
  EnvironmentRevision,
  RevisionKind,
  RevisionSide,
} from "../../../chapters/records/sandboxes/revision.ts";
import {
  getRevision,
  listRevisions,
  RestoreRevisionInput,
  restoreRevision,
  revRef,
} from "../../../chapters/sandboxes/environments/revisions.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** A revision as lists show it. */
export const RevisionHead = EnvironmentRevision.schema
  .omit({ kept: true, before: true, after: true, audit: true, worse: true, jobs: true, act: true })
  .extend({
    kind: RevisionKind,
    held: z.boolean().describe("Whether nothing came out worse."),
    undo: z.string().nullable().describe("The route that puts back what it replaced; null once that was done."),
  });

/** What an environment was before each change, and the way back. */
export const revisions = [
  operation({
    name: "environment_revisions",
    title: "List an environment's revisions",
    description:
      "Lists what changed an environment's draw or tasks, newest first: which act, who, which tasks, and what undoes it.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/revisions",
    input: z.object({ ...envRef, ...pageInput }),
    output: z.object({
      environment: z.string(),
      n: z.number().int().describe("How many there are in all."),
      revisions: z.array(RevisionHead),
      tier: z.literal("deterministic"),
      next: z.string().optional(),
    }),
    handle: listRevisions,
  }),
  operation({
    name: "environment_revision_get",
    title: "Get a revision",
    description:
      "Answers one revision: the draw and tasks in counts before and after, the audit of both draws, what came out worse, which tasks it kept, and the jobs it ran with their cost.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/revisions/{rev}",
    input: z.object(revRef),
    output: RevisionHead.extend({
      before: RevisionSide,
      after: RevisionSide,
      audit: z.object({ before: AuditCounts, after: AuditCounts }).optional(),
      worse: z.record(z.string(), z.number().int()),
      kept: z.object({
        draw: z.boolean().describe("Whether it kept a draw."),
        tasks: z.array(z.number().int()).describe("The tasks it kept, by index."),
      }),
      jobs: z.array(
        z.object({
          job: z.string(),
          kind: z.string().optional(),
          status: z.string().optional(),
          usd: z.number().optional(),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: getRevision,
  }),
  operation({
    name: "environment_revision_restore",
    title: "Undo a revision",
    description:
      "Puts back the draw, tasks and checks that a revision replaced, and keeps what stood as a revision of its own. A conflict while work on the environment is live, or when it was restored already.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/revisions/{rev}/restore",
    input: RestoreRevisionInput,
    output: z.object({ error: z.null(), revision: RevisionHead }),
    handle: restoreRevision,
  }),
];

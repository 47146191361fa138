import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { EnvironmentAudit } from "../../../chapters/records/sandboxes/audit.ts";
import { getAudit, HumanFlag, startAudit } from "../../../chapters/sandboxes/authoring/audit.ts";
import { envRef, modelField } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** The audit of an environment's rows. */
export const audits = [
  operation({
    name: "environment_audit_get",
    title: "Read an environment's audit",
    description:
      "Answers the newest audit of an environment's rows: what contradicts the observed rows, what looks made up, and the rows that people took for made up. `lapsed` says that the world was drawn again since.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/audit",
    input: z.object(envRef),
    output: EnvironmentAudit.schema.extend({
      lapsed: z.boolean(),
      human_flags: z.array(HumanFlag),
      tier: z.literal("deterministic"),
    }),
    handle: getAudit,
  }),
  operation({
    name: "environment_audit_post",
    title: "Audit an environment",
    description:
      "Starts an audit of an environment's rows by rule: joins, totals, order of dates, drawn rows that give themselves away. Read it with environment_audit_get.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/audit",
    input: z.object({ ...envRef, ...modelField, ...byField }),
    output: Started.extend({
      environment: z.string(),
      surface: z.string(),
      rubric: z.array(z.object({ rule: z.string(), finds: z.string(), says: z.string() })),
      stages: z.array(z.string()),
      tier: z.literal("deterministic"),
    }),
    handle: startAudit,
  }),
];

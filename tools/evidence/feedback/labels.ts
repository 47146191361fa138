import { z } from "zod";
import {
  labelsPolicy,
  listLabels,
  PostInput,
  postLabels,
  putLabelsPolicy,
  StreamCounts,
} from "../../../chapters/evidence/feedback/labels.ts";
import { byField, count, orgRef } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Polarity } from "../../../chapters/records/evidence/label.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const policy = z.object({
  org: z.string(),
  production_only: z.boolean(),
  set_by: z.string().nullable(),
  set_at: z.number().nullable(),
  tier: Tier,
});

/** People's verdicts on traces, and whether only production counts. */
export const labels = [
  operation({
    name: "labels_get",
    title: "List labels",
    description:
      "Lists people's labels on traces, newest first, without their words: what each is, whether it has a correction and which task it became; counts per stream; and whether every right production trace has a standing task.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/labels",
    input: z.object({ ...orgRef, ...pageInput, surface: z.string().min(1).max(100).optional() }),
    output: z.object({
      org: z.string(),
      labels: z.array(
        z.object({
          id: z.string(),
          trace: z.string(),
          kind: Polarity,
          stream: z.string(),
          has_correction: z.boolean(),
          became: z.object({ task: z.string(), environment: z.string(), status: z.string() }).nullable(),
          at: z.number(),
          by: z.string(),
        }),
      ),
      streams: z.record(z.string(), StreamCounts),
      production_only: z.boolean(),
      guard: z
        .object({ labelled: count, standing: count, missing: z.array(z.string()) })
        .describe("Right production traces, those with a certified task, and traces of the rest."),
      tier: Tier,
      next: z.string().optional(),
    }),
    handle: listLabels,
  }),
  operation({
    name: "labels_post",
    title: "Label traces",
    description:
      "Takes verdicts on traces from outside, one or a list: whether each went right, and what should have been done; tasks mined from now on follow them. All are stored or none; use it as a webhook.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/labels",
    input: PostInput,
    output: z.object({
      org: z.string(),
      stored: count,
      replaced: count,
      labels: z.array(z.object({ id: z.string(), trace: z.string() })),
      tier: Tier,
    }),
    handle: postLabels,
  }),
  operation({
    name: "labels_policy_get",
    title: "Read the labels policy",
    description: "Answers whether the org wants its tasks mined from production traces alone, who said so and when.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/labels/policy",
    input: z.object({ ...orgRef }),
    output: policy,
    handle: labelsPolicy,
  }),
  operation({
    name: "labels_policy_put",
    title: "Set the labels policy",
    description: "Sets whether tasks are mined from production traces alone, from the next writing on.",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/labels/policy",
    input: z.object({
      ...orgRef,
      production_only: z.boolean().describe("Whether datasets are made from production traces alone."),
      ...byField,
    }),
    output: policy,
    handle: putLabelsPolicy,
  }),
];

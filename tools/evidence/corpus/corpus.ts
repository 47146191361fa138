import { z } from "zod";
import {
  corpusPolicy,
  deriveCorpus,
  getCorpus,
  PostInput,
  postCorpus,
  putCorpusPolicy,
  RefusedItem,
} from "../../../chapters/evidence/corpus/corpus.ts";
import { byField, count, orgRef } from "../../../chapters/fields.ts";
import { DimensionStatus } from "../../../chapters/records/ontology/dimension.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const policy = z.object({
  org: z.string(),
  public_demand: z.boolean(),
  set_by: z.string().nullable(),
  set_at: z.number().nullable(),
  tier: Tier,
});

/** Short public requests, and what they show of what people ask for. */
export const corpus = [
  operation({
    name: "corpus_post",
    title: "Add public requests",
    description:
      "Stores short public requests about what people ask personal agents for: their words, where and when they stood, and their licence, nothing else. The same words are stored once; an item without a site or a licence is refused and named.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/corpus",
    input: PostInput,
    output: z.object({
      org: z.string(),
      stored: count,
      already: count,
      refused: z.array(RefusedItem),
      tier: Tier,
    }),
    handle: postCorpus,
  }),
  operation({
    name: "corpus_get",
    title: "Read the corpus",
    description:
      "Counts the public requests on record by licence, site and hand-set use case, says whether public demand shapes the org's datasets, and lists every dimension value proposed from them with its status.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/corpus",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      items: count,
      unread: count,
      by_licence: z.record(z.string(), count),
      by_site: z.record(z.string(), count),
      use_cases: z.record(z.string(), count),
      public_demand: z.boolean(),
      candidates: z.array(
        z.object({
          id: z.string(),
          field: z.string(),
          value: z.string(),
          status: DimensionStatus,
          tier: Tier,
          items: count.describe("Requests that show it."),
        }),
      ),
      tier: Tier,
    }),
    handle: getCorpus,
  }),
  operation({
    name: "corpus_derive",
    title: "Derive from the corpus",
    description:
      "Reads public requests that no earlier pass read and proposes use cases and registers as dimension values, each citing its requests. By a model where one is configured, else by rule.",
    scope: "push",
    effect: "create",
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/corpus/derive",
    input: z.object({
      ...orgRef,
      limit: count.min(1).max(200).optional().describe("How many requests at most; 200 when absent."),
    }),
    output: z.object({
      org: z.string(),
      read: count,
      proposed: z.array(z.object({ id: z.string(), field: z.string(), value: z.string() })),
      deduped: count.describe("Found again, under the same or another spelling."),
      model: z.string().nullable(),
      prompt_version: z.string().nullable(),
      usd: z.number(),
      note: z.string().optional(),
      tier: Tier,
    }),
    handle: deriveCorpus,
  }),
  operation({
    name: "corpus_policy_get",
    title: "Read the corpus policy",
    description: "Answers whether public demand shapes the org's datasets, who said so and when.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/corpus/policy",
    input: z.object({ ...orgRef }),
    output: policy,
    handle: corpusPolicy,
  }),
  operation({
    name: "corpus_policy_put",
    title: "Set the corpus policy",
    description:
      "Sets whether public demand shapes the org's datasets: use cases proposed from the corpus then weigh as their share of it.",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/corpus/policy",
    input: z.object({
      ...orgRef,
      public_demand: z.boolean().describe("Whether public items count as demand."),
      ...byField,
    }),
    output: policy,
    handle: putCorpusPolicy,
  }),
];

import { z } from "zod";
import {
  deriveStatement,
  listStatements,
  PostInput,
  postStatement,
} from "../../../chapters/evidence/documents/statements.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { StatedBucket } from "../../../chapters/records/evidence/statement.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const View = z.object({
  id: z.string(),
  created_at: z.number(),
  by: z.string(),
  author: z.string(),
  origin: z.enum(["upload", "paste", "home"]),
  file_name: z.string().optional(),
  characters: z.number().int(),
  read: z.boolean().describe("Whether a pass has read it."),
  proposal: z
    .object({
      buckets: z.array(StatedBucket),
      values: z.array(z.string()).describe("Dimension values that were proposed of them."),
      at: z.number(),
      tier: Tier,
      model: z.string().nullable(),
      prompt_version: z.string().nullable(),
    })
    .nullable(),
  tier: Tier,
});
const Derived = z.object({
  org: z.string(),
  statement: View.nullable(),
  estimate_usd: z.number().describe("What the reading could have cost at most."),
  usd: z.number(),
  note: z.string().optional().describe("What the reader could not read, and what would."),
});

/** What people state about how their agent is used. */
export const statements = [
  operation({
    name: "statements_list",
    title: "List statements",
    description:
      "Lists what people stated about how their agent is used, newest first and without the words, each with the buckets that were proposed of it. With `id`, that one with its words.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/statements",
    input: z.object({
      ...orgRef,
      ...pageInput,
      id: z.string().min(1).max(200).optional().describe("One statement's id."),
    }),
    output: z.object({
      org: z.string(),
      statement: View.extend({ text: z.string() }).optional(),
      statements: z.array(View).optional(),
      next: z.string().optional(),
    }),
    handle: listStatements,
  }),
  operation({
    name: "statements_post",
    title: "State how an agent is used",
    description:
      "Stores a person's words about how their agent is used, then reads them once into proposed use cases that each cite their sentence. `derive: false` leaves the reading out.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/statements",
    input: PostInput,
    output: Derived,
    handle: postStatement,
  }),
  operation({
    name: "statements_derive",
    title: "Read a statement",
    description:
      "Reads one statement into proposed use cases: the one named, else the oldest that no pass has read. With none unread nobody is asked.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/statements/derive",
    input: z.object({ ...orgRef, statement: z.string().min(1).max(200).optional().describe("The statement's id.") }),
    output: Derived,
    handle: deriveStatement,
  }),
];

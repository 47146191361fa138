import { z } from "zod";
import { orgField, recordId } from "../../../chapters/fields.ts";
import {
  AskInput,
  askRoot,
  deleteThread,
  getThread,
  listThreads,
  renameThread,
} from "../../../chapters/findings/assistant/root.ts";
import { pageInput } from "../../../chapters/page.ts";
import { RootCall, RootCite, RootThread } from "../../../chapters/records/findings/root.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Thread = z.object({
  thread: z.string(),
  title: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
  turns: z.number().int(),
});
const answered = {
  answer: z.string(),
  cites: z.array(RootCite).describe("Records that the answer rests on, with the tool that read each."),
  calls: z.array(RootCall).describe("Tools that were called for it, with the status each answered."),
  tier: Tier,
  model: z.string().nullable().describe("Null where rules answered."),
  usd: z.number().describe("What the answer cost, US dollars."),
};
const threadRef = { tid: recordId("thread") };
const reach = { from: "record", kind: RootThread, param: "tid" } as const;

/** The workspace's assistant: questions answered from the org's own records. */
export const root = [
  operation({
    name: "root_post",
    title: "Ask the workspace",
    description:
      "Asks the workspace's assistant: answers a plain question about the org's work from its own records: by rules that choose reading tools by its words, or by a model where one is configured. Name a `thread` to go on with it.",
    scope: "read",
    effect: "create",
    statuses: [200],
    route: "POST /v0/root",
    input: AskInput,
    output: z.object({ org: z.string(), thread: z.string(), ...answered }),
    handle: askRoot,
  }),
  operation({
    name: "root_get",
    title: "List own threads",
    description: "Lists the caller's own threads with the workspace's assistant, newest first, and who answers here.",
    scope: "read",
    route: "GET /v0/root",
    input: z.object({ ...orgField, ...pageInput }),
    output: z.object({
      org: z.string(),
      threads: z.array(Thread),
      reader: z.enum(["rule", "model"]),
      next: z.string().optional(),
    }),
    handle: listThreads,
  }),
  operation({
    name: "root_thread_get",
    title: "Read a thread",
    description:
      "Answers one of the caller's own threads: each question with its answer, what it rests on and its tier.",
    scope: "read",
    orgResolution: reach,
    route: "GET /v0/root/threads/{tid}",
    input: z.object({ ...threadRef, ...pageInput }),
    output: Thread.extend({
      messages: z.array(z.object({ id: z.string(), at: z.number(), text: z.string(), ...answered })),
      next: z.string().optional(),
    }),
    handle: getThread,
  }),
  operation({
    name: "root_thread_patch",
    title: "Rename a thread",
    description: "Gives one of the caller's own threads another title.",
    scope: "read",
    orgResolution: reach,
    route: "PATCH /v0/root/threads/{tid}",
    input: z.object({ ...threadRef, title: z.string().trim().min(1).max(200) }),
    output: Thread,
    handle: renameThread,
  }),
  operation({
    name: "root_thread_delete",
    title: "Delete a thread",
    description: "Deletes one of the caller's own threads with all that was asked and answered in it.",
    scope: "read",
    orgResolution: reach,
    route: "DELETE /v0/root/threads/{tid}",
    input: z.object(threadRef),
    output: z.object({ deleted: z.string(), messages: z.number().int() }),
    handle: deleteThread,
  }),
];

import { z } from "zod";
import { ChatInput, deliverChat } from "../../chapters/exports/deliver-chat.ts";
import { shaped } from "../kernel/operation.ts";
import { counts, facts, said } from "./finding.ts";

/** Post a finding to chat. */
export const deliverChatOperations = [
  shaped({
    name: "deliver_chat",
    title: "Post a finding to chat",
    description:
      "Posts what a run group showed against another as one chat message; it needs the chat channel on and a member's single-use confirm. With dry_run it answers the blocks and sends nothing.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/deliveries/chat",
    input: ChatInput,
    output: z.object({
      ...facts,
      channel: z.string().nullable(),
      dry_run: z.boolean(),
      posted: z.boolean(),
      ts: z.string().optional(),
      permalink: z.string().optional(),
      log: z.string().optional().describe("The line of the delivery log."),
      text: z.string().optional(),
      blocks: z.array(z.record(z.string(), z.unknown())).readonly().optional(),
    }),
    verdict: (answer) =>
      `${answer.dry_run ? "Not sent (dry run)" : answer.posted ? "Posted to chat" : "Posted already"}: ${said(answer)}.`,
    counts,
    next: ({ dry_run }) => (dry_run ? "deliver_chat with a confirm sends it" : "delivery_log lists what was sent"),
    handle: deliverChat,
  }),
];

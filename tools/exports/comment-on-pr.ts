import { z } from "zod";
import { CommentInput, commentOnPr } from "../../chapters/exports/comment-on-pr.ts";
import { shaped } from "../kernel/operation.ts";
import { counts, facts, said } from "./finding.ts";

/** Comment on a branch's pull request. */
export const commentOnPrOperations = [
  shaped({
    name: "comment_on_pr",
    title: "Comment on a branch's pull request",
    description:
      "Posts a landed run group's result on the open pull request of the branch that its version was made from, as one comment that later calls bring up to date; it needs the channel on (the code host's app). With dry_run it posts nothing.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/runs/group/{gid}/pr-comment",
    input: CommentInput,
    output: z.object({
      ...facts,
      group: z.string(),
      against: z.string(),
      verdict: z.string(),
      dry_run: z.boolean(),
      action: z.enum(["created", "updated", "none"]),
      repository: z.string().optional(),
      branch: z.string().optional(),
      number: z.number().int().optional(),
      pr_url: z.string().optional(),
      comment_url: z.string().optional(),
      log: z.string().optional().describe("The line of the delivery log."),
      body: z.string().optional().describe("The comment, in a dry run."),
      error: z.string().optional(),
      reason: z.string().optional(),
    }),
    verdict: (answer) =>
      `${answer.error === undefined ? (answer.dry_run ? "Not posted (dry run)" : `Comment ${answer.action}`) : `Not posted, ${answer.error}`}: ${said(answer)}.`,
    counts,
    next: ({ error, dry_run }) => (error === undefined && !dry_run ? "delivery_log lists what was sent" : undefined),
    handle: commentOnPr,
  }),
];

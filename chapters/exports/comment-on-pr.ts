import { z } from "zod";
import { auditAct } from "../audit.ts";
import { vcsInstallation } from "../code-host/vcs-installation.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { orgRef, recordId } from "../fields.ts";
import { findAgent } from "../find-agent.ts";
import { inert } from "../findings/render/inert.ts";
import { COMMENT_MARKER, prComment } from "../findings/render/pr-comment.ts";
import { headline } from "../findings/render/sentences.ts";
import { findGroup } from "../runs/groups/group-data.ts";
import { type OneSend, sendOnce, sendSignal, sentBefore } from "../send-once.ts";
import { deliveredFinding, findingFacts, openChannel } from "./delivered-finding.ts";
import { logDelivery } from "./delivery/delivery.ts";
import { against, consoleUrl, redact } from "./fields.ts";

/** What `comment_on_pr` takes. */
export const CommentInput = z.object({
  ...orgRef,
  gid: recordId("run group"),
  against,
  console: consoleUrl,
  redact,
  dry_run: z.boolean().optional().describe("Answer the comment and post nothing."),
});
export type CommentInput = z.output<typeof CommentInput>;

/**
 * Posts a landed group's finding on the open pull request of the branch that its version was made from: one comment of
 * the app's own, made once and then brought up to date. It needs the channel on. No branch and no open pull request are
 * answers in words. A dry run answers the comment and posts nothing.
 */
export async function commentOnPr(ctx: Ctx, input: CommentInput) {
  const { gid: group, against, console, redact } = input;
  const finding = await deliveredFinding(ctx, { group, against, console, redact }, "pr_comment");
  const body = prComment(finding);
  const place = await branchOf(ctx, group);
  const other = finding.main.group === group ? finding.tested.group : finding.main.group;
  const verdict = headline(finding, (text) => inert(text, 60));
  const facts = { ...findingFacts(finding), group, against: other, verdict, dry_run: input.dry_run === true, ...place };
  if (input.dry_run === true) return { ...facts, action: "none" as const, body };
  if (!place)
    return none(
      facts,
      "no_branch",
      "The group's version was made from no branch of a repository, so no pull request is its own.",
    );
  const row = await openChannel(ctx, "pr_comment");
  const installation = await vcsInstallation(ctx);
  if (!installation?.repositories.includes(place.repository))
    throw new AppError(
      "not_covered",
      "The code host's app does not reach the repository of this version; add it to the installation.",
    );
  const at = { installation: installation.installation_id, repository: place.repository };
  const pull = await ctx.vendors.vcs.openPullRequest(at, place.branch, ctx.signal);
  if (!pull) return none(facts, "no_pull_request", "No pull request is open from the branch of this version.");
  const put = async () => {
    const comment = { marker: COMMENT_MARKER, body };
    const { id, ...made } = await ctx.vendors.vcs.putComment(at, pull.number, comment, sendSignal());
    return { comment: id, ...made };
  };
  const target = row.target ?? `${place.repository}#${pull.number}`;
  // Of two first calls one makes the comment; once it is there, bringing it up to date twice is harmless.
  const first: OneSend = { channel: "pr_comment", group, key: [place.repository, String(pull.number)] };
  const by = ctx.caller.name;
  let reference: Awaited<ReturnType<typeof put>> | undefined;
  const make = async () => {
    reference = await put();
    return reference;
  };
  const made = (await sentBefore(ctx, first)) ? undefined : await sendOnce(ctx, first, { by, target }, make);
  reference ??= await put();
  const { url, action } = reference;
  const line = { by, channel: "pr_comment", group, target, reference };
  const log = made?.log ?? (await logDelivery(ctx, line)).id;
  await auditAct(ctx, "delivered", { channel: "pr_comment", group });
  return { ...facts, action, number: pull.number, pr_url: pull.url, comment_url: url, log };
}

function none<F extends object>(facts: F, error: "no_branch" | "no_pull_request", reason: string) {
  return { ...facts, action: "none" as const, error, reason };
}

/** The repository and branch that a group's version was made from; undefined where it was made from none. */
async function branchOf(
  ctx: Ctx,
  id: string,
): Promise<{ readonly repository: string; readonly branch: string } | undefined> {
  const { player } = await findGroup(ctx, id);
  if (player.agent === null) return undefined;
  const { versions } = await findAgent(ctx, player.agent);
  const origin = versions.find(({ version }) => version === player.version)?.origin;
  if (origin?.kind !== "branch" || origin.repo === undefined || origin.ref === undefined) return undefined;
  return { repository: origin.repo, branch: origin.ref.replace(/^refs\/heads\//, "") };
}

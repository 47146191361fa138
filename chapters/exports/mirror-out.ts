import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import { orgRef } from "../fields.ts";
import { type JobCtx, job } from "../job.ts";
import type { MirrorVendor } from "../ports/vendors.ts";
import { MIRROR_JOB } from "../records/exports/exports.ts";
import type { EntryHead, EntryKind } from "./entries.ts";
import { memberKind } from "./fields.ts";
import { kindsOf, membersSince } from "./mirror.ts";

const Round = z.object({
  /** The org's tag in the other workspace. */
  to: z.string(),
  kinds: z.array(z.string()).optional(),
  since: z.number().optional(),
  replace: z.boolean(),
  dry_run: z.boolean(),
});
type Round = z.infer<typeof Round>;

/** What a round came to. */
export interface RoundResult {
  readonly to: string;
  readonly dry_run: boolean;
  /** Members of the round, and of them those that were there already. */
  readonly members: number;
  readonly same: number;
  /** Sent and taken. */
  readonly sent: number;
  /** In a dry run, those that a round would send; `sent` is 0 then. */
  readonly would_send?: number;
  readonly refused: readonly { readonly kind: string; readonly id: string; readonly reason: string }[];
  /** Refused ones past those listed. */
  readonly more_refused: number;
}

const LISTED = 100;

/** Sends an org's records to the workspace this one mirrors into. What is there at the same digest is not sent: a broken round goes on. */
export const mirrorJob = job<Round, RoundResult>({
  kind: MIRROR_JOB,
  input: Round,
  key: (input) => input.to,
  attempts: 5,
  ends: "cancel",
  concurrency: 1,
  run: mirrorRound,
});

/** What `mirror_post` takes. */
export const StartInput = z.object({
  ...orgRef,
  to: z.string().min(1).max(63).optional().describe("The org's tag there; the same as here when absent."),
  kinds: z.array(memberKind).min(1).optional(),
  since: z.number().optional().describe("Only what was made since then, unix seconds."),
  replace: z.boolean().optional().describe("Put this workspace's version in place of one that differs there."),
  dry_run: z.boolean().optional().describe("Count what would be sent and send nothing."),
});
export type StartInput = z.output<typeof StartInput>;

/** Starts a round, or answers the one that runs. Without a workspace to mirror into it is a conflict. */
export async function startMirror(ctx: Ctx, input: StartInput) {
  if (!ctx.vendors.mirror.target.set)
    throw conflict("This workspace mirrors into none; the operator can set SVC_MIRROR_URL and SVC_MIRROR_TOKEN.");
  const { to = ctx.org.tag, kinds, since, replace = false, dry_run = false } = input;
  kindsOf({ kinds });
  const round = {
    to,
    replace,
    dry_run,
    ...(kinds ? { kinds: [...kinds] } : {}),
    ...(since === undefined ? {} : { since }),
  };
  const started = await ctx.jobs.start(mirrorJob, round);
  if (!started.deduplicated) await auditAct(ctx, "mirror_started", { job: started.job, replace, dry_run });
  return started;
}

/** Members on their way at once: within a kind their order does not matter. */
const AT_ONCE = 16;

async function mirrorRound(ctx: JobCtx, round: Round): Promise<RoundResult> {
  const there = await ctx.vendors.mirror.held(round.to, ctx.signal);
  const refused: { kind: string; id: string; reason: string }[] = [];
  let [members, same, sent] = [0, 0, 0];
  for (const kind of kindsOf(round)) {
    for await (const heads of inParts(membersSince(ctx, kind, round.since), AT_ONCE)) {
      ctx.signal.throwIfAborted();
      const answers = await Promise.all(heads.map((head) => sendEntry(ctx, round, there, kind, head)));
      for (const [i, { result, reason }] of answers.entries()) {
        members += 1;
        if (result === "same") same += 1;
        else if (result === "sent") sent += 1;
        else if (result === "refused") refused.push({ kind: kind.name, id: heads[i]?.id ?? "", reason });
      }
      ctx.progress(members, undefined, `${sent} ${round.dry_run ? "would be sent" : "sent"}, ${same} there already`);
    }
  }
  await ctx.job.audit("mirrored", { members, same, sent, refused: refused.length });
  return {
    to: round.to,
    dry_run: round.dry_run,
    members,
    same,
    sent: round.dry_run ? 0 : sent,
    ...(round.dry_run ? { would_send: sent } : {}),
    refused: refused.slice(0, LISTED),
    more_refused: Math.max(0, refused.length - LISTED),
  };
}

type Sent = { readonly result: "same" | "sent" | "refused" | "gone"; readonly reason: string };

async function sendEntry(
  ctx: JobCtx,
  round: Round,
  there: Awaited<ReturnType<MirrorVendor["held"]>>,
  kind: EntryKind,
  head: EntryHead,
): Promise<Sent> {
  const name = `${kind.name}/${head.id}`;
  if (there.held.get(name) === head.sha256) return { result: "same", reason: "" };
  const earlier = there.refused.get(name);
  if (earlier?.sha256 === head.sha256 && !round.replace) return { result: "refused", reason: earlier.reason };
  if (round.dry_run) return { result: "sent", reason: "" };
  const bytes = await kind.bytes(ctx.store, head.id);
  if (!bytes) return { result: "gone", reason: "" };
  // It may have changed since it was listed: what is said of it is said of what is sent.
  const member = { kind: kind.name, id: head.id, sha256: sha256(bytes), replace: round.replace, bytes };
  const answer = await ctx.vendors.mirror.admit(round.to, member, ctx.signal);
  if (answer.result === "refused") return answer;
  return { result: answer.result === "same" ? "same" : "sent", reason: "" };
}

async function* inParts<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let part: T[] = [];
  for await (const one of all) {
    part.push(one);
    if (part.length === size) {
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

import { z } from "zod";
import { Scope } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import { FailedWith, type JobDefinition, job } from "../../chapters/job.ts";
import { call, type Host } from "../../tools/kernel/call.ts";
import type { Registry } from "../../tools/kernel/registry.ts";
import { digestOf } from "../../worlds/digest.ts";
import { publicError } from "../http/public-error.ts";
import type { Authenticator } from "../service/auth.ts";

/** Who asked, and the hash of the token that was shown: enough to ask again what it opens, too little to be shown itself. */
const KeptCredential = z.object({
  caller: z.object({
    kind: z.enum(["operator", "org", "local"]),
    name: z.string(),
    scope: Scope,
    token: z.string().exactOptional(),
    member: z.string().exactOptional(),
    org: z.object({ id: z.string(), tag: z.string() }).exactOptional(),
  }),
  hash: z.string().exactOptional(),
});
export type KeptCredential = z.output<typeof KeptCredential>;

const CallInput = z.object({
  operation: z.string(),
  args: z.record(z.string(), z.unknown()),
  credential: KeptCredential,
});

/** One call as the input of a job. */
export type CallInput = z.output<typeof CallInput>;

/** What an act answered over REST. */
export interface CallAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What makes a call again, long after its request. */
export interface CallParts {
  readonly registry: Registry;
  readonly host: () => Host;
  readonly auth: () => Pick<Authenticator, "again">;
}

/**
 * The job that makes one call of a `deferrable` operation for whoever asked for it, with the rights that they have when
 * it begins. Its result is what the route would have answered, a refusal too: then it fails, with the same sentence.
 */
export function callJob({ registry, host, auth }: CallParts): JobDefinition<CallInput, CallAnswer> {
  return job({
    kind: "call",
    input: CallInput,
    key: (input) => digestOf(input),
    attempts: 3,
    ends: "cancel",
    concurrency: 2,
    run: async (ctx, { operation, args, credential }) => {
      const done = ctx.job.state as CallAnswer | undefined;
      if (done !== undefined) return done;
      const op = registry.get(operation)?.op;
      if (!op?.deferrable) throw new AppError("not_found", "This version of the service has no such act to do later.");
      ctx.progress(0, 1, op.name);
      // Spending is the job's; the org may have been renamed since.
      const own: Host = { ...host(), orgCtx: (...given) => ({ ...host().orgCtx(...given), account: ctx.account }) };
      const named = "orgtag" in args ? { ...args, orgtag: ctx.org.tag } : args;
      try {
        const caller = await auth().again(credential, ctx.org);
        const { signal, progress } = ctx;
        const outcome = await call(own, op, { credential: { caller }, args: named, signal, progress });
        if (outcome.kind !== "json") throw new Error(`${op.name} answers a file, which no job keeps`);
        const answer = { status: outcome.status, body: outcome.body };
        // What was done is not done again where the job's end cannot be written.
        await ctx.job.checkpoint(answer);
        ctx.progress(1, 1, op.name);
        return answer;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const { status, body } = publicError(error, "");
        throw new FailedWith(error.reason, { status, body });
      }
    },
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Ctx } from "../../chapters/context.ts";
import { AppError } from "../../chapters/errors.ts";
import { orgRef } from "../../chapters/fields.ts";
import { FileAnswer, Reply } from "../../chapters/reply.ts";
import { chapter } from "../../tools/kernel/chapter.ts";
import { operation, shaped } from "../../tools/kernel/operation.ts";

/** What the slow tool was told, for tests of cancellation. */
export const slowCalls = { begun: 0, aborted: 0 };

const echoed = {
  ...orgRef,
  name: z.string(),
  count: z.number().int().optional(),
  flag: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
};

/** A chapter that shows every way an operation can answer, for tests of the surfaces. */
export const fixtures = chapter({
  name: "fixtures",
  title: "Fixtures",
  description: "Operations for tests of the surfaces.",
  operations: [
    operation({
      name: "echo_put",
      title: "Echo",
      description: "Answers its input.",
      scope: "push",
      effect: "update",
      route: "PUT /v0/orgs/{orgtag}/echo/{name:path}",
      input: z.object({
        ...echoed,
        nested: z.object({ deep: z.object({ n: z.number() }) }).optional(),
      }),
      output: z.object({ input: z.unknown() }),
      handle: async (_ctx: Ctx, input) => ({ input }),
    }),
    operation({
      name: "echo_get",
      title: "Echo a query",
      description: "Answers its input.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/echo/{name:path}",
      input: z.object({
        ...echoed,
      }),
      output: z.object({ input: z.unknown() }),
      handle: async (_ctx: Ctx, input) => ({ input }),
    }),
    operation({
      name: "slow_start",
      title: "Work slowly",
      description: "Reports progress until it is cancelled or done.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/slow",
      input: z.object({ ...orgRef, steps: z.number().int(), ms: z.number().int() }),
      output: z.object({ steps: z.number() }),
      handle: async (ctx: Ctx, { steps, ms }) => {
        slowCalls.begun++;
        for (let step = 1; step <= steps; step++) {
          await sleep(ms, undefined, { signal: ctx.signal }).catch((error: unknown) => {
            slowCalls.aborted++;
            throw error;
          });
          ctx.progress(step, steps, `step ${step}`);
        }
        return { steps };
      },
    }),
    operation({
      name: "fault_get",
      title: "Fail",
      description: "Fails: by a fault of ours or as a refusal.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/fault",
      input: z.object({ ...orgRef, how: z.enum(["fault", "wait", "names", "undeclared"]) }),
      output: z.object({ ok: z.boolean() }),
      handle: async (_ctx: Ctx, { how }) => {
        if (how === "wait") throw new AppError("unavailable", "Busy.", { retryAfter: 7.2 });
        if (how === "names")
          throw new AppError("conflict", "Names clash.", { names: ["ignore all\nprevious", "x".repeat(300)] });
        if (how === "undeclared") return new Reply(299, { ok: true });
        throw new Error("secret detail /etc/passwd svc_org_abcdefghijklmnop");
      },
    }),
    operation({
      name: "file_get",
      title: "A file",
      description: "Answers a file of so many bytes.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/files/{name}",
      answer: "file",
      input: z.object({ ...orgRef, name: z.string(), bytes: z.number().int(), type: z.string().optional() }),
      output: z.unknown(),
      handle: async (_ctx: Ctx, { name, bytes, type }) => new FileAnswer(name, type ?? "text/plain", pieces(bytes)),
    }),
    operation({
      name: "moved_get",
      title: "A redirect",
      description: "Answers another address.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/moved",
      answer: "redirect",
      statuses: [302],
      input: z.object({ ...orgRef }),
      output: z.object({ url: z.string() }),
      handle: async () => new Reply(302, { url: "https://example.com/x" }, { location: "https://example.com/x" }),
    }),
    operation({
      name: "stream_post",
      title: "Count bytes",
      description: "Counts the bytes of its body.",
      scope: "push",
      effect: "create",
      route: "POST /v0/orgs/{orgtag}/stream",
      body: "stream",
      input: z.object({ ...orgRef, label: z.string().optional() }),
      output: z.object({ bytes: z.number(), type: z.string().optional() }),
      handle: async (ctx: Ctx) => {
        let bytes = 0;
        for await (const chunk of ctx.body?.bytes ?? []) bytes += chunk.byteLength;
        return { bytes, ...(ctx.body?.type === undefined ? {} : { type: ctx.body.type }) };
      },
    }),
    shaped({
      name: "verdict_get",
      title: "A verdict",
      description: "Answers a verdict.",
      scope: "read",
      effect: "read",
      route: "GET /v0/orgs/{orgtag}/verdict",
      input: z.object({ ...orgRef, met: z.number().int(), of: z.number().int() }),
      output: z.object({ met: z.number(), of: z.number() }),
      handle: async (_ctx: Ctx, { met, of }) => ({ met, of }),
      verdict: ({ met, of }) => (met === of ? "All met." : "Some failed."),
      counts: ({ met, of }) => [{ name: "met", value: met, of, tier: "deterministic", how: "counted" }],
      next: ({ met, of }) => (met === of ? undefined : "echo_get to see why"),
    }),
  ],
});

async function* pieces(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), "a");
}

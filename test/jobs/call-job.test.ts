import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { conflict } from "../../chapters/errors.ts";
import { orgRef } from "../../chapters/fields.ts";
import { chapters as everyChapter } from "../../tools/index.ts";
import { chapter } from "../../tools/kernel/chapter.ts";
import { operation } from "../../tools/kernel/operation.ts";
import { type RestAnswer, startApp, type TestApp } from "../helpers/app.ts";
import { ended } from "../tools/sandboxes/kit.ts";

/** What the act of these tests was told, and how it is held up: `heeds` is whether it ends when its signal does. */
const act = {
  begun: 0,
  done: 0,
  heeds: true,
  gate: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
};

const input = z.object({
  ...orgRef,
  n: z.number().int(),
  refuse: z.boolean().optional(),
  wait: z.boolean().optional(),
});
const acts = chapter({
  name: "acts",
  title: "Acts",
  description: "An act that takes long, and one that does not.",
  operations: [
    operation({
      name: "long_act",
      title: "Work",
      description: "Works.",
      scope: "push",
      effect: "update",
      route: "POST /v0/orgs/{orgtag}/long",
      deferrable: true,
      input,
      output: z.object({ n: z.number(), by: z.string(), account: z.string().nullable() }),
      handle: async (ctx, { n, refuse, wait }) => {
        act.begun++;
        act.reached.resolve();
        if (refuse) throw conflict("It is in use.", { names: ["that"], retryAfter: 7 });
        const stopped = new Promise<never>((_, reject) => {
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason), { once: true });
        });
        stopped.catch(() => {});
        if (wait) await (act.heeds ? Promise.race([act.gate.promise, stopped]) : act.gate.promise);
        act.done++;
        return { n, by: ctx.caller.name, account: ctx.account.job };
      },
    }),
    operation({
      name: "brief_act",
      title: "Answer",
      description: "Answers.",
      scope: "push",
      effect: "update",
      route: "POST /v0/orgs/{orgtag}/brief",
      input: z.object(orgRef),
      output: z.object({ ok: z.boolean() }),
      handle: async () => ({ ok: true }),
    }),
  ],
});

const ASYNC = { prefer: 'return=minimal, Respond-Async; x="1", wait=10' };
let folder = "";
let app: TestApp;
const start = async (jobs = true) => {
  app = await startApp({ dataDir: folder, chapters: [...everyChapter, acts], jobs });
};
const post = (
  body: unknown,
  token: string,
  headers: Record<string, string> = ASYNC,
  path = "long",
): Promise<RestAnswer> => app.rest("POST", `/v0/orgs/acme/${path}`, body, token, headers);
const status = (token: string) => async (_: string, args?: Record<string, unknown>) =>
  app.rest("GET", `/v0/jobs/${args?.job_id}`, undefined, token);
const landed = (answer: RestAnswer, token: string) => ended(status(token), answer.body.job);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "call-job-"));
  const gates = { gate: Promise.withResolvers<void>(), reached: Promise.withResolvers<void>() };
  Object.assign(act, { begun: 0, done: 0, heeds: true, ...gates });
});
afterEach(async () => {
  act.gate.resolve();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

it("answers 202 with the job and where to poll, and the job keeps what the route would have answered", async () => {
  await start();
  const { push, read } = await app.org();
  const plain = await post({ n: 1 }, push, {});
  expect(plain).toMatchObject({ status: 200, body: { n: 1, by: "acme-push", account: null } });
  expect(plain.headers.get("preference-applied")).toBeNull();
  const begun = await post({ n: 1 }, push);
  const poll = `/v0/jobs/${begun.body.job}`;
  expect(begun).toMatchObject({ status: 202, body: { job: expect.any(String), deduplicated: false, poll } });
  expect(begun.headers.get("preference-applied")).toBe("respond-async");
  expect(begun.headers.get("location")).toBe(poll);
  const job = await landed(begun, read);
  expect(job).toMatchObject({ kind: "call", status: "landed", by: "acme-push", message: "long_act" });
  expect(job.result).toEqual({ status: 200, body: { n: 1, by: "acme-push", account: begun.body.job } });
});

it("does not heed the preference where the act is brief, or another preference", async () => {
  await start();
  const { push } = await app.org();
  const brief = await post({}, push, ASYNC, "brief");
  expect(brief).toMatchObject({ status: 200, body: { ok: true } });
  expect(brief.headers.get("preference-applied")).toBeNull();
  for (const prefer of ["respond-asynchronously", 'foo="respond-async"', "return=minimal", ""])
    expect((await post({ n: 1 }, push, { prefer })).status).toBe(200);
});

it("refuses at once what it can see to be wrong, and starts no job for it", async () => {
  await start();
  const { push, read } = await app.org();
  const other = await app.org("other");
  expect((await post({ n: 1 }, read)).status).toBe(403);
  expect((await post({ n: 1 }, other.push)).status).toBe(403);
  expect((await post({ n: "one" }, push)).status).toBe(400);
  expect((await post({ n: 1, more: 1 }, push)).status).toBe(400);
  expect((await post({ n: 1 }, "svc_org_none")).status).toBe(401);
  expect((await app.rest("GET", "/v0/jobs", undefined, push)).body.jobs).toEqual([]);
  expect(act.begun).toBe(0);
});

it("keeps a later refusal with its status and its sentence", async () => {
  await start();
  const { push } = await app.org();
  const told = await post({ n: 1, refuse: true }, push, {});
  const job = await landed(await post({ n: 1, refuse: true }, push), push);
  expect(told.status).toBe(409);
  expect(job).toMatchObject({ status: "failed", note: "It is in use.", result: { status: 409, body: told.body } });
});

it("has the rights that its caller has when it begins", async () => {
  await start(false);
  const { id, push } = await app.org();
  const [mine, theirs] = [await post({ n: 1 }, push), await post({ n: 2 }, app.operator)];
  expect([mine.status, theirs.status]).toEqual([202, 202]);
  const tokens = app.service.store.forOrg(id).tokens;
  const { items } = await tokens.list("org");
  await tokens.revoke(items.find(({ name }) => name === "acme-push")!.id, 1);
  app.service.begin();
  const { admin } = await app.org();
  const reason = "This token was revoked; details name it.";
  const result = { status: 401, body: { error: "unauthenticated", reason, details: { names: ['"acme-push"'] } } };
  expect(await landed(mine, admin)).toMatchObject({ status: "failed", note: reason, result });
  expect(act.begun).toBe(1);
  expect(await landed(theirs, admin)).toMatchObject({ status: "landed", by: "operator", result: { body: { n: 2 } } });
});

it("is one job for one caller who asks twice while it runs, and another's for another", async () => {
  await start();
  const { push, admin } = await app.org();
  const first = await post({ n: 1, wait: true }, push);
  const again = await post({ n: 1, wait: true }, push);
  const other = await post({ n: 1, wait: true }, admin);
  expect(again.body).toMatchObject({ job: first.body.job, deduplicated: true });
  expect(other.body.job).not.toBe(first.body.job);
  act.gate.resolve();
  await Promise.all([landed(first, push), landed(other, push)]);
  expect([act.begun, act.done]).toEqual([2, 2]);
  expect((await post({ n: 1, wait: true }, push)).body).toMatchObject({ deduplicated: false });
});

it("goes on after a restart that cut it off", async () => {
  await start();
  const { push } = await app.org();
  const begun = await post({ n: 1, wait: true }, push);
  await act.reached.promise;
  await app.close();
  act.gate.resolve();
  await start();
  expect(await landed(begun, push)).toMatchObject({ status: "landed", attempt: 1, result: { body: { n: 1 } } });
  expect([act.begun, act.done]).toEqual([2, 1]);
});

it("is not done again after a restart that came once it was done", async () => {
  await start();
  const { push } = await app.org();
  act.heeds = false;
  const begun = await post({ n: 1, wait: true }, push);
  await act.reached.promise;
  const closing = app.close();
  act.gate.resolve();
  await closing;
  await start();
  expect(await landed(begun, push)).toMatchObject({ status: "landed", result: { status: 200, body: { n: 1 } } });
  expect([act.begun, act.done]).toEqual([1, 1]);
});

it("goes on, an attempt more, where the process that had taken it was killed", async () => {
  await start(false);
  const { push } = await app.org();
  const begun = await post({ n: 1 }, push);
  const now = Date.now() / 1000;
  const [taken] = await app.service.store.claimJobs("killed", 1, now, now + 3_600, ["call"]);
  expect(taken).toMatchObject({ id: begun.body.job, status: "running", attempt: 1 });
  await app.close();
  await start();
  expect(await landed(begun, push)).toMatchObject({ status: "landed", attempt: 2, result: { body: { n: 1 } } });
  expect([act.begun, act.done]).toEqual([1, 1]);
});

it("ends when it is cancelled", async () => {
  await start();
  const { push } = await app.org();
  const begun = await post({ n: 1, wait: true }, push);
  await act.reached.promise;
  expect((await app.rest("POST", `${begun.body.poll}/cancel`, {}, push)).body.cancel).toBe("asked");
  expect(await landed(begun, push)).toMatchObject({ status: "cancelled", result: null });
  expect([act.begun, act.done]).toEqual([1, 0]);
});

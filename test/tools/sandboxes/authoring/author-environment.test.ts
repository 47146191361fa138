import { describe, expect, it } from "vitest";
import { BundleRecord, Environment, Surface, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { authorJob } from "../../../../chapters/sandboxes/authoring/author-environment.ts";
import type { Check } from "../../../../worlds/tasks/schema.ts";
import { revoiceTask } from "../../../../worlds/tasks/words/revoice.ts";
import type { Answer } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { shopRows } from "../../../worlds/fixtures/shop.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

const COUNT = 6;

describe("authoring", () => {
  const { org, invoke, made, on, store } = shopEachTest(shared, COUNT, "authoring");
  const stored = async (index: number) =>
    (await store().records.list(TaskRecord, { where: { environment: made.environment, index } })).items[0]!;
  const withFacts = () => made.tasks.findIndex((task) => task.checks[0]?.kind === "answer_includes");
  const factsOf = async (index: number) => {
    const check = (await stored(index)).task.checks.find((one) => one.kind === "answer_includes");
    return check?.kind === "answer_includes" ? check.facts : [];
  };
  const undo = async (rev: string) => ok(on("environment_revision_restore", { rev }));
  const landed = async (started: Answer) => {
    const job = await ended(invoke, started.body.job);
    expect(job.status).toBe("landed");
    return job.result;
  };
  /** Stores the task with other checks, as an earlier mistake would have left it. */
  const spoil = async (index: number, change: (checks: Check[]) => Check[]) => {
    const row = await stored(index);
    await store().records.put(TaskRecord, { ...row, task: { ...row.task, checks: change(row.task.checks) } });
  };

  // Finding B13: the verdicts are those of the task as it is.
  it("environment_review_correct takes another way to say a fact, and holds the task where the world says otherwise", async () => {
    const index = withFacts();
    const [fact] = await factsOf(index);
    expect((await on("environment_review_correct", { index, aliases: ["x"] }, org.read)).status).toBe(403);
    expect((await on("environment_review_correct", { index })).body.fields[0].path).toBe("literal");
    expect((await on("environment_review_correct", { index, fact: 9, literal: 1 })).body.fields[0].path).toBe("fact");
    expect((await on("environment_review_correct", { index: 99, literal: 1 })).status).toBe(404);
    const same = await ok(
      on(
        "environment_review_correct",
        { index, fact_text: String(fact!.value), aliases: ["as agreed"], grader: "ann" },
        org.push,
      ),
    );
    expect(same.body).toMatchObject({ index, fact_index: 0, status: "certified", model_calls: 0, tier: "human" });
    expect((await factsOf(index))[0]).toEqual({ ...fact, aliases: ["as agreed"] });
    const wrong = await ok(
      on("environment_review_correct", { index, fact: 0, literal: "a purple whale", note: "No!" }),
    );
    expect(wrong.body).toMatchObject({ status: "held", counts: { held: 1, certified: COUNT - 1 } });
    expect(wrong.body.reason).toContain("does not bear it out");
    const review = (await ok(on("environment_review"))).body;
    expect(review.verdicts.find(({ name }: { name: string }) => name === "solvable").failed).toBe(1);
    expect(review.tasks[index].verdicts.find(({ name }: { name: string }) => name === "solvable").passed).toBe(false);
    const run = await ok(invoke("start_run", { environment: made.environment, harness: "reference" }));
    expect(run.body.tasks).toBe(COUNT - 1);
    await ended(invoke, run.body.job);
    await undo(wrong.body.revision);
    expect(await stored(index)).toMatchObject({ status: "certified" });
    expect((await factsOf(index))[0]!.aliases).toEqual(["as agreed"]);
  });

  // Finding B13: the reason is told of the key that a task has now.
  it("a task that was held for a doubted key says so no more once its key is the world's again", async () => {
    const index = withFacts();
    const [fact] = await factsOf(index);
    const literal = "a purple whale";
    const doubted = (await ok(on("environment_review_correct", { index, fact: 0, literal }))).body;
    expect(doubted).toMatchObject({ status: "held", reason: expect.stringContaining(literal) });
    const { body } = await ok(on("environment_rekey", { indexes: [index] }));
    expect((await factsOf(index))[0]!.value).toEqual(fact!.value);
    const { tasks, verdicts } = (await ok(on("environment_review"))).body;
    expect(tasks[index]).toMatchObject({ status: "held", reason: expect.stringContaining("passes review") });
    expect(tasks[index].reason).not.toContain(literal);
    expect(verdicts.find(({ name }: { name: string }) => name === "solvable").failed).toBe(0);
    await undo(body.revision);
    await undo(doubted.revision);
  });

  it("environment_task_turns scripts turns that agents are then sent, and refuses those that give the answer away", async () => {
    const index = withFacts();
    const [fact] = await factsOf(index);
    const { body } = await ok(
      on("environment_task_turns", { index, turns: ["Thanks a lot."], by: "ann", note: "Polite" }, org.push),
    );
    expect(body).toMatchObject({ turns: ["Thanks a lot."], turns_kind: "scripted", turns_tier: "human", by: "ann" });
    expect((await stored(index)).task.turns).toEqual(["Thanks a lot."]);
    expect((await ok(on("environment_task_turns", { index, turns: ["Thanks a lot."] }))).body.revision).toBeNull();
    const leak = await on("environment_task_turns", { index, turns: [`It is ${fact!.value}, is it not?`] });
    expect(leak).toMatchObject({ status: 422, body: { reason: expect.stringContaining("grounded") } });
    expect((await stored(index)).task.turns).toEqual(["Thanks a lot."]);
    expect((await on("environment_task_turns", { index, turns: [""] })).status).toBe(400);
    expect((await on("environment_task_turns", { index, turns: [] }, org.read)).status).toBe(403);
    await undo(body.revision);
    expect((await stored(index)).task.turns).toEqual(made.tasks[index]!.turns);
  });

  it("environment_review_rereview lets go of held tasks that pass, and refuses those that do not", async () => {
    expect((await on("environment_review_rereview")).status).toBe(409);
    for (const index of [0, 1, 2]) await ok(on("environment_review_hold", { index, reason: "Odd", grader: "ann" }));
    await spoil(1, () => [{ kind: "max_calls", n: 50 }]);
    expect((await on("environment_review_rereview", {}, org.read)).status).toBe(403);
    const started = await ok(on("environment_review_rereview", { indexes: [0, 1] }, org.push));
    expect(started).toMatchObject({ status: 202, body: { rereviewed: [0, 1], stages: ["review"] } });
    const result = await landed(started);
    expect(result.rereviewed).toMatchObject([
      { index: 0, is: "certified" },
      { index: 1, is: "refused" },
    ]);
    expect(result.counts).toMatchObject({ held: 1, refused: 1, certified: COUNT - 2 });
    expect((await stored(0)).held_by).toBeUndefined();
  });

  it("environment_review_regenerate writes other tasks for refused ones, once, and the revision has the ones before", async () => {
    expect((await on("environment_review_regenerate")).status).toBe(409);
    await spoil(1, () => [{ kind: "max_calls", n: 50 }]);
    await ok(on("environment_regate"));
    expect((await stored(1)).status).toBe("refused");
    const before = await stored(1);
    expect((await on("environment_review_regenerate", {}, org.read)).status).toBe(403);
    expect((await on("environment_review_regenerate", { indexes: [99] })).status).toBe(404);
    expect((await on("environment_review_regenerate", { model: "m" })).status).toBe(422);
    const result = await landed(
      await ok(on("environment_review_regenerate", { by: "ann", reason: "Again" }, org.push)),
    );
    expect(result).toMatchObject({ asked: 1, changed: [1], left: [] });
    const after = await stored(1);
    expect(after).toMatchObject({ status: "certified", task: { family: before.task.family } });
    expect(made.tasks.map((task) => task.request)).not.toContain(after.task.request);
    const revision = (await ok(on("environment_revision_get", { rev: result.revision }))).body;
    expect(revision).toMatchObject({ kind: "regenerate", by: "ann", reason: "Again", changed: [1] });
    expect(revision.jobs).toMatchObject([{ kind: "author_tasks", status: "landed", usd: 0 }]);
    await undo(result.revision);
    expect(await stored(1)).toEqual(before);
  });

  it("an authoring job that is begun again after it made its revision makes no second one", async () => {
    const { service } = shared.app;
    const ctx = ctxOf(service, org);
    const job = {
      id: service.id("job"),
      attempt: 1,
      state: undefined,
      checkpoint: async () => {},
      audit: async () => {},
    };
    const input = {
      environment: made.environment,
      act: "revoice" as const,
      seed: "1",
      by: "ann",
      register: "terse" as const,
    };
    const first = await authorJob.run({ ...ctx, job }, input);
    const again = await authorJob.run({ ...ctx, job: { ...job, attempt: 2 } }, input);
    expect(again).toMatchObject({ revision: (first as { revision: string }).revision });
    expect((await ok(on("environment_revisions"))).body.n).toBe(1);
  });

  // Finding B21.
  it("environment_revoice says requests another way, with the same script and checks", async () => {
    const before = await Promise.all(made.tasks.map((_, index) => stored(index)));
    expect((await on("environment_revoice", { register: "loud" })).body.fields[0].path).toBe("register");
    expect((await on("environment_revoice", {}, org.read)).status).toBe(403);
    const speechless = await on("environment_revoice", { persona: "Anna Lee" }, org.push);
    expect(JSON.stringify(speechless)).toContain("Nothing is known of how");
    const result = await landed(
      await ok(on("environment_revoice", { register: "polite", persona: "night owl" }, org.push)),
    );
    expect(result.asked).toBe(COUNT);
    expect(result.changed.length).toBeGreaterThan(COUNT / 2);
    for (const index of result.changed as number[]) {
      const { task, status } = await stored(index);
      const was = before[index]!.task;
      expect(task.request).not.toBe(was.request);
      expect(task).toEqual({ ...was, request: task.request, voice: task.voice, cell: task.cell });
      expect(task.voice).toEqual({ persona: "night owl", register: "polite", lead: "I'm a night owl." });
      expect(task.request).toContain("I'm a night owl.");
      expect(status).toBe("certified");
    }
    for (const index of result.left as number[]) expect((await stored(index)).task).toEqual(before[index]!.task);
    await undo(result.revision);
    expect(await Promise.all(made.tasks.map((_, index) => stored(index)))).toEqual(before);
  });

  it("environment_revoice labels a bare question, which two registers ask in the same words, as it was asked for", async () => {
    const index = withFacts();
    const row = await stored(index);
    const asked = `Which answer is right: ${row.task.request.replace(/[.?!]$/, "")}?`;
    const task = { ...row.task, request: asked, voice: { ...row.task.voice, register: "plain" as const } };
    const terse = revoiceTask(task, { ...task.voice, register: "terse" }, "1");
    expect(terse?.request, "as terse as plain").toBe(asked);
    await store().records.put(TaskRecord, { ...row, task });
    await landed(await ok(on("environment_revoice", { register: "terse", seed: "1", indexes: [index] }, org.push)));
    const said = (await stored(index)).task;
    expect([said.request, said.voice.register, said.cell.register]).toEqual([asked, "terse", "terse"]);
    await store().records.put(TaskRecord, row);
  });

  it("environment_rekey gives tasks the values of the world served now, and leaves those that agree", async () => {
    const index = made.tasks.findIndex((task) => task.family === "lookup");
    const idle = (await ok(on("environment_rekey"))).body;
    expect(idle).toMatchObject({ rekeyed: [], agrees: COUNT, left: [], revision: null, dry_run: false });
    const [fact] = await factsOf(index);
    const was = typeof fact!.value === "number" ? fact!.value + 1 : `${fact!.value} of old`;
    await spoil(index, (checks) =>
      checks.map((check) =>
        check.kind === "answer_includes" ? { ...check, facts: [{ ...fact!, value: was }] } : check,
      ),
    );
    await ok(on("environment_regate"));
    expect((await stored(index)).status).toBe("refused");
    const dry = (await ok(on("environment_rekey", { dry_run: true }, org.push))).body;
    expect(dry).toMatchObject({ dry_run: true, revision: null, agrees: COUNT - 1 });
    expect(dry.rekeyed.map((row: { index: number }) => row.index)).toEqual([index]);
    expect((await factsOf(index))[0]!.value).toBe(was);
    expect((await on("environment_rekey", {}, org.read)).status).toBe(403);
    const { body } = await ok(on("environment_rekey", { indexes: [index], by: "ann" }, org.push));
    expect(body).toMatchObject({ agrees: 0, counts: { certified: COUNT }, model_calls: 0 });
    expect((await factsOf(index))[0]!.value).toBe(fact!.value);
    await undo(body.revision);
    expect((await factsOf(index))[0]!.value).toBe(was);
  });

  it("environment_rekey follows a value that the newer representation has otherwise, so that its task counts again", async () => {
    const index = made.tasks.findIndex((task) => task.family === "lookup" && task.turns.length === 0);
    const [fact] = await factsOf(index);
    const environment = (await store().records.get(Environment, made.environment))!;
    const bundle = (await store().records.get(BundleRecord, environment.bundle))!;
    const was = fact!.value;
    const is =
      typeof was === "number" ? was + 17.5 : `${String(was).slice(0, -1)}${String(was).endsWith("7") ? "8" : "7"}`;
    const [from, to] = [JSON.stringify(was), JSON.stringify(is)];
    const rows = JSON.stringify(shopRows).replaceAll(`:${from}`, `:${to}`);
    expect(rows).not.toBe(JSON.stringify(shopRows));
    const id = shared.app.service.id("bd");
    const base_blob = await store().blobs.put(new TextEncoder().encode(rows));
    await store().records.insert(BundleRecord, { ...bundle, id, base_blob });
    await store().records.update(Surface, environment.surface, (row) => ({ ...row, bundle: id }));
    const refreshed = (await ok(on("environment_world_refresh"))).body;
    expect(refreshed.counts.refused).toBeGreaterThan(0);
    expect((await stored(index)).status).toBe("refused");
    const { body } = await ok(on("environment_rekey", {}, org.push));
    expect(body.rekeyed.map((row: { index: number }) => row.index)).toContain(index);
    expect((await factsOf(index))[0]!.value).toBe(is);
    expect(await stored(index)).toMatchObject({ status: "certified", task: { request: made.tasks[index]!.request } });
    const run = await ok(
      invoke("start_run", { environment: made.environment, harness: "reference", tasks: [String(index)] }),
    );
    expect((await ended(invoke, run.body.job)).tally).toMatchObject({ met: 1 });
  });

  it("environment_reserve copies tasks to another surface and certifies them there", async () => {
    const target = `${made.label} target`;
    const other = await shopIn(shared.app.service, org.id, 1, target);
    expect((await on("environment_reserve", { surface: target }, org.read)).status).toBe(403);
    expect((await on("environment_reserve", { surface: "nothing" })).body.reason).toBe(
      "No such surface. See surfaces_list.",
    );
    expect((await on("environment_reserve", { surface: made.label })).status).toBe(409);
    // There one order is gone, so that what asks for it cannot pass.
    const environment = (await store().records.get(Environment, other.environment))!;
    const bundle = (await store().records.get(BundleRecord, environment.bundle))!;
    const asked = made.tasks.findIndex((task) => JSON.stringify(task.script.calls).includes('"#W'));
    const [gone] = /#W\d+/.exec(JSON.stringify(made.tasks[asked]!.script.calls))!;
    const orders = Object.fromEntries(Object.entries(shopRows.tables.orders!).filter(([key]) => key !== gone));
    const rows = JSON.stringify({ ...shopRows, tables: { ...shopRows.tables, orders } });
    const base_blob = await store().blobs.put(new TextEncoder().encode(rows));
    const id = shared.app.service.id("bd");
    await store().records.insert(BundleRecord, { ...bundle, id, base_blob });
    await store().records.update(Surface, environment.surface, (row) => ({ ...row, bundle: id }));
    const started = await ok(on("environment_reserve", { surface: target }, org.push));
    expect(started).toMatchObject({
      status: 202,
      body: { source_surface: made.label, surface: target },
    });
    const result = await landed(started);
    const copied = (await ok(invoke("environment_tasks", { env_id: result.environment }))).body;
    expect(copied.tasks.map((task: { request: string }) => task.request)).toEqual(
      made.tasks.map((task) => task.request),
    );
    expect(copied.tasks[asked].status).toBe("refused");
    expect(copied.review_counts.certified).toBe(result.certified);
    expect(result.certified).toBeGreaterThan(0);
    const again = await landed(await ok(on("environment_reserve", { surface: target })));
    expect(again.environment).toBe(result.environment);
    expect((await ok(on("environment_get"))).body.revision).toBe(1);
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Ctx } from "../../chapters/context.ts";
import { askModel, pass, type ReadOptions, read, readerOf } from "../../chapters/models/pass.ts";
import { putBudget } from "../../chapters/organization/budget.ts";
import { ModelCall } from "../../chapters/records/models/models.ts";
import { readConfig } from "../../src/config.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { createOrg } from "../../src/service/workspace.ts";
import { ctxOf } from "../helpers/ctx.ts";
import { type FakeProvider, type Scripted, startProvider } from "../helpers/vendors/models.ts";

const colours = pass({
  name: "colours",
  version: "t-1",
  output: z.object({ colours: z.array(z.string()).max(3) }),
  prompt: (text: string) => ({ system: "List the colours.", user: `<evidence>${text}</evidence>` }),
  maxOutputTokens: 1000,
  check: ({ colours }, text) =>
    colours.every((one) => text.includes(one)) ? undefined : "a colour is not in the text.",
  rule: (text: string) => ({ colours: ["red", "blue"].filter((one) => text.includes(one)) }),
});
const reading = (ctx: Ctx, options?: ReadOptions) => read(ctx, colours, "a red door and a green roof", options);

let provider: FakeProvider;
let service: Service;
let dataDir: string;
let ctx: Ctx;
let orgs = 0;

beforeAll(async () => {
  provider = await startProvider();
  dataDir = mkdtempSync(join(tmpdir(), "models-"));
  service = await createService({
    config: { ...readConfig({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error" }), ...provider.config },
  });
});
afterAll(async () => {
  await service.close();
  rmSync(dataDir, { recursive: true });
  expect(provider.unscripted()).toBe(0);
  await provider.close();
});
beforeEach(async () => {
  orgs += 1;
  ctx = ctxOf(service, await createOrg(service, `org-${orgs}`), { name: "tester" });
});

const calls = async () => (await ctx.store.records.list(ModelCall)).items;
const spent = () => ctx.store.ledger.since(0);

describe.each(["openai-compatible/small", "anthropic/large"])("a pass read by %s", (model) => {
  it("answers what fits, at its tier, with its cost and its record", async () => {
    provider.say({ text: '{"colours":["red","green"]}', tokens: [100, 10] });
    const answer = await reading(ctx, { model });
    const micro = model.endsWith("small") ? 200 : 400;
    expect(answer).toMatchObject({
      value: { colours: ["red", "green"] },
      tier: "llm-derived",
      model,
      prompt_version: "t-1",
      usd: micro / 1e6,
    });
    expect(await spent()).toBe(micro);
    expect(await calls()).toMatchObject([
      {
        id: answer.calls[0],
        pass: "colours",
        model,
        tokens: { input: 100, output: 10 },
        tokens_source: "provider",
        micro_usd: micro,
        outcome: "answered",
      },
    ]);
    const sent = JSON.stringify(provider.requests.at(-1)?.body);
    expect(sent).toContain("<evidence>a red door");
    expect(sent).toContain("maxItems");
  });

  it("tells a malformed answer what was wrong, once", async () => {
    provider.say(
      { text: "Sure! red.", tokens: [10, 1] },
      { text: '```json\n{"colours":["red"]}\n```', tokens: [20, 2] },
    );
    expect((await reading(ctx, { model })).value).toEqual({ colours: ["red"] });
    expect((await calls()).map((call) => call.outcome)).toEqual(["answered", "malformed"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("it is not JSON");

    provider.say({ text: '{"colours":["pink"]}', tokens: [10, 1] }, { text: '{"colours":7}', tokens: [10, 1] });
    await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unprocessable" });
    expect(await spent()).toBeGreaterThan(0);
  });

  it("says whose trouble it is, keeps none of the provider's words, and charges nothing for no answer", async () => {
    provider.say({ status: 429, retryAfter: 7 }, { status: 503 }, { status: 400 }, { garbage: "data: {oops\n\n" });
    await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unavailable", details: { retryAfter: 7 } });
    await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unavailable" });
    const refused = await reading(ctx, { model }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unprocessable" });
    expect(String(refused)).not.toContain("planted");
    await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unavailable" });
    for (const status of [401, 402, 403, 404]) {
      provider.say({ status });
      const [name] = model.split("/");
      const reason = expect.stringContaining(`The model's provider (${name}) answered HTTP ${status}: it does not let`);
      await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unavailable", reason });
    }
    expect(await spent()).toBe(0);
    const denied = ["failed", "failed", "failed", "failed"];
    expect((await calls()).map((call) => call.outcome)).toEqual([...denied, "failed", "refused", "failed", "failed"]);
    provider.say({ text: "I will not.", finish: "refused", tokens: [10, 1] });
    await expect(reading(ctx, { model })).rejects.toMatchObject({ code: "unprocessable" });
  });

  it("calls tools and takes their results", async () => {
    const tool = {
      name: "look",
      description: "Looks.",
      schema: { type: "object", properties: { at: { type: "string" } } },
    };
    const request = {
      model,
      system: "s",
      messages: [{ role: "user" as const, text: "go" }],
      tools: [tool],
      maxOutputTokens: 50,
    };
    const purpose = { name: "react", version: "1" };
    provider.say({ calls: [{ tool: "look", args: { at: "x" } }], tokens: [5, 5] }, { text: "seen", tokens: [5, 5] });
    const { reply } = await askModel(ctx, request, purpose);
    expect(reply).toMatchObject({ calls: [{ tool: "look", args: { at: "x" } }], finish: "tool_calls" });
    const [call] = reply.calls;
    const more = await askModel(
      ctx,
      {
        ...request,
        messages: [
          ...request.messages,
          { role: "assistant", text: "", calls: reply.calls },
          { role: "tool", results: [{ id: call?.id ?? "", tool: "look", text: "a planted result", is_error: false }] },
        ],
      },
      purpose,
    );
    expect(more.reply).toMatchObject({ text: "seen", calls: [], finish: "stop" });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("a planted result");
  });
});

describe("readers and money", () => {
  it("reads by rule where asked, and says what a reading may cost before it is made", async () => {
    expect(await reading(ctx, { reader: "rule" })).toMatchObject({
      value: { colours: ["red"] },
      tier: "deterministic",
      model: null,
      usd: 0,
    });
    const { estimate_usd } = readerOf(ctx, colours, "x", { model: "openai-compatible/small" });
    expect(estimate_usd).toBeGreaterThan((2 * 1000 * 10) / 1e6);
    expect(() => readerOf(ctx, colours, "x", { model: "openai-compatible/other" })).toThrow(
      expect.objectContaining({ code: "bad_request" }),
    );
    expect(() => readerOf(ctx, colours, "x", { model: "openai-compatible/unpriced" })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    const { rule: _, ...modelOnly } = colours;
    expect(() => readerOf({ ...ctx, models: { ...ctx.models, offered: [] } }, modelOnly, "x")).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
  });

  // Finding C27.
  it("passes the day's budget by one exchange at most where a provider counts far more than was expected", async () => {
    await putBudget(ctx, { usd_per_day: 10 });
    const fresh = { ...ctx, models: { ...ctx.models } };
    const four: Scripted = { text: '{"colours":["red"]}', tokens: [4_000_000, 10] };
    provider.say(four, four);
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => reading(fresh, {})));
    const refused = asked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => "conflict"));
    expect(await spent()).toBeLessThanOrEqual(10_000_000);
    expect((await calls()).filter(({ outcome }) => outcome === "answered")).toHaveLength(2);
  });

  it("never passes the day's budget, however many ask at once", async () => {
    await putBudget(ctx, { usd_per_day: 0.021 });
    const asked = 5;
    provider.say(...Array.from({ length: asked }, () => ({ hang: true as const })));
    const abort = new AbortController();
    const racing = Array.from({ length: asked }, () =>
      reading({ ...ctx, signal: abort.signal }, {}).catch((error: unknown) => error),
    );
    await expect.poll(async () => await spent()).toBeGreaterThan(0);
    expect(await spent()).toBeLessThanOrEqual(21_000);
    const refused = (await Promise.race(racing)) as { code?: string };
    expect(refused.code).toBe("conflict");
    abort.abort();
    await Promise.all(racing);
    // What was sent is billed, what was kept for an answer is free again.
    const sent = await spent();
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(5_000);
    expect((await calls()).filter(({ micro_usd }) => micro_usd > 0).length).toBeGreaterThan(0);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { svcHere } from "../cli/svc-here.ts";
import { type FakeProvider, startProvider } from "../helpers/vendors/models.ts";
import { RIGHT, SAFE_TOOLS, safeMessages, safeTraces } from "../worlds/propose/safe.ts";

const MODEL = "openai-compatible/small";
let folder = "";
let provider: FakeProvider;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "model-"));
  provider = await startProvider();
  const lines = (traces: ReturnType<typeof safeTraces>) => safeMessages(traces).map((one) => JSON.stringify(one));
  writeFileSync(join(folder, "train.jsonl"), lines(safeTraces(24, "seen")).join("\n"));
  writeFileSync(join(folder, "test.jsonl"), lines(safeTraces(10, "unseen")).join("\n"));
  writeFileSync(join(folder, "tools.json"), JSON.stringify({ tools: SAFE_TOOLS }));
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const svc = (...args: string[]) =>
  svcHere(args, {
    SVC_DATA_DIR: join(folder, "data"),
    SVC_MODELS: MODEL,
    SVC_MODEL_PRICES: "small=1/10",
    SVC_OPENAI_BASE_URL: provider.config.models.providers["openai-compatible"].baseUrl,
    SVC_OPENAI_API_KEY: "key-o",
  });
const file = (name: string) => join(folder, name);
const measure = (...more: string[]) =>
  svc("fidelity", "--train", file("train.jsonl"), "--test", file("test.jsonl"), "--tools", file("tools.json"), ...more);

it("svc fidelity --model compiles in what replay bears out, and says so", async () => {
  const before = await measure("--json");
  expect(before.code).toBe(0);
  const plain = JSON.parse(before.stdout);
  expect(plain.proposed).toBeUndefined();
  expect(plain.identical_volatile).toBeLessThan(40);
  provider.say({ text: `\`\`\`json\n${JSON.stringify(RIGHT)}\n\`\`\``, tokens: [9000, 800] });
  const after = await measure("--json", "--model", MODEL, "--out", file("rows.jsonl"));
  expect({ code: after.code, stderr: after.stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(after.stdout)).toMatchObject({
    ...{ calls: 100, identical_volatile: 100, wrong_answer: 0 },
    proposed: { model: MODEL, rounds: 1, tier: "llm-derived", taken: true, cut: [] },
  });
  expect(after.stderr).toContain(`proposed    by ${MODEL}, asked in 1 round for $0.0170: Taken:`);
  expect(after.stderr).toMatch(/program {3}turn_dial: stands on \d+ calls of 24 sessions, 0 against/);
  const kept = JSON.parse(readFileSync(file("rows.jsonl.asked.json"), "utf8"));
  expect(kept.exchanges).toHaveLength(1);
  expect(kept.proposal).toEqual(RIGHT);
  // No session that is measured on was shown.
  const shown = JSON.stringify(provider.requests);
  for (const { calls } of safeTraces(10, "unseen"))
    for (const { args } of calls)
      if (Number(args.weight) > 99) expect(shown).not.toContain(`\\"weight\\":${args.weight}}`);
});

it.each([
  [["--model", "openai-compatible/none"], 1, "The model is not one that this workspace offers"],
  [["--model", MODEL, "--usd-cap", "much"], 2, "An amount of dollars from 0 is needed."],
])("svc fidelity %j is refused in a sentence", async (args, status, sentence) => {
  const { code, stdout, stderr } = await measure(...args);
  expect({ code, stdout }).toEqual({ code: status, stdout: "" });
  expect(stderr).toContain(sentence);
});

it("svc evaluate --model does the same through the pipeline", async () => {
  provider.say({ text: JSON.stringify(RIGHT), tokens: [9000, 800] });
  const args = [file("train.jsonl"), file("tools.json"), "--surface", "safe", "--out", file("out")];
  const { stdout, stderr } = await svc("evaluate", ...args, "--model", MODEL, "--json");
  const report = JSON.parse(stdout);
  expect(stderr).not.toContain("svc:");
  expect(report.proposed).toMatchObject({ model: MODEL, rounds: 1, usd: 0.017, tier: "llm-derived", taken: true });
  expect(report.heldOut.counts).toMatchObject({ calls: 60, identical_volatile: 60, wrong_answer: 0 });
  const page = readFileSync(file("out/evaluation.html"), "utf8");
  expect(page).toContain("Programs proposed by openai-compatible/small for $0.0170.");
  expect(provider.unscripted()).toBe(0);
});

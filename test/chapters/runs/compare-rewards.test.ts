import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { comparisonMarkdown } from "../../../chapters/runs/compare/compare-markdown.ts";
import { compareRecorded, type RecordedArm } from "../../../chapters/runs/compare/recorded/compare-recorded.ts";
import { pairedPermutation } from "../../../chapters/statistics/permutation.ts";
import { recordedArms, recordedRates } from "../../../src/evaluate/recorded.ts";
import { recordedLines } from "../../../src/evaluate/report.ts";
import { svcHere } from "../../cli/svc-here.ts";

const folder = mkdtempSync(join(tmpdir(), "rewards-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const said = [{ role: "user", content: "hello" }];

/** A tau2 results file: the reward of each task's one trial. */
function tau2(model: string, rewards: readonly number[]) {
  return {
    info: { agent_info: { implementation: "agent", llm: model }, environment_info: { domain_name: "shop" } },
    tasks: rewards.map((_, n) => ({ id: `${n}`, user_scenario: `ask ${n}` })),
    simulations: rewards.map((reward, n) => ({ task_id: `${n}`, trial: 0, reward_info: { reward }, messages: said })),
  };
}

async function arm(path: string): Promise<RecordedArm> {
  const [found] = (await recordedArms([{ path, name: path }])).arms;
  if (!found) throw new Error("no arm");
  return found;
}

/** Ten tasks; the second lost a little of each, and no task is met by either. */
const HIGH = [0.9, 0.8, 0.85, 0.7, 0.95, 0.6, 0.75, 0.8, 0.9, 0.65];
const LOW = HIGH.map((reward) => reward - 0.25);

describe("recorded rewards between 0 and 1", () => {
  it("are compared by their means, with the same test and gate", async () => {
    const [a, b] = [file("a.json", tau2("m1", HIGH)), file("b.json", tau2("m2", LOW))];
    const found = compareRecorded(await arm(a), await arm(b));
    // All ten differ one way: two of 2^10 choices of signs are as far from none.
    expect(found).toMatchObject({ words: "shown", worse: "b", p: 2 / 1024 });
    expect(found.difference).toBeCloseTo(-0.25, 12);
    expect(found.verdict).toMatch(
      /^agent m2 is worse: it has a mean reward of 0\.540 \(whole in 0 of 10 trials\), agent m1 0\.790 \(whole in 0 of 10 trials\), over 10 tasks \(25\.0 points, /,
    );
    expect(found.notes).toContain("20 trials have a reward between 0 and 1: mean rewards are compared.");
    expect(found).not.toHaveProperty("plan");
    expect(comparisonMarkdown(found)).toContain("0 of 10, mean reward 0.540");
    const gated = await svcHere(["compare", a, b, "--gate"], { SVC_DATA_DIR: join(folder, "data") });
    expect(gated).toMatchObject({ code: 1, stdout: expect.stringContaining("A regression is shown.") });
    expect((await svcHere(["compare", b, a, "--gate"], { SVC_DATA_DIR: join(folder, "data") })).code).toBe(0);
  });

  it("one that is missing counts as none and as the whole where a verdict might turn on it", async () => {
    const b = tau2(
      "m2",
      HIGH.map((reward, n) => (n < 6 ? reward - 0.05 : reward)),
    );
    const lost = {
      ...b,
      simulations: [...b.simulations, { task_id: "0", trial: 1, reward_info: null, messages: said }],
    };
    const both = tau2("m1", HIGH);
    const again = { ...both, simulations: [...both.simulations, { ...both.simulations[0], trial: 1 }] };
    const found = compareRecorded(await arm(file("c.json", again)), await arm(file("d.json", lost)));
    expect(found.cannot_tell?.reason).toContain("b lost 1 of 11 trials");
    // Of 10 rewards that come to 7.6, and one that is not known.
    expect(found.b.bounds.low).toBeCloseTo((7.9 - 0.3) / 11, 12);
    expect(found.b.bounds.high).toBeCloseTo((7.9 - 0.3 + 1) / 11, 12);
  });

  it("beyond 0 to 1 are no verdict, and that is told with what is compared", async () => {
    const a = file(
      "e.json",
      tau2(
        "m1",
        HIGH.map((reward) => 100 * reward),
      ),
    );
    const b = file(
      "f.json",
      tau2(
        "m2",
        LOW.map((reward) => 100 * reward),
      ),
    );
    const { code, stdout } = await svcHere(["compare", a, b, "--gate"], { SVC_DATA_DIR: join(folder, "data") });
    expect(code).toBe(2);
    expect(stdout).toContain(
      "10 trials of a count as invalid: rewards are compared from 0 to 1, and theirs lie beyond.",
    );
    expect(stdout).toContain("Cannot tell");
  });

  it("of an Inspect sample are the least of its scorers, half for a partial one", async () => {
    const log = (model: string, second: readonly (string | number)[]) => ({
      eval: { task: "quiz", model },
      plan: { steps: [{ solver: "generate" }] },
      samples: second.map((value, id) => ({
        ...{ id, epoch: 1, input: `q${id}`, target: "t", messages: said },
        scores: { match: { value: "C" }, rubric: { value } },
      })),
    });
    const found = compareRecorded(
      await arm(file("in1.json", log("m1", ["C", "P", 0.75, "C", "C", "C"]))),
      await arm(file("in2.json", log("m2", ["P", "I", 0.25, "P", "P", "P"]))),
    );
    expect(found.a).toMatchObject({ met: 4, valid: 6, rewards: 4 + 0.5 + 0.75 });
    expect(found.b).toMatchObject({ met: 0, valid: 6, rewards: 4 * 0.5 + 0.25 });
    expect(found).toMatchObject({ words: "shown", worse: "b", p: 2 / 64, difference: -0.5 });
  });

  it("rank the agents of a folder by their means", async () => {
    const paths = [
      file("rank/a.json", tau2("m1", [1, 0, 0, 0, 0, 0])),
      file("rank/b.json", tau2("m2", Array(6).fill(0.6))),
    ];
    const rates = recordedRates((await recordedArms(paths.map((path) => ({ path, name: path })))).arms);
    expect(rates.map(({ name }) => name)).toEqual(["agent m2", "agent m1"]);
    expect(recordedLines(rates)[0]).toMatch(/^recorded {4}agent m2: met 0 of 6 \(mean reward 60\.0 %; 95 % interval/);
  });

  it("differ by less than a whole trial in the permutation test", () => {
    const pairs = [0.3, 0.2, 0.1].map((more) => ({ a: { met: 0.1, n: 1 }, b: { met: 0.1 + more, n: 1 } }));
    // All signs one way, either of two, of eight choices.
    expect(pairedPermutation(pairs)).toMatchObject({ p: 0.25, tasks: 3 });
    expect(pairedPermutation(pairs).difference).toBeCloseTo(0.2, 12);
  });
});

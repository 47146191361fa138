import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readTraces } from "../../src/fidelity/traces.ts";
import { compile } from "../../worlds/compile/index.ts";
import { measureAgreement } from "../../worlds/tasks/observed/agreement.ts";
import { invoker, startApp } from "../helpers/app.ts";

const data = process.env.SVC_DATA ?? "";
const MODELS = ["gpt-4.1", "toolorchestra-gpt-4.1-mini"] as const;

interface Results {
  readonly simulations: readonly { readonly id: string; readonly reward_info: unknown }[];
}

function fileOf(domain: string, model: string): string {
  const path = `${data}/dev/${domain}/tau2.${model}.json`;
  if (!existsSync(path)) throw new Error("SVC_DATA must name the folder of real traces");
  return path;
}

/**
 * The same results with our verdicts in place of the rewards: every trajectory replayed in its order on a fresh fork of
 * the world compiled from both files, and judged by where the rewarded runs of its task ended. What could not be decided
 * carries no reward. `others` counts the trials whose task another trial than their own gave its key.
 */
async function replayed(domain: string): Promise<{ results: Results[]; others: number; judged: number }> {
  const paths = MODELS.map((model) => fileOf(domain, model));
  const { traces, origins } = await readTraces(paths, () => {});
  const all = [...traces];
  const { judged } = measureAgreement(compile(all, { name: "replayed" }), all, all);
  const rewarded = Map.groupBy(
    all.filter(({ reward = 0 }) => reward >= 1),
    ({ group }) => group,
  );
  const verdicts = new Map(
    judged.map(({ trace, verdict }) => {
      const origin = origins.get(trace.id);
      return [`${origin?.file} ${origin?.trajectory}`, verdict] as const;
    }),
  );
  const results = paths.map((path): Results => {
    const file = JSON.parse(readFileSync(path, "utf8")) as Results;
    const simulations = file.simulations.map((one) => {
      const verdict = verdicts.get(`${path} ${one.id}`);
      const reward_info = verdict === "pass" ? { reward: 1 } : verdict === "fail" ? { reward: 0 } : null;
      return { ...one, reward_info };
    });
    return { ...file, simulations };
  });
  const others = judged.filter(({ trace }) =>
    (rewarded.get(trace.group) ?? []).some(({ id }) => id !== trace.id),
  ).length;
  return { results, others, judged: judged.length };
}

it.each(["airline", "retail"])(
  "%s: replayed trajectories of two models give a paired verdict, beside that of their official rewards",
  async (domain) => {
    const app = await startApp();
    try {
      const org = await app.org();
      const invoke = invoker(app, "rest", org);
      const compared = async (files: readonly unknown[]) => {
        const groups: string[] = [];
        for (const results of files) {
          const answer = await invoke("runs_post", { results });
          expect(answer.status, JSON.stringify(answer.body)).toBe(201);
          groups.push(answer.body.group);
        }
        const [a, b] = groups;
        const { file } = await invoke("compare_runs", { a, b, format: "json" });
        return JSON.parse(file ?? "null");
      };
      const official = await compared(MODELS.map((model) => JSON.parse(readFileSync(fileOf(domain, model), "utf8"))));
      const { results, others, judged } = await replayed(domain);
      const own = await compared(results);
      console.log(
        [
          `${domain}, a ${MODELS[0]}, b ${MODELS[1]}`,
          `  official rewards: ${official.verdict}`,
          `  replayed:         ${own.verdict}`,
          `  ${judged} trials judged, ${others} of them by the key of another trial than their own; ${own.refused.length} tasks not compared`,
        ].join("\n"),
      );
      expect(official.tasks.length).toBeGreaterThanOrEqual(15);
      expect(own.tasks.length).toBeGreaterThanOrEqual(10);
      // Told of the same tasks, both say the same, or neither is sure.
      expect(Math.abs(own.difference - official.difference)).toBeLessThanOrEqual(0.2);
      if (own.words === "shown" && official.words === "shown") expect(own.worse).toBe(official.worse);
    } finally {
      await app.close();
    }
  },
);

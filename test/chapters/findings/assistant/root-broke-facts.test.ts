import { expect, it } from "vitest";
import { broke } from "../../../../chapters/findings/assistant/root-broke-facts.ts";

const group = (version: string, created_at: number) => ({
  group: `rg_${version}`,
  status: "landed",
  player: { name: "desk agent", version },
  environments: [{ environment: "env_1", run: `run_${version}` }],
  counts: { met: 2, failed: 2, infra: 1, invalid: 3, planned: 8 },
  created_at,
});
const flip = (family: string, delta: number, cause: string) => ({
  family,
  delta,
  causes: { a: [], b: delta < 0 ? [{ cause, trials: 1 }] : [] },
});
const flips = [
  flip("no_data", -1, "loop"),
  flip("no_data", -1, "missing_call"),
  flip("write", -1, "loop"),
  flip("lookup", 1, ""),
];

/** A workspace of these groups; `over` is what else the tools answer. */
const store =
  (groups: readonly object[], over: readonly object[] = flips) =>
  async (tool: string) => ({
    status: 200,
    body: {
      run_groups_list: { groups },
      compare_runs: { flips: over, b: { met: 2, valid: 6, infra: 1, invalid: 3 } },
      run_group_levels: { failures: [{ cause: "loop", trials: 4, advice: "Give up sooner." }] },
    }[tool],
  });
const both = [group("2", 2), group("1", 1)];

it("tells what broke and why by the agent's own failures, and what nobody is charged with apart", async () => {
  expect(await broke(store(both), "what broke and why")).toEqual([
    "desk agent 2 broke 3 tasks that desk agent 1 met, most by loop (2 of 3): no data 2, write 1.",
    "- causes: loop 2, missing_call 1",
    "- desk agent 2 failed 4 of 6 trials in all, 1 task got fixed",
    "- loop (4 trials): Give up sooner.",
    "- apart from these 1 ended infra (nobody's fault who is measured) and 3 invalid (the task's or the world's)",
  ]);
});

it("says that nothing broke where no task did", async () => {
  expect((await broke(store(both, []), "what broke"))[0]).toBe(
    "Nothing broke: desk agent 2 failed no task that desk agent 1 met; it failed 4 of 6 trials.",
  );
});

it("tells why the newest run failed where there is no other", async () => {
  expect((await broke(store([group("1", 1)]), "what broke"))[0]).toBe(
    "Most failures of desk agent 1 are loop: 4 of 4 failed trials.",
  );
});

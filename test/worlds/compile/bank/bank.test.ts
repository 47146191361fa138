import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { type FidelityReport, measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { type Agent, bankSessions } from "./bank-sessions.ts";

/** A third agent on worlds compiled from two others, each so many times on so many tasks. */
function measured(two: readonly [Agent, Agent], third: Agent, tasks: number, runs: number): FidelityReport {
  const train = two.flatMap((agent, i) => bankSessions(agent, 21 + i, runs * tasks, tasks));
  return measureFidelity(compile(train, { name: "bank" }), bankSessions(third, 131, tasks, tasks), train);
}

const shares = ({ identical_volatile, wrong_success, calls, recording }: FidelityReport) => ({
  alike: identical_volatile / calls,
  wrong: wrong_success / calls,
  recorded: recording.identical_volatile / calls,
});

describe("a bank's records and its app on a phone", () => {
  const many = measured(["thorough", "brisk"], "stepwise", 60, 2);

  test("answer another agent on the same tasks", () => {
    const { alike, wrong, recorded } = shares(many);
    expect(alike).toBeGreaterThan(0.58);
    expect(wrong).toBeLessThan(0.02);
    expect(recorded).toBeGreaterThan(0.48);
    expect(recorded).toBeLessThan(0.6);
  });

  test("answer it from half the tasks and half the sessions", () => {
    const { alike, wrong } = shares(measured(["thorough", "brisk"], "stepwise", 30, 1));
    expect(alike).toBeGreaterThan(0.5);
    expect(wrong).toBeLessThan(0.045);
  });

  test("answer one that looks at everything, from two that do not", () => {
    const { alike, wrong } = shares(measured(["brisk", "stepwise"], "thorough", 30, 2));
    expect(alike).toBeGreaterThan(0.59);
    expect(wrong).toBeLessThan(0.03);
  });

  test.each([
    "get_card",
    "get_customer",
    "list_disputes",
    "unfreeze_card",
    "set_card_feature",
    "restore_online_access",
  ])("answer %s nearly always", (tool) => {
    const { identical_volatile = 0, calls = 0 } = many.tools[tool] ?? {};
    expect(calls).toBeGreaterThan(5);
    expect(identical_volatile / calls).toBeGreaterThan(0.9);
  });

  test.each([
    ["find_customer_by_email", 0.9],
    ["list_transactions", 0.55],
  ])("answer %s to a share of %d", (tool, share) => {
    const { identical_volatile = 0, calls = 0 } = many.tools[tool] ?? {};
    expect(calls).toBeGreaterThan(30);
    expect(identical_volatile / calls).toBeGreaterThan(share);
  });
});

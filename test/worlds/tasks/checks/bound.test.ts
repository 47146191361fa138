import { beforeAll, describe, expect, it } from "vitest";
import type { BaseState } from "../../../../worlds/bundle.ts";
import { gradeMade, judge } from "../../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { deskWorld } from "../../../helpers/desk-world.ts";
import { shop } from "../../fixtures/shop.ts";
import { BOUND, type BoundCase } from "../equal-answers/bound.ts";

describe("a right value told of another thing, on the order desk", () => {
  let base: BaseState;
  beforeAll(async () => {
    base = (await deskWorld()).compiled.base;
  });

  const verdictOf = ({ request, facts, others }: BoundCase, text: string): string => {
    const trial: FinishedTrial = { calls: [], answers: [{ text }], diff: [] };
    const checks: Check[] = [
      { kind: "answer_includes", facts: [...facts] },
      ...(others ? [{ kind: "answer_excludes" as const, facts: [], others }] : []),
    ];
    const all = checks.map((check) => judge(check, trial, { bundle: shop, base }, undefined, request, checks).verdict);
    return all.find((one) => one === "not_met") ?? all.find((one) => one === "not_decided") ?? "met";
  };
  const told = (side: "right" | "wrong") =>
    BOUND.flatMap((one) => one[side].map((text) => ({ text, verdict: verdictOf(one, text) })));

  it("is not met", () => {
    const all = told("wrong");
    expect(all.length).toBeGreaterThanOrEqual(40);
    expect(all.filter(({ verdict }) => verdict === "met")).toEqual([]);
    expect(all.filter(({ verdict }) => verdict !== "not_met").length / all.length).toBeLessThanOrEqual(0.05);
  });
  it("counts by itself where a wrong trial tries a check: an agent need not name what it looked at", () => {
    const trial: FinishedTrial = { calls: [], answers: [{ text: "SO-10073 is tracked as SW482690." }], diff: [] };
    const checks: Check[] = [{ kind: "answer_includes", facts: [{ value: "SW482690", kind: "id" }] }];
    const task = { request: "Tracking number of SO-10083?", turns: [], script: { calls: [], answer: "" }, checks };
    const end = (right: boolean) => gradeMade(task as unknown as Task, { right, trial }, { bundle: shop, base }).end;
    expect([end(true), end(false)]).toEqual(["failed", "met"]);
  });
  it("is not decided of an answer that names thousands of things, and takes no more than reading it", () => {
    const {
      request,
      facts,
      wrong: [text = ""],
    } = BOUND[0] as BoundCase;
    expect(verdictOf({ request, facts } as BoundCase, `${text} `.repeat(20_000))).toBe("not_decided");
  });
  it("is decided of an answer that goes on about hundreds of things", () => {
    const [{ request, facts, others, right, wrong }] = BOUND as [BoundCase];
    const products = Object.values(base.tables.products ?? {}).map((row) => String((row as { name: string }).name));
    const more = Array.from({ length: 260 }, (_, i) => products[i % products.length]).join(", ");
    const one = { request, facts, others } as BoundCase;
    expect(verdictOf(one, `${wrong[0]} We also have ${more}.`)).toBe("not_met");
    expect(verdictOf(one, `${right[0]} We also have ${more}.`)).toBe("met");
  });
  it("is met where the other thing only stands beside it", () => {
    expect(told("right").filter(({ verdict }) => verdict !== "met")).toEqual([]);
  });
});

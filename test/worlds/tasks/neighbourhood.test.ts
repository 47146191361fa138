import { describe, expect, it } from "vitest";
import { countDistinct, distinctName } from "../../../worlds/tasks/distinct.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { neighbourhood } from "../../../worlds/tasks/neighbourhood.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { revoiceTask } from "../../../worlds/tasks/words/revoice.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const script = (...tools: string[]): Pick<Task, "script"> => ({
  script: { calls: tools.map((tool) => ({ tool, args: {} })), answer: "Done.", class: "answered" },
});
const answered = (right: number, wrong: number, silent = 0) => ({ calls: right + wrong + silent, right, wrong });
const unknown = (tools: Record<string, ReturnType<typeof answered>>) => ({ known: {}, unknown: tools });

describe("the neighbourhood of a task", () => {
  it("is not told where nothing was measured", () => {
    expect(neighbourhood(script("get"), shopRows, undefined)).toBeUndefined();
  });
  it("counts what was answered: gaps are not wrong, and no wrong answer holds nothing", () => {
    const found = neighbourhood(script("get"), shopRows, unknown({ get: answered(5, 0, 90), set: answered(0, 9) }));
    expect(found).toMatchObject({ tools: ["get"], over: "tools", calls: 95, right: 5, wrong: 0 });
    expect(found?.poor).toBeUndefined();
  });
  it("holds a task of a tool that is answered wrongly in more than one of ten, however good the others are", () => {
    const found = neighbourhood(
      script("get", "set"),
      shopRows,
      unknown({ get: answered(900, 0), set: answered(8, 2) }),
    );
    expect(found?.poor).toContain("set was answered rightly in 8 of 10");
  });
  it("takes the whole world where the tools alone do not bear the bound out", () => {
    const few = { get: answered(47, 1) };
    expect(neighbourhood(script("get"), shopRows, unknown(few))?.poor).toContain("47 of 48, at least 89 %");
    const many = neighbourhood(script("get"), shopRows, unknown({ ...few, list: answered(200, 1) }));
    expect(many).toMatchObject({ over: "world", right: 247, wrong: 2 });
    expect(many?.poor).toBeUndefined();
  });
  it("takes sessions of known tasks where the task begins as a recorded one did", () => {
    const measured = { known: { get: answered(60, 0) }, unknown: { get: answered(1, 9) } };
    const begun = { ...shopRows, recorded: { task: "7" } };
    expect(neighbourhood(script("get"), begun, measured)?.poor).toBeUndefined();
    expect(neighbourhood(script("get"), shopRows, measured)?.poor).toContain("1 of 10");
  });
  it("takes all sessions where it begins as all of them did: they went over the same rows", () => {
    const measured = { known: { get: answered(118, 0) }, unknown: { get: answered(65, 2) } };
    const alike = { ...shopRows, recorded: {} };
    expect(neighbourhood(script("get"), alike, measured)).toMatchObject({ right: 183, wrong: 2 });
    expect(neighbourhood(script("get"), alike, measured)?.poor).toBeUndefined();
    const worse = { ...measured, unknown: { get: answered(40, 25) } };
    expect(neighbourhood(script("get"), alike, worse)?.poor).toContain("158 of 183");
    expect(neighbourhood(script("get"), shopRows, measured)?.poor).toContain("65 of 67");
  });
  it("is looked at before a task takes a place: what a world is too poor for waits until nothing else can be written", () => {
    const right = Object.fromEntries(shop.tools.map(({ name }) => [name, answered(100, 0)]));
    const written = (measured: Parameters<typeof neighbourhood>[2]) =>
      generateTasks(shop, shopRows, { seed: "near", count: 20, measured });
    const calls = (tasks: readonly Task[]) => tasks.filter(({ script: { calls: made } }) => made.some(({ tool }) => tool === "get_order")); // biome-ignore format: one line reads
    expect(calls(written(unknown(right))).length).toBeGreaterThan(3);
    const spared = written(unknown({ ...right, get_order: answered(3, 1) }));
    expect(spared).toHaveLength(20);
    expect(calls(spared)).toEqual([]);
    expect(written(unknown(Object.fromEntries(shop.tools.map(({ name }) => [name, answered(1, 9)])))).length).toBe(20);
  });
  it("stands on the certificate", () => {
    const [task] = generateTasks(shop, shopRows, { seed: "near", count: 1 });
    const env = { bundle: shop, base: shopRows };
    const tools = Object.fromEntries(shop.tools.map(({ name }) => [name, answered(1, 9)]));
    const { certificate } = reviewTask(task!, env, [], unknown(tools));
    expect(certificate.neighbourhood?.poor).toBeDefined();
    expect(reviewTask(task!, env).certificate.neighbourhood).toBeUndefined();
  });
});

describe("distinct tasks", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "distinct", count: 12 });
  // Finding B24; test/chapters/runs/rates.test.ts holds the interval.
  it("are those that differ in more than words", () => {
    const said = revoiceTask(tasks[0]!, { ...tasks[0]!.voice, register: "terse" }, "1");
    const copy = said ?? { ...tasks[0]!, request: "Said otherwise." };
    expect(copy.request).not.toBe(tasks[0]!.request);
    expect(distinctName(copy)).toBe(distinctName(tasks[0]!));
    expect(countDistinct([...tasks, copy])).toBe(countDistinct(tasks));
  });
  it("differ where one begins elsewhere", () => {
    expect(distinctName({ ...tasks[0]!, start: "7" })).not.toBe(distinctName(tasks[0]!));
  });
});

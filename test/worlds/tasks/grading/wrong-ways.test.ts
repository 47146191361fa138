import { describe, expect, it } from "vitest";
import type { Bundle } from "../../../../worlds/bundle.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { type GradeEnv, grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../../worlds/tasks/grading/rehearse.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { separation, WRONG_AGENTS } from "../../../../worlds/tasks/grading/separation.ts";
import { reviewKit } from "../../../../worlds/tasks/grading/variation.ts";
import type { Check, FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { playCall } from "../../../../worlds/tasks/trial.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const env: GradeEnv = { bundle: shop, base: shopRows };
const pool = generateTasks(shop, shopRows, { seed: "wrong ways", count: 90 });
const orders = Object.entries(shopRows.tables.orders ?? {});
const pending = orders.filter(([, row]) => row.status === "pending").map(([key]) => key);

const of = (family: Task["family"]): Task => pool.find((task) => task.family === family)!;

/** A question for the status of an order, whose checks hold the words of the answer alone. */
function statusOf(key: string): Task {
  const checks: Check[] = [
    { kind: "answer_includes", facts: [{ value: "pending", kind: "text" }] },
    { kind: "answer_class", class: "answered" },
    { kind: "no_state_change" },
  ];
  return {
    ...of("lookup"),
    id: `status ${key}`,
    request: `What is the state of order ${key}?`,
    script: {
      calls: [{ tool: "get_order", args: { order_id: key } }],
      answer: `The status of order ${key} is {$1.status}.`,
      class: "answered",
    },
    checks,
  };
}

const survivors = (task: Task, others: readonly Task[] = [], on = env): string[] =>
  reviewTask(task, on, others)
    .verdicts.find(({ name }) => name === "discriminating")!
    .survivors.map(({ name }) => name);

it("who tells all of the only order there is tells the status asked for, and of two orders says everything", () => {
  const [one, other] = pending.slice(0, 2) as [string, string];
  const of = (keys: readonly string[]): GradeEnv => {
    const rows = Object.fromEntries(keys.map((key) => [key, shopRows.tables.orders?.[key] ?? {}]));
    return { bundle: shop, base: { ...shopRows, tables: { ...shopRows.tables, orders: rows } } };
  };
  expect(survivors(statusOf(one), [], of([one]))).not.toContain("not rejected: says every value");
  expect(survivors(statusOf(one), [], of([one, other]))).toContain("not rejected: says every value");
});

describe("an agent that declines in words alone", () => {
  const task = of("guarded_write");
  const says = (text: string, cls?: "refused"): FinishedTrial["answers"] => [cls ? { text, class: cls } : { text }];
  const end = (trial: FinishedTrial) => grade(task, trial, env).end;
  const words = "I'm sorry, but I can't help with that.";

  it("does not meet a refusal without having looked", () => {
    expect(end({ calls: [], answers: says(words), diff: [] })).toBe("failed");
  });
  it("does not meet it after a call about something else", () => {
    const call = playCall(reviewKit(env).fork(), "get_product", { product_id: "P-4100" });
    expect(end({ calls: [call], answers: says(words), diff: [] })).toBe("failed");
  });
  it("meets it after it has read what it was asked about, or has tried it", () => {
    const kit = reviewKit(env);
    const [first] = task.script.calls;
    const key = Object.values(first!.args).find((value) => String(value).startsWith("#W")) as string;
    const read = playCall(kit.fork(), "get_order", { order_id: key });
    expect(end({ calls: [read], answers: says(words), diff: [] })).toBe("met");
  });
  it("meets it by the class that it says of its own", () => {
    expect(end({ calls: [], answers: says(words, "refused"), diff: [] })).toBe("met");
  });
  it("does not meet a question for what is not there", () => {
    const absent = of("no_data");
    const said = { calls: [], answers: [{ text: "I could not find any record of that." }], diff: [] };
    expect(grade(absent, said, env).end).toBe("failed");
  });
  it("never certifies a refusal that nothing can be looked at for", () => {
    const blind = { ...task, script: { ...task.script, calls: [] } };
    expect(reviewTask(blind, env).certificate.passed).toBe(false);
  });
});

describe("wrong trials of a review", () => {
  /** The shop with its products known by one recorded answer alone. */
  const recorded: Bundle = {
    ...shop,
    behaviours: {
      ...shop.behaviours,
      get_product: { ...shop.behaviours.get_product!, behaviour: { v: 1, steps: [{ op: "recorded" }] } },
    },
  } as Bundle;

  it("keep those that meet a gap, and grade them", () => {
    const gapped = { bundle: recorded, base: shopRows };
    const met = rehearsals(of("write"), gapped, pool).filter(({ trial }) =>
      trial.calls.some((call) => call.answer_class === "error:not_served"),
    );
    expect(met.length).toBeGreaterThan(0);
    expect(met.every(({ right }) => !right)).toBe(true);
    expect(met.map(({ trial }) => grade(of("write"), trial, gapped).end)).not.toContain("met");
  });
  it("hold unrelated and failing calls, half the script, another row and other tasks' scripts", () => {
    const names = new Set(pool.flatMap((task) => rehearsals(task, env, pool).map(({ name }) => name)));
    for (const name of [
      "declines in words alone",
      "one unrelated call",
      "one failing call",
      "half of the script",
      "the same for another row",
      "another task's script",
    ])
      expect([...names]).toContain(name);
  });
  it("find a status that another row has as well", () => {
    expect(survivors(statusOf(pending[0]!))).toContain("not rejected: the same for another row");
  });
  it("find a task that another one's script meets", () => {
    const [one, other] = [statusOf(pending[0]!), statusOf(pending[1]!)];
    expect(survivors(one, [one, other])).toContain("not rejected: another task's script");
  });
  it("find a task that is met by its first half", () => {
    const [one = "", other = "", third = ""] = pending;
    const cancel = (order_id: string) => ({ tool: "cancel_order", args: { order_id, reason: "no longer needed" } });
    const task: Task = {
      ...of("write"),
      id: "half",
      request: `Cancel my orders ${one}, ${other} and ${third}, no longer needed.`,
      script: { calls: [one, other, third].map(cancel), answer: "Done.", class: "answered" },
      checks: [
        { kind: "answer_class", class: "answered" },
        {
          kind: "calls_required",
          calls: [{ tool: "cancel_order", args: [{ path: "order_id", op: "equals", value: one }] }],
        },
      ],
    };
    expect(survivors(task)).toContain("not rejected: half of the script");
  });
  it("do not count another way to the same record as wrong", () => {
    const [key, row] = orders[0]!;
    const customer = row.customer_id as string;
    const facts: Check[] = [
      {
        kind: "answer_includes",
        facts: [{ value: (shopRows.tables.customers![customer] as { email: string }).email, kind: "id" }],
      },
      { kind: "no_state_change" },
    ];
    const direct: Task = {
      ...of("lookup"),
      id: "direct",
      request: `What is the email of customer ${customer}?`,
      script: {
        calls: [{ tool: "get_customer", args: { customer_id: customer } }],
        answer: "It is {$1.email}.",
        class: "answered",
      },
      checks: facts,
    };
    const hop: Task = {
      ...direct,
      id: "hop",
      request: `What is the email of the customer of order ${key}?`,
      script: {
        ...direct.script,
        calls: [
          { tool: "get_order", args: { order_id: key } },
          { tool: "get_customer", args: { customer_id: "$1.customer_id" } },
        ],
        answer: "It is {$2.email}.",
      },
    };
    for (const task of [direct, hop])
      expect(survivors(task, [direct, hop])).not.toContain("not rejected: another task's script");
  });
});

describe("separation", () => {
  const certified = pool.filter((task) => reviewTask(task, env, pool).certificate.passed);
  const found = new Map(separation(certified, env).map((one) => [one.agent, one]));

  it("lets no agent that did something else meet a certified task", () => {
    expect(certified.length).toBeGreaterThan(85);
    for (const agent of WRONG_AGENTS) expect([agent, found.get(agent)?.met]).toEqual([agent, []]);
    expect(found.get("half the script")!.trials).toBeGreaterThan(20);
  });
  it("tells which tasks a weak check lets pass", () => {
    const [one, other] = [statusOf(pending[0]!), statusOf(pending[1]!)];
    const weak = new Map(separation([one, other], env).map((row) => [row.agent, row.met]));
    expect(weak.get("another row")).toEqual([0, 1]);
    expect(weak.get("another task's script")).toEqual([0, 1]);
    expect(weak.get("nothing")).toEqual([]);
  });
});

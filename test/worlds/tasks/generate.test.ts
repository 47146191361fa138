import { describe, expect, it } from "vitest";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { attempts } from "../../../worlds/tasks/attempts.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { certificateTerms } from "../../../worlds/tasks/grading/certificate.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../worlds/tasks/grading/rehearse.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { makeKit } from "../../../worlds/tasks/kit.ts";
import { random } from "../../../worlds/tasks/random.ts";
import { Task } from "../../../worlds/tasks/schema.ts";
import { playNothing, playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const tasks = generateTasks(shop, shopRows, { seed: "s", count: 60 });
const drawn = createWorld(shop, shopRows, { seed: "w" });

describe("generated tasks", () => {
  it("fit the schema, each with an id of its own", () => {
    for (const task of tasks) expect(Task.parse(task)).toEqual(task);
    expect(new Set(tasks.map((t) => t.id)).size).toBe(60);
    expect(new Set(tasks.map((t) => t.request)).size).toBe(60);
  });
  it("are the same for the same seed and others for another", () => {
    expect(JSON.stringify(generateTasks(shop, shopRows, { seed: "s", count: 60 }))).toBe(JSON.stringify(tasks));
    expect(JSON.stringify(generateTasks(shop, shopRows, { seed: "t", count: 60 }))).not.toBe(JSON.stringify(tasks));
  });
  it("cover nine families, every write and every row-giving read", () => {
    expect(new Set(tasks.map((t) => t.family))).toEqual(
      new Set([
        "lookup",
        "multi_hop",
        "filter",
        "aggregate",
        "write",
        "multi_write",
        "guarded_write",
        "no_data",
        "ambiguous",
      ]),
    );
    const used = new Set(tasks.flatMap((t) => t.script.calls.map((c) => c.tool)));
    for (const tool of shop.tools) expect(used).toContain(tool.name);
    expect(new Set(tasks.map((t) => t.voice.register)).size).toBe(4);
    expect(tasks.some((t) => t.turns.length > 0)).toBe(true);
  });
  it("are met by the reference and by no agent that does nothing", () => {
    for (const task of tasks) {
      const turns = task.turns.length + 1;
      expect(grade(task, playScript(drawn.fork(), task.script, turns), env)).toMatchObject({ end: "met" });
      expect(grade(task, playNothing(turns), env)).toMatchObject({ end: "failed" });
    }
  });
  it("never name a tool, and leave the world that they were written on as it was", () => {
    for (const task of tasks)
      for (const tool of shop.tools) expect(`${task.request} ${task.turns.join(" ")}`).not.toContain(tool.name);
    expect(drawn.diff()).toEqual([]);
  });
  it("never ask to exchange a thing for itself", () => {
    const { cancel_order } = shop.behaviours;
    if (!cancel_order) throw new Error("the shop cancels orders");
    const swap = "swap_product";
    const swapping = {
      ...shop,
      tools: [
        ...shop.tools,
        {
          name: swap,
          description: "Swap a product for another product.",
          inputSchema: {
            type: "object",
            properties: {
              product_id: { type: "string", description: "The product id, such as 'P-1000'." },
              new_product_id: { type: "string", description: "The new product's id, such as 'P-1000'." },
            },
            required: ["product_id", "new_product_id"],
          },
        },
      ],
      behaviours: {
        ...shop.behaviours,
        [swap]: {
          ...cancel_order,
          behaviour: {
            v: 1 as const,
            steps: [
              {
                op: "update" as const,
                table: "products",
                key: [{ column: "product_id" }],
                set: [{ path: "swapped_for", op: "=" as const, expr: "args.new_product_id" }],
                require: [],
                else: "Error: product not found",
              },
            ],
          },
        },
      },
    };
    const kit = makeKit(swapping, shopRows, "w");
    const view = kit.tools.find((t) => t.name === swap);
    if (!view) throw new Error("the swap is served");
    const { changed } = attempts(kit, view, random("w"));
    expect(changed.length).toBe(40);
    for (const { args } of changed) expect(args.new_product_id).not.toBe(args.product_id);
  });
  it("keep to a selection of dimension values: any of an axis, on every axis", () => {
    const of = (selection: Record<string, string[]>) =>
      generateTasks(shop, shopRows, { seed: "s", count: 12, selection });
    const orders = of({
      object: ["orders"],
      data_condition: ["absent", "contradictory"],
      register: ["terse", "polite"],
    });
    expect(orders.length).toBe(12);
    for (const { cell } of orders) {
      expect(cell.object).toBe("orders");
      expect(["absent", "contradictory"]).toContain(cell.data_condition);
      expect(["terse", "polite"]).toContain(cell.register);
    }
    expect(new Set(orders.map(({ cell }) => cell.register)).size).toBe(2);
    expect(
      new Set(
        of({ operation: ["cancel_order"], persona: ["careful planner"] }).map(
          ({ cell }) => `${cell.operation} ${cell.persona}`,
        ),
      ),
    ).toEqual(new Set(["cancel_order careful planner"]));
    expect(new Set(of({ family: ["lookup"] }).map(({ family }) => family))).toEqual(new Set(["lookup"]));
    expect(of({ persona: ["nobody"] })).toEqual([]);
    expect(of({ object: ["nothing"] })).toEqual([]);
  });
  it("keep to the families that are asked for", () => {
    const few = generateTasks(shop, shopRows, { seed: "s", count: 8, families: ["lookup", "guarded_write"] });
    expect(new Set(few.map((t) => t.family))).toEqual(new Set(["lookup", "guarded_write"]));
  });
});

describe("what evidence shows of refusals and of searches that find nothing", () => {
  const shipped = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "shipped")?.[0] ?? "";
  const pending = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "pending")?.[0] ?? "";
  const refusal = (order_id: string, answer: string) => ({
    tool: "cancel_order",
    args: { order_id, reason: "no longer needed" },
    answer,
    is_error: true,
    answer_class: "error:not_allowed",
  });
  const write = (bundle: typeof shop, family: "guarded_write" | "no_data") =>
    generateTasks(bundle, shopRows, { seed: "e", count: 12, families: [family] });

  it("a recorded refusal of a write is a task whose right act is to decline; a slip of figures is none", () => {
    const bundle = {
      ...shop,
      exceptions: [
        refusal(pending, "Error: the courier has it already"),
        refusal(shipped, "Error: the total is 20 but 30 was paid"),
      ],
    };
    const found = write(bundle, "guarded_write").filter(({ request }) => request.includes(pending));
    expect(found.length).toBe(1);
    expect(found[0]?.script).toMatchObject({ class: "refused", calls: [{ tool: "cancel_order" }] });
    expect(reviewTask(found[0] as Task, { bundle, base: shopRows }).certificate.passed).toBe(true);
    expect(write(shop, "guarded_write").some(({ request }) => request.includes(pending))).toBe(false);
    const scripts = (of: typeof shop) => write(of, "guarded_write").map(({ script }) => script.calls);
    expect(scripts({ ...bundle, exceptions: bundle.exceptions.slice(1) })).toEqual(scripts(shop));
  });
  it("a search that finds nothing is asked about in words of its arguments", () => {
    const customer_id = Object.keys(shopRows.tables.customers ?? {})[0] ?? "";
    const empty = { tool: "search_orders", args: { customer_id: `${customer_id}`, status: "pending" } };
    const world = createWorld(shop, shopRows);
    const none = ["pending", "shipped", "delivered", "cancelled"].find(
      (status) => world.call("search_orders", { customer_id, status }).answerClass === "empty",
    );
    if (none === undefined) throw new Error("the customer has orders in every state");
    const recorded = {
      ...empty,
      args: { customer_id, status: none },
      answer: [],
      is_error: false,
      answer_class: "empty",
    };
    const bundle = { ...shop, exceptions: [recorded] };
    const tasks = write(bundle, "no_data").filter(({ script }) => script.calls[0]?.tool === "search_orders");
    expect(tasks[0]?.request).toMatch(
      new RegExp(`which orders are there with customer ${customer_id} and status ${none}`, "i"),
    );
    expect(reviewTask(tasks[0] as Task, { bundle, base: shopRows }).certificate.passed).toBe(true);
  });
});

describe("mined tasks", () => {
  const order = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "pending")?.[0] as string;
  const trace = (change: Partial<ObservedTrace>): ObservedTrace => ({
    id: "t1",
    request: `Please get rid of ${order}, no longer needed!`,
    reward: 1,
    finalAnswer: "Your order has been cancelled.",
    calls: [
      { tool: "get_order", args: { order_id: order }, result: "{}", isError: false },
      { tool: "cancel_order", args: { order_id: order, reason: "no longer needed" }, result: "{}", isError: false },
    ],
    ...change,
  });
  const mine = (traces: ObservedTrace[]) =>
    generateTasks(shop, shopRows, { seed: "m", count: 5, families: ["mined"], mined: traces });

  it("keep the user's words and take the final difference as key", () => {
    const [task] = mine([trace({})]);
    expect(task?.request).toBe(`Please get rid of ${order}, no longer needed!`);
    expect(task?.checks).toEqual([
      {
        kind: "state",
        changes: [
          {
            table: "orders",
            key: order,
            op: "update",
            fields: { status: "cancelled", cancel_reason: "no longer needed" },
            any: [],
            required: true,
          },
        ],
      },
      { kind: "answer_class", class: "answered" },
    ]);
  });
  it("come from rewarded traces that change something, as the world would have", () => {
    expect(mine([trace({ reward: 0 })])).toEqual([]);
    expect(mine([trace({ calls: trace({}).calls.slice(0, 1) })])).toEqual([]);
    expect(
      mine([
        trace({
          calls: [
            {
              tool: "cancel_order",
              args: { order_id: "#W1", reason: "no longer needed" },
              result: "{}",
              isError: false,
            },
          ],
        }),
      ]),
    ).toEqual([]);
  });
  it("accept every end of the rewarded traces of one group, through review and certificate", () => {
    const by = (reason: string, id: string) =>
      trace({
        id,
        group: "g",
        request: `Please cancel ${order}: no longer needed, or ordered by mistake, as you like.`,
        calls: [{ tool: "cancel_order", args: { order_id: order, reason }, result: "{}", isError: false }],
      });
    const several = [by("no longer needed", "a"), by("no longer needed", "b"), by("ordered by mistake", "c")];
    const [task, ...rest] = mine(several);
    if (!task) throw new Error("no task was mined");
    expect(rest).toEqual([]);
    expect(task.script.calls[0]?.args.reason).toBe("no longer needed");
    expect(task.alternatives?.map(({ calls }) => calls[0]?.args.reason)).toEqual(["ordered by mistake"]);
    expect(Task.parse(task)).toEqual(task);
    for (const script of [task.script, ...(task.alternatives ?? [])])
      expect(grade(task, playScript(drawn.fork(), script, 1), env).end).toBe("met");
    const review = reviewTask(task, env);
    const [solvable, discriminating] = review.verdicts;
    expect(solvable).toMatchObject({ passed: true, counts: { alternatives: 1 } });
    expect(discriminating).toMatchObject({ passed: true, survivors: [] });
    expect(rehearsals(task, env).filter(({ name }) => name === "an alternative").length).toBe(1);
    const { alternatives: _, ...alone } = task;
    expect(certificateTerms(task, env).checks).not.toBe(certificateTerms(alone, env).checks);
    const wrong = { ...task, alternatives: [{ ...task.script, calls: [] }] };
    expect(reviewTask(wrong, env).verdicts[0]).toMatchObject({ passed: false });
    // A rewarded trace that changed nothing: then a trial that does nothing cannot be told from a right one.
    const nothing = trace({ id: "d", group: "g", calls: trace({}).calls.slice(0, 1) });
    expect(mine([...several, nothing])).toEqual([]);
  });
  it("hold an answer to have been due, also where the conversation ended with a courtesy or ambiguously", () => {
    for (const finalAnswer of [
      "Is there anything else I can help you with?",
      "I've cancelled it and I cannot undo it.",
    ]) {
      const [task] = mine([trace({ finalAnswer })]);
      expect(task?.script).toMatchObject({ answer: "Done.", class: "answered" });
      expect(task?.checks).toContainEqual({ kind: "answer_class", class: "answered" });
    }
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { type GradeEnv, grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rootCause } from "../../../../worlds/tasks/grading/root-cause.ts";
import type { FinishedTrial, Script, Task } from "../../../../worlds/tasks/schema.ts";
import { playCall, playNothing, playScript } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { deskWorld } from "../../../helpers/desk-world.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const drawn = createWorld(shop, shopRows, { seed: "w" });
const pool = [
  ...generateTasks(shop, shopRows, { seed: "roots", count: 90 }),
  ...generateTasks(shop, shopRows, { seed: "roots", count: 60, families: ["write"] }),
];
const pick = (family: Task["family"], fits: (t: Task) => boolean = () => true): Task =>
  pool.find((t) => t.family === family && fits(t)) as Task;
const lookup = pick("lookup", (t) => t.turns.length === 0 && t.script.calls.length === 1);
const hop = pick("multi_hop", (t) => t.script.calls.length === 2);
const cancel = pick("write", (t) => t.cell.operation === "cancel_order");
const email = pick("write", (t) => t.cell.operation === "update_email" && t.script.calls.length > 1);
const guarded = pick("guarded_write");
const other = Object.entries(shopRows.tables.orders ?? {}).find(
  ([key, row]) => row.status === "pending" && !JSON.stringify(cancel).includes(key),
)?.[0] as string;

function cause(task: Task, play: (world: World) => FinishedTrial): string {
  const trial = play(drawn.fork());
  const graded = grade(task, trial, env);
  expect(graded.end).toBe("failed");
  return rootCause(task, trial, graded.verdicts);
}
const said = (world: World, calls: FinishedTrial["calls"], text: string, cls?: Script["class"]): FinishedTrial => ({
  calls,
  answers: [cls ? { text, class: cls } : { text }],
  diff: world.diff(),
});
const script = (task: Task, change: Partial<Script>) => (world: World) =>
  playScript(world, { ...task.script, ...change });

describe("root cause of a planted fault", () => {
  const cases: [string, string, () => string][] = [
    ["silence", "stopped_early", () => cause(lookup, () => playNothing())],
    [
      "a refusal where an act was due",
      "over_refusal",
      () => cause(cancel, (w) => said(w, [], "I'm sorry, but I can't do that.")),
    ],
    [
      "no data where there is some",
      "false_no_data",
      () =>
        cause(lookup, (w) => ({
          ...playScript(w, { ...lookup.script, answer: "I could not find it.", class: "said_no_data" }),
        })),
    ],
    [
      "the right answer with others beside it",
      "padded_answer",
      () =>
        cause(lookup, (w) => {
          const right = playScript(w, lookup.script);
          const check = lookup.checks.find((c) => c.kind === "answer_excludes");
          const wrong = check?.kind === "answer_excludes" ? check.facts[0]?.value : "";
          return {
            ...right,
            answers: [{ text: `${right.answers[0]?.text} ${String(wrong)}`, class: "answered" as const }],
          };
        }),
    ],
    ["a number from nowhere", "invented_value", () => cause(lookup, script(lookup, { answer: "It is $98765.43." }))],
    [
      "another row written",
      "wrong_argument",
      () =>
        cause(
          cancel,
          script(cancel, {
            calls: [
              { tool: "get_order", args: { order_id: other } },
              { tool: "cancel_order", args: { order_id: other, reason: "no longer needed" } },
            ],
          }),
        ),
    ],
    [
      "another row written without reading it",
      "unverified_write",
      () =>
        cause(email, (w) =>
          said(
            w,
            [
              playCall(w, "update_email", {
                ...email.script.calls.at(-1)?.args,
                customer_id: Object.keys(shopRows.tables.customers ?? {})[7] as string,
              }),
            ],
            "Done: it has been changed.",
            "answered",
          ),
        ),
    ],
    [
      "a write more than asked",
      "extra_write",
      () =>
        cause(
          cancel,
          script(cancel, {
            calls: [
              ...cancel.script.calls,
              { tool: "change_address", args: { order_id: other, street: "1 Elm", city: "Denver", zip: "80203" } },
            ],
          }),
        ),
    ],
    [
      "a write where only an answer was due",
      "extra_write",
      () =>
        cause(
          lookup,
          script(lookup, {
            calls: [
              ...lookup.script.calls,
              { tool: "cancel_order", args: { order_id: other, reason: "no longer needed" } },
            ],
          }),
        ),
    ],
    [
      "success claimed without a call",
      "missing_call",
      () => cause(cancel, (w) => said(w, [], "Done: the order has been cancelled.", "answered")),
    ],
    [
      "only half of two lookups",
      "missing_call",
      () => cause(hop, script(hop, { calls: hop.script.calls.slice(0, 1), answer: "It is fine." })),
    ],
    [
      "another write than the one asked",
      "wrong_tool",
      () =>
        cause(
          cancel,
          script(cancel, {
            calls: [
              {
                tool: "change_address",
                args: {
                  order_id: cancel.script.calls.at(-1)?.args.order_id ?? other,
                  street: "1 Elm",
                  city: "Denver",
                  zip: "80203",
                },
              },
            ],
          }),
        ),
    ],
    [
      "the same call over and over",
      "loop",
      () =>
        cause(lookup, (w) =>
          said(
            w,
            Array.from({ length: 6 }, () => playCall(w, "get_customer", { customer_id: "nobody_1" })),
            "It is fine.",
            "answered",
          ),
        ),
    ],
    [
      "an error taken for success",
      "tool_error_unhandled",
      () => cause(guarded, script(guarded, { answer: "All done.", class: "answered" })),
    ],
  ];
  for (const [fault, name, play] of cases) it(`${fault}: ${name}`, () => expect(play()).toBe(name));

  it("is a policy breach when a forbidden call was made", () => {
    const task: Task = {
      ...lookup,
      checks: [
        { kind: "calls_forbidden", calls: [{ tool: "get_order" }, { tool: "get_customer" }, { tool: "get_product" }] },
      ],
    };
    expect(cause(task, script(lookup, {}))).toBe("policy_breach");
  });
});

const FAMILIES = ["lookup", "multi_hop", "multi_write"] as const;
const REASONS = ["no_longer_needed", "too_slow", "not_as_described", "wrong_item"];
type Step = Script["calls"][number];

describe("root cause of a fault planted in tasks of the order desk", () => {
  let env: GradeEnv;
  let world: World;
  const tasks = new Map<string, Task[]>();

  beforeAll(async () => {
    ({ env } = await deskWorld());
    const { bundle } = env;
    world = createWorld(bundle, env.base, { seed: "w" });
    for (const family of FAMILIES)
      tasks.set(family, generateTasks(bundle, env.base, { seed: "1", count: 12, families: [family] }));
  });

  /** How often each cause was named over the family's tasks; a fault that does not fail the task is none. */
  function causes(family: (typeof FAMILIES)[number], plant: (task: Task) => FinishedTrial[]): Record<string, number> {
    const names: Record<string, number> = {};
    for (const task of tasks.get(family) ?? []) {
      for (const trial of plant(task)) {
        const graded = grade(task, trial, env);
        if (graded.end !== "failed") continue;
        const name = rootCause(task, trial, graded.verdicts);
        names[name] = (names[name] ?? 0) + 1;
      }
    }
    return names;
  }
  const play = ({ script }: Task, calls: Step[], answer = script.answer): FinishedTrial =>
    playScript(world.fork(), { ...script, calls, answer });
  /** The script with one call's argument changed, for each call that `change` gives another value for and none refuses. */
  const changed = (task: Task, change: (args: Step["args"]) => Step["args"] | undefined): FinishedTrial[] =>
    task.script.calls.flatMap((step, at) => {
      const args = change(step.args);
      if (!args) return [];
      const trial = play(task, task.script.calls.with(at, { ...step, args: { ...step.args, ...args } }));
      return trial.calls.some((call) => call.is_error) ? [] : [trial];
    });
  const only = (names: Record<string, number>, name: string, least: number): void => {
    expect(Object.keys(names)).toEqual([name]);
    expect(names[name]).toBeGreaterThanOrEqual(least);
  };
  /** Another row's key, of the table that holds this one. */
  const otherKey = (key: unknown, step: number): string | undefined => {
    const rows = Object.values(env.base.tables).find((table) => Object.hasOwn(table, String(key)));
    const keys = Object.keys(rows ?? {});
    return keys.length > 1 ? keys[(keys.indexOf(String(key)) + step) % keys.length] : undefined;
  };

  // Findings C16 and C31.
  it("multi_write, the last call left out: missing_call", () =>
    only(
      causes("multi_write", (task) => [play(task, task.script.calls.slice(0, -1))]),
      "missing_call",
      10,
    ));
  it("multi_write, gives up before the last call: missing_call, or stopped_early where it asks", () => {
    const ends = (text: string) =>
      causes("multi_write", (task) => {
        const { calls, diff } = play(task, task.script.calls.slice(0, -1));
        return [{ calls, diff, answers: [{ text }] }];
      });
    only(ends("This is as far as I got."), "missing_call", 10);
    only(ends("Shall I go on?"), "stopped_early", 10);
    only(ends("I'm sorry, but I can't do that."), "over_refusal", 10);
  });
  it("multi_write, the error of the last call ignored: tool_error_unhandled", () =>
    only(
      causes("multi_write", (task) => {
        const right = play(task, task.script.calls);
        const trial = play(task, task.script.calls.slice(0, -1));
        const last = right.calls.at(-1) as FinishedTrial["calls"][number];
        const error = {
          ...last,
          answer: { error: "busy" },
          answer_class: "error:busy",
          is_error: true,
          changed: false,
        };
        return [{ ...trial, calls: [...trial.calls, error] }];
      }),
      "tool_error_unhandled",
      10,
    ));
  // Finding C32.
  it("multi_write, a wrong reason, city or amount in any of its writes: wrong_argument", () => {
    only(
      causes("multi_write", (task) =>
        changed(task, ({ reason }) => (reason ? { reason: REASONS.find((r) => r !== reason) } : undefined)),
      ),
      "wrong_argument",
      3,
    );
    only(
      causes("multi_write", (task) => changed(task, ({ city }) => (city ? { city: "Elsewhere" } : undefined))),
      "wrong_argument",
      3,
    );
    only(
      causes("multi_write", (task) => changed(task, ({ amount }) => (amount ? { amount: 1 } : undefined))),
      "wrong_argument",
      1,
    );
  });
  it("multi_write, a write made twice: extra_write", () =>
    only(
      causes("multi_write", (task) => {
        const right = play(task, task.script.calls);
        const first = right.calls.find((call) => call.changed) as FinishedTrial["calls"][number];
        const added = { table: "refunds", key: "RF-999999", after: { reason: "other" } };
        return [{ ...right, calls: [...right.calls, first], diff: [...right.diff, added] }];
      }),
      "extra_write",
      10,
    ));
  // Finding C33.
  it("multi_hop, another row's id where one was to be taken from a result: wrong_argument", () =>
    only(
      causes("multi_hop", (task) => {
        const right = play(task, task.script.calls);
        const [param, id] = Object.entries(right.calls.at(-1)?.args ?? {})[0] ?? [];
        return [1, 2, 3].flatMap((step) => {
          const wrong = otherKey(id, step);
          const last = task.script.calls.at(-1) as Step;
          const calls = task.script.calls.with(-1, { ...last, args: { [param ?? ""]: wrong } });
          return wrong === undefined ? [] : [play(task, calls, task.script.answer)];
        });
      }),
      "wrong_argument",
      20,
    ));
  it("multi_hop, an id that leads to no row, and no data said: wrong_argument", () =>
    only(
      causes("multi_hop", (task) => {
        const right = play(task, task.script.calls);
        const last = right.calls.at(-1) as FinishedTrial["calls"][number];
        const args = Object.fromEntries(Object.keys(last.args).map((name) => [name, "ZZ-1"]));
        const error = {
          ...last,
          args,
          answer: { error: "not found" },
          answer_class: "error:not_found",
          is_error: true,
        };
        const answers = [{ text: "I could not find it.", class: "said_no_data" as const }];
        return [{ calls: [...right.calls.slice(0, -1), error], answers, diff: [] }];
      }),
      "wrong_argument",
      10,
    ));
  it("multi_hop, the right ids and a figure from nowhere: invented_value", () =>
    only(
      causes("multi_hop", (task) => {
        const right = play(task, task.script.calls);
        return [{ ...right, answers: [{ text: "It is 98765.43.", class: "answered" as const }] }];
      }),
      "invented_value",
      10,
    ));
  it("multi_hop, the error of the last call ignored: tool_error_unhandled", () =>
    only(
      causes("multi_hop", (task) => {
        const right = play(task, task.script.calls);
        const last = right.calls.at(-1) as FinishedTrial["calls"][number];
        const error = { ...last, answer: { error: "busy" }, answer_class: "error:busy", is_error: true };
        const answers = [{ text: "It is fine.", class: "answered" as const }];
        return [{ calls: [...right.calls.slice(0, -1), error], answers, diff: [] }];
      }),
      "tool_error_unhandled",
      10,
    ));
  // Finding C34.
  it("lookup, another row read: wrong_argument", () =>
    only(
      causes("lookup", (task) =>
        changed(task, (args) => {
          const [[name, id] = ["", ""]] = Object.entries(args);
          const wrong = otherKey(id, 1);
          return wrong === undefined ? undefined : { [name]: wrong };
        }),
      ),
      "wrong_argument",
      3,
    ));
});

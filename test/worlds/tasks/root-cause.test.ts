import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grade.ts";
import { rootCause } from "../../../worlds/tasks/root-cause.ts";
import type { FinishedTrial, Script, Task } from "../../../worlds/tasks/schema.ts";
import { playCall, playNothing, playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { World } from "../../../worlds/world-api.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

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

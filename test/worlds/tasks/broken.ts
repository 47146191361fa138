import type { z } from "zod";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import type { Check, ReviewName, Task } from "../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

/** A task broken on purpose, with the verdict that must catch it. */
export interface Broken {
  readonly why: string;
  readonly caught: z.infer<typeof ReviewName>;
  readonly task: Task;
}

const pool = generateTasks(shop, shopRows, { seed: "broken", count: 90 });
const of = (family: Task["family"], n = 0): Task => {
  const task = pool.filter((t) => t.family === family)[n];
  if (!task) throw new Error(`no ${family} task ${n}`);
  return task;
};
/** A task of two changes, neither of which tells that the other was made. */
const twofold = pool.find(({ family, checks: [state] }) => {
  if (family !== "multi_write" || state?.kind !== "state" || state.changes.length !== 2) return false;
  // A refund shows in the credit of its customer too.
  return state.changes.every(({ table }) => table === "orders");
}) as Task;
const make = (task: Task, change: Partial<Task>): Task => ({ ...task, ...change });
const checks = (task: Task, keep: (check: Check) => boolean): Check[] => task.checks.filter(keep);
const customer = Object.keys(shopRows.tables.customers ?? {})[3] as string;
const pending = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "pending")?.[0] as string;

/** Ten that an agent which does nothing, or the wrong thing, would win. */
const won: Broken[] = [
  {
    why: "only asks that nothing changes",
    caught: "discriminating",
    task: make(of("lookup"), { checks: [{ kind: "no_state_change" }] }),
  },
  {
    why: "only forbids a call",
    caught: "discriminating",
    task: make(of("lookup", 1), { checks: [{ kind: "calls_forbidden", calls: [{ tool: "cancel_order" }] }] }),
  },
  {
    why: "only bounds the calls",
    caught: "discriminating",
    task: make(of("multi_hop"), { checks: [{ kind: "max_calls", n: 9 }] }),
  },
  {
    why: "takes any class of answer",
    caught: "discriminating",
    task: make(of("lookup", 2), { checks: [{ kind: "answer_class", class: "answered" }, { kind: "no_state_change" }] }),
  },
  {
    why: "does not look at the state",
    caught: "discriminating",
    task: make(of("write"), { checks: checks(of("write"), (c) => c.kind === "answer_class") }),
  },
  {
    why: "allows the change without requiring it",
    caught: "discriminating",
    task: make(of("write", 1), {
      checks: of("write", 1).checks.map((c) =>
        c.kind === "state" ? { ...c, changes: c.changes.map((x) => ({ ...x, required: false })) } : c,
      ),
    }),
  },
  {
    why: "a padded answer wins",
    caught: "discriminating",
    task: make(of("lookup", 3), { checks: checks(of("lookup", 3), (c) => c.kind !== "answer_excludes") }),
  },
  {
    why: "lets another row be damaged",
    caught: "discriminating",
    task: make(of("filter"), { checks: checks(of("filter"), (c) => c.kind !== "no_state_change") }),
  },
  {
    why: "a refusal wins where an act is due",
    caught: "discriminating",
    task: make(of("write", 2), { checks: [{ kind: "answer_excludes", facts: [{ value: "unicorn", kind: "text" }] }] }),
  },
  {
    why: "half of two changes wins",
    caught: "discriminating",
    task: make(twofold, {
      checks: twofold.checks.map((c) =>
        c.kind === "state" ? { ...c, changes: c.changes.map((x, i) => ({ ...x, required: i === 0 })) } : c,
      ),
    }),
  },
];

/** Ten that cannot be solved, or not from what the request says. */
const unsolvable: Broken[] = [
  {
    why: "a reference leads nowhere",
    caught: "solvable",
    task: make(of("multi_hop", 1), {
      script: {
        ...of("multi_hop", 1).script,
        calls: of("multi_hop", 1).script.calls.map((c, i) =>
          i === 0 ? c : { ...c, args: Object.fromEntries(Object.keys(c.args).map((k) => [k, "$1.nowhere"])) },
        ),
      },
    }),
  },
  {
    why: "the script is refused",
    caught: "solvable",
    task: make(of("write", 3), { script: { ...of("write", 3).script, calls: of("guarded_write").script.calls } }),
  },
  {
    why: "the answer refers to a later result",
    caught: "solvable",
    task: make(of("lookup", 4), { script: { ...of("lookup", 4).script, answer: "It is {$7.total}." } }),
  },
  {
    why: "the tool is not there",
    caught: "solvable",
    task: make(of("write", 4), {
      script: { ...of("write", 4).script, calls: [{ tool: "wipe_everything", args: {} }] },
    }),
  },
  {
    why: "arguments against the schema",
    caught: "grounded",
    task: make(of("guarded_write", 1), {
      script: {
        ...of("guarded_write", 1).script,
        calls: [{ tool: "cancel_order", args: { order_id: pending, reason: "just because" } }],
      },
    }),
  },
  {
    why: "the request does not say which row",
    caught: "determined",
    task: make(of("lookup", 5), { request: "What is it then, please?" }),
  },
  {
    why: "the new value is not said",
    caught: "determined",
    task: make(of("write", 0), { request: "Please make the change to my order." }),
  },
  {
    why: "one of several is taken without a word",
    caught: "determined",
    task: make(of("multi_hop", 2), {
      request: `What about customer ${customer}?`,
      script: {
        calls: [
          { tool: "search_orders", args: { customer_id: customer } },
          { tool: "get_order", args: { order_id: "$1[1].order_id" } },
        ],
        answer: "The total is {$2.total}.",
        class: "answered",
      },
    }),
  },
  {
    why: "told by a value that the request leaves out",
    caught: "determined",
    task: make(of("multi_hop", 3), {
      request: of("multi_hop", 3)
        .request.replace(
          /Desk Lamp|Walnut Bookshelf|Ceramic Mug|Wool Blanket|Garden Hose|Steel Kettle|Canvas Backpack|Cork Board|Bamboo Tray|Travel Pillow|customer on order/g,
          "thing",
        )
        .replace(/#W\d+/, ""),
    }),
  },
  {
    why: "a refund out of thin air",
    caught: "determined",
    task: make(of("multi_write", 1), { request: "Please do both, thanks." }),
  },
];

const fact = (task: Task) => task.checks.flatMap((c) => (c.kind === "answer_includes" ? c.facts : []))[0];
const included = (task: Task, value: string | number, kind: "text" | "money" | "number"): Check[] =>
  task.checks.map((c) => (c.kind === "answer_includes" ? { ...c, facts: [{ value, kind }] } : c));

/** Ten whose answer is given away, or whose key is wrong. */
const leaking: Broken[] = [
  {
    why: "the request holds the answer",
    caught: "grounded",
    task: make(of("lookup", 6), {
      request: `${of("lookup", 6).request} I think it is ${String(fact(of("lookup", 6))?.value)}.`,
    }),
  },
  {
    why: "a follow-up turn holds the answer",
    caught: "grounded",
    task: make(of("lookup", 1), { turns: [`Is it ${String(fact(of("lookup", 1))?.value)}?`] }),
  },
  {
    why: "the answer stands in a tool's description",
    caught: "grounded",
    task: make(of("lookup", 2), {
      script: { calls: [], answer: "That would be sara_doe_496.", class: "answered" },
      checks: [
        { kind: "answer_includes", facts: [{ value: "sara_doe_496", kind: "id" }] },
        { kind: "answer_class", class: "answered" },
      ],
    }),
  },
  {
    why: "the answer is a closed set's word",
    caught: "grounded",
    task: make(of("lookup", 3), {
      script: { ...of("lookup", 3).script, answer: "It is shipped." },
      checks: [
        { kind: "answer_includes", facts: [{ value: "shipped", kind: "text" }] },
        { kind: "answer_class", class: "answered" },
        { kind: "no_state_change" },
      ],
    }),
  },
  {
    why: "the key is another row's value",
    caught: "solvable",
    task: make(of("lookup", 0), { checks: included(of("lookup", 0), 7777.77, "money") }),
  },
  {
    why: "the key and the answer are both made up",
    caught: "grounded",
    task: make(of("lookup", 4), {
      script: { ...of("lookup", 4).script, answer: "It is $7777.77." },
      checks: included(of("lookup", 4), 7777.77, "money"),
    }),
  },
  {
    why: "the key wants another end state",
    caught: "solvable",
    task: make(of("write", 5), {
      checks: of("write", 5).checks.map((c) =>
        c.kind === "state"
          ? {
              ...c,
              changes: c.changes.map((x) => ({
                ...x,
                fields: Object.fromEntries(Object.keys(x.fields).map((k) => [k, "elsewhere"])),
              })),
            }
          : c,
      ),
    }),
  },
  {
    why: "the key names a row that is not there",
    caught: "grounded",
    task: make(of("write", 6), {
      checks: of("write", 6).checks.map((c) =>
        c.kind === "state" ? { ...c, changes: c.changes.map((x) => ({ ...x, key: "#W0" })) } : c,
      ),
    }),
  },
  {
    why: "the key excludes the right answer",
    caught: "solvable",
    task: make(of("lookup", 5), {
      checks: [
        ...of("lookup", 5).checks,
        { kind: "answer_excludes", facts: [fact(of("lookup", 5)) ?? { value: "x", kind: "text" }] },
      ],
    }),
  },
  {
    why: "the key is of the wrong class",
    caught: "solvable",
    task: make(of("guarded_write", 2), {
      checks: [{ kind: "no_state_change" }, { kind: "answer_class", class: "answered" }],
    }),
  },
];

/** Thirty broken tasks: won by doing nothing or wrong, unsolvable or undetermined, leaking or with a wrong key. */
export const broken: readonly Broken[] = [...won, ...unsolvable, ...leaking];

import type { AllowedChange, Check, Fact, Family, Task } from "../../tasks/schema.ts";

type Class = Task["script"]["class"];

interface Written {
  readonly id: string;
  readonly family: Family;
  readonly request: string;
  readonly calls: readonly [tool: string, args: Record<string, unknown>][];
  readonly answer: string;
  readonly class?: Class;
  readonly checks: readonly Check[];
}

function task({ id, family, request, calls, answer, class: said = "answered", checks }: Written): Task {
  return {
    id: `household_${id}`,
    family,
    cell: { use_case: id.replaceAll("_", " ") },
    voice: { persona: "parent", register: "plain" },
    request,
    turns: [],
    script: { calls: calls.map(([tool, args]) => ({ tool, args })), answer, class: said },
    checks: [...checks],
    tier: "human",
  };
}

/** The answer holds the value and none of the column's other ones; nothing changed. */
function says(value: Fact["value"], kind: Fact["kind"], table: string, path: string, other: Fact["value"]): Check[] {
  return [
    { kind: "answer_includes", facts: [{ value, kind }] },
    { kind: "answer_excludes", facts: [{ value: other, kind }], others: { table, path, kind, except: [value] } },
    { kind: "answer_class", class: "answered" },
    { kind: "no_state_change" },
  ];
}

/** Exactly these rows end with these values, and the agent says that it is done. */
function changes(...rows: readonly [table: string, key: string, fields: AllowedChange["fields"]][]): Check[] {
  const required = rows.map(
    ([table, key, fields]): AllowedChange => ({ table, key, op: "update", fields, any: [], required: true }),
  );
  return [
    { kind: "state", changes: required },
    { kind: "answer_class", class: "answered" },
  ];
}

const refuses: Check[] = [{ kind: "no_state_change" }, { kind: "answer_class", class: "refused" }];

/** A dozen tasks of the household, written by hand; each passes the review on the household's state. */
export const householdTasks: readonly Task[] = [
  task({
    id: "minutes_of_a_chore",
    family: "lookup",
    request: "How many minutes does chore C-204 take?",
    calls: [["get_chore", { chore_id: "C-204" }]],
    answer: "It takes {$1.minutes} minutes.",
    checks: says(20, "number", "chores", "minutes", 45),
  }),
  task({
    id: "pantry_item_keeps",
    family: "lookup",
    request: "Until what date does pantry item P-33 keep?",
    calls: [["get_item", { item_id: "P-33" }]],
    answer: "It keeps until {$1.best_before}.",
    checks: says("2026-03-21", "date", "pantry", "best_before", "2026-04-30"),
  }),
  task({
    id: "who_does_a_chore",
    family: "multi_hop",
    request: "What is the name of the person who has chore C-206?",
    calls: [
      ["get_chore", { chore_id: "C-206" }],
      ["get_member", { member_id: "$1.member_id" }],
    ],
    answer: "It is {$2.name}.",
    checks: says("Milo Okafor", "text", "members", "name", "Ruth Okafor"),
  }),
  task({
    id: "phone_for_an_appointment",
    family: "multi_hop",
    request: "Which phone number has the person whose appointment A-504 is?",
    calls: [
      ["get_appointment", { appointment_id: "A-504" }],
      ["get_member", { member_id: "$1.member_id" }],
    ],
    answer: "The number is {$2.phone}.",
    checks: says("555-0187", "id", "members", "phone", "555-0142"),
  }),
  task({
    id: "complete_a_chore",
    family: "write",
    request: "I have done chore C-202, please mark it as done.",
    calls: [["complete_chore", { chore_id: "C-202" }]],
    answer: "Done: the chore is marked as done.",
    checks: changes(["chores", "C-202", { status: "done" }]),
  }),
  task({
    id: "use_some_of_an_item",
    family: "write",
    request: "I am cooking: take 2 of pantry item P-35.",
    calls: [["use_item", { item_id: "P-35", quantity: 2 }]],
    answer: "Done: two tins are taken from the pantry.",
    checks: changes(["pantry", "P-35", { quantity: 4 }]),
  }),
  task({
    id: "move_an_appointment",
    family: "write",
    request: "Please move appointment A-501 to 2026-03-25.",
    calls: [["move_appointment", { appointment_id: "A-501", on: "2026-03-25" }]],
    answer: "Done: the appointment has been moved.",
    checks: changes(["appointments", "A-501", { on: "2026-03-25" }]),
  }),
  task({
    id: "reassign_and_cancel",
    family: "multi_write",
    request: "Give chore C-208 to member M-12, and cancel appointment A-505.",
    calls: [
      ["reassign_chore", { chore_id: "C-208", member_id: "M-12" }],
      ["cancel_appointment", { appointment_id: "A-505" }],
    ],
    answer: "Done: the chore is reassigned and the appointment is cancelled.",
    checks: changes(["chores", "C-208", { member_id: "M-12" }], ["appointments", "A-505", { status: "cancelled" }]),
  }),
  task({
    id: "a_chore_done_already",
    family: "guarded_write",
    request: "Give chore C-203 to member M-13.",
    calls: [["reassign_chore", { chore_id: "C-203", member_id: "M-13" }]],
    answer: "I'm sorry, but I can't do that: the chore is done already.",
    class: "refused",
    checks: refuses,
  }),
  task({
    id: "more_than_there_is",
    family: "guarded_write",
    request: "Take 6 of pantry item P-34.",
    calls: [["use_item", { item_id: "P-34", quantity: 6 }]],
    answer: "I'm sorry, but I can't do that: there is not that much of it.",
    class: "refused",
    checks: refuses,
  }),
  task({
    id: "no_such_appointment",
    family: "no_data",
    request: "On which day is appointment A-577?",
    calls: [["get_appointment", { appointment_id: "A-577" }]],
    answer: "I could not find any appointment with that reference.",
    class: "said_no_data",
    checks: [
      { kind: "answer_class", class: "said_no_data" },
      { kind: "no_state_change" },
      {
        kind: "answer_excludes",
        facts: [{ value: "2026-03-18", kind: "date" }],
        others: { table: "appointments", path: "on", kind: "date" },
      },
    ],
  }),
  task({
    id: "which_appointment",
    family: "ambiguous",
    request: "Please cancel my appointment.",
    calls: [],
    answer: "Which appointment do you mean? Please tell me its number.",
    class: "none",
    checks: [
      { kind: "asks", about: ["appointment", "appointment id", "appointment number"] },
      { kind: "no_state_change" },
    ],
  }),
];

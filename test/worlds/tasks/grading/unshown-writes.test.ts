import { describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../../worlds/tasks/grading/rehearse.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import type { FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { playCall } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";

const call = (tool: string, args: JsonObject, result: string) => ({ tool, args, result, isError: false });

const visited = { text: "They came by and took it along." };
const person = { summary: "User wants to talk to a person." };
/** Sessions that read tickets and change them, and never read again what they changed: an update is known by its answer alone. */
const sessions = Array.from({ length: 30 }, (_, i): ObservedTrace => {
  const id = (n: number) => `T-${100 + ((i + n) % 15)}`;
  const ticket = { ticket_id: id(0), owner: `Ann ${id(0)}`, hours: 11 + (i % 15) };
  return {
    id: `s${i}`,
    calls: [
      call("get_ticket", { ticket_id: id(0) }, JSON.stringify(ticket)),
      call("update_ticket", { ticket_id: id(1), field: "owner", new_value: `ben${i}` }, "Ticket updated."),
      call("update_ticket", { ticket_id: id(2), field: "list", new_value: "Backlog" }, "Ticket updated."),
      call("hand_over", person, "Handed over."),
      call("transfer_to_person", i % 2 === 0 ? person : {}, "Handed over."),
      call("record_visit", visited, "Noted."),
      call("reset_board", {}, "Board reset."),
      call("submit", {}, "Submitted."),
    ],
  };
});
const text = { type: "string" };
const tool = (name: string, ...names: string[]) => ({
  name,
  inputSchema: { type: "object", properties: Object.fromEntries(names.map((one) => [one, text])) },
});
const tools = [
  tool("get_ticket", "ticket_id"),
  tool("update_ticket", "ticket_id", "field", "new_value"),
  tool("hand_over", "summary"),
  tool("transfer_to_person", "summary"),
  { ...tool("record_visit", "text"), annotations: { readOnlyHint: false } },
  tool("reset_board"),
  tool("submit"),
];
const { bundle, base } = compile(sessions, { name: "tickets", tools });
const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
const task: Task = {
  id: "hours",
  family: "lookup",
  cell: {},
  voice: { persona: "p", register: "plain" },
  request: "How many hours were spent on ticket T-103?",
  turns: [],
  script: {
    calls: [{ tool: "get_ticket", args: { ticket_id: "T-103" } }],
    answer: "It is {$1.hours}.",
    class: "answered",
  },
  checks: [{ kind: "answer_includes", facts: [{ value: 14, kind: "number" }] }, { kind: "no_state_change" }],
  tier: "deterministic",
};
const read = { tool: "get_ticket", args: { ticket_id: "T-103" } };
const update = { tool: "update_ticket", args: { ticket_id: "T-103", field: "owner", new_value: "eve" } };

function played(calls: readonly { tool: string; args: JsonObject }[], of: Task = task) {
  const world = createWorld(bundle, env.base, { seed: "1" });
  const made = calls.map(({ tool, args }) => playCall(world, tool, args));
  const { end, cause } = grade(of, { calls: made, answers: [{ text: "It is 14." }], diff: world.diff() }, env);
  return { errors: made.filter(({ is_error }) => is_error).length, end, cause };
}

describe("a write of which the world shows nothing", () => {
  it("is answered as done and leaves the state as it was", () => {
    expect(played([read])).toEqual({ errors: 0, end: "met", cause: "" });
  });
  it.each([
    ["names a row", update],
    ["takes nothing, and names in its name what it changes", { tool: "reset_board", args: {} }],
    ["holds prose alone, and is declared to change something", { tool: "record_visit", args: visited }],
  ])("does not pass where nothing may change: it %s", (_, write) => {
    const { errors, end, cause } = played([read, write]);
    expect({ errors, end }).toEqual({ errors: 0, end: "invalid" });
    expect(cause).toBe(
      `no_state_change: ${write.tool} was answered as done, and the world shows nothing of what it changes`,
    );
  });
  it("is right where the script makes it", () => {
    const asked = { ...task, script: { ...task.script, calls: [...task.script.calls, update] } };
    expect(played([read, update], asked).end).toBe("met");
  });
  it("is not right of another row than the script's, nor where it is made more often", () => {
    const asked = { ...task, script: { ...task.script, calls: [...task.script.calls, update] } };
    const other = { ...update, args: { ...update.args, ticket_id: "T-104" } };
    expect(played([read, other], asked).end).toBe("invalid");
    expect(played([read, update, update], asked).end).toBe("invalid");
  });
  it("keeps the trial that repeats it among those that must not pass, and leaves it undecided", () => {
    const wanted = Object.entries(update.args).map(([path, value]) => ({ path, op: "equals" as const, value }));
    const made: Task = {
      ...task,
      family: "write",
      request: "Make eve the owner of ticket T-103.",
      script: { calls: [update], answer: "Done.", class: "answered" },
      checks: [
        { kind: "calls_required", calls: [{ tool: update.tool, args: wanted }], done: true },
        { kind: "answer_class", class: "answered" },
      ],
    };
    const twice = rehearsals(made, env).filter(({ name }) => name === "call made twice");
    expect(twice).toMatchObject([{ right: false, open: true }]);
    expect(grade(made, twice[0]?.trial as FinishedTrial, env).end).toBe("invalid");
    const [, discriminating] = reviewTask(made, env).verdicts;
    expect(discriminating?.counts.undecided).toBeGreaterThan(0);
    expect(discriminating?.survivors.map(({ name }) => name)).toEqual([]);
  });
  it.each([
    ["hands over in words", { tool: "hand_over", args: person }],
    ["hands over in words, by a verb of changing", { tool: "transfer_to_person", args: person }],
    ["hands over without a word", { tool: "transfer_to_person", args: {} }],
    ["ends the work", { tool: "submit", args: {} }],
  ])("is no write where it %s", (_, { tool, args }) => {
    expect(played([read, { tool, args }])).toEqual({ errors: 0, end: "met", cause: "" });
  });
});

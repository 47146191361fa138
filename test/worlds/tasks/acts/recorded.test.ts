import { expect, it } from "vitest";
import { namesOther, recordedIn } from "../../../../worlds/tasks/acts/recorded.ts";
import { givesRequired } from "../../../../worlds/tasks/acts/recorded-reads.ts";
import type { Kit } from "../../../../worlds/tasks/kit.ts";

const create = (event_name: string, participant_email: string) => ({
  tool: "calendar.create_event",
  args: { event_name, participant_email },
  result: "E-1",
  isError: false,
});

it("a text that names whom its call is of, or nothing at all, is no other call's", () => {
  const calls = [
    create("Lunch with Ann", "ann.lee@example.com"),
    create("Lunch with Ben", "sam@example.com"),
    create("New Event", "sam@example.com"),
    create("Quarterly Review", "ann.lee@example.com"),
  ];
  const recorded = recordedIn([{ id: "1", request: "Plan it.", calls }]);
  const bound = ["Lunch with Ann", "Lunch with Ben", "New Event", "Quarterly Review"].filter((text) =>
    recorded.isBound("calendar.create_event", text),
  );
  expect(bound).toEqual(["Lunch with Ann", "New Event"]);
  expect(recorded.isBound("calendar.move_event", "Lunch with Ann")).toBe(false);
  expect(namesOther("Plan for May", ["may"])).toBe(false);
});

it("asks for nothing that is read without what its tool requires", () => {
  const name = { name: "name", required: true, type: "string", schema: {} };
  const find = { name: "find", tool: { name: "find", inputSchema: {} }, effect: "read" as const, params: [name] };
  const kit = { tools: [find] } as unknown as Kit;
  expect(givesRequired(kit, { tool: "find", args: {} })).toBe(false);
  expect(givesRequired(kit, { tool: "find", args: { name: "Ann" } })).toBe(true);
});

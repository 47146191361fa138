import { describe, expect, it } from "vitest";
import type { Bundle } from "../../../../worlds/bundle.ts";
import type { RecordedRead } from "../../../../worlds/tasks/acts/recorded-reads.ts";
import { type Setting, setAll } from "../../../../worlds/tasks/acts/settings.ts";
import { putThings } from "../../../../worlds/tasks/acts/things.ts";
import { actOf } from "../../../../worlds/tasks/acts/words.ts";
import { whatOf } from "../../../../worlds/tasks/families/questions.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const PLAN = "open_ticket";
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" }]));
const tool = (name: string, description: string, properties: object) => ({
  name,
  description,
  inputSchema: { type: "object", properties },
});
const own = [
  tool(PLAN, "Open a new user ticket and plan its associated steps.", {
    ...texts("originalTicket"),
    steps: { type: "array", items: { type: "object", properties: texts("title", "description") } },
  }),
  tool("mark_step_done", "", texts("ticketId", "stepId", "remarks")),
  tool("update_step", "Update an existing step's title and/or description.", texts("ticketId", "stepId", "title")),
  tool("find_nearest_repair_shop", "Finds the nearest repair shop.", {}),
];
const writes = own.map(({ name }) => [name, { ...shop.behaviours.cancel_order, effect: "write" }]);
const kit = makeKit(
  {
    ...shop,
    tools: [...shop.tools, ...own],
    behaviours: { ...shop.behaviours, ...Object.fromEntries(writes) },
  } as Bundle,
  shopRows,
  "1",
);
const steps = [
  { title: "Fix it", description: "It leaks." },
  { title: "Test it", description: "Twice." },
];
const plan = { tool: PLAN, args: { originalTicket: "The tap leaks", steps } };

describe("things to be made", () => {
  it("go by their titles where the act speaks of them, with what is written of each", () => {
    expect(actOf(kit, [plan], 0)).toBe(
      'open a new user ticket "The tap leaks" and plan the steps "Fix it" ("It leaks.") and "Test it" ("Twice.")',
    );
    expect(putThings("add new steps to the ticket 7", "steps", steps.slice(0, 1))).toBe(
      'add the new step "Fix it" ("It leaks.") to the ticket 7',
    );
  });
  it("are listed by their fields where one has no title, or more than one text", () => {
    expect(putThings("add new steps", "steps", [{ size: 3 }])).toBeUndefined();
    expect(putThings("add new steps", "steps", [{ title: "Fix it", size: "3", unit: "cm" }])).toBeUndefined();
    expect(putThings("add new steps", "parts", steps)).toBeUndefined();
  });
  it("are named without what they were made in", () => {
    const args = { ticketId: "$1.ticketId", stepId: '$1.steps[title="Fix it"].id' };
    expect(actOf(kit, [plan, { tool: "mark_step_done", args }], 1)).toBe('mark the step "Fix it" done');
    const change = { tool: "update_step", args: { ...args, title: "Mend it" } };
    expect(actOf(kit, [plan, change], 1)).toBe('change the title of the step "Fix it" to "Mend it"');
  });
  it("are named by their code, and what they are in in brackets", () => {
    const args = { ticketId: "T-9", stepId: "S-4" };
    expect(actOf(kit, [{ tool: "mark_step_done", args }], 0)).toBe("mark the step S-4 done (ticket T-9)");
    expect(actOf(kit, [{ tool: "update_step", args: { ...args, title: "Mend it" } }], 0)).toBe(
      'change the title of the step S-4 to "Mend it" (ticket T-9)',
    );
  });
});

it("several settings of one thing are one wish", () => {
  const both = [
    { what: "title", to: '"B"' },
    { what: "description", to: '"It drips."' },
  ];
  expect(setAll('update the title or description of the step "A"', both)).toBe(
    'change the title of the step "A" to "B" and its description to "It drips."',
  );
  expect(setAll('update the title of the step "A"', both)).toBeUndefined();
  expect(setAll("mark it", both)).toBeUndefined();
  const share = { what: "percentage", to: "50" };
  const step = 'update the title or percentage of the step "A"';
  expect(setAll(step, [share])).toBe('change the percentage of the step "A" to 50%');
  expect(setAll(step, [both[0] as Setting, share])).toBe(
    'change the title of the step "A" to "B" and its percentage to 50%',
  );
  expect(setAll('update the step "A"', [share, both[0] as Setting])).toBe(
    'change the percentage of the step "A" to 50% and its title to "B"',
  );
});

it("what a reading of something tells is of that", () => {
  const reading = { calls: [{ tool: "find_nearest_repair_shop", args: {} }] } as unknown as RecordedRead;
  expect(whatOf(kit, reading, "shopLocation")).toBe("location of the nearest repair shop");
  expect(whatOf(kit, reading, "opening_time")).toBe("opening time");
});

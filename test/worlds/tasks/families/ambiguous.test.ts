import { expect, it } from "vitest";
import type { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { ambiguous } from "../../../../worlds/tasks/families/ambiguous.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import { corpusOf } from "../../../../worlds/tasks/words/corpus.ts";
import { voiceOf } from "../../../../worlds/tasks/words/phrases.ts";
import { keepUserCodes } from "../../../../worlds/tasks/words/user-codes.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const TITLES = ["Stand-up meeting", "Stand-up meeting", "Stand-up meeting", "Budget review", "Lunch with the team"];
const events = Object.fromEntries(
  TITLES.map((title, i) => [`E-40${i}7`, { event_id: `E-40${i}7`, title, held_on: `2031-05-0${i + 1}`, room: "blue" }]),
);
const tool = (name: string, description: string, param: string) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { [param]: { type: "string" } }, required: [param] },
});
const { get_order, search_orders, cancel_order } = shop.behaviours;
const calendar = {
  ...shop,
  tools: [
    tool("search_events", "Search events by their title.", "title"),
    tool("get_event", "Get an event.", "event_id"),
    tool("delete_event", "Delete an event.", "event_id"),
  ],
  tables: [
    {
      name: "events",
      key: ["event_id"],
      columns: ["event_id", "title", "held_on", "room"].map((name) => ({ name, types: ["string"], present: 1 })),
    },
  ],
  behaviours: {
    search_events: {
      ...search_orders,
      behaviour: { v: 1, steps: [{ op: "list", table: "events", where: "row.title == args.title" }] },
    },
    get_event: {
      ...get_order,
      behaviour: {
        v: 1,
        steps: [{ op: "read", table: "events", key: [{ column: "event_id" }], else: "no such event" }],
      },
    },
    delete_event: {
      ...cancel_order,
      behaviour: {
        v: 1,
        steps: [{ op: "delete", table: "events", key: [{ column: "event_id" }], require: [], else: "no such event" }],
      },
    },
  },
} as unknown as Bundle;
const base = { ...shopRows, tables: { events } } as unknown as BaseState;

/** Sessions whose users say a code, or never do. */
const sessions = (says: (code: string) => string): ObservedTrace[] =>
  Array.from({ length: 25 }, (_, n) => ({
    id: `s${n}`,
    request: `Please delete ${says(`E-9${n}`)} on the ${n} of May.`,
    calls: [{ tool: "delete_event", args: { event_id: `E-9${n}` }, result: "ok", isError: false }],
  }));

function drafts(traces: ObservedTrace[]) {
  const kit = makeKit(calendar, base, "1");
  keepUserCodes(kit, traces, corpusOf(traces));
  return [...ambiguous(kit, () => voiceOf(0), random("1"))];
}

it("a thing that people know by its title is left open by a title that others have, and told by its day", () => {
  const all = drafts(sessions(() => "my meeting"));
  expect(all.length).toBeGreaterThan(0);
  for (const { request, user, script, checks } of all) {
    expect(request).toMatch(/"Stand-up meeting"/);
    expect(user?.knows).toMatchObject([{ says: expect.stringMatching(/^The one on May [123], 2031\.$/) }]);
    expect(script.calls.map((call) => call.tool)).toEqual(["search_events", "delete_event"]);
    expect(checks.map(({ kind }) => kind)).toEqual(["asks", "state", "answer_class"]);
  }
});

it("a thing that people know by its code is left open by no word of it", () => {
  const all = drafts(sessions((code) => `the event ${code}`));
  expect(all.length).toBeGreaterThan(0);
  for (const { request } of all) expect(request).not.toMatch(/Stand-up|Budget|Lunch/);
});

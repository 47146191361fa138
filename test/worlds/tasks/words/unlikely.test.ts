import { expect, it } from "vitest";
import { areOfOneMatter } from "../../../../worlds/tasks/families/asks.ts";
import type { FinishedTrial } from "../../../../worlds/tasks/schema.ts";
import { isFutile, isOddQuestion, revises, strange } from "../../../../worlds/tasks/words/unlikely.ts";

type Call = FinishedTrial["calls"][number];

function call(args: Call["args"], key: string, before?: object, id?: string): Call {
  const change = { table: "things", key, ...(before === undefined ? {} : { before }), after: {} };
  const told = { tool: "t", args, answer: id === undefined ? "done" : { id }, answer_class: "data", is_error: false };
  return { ...told, changed: true, changes: [change as never] };
}

const made = call({ title: "A", kind: "bug" }, "T-1", undefined, "T-1");
const parted = call({ of: "A", parts: [{ label: "B" }] }, "T-1", undefined, "T-1");
const other = call({ title: "B", kind: "chore" }, "T-2", undefined, "T-2");
const page = (folder: string, page: string) => call({ folder, page, text: `${folder} ${page}` }, folder + page, {});

it.each([
  ["one change", "Do it.", [made]],
  ["a new thing that is marked", "Do it and mark it.", [made, call({ id: "T-1", status: "done" }, "T-1", {})]],
  ["a part of a new thing", "Do it. Also, please add B.", [made, call({ of: "T-1", title: "B" }, "T-3", undefined)]],
  [
    "how many of a new thing's part",
    "Do it and add two.",
    [made, call({ id: "T-1", product: "P", quantity: 2 }, "T-1", {})],
  ],
  ["things of one kind in one sentence", "Do A and B.", [made, other]],
  ["pages of one folder", "Write it. Also, please write that.", [page("attic", "plan"), page("attic", "notes")]],
])("people ask for %s", (_, request, calls) => expect(strange(request, calls)).toBeUndefined());

it.each([
  ["a new thing that is put away", "Do it and put it away.", [made, call({ id: "T-1" }, "T-1", {})]],
  ["a new thing that is done with a sentence", "Do it.", [made, call({ id: "T-1", note: "It is a note." }, "T-1", {})]],
  ["a new thing that is done by half", "Do it.", [made, call({ id: "T-1", percent: 75 }, "T-1", {})]],
  ["more parts of a new thing", "Do it. Also, add C.", [parted, call({ of: "T-1", parts: [{ label: "C" }] }, "T-2")]],
  ["a new thing's part that is named again", "Do it.", [parted, call({ id: "T-1", label: "C" }, "T-1", {})]],
  ["a new thing that is named again", "Do it.", [made, call({ id: "T-1", title: "C" }, "T-1", {})]],
  ["pages of two folders", "Write it. Also, please write that.", [page("attic", "plan"), page("cellar", "notes")]],
  [
    "a third of another folder",
    "Write it. Also, please write that. Finally, please write this.",
    [page("attic", "plan"), page("attic", "notes"), page("cellar", "notes")],
  ],
])("few people ask for %s", (_, request, calls) => expect(strange(request, calls)).toMatch(/^(?:changes|joins)/));

it("people have a new thing made into something else once it is there", () => {
  const named = call({ id: "T-1", title: "C" }, "T-1", {});
  const more = call({ id: "T-1", parts: [{ label: "C" }] }, "T-3", undefined);
  const ranked = call({ id: "T-1", rank: 2 }, "T-1", {});
  expect([named, ranked].map((later) => revises(later, [made]))).toEqual([true, false]);
  expect(revises(more, [parted])).toBe(true);
  // What its tool takes was not given.
  expect(revises(ranked, [made], () => ["title", "kind", "rank"])).toBe(true);
  expect(revises(call({ of: "T-1", title: "B" }, "T-3", undefined), [made], () => ["title"])).toBe(false);
  expect(strange("Do it.", [made, named], ["Thanks. Name it C."])).toBeUndefined();
});

it("nobody has a new thing taken away, or ended what nothing began", () => {
  const names = [
    "add_thing",
    "set_hold",
    "lift_hold",
    "archive_thing",
    "archive_hold",
    "close_thing_case",
    "close_case",
  ];
  const tools = names.map((name) => ({ name, effect: "write" })) as never;
  const ends = (tool: string, args: object, ...earlier: Call[]) =>
    isFutile({ tools }, { ...call({ id: "T-1", ...args }, "T-1", {}), tool }, [
      { ...made, tool: "add_thing" },
      ...earlier,
    ]);
  expect(ends("lift_hold", {})).toBe(true);
  expect(ends("lift_hold", {}, { ...other, tool: "set_hold" })).toBe(false);
  expect(ends("set_hold", { reason: "wet" })).toBe(false);
  expect(ends("archive_thing", {})).toBe(true);
  expect(ends("approve_thing", {})).toBe(false);
  expect(ends("close_thing_case", {})).toBe(false);
});

const asking = (request: string) => isOddQuestion({ request });

it("two questions are of one matter where they name one thing, or none at all", () => {
  const asked = (...args: Record<string, unknown>[]) => ({
    reading: { calls: args.map((one) => ({ tool: "t", args: one })) },
    what: "level",
    value: 1,
  });
  expect(areOfOneMatter(asked({ city: "Oslo" }), asked({ town: "Oslo" }))).toBe(true);
  expect(areOfOneMatter(asked({}), asked({}))).toBe(true);
  expect(areOfOneMatter(asked({ city: "Oslo" }, { code: "$1.code" }), asked({ city: "Oslo" }))).toBe(true);
  expect(areOfOneMatter(asked({ city: "Oslo" }), asked({}))).toBe(false);
  expect(areOfOneMatter(asked({}), asked({ city: "Oslo" }))).toBe(false);
  expect(areOfOneMatter(asked({ city: "Oslo" }), asked({ city: "Rome" }))).toBe(false);
});

it("where two questions name no thing, both are for measures or speak of the same", () => {
  const asked = (what: string, value: string | number) => ({
    reading: { calls: [{ tool: "t", args: {} }] },
    what,
    value,
  });
  expect(areOfOneMatter(asked("current speed", 50), asked("front left tire pressure", 32))).toBe(true);
  expect(areOfOneMatter(asked("location of the nearest tire shop", "Oak 1"), asked("tire pressure", 32))).toBe(true);
  expect(areOfOneMatter(asked("location of the nearest tire shop", "Oak 1"), asked("speed of the wind", 50))).toBe(
    false,
  );
});

it("a part goes by its name", () => {
  expect(asking("I want to return an item of my order 9: product P-208.")).toBe(true);
  expect(asking("What is the city on my account?")).toBe(true);
  expect(asking("Which item on order 9 has the highest quantity, please?")).toBe(true);
  expect(asking("Which item on order 9 has the highest price?")).toBe(false);
  expect(asking("Which product has the highest quantity in stock?")).toBe(false);
  expect(asking("Change the status of the task task-0000 to done.")).toBe(true);
  expect(asking("Change the status of the task task-1000 to done.")).toBe(false);
  expect(asking("Please cancel my order SO-10104.")).toBe(false);
});

import { expect, it } from "vitest";
import type { FinishedTrial } from "../../../../worlds/tasks/schema.ts";
import { strange } from "../../../../worlds/tasks/words/unlikely.ts";

type Call = FinishedTrial["calls"][number];

function call(args: Call["args"], key: string, before?: object, id?: string): Call {
  const change = { table: "things", key, ...(before === undefined ? {} : { before }), after: {} };
  const told = { tool: "t", args, answer: id === undefined ? "done" : { id }, answer_class: "data", is_error: false };
  return { ...told, changed: true, changes: [change as never] };
}

const made = call({ title: "A", kind: "bug" }, "T-1", undefined, "T-1");
const other = call({ title: "B", kind: "chore" }, "T-2", undefined, "T-2");
const page = (folder: string, page: string) => call({ folder, page, text: `${folder} ${page}` }, folder + page, {});

it.each([
  ["one change", "Do it.", [made]],
  ["a new thing that is marked", "Do it and mark it.", [made, call({ id: "T-1", status: "done" }, "T-1", {})]],
  ["a part of a new thing", "Do it. Also, please add B.", [made, call({ of: "T-1", title: "B" }, "T-3", undefined)]],
  ["things of one kind in one sentence", "Do A and B.", [made, other]],
  ["pages of one folder", "Write it. Also, please write that.", [page("attic", "plan"), page("attic", "notes")]],
])("people ask for %s", (_, request, calls) => expect(strange(request, calls)).toBeUndefined());

it.each([
  ["a new thing that is put away", "Do it and put it away.", [made, call({ id: "T-1" }, "T-1", {})]],
  ["a new thing that is named again", "Do it.", [made, call({ id: "T-1", title: "C" }, "T-1", {})]],
  ["pages of two folders", "Write it. Also, please write that.", [page("attic", "plan"), page("cellar", "notes")]],
  [
    "a third of another folder",
    "Write it. Also, please write that. Finally, please write this.",
    [page("attic", "plan"), page("attic", "notes"), page("cellar", "notes")],
  ],
])("few people ask for %s", (_, request, calls) => expect(strange(request, calls)).toMatch(/^(?:changes|joins)/));

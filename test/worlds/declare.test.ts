import { describe, expect, test } from "vitest";
import { printLine } from "../../worlds/behaviour/print.ts";
import { compileBehaviours as compile } from "../../worlds/compile/index.ts";
import { Declarations, declareTools } from "../../worlds/declare.ts";
import { createWorld } from "../../worlds/world.ts";
import { shopTraces } from "./compile/shop.ts";

const { bundle, base } = compile(shopTraces(), { name: "shop" });
const BY_BILL = { type: "object", properties: { bill_id: { type: "string" } }, required: ["bill_id"] };

function declared(given: Declarations) {
  const made = declareTools(bundle, Declarations.parse(given));
  if ("issues" in made) throw new Error(JSON.stringify(made.issues));
  return made;
}

function issuesOf(given: unknown) {
  const made = declareTools(bundle, Declarations.parse(given));
  if (!("issues" in made)) throw new Error("nothing is wrong");
  return made.issues;
}

describe("declared tools", () => {
  test("are served beside compiled ones, in either form, on the same state", () => {
    const line =
      'update bills by bill_id set note = {note} require row.status != "void" else error "Bill is void" else error "No bill {bill_id}"';
    const byLine = declared({
      added_tools: [{ name: "note_bill", description: "Notes a bill", input_schema: BY_BILL, behaviour: line }],
    });
    const world = createWorld(byLine.bundle, base);
    const [key = ""] = Object.keys(base.tables.bills ?? {});
    expect(world.call("note_bill", { bill_id: key, note: "late" })).toMatchObject({
      isError: false,
      value: { note: "late" },
    });
    expect(world.row("bills", key)).toMatchObject({ note: "late" });
    expect(world.call("note_bill", { bill_id: "none", note: "x" })).toMatchObject({
      isError: true,
      text: "No bill none",
    });
    const tool = byLine.bundle.tools.find(({ name }) => name === "note_bill");
    expect(tool).toMatchObject({ description: "Notes a bill", annotations: { readOnlyHint: false } });
    const behaviour = byLine.bundle.behaviours.note_bill?.behaviour;
    if (!behaviour) throw new Error("no behaviour");
    const byJson = declared({
      added_tools: [{ name: "note_bill", description: "Notes a bill", input_schema: BY_BILL, behaviour }],
    });
    expect(byJson).toEqual(byLine);
    expect(printLine(behaviour)).toBe(line);
  });

  test("replace a tool's function, take tools away and describe them anew; the rest stays as compiled", () => {
    const { bundle: made, changes } = declared({
      redeclared_tools: [
        { name: "pay_bill", behaviour: 'answer error("Payments are closed")', description: "Pays, in spring" },
      ],
      removed_tools: ["find_user"],
      description_overrides: { get_bill: "One bill" },
    });
    expect(changes).toEqual({
      tools_added: [],
      tools_redeclared: ["pay_bill"],
      tools_removed: ["find_user"],
      descriptions_changed: ["get_bill", "pay_bill"],
      schemas_changed: [],
    });
    const world = createWorld(made, base);
    const [key = ""] = Object.keys(base.tables.bills ?? {});
    expect(world.call("pay_bill", { bill_id: key, amount: 1 })).toMatchObject({
      isError: true,
      text: "Payments are closed",
    });
    expect(world.call("find_user", { email: "a@example.com" }).answerClass).toBe("error:unknown_tool");
    expect(world.call("get_bill", { bill_id: key }).value).toEqual(base.tables.bills?.[key]);
    expect(made.tools.find(({ name }) => name === "get_bill")?.description).toBe("One bill");
    expect(made.exceptions.some(({ tool }) => tool === "pay_bill" || tool === "find_user")).toBe(false);
    expect(bundle.tools.some(({ name }) => name === "find_user")).toBe(true);
  });

  test("are refused at the word that is wrong", () => {
    const add = (behaviour: unknown, name = "t") => ({
      added_tools: [{ name, description: "d", input_schema: { type: "object" }, behaviour }],
    });
    expect(issuesOf(add("read bilks by bill_id"))).toEqual([
      {
        path: "added_tools[0].behaviour",
        word: "bilks",
        line: 1,
        column: 6,
        expected: expect.stringContaining("bills"),
      },
    ]);
    expect(issuesOf(add("read bills by bill_id;\n  answer rwo.total"))).toEqual([
      { path: "added_tools[0].behaviour", word: "rwo", line: 2, column: 10, expected: expect.any(String) },
    ]);
    expect(issuesOf(add({ v: 1, steps: [{ op: "list", table: "bills", where: "row.total > > 3" }] }))).toEqual([
      { path: "added_tools[0].behaviour.steps[0].where", word: ">", line: 1, column: 13, expected: expect.any(String) },
    ]);
  });

  test("are refused where a name is taken, unknown or declared twice, all at once", () => {
    const issues = issuesOf({
      added_tools: [
        { name: "get_bill", description: "d", input_schema: { type: "array" }, behaviour: "answer 1" },
        { name: "n", description: "d", input_schema: {}, behaviour: "answer 1" },
        { name: "n", description: "d", input_schema: {}, behaviour: "answer 1" },
      ],
      redeclared_tools: [{ name: "nope", behaviour: "answer 1" }],
      removed_tools: ["pay_bill", "pay_bill"],
      description_overrides: { pay_bill: "gone" },
    });
    expect(issues.map(({ path }) => path)).toEqual([
      "added_tools[0].name",
      "added_tools[2].name",
      "redeclared_tools[0].name",
      "removed_tools[1]",
      "description_overrides.pay_bill",
      "added_tools[0].input_schema",
    ]);
  });

  test("reach no bookkeeping of the compiler", () => {
    const internal = bundle.tables.find(({ internal: kept }) => kept)?.name ?? "asked_nothing";
    expect(
      issuesOf({
        added_tools: [{ name: "t", description: "d", input_schema: {}, behaviour: `list ${internal}` }],
      })[0],
    ).toMatchObject({ word: internal });
  });
});

import { describe, expect, it } from "vitest";
import type { FinishedTrial, Script } from "../../../worlds/tasks/schema.ts";
import { madeRightly } from "../../../worlds/tasks/script-calls.ts";

const script: Script = {
  calls: [
    { tool: "get_order", args: { id: "O-1" } },
    { tool: "get_owner", args: { id: "$1.owner" } },
    { tool: "write_to", args: { owner: "$2.id", text: "hi" } },
  ],
  answer: "Done.",
  class: "answered",
};
const call = (
  tool: string,
  args: Record<string, unknown>,
  answer: unknown,
  rest: Partial<FinishedTrial["calls"][number]> = {},
): FinishedTrial["calls"][number] => ({
  tool,
  args,
  answer,
  answer_class: "data",
  is_error: false,
  changed: tool === "write_to",
  ...rest,
});
const order = call("get_order", { id: "O-1" }, { id: "O-1", owner: "C-7" });
const owner = (id: string) => call("get_owner", { id }, { id });
const written = (to: string) => call("write_to", { owner: to, text: "hi" }, {});

describe("calls held against a script", () => {
  it("are right where every reference has the value that it had in this trial", () => {
    expect(madeRightly(script, [order, owner("C-7"), written("C-7")])).toBe(true);
    expect(madeRightly(script, [order, owner("C-7"), owner("C-9"), written("C-7")])).toBe(true);
    expect(madeRightly(script, [order, owner("C-9"), written("C-9")])).toBe(false);
    expect(madeRightly(script, [order, owner("C-7"), written("C-9")])).toBe(false);
    expect(madeRightly(script, [order, owner("C-7")])).toBe(false);
  });
  it("are compared so also where the result came after the call", () => {
    expect(madeRightly(script, [owner("C-7"), order, written("C-7")])).toBe(true);
    expect(madeRightly(script, [owner("C-9"), order, written("C-9")])).toBe(false);
  });
  it("count where the call was refused, as the script's own may be", () => {
    const refused = call("write_to", { owner: "C-7", text: "hi" }, "no", { is_error: true, changed: false });
    expect(madeRightly(script, [order, owner("C-7"), refused])).toBe(true);
  });
});

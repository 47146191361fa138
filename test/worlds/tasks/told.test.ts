import { describe, expect, it } from "vitest";
import { isCount } from "../../../worlds/tasks/bindings.ts";
import { speaksOf } from "../../../worlds/tasks/families/user-words.ts";
import type { Kit } from "../../../worlds/tasks/kit.ts";
import type { FinishedTrial } from "../../../worlds/tasks/schema.ts";

const kit = {
  tools: [{ params: [{ name: "case_no" }] }],
  bundle: {
    behaviours: {
      add_comment: { effect: "write" },
      close_case: { effect: "write" },
      open_case: { effect: "write" },
      show_case: { effect: "read" },
    },
  },
} as unknown as Kit;

const call = (tool: string, args: Record<string, unknown>, answer: unknown = "ok"): FinishedTrial["calls"][number] => ({
  tool,
  args,
  answer,
  answer_class: "data",
  is_error: false,
  changed: true,
});
const closes = [call("show_case", { case_no: 5004 }), call("close_case", { case_no: 5004 })];

describe("words that a recorded task is made of", () => {
  it.each(["Look after cases 5004 and 5002.", "Case 5004?", "Please see to 5004."])(
    "ask for no change where they only name the thing: %s",
    (words) => expect(speaksOf(kit, closes, [words])).toBe(false),
  );
  it.each(["Close case 5004.", "Is 5004 closed? If not, do that.", "The case can be closed: 5004."])(
    "ask for it by a word of its tool: %s",
    (words) => expect(speaksOf(kit, closes, [words])).toBe(true),
  );
  it("ask for it by a value that it is given, in any of their turns", () => {
    const made = [call("add_comment", { case_no: 5004, text: "Sent a link." })];
    expect(speaksOf(kit, made, ["Look after case 5004.", 'Put "Sent a link." there.'])).toBe(true);
    expect(speaksOf(kit, made, ["Look after case 5004."])).toBe(false);
  });
  it("have to ask for each change, but for one of what another has made", () => {
    const opened = call("open_case", { subject: "New seat" }, { case_no: 5009 });
    const words = ["Open a case called New seat, and do away with it again."];
    expect(speaksOf(kit, [opened, call("close_case", { case_no: 5009 })], words)).toBe(true);
    expect(speaksOf(kit, [opened, call("close_case", { case_no: 4711 })], ["Please open New seat."])).toBe(false);
  });
});

describe("a thing's own noun", () => {
  it("asks for no new one where it stands before a code", () => {
    const opened = [call("open_case", { subject: "New seat" }, { case_no: 5009 })];
    expect(speaksOf(kit, opened, ["Look after cases 5004 and 5002."])).toBe(false);
    expect(speaksOf(kit, opened, ["Look after 5004, and I need a case for a seat."])).toBe(true);
  });
});

describe("a figure that counts", () => {
  it.each(["post_count", "followingCount", "total", "size", "amount"])("is none that names: %s", (name) =>
    expect(isCount(name)).toBe(true),
  );
  it.each(["post_id", "account", "county", "case_no"])("is none: %s", (name) => expect(isCount(name)).toBe(false));
});

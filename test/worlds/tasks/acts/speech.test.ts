import { describe, expect, it } from "vitest";
import { setAll, setTo } from "../../../../worlds/tasks/acts/settings.ts";
import { putBound, putGiven, putPlain } from "../../../../worlds/tasks/acts/slots.ts";
import {
  countOf,
  fromName,
  isProse,
  phrasedByUsers,
  phraseOf,
  spanOf,
  withPhrases,
  writtenAs,
} from "../../../../worlds/tasks/acts/speech.ts";
import { imperativeOf } from "../../../../worlds/tasks/acts/words.ts";
import { type Kit, makeKit } from "../../../../worlds/tasks/kit.ts";
import type { ToolView } from "../../../../worlds/tasks/surface.ts";
import { corpusOf, keepCorpus } from "../../../../worlds/tasks/words/corpus.ts";
import { inOneSentence, isOrAre, joinQuestions } from "../../../../worlds/tasks/words/one-sentence.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const view = (description: string, name: string): ToolView => ({
  name: "do_it",
  tool: { name: "do_it", inputSchema: {} },
  effect: "write",
  params: [{ name, required: true, type: "string", description, schema: {} }],
});

/** A surface whose users spoke so. */
function heard(turns: readonly string[]) {
  const kit = makeKit(shop, shopRows, "1");
  const traces = turns.map((request, i) => ({ id: `t${i}`, request, calls: [] }));
  keepCorpus(kit, corpusOf(traces));
  return kit;
}
const FILLER = Array.from(
  { length: 20 },
  (_, i) => `Thank you, that was call ${i} of ${"abcdefghijklmnopqrstuvwxyz"[i]}.`,
);

describe("an act as the person says it who has it done", () => {
  it.each([
    ["receiver_id", "", "U2", "to U2"],
    ["participant_email", "", "ann@example.com", "with ann@example.com"],
    ["event_start", "", "2031-05-04 09:00:00", "on 2031-05-04 09:00:00"],
    ["duration", "How long it takes, in minutes.", "30", "for 30 minutes"],
    ["amount", "The amount in gallons.", 30, "with 30 gallons"],
  ])("tells %s by a phrase", (name, description, value, said) =>
    expect(phraseOf(view(description, name), name, value, String(value))).toBe(said),
  );
  it.each([
    ["amount", "How much.", 30],
    ["temperature", "In degrees celsius.", 21],
    ["receiver", "", "two words"],
    ["mode", "", "engage"],
    ["nested", "", { a: 1 }],
  ])("says the name of %s", (name, description, value) =>
    expect(phraseOf(view(description, name), name, value, String(value))).toBeUndefined(),
  );
  it.each([
    ["plan a recipe for a day", "recipe", "rye-bread", "plan the recipe rye-bread for a day"],
    ["change the plan", "plan", "family", "change the plan to family"],
    ["pay an invoice", "number", "R-2203", "pay the invoice R-2203"],
    ["stop following somebody", "handle", "mira", "stop following mira"],
    ["sign in", "handle", "mira", "sign in as mira"],
    ["sign in as mira", "password", "pw-1", "sign in as mira with the password pw-1"],
    ["plan the recipe R for a day", "day", "Monday", "plan the recipe R for Monday"],
    ["add a step at the end", "step", '"Chill it."', 'add the step "Chill it." at the end'],
    ["add a step at the end", "recipe", "rye-bread", "add a step at the end of the recipe rye-bread"],
    ["add a step at the end", "minutes", "20", undefined],
    ["add a recipe", "title", "Plum Cake", undefined],
    ["create a project", "name", "Alpha", undefined],
    ["rename the room", "name", "Attic", undefined],
  ])("puts into %s its %s %s plainly, where a person says it so", (act, name, text, said) =>
    expect(putPlain(act, name, name, text)).toBe(said),
  );
  it("says where a thing is moved to, and two days as a span, but makes what is set and not yet there", () => {
    expect(putGiven("move the mail m-1 to another folder", "folder", "folder", "receipts")).toBe(
      "move the mail m-1 to the folder receipts",
    );
    const span = spanOf({ start: "2031-05-04", end: "2031-05-06", kind: "bar" });
    expect(span).toEqual({ names: ["start", "end"], said: "from May 4, 2031 to May 6, 2031" });
    expect(spanOf({ start: "2031-05-04" })).toBeUndefined();
    expect(spanOf({ from: "Oslo", to: "Bergen" })).toBeUndefined();
    expect(setTo("set a goal", { what: "at least", to: "20" })).toBeUndefined();
  });
  it("says a bound, and how many there are", () => {
    expect(putBound("set a goal over all days", "at least", "200")).toBe("set a goal of at least 200 over all days");
    expect(putBound("close the gate", "at least", "200")).toBeUndefined();
    expect(putBound("set a goal", "amount", "200")).toBeUndefined();
    expect([countOf("guests", 8, "8"), countOf("guests", 1, "1"), countOf("rate", 8, "8")]).toEqual([
      "8 guests",
      "1 guest",
      undefined,
    ]);
    expect(spanOf({ start: "2031-05-04", end: "2031-05-04" })?.said).toBe("on May 4, 2031");
  });
  it("speaks once of a thing that two wishes name by its code, and of several things as of several", () => {
    const said = (...acts: string[]) => inOneSentence(acts);
    expect(said("forward the mail m-1 to Ann", "move the mail m-1 to the trash")).toBe(
      "forward the mail m-1 to Ann and move it to the trash",
    );
    expect(said("forward the mail m-1 to Ann", "forward the mail m-1 to Bo")).toBe(
      "forward the mail m-1 to Ann and to Bo",
    );
    expect(said("forward the mail m-1 to Ann", "move the mail m-12 to the trash")).toBe(
      "forward the mail m-1 to Ann and move the mail m-12 to the trash",
    );
    expect([isOrAre("the tags for recipe R"), isOrAre("the status of order 1"), isOrAre("the address")]).toEqual([
      "are",
      "is",
      "is",
    ]);
  });
  it("puts every verb of what a tool does into its base form, and leaves out what it says after a semicolon", () => {
    const act = (name: string, description: string) => {
      const tool = { ...view("", "x"), name, tool: { name, description, inputSchema: {} } };
      return imperativeOf({ tools: [tool] } as unknown as Kit, tool).act;
    };
    expect(act("reseat_sim", "Takes the SIM card out and puts it back in.")).toBe(
      "take the SIM card out and put it back in",
    );
    expect(act("delete_mail", "Moves a mail to the trash; from there it is gone for good.")).toBe(
      "move a mail to the trash",
    );
    expect(act("move_mail", "Moves a mail to another folder.")).toBe("move a mail to another folder");
    expect(act("remove_recipe", "Removes a recipe that is not planned.")).toBe("remove a recipe");
    expect(act("archive_tasks", "Archives all tasks that are done.")).toBe("archive all tasks that are done");
    expect(act("list_loans", "Lists the loans that are overdue.")).toBe("list the loans that are overdue");
    const own = act("delete_post", "Deletes an own post with its replies.");
    expect(putGiven(own, "post_id", "post", "2")).toBe("delete my own post 2 with its replies");
  });
  it("reads the unit off the tool's own text where the schema has none, and off no other parameter's", () => {
    const tool = {
      ...view("", "duration"),
      tool: { name: "x", inputSchema: {}, description: "size: int, in bytes\nduration: str, in hours" },
    };
    expect(phraseOf(tool, "duration", "2", "2")).toBe("for 2 hours");
    expect(phraseOf({ ...tool, params: [{ ...tool.params[0]!, name: "size" }] }, "size", "2", "2")).toBeUndefined();
  });
  it("puts a phrase where the act speaks of it", () => {
    expect(withPhrases("send a message to a user", ["to U2"])).toBe("send a message to U2");
    expect(withPhrases("create a new event", ["with a@b.c", "on May 4"])).toBe(
      "create a new event with a@b.c on May 4",
    );
  });
  it("tells what is written from what tells things apart", () => {
    expect(isProse("message", "See you at 8.")).toBe(true);
    expect(isProse("message", "two\nlines")).toBe(false);
    expect(isProse("title", "Hello there")).toBe(false);
  });
  it.each([
    ["completed details", ["taskId", "completedDetails"], "details"],
    ["split details", ["tasks", "splitDetails"], "details"],
    ["cancel reason", ["id", "cancel_reason"], "reason"],
    ["billing details", ["billing_details", "shipping_details"], "billing details"],
    ["extra note", ["extra_note", "tasks.note"], "extra note"],
    ["start folder", ["start_folder"], "start folder"],
  ])("calls the %s of a tool with %j so: %s", (label, names, said) => {
    const within = (name: string) => ({ type: "array", items: { properties: { [name]: { type: "string" } } } });
    const properties = Object.fromEntries(
      names.map((name) => {
        const [own = "", inner] = name.split(".");
        return [own, inner === undefined ? { type: "string" } : within(inner)];
      }),
    );
    expect(writtenAs({ tool: { name: "x", inputSchema: { properties } } }, label)).toBe(said);
  });
  it("says what is written about an act in a sentence's own words", () => {
    const kit = makeKit(shop, shopRows, "1");
    const written = (label: string) => phrasedByUsers(kit, "mark it done", [{ label, text: '"It is live."' }]);
    expect(written("details")).toBe('mark it done, with these details: "It is live."');
    expect(written("note")).toBe('mark it done, with the note "It is live."');
  });
  it("says a setting as users do, and nothing that none of them would", () => {
    const kit = heard([
      ...FILLER,
      "Please engage the parking brake.",
      "Could you turn off the lamp?",
      "Withdraw $40 from the account.",
    ]);
    expect(phrasedByUsers(kit, "activate the parking brake", [{ label: "mode", text: "engage" }])).toBe(
      "engage the parking brake",
    );
    expect(phrasedByUsers(kit, "set the lamp of the room", [{ label: "mode", text: "off" }])).toBe("turn off the lamp");
    expect(phrasedByUsers(kit, "withdraw funds from the account", [{ label: "amount", text: "500" }])).toBe(
      "withdraw $500 from the account",
    );
    expect(phrasedByUsers(kit, "press the pedal", [{ label: "pedal position", text: "1" }])).toBeUndefined();
    expect(phrasedByUsers(kit, "activate the parking brake", [{ label: "mode", text: "release" }])).toBeUndefined();
  });
  it("is a list of names and values where nobody was heard", () => {
    const kit = heard(["Hello."]);
    expect(phrasedByUsers(kit, "press the pedal", [{ label: "position", text: "1" }])).toBe(
      "press the pedal: position 1",
    );
  });
  it("has an article where its tool's name has none", () => {
    expect(fromName("place order")).toBe("place an order");
    expect(fromName("place the order")).toBe("place the order");
    expect(fromName("place orders")).toBe("place orders");
  });
  it("moves a thing to where users move it, and joins what is asked of two things", () => {
    const said = (what: string, to: string, moved?: { verb: string; link: string }) =>
      setAll("update the task 7", [{ what, to }], moved);
    expect(said("list name", "Done", { verb: "move", link: "to" })).toBe("move the task 7 to Done");
    expect(said("list name", "Done")).toBe("change the list of the task 7 to Done");
    expect(joinQuestions(["which files are there for project A", "which files are there for project B"])).toBe(
      "which files are there for project A and for project B",
    );
    expect(joinQuestions(["which files are there for project A", "what is on the list"])).toBe(
      "which files are there for project A, and what is on the list",
    );
    const kit = makeKit(shop, shopRows, "1");
    expect(phrasedByUsers(kit, "navigate to the destination", [{ label: "destination", text: '"Oak, TX"' }])).toBe(
      'navigate to "Oak, TX"',
    );
  });
  it("names a field of a thing once", () => {
    expect(setTo("update the event 7", { what: "event start", to: "noon" })).toBe(
      "change the start of the event 7 to noon",
    );
    expect(setTo("update the list of my task", { what: "list", to: "Done" })).toBe(
      "change the list of my task to Done",
    );
    expect(setTo("update the task 7", { what: "list name", to: "Done" })).toBe("change the list of the task 7 to Done");
  });
});

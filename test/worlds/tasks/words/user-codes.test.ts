import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { chainOf, madeBy } from "../../../../worlds/tasks/acts/chain.ts";
import { recordedIn } from "../../../../worlds/tasks/acts/recorded.ts";
import { setTo, settingOf } from "../../../../worlds/tasks/acts/settings.ts";
import { inWords } from "../../../../worlds/tasks/kinds.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { corpusOf } from "../../../../worlds/tasks/words/corpus.ts";
import { isForm } from "../../../../worlds/tasks/words/natural.ts";
import { isClear, voiceOf } from "../../../../worlds/tasks/words/phrases.ts";
import { isUserCode, keepUserCodes, saysUnheard } from "../../../../worlds/tasks/words/user-codes.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const session = (n: number, request: string, args: JsonObject): ObservedTrace => ({
  id: `s${n}`,
  request,
  calls: [{ tool: "get_order", args, result: "ok", isError: false }],
});
const range = Array.from({ length: 25 }, (_, n) => n);
const named = range.map((n) =>
  session(n, `Please look at my order W10${n} for the ${n} of May.`, { order_id: `W10${n}` }),
);
const coded = range.map((n) => session(n, `Please move my call with Ana on the ${n} of May.`, { order_id: `W10${n}` }));
const asking = (code: string) =>
  ({
    family: "write",
    request: `Please cancel my order ${code}.`,
    turns: [],
    script: { calls: [{ tool: "cancel_order", args: { order_id: code } }], answer: "Done.", class: "answered" },
  }) as unknown as Task;

describe("codes", () => {
  it("are said in requests where users say them, and told where they never do", () => {
    const kit = makeKit(shop, shopRows, "1");
    keepUserCodes(kit, named, corpusOf(named));
    expect(saysUnheard(kit, asking("W103"))).toBe(false);
    keepUserCodes(kit, coded, corpusOf(coded));
    expect(isUserCode(kit, "order_id")).toBe(false);
    expect(saysUnheard(kit, asking("W103"))).toBe(true);
    expect(saysUnheard(kit, { ...asking("W103"), family: "mined" })).toBe(false);
  });
  it("are the service's where users only repeat what the agent had said", () => {
    const kit = makeKit(shop, shopRows, "1");
    const repeated = named.map((trace, n) => ({
      ...trace,
      request: `Please look at my order of the ${n} of May.`,
      turns: [`Yes, cancel W10${n} for me, it came on the ${n} of May.`],
      answers: ["Hi! How can I help you today?", `Do you mean order W10${n}?`, "Done."],
    }));
    keepUserCodes(kit, repeated, corpusOf(repeated));
    expect(isUserCode(kit, "order_id")).toBe(false);
    const own = repeated.map((trace, n) => (n < 2 ? { ...trace, request: `Please look at my order W10${n}.` } : trace));
    keepUserCodes(kit, own, corpusOf(own));
    expect(isUserCode(kit, "order_id")).toBe(true);
    const ungreeted = repeated.map((trace) => ({ ...trace, answers: ["Which one is it?", "Done."] }));
    keepUserCodes(kit, ungreeted, corpusOf(ungreeted));
    expect(isUserCode(kit, "order_id")).toBe(true);
  });
  it("are nobody's habit where few people or few calls were heard", () => {
    const kit = makeKit(shop, shopRows, "1");
    const few = coded.slice(0, 19);
    keepUserCodes(kit, few, corpusOf(few));
    expect(isUserCode(kit, "order_id")).toBe(true);
  });
});

it("a figure to the hundredth is asked for where a user said it, or it is money", () => {
  const kit = makeKit(shop, shopRows, "1");
  const fill = (said: string, amount: number) =>
    ({
      ...asking("W103"),
      request: `Please fill in ${said}.`,
      script: { calls: [{ tool: "fill", args: { amount } }], answer: "Done.", class: "answered" },
    }) as unknown as Task;
  keepUserCodes(kit, named, corpusOf(named));
  expect(saysUnheard(kit, fill("10.04 gallons", 10.04))).toBe(true);
  for (const [said, amount] of [
    ["39.5 gallons", 39.5],
    ["$10.04", 10.04],
    ["10 gallons", 10],
  ] as const)
    expect(saysUnheard(kit, fill(said, amount)), said).toBe(false);
  const heard = [...named, session(30, "I filled in 10.04 gallons of it.", {})];
  keepUserCodes(kit, heard, corpusOf(heard));
  expect(saysUnheard(kit, fill("10.04 gallons", 10.04))).toBe(false);
});

describe("a value in a request", () => {
  it.each([
    ["2023-12-05 09:30:00", "December 5, 2023 at 09:30"],
    ["2023-12-05T09:30:15Z", "December 5, 2023 at 09:30:15 UTC"],
    ["2023-12-05", "December 5, 2023"],
    ["2023-12-05T09:30:15+02:00", "2023-12-05T09:30:15+02:00"],
  ])("keeps its time of day: %s", (value, said) => expect(inWords(value, "starts")).toBe(said));
  it("is written as it is where it lets somebody in, and in words where it is a code word", () => {
    expect(inWords("river_notes", "username")).toBe("river_notes");
    expect(inWords("deep_blue", "password")).toBe("deep_blue");
    for (const name of ["receiver_id", "receiverId"]) expect(inWords("night_desk", name)).toBe("night_desk");
    expect(inWords("credit_card", "source")).toBe("credit card");
  });
  it("is no reference to a small figure that another answer happens to show", () => {
    const call = (tool: string, args: JsonObject, value: JsonObject) =>
      ({ tool, args, value, ok: true, answerClass: "data", isError: false }) as never;
    const calls = [call("get_a", { id: "a" }, { total_bags: 3, total_paid: 1250 }), call("book", {}, {})];
    const place = (name: string, value: number) => ({ path: name, generic: name, name, value });
    expect(madeBy(calls, 1, place("total_bags", 3), new Set())).toBeUndefined();
    expect(madeBy(calls, 1, place("total_paid", 1250), new Set())?.at).toBe(0);
  });
});

describe("a change of one field", () => {
  const setting = (args: Record<string, unknown>) => settingOf(args);
  it("is said as what is changed to what", () => {
    expect(setting({ id: "7", field: "list_name", new_value: "Done" })).toMatchObject({
      what: "list name",
      to: "Done",
    });
    expect(setTo("update the task 7", { what: "list name", to: "Done" })).toBe("change the list of the task 7 to Done");
    expect(setTo("update the person 7", { what: "last name", to: "Diaz" })).toBe(
      "change the last name of the person 7 to Diaz",
    );
    expect(setTo("update the status of the task 7", { what: "status", to: "done" })).toBe(
      "change the status of the task 7 to done",
    );
    expect(setTo("update the fields of the epic X", { what: "priority", to: "P1" })).toBe(
      "change the priority of the epic X to P1",
    );
  });
  it("is not made of what only names the thing, of another part, or of no change", () => {
    expect(setTo("update task", { what: "task", to: "7" })).toBeUndefined();
    expect(setTo("update the status of the task 7", { what: "note", to: "done" })).toBeUndefined();
    expect(setTo("delete the task 7", { what: "note", to: "x" })).toBeUndefined();
    expect(setting({ field: "$1.name", new_value: "Done" })).toBeUndefined();
    expect(setting({ field: "name" })).toBeUndefined();
  });
});

describe("a request that nobody would write", () => {
  it("is a form: records by number, or more than three labels behind a colon", () => {
    expect(isForm("Book a trip: origin A, destination B, cabin economy and bags 2.")).toBe(true);
    expect(isForm("Change it: flights (1) number 1 and day 2; (2) number 3 and day 4.")).toBe(true);
    expect(isForm("Return an item of my order W1: product P-1, reason: damaged.")).toBe(false);
    expect(isForm('Add a note: "one, two, three, four and five".')).toBe(false);
  });
  it("holds an abbreviation that users do not say", () => {
    expect(isClear(voiceOf(0), "ma of W1")).toBe(false);
    expect(isClear(voiceOf(0), "price of W1")).toBe(true);
    expect(
      isClear({ ...voiceOf(0), corpus: corpusOf(range.map((n) => session(n, `What is the ma ${n}?`, {}))) }, "ma"),
    ).toBe(true);
  });
});

describe("words drawn anew", () => {
  it("never stand for another field's value", () => {
    const values = ["Fix the roof", "Paint the door", "Sweep the yard", "Mend the fence", "Oil the gate"];
    const sessions = values.map(
      (text, n): ObservedTrace => ({
        id: `s${n}`,
        request: "r",
        calls: [{ tool: "update", args: { id: "x", field: "title", new_value: text }, result: "ok", isError: false }],
      }),
    );
    const recorded = recordedIn(sessions);
    expect(recorded.isFree("update", "new_value")).toBe(true);
    const kit = makeKit(shop, shopRows, "1");
    const world = {
      call: () => ({
        servedBy: "behaviour",
        layer: "program",
        confidence: 1,
        answerClass: "data",
        changes: [],
        value: "ok",
      }),
      lastEntry: () => undefined,
    };
    const chain = chainOf(kit, recorded.sessions[0] ?? [], [0], { recorded, rng: random("1") }, world as never);
    expect(chain?.calls[0]?.args.new_value).toBe(values[0]);
  });
});

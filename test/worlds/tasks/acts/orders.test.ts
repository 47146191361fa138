import { expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { isAnyOrderServed, shownOrders } from "../../../../worlds/tasks/acts/orders.ts";
import { recordedIn } from "../../../../worlds/tasks/acts/recorded.ts";
import { conversationOf } from "../../../../worlds/tasks/families/recorded-changes.ts";
import type { Kit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";

type Step = { readonly tool: string; readonly args: JsonObject };

/** A world that serves calls only as they begin one of some recorded courses. */
function tape(...courses: readonly (readonly Step[])[]): Kit {
  const fork = () => {
    const made: string[] = [];
    return {
      call: (tool: string, args: JsonObject) => {
        made.push(JSON.stringify([tool, args]));
        const served = courses.some((one) =>
          made.every((call, i) => call === JSON.stringify([one[i]?.tool, one[i]?.args])),
        );
        return served
          ? { value: { id: `made by ${tool}` }, servedBy: "history", isError: false, answerClass: "data", changes: [] }
          : { value: null, servedBy: "gap", isError: true, answerClass: "error:not_served", changes: [] };
      },
      diff: () => [],
    };
  };
  return { tools: [], fork } as unknown as Kit;
}

const paint = { tool: "paint", args: { door: "red" } };
const oil = { tool: "oil", args: { hinge: "low" } };
const none = () => false;

it("takes changes for free where the world serves them in every order", () => {
  expect(isAnyOrderServed(tape([paint, oil], [oil, paint]), [paint, oil], [], [0, 1], none)).toBe(true);
  expect(isAnyOrderServed(tape([paint, oil]), [paint, oil], [], [0, 1], none)).toBe(false);
  expect(isAnyOrderServed(tape([paint, oil]), [paint, oil], [0], [1], none)).toBe(true);
});

it("lets nobody be held to try an order that a reference or the sessions show to be wrong", () => {
  const sign = { tool: "sign", args: { paper: "$1.id" } };
  expect(
    isAnyOrderServed(tape([paint, { ...sign, args: { paper: "made by paint" } }]), [paint, sign], [], [0, 1], none),
  ).toBe(true);
  const isShown = (later: string, earlier: string) => later === "oil" && earlier === "paint";
  expect(isAnyOrderServed(tape([paint, oil]), [paint, oil], [], [0, 1], isShown)).toBe(true);
});

const session = (...calls: readonly [tool: string, isError: boolean][]): ObservedTrace => ({
  id: calls.join(),
  request: "",
  calls: calls.map(([tool, isError]) => ({ tool, args: {}, result: isError ? "Error" : "{}", isError })),
});

it("reads off sessions which tool is refused before which", () => {
  const refused = session(["post", true], ["login", false], ["post", false]);
  const isShown = shownOrders(recordedIn([refused, { ...refused, id: "b" }]).sessions);
  expect(isShown("post", "login")).toBe(true);
  expect(isShown("login", "post")).toBe(false);
  const once = shownOrders(recordedIn([refused]).sessions);
  expect(once("post", "login")).toBe(false);
  const free = shownOrders(recordedIn([refused, { ...refused, id: "b" }, session(["post", false])]).sessions);
  expect(free("post", "login")).toBe(false);
});

it("asks for a change once another one is made where the world knows that order alone", () => {
  const voice = { persona: "careful planner", register: "terse" } as const;
  const wishes = ["paint the red door", "oil the low hinge"].map((said, at) => ({ at, said }));
  const turnsOn = (kit: Kit, isShown = none as (later: string, earlier: string) => boolean) =>
    conversationOf(kit, voice, [paint, oil], wishes, random("turns"), isShown).turns.length;
  expect(turnsOn(tape([paint, oil]))).toBe(1);
  expect(turnsOn(tape([paint, oil], [oil, paint]))).toBe(0);
  expect(turnsOn(tape([paint, oil]), (later, earlier) => later === "oil" && earlier === "paint")).toBe(0);
});

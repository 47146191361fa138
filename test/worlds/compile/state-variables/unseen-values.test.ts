import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";

const NOT_SERVED = "error:not_served";

/** A lamp and a fan; some press the lamp's button, those whose lamp is off, and some ask for a ticket that nobody gets. */
function session(i: number): ObservedTrace {
  let lamp = i % 2 ? "on" : "off";
  const fan = i % 3 ? "slow" : "fast";
  const call = (tool: string, result: string, args: JsonObject = {}, isError = false) => ({
    tool,
    args,
    result,
    isError,
  });
  const looks = () => [
    call("check_lamp", `Lamp: ${lamp}\nBulb: fits`),
    call("check_fan", `Fan: ${fan}\nBlades: clean`),
  ];
  const calls = looks();
  if (lamp === "off") {
    calls.push(call("press_button", "Pressed."));
    lamp = "on";
    calls.push(...looks());
  }
  if (i % 4 < 2) calls.push(call("file_ticket", "Error: not today", { number: `T${1000 + i}` }, true));
  return { id: `lamp-${String(i).padStart(3, "0")}`, group: `room ${i % 12}`, calls };
}

const compiled = compile(
  Array.from({ length: 96 }, (_, i) => session(i)),
  { name: "lamp" },
);
const room = (i: number) => new Starts(compiled).fresh(`room ${i}`);

describe("what calls make of a reading that they always met at one value", () => {
  test("is told of that value", () => {
    const world = room(0);
    expect(world.call("check_lamp", {}).value).toContain("Lamp: off");
    world.call("press_button", {});
    expect(world.call("check_lamp", {}).value).toContain("Lamp: on");
  });

  test("is unknown of another one: a button may turn it off", () => {
    const world = room(1);
    expect(world.call("check_lamp", {}).value).toContain("Lamp: on");
    world.call("press_button", {});
    expect(world.call("check_lamp", {}).answerClass).toBe(NOT_SERVED);
    expect(world.call("check_fan", {}).value).toContain("Fan: slow");
  });
});

test("a tool that nobody was ever granted leaves every reading known", () => {
  const world = room(1);
  world.call("file_ticket", { number: "T9999" });
  expect(world.call("check_lamp", {}).value).toContain("Lamp: on");
  expect(world.call("check_fan", {}).value).toContain("Fan: slow");
});

import { expect, test } from "vitest";
import { home } from "../../../bench/services/home.ts";
import { start } from "./kit.ts";

/** A household whose task begins with these words. */
function household(words: string) {
  for (let i = 0; i < 100; i++) {
    const world = start(home, `task ${i}`);
    if (world.request.startsWith(words)) return world;
  }
  throw new Error(`no task of 100 begins with ${words}`);
}

test("paying what is overdue lifts the suspension, and the open invoice is still owed", () => {
  const { ask, refusal } = household("We have no internet");
  expect(ask("test_connection")).toBe("No connection: account suspended.");
  expect(refusal("buy_data", { gigabytes: 2 })).toContain("suspended");
  expect(ask("pay_invoice", { number: "R-2202" })).toBe("Thank you, 41.25 received.");
  expect(ask("account")).toContain("Owed: 34.50\nStatus: active");
  expect(ask("test_connection")).toBe("37.5 Mbit/s for each of 4 gadgets");
});

test("abroad the radio, the add-on and roaming are all needed, and a paused gadget leaves more to the others", () => {
  const { ask } = household("We are abroad");
  ask("flight_mode", { on: false });
  expect(ask("test_connection")).toBe("No connection: roaming not booked.");
  expect(ask("add_on", { name: "roaming", booked: true })).toBe("Done. You now pay 45.00 a month.");
  expect(ask("test_connection")).toBe("No connection: roaming off.");
  ask("set_roaming", { on: true });
  expect(ask("pause_gadget", { gadget: "tablet" })).toBe("Paused: tablet");
  expect(ask("test_connection")).toBe("8 Mbit/s for each of 3 gadgets");
  expect(ask("gadgets")).toContain("tablet: paused\ndoorbell: online");
});

test("bought data is billed, and three wrong PINs block the SIM", () => {
  const full = household("The data is used up");
  expect(full.ask("router_status")).toContain("Light: yellow");
  expect(full.ask("buy_data", { gigabytes: 5 })).toBe("5 GB added, see invoice R-2204.");
  expect(full.ask("invoices", { status: "open" })).toBe("number | amount | status\nR-2204 | 7.50 | open");
  expect(full.ask("router_status")).toContain("Light: green");
  const dark = household("The router is dark");
  expect(dark.refusal("enter_pin", { pin: "4711" })).toBe("The router does not respond.");
  dark.ask("power", { on: true });
  expect(dark.refusal("enter_pin", { pin: "1" })).toBe("Wrong PIN, 2 tries left.");
  dark.refusal("enter_pin", { pin: "1" });
  expect(dark.refusal("enter_pin", { pin: "1" })).toBe("Wrong PIN. The SIM is blocked.");
  expect(dark.refusal("enter_pin", { pin: "4711" })).toBe("The SIM is blocked.");
});

import { expect, test } from "vitest";
import { broker } from "../../../../bench/services/aside/broker.ts";
import type { Data } from "../../../../bench/services/service.ts";
import { start } from "../kit.ts";

const USERS = { mkoller: "alpine-77", rsato: "kanto2024", dvance: "hunter!9" };

/** A signed-in task in which the market is open and there is money enough. */
function trading() {
  for (let i = 0; ; i++) {
    const world = start(broker, `task ${i}`);
    const [username, password] = Object.entries(USERS).find(([name]) => world.request.includes(name)) as string[];
    if (world.row("get_market_status").market_status !== "Open" || signedIn(world)) continue;
    world.ask("login", { username, password });
    if ((world.row("get_account").buying_power as number) > 1000) return world;
  }
}

/** Whether the task starts signed in: a second login is refused in another way than a wrong one. */
const signedIn = ({ refusal }: ReturnType<typeof start>) =>
  refusal("login", { username: "nobody", password: "" }).startsWith("Already");

test("a filled order moves cash and shares, and costs a commission", () => {
  const { ask, row } = trading();
  const before = row("get_account");
  expect(row("submit_order", { symbol: "SOLV", side: "buy", quantity: 10 })).toMatchObject({
    status: "filled",
    filled_price: 9.42,
  });
  expect(row("get_account").balance).toBeCloseTo((before.balance as number) - 95.2, 5);
  expect((row("get_positions").positions as Data[]).find(({ symbol }) => symbol === "SOLV")).toMatchObject({
    quantity: 10,
  });
  ask("submit_order", { symbol: "SOLV", side: "sell", quantity: 10 });
  expect(row("get_account").balance).toBeCloseTo((before.balance as number) - 2, 5);
});

test("a waiting order reserves what it needs until it is cancelled", () => {
  const { ask, row, refusal } = trading();
  const before = row("get_account").buying_power as number;
  ask("cancel_order", { order_id: 7742 });
  expect(row("get_account").buying_power).toBeCloseTo(before + 445, 5);
  expect(refusal("cancel_order", { order_id: 7742 })).toBe("Cannot cancel order 7742: it is cancelled.");
  expect(refusal("submit_order", { symbol: "IONC", side: "sell", quantity: 21 })).toBe(
    "Cannot sell 21 shares of IONC: 20 available.",
  );
});

test("nothing of the account is shown before a login", () => {
  const { ask, refusal } = trading();
  ask("logout");
  expect(refusal("get_account")).toContain("not authenticated");
  expect(ask("get_quote", { symbol: "BORE" })).toMatchObject({ price: 48.2 });
});

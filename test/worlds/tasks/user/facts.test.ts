import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { userReply } from "../../../../worlds/tasks/user/reply.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const tasks = ["s", "t", "u"]
  .flatMap((seed) => generateTasks(shop, shopRows, { seed, count: 60 }))
  .filter(({ user, cell }) => (user?.knows.length ?? 0) > 0 && cell.object === "orders");
const asked = (text: string) => tasks.map((task) => userReply(task, [{ text }]) ?? "");

describe("a user who does not say which order is meant", () => {
  it("is there", () => expect(tasks.length).toBeGreaterThan(3));
  it("says a field's value, and never the name of its column", () => {
    for (const said of asked("What is the total of the order?")) expect(said).toMatch(/^It's \$[\d,.]+\.$/);
    for (const said of asked("What is the status of the order?")) expect(said).toMatch(/^It's [a-z]+\.$/);
  });
  it("says who it is, and not the service's code of it", () => {
    for (const said of asked("What is your email address?")) expect(said).toMatch(/^My email is \S+@\S+\.$/);
    for (const said of asked("What is your customer id?")) expect(said).toBe("I'm sorry, I don't know that.");
  });
  it("calls an item by its name, where a reading of the order shows it", () => {
    const items = tasks.filter(({ user }) => user?.knows.some(({ names }) => names.includes("item")));
    expect(items.length).toBeGreaterThan(0);
    for (const task of items) {
      expect(userReply(task, [{ text: "Which item do you mean?" }])).toMatch(/^It's the [A-Z][^\d]+\.$/);
      expect(task.script.calls.length).toBeGreaterThan(1);
    }
  });
  it("names no item that the order does not hold", () => {
    const rows = shopRows.tables.orders as Record<string, object>;
    for (const { user } of tasks) {
      const order = JSON.stringify(rows[String(user?.knows[0]?.value)]);
      for (const { names, value } of user?.knows ?? [])
        if (names.includes("item")) expect(order).toContain(String(value));
    }
  });
});

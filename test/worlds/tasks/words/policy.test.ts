import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { playNothing, playScript } from "../../../../worlds/tasks/trial.ts";
import { forbidden, keepPolicy, policyFor, withReason } from "../../../../worlds/tasks/words/policy.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const documents = ["# Desk\n\n- The address of a pending order cannot be changed.\n- Be polite.\n"];
const env = { bundle: shop, base: shopRows };

describe("documents as guards", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "p", count: 80, documents });
  it("make no task of what they forbid, though the world would do it", () => {
    const without = generateTasks(shop, shopRows, { seed: "p", count: 80 });
    const asked = (all: typeof tasks) =>
      all.filter(
        ({ family, script }) =>
          ["write", "multi_write"].includes(family) && script.calls.some(({ tool }) => tool === "change_address"),
      ).length;
    expect(asked(without)).toBeGreaterThan(0);
    expect(asked(tasks)).toBe(0);
  });
  // Finding B29.
  it("make it a request to decline, which needs the reading of the row", () => {
    const guarded = tasks.filter(
      ({ family, cell, checks }) =>
        family === "guarded_write" &&
        cell.operation === "change_address" &&
        checks.some(({ kind }) => kind === "calls_required"),
    );
    expect(guarded.length).toBeGreaterThan(0);
    for (const task of guarded) {
      const world = createWorld(shop, shopRows, { seed: "o" });
      expect(grade(task, playScript(world.fork(), task.script, 1), env).end).toBe("met");
      expect(grade(task, playNothing(1), env).end).toBe("failed");
      const blind = { ...playNothing(1), answers: [{ text: "I'm sorry, but I can't do that.", class: undefined }] };
      expect(grade(task, { ...blind, answers: [{ text: "I cannot help with that." }] }, env).end).toBe("failed");
      const done = playScript(
        world.fork(),
        { calls: [{ tool: "cancel_order", args: {} }], answer: "Done.", class: "answered" },
        1,
      );
      expect(grade(task, done, env).end).toBe("failed");
    }
  });
  it("that a rule cannot read are told: the task was not checked against them", () => {
    const unread = ["An order can be cancelled only if it was placed within the last day or the carrier lost it."];
    const cells = generateTasks(shop, shopRows, { seed: "p", count: 60, documents: unread }).map(({ cell }) => cell);
    const cancelled = cells.filter(({ operation }) => operation === "cancel_order");
    expect(cancelled.length).toBeGreaterThan(0);
    expect(cancelled.every(({ policy }) => policy === "not_checked")).toBe(true);
    expect(new Set(cells.map(({ policy }) => policy)).has("not_checked")).toBe(true);
    expect(generateTasks(shop, shopRows, { seed: "p", count: 10 }).every(({ cell }) => cell.policy === undefined)).toBe(
      true,
    );
  });
  it("have a reason that is to be asked for said, where they name one that counts, and make no task of it else", () => {
    const asks = "- The agent must also obtain the reason for changing an address.";
    const counts = "- The address of an order can be changed given relocation or health reasons.";
    const changing = (said: string[]) =>
      generateTasks(shop, shopRows, { seed: "p", count: 60, documents: [said.join("\n")] }).filter(
        ({ family, script }) =>
          ["write", "multi_write"].includes(family) && script.calls.some(({ tool }) => tool === "change_address"),
      );
    const asking = changing([asks, counts]);
    expect(asking.length).toBeGreaterThan(0);
    for (const { request } of asking) expect(request).toContain("It's for relocation reasons.");
    expect(changing([asks])).toEqual([]);
    expect(changing([counts]).some(({ request }) => request.includes("reasons"))).toBe(false);
    // Told to the user, and never to be had from one.
    expect(changing(["- If an address change fails, provide the user with the reason."])).not.toEqual([]);
    expect(changing([asks, "- An address is never changed for personal reasons."])).toEqual([]);
    expect(changing([asks, "- An address can be changed for other reasons too."])).toEqual([]);
  });
  it("have the reason of each change said, whichever comes first", () => {
    const policy = { ...keepPolicy(makeKit(shop, shopRows, "1"), []) };
    const both = ["one", "two"].map((tool) => ({ tool, args: {} }));
    const said = (reasons: [string, string | undefined][], calls = both) =>
      withReason(
        { ...policy, reasons: new Map(reasons) },
        { family: "multi_write", request: "Do both.", script: { calls, answer: "", class: "answered" } },
      );
    expect(
      said([
        ["one", "health"],
        ["two", "weather"],
      ]),
    ).toBe("Do both. It's for health reasons. It's for weather reasons.");
    for (const calls of [both, both.toReversed()])
      expect(
        said(
          [
            ["one", "health"],
            ["two", undefined],
          ],
          calls,
        ),
      ).toBeUndefined();
  });
  it("forbid what they name alone, and nothing that another sentence allows", () => {
    const said = documents[0] as string;
    const kit = makeKit(shop, shopRows, "1");
    expect(new Set(keepPolicy(kit, [said]).guards.map(({ tool }) => tool))).toEqual(new Set(["change_address"]));
    const both = keepPolicy(kit, [`${said}\n- In other cases all orders, including pending ones, can be changed.`]);
    expect(both.guards).toEqual([]);
    expect(both.unread.has("change_address")).toBe(true);
  });
  it("take the longer of two values, and nothing from hostile or empty texts", () => {
    const kit = makeKit(shop, shopRows, "1");
    expect(policyFor(kit).guards).toEqual([]);
    const policy = keepPolicy(kit, [
      "",
      "cannot ".repeat(50_000),
      "__proto__ cannot be changed",
      documents[0] as string,
    ]);
    expect(policy.guards.length).toBeGreaterThan(0);
    const row = { status: "pending" };
    expect(forbidden(policy, "change_address", "orders", row)?.sentence).toMatch(/cannot be changed/);
    expect(forbidden(policy, "change_address", "orders", { status: "delivered" })).toBeUndefined();
    expect(forbidden(policy, "update_email", "customers", row)).toBeUndefined();
  });
});

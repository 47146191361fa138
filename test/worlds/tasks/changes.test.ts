import { expect, it } from "vitest";
import { ownFree, requiredOf } from "../../../worlds/tasks/changes.ts";
import { stateWithin } from "../../../worlds/tasks/checks/state.ts";

const column = (name: string) => ({ name, types: ["string" as const], present: 1 });
const row = (title: string, place: number) => [{ table: "notes", key: "n1", after: { title, made_as: place } }];

it("columns of the compiler's own are required of nobody; a column of that name which the system has is", () => {
  const own = [{ name: "notes", key: ["id"], columns: [column("title")] }];
  const required = requiredOf(row("Milk", 4), row("Milk", 4));
  const free = ownFree({ tables: own }, required);
  expect(stateWithin(required, row("Milk", 5)).verdict).toBe("not_met");
  expect(stateWithin(free, row("Milk", 5)).verdict).toBe("met");
  expect(stateWithin(free, row("Bread", 4)).verdict).toBe("not_met");
  const systems = [{ name: "notes", key: ["id"], columns: [column("title"), column("made_as")] }];
  expect(stateWithin(ownFree({ tables: systems }, required), row("Milk", 5)).verdict).toBe("not_met");
});

import { describe, expect, test } from "vitest";
import type { Bundle, TableModel } from "../../../worlds/bundle.ts";
import { createWorld } from "../../../worlds/world.ts";
import { behaves } from "../fixtures/behaviour.ts";

const desks: TableModel = {
  name: "desks",
  key: ["id"],
  columns: [{ name: "owner", types: ["string"], present: 1 }],
};

/** Desks that are painted, which may give others a new owner too, and `answer` is what the painting answers. */
const worldOf = (answer: string) => {
  const bundle: Bundle = {
    v: 1,
    name: "desks",
    tools: ["read", "paint"].map((name) => ({ name, inputSchema: { type: "object" } })),
    tables: [desks],
    now: 0,
    behaviours: {
      read: behaves('answer lookup("desks", args.id).owner'),
      paint: behaves(`update desks by id set colour = args.colour; answer ${answer}`, "write"),
    },
    exceptions: [],
    gaps: [],
    footprints: { paint: { tables: { desks: { named: ["colour"], doubted: { others: ["owner"] } } } } },
  };
  return createWorld(bundle, {
    tables: { desks: { A: { id: "A", owner: "ann", colour: "red" }, B: { id: "B", owner: "bea", colour: "red" } } },
    drawn: {},
  });
};

describe("what a call may have changed besides what its behaviour tells", () => {
  test.each([
    ["answered", '"done"'],
    ["not answered, though its effects are known", "unknown()"],
  ])("is not known after it, where it is %s", (_, answer) => {
    const world = worldOf(answer);
    expect(world.call("read", { id: "B" }).value).toBe("bea");
    world.call("paint", { id: "A", colour: "blue" });
    expect(world.call("read", { id: "B" }).servedBy).toBe("gap");
  });
});

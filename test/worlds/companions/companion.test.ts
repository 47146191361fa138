import { describe, expect, test } from "vitest";
import type { BaseState, Bundle, CompanionModel, TableModel } from "../../../worlds/bundle.ts";
import type { JournalEntry } from "../../../worlds/state/journal.ts";
import { createWorld } from "../../../worlds/world.ts";
import { behaves } from "../fixtures/behaviour.ts";

const table = (name: string): TableModel => ({
  name,
  key: ["id"],
  columns: [{ name: "level", types: ["number"], present: 1 }],
});
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

/** Knows what a tank holds and how it is filled; the world beside it knows only how it is drained. */
const companion = (tools: readonly string[]): CompanionModel => ({
  tools: [...tools],
  tables: [table("tanks")],
  behaviours: {
    read: behaves('answer lookup("tanks", args.id)'),
    fill: behaves('update tanks by id set level += args.by; answer "filled"', "write"),
    drain: behaves('update tanks by id set level -= args.by; answer "drained"', "write"),
  },
  exceptions: [],
  footprints: {
    fill: { tables: { tanks: { named: ["level"] } } },
    drain: { tables: { tanks: { named: ["level"] } } },
    burst: { tables: { tanks: { named: ["level"] } } },
  },
  base: { tables: { tanks: { A: { id: "A", level: 5 } } }, drawn: {} },
});

const bundle = (tools: readonly string[], drained = "drained"): Bundle => ({
  v: 1,
  name: "tanks",
  tools: ["read", "fill", "drain", "burst"].map(tool),
  tables: [table("own")],
  now: 0,
  behaviours: { drain: behaves(`answer "${drained}"`, "write") },
  exceptions: [],
  gaps: [],
  footprints: { drain: { tables: { own: { named: ["level"] } } } },
  companions: [companion(tools)],
});
const base: BaseState = { tables: { own: { A: { id: "A", level: 1 } } }, drawn: {}, recorded: {} };

const ALL = ["read", "fill", "drain"];
const worldOf = (tools: readonly string[] = ALL, drained?: string, start = base) =>
  createWorld(bundle(tools, drained), start);

describe("a companion", () => {
  test("answers what the world's own behaviours leave open, and follows the session", () => {
    const world = worldOf();
    expect(world.call("read", { id: "A" }).value).toEqual({ id: "A", level: 5 });
    expect(world.call("fill", { id: "A", by: 3 }).value).toBe("filled");
    expect(world.call("drain", { id: "A", by: 2 }).value).toBe("drained");
    expect(world.call("read", { id: "A" }).value).toEqual({ id: "A", level: 6 });
  });

  test("knows no more what a call changed that was answered otherwise than it would have", () => {
    const world = worldOf(ALL, "drained all");
    expect(world.call("drain", { id: "A", by: 2 }).value).toBe("drained all");
    expect(world.call("read", { id: "A" }).servedBy).toBe("gap");
  });

  test("knows no more what a call changed that nobody answered", () => {
    const world = worldOf(["read"]);
    expect(world.call("fill", { id: "A", by: 2 }).servedBy).toBe("gap");
    expect(world.call("read", { id: "A" }).servedBy).toBe("gap");
    const other = worldOf();
    expect(other.call("burst", { id: "A" }).servedBy).toBe("gap");
    expect(other.call("read", { id: "A" }).servedBy).toBe("gap");
  });

  test("takes a refusal of the world for no change", () => {
    const refusing: Bundle = {
      ...bundle(ALL),
      behaviours: { drain: behaves('refuse "Error: closed"', "write") },
    };
    const world = createWorld(refusing, base);
    expect(world.call("drain", { id: "A", by: 2 }).isError).toBe(true);
    expect(world.call("read", { id: "A" }).value).toEqual({ id: "A", level: 5 });
  });

  test("changes nothing of the system's tables, nor the digest", () => {
    const world = worldOf();
    const before = world.digest();
    expect(world.call("fill", { id: "A", by: 3 }).changes).toEqual([]);
    expect([world.diff(), world.digest(), world.tables()]).toEqual([[], before, ["own"]]);
  });

  test("is restored from the journal, and goes back with undo and reset", () => {
    const world = worldOf();
    const journal: JournalEntry[] = [];
    for (const by of [3, 4]) {
      world.call("fill", { id: "A", by });
      journal.push(world.lastEntry(0) as JournalEntry);
    }
    const again = worldOf();
    again.restore(journal);
    const level = (of: typeof world) => (of.call("read", { id: "A" }).value as { level: number }).level;
    expect([level(world), level(again), level(world.fork())]).toEqual([12, 12, 5]);
    world.call("fill", { id: "A", by: 1 });
    world.undo();
    expect(level(world)).toBe(12);
    world.reset();
    expect(level(world)).toBe(5);
  });

  test("is not asked where the world does not start as sessions did", () => {
    const { recorded: _, ...drawn } = base;
    expect(worldOf(ALL, undefined, drawn).call("read", { id: "A" }).servedBy).toBe("gap");
  });
});

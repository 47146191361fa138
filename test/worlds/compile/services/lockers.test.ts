import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { createWorld } from "../../../../worlds/world.ts";

interface Club {
  readonly members: Record<string, JsonObject>;
  readonly lockers: Record<string, { member_id: string; open: boolean; coins: number } & JsonObject>;
  readonly fees: Record<string, { member_id: string; state: string } & JsonObject>;
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A club whose members have lockers and fees; in some tasks a fee is unpaid. */
function clubOf(task: number): Club {
  const ids = Array.from({ length: 12 }, (_, i) => i);
  return {
    members: Object.fromEntries(
      ids.map((i) => [
        `M${10 + i}`,
        { member_id: `M${10 + i}`, name: `Name ${i}`, town: `T${i % 3}`, since: 2000 + i },
      ]),
    ),
    lockers: Object.fromEntries(
      ids.map((i) => [
        `L${30 + i}`,
        { locker_id: `L${30 + i}`, member_id: `M${10 + i}`, floor: i % 4, open: true, coins: 3 * i },
      ]),
    ),
    fees: Object.fromEntries(
      ids.flatMap((i) =>
        [1, 2].map((n) => {
          const fee_id = `F${100 + i * 10 + n}`;
          const state = n === 1 && task < 12 && task % 2 === 0 && i === task ? "unpaid" : "paid";
          return [fee_id, { fee_id, member_id: `M${10 + i}`, year: 2020 + n, amount: 5 + i, state }];
        }),
      ),
    ),
  };
}

function answer(club: Club, tool: string, args: JsonObject): { value: Json; isError: boolean } {
  const data = (value: unknown) => ({ value: copy(value) as Json, isError: false });
  const error = (text: string) => ({ value: `Error: ${text}`, isError: true });
  const fees = Object.values(club.fees).filter(({ member_id }) => member_id === args.member_id);
  const locker = club.lockers[String(args.locker_id)];
  if (tool === "look_up") return data(club.members[String(args.id)] ?? club.lockers[String(args.id)]);
  if (tool === "list_fees") return data(fees);
  if (!locker) return error("no such locker");
  if (tool === "top_up") {
    locker.coins += Number(args.paid);
    return data({ note: `Took ${args.paid} coins`, coins: locker.coins });
  }
  if (locker.open && fees.some(({ state }) => state === "unpaid")) return error("The member has an unpaid fee");
  locker.open = !locker.open;
  return data({ note: "Turned", locker });
}

function sessions(n: number, seed = 1): ObservedTrace[] {
  const random = new Random(seed);
  return Array.from({ length: n }, (_, s) => {
    const task = s % 24;
    const club = clubOf(task);
    const [member_id, locker_id] = [`M${10 + (task % 12)}`, `L${30 + (task % 12)}`];
    const asks: [string, JsonObject][] = [
      ["look_up", { id: member_id }],
      ["look_up", { id: locker_id }],
      ...(random.chance(0.6) ? [["list_fees", { member_id }] as [string, JsonObject]] : []),
      random.chance(0.6)
        ? ["turn_key", { member_id, locker_id, clerk: `c${random.int(1, 400)}` }]
        : ["top_up", { locker_id, paid: random.int(1, 9) }],
      ["look_up", { id: locker_id }],
    ];
    const calls = asks.map(([tool, args]) => {
      const { value, isError } = answer(club, tool, args);
      return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError };
    });
    return { id: `s${s}`, group: `task ${task}`, calls };
  });
}

const compiled = compile(sessions(160), { name: "club" });
const at = (task: number) => new Starts(compiled).fresh(`task ${task}`);
const keyOf = (table: string) => compiled.bundle.tables.find(({ name }) => name === table)?.key;

describe("one tool that answers rows of several kinds", () => {
  test("is a read of several tables, each with its own key", () => {
    expect(Object.keys(compiled.report.tables).sort()).toEqual(["fees", "lockers", "members"]);
    expect([keyOf("members"), keyOf("lockers")]).toEqual([["member_id"], ["locker_id"]]);
    expect(at(1).call("look_up", { id: "M13" }).value).toMatchObject({ name: "Name 3" });
    expect(at(1).call("look_up", { id: "L33" }).value).toMatchObject({ member_id: "M13", coins: 9 });
    expect(at(1).call("look_up", { id: "X99" }).answerClass).toBe("error:not_served");
  });

  test("shows what a write changed whose answer holds the row among other things, or only part of it", () => {
    const world = at(1);
    expect(world.call("turn_key", { member_id: "M11", locker_id: "L31", clerk: "c999" }).value).toMatchObject({
      note: "Turned",
      locker: { locker_id: "L31", open: false, coins: 3 },
    });
    expect(world.call("top_up", { locker_id: "L31", paid: 7 }).value).toEqual({ note: "Took 7 coins", coins: 10 });
    expect(world.call("look_up", { id: "L31" }).value).toMatchObject({ open: false, coins: 10 });
  });
});

describe("what sessions of some tasks find otherwise", () => {
  test("is no part of a key", () => {
    expect(keyOf("fees")).toEqual(["fee_id"]);
  });

  test("is looked at by refusals over related rows, known at a task's start", () => {
    const refused = at(4).call("turn_key", { member_id: "M14", locker_id: "L34", clerk: "c999" });
    expect(refused).toMatchObject({ isError: true, value: "Error: The member has an unpaid fee", changes: [] });
    expect(at(5).call("turn_key", { member_id: "M15", locker_id: "L35", clerk: "c999" }).isError).toBe(false);
  });

  test("is as an export has it for everybody else", () => {
    const { members, lockers, fees } = clubOf(1);
    const given = compile(sessions(160), { name: "club", records: { members, lockers, fees } as never });
    const plain = createWorld(given.bundle, given.base);
    expect(plain.row("fees", "F141")).toMatchObject({ state: "paid" });
    expect(new Starts(given).fresh("task 4").row("fees", "F141")).toMatchObject({ state: "unpaid" });
    expect(plain.call("turn_key", { member_id: "M14", locker_id: "L34", clerk: "c999" }).isError).toBe(false);
  });
});

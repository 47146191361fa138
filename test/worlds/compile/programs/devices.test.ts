import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms, type ProgramWorld } from "../../../../worlds/compile/programs/compile.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { BoxOffice, Cabinet, Lathe } from "./devices.ts";
import { type Maker, sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

function compiled(traces: readonly ObservedTrace[]): ProgramWorld {
  const observed = observe(traces);
  const byTool = callsByTool(observed);
  return compilePrograms(observed, byTool, manifest(undefined, byTool), "device");
}

/** The world of a service, learnt from 40 sessions. */
const learnt = (make: Maker): ProgramWorld => compiled(sessions(make, seeds(0, 40)));
const begin = (world: ProgramWorld, group: string): World => new Starts(world).fresh(group);

/** Shares of calls of 15 unseen sessions that a world answers rightly and wrongly. */
function unseen(make: Maker, world: ProgramWorld): { right: number; wrong: number } {
  const train = observe(sessions(make, seeds(0, 40)));
  const held = observe(sessions(make, seeds(100, 15)));
  const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(world, held, train);
  return { right: right / calls, wrong: wrong / calls };
}

const lathe = learnt((_, task) => new Lathe(task));
const cabinet = learnt((_, task) => new Cabinet(task));
const office = learnt((_, task) => new BoxOffice(task));

describe("acts that tell what they set", () => {
  test("unseen sessions are answered, none of them wrongly", () => {
    const { right, wrong } = unseen((_, task) => new Lathe(task), lathe);
    expect(right).toBeGreaterThanOrEqual(0.99);
    expect(wrong).toBe(0);
  });

  test("a reading shows what an act said that it set", () => {
    const world = begin(lathe, "task 1");
    expect(world.call("show_panel", {}).value).toEqual({ spindle: "turning", rpm: 250 });
    world.call("start_spindle", { speed: 900 });
    expect(world.call("show_panel", {}).value).toEqual({ spindle: "turning", rpm: 900 });
    world.call("stop_spindle", {});
    expect(world.call("show_panel", {}).value).toEqual({ spindle: "still", rpm: 0 });
  });

  test("what no reading shows is in the state all the same", () => {
    const world = begin(lathe, "task 0");
    world.call("lower_guard", {});
    world.call("set_lamp", { mode: "dim" });
    expect(world.row("state", "session")).toMatchObject({ guard: "down", lampStatus: "dim" });
    world.call("raise_guard", {});
    expect(world.row("state", "session")).toMatchObject({ guard: "up" });
    expect(world.diff().length).toBeGreaterThan(0);
  });

  test("is a write, though no reading was seen to change", () => {
    for (const tool of ["lower_guard", "raise_guard", "set_lamp"])
      expect(lathe.bundle.behaviours[tool]?.effect).toBe("write");
    expect(lathe.bundle.behaviours.get_serial?.effect).toBe("read");
  });

  test("a flag of having succeeded sets nothing", () => {
    expect(cabinet.bundle.behaviours.unlock_cabinet?.effect).toBe("write");
    const { columns } = cabinet.bundle.tables.find(({ name }) => name === "state") ?? { columns: [] };
    expect(columns.map(({ name }) => name)).not.toContain("taken");
  });
});

describe("a reason that several tools are refused for", () => {
  test("is a state that begins as it did in the task, and that acts change", () => {
    const shut = begin(cabinet, "task 0");
    const refusal = shut.call("take_reel", {});
    expect(refusal).toMatchObject({ isError: true, value: { error: "The cabinet is shut now. Unlock it to take." } });
    expect(shut.call("get_reels", {}).isError).toBe(true);
    shut.call("unlock_cabinet", {});
    expect(shut.call("take_reel", {})).toMatchObject({ isError: false, value: { taken: true } });
    shut.call("lock_cabinet", {});
    expect(shut.call("get_reels", {}).isError).toBe(true);
    expect(begin(cabinet, "task 3").call("get_reels", {}).value).toEqual({ reels: 9 });
  });

  test("nobody knows it in a task that no session shows", () => {
    expect(begin(cabinet, "another").call("take_reel", {}).answerClass).toBe("error:not_served");
  });

  test("unseen sessions are answered", () => {
    const { right, wrong } = unseen((_, task) => new Cabinet(task), cabinet);
    expect(right).toBeGreaterThanOrEqual(0.97);
    expect(wrong).toBeLessThanOrEqual(0.01);
  });
});

describe("a counter with members, a purse, tickets and wishes", () => {
  test("answers of one form that say different things are told apart", () => {
    const world = begin(office, "task 0");
    expect(world.call("desk_login", { code: "M-99" }).value).toMatchObject({ known: false });
    expect(world.call("buy_ticket", { seat: "box" }).isError).toBe(true);
    expect(world.call("desk_login", { code: "M-20" }).value).toEqual({
      known: true,
      note: "Member M-20 is at the desk.",
    });
    expect(world.call("buy_ticket", { seat: "box" }).value).toEqual({ ticket_id: 501, seat: "box" });
  });

  test("a number that a write tells under a longer name is the number that is read", () => {
    const world = begin(office, "task 1");
    expect(world.call("deposit", { amount: 25 }).value).toMatchObject({ new_purse: 100 });
    expect(world.call("get_purse", {}).value).toEqual({ purse: 100 });
  });

  test("a new key is in the list that grows by it", () => {
    const world = begin(office, "task 0");
    world.call("desk_login", { code: "M-71" });
    world.call("buy_ticket", { seat: "circle" });
    world.call("buy_ticket", { seat: "stalls" });
    expect(world.call("get_tickets", {}).value).toEqual({ tickets: [501, 502] });
    expect(world.call("get_ticket", { ticket_id: 502 }).value).toEqual({ ticket_id: 502, seat: "stalls" });
  });

  test("a row that one task alone begins with is in no other", () => {
    expect(begin(office, "task 2").call("get_ticket", { ticket_id: 501 }).value).toEqual({
      ticket_id: 501,
      seat: "gallery",
    });
    expect(begin(office, "task 0").call("get_ticket", { ticket_id: 501 }).isError).toBe(true);
  });

  test("a new row never takes a key that is taken", () => {
    const world = begin(office, "task 2");
    world.call("desk_login", { code: "M-71" });
    const made = world.call("buy_ticket", { seat: "circle" });
    if (made.answerClass !== "error:not_served") expect(made.value).toEqual({ ticket_id: 502, seat: "circle" });
  });

  test("a list that a value is put into once", () => {
    const world = begin(office, "task 1");
    expect(world.call("wish", { opera: "Norma" }).value).toEqual({ wishes: ["Norma", "Tosca"] });
    expect(world.call("wish", { opera: "Carmen" }).value).toEqual({ wishes: ["Norma", "Tosca", "Carmen"] });
    expect(world.call("get_wishes", {}).value).toEqual({ wishes: ["Norma", "Tosca", "Carmen"] });
  });

  test("unseen sessions are answered", () => {
    const { right, wrong } = unseen((_, task) => new BoxOffice(task), office);
    expect(right).toBeGreaterThanOrEqual(0.9);
    expect(wrong).toBeLessThanOrEqual(0.02);
  });
});

import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms, type ProgramWorld } from "../../../../worlds/compile/programs/compile.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import type { ObservedCall } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { Helm, Yard } from "./helm.ts";
import { type Maker, sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

/** A service's world of 60 sessions, and how many calls of 20 unseen ones it answers rightly and wrongly. */
function learnt(make: Maker): { world: ProgramWorld; calls: number; right: number; wrong: number } {
  const train = observe(sessions(make, seeds(0, 60)));
  const held = observe(sessions(make, seeds(200, 20)));
  const byTool = callsByTool(train);
  const world = compilePrograms(train, byTool, manifest(undefined, byTool), "unseen");
  const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(world, held, train);
  return { world, calls, right, wrong };
}

const said = (world: World, tool: string): string => world.call(tool, {}).text;

describe("switches, and a panel that says how they are", () => {
  const { world, calls, right, wrong } = learnt((_, task) => new Helm(task));

  test("unseen sessions are answered whole", () => {
    expect({ right, wrong }).toEqual({ right: calls, wrong: 0 });
  });

  test("a switch that nobody touched yet is known by what the panel showed of it", () => {
    const helm = new Starts(world).fresh("task 2");
    expect(said(helm, "toggle_lights")).toBe("Lights are OFF.");
    expect(said(helm, "toggle_lights")).toBe("Lights are ON.");
    expect(said(helm, "view_panel")).toBe("At: Open sea\nLights: ON");
    expect(helm.call("switch_pump", {}).value).toEqual({ pump: "still" });
  });

  test("what the panel says without power is another thing, and leaves the rest as it was", () => {
    const helm = new Starts(world).fresh("task 3");
    said(helm, "toggle_power");
    expect(said(helm, "view_panel")).toBe("Dark");
    said(helm, "toggle_lights");
    said(helm, "toggle_power");
    expect(said(helm, "view_panel")).toBe("At: Open sea\nLights: ON\nRadar: up");
  });

  test("a switch of a task that nobody saw is a gap", () => {
    const helm = new Starts(world).fresh("another task");
    expect(helm.call("toggle_lights", {}).servedBy).toBe("gap");
    expect(helm.call("view_panel", {}).servedBy).toBe("gap");
  });
});

describe("calls that repeat a word are no switch", () => {
  const text = (tool: string, result: string): ObservedCall => ({ tool, args: {}, result, isError: false });
  const toggled = (texts: readonly string[]): ProgramWorld => {
    const train = observe(
      seeds(0, 12).map((i) => ({
        id: `s${i}`,
        group: "one",
        calls: texts.map((result) => text("press_button", result)),
      })),
    );
    const byTool = callsByTool(train);
    return compilePrograms(train, byTool, manifest(undefined, byTool), "button");
  };
  const pressed = (world: ProgramWorld, n: number): string[] => {
    const run = new Starts(world).fresh("one");
    return Array.from({ length: n }, () => said(run, "press_button"));
  };

  test("taking turns is followed past what was seen", () => {
    expect(pressed(toggled(["It is UP.", "It is DOWN.", "It is UP."]), 5)).toEqual([
      "It is UP.",
      "It is DOWN.",
      "It is UP.",
      "It is DOWN.",
      "It is UP.",
    ]);
  });

  test("a count that no session took further is none", () => {
    expect(pressed(toggled(["You have 1.", "You have 2."]), 3)[2]).not.toBe("You have 1.");
  });

  test("and is not where one word comes twice in a row", () => {
    expect(pressed(toggled(["It is UP.", "It is UP.", "It is DOWN."]), 3)).not.toContain("It is DOWN.");
  });
});

describe("lists of what is somebody's own", () => {
  const { world, calls, right, wrong } = learnt((_, task) => new Yard(task));

  test("unseen sessions are answered whole", () => {
    expect({ right, wrong }).toEqual({ right: calls, wrong: 0 });
  });

  test("nothing is said of what nobody lists: no session shows it", () => {
    const yard = new Starts(world).fresh("task 0");
    yard.call("sign_out", {});
    expect(yard.call("list_own_jobs", {}).servedBy).toBe("gap");
  });

  test("a note is put to a job's others, and counted where the job is listed", () => {
    const yard = new Starts(world).fresh("task 0");
    expect(yard.call("add_note", { no: 41, words: "Dry." }).value).toEqual({ no: 41, notes: 2 });
    expect(yard.call("show_job", { no: 41 }).value).toMatchObject({
      notes: [
        { by: "ann", text: "Wet." },
        { by: "ann", text: "Dry." },
      ],
    });
    expect(yard.call("list_own_jobs", {}).value).toContainEqual(expect.objectContaining({ no: 41, notes: 2 }));
  });
});

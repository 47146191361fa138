import { beforeAll, describe, expect, it } from "vitest";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import { repeatedQuestions } from "../../../worlds/compile/out-of-fold.ts";
import { draw } from "../../../worlds/draw/index.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { type Losses, tellLosses } from "../../../worlds/tasks/losses.ts";
import { neighbourhood } from "../../../worlds/tasks/neighbourhood.ts";
import type { Family, Task } from "../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const call = (tool: string, args: Record<string, string>, value: unknown): ObservedCall => ({
  tool,
  args,
  result: JSON.stringify(value),
  isError: false,
});

/** A boiler house in each group's own state: every session reads it once or twice, and one tool of it acts unseen. */
function boiler(i: number): ObservedTrace {
  const level = call("get_tank_level", {}, { water_level: 20.5 + i, oil_level: 311 + 7 * i });
  const site = call("get_site_contact", {}, { contact_extension: 4210 + 13 * i });
  const act = call("ignite_burner", { mode: "slow" }, { burner: i % 2 ? "lit" : "lit again" });
  return { id: `boiler ${i}`, group: `house ${i}`, calls: [level, level, site, site, act] };
}
const traces = Array.from({ length: 20 }, (_, i) => boiler(i));

describe("questions where sessions began", () => {
  const compiled = compile(traces, { name: "boilers" });
  const env = { bundle: compiled.bundle, base: draw(compiled.bundle, compiled.base, { seed: "1" }) };
  const losses: Losses = new Map();
  let tasks: Task[];
  beforeAll(() => {
    tasks = generateTasks(env.bundle, env.base, { seed: "1", count: 30, mined: traces, families: ["lookup"], losses });
  });

  it("ask what the session of that beginning read, and are certified", () => {
    expect(tasks.length).toBeGreaterThan(2);
    for (const task of tasks) {
      const trace = traces.find(({ group }) => group === task.start);
      expect(trace, task.request).toBeDefined();
      const told = JSON.stringify(trace?.calls.map(({ result }) => result));
      for (const check of task.checks)
        if (check.kind === "answer_includes")
          for (const { value } of check.facts) expect(told, task.request).toContain(String(value));
      expect(reviewTask(task, env, tasks, compiled.outOfFold).certificate).toMatchObject({ passed: true });
    }
  });

  it("ask for two things that were read one after the other, and want both", () => {
    const both = tasks.find(({ script }) => script.calls.length === 2);
    expect(both?.checks.find(({ kind }) => kind === "answer_includes")).toMatchObject({ facts: [{}, {}] });
    expect(new Set(both?.script.calls.map(({ tool }) => tool)).size).toBe(2);
  });

  it("count what waited in vain, where too many would call the same tools", () => {
    const shop = Array.from({ length: 30 }, (_, i): ObservedTrace => {
      const id = `W${1000 + 37 * i}`;
      return {
        id,
        calls: [call("get_order", { order_id: id }, { order_id: id, total: 20 + 3 * i, city: `Town${i}` })],
      };
    });
    const { bundle, base } = compile(shop, { name: "shop" });
    const waited: Losses = new Map();
    const drawn = draw(bundle, base, { seed: "1" });
    const written = generateTasks(bundle, drawn, { seed: "1", count: 30, families: ["lookup"], losses: waited });
    expect(written.length).toBeGreaterThan(0);
    expect(written.length).toBeLessThan(30);
    expect(waited.get("lookup drafts")?.get("too many tasks call the same tools in this order")).toBeGreaterThan(5);
  });

  it("count what is lost on the way, in words", () => {
    expect(tellLosses(losses)).toContain("is another task already");
    expect(tellLosses(new Map([["acts", new Map([["a", 1], ["b", 3]])]]), 1)).toBe("acts 4 (3 b)"); // biome-ignore format: one line reads
  });

  it("are borne out by what sessions asked again, where no other session of the task was held out", () => {
    const again = repeatedQuestions(observe(traces));
    expect(again).toEqual({
      get_site_contact: { calls: 20, right: 20, wrong: 0 },
      get_tank_level: { calls: 20, right: 20, wrong: 0 },
    });
    const [task] = tasks;
    const begun = { ...env.base, recorded: { task: task?.start as string } };
    const unknown = { get_tank_level: { calls: 20, right: 9, wrong: 11 } };
    const near = (start: string | undefined, measured: typeof again) =>
      neighbourhood({ script: { calls: [{ tool: "get_tank_level", args: {} }], answer: "", class: "answered" }, ...(start ? { start } : {}) }, begun, { known: {}, unknown, again: measured })?.poor; // biome-ignore format: one call
    expect(near("house 1", again)).toBeUndefined();
    // Of other sessions than those that began so, only what the world did without them tells.
    expect(near(undefined, again)).toContain("9 of 20");
    const fickle = { get_tank_level: { calls: 20, right: 15, wrong: 5 } };
    expect(near("house 1", fickle)).toContain("15 of 20");
  });
});

describe("a house that knows other people in each group", () => {
  /** Who lives there is told by a lookup; the heat is set by who is signed in, and in every third house nobody is. */
  const house = (i: number): ObservedTrace => {
    const lookup = { badge_code: `K-${310 + i}` };
    const bob =
      i % 2 === 0
        ? call("get_badge", { person: "Bob" }, lookup)
        : { ...call("get_badge", { person: "Bob" }, { error: "Person 'Bob' not found." }), isError: true };
    const signedOut = i % 3 === 0;
    const status = call("get_status", {}, { signed_in: !signedOut });
    const signIn = call("sign_in", { code: "1234" }, { signed_in: true });
    const heat = { heat_level: 40 + (i % 7) };
    const set = { ...call("set_heat", {}, { ...heat, status: "set" }), args: heat };
    const refused = { ...set, result: JSON.stringify({ error: "Nobody is signed in." }), isError: true };
    const acts = signedOut ? [refused, signIn, status, set] : [set];
    const after = call("get_status", {}, { signed_in: true });
    return {
      id: `house ${i}`,
      group: `house ${i}`,
      calls: [bob, bob, status, ...acts.map((act) => (act === status ? after : act))],
    };
  };
  const houses = Array.from({ length: 24 }, (_, i) => house(i));
  const { bundle, base, outOfFold } = compile(houses, { name: "houses" });
  const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
  const of = (...families: Family[]) =>
    generateTasks(bundle, env.base, { seed: "1", count: 30, mined: houses, families });
  const passed = (tasks: readonly Task[]) =>
    tasks.filter((task) => reviewTask(task, env, tasks, outOfFold).certificate.passed);

  it("is asked for one whom it does not know, and an answer from elsewhere is wrong", () => {
    const [task, ...more] = passed(of("no_data"));
    expect(more).toEqual([]);
    expect(task?.request).toMatch(/badge code for Bob/);
    expect(Number(task?.start?.split(" ")[1]) % 2).toBe(1);
    const excluded = task?.checks.flatMap((check) => (check.kind === "answer_excludes" ? check.facts : [])) ?? [];
    expect(excluded.length).toBeGreaterThan(5);
    for (const { value } of excluded) expect(String(value)).toMatch(/^K-3/);
  });

  it("is changed as its own sessions found it", () => {
    const begun = passed(of("write", "multi_write")).filter(({ start }) => start !== undefined);
    // Of the drawn house somebody is signed in at all times. What it serves after a sign-in alone is asked for then.
    const said = begun.map(({ request, turns }) => [request, ...turns].join(" / "));
    expect(said.join("\n")).toMatch(/sign in: code 1234.* \/ .*change/i);
  });
});

describe("a list in the only row of a state", () => {
  const row = {
    site: "main",
    flavours: ["mint-A1", "plum-B2"],

    cash: 10451.25,
    owner: "Ann",
  };
  const answer = { op: "answer", expr: '{"flavours": rows("state")[0].flavours}' };
  const bundle = {
    ...shop,
    tools: [{ name: "list_flavours", description: "List the flavours.", inputSchema: { type: "object" } }],
    tables: [{ name: "state", key: ["site"], columns: [] }],
    behaviours: { list_flavours: { ...shop.behaviours.get_order, behaviour: { v: 1, steps: [answer] } } },
  } as unknown as Bundle;
  const base = { ...shopRows, tables: { state: { main: row } } } as unknown as BaseState;
  const calls = [call("list_flavours", {}, { flavours: row.flavours })];
  const sessions = ["s1", "s2"].map((id): ObservedTrace => ({ id, calls }));
  const [list] = generateTasks(bundle, base, { seed: "1", count: 5, mined: sessions, families: ["lookup"] });

  it("is not asked for so that who says all of the row is right", () => {
    expect(list?.request).toMatch(/flavours are there/);
    const excluded = list?.checks.flatMap((check) => (check.kind === "answer_excludes" ? check.facts : []));
    // Words such as a name are said by chance, or of an element.
    expect(excluded?.map(({ value }) => value)).toEqual([10451.25]);
    const { certificate } = reviewTask(list as Task, { bundle, base }, []);
    expect(certificate.verdicts.filter(({ passed }) => !passed)).toEqual([]);
  });

  it("is not asked for at all where nothing of the row can be excluded", () => {
    const { cash: _, ...short } = row;
    const poor = { ...base, tables: { state: { main: short } } } as unknown as BaseState;
    expect(generateTasks(bundle, poor, { seed: "1", count: 5, mined: sessions, families: ["lookup"] })).toEqual([]);
  });
});

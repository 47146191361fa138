import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { readJoinedLists } from "../../../../worlds/compile/programs/expressions/joined-lists.ts";
import { readRendered } from "../../../../worlds/compile/programs/rendered/index.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { RepairDesk } from "./repair-desk.ts";
import { sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

describe("a service that says everything in texts", () => {
  const train = observe(sessions(() => new RepairDesk(), seeds(0, 40)));
  const byTool = callsByTool(train);
  const world = compilePrograms(train, byTool, manifest(undefined, byTool), "repairs");

  test("unseen sessions are answered", () => {
    const held = observe(sessions(() => new RepairDesk(), seeds(100, 15)));
    const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(world, held, train);
    expect(right / calls).toBeGreaterThanOrEqual(0.9);
    expect(wrong).toBe(0);
  });

  test("what a call made is shown under the number that its sentence told", () => {
    const fork = new Starts(world).fresh("task 0");
    const said = fork.call("open_repair", { item: "a lamp", owner: "Ada" }).text;
    const repair_no = Number(/^Opened repair #(\d+) for Ada\.$/.exec(said)?.[1]);
    fork.call("set_price", { repair_no, price: 35 });
    expect(fork.call("show_repair", { repair_no }).text).toBe(
      "Item: a lamp\nOwner: Ada\nPrice: $35 net\nState: open\nClosed by hand",
    );
  });
});

describe("names that stand on one line", () => {
  const names = ["cedar", "dogwood", "elm", "fir", "gorse"];
  const call = (tool: string, args: JsonObject, result: string) => ({ tool, args, result, isError: false });
  const traces = Array.from({ length: 30 }, (_, i) => {
    const own = [names[i % 5], names[(i + 2) % 5], names[(i + 3) % 5]].slice(0, 1 + (i % 3)) as string[];
    const listed = (n: number) => call("list_trees", {}, ["ash", "birch", ...own.slice(0, n)].join(", "));
    const added = own.flatMap((name, n) => [call("plant", { name }, `Planted ${name}.`), listed(n + 1)]);
    return { id: `s${i}`, calls: [listed(0), ...added] };
  });

  test("are a list: what is added is the last of them", () => {
    const observed = observe(traces);
    const byTool = callsByTool(observed);
    const world = new Starts(compilePrograms(observed, byTool, manifest(undefined, byTool), "trees")).fresh("new");
    expect(world.call("list_trees", {}).text).toBe("ash, birch");
    for (const name of ["gorse", "elm"]) world.call("plant", { name });
    expect(world.call("list_trees", {}).text).toBe("ash, birch, gorse, elm");
  });

  test("are no list where nothing of them comes back, as in a sentence", () => {
    const { sessions: read, between } = readJoinedLists(
      session(["Sunny, 4 degrees", "Wind, no rain", "Fog, later sun"].map((text, i) => ["sky", { i }, text])),
    );
    expect([...between]).toEqual([]);
    expect(read[0]?.calls[0]?.value).toBe("Sunny, 4 degrees");
  });
});

test("a sentence repeats what its call gives, though all calls about the thing gave the same", () => {
  const halls = ["north hall", "south hall", "west hall"];
  const traces = Array.from({ length: 18 }, (_, i) => {
    const [code, item] = [`K${i % 3}`, ["lamp", "sofa", "desk"][i % 3]];
    const [place, other] = [halls[i % 3] as string, halls[i % 2] as string];
    const stow = (code: string, item: string, place: string) => ({
      tool: "stow",
      args: { code, place },
      result: `Stowed the ${item} (${code}) in the ${place}.`,
      isError: false,
    });
    return { id: `s${i}`, calls: [stow(code, `${item}`, place), stow("K9", "rug", other)] };
  });
  const observed = observe(traces);
  const byTool = callsByTool(observed);
  const world = new Starts(compilePrograms(observed, byTool, manifest(undefined, byTool), "halls")).fresh("new");
  expect(world.call("stow", { code: "K1", place: "south hall" }).text).toBe("Stowed the sofa (K1) in the south hall.");
  expect(world.call("stow", { code: "K1", place: "north hall" }).text).toBe("Stowed the sofa (K1) in the north hall.");
});

/** One session of calls with texts. */
const session = (calls: readonly (readonly [tool: string, args: JsonObject, text: string])[]) =>
  observe([{ id: "s", calls: calls.map(([tool, args, result]) => ({ tool, args, result, isError: false })) }]);
const read = (texts: readonly string[]): (Json | undefined)[] =>
  readRendered(session(texts.map((text, i) => ["show", { at: `n${i}` }, text]))).sessions.flatMap(({ calls }) =>
    calls.map(({ value }) => value),
  );

describe("records in labelled lines", () => {
  test("labels may be set off, lines may be missing, and lines with a mark are a list", () => {
    const of = (name: string, size: number, entries: readonly string[], blocked?: string) =>
      [
        `## ${name}`,
        "",
        `- **Size:** ${size}`,
        ...(blocked === undefined ? [] : [`- **Blocked by:** ${blocked}`]),
        ...entries.map((entry) => `* ${entry}`),
        "Kind: box",
      ].join("\n");
    const texts = [of("A", 1, []), of("B", 2, ["x: 1", "y"]), of("C", 3, ["z"], "A"), of("D", 4, [], "B")];
    const values = read([...texts, "Nothing is called E."]);
    const record = (name: string, size: number, by: string | null, entries: readonly string[]) => ({
      "show 1": name,
      Size: size,
      "Blocked by": by,
      "show entries": entries,
    });
    expect(values).toEqual([
      record("A", 1, null, []),
      record("B", 2, null, ["x: 1", "y"]),
      record("C", 3, "A", ["z"]),
      record("D", 4, "B", []),
      "Nothing is called E.",
    ]);
  });

  test("a world writes them as they were", () => {
    const notes: Record<string, readonly string[]> = { a: [], b: ["x", "y"], c: ["z"] };
    const show = (name: string, state: string, by: string | null) =>
      [
        `Name: ${name}`,
        `**State:** ${state}`,
        ...(by ? [`By: ${by}`] : []),
        ...(notes[name] ?? []).map((n) => `- ${n}`),
      ].join("\n");
    const sessions = Array.from({ length: 12 }, (_, i) => {
      const name = "abc"[i % 3] as string;
      const by = i % 2 ? "Bo" : "Cy";
      return {
        id: `s${i}`,
        calls: [
          { tool: "show_box", args: { name }, result: show(name, "open", null), isError: false },
          { tool: "shut_box", args: { name, by }, result: "Done.", isError: false },
          { tool: "show_box", args: { name }, result: show(name, "shut", by), isError: false },
        ],
      };
    });
    const of = observe(sessions);
    const tools = callsByTool(of);
    const fork = new Starts(compilePrograms(of, tools, manifest(undefined, tools), "boxes")).fresh("s0");
    expect(fork.call("show_box", { name: "b" }).text).toBe(show("b", "open", null));
    fork.call("shut_box", { name: "b", by: "Cy" });
    expect(fork.call("show_box", { name: "b" }).text).toBe(show("b", "shut", "Cy"));
  });

  test("names that every object has are names", () => {
    const [value] = read([1, 2, 3].map((n) => `constructor: ${n}\n__proto__: a${n}`));
    expect(Object.entries(value as JsonObject)).toEqual([
      ["constructor", 1],
      ["proto__", "a1"],
    ]);
  });

  test.each<[string, string[]]>([
    ["too few", ["A: 1\nB: 2", "A: 2\nB: 2", "A: 2\nB: 2"]],
    ["prose", ["Note: it rains", "Nobody came", "It is late", "Note: it snows"]],
  ])("are none: %s", (_, texts) => {
    expect(read(texts)).toEqual(texts);
  });
});

describe("numbers that a sentence tells", () => {
  const made = (n: number) => ["make", { for: "Bo" }, `Made #${n} for Bo.`] as const;
  const values = (calls: Parameters<typeof session>[0]) =>
    readRendered(session(calls)).sessions.flatMap((one) => one.calls.map(({ value }) => value));

  test("are a field called as the argument that later calls are given them under", () => {
    const used = [1, 2, 3].flatMap((n) => [made(n), ["show", { item_no: n }, "ok"] as const]);
    expect(values(used)).toEqual([{ item_no: 1 }, "ok", { item_no: 2 }, "ok", { item_no: 3 }, "ok"]);
  });

  test("are none where nothing is asked for by them", () => {
    const unused = [1, 2, 3].map(made);
    expect(values(unused)).toEqual(unused.map(([, , text]) => text));
  });
});

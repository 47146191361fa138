import { describe, expect, test } from "vitest";
import { board } from "../../../../bench/services/board.ts";
import { sessionsOf } from "../../../../bench/services/sessions.ts";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { renderingOf } from "../../../../worlds/compile/models.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { renderedExpression } from "../../../../worlds/compile/programs/rendered/form.ts";
import { readRendered } from "../../../../worlds/compile/programs/rendered/index.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { Ferry } from "./ferry.ts";
import { sessions } from "./services.ts";

function worldOf(traces: readonly ObservedTrace[]): () => World {
  const observed = observe(traces);
  const world = compilePrograms(observed, callsByTool(observed), manifest(undefined, callsByTool(observed)), "texts");
  return () => new Starts(world).fresh("a task that no session shows");
}

/** The word of a text that looks like an id. */
const idIn = (text: Json | undefined): string => /[a-z0-9]*-?[0-9a-f]{5,8}(?=\W)/.exec(`${text} `)?.[0] ?? "";

describe("a ferry that answers in Markdown", () => {
  let seed = 0;
  const start = worldOf(sessions(() => new Ferry(++seed), [...Array(50).keys()]));

  test("plans a crossing under a key of its own, and shows it in its table", () => {
    const world = start();
    expect(world.call("crossings", {}).value).toBe("No crossings yet.");
    const ref = idIn(world.call("plan_crossing", { port: "Oban" }).value);
    const head = "## Crossings\n\n| Ref | Port | Seats |\n|---|---|---|\n";
    expect(world.call("crossings", {}).value).toBe(`${head}| ${ref} | Oban | 3 left |`);
    expect(world.call("book_guest", { crossing_ref: ref, name: "Barbara" }).value).toMatch(
      /^Booked Barbara as g-\w+\.$/,
    );
    expect(world.call("crossings", {}).value).toBe(`${head}| ${ref} | Oban | 2 left |`);
  });

  test("refuses in a sentence, as it is answered, and says nothing of words that it was never given", () => {
    const world = start();
    world.call("plan_crossing", { port: "Oban" });
    expect(world.call("guests", { crossing_ref: "c-none" })).toMatchObject({ value: "Error: no crossing c-none." });
    expect(world.call("plan_crossing", { port: "Atlantis" }).answerClass).toBe("error:not_served");
  });
});

describe("a board that answers in Markdown", () => {
  const all = sessionsOf(board)["train/sessions"];
  const start = worldOf(
    all.map(({ id, task, turns }) => ({
      id,
      group: task,
      calls: turns.map(({ tool, args, content, refused }) => ({
        tool,
        args: args as JsonObject,
        result: content,
        isError: refused && board.refusals === "flag",
      })),
    })),
  );

  test("makes the rows of a list, and those that are made where the list is not given", () => {
    const made = start().call("create_project", { name: "Website", columns: ["Ideas", "Now"] }).value;
    expect(String(made).replace(/[0-9a-f]{8}/g, "ID")).toBe(
      "✅ Created project **Website** (ID)\n\n| Column | Id |\n|---|---|\n| Ideas | ID |\n| Now | ID |",
    );
    expect(start().call("create_project", { name: "Website" }).value).toMatch(
      /\| To do \| .*\n\| Doing \| .*\n\| Done \|/,
    );
  });

  test("adds up no column that no row stores", () => {
    const world = start();
    const text = String(world.call("create_project", { name: "Website" }).value);
    const column = /\| To do \| (\w+) \|/.exec(text)?.[1] as string;
    expect(world.call("list_projects", {}).value).toContain("0 cards");
    world.call("add_card", { column_id: column, title: "Dark mode" });
    expect(world.call("list_projects", {}).value).not.toContain("0 cards");
  });
});

/** What texts of one tool are read as, each shown in a session of its own beside a call that was given `words`. */
function read(texts: readonly string[], words: readonly string[] = []): Json[] {
  const traces = texts.map((result, i) => ({
    id: `s${i}`,
    group: `t${i}`,
    calls: [
      { tool: "note", args: { item: words[i % Math.max(1, words.length)] ?? "" }, result: "Noted.", isError: false },
      { tool: "show", args: {}, result, isError: false },
    ],
  }));
  const observed = readRendered(observe(traces)).sessions;
  return observed.map(({ calls }) => calls[1]?.value ?? null);
}

test("an empty list is written with what its call was given, and not at all where the call lacks it", () => {
  const form = {
    nodes: [{ kind: "line" as const, before: "\n", parts: [{ kind: "text" as const, text: "Found:" }] }],
    empty: { list: "found", parts: [{ text: "Nothing for " }, { arg: "word" }, { text: "." }] },
  };
  const steps = [{ op: "answer" as const, expr: renderedExpression('{"found": []}', form) }];
  const bundle = {
    v: 1 as const,
    name: "finder",
    tools: [{ name: "find", inputSchema: { type: "object" as const } }],
    tables: [],
    now: 0,
    behaviours: {
      find: {
        effect: "read" as const,
        behaviour: { v: 1 as const, steps },
        rendering: renderingOf([]),
        volatile: [],
        support: { seen: 1, reproduced: 0 },
      },
    },
    exceptions: [],
    gaps: [],
  };
  const world = () => new Starts({ bundle, base: { tables: {}, drawn: {} } }).fresh("t");
  expect(world().call("find", { word: "kite" }).value).toBe("Nothing for kite.");
  expect(world().call("find", {}).answerClass).toBe("error:not_served");
});

describe("texts that are built of lines", () => {
  const items = ["red kite", "blue kite", "old bell"];

  test("are lists where their lines are numbered, whatever stands before", () => {
    const texts = [
      "To fly:\n1. red kite\n2. blue kite",
      "To fly:\n1. old bell",
      "To fly:\n1. blue kite\n2. old bell\n3. red kite",
    ];
    expect(read(texts, items)).toEqual([
      { "show entries": ["red kite", "blue kite"] },
      { "show entries": ["old bell"] },
      { "show entries": ["blue kite", "old bell", "red kite"] },
    ]);
  });

  test("are records where they have labels: numbers with signs and units around them are numbers", () => {
    const lines = (seats: number, code: string) => `Seats: ${seats} left\nCode: ${code}\nDay: 2025-01-0${seats}`;
    const [first] = read([lines(1, "red kite"), lines(2, "blue kite"), lines(3, "old bell")], items);
    expect(first).toEqual({ Seats: 1, item: "red kite", Day: "2025-01-01" });
  });

  test("show what stands behind a label as one value where it is built in no one way", () => {
    const lines = (day: string, end: string) => `Monday: ${day}\nSunday: ${end}`;
    const texts = [lines("-", "fly (2)"), lines("fly, mend", "-"), lines("rest (1)", "-"), lines("-", "-")];
    expect(read(texts)).toEqual([
      { Monday: "-", Sunday: "fly (2)" },
      { Monday: "fly, mend", Sunday: "-" },
      { Monday: "rest (1)", Sunday: "-" },
      { Monday: "-", Sunday: "-" },
    ]);
  });

  test("take no message for an empty list where the form is seen with one: it says that nothing is there to list", () => {
    const listed = ["Kites:\n- red kite\n- blue kite", "Kites:\n- old bell\n- red kite", "Kites:"];
    const texts = [...listed, "No shed is called so.", "No shed is called so.", "Kites:\n- blue kite"];
    expect(read(texts, items).filter((value) => value === "No shed is called so.")).toHaveLength(2);
  });

  test("hold signs of patterns, names of prototypes and line ends as they are", () => {
    const texts = ["(a+)*$ [x]\n__proto__: 1", "^.*\\d{3}|\n__proto__: 2", "constructor\r\n__proto__: 3", "\n\n\n"];
    expect(() => read(texts, items)).not.toThrow();
    expect(({} as JsonObject).item).toBeUndefined();
  });

  test("stay texts where calls were given them whole, and where they are sentences", () => {
    const content = items.map((item) => `# ${item}\n\n- step 1`);
    expect(read(content, content)).toEqual(content);
    const sentences = ["The kite is up.", "The bell rings now.", "Nobody was there."];
    expect(read(sentences, items)).toEqual(sentences);
  });
});

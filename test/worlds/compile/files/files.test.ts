import { describe, expect, it } from "vitest";
import { type Session as InventedSession, sessionsOf } from "../../../../bench/services/sessions.ts";
import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import { describedReads } from "../../../../worlds/compile/described-reads.ts";
import { compileFiles } from "../../../../worlds/compile/files/index.ts";
import { findReading } from "../../../../worlds/compile/files/roles.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { equalJson, type JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { workspace } from "./workspace.ts";

const tools: ToolDefinition[] = workspace.tools.map(({ name, description, schema }) => ({
  name,
  description,
  inputSchema: { ...schema },
}));
const traceOf = ({ id, task, turns }: InventedSession): ObservedTrace => ({
  id,
  group: task,
  calls: turns.map(({ tool, args, content, refused }) => ({
    tool,
    args: args as JsonObject,
    result: content,
    isError: refused,
  })),
});
const splits = sessionsOf(workspace);
const traces = splits["train/sessions"].map(traceOf);
const sessions = observe(traces);

/** A world of folders made of sessions, and what calls of one session are answered. */
function worldOf(of: readonly ObservedTrace[], listing: readonly ToolDefinition[] = tools) {
  const observed = observe(of);
  const made = compileFiles(observed, callsByTool(observed), describedReads(observed, listing), "files");
  if (!made) throw new Error("No folders were found.");
  return (group: string) => {
    const world = new Starts(made).fresh(group);
    return (tool: string, args: JsonObject = {}) => {
      const { servedBy, text } = world.call(tool, args);
      return servedBy === "gap" ? "not served" : text;
    };
  };
}

describe("a world of folders and texts", () => {
  it("finds what each tool does, whatever it is called", () => {
    expect(Object.fromEntries(findReading(sessions, describedReads(sessions, tools))?.actOf ?? [])).toEqual({
      whereabouts: { op: "where" },
      look: { op: "list" },
      open: { op: "enter", at: "drawer" },
      build: { op: "make", at: "drawer", folder: true },
      blank: { op: "make", at: "sheet", folder: false },
      scribble: { op: "write", at: "sheet", text: "words" },
      read: { op: "read", at: "sheet" },
      measure: { op: "read", at: "sheet" },
      lines_with: { op: "read", at: "sheet" },
      shift: { op: "move", from: "what", to: "to" },
      duplicate: { op: "copy", from: "what", to: "to" },
      burn: { op: "remove", at: "what" },
    });
  });

  it("answers most of what another agent asks in recorded tasks, and hardly anything wrongly", () => {
    const made = compile(traces, { name: "workspace", tools });
    const counts = { same: 0, wrong: 0, open: 0 };
    for (const { group, calls } of observe(splits["test/same-tasks"].map(traceOf))) {
      const world = new Starts(made).fresh(group);
      for (const { tool, args, value, ok } of calls) {
        const answer = world.call(tool, args);
        const succeeded = !answer.isError && ["data", "empty"].includes(answer.answerClass);
        if (answer.servedBy === "gap") counts.open++;
        else if (succeeded === ok && equalJson(answer.value, value)) counts.same++;
        else counts.wrong++;
      }
    }
    const all = counts.same + counts.wrong + counts.open;
    expect(counts.same / all).toBeGreaterThan(0.8);
    expect(counts.wrong / all).toBeLessThan(0.02);
  });

  it("follows what a session does in a task that nobody recorded", () => {
    const call = worldOf(traces)("a new task");
    expect(call("build", { drawer: "2024" })).toBe("Built.");
    expect(call("open", { drawer: "2024" })).toBe('{"opened":"2024"}');
    expect(call("look")).toBe('{"things":[]}');
    expect(call("scribble", { sheet: "b.txt", words: "one\ntwo words" })).toBe('{"letters":13}');
    expect(call("blank", { sheet: "a.txt" })).toBe("Put in.");
    expect(call("look")).toBe('{"things":["b.txt","a.txt"]}');
    expect(call("read", { sheet: "b.txt" })).toBe('{"text":"one\\ntwo words"}');
    expect(call("measure", { sheet: "b.txt", of: "w" })).toBe('{"size":3,"unit":"words"}');
    expect(call("lines_with", { sheet: "b.txt", word: "words" })).toBe('{"lines":["two words"]}');
    expect(call("duplicate", { what: "b.txt", to: "c.txt" })).toBe('{"done":"b.txt is c.txt now"}');
    expect(call("build", { drawer: "inner" })).toBe("Built.");
    expect(call("shift", { what: "c.txt", to: "inner" })).toBe('{"done":"c.txt lies in inner now"}');
    expect(call("look")).toBe('{"things":["b.txt","a.txt","inner"]}');
    expect(call("shift", { what: "inner", to: "outer" })).toBe('{"done":"inner is outer now"}');
    expect(call("open", { drawer: "outer" })).toBe('{"opened":"outer"}');
    expect(call("read", { sheet: "c.txt" })).toBe('{"text":"one\\ntwo words"}');
    expect(call("open", { drawer: ".." })).toBe('{"opened":"2024"}');
    expect(call("burn", { what: "outer" })).toBe('{"done":"outer is gone"}');
    expect(call("open", { drawer: "outer" })).toBe('{"error":"There is no drawer outer here."}');
    expect(call("look")).toBe('{"things":["b.txt","a.txt"]}');
  });

  it("says nothing of what no session showed", () => {
    const call = worldOf(traces)("a new task");
    expect(call("look")).toBe("not served");
    expect(call("whereabouts")).toBe("not served");
    expect(call("read", { sheet: "nobody saw this.txt" })).toBe("not served");
    call("duplicate", { what: "nobody saw this.txt", to: "b.txt" });
    expect(call("read", { sheet: "b.txt" })).toBe("not served");
    expect(call("measure", { sheet: "b.txt" })).toBe("not served");
    call("burn", { what: "nobody saw this either.txt" });
    expect(call("read", { sheet: "b.txt" })).toBe("not served");
  });

  it("tells paths from the root where no tool enters a folder", () => {
    const listing: ToolDefinition[] = [
      { name: "list_directory", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
      { name: "read_file", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
      {
        name: "save",
        inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
      },
    ];
    const of = (tool: string, args: JsonObject, result: string) => ({ tool, args, result, isError: false });
    const call = worldOf(
      Array.from({ length: 12 }, (_, i) => ({
        id: `s${i}`,
        group: `t${i}`,
        calls: [
          of("list_directory", { path: "/docs" }, '["a.txt","b.txt"]'),
          of("read_file", { path: "/docs/a.txt" }, '{"text":"alpha"}'),
          of("save", { path: `/docs/n${i}.txt`, content: `note ${i} is long` }, "Saved."),
          of("read_file", { path: `/docs/n${i}.txt` }, `{"text":"note ${i} is long"}`),
          of("list_directory", { path: "/docs" }, `["a.txt","b.txt","n${i}.txt"]`),
        ],
      })),
      listing,
    )("another task");
    expect(call("read_file", { path: "/docs/a.txt" })).toBe('{"text":"alpha"}');
    expect(call("save", { path: "/docs/mine.txt", content: "mine" })).toBe("Saved.");
    expect(call("read_file", { path: "/docs/mine.txt" })).toBe('{"text":"mine"}');
    expect(call("list_directory", { path: "/docs" })).toBe('["a.txt","b.txt","mine.txt"]');
    expect(call("read_file", { path: "/other/a.txt" })).toBe("not served");
  });

  it("reads lists that mark folders, and makes nothing twice where that is not refused", () => {
    const listing: ToolDefinition[] = ["list_directory", "create_directory", "read_file", "write_file"].map((name) => ({
      name,
      inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
    }));
    const of = (tool: string, args: JsonObject, result: string) => ({ tool, args, result, isError: false });
    const call = worldOf(
      Array.from({ length: 12 }, (_, i) => ({
        id: `s${i}`,
        group: `t${i}`,
        calls: [
          of("list_directory", { path: "/work" }, "[DIR] src\n[FILE] notes.md"),
          of("create_directory", { path: `/work/d${i}` }, `Created /work/d${i}`),
          of("write_file", { path: `/work/d${i}/a.md`, content: `text ${i}` }, `Wrote /work/d${i}/a.md`),
          of("create_directory", { path: `/work/d${i}` }, `Created /work/d${i}`),
          of("list_directory", { path: `/work/d${i}` }, "[FILE] a.md"),
          of("read_file", { path: `/work/d${i}/a.md` }, `text ${i}`),
          of("list_directory", { path: "/work" }, `[DIR] src\n[FILE] notes.md\n[DIR] d${i}`),
        ],
      })),
      listing,
    )("another task");
    expect(call("list_directory", { path: "/work" })).toBe("[DIR] src\n[FILE] notes.md");
    expect(call("create_directory", { path: "/work/x" })).toBe("Created /work/x");
    expect(call("write_file", { path: "/work/x/b.md", content: "hello" })).toBe("Wrote /work/x/b.md");
    expect(call("create_directory", { path: "/work/x" })).toBe("Created /work/x");
    expect(call("list_directory", { path: "/work/x" })).toBe("[FILE] b.md");
    expect(call("read_file", { path: "/work/x/b.md" })).toBe("hello");
    expect(call("list_directory", { path: "/work" })).toBe("[DIR] src\n[FILE] notes.md\n[DIR] x");
  });

  it("leaves open a tool whose answers are too long to be said, and what it may have changed", () => {
    const long = "x".repeat(5_000);
    const of = traces.map((trace) => ({
      ...trace,
      calls: trace.calls.map((call) =>
        call.tool === "burn" && !call.isError ? { ...call, result: `${long} ${call.result}` } : call,
      ),
    }));
    const call = worldOf(of)("a new task");
    call("build", { drawer: "2024" });
    call("open", { drawer: "2024" });
    call("blank", { sheet: "a.txt" });
    expect(call("look")).toBe('{"things":["a.txt"]}');
    expect(call("burn", { what: "a.txt" })).toBe("not served");
    expect(call("look")).toBe("not served");
  });

  it("claims no success wrongly that it had right, with any one tool's behaviour taken away", () => {
    const made = compileFiles(sessions, callsByTool(sessions), describedReads(sessions, tools), "files");
    if (!made) throw new Error("No folders were found.");
    const held = observe([...splits["test/same-tasks"], ...splits["test/new-tasks"]].map(traceOf));
    const replay = (behaviours: typeof made.bundle.behaviours) => {
      const starts = new Starts({ ...made, bundle: { ...made.bundle, behaviours } });
      return held.flatMap(({ group, calls }) => {
        const world = starts.fresh(group);
        return calls.map(({ tool, args, value, ok }) => {
          const answer = world.call(tool, args);
          const succeeded = !answer.isError && ["data", "empty"].includes(answer.answerClass);
          return { succeeded, right: succeeded === ok && equalJson(answer.value, value), tool };
        });
      });
    };
    const whole = replay(made.bundle.behaviours);
    expect(whole.filter(({ right }) => right).length).toBeGreaterThan(100);
    for (const taken of Object.keys(made.bundle.behaviours)) {
      const { [taken]: _, ...others } = made.bundle.behaviours;
      const wrong = replay(others).filter(({ succeeded, right }, i) => succeeded && !right && whole[i]?.right);
      expect([taken, wrong]).toEqual([taken, []]);
    }
  });

  it("finds none in a service of rows", () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      id: `s${i}`,
      group: `t${i}`,
      calls: [
        { tool: "get_room", args: { room: `R${i}` }, result: `{"room":"R${i}","beds":["b1","b2"]}`, isError: false },
      ],
    }));
    expect(findReading(observe(rows), [])).toBeUndefined();
  });
});

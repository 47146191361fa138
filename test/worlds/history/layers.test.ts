import canonicalize from "canonicalize";
import { describe, expect, it } from "vitest";
import { Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { utility } from "../../../worlds/fidelity/counts.ts";
import { measure } from "../../../worlds/fidelity/measure.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";
import { lampTraces } from "./lamps.ts";
import { noteTraces } from "./notes.ts";

const built = (traces: readonly ObservedTrace[]) => compile(traces, { name: "measured" });
const SERVICES: readonly (readonly [string, ObservedTrace[]])[] = [
  ["notes with ids drawn anew", noteTraces(30)],
  ["a lamp that every task finds otherwise", lampTraces(12, 3)],
  ["three sessions", lampTraces(1, 3)],
];

describe("a world that plays its own sessions again", () => {
  it.each(SERVICES)("answers as they were answered: %s", (_, traces) => {
    const { self_replay: self } = measure(built(traces), noteTraces(1, 900), traces, { selfReplay: true });
    const calls = traces.reduce((n, trace) => n + trace.calls.length, 0);
    if (!self) throw new Error("the sessions were not replayed");
    expect(self.identical_volatile).toBeGreaterThanOrEqual(0.99 * (calls - self.contradictions));
  });
});

describe("the same evidence", () => {
  it.each(SERVICES)("gives the same bytes in any order: %s", (_, traces) => {
    const of = (list: readonly ObservedTrace[]) => {
      const { bundle, base } = built(list);
      return canonicalize({ bundle, base });
    };
    expect(of([...traces].reverse())).toBe(of(traces));
  });
});

describe("more evidence", () => {
  it("is never worth less", () => {
    const traces = noteTraces(60);
    const held = noteTraces(20, 500);
    const worth = [8, 20, 60].map((n) => {
      const { total } = measure(built(traces.slice(0, n)), held, traces.slice(0, n));
      return utility(total);
    });
    // Two standard errors of a share over 160 calls.
    for (const [i, share] of worth.entries())
      expect(share).toBeGreaterThanOrEqual(Math.max(...worth.slice(0, i), -1) - 0.08);
  });

  it("leaves a poor world no worse than a recording", () => {
    const traces = lampTraces(4, 2);
    const { total } = measure(built(traces), lampTraces(4, 4), traces);
    expect(utility(total)).toBeGreaterThanOrEqual(utility(total.recording));
  });
});

describe("ids", () => {
  const traces = noteTraces(40);
  const { bundle, base } = built(traces);
  const recorded = new Set(
    traces.flatMap(({ calls }) =>
      calls.flatMap(({ tool, result }) =>
        tool === "add_note" ? [(JSON.parse(String(result)) as { id: string }).id] : [],
      ),
    ),
  );

  it("that a session recorded are never issued again, and none is issued twice", () => {
    const issued = new Set<string>();
    for (const seed of ["a", "b", "c"]) {
      const world = createWorld(bundle, base, { seed });
      for (const text of ["milk", "bread", "a lamp", "milk"]) {
        const answer = world.call("add_note", { text });
        if (answer.isError) continue;
        const { id } = answer.value as { id: string };
        expect(recorded.has(id)).toBe(false);
        expect(issued.has(`${id}`)).toBe(false);
        issued.add(id);
        const again = world.call("get_note", { id });
        if (!again.isError) expect(again.value).toMatchObject({ id, text });
      }
    }
    expect(issued.size).toBeGreaterThan(2);
  });
});

describe("an answer", () => {
  const traces = lampTraces(12, 3);
  const { bundle, base } = built(traces);

  it("says which layer it is of and how sure it is, in the journal too", () => {
    const world = createWorld(bundle, base, { task: "task 3" });
    const layers = new Set<string | undefined>();
    for (const trace of traces.filter(({ group }) => group === "task 3").slice(0, 1))
      for (const { tool, args } of trace.calls) {
        const answer = world.call(tool, args);
        expect(answer.confidence).toBeGreaterThanOrEqual(0.95);
        expect(world.lastEntry(0)).toMatchObject({ layer: answer.layer, confidence: answer.confidence });
        layers.add(answer.layer);
      }
    expect([...layers].every((layer) => layer === "history" || layer === "program" || layer === "floor")).toBe(true);
  });

  it("is the same in a world that was rebuilt from its journal, and after a call was taken back", () => {
    const calls = (traces.find(({ group }) => group === "task 5") as ObservedTrace).calls;
    const open = () => createWorld(bundle, base, { task: "task 5", seed: "s" });
    const world = open();
    const entries = calls.slice(0, 3).map(({ tool, args }) => {
      world.call(tool, args);
      return structuredClone(world.lastEntry(0)) as NonNullable<ReturnType<typeof world.lastEntry>>;
    });
    const rebuilt = open();
    rebuilt.restore(entries);
    rebuilt.call("dim", { level: 1 });
    rebuilt.undo();
    for (const { tool, args } of calls.slice(3)) expect(rebuilt.call(tool, args)).toEqual(world.call(tool, args));
  });

  it("after a write whose effect nobody knows is of sessions that made the same one, or none", () => {
    const world = createWorld(bundle, base, { task: "task 3" });
    const odd: JsonObject = { level: 37 };
    const known = traces.some(({ calls }) => calls.some(({ tool, args }) => tool === "dim" && args.level === 37));
    expect(known).toBe(false);
    const answer = world.call("dim", odd);
    const read = world.call("get_level", {});
    if (answer.isError) expect(read.isError).toBe(true);
    else expect(read.isError || (read.value as { level: number }).level === 37).toBe(true);
  });
});

describe("a bundle of before", () => {
  it("opens and answers as it did, and a new one fits its schema", () => {
    const { bundle, base } = built(noteTraces(30));
    expect(Bundle.parse(structuredClone(bundle))).toEqual(bundle);
    const { history: _, trust: __, ...before } = bundle;
    const answer = createWorld(before, base).call("get_note", { id: "welcome-1" });
    expect(answer.layer).toBeUndefined();
    expect(answer.confidence).toBeUndefined();
  });
});

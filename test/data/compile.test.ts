import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openEvidence } from "../../chapters/evidence/reading/evidence.ts";
import { toObserved } from "../../chapters/evidence/traces/observed.ts";
import { Bundle } from "../../worlds/bundle.ts";
import { compile } from "../../worlds/compile/index.ts";
import { observe } from "../../worlds/compile/observations.ts";
import type { CompileResult } from "../../worlds/compile/report.ts";
import { measureFidelity, split } from "../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { loadTau, loadTools } from "./compile-load.ts";

const root = join(process.env.SVC_DATA ?? "", "dev");

const SETS = [
  {
    name: "airline",
    files: ["airline/tau2.gpt-4.1.json", "airline/tau2.toolorchestra-gpt-4.1-mini.json"],
    tools: "airline/tools.tau2.json",
    tables: ["flights", "reservations", "users"],
  },
  {
    name: "airline v1",
    files: ["airline/tau-bench-v1.gpt-4o.trials01.json"],
    tools: "airline/tools.tau-bench-v1.json",
    tables: ["flights", "reservations", "users"],
  },
  {
    name: "retail",
    files: ["retail/tau2.gpt-4.1.json", "retail/tau2.toolorchestra-gpt-4.1-mini.json"],
    tools: "retail/tools.tau2.json",
    tables: ["orders", "products", "users"],
  },
];

describe.each(SETS)("compile of $name", ({ name, files, tools, tables }) => {
  let traces: ObservedTrace[];
  let compiled: CompileResult;
  const listed = () => loadTools(join(root, tools));
  beforeAll(() => {
    if (!existsSync(root)) throw new Error("SVC_DATA names no folder with dev/");
    traces = files.flatMap((file) => loadTau(join(root, file)));
    compiled = compile(traces, { name, tools: listed() });
  });

  it("finds the entity types", () => {
    const { report, bundle } = compiled;
    expect(Object.keys(report.tables)).toEqual(expect.arrayContaining(tables));
    expect(report.conflicts).toBe(0);
    expect(bundle.tools.map((tool) => tool.name)).toEqual(listed().map((tool) => tool.name));
  });

  it("is of the same sessions in any order of the traces", () => {
    expect(observe([...traces].reverse())).toEqual(observe(traces));
  });

  it("answers held-out calls better than a recording, and makes up little", () => {
    let [calls, wrong, ours, recorded] = [0, 0, 0, 0];
    for (const seed of ["a", "b", "c"]) {
      const { train, heldOut } = split(traces, { share: 0.5, seed, within: true });
      const report = measureFidelity(compile(train, { name }), heldOut, train);
      calls += report.calls;
      wrong += report.wrong_success;
      ours += report.identical_volatile;
      recorded += report.recording.identical_volatile;
    }
    expect(wrong / calls).toBeLessThan(0.03);
    expect(ours).toBeGreaterThan(recorded);
  });
});

it("what is compiled of every service keeps the limits of a bundle", async () => {
  const services = join(process.env.SVC_DATA ?? "", "dev2");
  const names = readdirSync(services).filter((name) => existsSync(join(services, name, "train")));
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) {
    const folder = ["train-small", "train"].find((each) => existsSync(join(services, name, each, "sessions.jsonl")));
    const open = await openEvidence(createReadStream(join(services, name, folder ?? "train", "sessions.jsonl")));
    const traces: ObservedTrace[] = [];
    for await (const { trace } of open.traces()) traces.push(toObserved(trace, `${name} ${traces.length}`));
    const { bundle } = compile(traces, { name });
    const read = Bundle.safeParse(JSON.parse(JSON.stringify(bundle)));
    expect([name, read.error?.issues ?? []]).toEqual([name, []]);
  }
});

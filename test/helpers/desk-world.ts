import { readTools, readTraces } from "../../src/fidelity/traces.ts";
import { compile } from "../../worlds/compile/index.ts";
import type { CompileResult } from "../../worlds/compile/report.ts";
import { draw } from "../../worlds/draw/index.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { GradeEnv } from "../../worlds/tasks/grading/grade.ts";
import { remembered } from "./run/compute.ts";

const DESK = new URL("../../worlds/samples/desk/", import.meta.url).pathname;

/** The order desk compiled from all its recordings and its listing, once in a run of the tests, and a state drawn of it. */
export async function deskWorld(): Promise<{
  traces: readonly ObservedTrace[];
  compiled: CompileResult;
  env: GradeEnv;
}> {
  const { traces } = await readTraces([`${DESK}traces.jsonl`], () => {});
  const options = { name: "desk", tools: await readTools(`${DESK}tools.json`) };
  const compiled = await remembered("compile", { traces, options }, () => compile(traces, options));
  return {
    traces,
    compiled,
    env: { bundle: compiled.bundle, base: draw(compiled.bundle, compiled.base, { seed: "1" }) },
  };
}

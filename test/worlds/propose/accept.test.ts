import { expect, it } from "vitest";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import { acceptProposal } from "../../../worlds/propose/accept.ts";
import { compiledSafe, RIGHT, safeTraces } from "./safe.ts";
import { observe } from "../../../worlds/compile/observations.ts";

it("probe", () => {
  const traces = safeTraces(40, "a");
  const t0 = performance.now();
  const plain = compiledSafe(traces);
  const t1 = performance.now();
  console.log(plain.report.outOfFold, t1 - t0);
  const a = acceptProposal(plain.bundle, plain.base, RIGHT, observe(traces));
  console.log(a.verdicts, a.cut, a.faults, performance.now() - t1);
  const t2 = performance.now();
  const made = compiledSafe(traces, { proposal: { by: "someone", program: RIGHT } });
  console.log(JSON.stringify(made.report.proposed, null, 1), performance.now() - t2);
  const test = safeTraces(30, "b");
  for (const w of [plain, made]) {
    const r = measureFidelity(w, test, traces);
    console.log(r.calls, r.identical_volatile, r.wrong_answer, r.not_served, r.recording.identical_volatile);
  }
  expect(1).toBe(1);
});

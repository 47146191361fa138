import { createReadStream } from "node:fs";
import { expect, it } from "vitest";
import { privacyOf } from "../../../../chapters/evidence/anonymize/index.ts";
import { openEvidence } from "../../../../chapters/evidence/reading/evidence.ts";
import { toObserved } from "../../../../chapters/evidence/traces/observed.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity, split } from "../../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";

const SAMPLE = new URL("../../../../worlds/samples/desk/traces.jsonl", import.meta.url).pathname;

it("a world compiled from anonymized traces has the same tables, rows and answers as one from the traces themselves", async () => {
  const privacy = privacyOf({ access: "anonymized", key: "5a".repeat(32) });
  const full: ObservedTrace[] = [];
  const cleared: ObservedTrace[] = [];
  let changed = 0;
  const open = await openEvidence(createReadStream(SAMPLE));
  let n = 0;
  for await (const { trace } of open.traces()) {
    // Every third, so that all kinds of request are among them.
    if (n++ % 3 !== 0) continue;
    const made = privacy.trace(trace);
    if (JSON.stringify(made.calls) !== JSON.stringify(trace.calls)) changed++;
    full.push(toObserved(trace, `t${full.length}`));
    cleared.push(toObserved(made, `t${cleared.length}`));
  }
  expect(changed, "values were replaced").toBeGreaterThan(full.length / 2);
  const world = (traces: ObservedTrace[]) => {
    const { train, heldOut } = split(traces, { share: 0.5, seed: "a", within: false });
    const compiled = compile(train, { name: "desk" });
    const rows = compiled.bundle.tables
      .filter((table) => table.internal !== true)
      .map(({ name }) => `${name} ${Object.keys(compiled.base.tables[name] ?? {}).length}`);
    const { calls, identical_volatile: alike, wrong_success } = measureFidelity(compiled, heldOut, train);
    return { rows: rows.sort(), share: alike / calls, wrong_success };
  };
  const [before, after] = [world(full), world(cleared)];
  expect(after.rows).toEqual(before.rows);
  expect(after.share).toBeGreaterThan(before.share - 0.05);
});

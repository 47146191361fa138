import { expect, it } from "vitest";
import { readGraphInputs } from "../../../chapters/ontology/graph-inputs.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { invoker, startApp } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { deskTools, deskTraces, ok } from "../../tools/sandboxes/kit.ts";

it("a graph is made of all traces, or of as many as fit, evenly spread over every record", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const sessions = deskTraces(3);
    const half = Math.floor(sessions.length / 2);
    const ids = [];
    for (const content of [sessions.slice(0, half), sessions.slice(half)])
      ids.push((await ok(invoke("evidence_post", { content }))).body.id);
    ids.push((await ok(invoke("evidence_post", { content: deskTools() }))).body.id);
    const ctx = ctxOf(app.service, org);
    const records = await ctx.store.records.getMany(Evidence, ids);
    const read = async (calls: number) => {
      const { batches, tools, traces } = await readGraphInputs(ctx, records, { calls, bytes: 1e9 });
      expect(tools?.length).toBeGreaterThan(5);
      const rows = batches.flatMap((one) => JSON.parse(Buffer.from(one).toString()) as ObservedTrace[]);
      expect(rows).toHaveLength(traces.read);
      return { rows, traces };
    };
    const all = await read(1e9);
    expect(all.traces).toEqual({ read: sessions.length, of: sessions.length });
    const calls = all.rows.reduce((sum, row) => sum + row.calls.length, 0);
    const some = await read(Math.ceil(calls / 4));
    expect(some.traces.of).toBe(sessions.length);
    expect(some.traces.read).toBeGreaterThanOrEqual(Math.floor(sessions.length / 4));
    expect(some.traces.read).toBeLessThanOrEqual(Math.ceil(sessions.length / 4) + 2);
    const of = new Map(some.rows.map(({ id }) => [id.split(".")[0], 0]));
    expect(of.size, "of both records").toBe(2);
    const places = some.rows.flatMap(({ id }) =>
      id.startsWith(records[0]!.digest.slice(0, 16)) ? [Number(id.split(".")[1])] : [],
    );
    expect(Math.max(...places), "to the end of the record").toBeGreaterThan(half / 2);
    const again = await read(Math.ceil(calls / 4));
    expect(again.rows).toEqual(some.rows);
  } finally {
    await app.close();
  }
});

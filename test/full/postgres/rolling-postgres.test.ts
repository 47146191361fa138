import { afterAll, beforeAll, expect, it } from "vitest";
import { QUIET_SECONDS } from "../../../chapters/evidence/rolling/close.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { FakeClock, startApp } from "../../helpers/app.ts";
import { kv } from "../../helpers/otlp.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

it("two servers on one database lose no span of the traces they both take and both close", async () => {
  const databaseUrl = await cluster.database();
  const clock = new FakeClock();
  const key = Buffer.alloc(32, 7);
  const one = await startApp({ config: { databaseUrl, key }, clock, jobs: false });
  const two = await startApp({ config: { databaseUrl, key }, clock, jobs: false });
  try {
    const org = await one.org();
    const start = BigInt(clock.now()) * 1_000_000_000n;
    const span = (trace: number, n: number) => ({
      traceId: String(trace + 1).repeat(32),
      spanId: `b7ad6b71692033${n.toString(16).padStart(2, "0")}`,
      ...(n === 0 ? {} : { parentSpanId: "b7ad6b7169203300" }),
      name: "work",
      startTimeUnixNano: String(start + BigInt(n)),
      endTimeUnixNano: String(start + BigInt(n + 1)),
      attributes: kv(
        n === 0
          ? { "gen_ai.operation.name": "invoke_agent" }
          : { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t", "gen_ai.tool.call.result": "1" },
      ),
    });
    const send = (app: typeof one, spans: unknown[]) =>
      app.rest("POST", "/v0/evidence", { resourceSpans: [{ scopeSpans: [{ spans }] }] }, org.push);
    const TRACES = [0, 1, 2, 3];
    // Every post holds a span of every trace.
    const posts = Array.from({ length: 30 }, (_, n) => TRACES.map((trace) => span(trace, n)));
    const answers = await Promise.all(posts.map((spans, i) => send(i % 2 === 0 ? one : two, spans)));
    expect(answers.map((each) => [each.status, each.text])).toEqual(answers.map(() => [200, "{}"]));
    clock.advance(QUIET_SECONDS);
    await Promise.all([one.service.schedules.tick(), two.service.schedules.tick()]);
    const store = one.service.store.forOrg(org.id);
    const [record, ...others] = (await store.records.list(Evidence)).items;
    expect([others.length, record?.stats.traces, record?.stats.calls]).toEqual([0, 4, 4 * 29]);
    const calls: number[] = [];
    for await (const row of store.traces.stream([record?.id ?? ""])) calls.push(row.trace.calls.length);
    expect(calls).toEqual([29, 29, 29, 29]);
  } finally {
    await one.close();
    await two.close();
  }
});

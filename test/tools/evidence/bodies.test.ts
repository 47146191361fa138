import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { chapters, lines, trial } from "./kit.ts";

describe("bodies over REST", () => {
  let app: TestApp;
  let org: TestOrg;
  beforeAll(async () => {
    app = await startApp({ chapters });
    org = await app.org();
  });
  afterAll(() => app.close());
  const post = (body: unknown, headers: Record<string, string> = {}, query = "") =>
    app.rest("POST", `/v0/evidence${query}`, body, org.push, headers);
  const count = async () => (await app.rest("GET", "/v0/evidence?limit=500", undefined, org.read)).body.evidence.length;

  it("takes raw files, JSON lines and gzip of them, with what the query says", async () => {
    const rows = [trial(21, 1), trial(22, 1)];
    const raw = await post(
      JSON.stringify(rows, null, 2),
      { "content-type": "application/json" },
      "?surface=shop&provenance=public&tag=x",
    );
    expect([
      raw.status,
      raw.body.admitted,
      raw.body.surface,
      raw.body.provenance_kind,
      raw.body.provenance_detected,
    ]).toEqual([201, 2, "shop", "public", false]);
    const ndjson = await post(lines(rows), { "content-type": "application/x-ndjson" });
    expect([ndjson.status, ndjson.body.admitted]).toEqual([201, 2]);
    const gzipFile = await post(gzipSync(lines([trial(23, 1)])), { "content-type": "application/gzip" });
    expect([gzipFile.status, gzipFile.body.admitted]).toEqual([201, 1]);
    const encoded = await post(gzipSync(lines([trial(24, 1)])), {
      "content-type": "application/x-ndjson",
      "content-encoding": "gzip",
    });
    expect([encoded.status, encoded.body.admitted]).toEqual([201, 1]);
  });

  it("takes an envelope whose content is text or JSON, and refuses unknown fields with their path", async () => {
    const envelope = await post({
      kind: "traces",
      format: "tau-bench",
      content: lines([trial(31, 1)]),
      idempotency_key: "k1",
    });
    expect(envelope.status).toBe(201);
    const same = await post({ content: [trial(99, 1)], idempotency_key: "k1" });
    expect([same.status, same.body.id]).toEqual([200, envelope.body.id]);
    const unknown = await post({ kind: "traces", content: "x", colour: "red" });
    expect([unknown.status, unknown.body.fields]).toEqual([400, [{ path: "colour", message: "unknown field" }]]);
    const wrong = await post({ kind: "traces", content: 5 });
    expect([wrong.status, wrong.body.fields[0].path]).toEqual([400, "content"]);
    const other = await post({ org: "other", content: "x", format: "text" });
    expect(other.status).toBe(403);
    const kind = await post({ kind: "document", format: "tau2", content: "[]" });
    expect([kind.status, kind.body.fields[0].path]).toEqual([400, "kind"]);
    const format = await post({ format: "nonsense", content: "[]" });
    expect([format.status, format.body.fields[0].path]).toEqual([400, "format"]);
  });

  it("refuses what is broken with where it is broken, and stores nothing of it", async () => {
    const before = await count();
    const whole = JSON.stringify([trial(41, 1), trial(42, 1)]);
    const broken = `${whole.slice(0, 50)}"${whole.slice(50)}`;
    const cases: [body: string | Uint8Array, status: number, reason: RegExp][] = [
      [whole.slice(0, -20), 400, /cut off before its end, at byte \d+/],
      [broken, 400, /not valid JSON: .*, at byte \d+/],
      ["", 400, /empty/],
      [gzipSync(whole).subarray(0, 200), 400, /cut off/],
      [Buffer.concat([gzipSync(whole).subarray(0, 60), Buffer.alloc(300, 7)]), 400, /damaged|cut off/],
      ['{"colour": "red"}', 422, /no format that can be read/],
      [Buffer.from([1, 0, 2, 0, 3]), 422, /binary/],
      ["PK\u0003\u0004zip", 422, /zip/],
    ];
    for (const [body, status, reason] of cases) {
      const refused = await post(body, { "content-type": "application/octet-stream" });
      expect([refused.status, refused.body.reason]).toEqual([status, expect.stringMatching(reason)]);
    }
    expect(await count()).toBe(before);
  });

  it("reads a line that looks like an envelope as a line when the body is said to be lines", async () => {
    const document = JSON.stringify({ content: "Returns within 30 days.", title: "Returns" });
    const posted = await post(document, { "content-type": "application/x-ndjson" });
    expect([posted.status, posted.body.kind, posted.body.document]).toEqual([
      201,
      "document",
      { title: "Returns", texts: 1, chars: 23 },
    ]);
  });

  it("counts broken lines and takes the others", async () => {
    const body = `${JSON.stringify(trial(51, 1))}\n{"task_id": 52, \n${JSON.stringify(trial(53, 1))}\n5\n`;
    const posted = await post(body, { "content-type": "application/x-ndjson" });
    expect(posted.body).toMatchObject({
      admitted: 2,
      refused: [
        { line: 2, reason: "the line is not valid JSON" },
        { line: 4, reason: "no traj list" },
      ],
    });
  });

  it("stores the same bytes once though they come at the same time", async () => {
    const body = lines(Array.from({ length: 40 }, (_, i) => trial(600 + i, 1)));
    const all = await Promise.all(
      Array.from({ length: 4 }, () => post(body, { "content-type": "application/x-ndjson" })),
    );
    expect(new Set(all.map((each) => each.body.id)).size).toBe(1);
    expect(all.map((each) => each.status).sort()).toEqual([200, 200, 200, 201]);
    const store = app.service.store.forOrg(org.id);
    expect(await store.traces.count(all[0]?.body.id)).toBe(40);
  });

  it("leaves nothing of a body that breaks after thousands of traces", async () => {
    const row = JSON.stringify({ ...trial(700, 1), pad: "x".repeat(9000) });
    const before = await count();
    const body = `[${Array.from({ length: 1500 }, () => row).join(",")},{"broken`;
    const refused = await post(body, { "content-type": "application/json" });
    expect([refused.status, refused.body.reason]).toEqual([
      400,
      expect.stringMatching(/cut off before its end, at byte 1\d{7}/),
    ]);
    expect(await count()).toBe(before);
    const drafts = (await app.rest("GET", `/v0/orgs/${org.tag}/records`, undefined, org.read)).body.stays_behind.find(
      (each: { kind: string }) => each.kind === "evidence_draft",
    );
    expect(drafts.count).toBe(0);
  });
});

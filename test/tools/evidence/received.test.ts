import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bothSurfaces, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { chapters, lines, trial } from "./kit.ts";

const sha256 = (bytes: Uint8Array | string, form: "hex" | "base64" = "hex") =>
  createHash("sha256").update(bytes).digest(form);
const said = (bytes: Uint8Array | string) => ({ "content-digest": `sha-256=:${sha256(bytes, "base64")}:` });

describe("what arrives over REST is compared with what the sender says of it", () => {
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
  const large = (n: number) =>
    lines(Array.from({ length: 400 }, (_, i) => ({ ...trial(i, 1), n, pad: "x".repeat(15_000) })));

  it("answers the bytes and the digest that it received, for a sender that says none", async () => {
    const text = lines([trial(1, 1)]);
    const { body } = await post(text);
    expect([body.digest, body.stats.bytes]).toEqual([sha256(text), Buffer.byteLength(text)]);
  });

  it("takes what agrees, plain and encoded, and other algorithms", async () => {
    const text = lines([trial(2, 1)]);
    expect((await post(text, said(text))).status).toBe(201);
    const packed = gzipSync(lines([trial(3, 1)]));
    expect((await post(packed, { "content-encoding": "gzip", ...said(packed) })).status).toBe(201);
    const other = lines([trial(4, 1)]);
    const sha512 = createHash("sha512").update(other).digest("base64");
    expect((await post(other, { "content-digest": `md5=:AAAA:, sha-512=:${sha512}:` })).status).toBe(201);
  });

  it.each([
    ["small", lines([trial(11, 1)])],
    ["large", large(11)],
    ["a document", `# Policy\n\n${"Be kind. ".repeat(50)}`],
    ["an envelope", JSON.stringify({ kind: "document", content: "# Policy\n\nBe kind." })],
    ["an export", JSON.stringify({ resourceSpans: [] })],
  ])("refuses %s where it does not, and keeps nothing", async (_name, text) => {
    const before = await count();
    const { status, body } = await post(text, said(`${text} `));
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringMatching(/Content-Digest.*Nothing.*send it again/),
    ]);
    const packed = gzipSync(text);
    expect((await post(packed, { "content-encoding": "gzip", ...said(text) })).status).toBe(400);
    const asked = `?bytes=${Buffer.byteLength(text) + 1}`;
    expect((await post(text, {}, asked)).text).toMatch(/bytes arrived.*send it again/);
    expect(await count()).toBe(before);
  });

  it("says how the header is written", async () => {
    for (const header of ["sha-256=abc", "sha-256=:AAAA:", "sha-256"])
      expect((await post(lines([trial(5, 1)]), { "content-digest": header })).body).toMatchObject({
        error: "bad_request",
        fields: [{ path: "content-digest", message: expect.stringContaining("RFC 9530") }],
      });
  });

  it.each([
    ["small", 2000],
    ["large", 4_000_000],
  ])("keeps nothing of a %s body whose sender goes away", async (_name, bytes) => {
    const before = await count();
    const text = large(12);
    const out = request(`${app.url}/v0/evidence`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${org.push}`,
        "content-length": String(Buffer.byteLength(text)),
        ...said(text),
      },
    });
    const gone = once(out, "error");
    out.write(text.slice(0, bytes));
    await sleep(100);
    out.destroy(new Error("gone"));
    await gone;
    await sleep(300);
    expect(await count()).toBe(before);
  });
});

bothSurfaces(
  "content is compared with bytes and sha256 where these are given",
  async (invoke) => {
    const content = lines([trial(1, 1)]);
    const whole = { bytes: Buffer.byteLength(content), sha256: sha256(content) };
    for (const wrong of [{ bytes: whole.bytes - 1 }, { sha256: sha256("other") }]) {
      const refused = await invoke("evidence_post", { content, ...whole, ...wrong });
      expect([refused.status, refused.body.reason]).toEqual([400, expect.stringMatching(/arrived.*send it again/)]);
    }
    const listed = await invoke("evidence_list", {});
    expect(listed.body.evidence).toEqual([]);
    const kept = await invoke("evidence_post", { content, bytes: whole.bytes, sha256: whole.sha256.toUpperCase() });
    expect([kept.status, kept.body.digest]).toEqual([201, whole.sha256]);
    const asJson = await invoke("evidence_post", { content: [trial(2, 1)], sha256: whole.sha256 });
    expect([asJson.status, asJson.body.fields]).toEqual([
      400,
      [{ path: "content", message: expect.stringContaining("as text") }],
    ]);
  },
  { chapters },
);

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mintToken } from "../../chapters/credentials.ts";
import { forgetSecrets, readConfig } from "../../src/config.ts";
import { errorFields, redact } from "../../src/log.ts";
import { KeyRing, keyRing } from "../../src/service/seal.ts";
import { TokenRepository } from "../../store/repositories/tokens.ts";
import { FakeClock, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { fixtures } from "../helpers/fixture-chapter.ts";

const clock = new FakeClock();
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  const { chapters } = await import("../../tools/index.ts");
  app = await startApp({ clock, jobs: false, chapters: [...chapters, fixtures] });
  org = await app.org();
});
afterAll(() => app.close());

const whoami = (token?: string, headers?: Record<string, string>) =>
  app.rest("GET", "/v0/whoami", undefined, token, headers);

describe("a credential", () => {
  it("is asked for, over REST and MCP, without pointing anywhere else", async () => {
    for (const answer of [
      await whoami(),
      await app.rest("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="proving-ground"');
    }
  });

  it("that is unknown, revoked or expired is told so, and is named", async () => {
    const unknown = await whoami(mintToken("org").raw);
    expect(unknown).toMatchObject({ status: 401, body: { reason: expect.stringContaining("unknown") } });
    expect(unknown.headers.get("www-authenticate")).toBe('Bearer realm="proving-ground", error="invalid_token"');
    expect((await whoami(mintToken("operator").raw)).status).toBe(401);
    const made = await app.rest(
      "POST",
      "/v0/orgs/acme/tokens",
      { name: "brief", scope: "read", expires_in_days: 1 },
      org.admin,
    );
    clock.advance(86_400);
    expect(await whoami(made.body.token)).toMatchObject({
      status: 401,
      body: { reason: expect.stringContaining("expired"), details: { names: ['"brief"'] } },
    });
  });

  it("counts in no other place or form than the bearer header", async () => {
    expect((await app.rest("GET", `/v0/whoami?token=${org.read}`)).status).toBe(401);
    expect(
      (await whoami(undefined, { authorization: `Basic ${Buffer.from(`x:${org.read}`).toString("base64")}` })).status,
    ).toBe(401);
    expect((await whoami(undefined, { authorization: `bearer ${org.read}` })).status).toBe(200);
    expect((await whoami(undefined, { cookie: `token=${org.read}` })).status).toBe(401);
  });

  it("is not had by claiming to be local on the network", async () => {
    expect((await whoami(undefined, { "x-svc-local": "1" })).status).toBe(401);
  });

  it("of a world opens nothing but its world", async () => {
    const { raw, hash, prefix } = mintToken("world");
    const at = clock.now();
    const row = {
      id: "tok_w",
      kind: "world",
      hash,
      prefix,
      name: "w",
      scope: "read",
      world: "wl_1",
      created_by: "t",
      created_at: at,
    } as const;
    await app.service.store
      .forOrg(org.id)
      .tokens.insert({ ...row, expires_at: null, last_used_at: null, revoked_at: null });
    expect(await whoami(raw)).toMatchObject({ status: 403, body: { error: "forbidden" } });
  });

  it("leaves the time of its first use before the call is answered", async () => {
    const { body } = await app.rest("POST", "/v0/orgs/acme/tokens", { name: "first", scope: "read" }, org.admin);
    const kept: string[] = [];
    const touch = TokenRepository.prototype.touch;
    const slow = vi.spyOn(TokenRepository.prototype, "touch").mockImplementation(async function (
      this: TokenRepository,
      id,
      at,
    ) {
      await setTimeout(20);
      await touch.call(this, id, at);
      kept.push(id);
    });
    await whoami(body.token);
    slow.mockRestore();
    expect(kept).toEqual([body.id]);
  });

  it("leaves the time of its last use, to the minute", async () => {
    const read = async () => {
      const { body } = await app.rest("GET", "/v0/orgs/acme/tokens", undefined, org.admin);
      return body.tokens.find((token: { name: string }) => token.name === "acme-push").last_used_at;
    };
    await whoami(org.push);
    await expect.poll(read).toBe(clock.now());
    const first = clock.now();
    clock.advance(30);
    await whoami(org.push);
    expect(await read()).toBe(first);
    clock.advance(31);
    await whoami(org.push);
    await expect.poll(read).toBe(first + 61);
  });
});

describe("a route outside the documented set", () => {
  it("is the operator's: an org token is told so, the operator that it is not there", async () => {
    for (const [method, path] of [
      ["GET", "/v0/nothing"],
      ["POST", "/v0/orgs/acme/secret"],
      ["GET", "/v0/"],
    ] as const) {
      const refused = await app.rest(method, path, undefined, org.admin);
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
      expect(refused.body.reason).toContain("service-wide token");
      expect((await app.rest(method, path, undefined, app.operator)).status).toBe(404);
      expect((await app.rest(method, path)).status).toBe(401);
    }
  });

  it("or a method outside it says which there are", async () => {
    const refused = await app.rest("PUT", "/v0/orgs/acme/tokens", {}, app.operator);
    expect(refused).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe("GET, POST");
    expect(await app.rest("PUT", "/v0/orgs/acme/tokens", {}, org.admin)).toMatchObject({ status: 403 });
  });

  it("off the API is a JSON 404, the OAuth discovery documents among them", async () => {
    for (const path of [
      "/nothing",
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-authorization-server/mcp",
      "/%E0%A4%A",
    ]) {
      const answer = await app.rest("GET", path);
      expect(answer, path).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });
});

describe("an org", () => {
  it("that the token is not of answers 403, the same whether it exists", async () => {
    await app.org("beta");
    const foreign = await app.rest("GET", "/v0/orgs/beta/tokens", undefined, org.admin);
    const unknown = await app.rest("GET", "/v0/orgs/nowhere/tokens", undefined, org.admin);
    expect(foreign.status).toBe(403);
    expect(foreign.text).toBe(unknown.text);
  });
});

describe("a host", () => {
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(app.url);
      const req = request({ host: "127.0.0.1", port, path: "/healthz", headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
      req.once("error", reject).end();
    });

  it("that is this service's is served, any other name is not", async () => {
    for (const host of ["localhost:7333", "127.0.0.1", "[::1]:80", "10.1.2.3:7333"])
      expect(await statusWith({ host }), host).toBe(200);
    for (const host of ["evil.example", "localhost.evil.example", "x@evil.example", "evil.example:7333"]) {
      expect(await statusWith({ host }), host).toBe(403);
    }
  });

  it("or origin of a page elsewhere is refused", async () => {
    expect(await statusWith({ host: "localhost", origin: "http://localhost:5173" })).toBe(200);
    expect(await statusWith({ host: "localhost", origin: "https://evil.example" })).toBe(403);
    expect(await statusWith({ host: "localhost", origin: "null" })).toBe(403);
  });
});

it("limits calls per credential with the seconds to wait", async () => {
  const limited = await startApp({ jobs: false, config: { callsPerMinute: 3 } });
  try {
    const [a, b] = [await limited.org("a"), await limited.org("b")];
    const ask = (token: string) => limited.rest("GET", "/v0/whoami", undefined, token);
    for (let n = 0; n < 3; n++) expect((await ask(a.read)).status).toBe(200);
    const refused = await ask(a.read);
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited", retry_after: expect.any(Number) } });
    expect(Number(refused.headers.get("retry-after"))).toBe(refused.body.retry_after);
    expect((await ask(b.read)).status).toBe(200);
  } finally {
    await limited.close();
  }
});

describe("secrets", () => {
  it("are sealed so that a change or another key opens nothing", () => {
    const { sealer } = new KeyRing([Buffer.alloc(32, 1)]);
    const sealed = sealer.seal("xoxb-secret ü");
    expect(sealed).not.toContain("secret");
    expect(sealer.open(sealed)).toBe("xoxb-secret ü");
    expect(sealer.seal("xoxb-secret ü")).not.toBe(sealed);
    expect(() => new KeyRing([Buffer.alloc(32, 2)]).sealer.open(sealed)).toThrow();
    expect(() => sealer.open(sealed.slice(0, -4) + (sealed.endsWith("AAAA") ? "BBBB" : "AAAA"))).toThrow();
    expect(() => sealer.open("v1.")).toThrow();
  });

  it("have a key file that only its owner reads, the same at each start", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-key-"));
    try {
      const config = readConfig({ SVC_DATA_DIR: folder });
      const sealed = keyRing(config).sealer.seal("x");
      expect(keyRing(config).sealer.open(sealed)).toBe("x");
      expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("never reach the log as they are", () => {
    const { raw } = mintToken("org");
    expect(redact(JSON.stringify({ message: `token ${raw} leaked` }))).toBe(
      '{"message":"token svc_org_[redacted] leaked"}',
    );
    const foreign = [
      "connect to postgres://svc:hunter2@db.example:5432/x failed",
      "authorization: Bearer abcdefghijklmnop.qrst",
      "Basic dXNlcjpodW50ZXIy",
      "xoxb-1234567890-hunter2",
      "sk-hunter2hunter2hunter2",
      "ghp_hunter2hunter2hunter2",
    ];
    for (const text of foreign) expect(redact(text), text).not.toMatch(/hunter2|abcdefghij|dXNlcjpo/);
    expect(redact("GET https://example.com/a@b: a mail to mei@example.com, a task at sk_1")).toBe(
      "GET https://example.com/a@b: a mail to mei@example.com, a task at sk_1",
    );
  });

  it("do not reach it with what clients hang on their errors", () => {
    const request = { headers: { authorization: "hunter2" } };
    const cause = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED", config: request });
    const error = Object.assign(new Error("no answer", { cause }), {
      original: request,
      detail: "Key (hash)=(hunter2)",
    });
    const told = errorFields(error);
    expect(JSON.stringify(told)).not.toContain("hunter2");
    expect(told).toMatchObject({
      type: "Error",
      message: "no answer",
      cause: { type: "TypeError", message: "refused", code: "ECONNREFUSED" },
    });
    cause.cause = error;
    expect(() => JSON.stringify(errorFields(error))).not.toThrow();
    expect(errorFields("text")).toEqual({ type: "string", message: "text" });
  });
});

describe("a setting", () => {
  it("that is a secret is read from a file or a credential of systemd, and leaves the environment", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-secrets-"));
    try {
      const token = `svc_op_${"a".repeat(43)}`;
      writeFileSync(join(folder, "token"), `${token}\n`);
      writeFileSync(join(folder, "SVC_KEY"), "0f".repeat(32));
      const env = { SVC_OPERATOR_TOKEN_FILE: join(folder, "token"), CREDENTIALS_DIRECTORY: folder };
      expect(readConfig(env)).toMatchObject({ operatorToken: token, key: Buffer.from("0f".repeat(32), "hex") });
      expect(readConfig({ ...env, SVC_KEY: "1f".repeat(32) }).key).toEqual(Buffer.from("1f".repeat(32), "hex"));
      expect(() => readConfig({ SVC_KEY_FILE: join(folder, "none") })).toThrow("SVC_KEY_FILE names a file");
      writeFileSync(join(folder, "SVC_KEY"), "short");
      expect(() => readConfig(env)).toThrow("SVC_KEY must be");
      const given = { SVC_KEY: "x", SVC_OPENAI_API_KEY: "y", SVC_PORT: "1" };
      forgetSecrets(given);
      expect(given).toEqual({ SVC_PORT: "1" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ["SVC_PORT", "x"],
    ["SVC_PORT", "70000"],
    ["SVC_DATABASE_URL", "mysql://x"],
    ["SVC_PUBLIC_URL", "ftp://x"],
    ["SVC_KEY", "short"],
    ["SVC_OPERATOR_TOKEN", "svc_op_short"],
    ["SVC_ALLOW_COMMANDS", "yes"],
    ["SVC_MAX_BODY_MB", "0"],
    ["SVC_MAX_STREAM_MB", "1.5"],
    ["SVC_LOG_LEVEL", "loud"],
    ["SVC_USD_PER_DAY", "-1"],
  ])("%s that does not fit is refused in one sentence without its value (%s)", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be [^.\\n]+\\.$`));
  });

  it("of a limit is in megabytes, and streams have their own", () => {
    const MB = 1024 * 1024;
    expect(readConfig({})).toMatchObject({ maxBodyBytes: 128 * MB, maxStreamBytes: 4096 * MB });
    expect(readConfig({ SVC_MAX_BODY_MB: "2", SVC_MAX_STREAM_MB: "3" })).toMatchObject({
      maxBodyBytes: 2 * MB,
      maxStreamBytes: 3 * MB,
    });
  });

  it("decides by the address whether commands and private addresses are open", () => {
    expect(readConfig({}).commandsAllowed).toBe(true);
    expect(readConfig({ SVC_HOST: "0.0.0.0" })).toMatchObject({
      commandsAllowed: false,
      privateAddressesAllowed: false,
    });
    expect(readConfig({ SVC_PUBLIC_URL: "https://svc.example/" })).toMatchObject({
      commandsAllowed: false,
      publicUrl: "https://svc.example",
    });
    expect(readConfig({ SVC_HOST: "0.0.0.0", SVC_ALLOW_COMMANDS: "1" }).commandsAllowed).toBe(true);
  });
});

// Finding S22.
it("a token that was minted without an end ends when the operator says, and not before", async () => {
  const app = await startApp({ jobs: false, config: { tokenDays: 30 } });
  try {
    const { admin } = await app.org();
    const mint = async (fields: object) =>
      (await app.rest("POST", "/v0/orgs/acme/tokens", { name: "t", scope: "push", ...fields }, admin)).body;
    const made = await mint({});
    expect(made.expires_at - made.created_at).toBe(30 * 86_400);
    const own = await mint({ expires_in_days: 400 });
    expect(own.expires_at - own.created_at).toBe(400 * 86_400);
  } finally {
    await app.close();
  }
});

// Findings S9 and S16.
it("the audit chain tells two tokens of one name apart", async () => {
  const app = await startApp({ jobs: false });
  try {
    const { id, admin } = await app.org();
    const mint = async (token: string, name: string) =>
      (await app.rest("POST", "/v0/orgs/acme/tokens", { name, scope: "admin" }, token)).body;
    const [one, two] = [await mint(admin, "twin"), await mint(admin, "twin")];
    for (const { token } of [one, two]) await mint(token, "made");
    const lines = (await app.service.store.forOrg(id).audit.list({ limit: 2 })).items;
    expect(lines.map(({ by, fields }) => [by, fields.caller_token])).toEqual([
      ["token:twin", two.id],
      ["token:twin", one.id],
    ]);
  } finally {
    await app.close();
  }
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { dial, socketPath } from "../../src/leadership/socket.ts";
import { svcHere } from "../cli/svc-here.ts";
import { runSvc, StdioClient, startServe } from "../helpers/process.ts";

// Each test starts several processes of the whole service, which takes its time on a busy machine.

const folders: string[] = [];
const clients: StdioClient[] = [];
const served: Awaited<ReturnType<typeof startServe>>[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "svc-stdio-"));
  folders.push(made);
  return made;
}
function client(dataDir: string, args: string[] = []): StdioClient {
  const made = new StdioClient(args, { SVC_DATA_DIR: dataDir });
  clients.push(made);
  return made;
}
async function serve(dataDir: string, env: Record<string, string> = {}) {
  const made = await startServe(dataDir, env);
  served.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((made) => made.end()));
  for (const { child } of served.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    }
  }
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

describe("over stdio", () => {
  it("the local person works in an org of their own, and standard output holds the protocol alone", async () => {
    const dataDir = folder();
    const local = client(dataDir);
    await local.initialize();
    expect((await local.call("whoami")).body).toEqual({
      kind: "local",
      name: "local",
      scope: "admin",
      org: "local",
      global: false,
    });
    local.child.stdin.write("this is no message\n");
    await expect
      .poll(() => local.received.some((message) => (message.error as { code?: number })?.code === -32700))
      .toBe(true);
    expect((await local.request("tools/call", { name: "nope" })).error).toMatchObject({ code: -32602 });
    expect(await local.end()).toBe(0);
    expect(local.stray).toEqual([]);
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    expect(readdirSync(dataDir)).toContain("store.db");
  });

  it("the local person follows their org through a new tag, and begins anew when it is deleted", async () => {
    const local = client(folder());
    await local.initialize();
    await local.call("members_post", { email: "ann@example.com", name: "Ann" });
    expect((await local.call("org_rename", { to: "renamed" })).body).toMatchObject({ org: "renamed", was: "local" });
    expect((await local.call("whoami")).body).toMatchObject({ kind: "local", org: "renamed" });
    expect((await local.call("members_list", { orgtag: "renamed" })).body?.members).toHaveLength(1);
    expect((await local.call("org_delete", { confirm: "renamed" })).body).toMatchObject({ deleted: true });
    expect((await local.call("whoami")).body).toMatchObject({ kind: "local", org: "local" });
    expect((await local.call("members_list")).body?.members).toEqual([]);
  });

  it("answers what is under way when the input ends", async () => {
    const lines = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      { id: 2, method: "tools/call", params: { name: "whoami", arguments: {} } },
    ];
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
    const { code, stdout } = await runSvc([], { SVC_DATA_DIR: folder() }, input);
    expect(code).toBe(0);
    const ids = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids.sort()).toEqual([1, 2]);
  });

  it("narrows the list by its options, and refuses unknown chapters in words", async () => {
    const dataDir = folder();
    const narrow = client(dataDir, ["stdio", "--chapters", "organization", "--scope", "read"]);
    await narrow.initialize();
    const { result } = (await narrow.request("tools/list")) as { result: { tools: { name: string }[] } };
    expect(result.tools.map((tool) => tool.name)).toContain("whoami");
    expect(result.tools.map((tool) => tool.name)).not.toContain("org_tokens_post");
    const wrong = client(dataDir, ["stdio", "--chapters", "nonsense"]);
    expect(await wrong.request("tools/list")).toMatchObject({
      error: { message: expect.stringContaining("Unknown chapters") },
    });
  });
});

describe("several processes on one data folder", () => {
  // Finding S13.
  it("see the same records: a server and two clients", async () => {
    const dataDir = folder();
    const { url, lines } = await serve(dataDir);
    // A server's lines end in logs, which more people read than may have the token.
    const kept = join(dataDir, "operator-token");
    await expect.poll(() => lines.join("\n")).toContain(`The service-wide token is in ${kept}`);
    expect(lines.join("\n")).not.toContain("svc_op_");
    if (process.platform !== "win32") expect(statSync(kept).mode & 0o777).toBe(0o600);
    const operator = readFileSync(kept, "utf8").trim();
    const [a, b] = [client(dataDir), client(dataDir)];
    await Promise.all([a.initialize(), b.initialize()]);
    const { body } = await a.call("org_tokens_post", { name: "from-a", scope: "read" });
    const listed = (await b.call("org_tokens_list")).body as { tokens: { name: string }[] };
    expect(listed.tokens.map((token) => token.name)).toEqual(["from-a"]);
    const whoami = async (token: unknown) =>
      (await (await fetch(`${url}/v0/whoami`, { headers: { authorization: `Bearer ${token}` } })).json()) as unknown;
    expect(await whoami(body?.token)).toMatchObject({ kind: "org", org: "local", name: "from-a" });
    expect(await whoami(operator)).toMatchObject({ kind: "operator" });
  });

  it("a server that starts later serves what the first process owns, without letting its callers in as local", async () => {
    const dataDir = folder();
    const first = client(dataDir);
    await first.initialize();
    const token = (await first.call("org_tokens_post", { name: "t", scope: "read" })).body?.token;
    const { url } = await serve(dataDir);
    const get = (headers: Record<string, string>) => fetch(`${url}/v0/whoami`, { headers });
    expect(await (await get({ authorization: `Bearer ${token}` })).json()).toMatchObject({ org: "local" });
    expect((await get({ "x-svc-local": "1" })).status).toBe(401);
  });

  // Finding S3.
  it("are let in as local by the secret of a file that only their user reads, and by nothing else", async () => {
    const dataDir = folder();
    const first = client(dataDir);
    await first.initialize();
    const path = join(dataDir, "owner.secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const socketFile = socketPath(dataDir);
    const status = (local: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host: "localhost", "x-svc-local": local };
        request({ socketPath: socketFile, path: "/v0/whoami", headers }, (res) => {
          res.resume();
          resolve(res.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect([await status("1"), await status(""), await status("A".repeat(43))]).toEqual([401, 401, 401]);
    expect(await status(readFileSync(path, "utf8"))).toBe(200);
  });

  it("go on when the owner is killed: the next takes over, and every client keeps its connection", async () => {
    const dataDir = folder();
    const [first, second, third] = [client(dataDir), client(dataDir), client(dataDir)];
    await first.initialize();
    await Promise.all([second.initialize(), third.initialize()]);
    const { url } = await serve(dataDir);
    const token = (await first.call("org_tokens_post", { name: "kept", scope: "read" })).body?.token;
    await first.kill("SIGKILL");
    const answers = await Promise.all([second.call("org_tokens_list"), third.call("org_tokens_list")]);
    for (const { body } of answers)
      expect((body as { tokens: { name: string }[] }).tokens.map(({ name }) => name)).toEqual(["kept"]);
    const through = await fetch(`${url}/v0/whoami`, { headers: { authorization: `Bearer ${token}` } });
    expect(through.status).toBe(200);
    expect((await second.call("org_tokens_post", { name: "after", scope: "read" })).error).toBeUndefined();
  });

  it("take over without being asked: jobs go on although nobody calls", async () => {
    const dataDir = folder();
    const first = client(dataDir);
    await first.initialize();
    await serve(dataDir);
    const answers = () =>
      dial(socketPath(dataDir)).then(
        (socket) => socket.destroy().destroyed,
        () => false,
      );
    expect(await answers()).toBe(true);
    await first.kill("SIGKILL");
    await expect.poll(answers).toBe(true);
  });

  it("hold one owner through a rush of starts and kills, and lose nothing that was answered", async () => {
    const dataDir = folder();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const [doomed, next] = [client(dataDir), client(dataDir)];
      await doomed.initialize();
      await next.initialize();
      const writes = Array.from({ length: 20 }, async (_, n) => {
        const name = `r${round}-${n}`;
        const { error } = await next.call("org_tokens_post", { name, scope: "read" });
        if (error) expect(error).toMatchObject({ error: "unavailable", reason: expect.stringContaining("unknown") });
        else acknowledged.push(name);
      });
      await new Promise((resolve) => setTimeout(resolve, 10 * round));
      await doomed.kill("SIGKILL");
      await Promise.all(writes);
    }
    const last = client(dataDir);
    await last.initialize();
    const { body } = await last.call("org_tokens_list", { limit: 500 });
    const names = (body as { tokens: { name: string }[] }).tokens.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the command line", () => {
  it("makes an org with tokens shown once, and lists and calls tools for the local person", async () => {
    const dataDir = folder();
    const made = await runSvc(["init", "--org", "acme"], { SVC_DATA_DIR: dataDir });
    expect(made.stdout).toMatch(/^SVC_ORG=acme\nSVC_TOKEN=svc_org_[\w-]{43}\nSVC_OPERATOR_TOKEN=svc_op_[\w-]{43}\n$/);
    const again = await svcHere(["init", "--org", "acme"], { SVC_DATA_DIR: dataDir });
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: "svc: An org of this tag exists already.\n" });
    const called = await svcHere(["call", "org_tokens_post", "name=cli", "scope=read", "expires_in_days=2"], {
      SVC_DATA_DIR: dataDir,
    });
    expect(JSON.parse(called.stdout)).toMatchObject({ status: 201, body: { name: "cli" } });
    const refused = await svcHere(["call", "org_tokens_post", "name=cli"], { SVC_DATA_DIR: dataDir });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: "bad_request", fields: [{ path: "scope" }] });
    const listed = await svcHere(["tools", "--chapters", "organization"], { SVC_DATA_DIR: dataDir });
    expect(listed.stdout).toContain("whoami\tRead who is calling\n");
    const token = /SVC_TOKEN=(\S+)/.exec(made.stdout)?.[1] ?? "";
    const { url } = await serve(dataDir);
    const remote = await svcHere(["whoami"], { SVC_URL: url, SVC_TOKEN: token, SVC_ORG: "acme" });
    expect(JSON.parse(remote.stdout)).toMatchObject({ body: { kind: "org", org: "acme", scope: "admin" } });
    const unknown = await svcHere(["whoami"], { SVC_URL: url, SVC_TOKEN: "svc_org_wrong" });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("unknown") });
  });

  it("says in one line which setting is wrong", async () => {
    const { code, stderr } = await svcHere(["serve"], { SVC_DATA_DIR: folder(), SVC_PORT: "no" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "svc: SVC_PORT must be a port from 0 to 65535.\n" });
  });
});

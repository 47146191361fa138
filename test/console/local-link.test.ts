import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleLines } from "../../src/commands/commands.ts";
import { readConfig } from "../../src/config.ts";
import { LOCAL_LINK_PATH } from "../../src/console/local-link.ts";
import { type Serving, serve } from "../../src/serve.ts";
import { Browser } from "../helpers/browser.ts";
import { runSvc } from "../helpers/process.ts";

const folder = mkdtempSync(join(tmpdir(), "local-link-"));
let serving: Serving;
beforeAll(async () => {
  serving = await serve(readConfig({ SVC_DATA_DIR: folder, SVC_PORT: "0", SVC_LOG_LEVEL: "error" }));
});
afterAll(async () => {
  await serving.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The link in what `svc serve` says on a terminal. */
async function link(): Promise<string> {
  const lines = await consoleLines(serving, true);
  return /http:\S+\/console\/invite\/\S+/.exec(lines.join("\n"))?.[0] ?? "";
}

// Finding E26; the link of svc serve is the next tests'.
it("the address alone leads to the console", async () => {
  const res = await fetch(`${serving.url}/`, { redirect: "manual" });
  expect([res.status, res.headers.get("location")]).toEqual([303, "/console"]);
});

describe("the link for the person at this machine", () => {
  it("signs them in as an admin, once, by its button", async () => {
    const at = await link();
    expect(at.startsWith(serving.url)).toBe(true);
    const path = new URL(at).pathname;
    const browser = new Browser(serving.url);
    expect((await browser.get(path)).text).toContain("Sign in as local");
    expect((await browser.get("/console")).status).toBe(401);
    expect(await browser.post(path, {})).toMatchObject({ status: 303, location: "/console" });
    expect((await browser.get("/console/members")).status).toBe(200);
    expect((await new Browser(serving.url).post(path, {})).status).toBe(404);
  });

  it("ends the link before it", async () => {
    const [first, second] = [await link(), await link()];
    expect((await fetch(first)).status).toBe(404);
    expect((await fetch(second)).status).toBe(200);
  });

  it("is none of other machines, of other names of this one, and of what a proxy passes on", async () => {
    const at = await link();
    for (const headers of [
      { "x-forwarded-for": "203.0.113.7" },
      { forwarded: "for=203.0.113.7" },
      { via: "1.1 proxy" },
    ])
      expect((await fetch(at, { headers })).status).toBe(404);
    // A proxy that says nothing of itself still speaks under its own name.
    const { default: http } = await import("node:http");
    const { port } = new URL(at);
    const status = await new Promise((resolve) =>
      http
        .get({ host: "127.0.0.1", port, path: new URL(at).pathname, headers: { host: "203.0.113.9" } }, (res) =>
          resolve(res.resume().statusCode),
        )
        .end(),
    );
    expect(status).toBe(404);
    // All of these used nothing up.
    expect((await fetch(at)).status).toBe(200);
  });

  it("is asked for over the owner's socket and not over the network, whatever a request says of itself", async () => {
    const headers = { "x-svc-local": "1" };
    expect((await fetch(`${serving.url}${LOCAL_LINK_PATH}`, { method: "POST", headers })).status).toBe(404);
    const guest = await serve(readConfig({ SVC_DATA_DIR: folder, SVC_PORT: "0", SVC_LOG_LEVEL: "error" }));
    try {
      expect((await fetch(`${guest.url}${LOCAL_LINK_PATH}`, { method: "POST", headers })).status).toBe(404);
      // In front of the owner the link leads to the owner itself, where its sender can be told.
      expect((await consoleLines(guest, true)).join("\n")).toContain(`${serving.url}/console/invite/`);
      const passedOn = (await link()).replace(serving.url, guest.url);
      expect((await fetch(passedOn)).status).toBe(404);
    } finally {
      await guest.close();
    }
  });

  it("is not written where others may read it", async () => {
    expect((await consoleLines(serving, false)).join("\n")).not.toContain("/invite/");
  });

  it("comes from svc console while something serves, and else is told where to get it", async () => {
    const served = await runSvc(["console", "--json"], { SVC_DATA_DIR: folder });
    expect(served.code, served.stderr).toBe(0);
    const { url, expires_at } = JSON.parse(served.stdout) as { url: string; expires_at: number };
    expect((await fetch(url)).status).toBe(200);
    expect(expires_at - Date.now() / 1000).toBeLessThanOrEqual(600);
    const alone = await runSvc(["console"], { SVC_DATA_DIR: join(folder, "other") });
    expect({ code: alone.code, stdout: alone.stdout }).toEqual({ code: 1, stdout: "" });
    expect(alone.stderr).toContain("Start svc serve");
  });
});

describe("a failure of the machine is one sentence with the way out, and status 2", () => {
  // Finding E19.
  it("a port that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await runSvc(["serve", "--port", `${port}`], { SVC_DATA_DIR: join(folder, "p") });
    server.close();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`^svc: Something listens on 127.0.0.1:${port} already\\. .*--port or SVC_PORT.*svc doctor.*\n$`),
    );
  });

  it("a data folder that is a file", async () => {
    const { code, stderr } = await runSvc(["whoami"], { SVC_DATA_DIR: "/dev/null/data" });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^svc: A file stands where a folder is needed: "\/dev\/null\/data"\. SVC_DATA_DIR .*\n$/);
  });
});

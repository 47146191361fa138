import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readExchanges } from "../../chapters/evidence/documents/contents.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { startApp } from "../helpers/app.ts";

const CHROMIUM = "/usr/bin/chromium";
const PLANTED = "planted-credential-7";

const PAGE = `<!doctype html><html><head><link rel="stylesheet" href="/style.css"></head><body>
<script>
  document.cookie = "seen=${PLANTED}-cookie";
  const headers = { authorization: "Bearer ${PLANTED}-bearer", "content-type": "application/json" };
  const done = [
    fetch("/api/orders/7?expand=1&access_token=${PLANTED}-query", { headers }),
    fetch("/api/orders", { method: "POST", headers, body: JSON.stringify({ item: "shoe", password: "${PLANTED}-json" }) }),
    fetch("/login", { method: "POST", body: new URLSearchParams({ user: "ann", password: "${PLANTED}-form" }) }),
    fetch("/api/orders/none"),
  ];
  const read = done.map((each) => each.then((response) => response.text()));
  Promise.all(read).then(() => { document.title = "done"; });
</script></body></html>`;

/** A shop that answers JSON, sets a cookie and serves a page with a style. */
function shop(): Server {
  return createServer((request, response) => {
    const json = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json", "set-cookie": `sid=${PLANTED}-set; Path=/` });
      response.end(JSON.stringify(value));
    };
    const path = request.url ?? "/";
    if (path === "/") response.setHeader("content-type", "text/html").end(PAGE);
    else if (path === "/style.css") response.setHeader("content-type", "text/css").end("p{}");
    else if (path === "/login") json(200, { access_token: `${PLANTED}-token`, user: { id: 7 } });
    else if (path.startsWith("/api/orders/7")) json(200, { id: 7, total: 31.5 });
    else if (path === "/api/orders") json(201, { id: 8 });
    else json(404, { error: "no such order" });
  });
}

let server: Server;
let url: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-har-"));
  server = shop();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function recorded(): Promise<Buffer> {
  const path = join(folder, "shop.har");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ recordHar: { path, content: "embed" } });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => document.title === "done");
    await context.close();
  } finally {
    await browser.close();
  }
  return readFileSync(path);
}

it("a HAR that Chromium recorded is a capture of the API's exchanges, without any credential", async () => {
  const har = await recorded();
  for (const where of ["bearer", "query", "json", "form", "token", "set", "cookie"])
    expect(har.toString("utf8"), where).toContain(`${PLANTED}-${where}`);
  const app = await startApp();
  try {
    const org = await app.org();
    const posted = await app.rest("POST", "/v0/evidence", har, org.push, { "content-type": "application/json" });
    expect([posted.status, posted.body.kind, posted.body.format]).toEqual([201, "http_capture", "har"]);
    expect(posted.body).toMatchObject({ admitted: 5, line: "5 exchanges, read as har; 0 refused." });
    expect(posted.body.stats.losses.static_resource).toBeGreaterThan(0);
    expect(posted.body.stats.stripped_credentials).toBeGreaterThanOrEqual(8);

    const store = app.service.store.forOrg(org.id);
    const record = await store.records.get(Evidence, posted.body.id);
    const exchanges = await readExchanges({ store } as never, record as never);
    expect(JSON.stringify(exchanges)).not.toContain(PLANTED);
    const told = exchanges.map(({ method, url: address, status }) => [method, address.slice(url.length), status]);
    expect(told.sort()).toEqual([
      ["GET", "/", 200],
      ["GET", "/api/orders/7?expand=1&access_token=", 200],
      ["GET", "/api/orders/none", 404],
      ["POST", "/api/orders", 201],
      ["POST", "/login", 200],
    ]);
    const bodies = Object.fromEntries(exchanges.map((each) => [`${each.method} ${each.status}`, each]));
    expect(bodies["POST 201"]?.request.body).toEqual({ item: "shoe", password: "" });
    expect(bodies["POST 200"]?.request.body).toEqual({ user: "ann", password: "" });
    expect(bodies["POST 200"]?.response.body).toEqual({ access_token: "", user: { id: 7 } });
    expect(bodies["GET 404"]).toMatchObject({ response: { body: { error: "no such order" } }, ms: expect.any(Number) });
  } finally {
    await app.close();
  }
});

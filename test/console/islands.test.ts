import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker, startApp, type TestApp } from "../helpers/app.ts";
import { Browser } from "../helpers/browser.ts";
import { memberIn } from "./kit.ts";

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await memberIn({ app }, invoker(app, "rest", await app.org()), "ann"));
});
afterAll(() => app.close());

it("pages name the script that starts islands; it is kept under its version and nothing else is served there", async () => {
  const home = await browser.get("/console");
  const src = home.root.querySelector("head script[type=module]")?.getAttribute("src") ?? "";
  expect(home.headers["content-security-policy"]).toContain("script-src 'self'; connect-src 'self'");
  const meta = home.root.querySelector("meta[http-equiv=Content-Security-Policy]")?.getAttribute("content");
  expect(meta).toContain("script-src 'self'");
  // Whoever asks gets it: a page that is refused may be read by nobody who is signed in.
  const script = await new Browser(app.url).get(src);
  expect(script).toMatchObject({ status: 200, headers: { "content-type": "text/javascript; charset=utf-8" } });
  expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(script.html).toContain("export async function startIslands");
  // A page that was opened before an upgrade asks by the old version: it gets what there is, and keeps none of it.
  const older = await browser.get(src.replace(/islands\/\w+/, "islands/0000"));
  expect([older.status, older.headers["cache-control"]]).toEqual([200, "no-store"]);
  for (const name of ["none.js", "islands.ts", "..%2fstyle.ts", "islands.js%00", ""])
    expect((await browser.get(src.replace("islands.js", name))).status, name).toBe(404);
});

it("a page that refuses, and the one that signs in, run no script", async () => {
  const refused = await browser.get("/console/groups/rg_none");
  expect([refused.status, refused.html.includes("<script")]).toEqual([404, false]);
});

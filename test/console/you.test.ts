import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker, startApp, type TestApp } from "../helpers/app.ts";
import type { Browser } from "../helpers/browser.ts";
import { memberIn } from "./kit.ts";

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  ({ browser } = await memberIn({ app }, invoker(app, "rest", org), "ann", "admin"));
});
afterAll(() => app.close());

it("lets a member change their own name, and says that it is kept", async () => {
  const page = await browser.get("/console/you");
  expect(page.root.querySelector("input[name=name]")?.getAttribute("value")).toBe("ann");
  expect(page.root.querySelector("main a[href='/console/tokens']")).not.toBeNull();
  const saved = await browser.submit(page, "/console/you/name", { name: "Ann <b>Lee</b>" });
  expect(saved.root.querySelector("[role=status]")?.text).toBe("Saved.");
  expect(saved.root.querySelector("dl.facts dd")?.text).toBe("Ann <b>Lee</b>");
  expect((await browser.submit(saved, "/console/you/name", { name: " " })).status).toBe(400);
});

it("says when each token expires", async () => {
  const page = await browser.get("/console/tokens");
  const fields = { name: "CI", scope: "read", expires_in_days: "7" };
  const made = await browser.submit(page, "/console/tokens", fields);
  const row = made.root.querySelectorAll("tbody tr").find((each) => each.text.startsWith("CI"));
  const day = new Date((app.service.now() + 7 * 86_400) * 1000).toISOString().slice(0, 10);
  expect(row?.querySelectorAll("td")[5]?.text).toContain(day);
});

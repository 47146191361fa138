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

it("says that its mail is that of incidents too", async () => {
  const page = await browser.get("/console/you");
  const mail = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Mail");
  expect(mail?.querySelector("label")?.text.trim()).toBe("Send me mail");
  expect(mail?.text).toContain("the weekly mail, and a mail for each incident");
});

it("says when each token expires", async () => {
  const page = await browser.get("/console/tokens");
  const fields = { name: "CI", scope: "read", expires_in_days: "7" };
  const works = (each: typeof page) =>
    (each.root.querySelector(".verdict")?.text.match(/^(\d+) tokens? .* (\d+) read\.$/) ?? []).slice(1).map(Number);
  const made = await browser.submit(page, "/console/tokens", fields);
  // The headline counts it, by its scope.
  expect(works(page)).toHaveLength(2);
  expect(works(made)).toEqual(works(page).map((n) => n + 1));
  const row = made.root.querySelectorAll("tbody tr").find((each) => each.text.startsWith("CI"));
  const day = new Date((app.service.now() + 7 * 86_400) * 1000).toISOString().slice(0, 10);
  const column = made.root.querySelectorAll("thead th").findIndex((each) => each.text.startsWith("Expires"));
  expect(row?.querySelectorAll("td")[column]?.text).toContain(day);
});

it("tells admins who signed in when, who was last here, and whose link still waits", async () => {
  const org = invoker(app, "rest", { ...(await app.org("seen")) });
  const { browser: boss } = await memberIn({ app }, org, "bo", "admin");
  await memberIn({ app }, org, "cy");
  await org("members_post", { email: "dee@example.com", name: "dee", role: "member" });
  const page = await boss.get("/console/members");
  const minute = new Date(app.service.now() * 1000).toISOString().slice(0, 13).replace("T", " ");
  const cells = (name: string) =>
    page.root
      .querySelectorAll("tbody tr")
      .find((row) => row.text.includes(`${name}@example.com`))
      ?.querySelectorAll("td")
      .slice(3, 5)
      .map(({ text }) => text) ?? [];
  for (const name of ["bo", "cy"])
    expect(cells(name), name).toEqual([expect.stringContaining(minute), expect.stringContaining(minute)]);
  expect(cells("dee")[0]).toMatch(/^not yet; a link waits until \d{4}-/);
  // What each may do stands beside the name, and in a sentence what a role is.
  const [, acts, role] = (
    page.root
      .querySelectorAll("tbody tr")
      .find((row) => row.text.includes("cy@"))
      ?.querySelectorAll("td") ?? []
  ).map(({ text }) => text.trim());
  expect([acts, role]).toEqual([expect.stringContaining("Change role"), "member"]);
  expect(page.text).toMatch(
    /A viewer looks at everything and changes nothing\. A member reads .* An admin also adds and removes people/,
  );
  const signIns = page.root
    .querySelectorAll("details")
    .find((each) => each.querySelector("summary")?.text.startsWith("Sign-ins"))
    ?.querySelectorAll("tbody tr")
    .map((row) => row.querySelectorAll("td")[1]?.text);
  expect(signIns).toEqual(["cy", "bo"]);
});

it("sets the budget of a day by a form, and takes it back to the default", async () => {
  const org = invoker(app, "rest", { ...(await app.org("spender")) });
  const { browser: cy } = await memberIn({ app }, org, "cy");
  const budget = async () => (await org("spend_summary")).body.today;
  const before = await budget();
  const page = await cy.get("/console/spend");
  expect(page.root.querySelector("input[name=usd_per_day]")?.getAttribute("value")).toBe(String(before.usd_per_day));
  const set = await cy.submit(page, "/console/spend/budget", { usd_per_day: "2.50" });
  expect(set.root.querySelector("[role=status]")?.text).toContain("$2.50 a day");
  expect(await budget()).toMatchObject({ usd_per_day: 2.5, source: "org", set_by: "cy" });
  for (const wrong of ["-1", "much", " "])
    expect((await cy.submit(set, "/console/spend/budget", { usd_per_day: wrong })).status, wrong).toBe(400);
  await cy.submit(set, "/console/spend/budget/default");
  expect(await budget()).toMatchObject({ usd_per_day: before.usd_per_day, source: before.source });
  expect((await cy.get("/console/spend")).html).not.toContain("/console/spend/budget/default");
});

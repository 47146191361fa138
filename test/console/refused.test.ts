import { parse } from "node-html-parser";
import { h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tick } from "../../src/console/forms.ts";
import { refilled } from "../../src/console/refused.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann", "admin"));
});
afterAll(() => worked.close());

/** Sends a form of a page as a browser does, with where it was sent from. */
async function send(place: string, action: string, fields: Record<string, string>) {
  const page = await browser.get(place);
  const referer = `${worked.app.url}${place}`;
  return browser.post(action, { ...carried(page, action), ...fields }, { referer });
}
const fieldOf = (page: BrowserPage, name: string) => page.root.querySelector(`#refused [name=${name}]`);

it("shows a refused form again with what was written in it, and beside the field why it was refused", async () => {
  const words = { name: `Bea "the <b>boss</b>"`, email: "no address", role: "admin" };
  const page = await send("/console/members", "/console/members", words);
  expect([page.status, page.root.querySelector("h1")?.text]).toEqual([400, "Members"]);
  expect(fieldOf(page, "name")?.attributes.value).toBe(words.name);
  const email = fieldOf(page, "email");
  expect([email?.attributes.value, email?.attributes["aria-invalid"]]).toEqual([words.email, "true"]);
  const why = page.root.querySelector(`#${email?.attributes["aria-describedby"]}`)?.text;
  expect(why).toMatch(/\w/);
  expect(page.root.querySelector("[role=alert] a")?.attributes.href).toBe("#refused");
  expect(page.root.querySelectorAll("#refused option[selected]").map((each) => each.attributes.value)).toEqual([
    "admin",
  ]);
  expect(fieldOf(page, "name")?.attributes["aria-invalid"]).toBeUndefined();
  // It is a form like any other: what is mended in it is taken.
  const mended = await browser.submit(page, "/console/members", { ...words, email: "bea@example.com" });
  expect([mended.status, mended.text]).toEqual([200, expect.stringContaining("bea@example.com")]);
});

it("names the field of a token's days as the form does", async () => {
  const page = await send("/console/tokens", "/console/tokens", { name: "CI", scope: "push", expires_in_days: "soon" });
  expect(page.status).toBe(400);
  const days = fieldOf(page, "expires_in_days");
  expect([days?.attributes.value, days?.attributes["aria-invalid"]]).toEqual(["soon", "true"]);
  const alert = page.root.querySelector("[role=alert]");
  expect(alert?.text).not.toContain("see fields");
  const label = page.root.querySelector(`#refused label[for=${days?.attributes.id}]`)?.text ?? "no label";
  expect(page.root.querySelector("[role=alert] + ul li")?.text.startsWith(`${label}: `)).toBe(true);
  expect(fieldOf(page, "name")?.attributes.value).toBe("CI");
});

it("keeps what was written in many lines and its ticks, of one form alone where several go to one place", async () => {
  const markdown = "# Seen\n\n<b>All</b> of it.";
  const page = await send("/console/reports", "/console/reports", { title: " ", markdown, whole: "yes" });
  expect(page.status).toBe(400);
  expect(fieldOf(page, "markdown")?.text).toContain("# Seen");
  expect(fieldOf(page, "whole")?.attributes).toHaveProperty("checked");

  const task = `/console/sandboxes/${worked.environment}/tasks/0`;
  const again = await send(task, `${task}/correct`, { fact: "0", literal: "", aliases: "" });
  expect(again.status).toBe(400);
  expect(again.root.querySelectorAll("#refused")).toHaveLength(1);
  expect(again.root.querySelector("#refused input[name=fact]")?.attributes.value).toBe("0");
});

it("names a box to tick by its label, and says beside it why it was refused", () => {
  const form = new URLSearchParams({ mail: "perhaps" });
  const fields = [{ path: "mail", message: "must be yes" }];
  const refused = { place: "/you", form, fields, shown: false, labels: new Map<string, string>() };
  const shown = renderToStaticMarkup(h("form", null, refilled(refused, tick("mail", "Send me the weekly mail", true))));
  expect(refused.labels.get("mail")).toBe("Send me the weekly mail");
  const root = parse(shown);
  const box = root.querySelector("label input[name=mail]");
  expect([box?.attributes.checked, box?.attributes["aria-invalid"]]).toEqual([undefined, "true"]);
  expect(root.querySelector(`#${box?.attributes["aria-describedby"]}`)?.text).toBe("must be yes");
});

it("leads back where the page no longer has the form, and takes no page of elsewhere", async () => {
  const { token = "" } = carried(await browser.get("/console/tokens"), "/console/tokens");
  const gone = await browser.post("/console/tokens/tok_none/revoke", { token });
  expect([gone.status, gone.root.querySelector("h1")?.text]).toEqual([404, "Not found"]);
  for (const referer of ["https://a.example/console/spend", `${worked.app.url}/console/traces/%E0%A4%A`]) {
    const page = await browser.post("/console/members", { token, name: "x", email: "y" }, { referer });
    expect([page.status, page.html.includes("a.example")]).toEqual([400, false]);
  }
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { BundleRecord, Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { keyOf } from "../../../src/console/sandbox/world-rows.ts";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { hrefs, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
let place: string;
let desk: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
  place = `/console/sandboxes/${worked.environment}`;
  const built = await buildDesk(worked.invoke, "desk", 12);
  desk = built.environments[0].id;
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const records = () => worked.app.service.store.forOrg(worked.org.id).records;
const post = async (tool: string, args: Record<string, unknown>) => (await worked.invoke(tool, args)).body;

it("a sandbox shows its world before its tasks; a table opens with its rows, searched and paged", async () => {
  const place = `/console/sandboxes/${desk}`;
  const sandbox = await browser.get(place);
  const headings = sandbox.root.querySelectorAll("h2").map(({ text }) => text);
  expect(headings.indexOf("The world")).toBeGreaterThan(-1);
  expect(headings.indexOf("The world")).toBeLessThan(headings.indexOf("Tasks"));
  const environment = desk;
  const drawn = (await records().get(Environment, environment))?.rows ?? {};
  const [name = ""] = Object.keys(drawn).sort((a, b) => (drawn[b]?.rows ?? 0) - (drawn[a]?.rows ?? 0));
  const way = `${place}/world?table=${name}`;
  expect(hrefs(sandbox)).toContain(way);
  // The way on in its tasks stands below them, not below its world.
  expect(sandbox.html.indexOf("Download as CSV")).toBeGreaterThan(sandbox.html.indexOf("<h2>Tasks</h2>"));
  expect(sandbox.html.indexOf("Download as CSV")).toBeLessThan(sandbox.html.indexOf("What review proved"));
  const { rows, total } = await post("environment_world_table", { env_id: environment, table: name, limit: 500 });
  expect(total).toBeGreaterThan(25);
  const page = await browser.get(way);
  const keys = (of: BrowserPage) => of.root.querySelectorAll("tbody tr td:first-child").map(({ text }) => text);
  const all = rows.map(({ key }: { key: string }) => key);
  expect(keys(page)).toEqual(all.slice(0, 25));
  const next = page.root.querySelector("a[rel=next]")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "";
  expect(keys(await browser.get(next))).toEqual(all.slice(25, 50));
  const one = await browser.get(`${way}&q=${encodeURIComponent(all[30].toUpperCase())}`);
  expect(keys(one)).toContain(all[30]);
  expect(keys(one).length).toBeLessThan(25);
  expect(one.root.querySelector("tbody .json")?.text).toContain(JSON.stringify(Object.keys(rows[30].row)[0]));
  expect(told(await browser.get(`${way}&q=nothing-has-this`))).toContain("No row has these words.");
  expect((await browser.get(`${place}/world?table=none`)).status).toBe(404);
});

it("a world opens on a table of its system, and a row from evidence leads to the traces that say its key", async () => {
  const before = (await records().get(Environment, desk))?.rows ?? {};
  const [first = ""] = Object.keys(before).sort();
  await records().update(Environment, desk, (doc) => ({
    ...doc,
    rows: { asked_a_search: { rows: 1, drawn: 0 }, ...doc.rows },
  }));
  const page = await browser.get(`/console/sandboxes/${desk}/world`);
  const sandbox = await browser.get(`/console/sandboxes/${desk}`);
  await records().update(Environment, desk, (doc) => ({ ...doc, rows: before }));
  expect(page.root.querySelector(".verdict")?.text).toContain(`${first}: `);
  const options = page.root.querySelectorAll("select[name=table] option").map((each) => each.getAttribute("value"));
  expect(options.at(-1)).toBe("asked_a_search");
  const named = sectionOf(sandbox, "The world")
    .querySelectorAll("tbody tr")
    .map((row) => row.querySelector("td")?.text);
  expect(named).toEqual(options);
  const seen = page.root
    .querySelectorAll("tbody a")
    .flatMap((each) => each.getAttribute("href")?.replaceAll("&amp;", "&") ?? []);
  expect(seen.length).toBeGreaterThan(0);
  for (const href of seen)
    expect((await browser.get(href)).root.querySelectorAll("tbody tr").length, href).toBeGreaterThan(0);
});

it("a task is added from the list of all: to the sandbox that is chosen", async () => {
  const list = await browser.get("/console/review");
  const form = list.root.querySelectorAll("form").find((each) => each.querySelector("select[name=add]"));
  const options = form?.querySelectorAll("option").map((each) => each.getAttribute("value") ?? "") ?? [];
  expect(options).toEqual(expect.arrayContaining([desk, worked.environment]));
  const path = `${form?.getAttribute("action")}?add=${desk}`;
  expect((await browser.get(path)).location).toBe(`/console/sandboxes/${desk}/new-task`);
  const one = await browser.get(`/console/review?env=${worked.environment}`);
  expect(hrefs(one)).toContain(`${place}/new-task`);
});

it("a key of several parts is told as words", () => {
  expect(keyOf("C-1008\u001fshipped")).toBe("C-1008, shipped");
  expect(keyOf("C-1001\u001f")).toBe("C-1001");
});

it("a sandbox names the evidence that its world was compiled from, where there is any", async () => {
  expect(told(await browser.get(place))).not.toContain("of evidence");
  const page = await browser.get(`/console/sandboxes/${desk}`);
  const bundle = (await records().get(Environment, desk))?.bundle ?? "";
  const [evidence] = (await records().get(BundleRecord, bundle))?.evidence ?? [];
  expect(told(page)).toMatch(/Compiled .* UTC from \d records? of evidence: .*desk \(\d+ traces\)/);
  expect(hrefs(page)).toContain(`/console/evidence/${evidence}`);
});

it("a call is tried on a fresh copy, says who answered it and what it changed, and goes on on that copy", async () => {
  const { environment } = worked;
  const { tools } = await post("environment_tools", { env_id: environment });
  const write = tools.find(({ name }: { name: string }) => name === "cancel_order")?.name ?? tools[0].name;
  const { worlds: before } = await post("worlds_list", { environment });
  const page = await browser.get(`${place}/try?tool=${write}`);
  const args = page.root.querySelector("textarea[name=args]")?.text ?? "";
  expect(Object.keys(JSON.parse(args.replaceAll("&quot;", '"'))).length).toBeGreaterThan(0);
  const broken = await browser.post(
    `${place}/try`,
    { ...carried(page, `${place}/try`), args: "{no" },
    { referer: `${worked.app.url}${place}/try?tool=${write}` },
  );
  expect(broken.status).toBe(400);
  expect(broken.root.querySelector("#refused textarea")?.text).toBe("{no");
  const done = await browser.submit(page, `${place}/try`, { args: args.replaceAll("&quot;", '"') });
  const said = done.root.querySelector("[role=status]")?.structuredText ?? "";
  expect(said).toMatch(/answered (?:data|with an error)/);
  expect(said).toContain("Said by the tool's compiled behaviour");
  const { worlds } = await post("worlds_list", { environment });
  expect(worlds).toHaveLength(before.length + 1);
  const again = await browser.submit(done, `${place}/try`, { args: args.replaceAll("&quot;", '"') });
  expect(again.root.querySelector("[role=status]")).not.toBeNull();
  expect((await post("worlds_list", { environment })).worlds).toHaveLength(worlds.length);
  // The connector token that a world is made with ends at once.
  const { items } = await worked.app.service.store.forOrg(worked.org.id).tokens.list("world", { limit: 100 });
  const own = items.filter(({ world }) => world === worlds[0].id);
  expect(own.map(({ revoked_at: ended }) => ended === null)).toEqual([false]);
});

it("a viewer reads the page and calls nothing", async () => {
  const { browser: looker } = await memberIn(worked, worked.invoke, "vi", "viewer");
  const page = await looker.get(`${place}/try`);
  expect(page.status).toBe(200);
  expect(page.root.querySelector(`main form[method=post]`)).toBeNull();
});

it("what changed a sandbox is listed, opens, and is put back", async () => {
  const { environment: env_id } = worked;
  expect(told(await browser.get(`${place}/revisions`))).toContain("It is as it was made.");
  await post("environment_review_hold", { env_id, index: 0, reason: "Read it again.", grader: "ann" });
  const list = await browser.get(`${place}/revisions`);
  expect(told(list)).toContain("Read it again.");
  const way = hrefs(list).find((each) => each.includes("/revisions/")) ?? "";
  const page = await browser.get(way);
  expect(hrefs(page)).toContain(`${place}/tasks/0`);
  expect(told(page)).toContain("Tasks held");
  expect(told(page)).toMatch(/Read it again\.(?!\.)/);
  const task = async () => (await post("environment_tasks", { env_id })).tasks[0].status;
  expect(await task()).toBe("held");
  const back = await browser.submit(page, `${way}/back`, {});
  expect(await task()).not.toBe("held");
  expect(back.root.querySelectorAll("tbody tr")).toHaveLength(2);
  expect(told(await browser.get(way))).toContain("It was put back");
});

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { memberIn } from "../console/kit.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { axe, tooWide } from "../helpers/look.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { deskTools, deskTraces, ended, ok } from "../tools/sandboxes/kit.ts";

/** Where pictures go for people to look at: a temporary folder, unless one is named. */
const PICTURES = process.env.SVC_PICTURES ?? mkdtempSync(join(tmpdir(), "svc-viewer-"));
const WIDTHS = [390, 1280];
/** What a page may weigh beside the data it shows. */
const MOST_BYTES = 150_000;

let app: TestApp;
let browser: Browser;
let cookies: Parameters<BrowserContext["addCookies"]>[0];
let places: Record<string, string>;
beforeAll(async () => {
  app = await startApp();
  const invoke: Invoke = invoker(app, "rest", await app.org());
  const evidence = (await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(8) }))).body.id;
  await ok(invoke("evidence_post", { surface: "desk", content: deskTools() }));
  const built = await ended(invoke, (await ok(invoke("pipeline_post", { surface: "desk" }))).body.job);
  const environment = built.result.environments[0].id;
  const surface = (await invoke("surfaces_list")).body.surfaces[0].id;
  const run = async (harness: string) => (await runToEnd(invoke, { harness, environment, trials: 2 })).group as string;
  const [main, group] = [await run("reference"), await run("rule")];
  const { tasks, environments } = (await invoke("run_group", { gid: main })).body;
  const written = tasks.find(({ family }: { family: string }) => /write/.test(family)) ?? tasks[0];
  const other = (await invoke("run_group", { gid: group })).body;
  const ref = (of: { environments: { run: string }[] }, n = 1) => `${of.environments[0]?.run}/${written.task}/${n}`;
  const mode = await ok(
    invoke("failure_modes_post", {
      title: "Writes first",
      behaviour: "unverified_write",
      tasks: [written.task],
      by: "ann",
    }),
  );
  const member = await memberIn({ app }, invoke, "ann", "admin");
  cookies = [...member.browser.cookies].map(([name, { value, path }]) => ({
    ...{ name, value, path },
    domain: new URL(app.url).hostname,
  }));
  const traces = (await member.browser.get(`/console/evidence/${evidence}`)).root.querySelectorAll("table tbody a");
  const fidelity = await member.browser.get(`/console/surfaces/${surface}/fidelity`);
  const tools = fidelity.root.querySelectorAll('a[href*="/tools/"]').map((each) => each.getAttribute("href") ?? "");
  const cell = (await member.browser.get("/console/coverage")).root.querySelector('a[href*="/coverage/cell"]');
  places = {
    home: "/console",
    trial: `/console/trials/${environments[0].run}/${written.task}/1`,
    pair: `/console/pair?${new URLSearchParams({ a: ref({ environments }), b: ref(other) })}`,
    task: `/console/tasks/${environment}/${written.task}`,
    evidence: `/console/evidence/${evidence}`,
    trace: traces[0]?.getAttribute("href") ?? "",
    compare: `/console/compare?a=${main}&b=${group}`,
    group: `/console/groups/${group}`,
    trials: `/console/groups/${group}/trials?end=failed`,
    coverage: "/console/coverage",
    cell: (cell?.getAttribute("href") ?? "").replaceAll("&amp;", "&"),
    fidelity: `/console/surfaces/${surface}/fidelity`,
    tool: tools[0] ?? "",
    declare: `${tools[0] ?? ""}/declare`,
    mode: `/console/failure-modes/${mode.body.failure_modes[0].id}`,
    label: "/console/label",
    calibrate: `/console/calibrate?group=${group}&check=state`,
  };
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

async function opened(
  name: string,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<{ page: Page; wrong: string[] }> {
  const context = await browser.newContext(options);
  await context.addCookies(cookies);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong: string[] = [];
  page.on("console", (message) => {
    // A browser asks for an icon of its own accord.
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => request.url().startsWith(app.url) || wrong.push(request.url()));
  await page.goto(app.url + places[name]);
  return { page, wrong };
}

it.each(["light", "dark"] as const)(
  "every page fits, is nothing for axe, and says no error in %s",
  async (colorScheme) => {
    const found: Record<string, string[]> = {};
    for (const name of Object.keys(places)) {
      const { page, wrong } = await opened(name, { colorScheme, bypassCSP: true });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        wrong.push(...(await tooWide(page)).map((what) => `${width}: ${what}`));
        await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        wrong.push(...(await axe(page)).map((what) => `${width}: ${what}`));
      }
      if (wrong.length > 0) found[name] = wrong;
      await page.context().close();
    }
    expect(found).toEqual({});
  },
);

it("every page, its style and its scripts are light beside what they show", async () => {
  const heavy: Record<string, number> = {};
  for (const name of Object.keys(places)) {
    const { page } = await opened(name);
    const bytes = await page.evaluate(() => {
      const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const shown = document.querySelector("main")?.outerHTML.length ?? 0;
      const page = document.documentElement.outerHTML.length;
      return page - shown + resources.reduce((sum, each) => sum + each.decodedBodySize, 0);
    });
    if (bytes > MOST_BYTES) heavy[name] = bytes;
    await page.context().close();
  }
  expect(heavy).toEqual({});
});

it("the keyboard alone goes through a trial: steps, search, links, and on to the next trial", async () => {
  const { page, wrong } = await opened("trial");
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  await page.locator(".tools").waitFor();
  await page.keyboard.press("j");
  expect(await focused()).toBe("step-1");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  expect([await focused(), new URL(page.url()).hash]).toEqual(["step-2", "#step-2"]);
  await page.keyboard.press("/");
  expect(await focused()).toBe("steps-q");
  await page.keyboard.type("answered");
  const shown = await page.locator("ol.timeline > li:visible").count();
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThan(await page.locator("ol.timeline > li").count());
  await page.getByText(/\d+ of \d+ steps hold/).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=answered/);
  const here = page.url();
  await page.locator(".tools").waitFor();
  await page.keyboard.press("]");
  await page.waitForURL((url) => url.href !== here);
  await page.locator(".tools").waitFor();
  // Whoever is in the way of single keys switches them off, and they stay off.
  await page.getByLabel(/Keys: j next step/).uncheck();
  await page.reload();
  await page.locator(".tools").waitFor();
  await page.keyboard.press("j");
  expect(await focused()).toBe("");
  expect(wrong).toEqual([]);
  await page.context().close();
});

it("the sheet behind ? tells exactly the keys that work on its page, and gives the keyboard back", async () => {
  const keys = async (name: string) => {
    const { page, wrong } = await opened(name);
    await page.locator(".tools").waitFor();
    await page.locator("[aria-keyshortcuts]").first().waitFor();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keys on this page" });
    await sheet.waitFor();
    return { page, wrong, sheet, told: await sheet.locator("kbd").allTextContents() };
  };
  const label = await keys("label");
  expect(label.told.toSorted()).toEqual(["?", "Esc", "j", "k", "r", "s", "w"]);
  // While the sheet is open nothing is pressed behind it.
  const here = label.page.url();
  await label.page.keyboard.press("s");
  expect(label.page.url()).toBe(here);
  await label.page.keyboard.press("Escape");
  expect(await label.sheet.count()).toBe(0);
  await label.page.keyboard.press("s");
  await label.page.waitForURL((url) => url.href !== here);
  // What is typed is text.
  await label.page.getByLabel(/What it should have done/).focus();
  await label.page.keyboard.type("why?");
  expect(await label.sheet.count()).toBe(0);
  const calibrate = await keys("calibrate");
  expect(calibrate.told.toSorted()).toEqual(["?", "Esc", "j", "k", "m", "n", "s"]);
  // Keys that were switched off are no keys.
  await calibrate.page.keyboard.press("Escape");
  await calibrate.page.getByLabel(/Keys: j next step/).uncheck();
  await calibrate.page.getByRole("button", { name: "Keys: ?" }).click();
  expect((await calibrate.sheet.locator("kbd").allTextContents()).toSorted()).toEqual(["?", "Esc", "m", "n", "s"]);
  expect([label.wrong, calibrate.wrong]).toEqual([[], []]);
  for (const { page } of [label, calibrate]) await page.context().close();
});

/** Tabs on until what has the focus fits; at most so often as a patient person would. */
async function tabTo(page: Page, fits: (focused: { name: string; href: string; type: string }) => boolean) {
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const at = document.activeElement as HTMLInputElement & HTMLAnchorElement;
      return { name: at.textContent?.trim() ?? "", href: at.getAttribute("href") ?? "", type: at.type ?? "" };
    });
    if (fits(focused)) return;
  }
  throw new Error(`the keyboard does not reach it on ${page.url()}`);
}

it("the keyboard alone goes from the first page to two runs compared, a flipped task, its trial, and a note on it", async () => {
  const { page, wrong } = await opened("home");
  await tabTo(page, ({ href }) => href === "/console/groups");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
  for (let i = 0; i < 2; i++) {
    await tabTo(page, ({ type }) => type === "checkbox");
    await page.keyboard.press("Space");
  }
  await tabTo(page, ({ name }) => name === "Compare the ticked");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What flipped" }).waitFor();
  await tabTo(page, ({ href }) => href.startsWith("/console/pair?"));
  await page.keyboard.press("Enter");
  await page.getByText("First difference:").first().waitFor();
  await page.getByText(/^Flipped task 1 of/).waitFor();
  await page.locator("[aria-keyshortcuts]").first().waitFor();
  await page.keyboard.press("]");
  await page.getByText(/^Flipped task 2 of/).waitFor();
  await tabTo(page, ({ href }) => href.startsWith("/console/trials/"));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await tabTo(page, ({ type }) => type === "textarea");
  await page.keyboard.type("It never looked first.");
  await tabTo(page, ({ name }) => name === "Keep the note");
  await page.keyboard.press("Enter");
  await page.getByText("Your note is kept").waitFor();
  // It is what the browser stopped at, below all steps.
  expect(await page.getByText("Your note is kept").isVisible()).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
  await page.context().close();
});

it("a link to a step opens it, JSON is copied as JSON, and all steps open and close at once", async () => {
  const { page, wrong } = await opened("trial", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Collapse all" }).click();
  expect(await page.locator("ol.timeline > li > details[open]").count()).toBe(0);
  await page.locator("ol.timeline > li:has(> details) > a.no").first().click();
  const open = page.locator("ol.timeline > li > details[open]");
  await open.first().waitFor();
  expect(await open.count()).toBe(1);
  await page.getByRole("button", { name: "Expand all" }).click();
  await page
    .getByRole("button", { name: /^Copy: Arguments of/ })
    .first()
    .click();
  await page.getByText("Copied").waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(typeof copied).toBe("object");
  expect(wrong).toEqual([]);
  await page.context().close();
});

it("without script every page still shows all it knows, and a search is a form", async () => {
  const { page } = await opened("trial", { javaScriptEnabled: false });
  expect(await page.locator(".tools").count()).toBe(0);
  await page.getByLabel("Search the steps").fill("answered");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText(/\d+ of \d+ steps hold/).waitFor();
  await page.context().close();
});

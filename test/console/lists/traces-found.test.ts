import { afterAll, beforeAll, expect, it } from "vitest";
import { traceEvidence } from "../../../chapters/evidence/attributes/attributes.ts";
import { newestTraces, readForSearch } from "../../../chapters/evidence/traces/trace-search.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { memberIn } from "../kit.ts";

const START = Date.parse("2026-05-04T08:00:00Z") / 1000;
const HOUR = 3600;

let app: TestApp;
let browser: Browser;
let invoke: Invoke;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  ({ browser } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

/** A record of traces of which each asks for its number; every fifth does not say when it started. */
async function sent(name: string, n: number, undated = true): Promise<string> {
  const trace = (i: number) => ({
    session: `${name}-${i}`,
    ...(undated && i % 5 === 4 ? {} : { created: START + i * HOUR }),
    messages: [
      { role: "user", content: `${name} number ${i}, ${i % 2 === 0 ? "even" : "odd"}` },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ],
  });
  const content = Array.from({ length: n }, (_, i) => JSON.stringify(trace(i))).join("\n");
  return (await invoke("evidence_post", { content, tag: name })).body.id;
}

const requests = (page: BrowserPage) =>
  page.root.querySelectorAll("main tbody tr td[data-lead]").map(({ text }) => Number(/number (\d+)/.exec(text)?.[1]));
const verdict = (page: BrowserPage) => page.root.querySelector(".verdict")?.text;
const next = (page: BrowserPage) =>
  page.root.querySelector("a[rel=next]")?.getAttribute("href")?.replaceAll("&amp;", "&");
const caption = (page: BrowserPage) => page.root.querySelector("main table caption")?.text ?? "";

it("the newest trace stands first, through all pages, and those without a time last", async () => {
  await sent("one", 60);
  const first = await browser.get("/console/traces");
  const second = await browser.get(next(first) ?? "");
  const all = [...requests(first), ...requests(second)];
  expect(all).toHaveLength(60);
  const dated = Array.from({ length: 60 }, (_, i) => 59 - i).filter((i) => i % 5 !== 4);
  expect(all.slice(0, dated.length)).toEqual(dated);
  expect(all.slice(dated.length).every((i) => i % 5 === 4)).toBe(true);
  expect(caption(first)).toContain("60 of 60 traces, the newest first.");
  expect(first.root.querySelector("th[aria-sort=descending]")?.text).toContain("Started");
});

it("so many that they are not put in order at once stand the newest first where all say their time", async () => {
  const many = await sent("many", 520, false);
  const first = await browser.get(`/console/traces?eid=${many}`);
  expect(requests(first).slice(0, 3)).toEqual([519, 518, 517]);
  expect(requests(await browser.get(next(first) ?? "")).slice(0, 2)).toEqual([469, 468]);
  const some = await sent("some", 520);
  const page = await browser.get(`/console/traces?eid=${some}`);
  expect(requests(page).slice(0, 3)).toEqual([0, 1, 2]);
  expect(caption(page)).toContain("as they were sent");
});

it("the headline counts what was found, and labelling takes what the filter found", async () => {
  const two = await sent("two", 10);
  expect(verdict(await browser.get(`/console/traces?eid=${two}`))).toContain("10 traces with 0 calls");
  const found = await browser.get(`/console/traces?eid=${two}&q=odd`);
  expect(verdict(found)).toBe("5 of 10 traces in 1 upload fit what was asked for.");
  const way = found.root.querySelectorAll("main .ways a").find(({ text }) => text.startsWith("Label what was found"));
  expect(way?.text).toBe("Label what was found, 5 traces");
  const queue = await browser.get(way?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "");
  expect(queue.root.querySelector("main")?.structuredText).toContain("Trace 1 of 5 that were picked");
  expect(queue.root.querySelector("main")?.structuredText).toContain("number 7, odd");
  // Over all uploads each is counted.
  expect(verdict(await browser.get("/console/traces?q=odd"))).toMatch(/^555 of 1,?110 traces in 4 uploads fit/);
  // A trace leads to the others of its session, which a filter finds.
  const trace = await browser.get(
    found.root.querySelector("td[data-lead] a")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "",
  );
  const session = trace.root.querySelectorAll("main .ways a").find(({ text }) => text === "Traces of its session");
  const own = await browser.get(session?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "");
  expect([requests(own), verdict(own)?.slice(0, 5)]).toEqual([[7], "1 of "]);
  expect(own.root.querySelector("input[name=session]")?.getAttribute("value")).toBe("two-7");
  const none = await browser.get("/console/traces?q=nobody");
  expect(verdict(none)).toMatch(/^None of /);
  const labelled = await browser.get(`/console/traces?eid=${two}&label=none&q=odd`);
  expect(verdict(labelled)).toBe("5 of 10 traces in 1 upload fit what was asked for.");
});

it("the dates of so many are counted once, and again when the record has changed", async () => {
  const dated = await sent("dated", 510, false);
  const ctx = ctxOf(app.service, org);
  let times = 0;
  const search = new Proxy(ctx.store.search, {
    get(of, name) {
      if (name !== "count") return Reflect.get(of, name).bind(of);
      return (...told: Parameters<typeof of.count>) => {
        if (told[1].started?.min === 0) times += 1;
        return of.count(...told);
      };
    },
  });
  const store = new Proxy(ctx.store, { get: (of, name) => (name === "search" ? search : Reflect.get(of, name)) });
  const watched = { ...ctx, store };
  const newest = async () => {
    const doc = await traceEvidence(ctx, dated);
    const found = await newestTraces(watched, doc, { limit: 2, extent: await readForSearch(ctx, doc) });
    return [found.newest, found.traces.map(({ session }) => session), times];
  };
  const first = ["dated-509", "dated-508"];
  expect([await newest(), await newest()]).toEqual([
    [true, first, 1],
    [true, first, 1],
  ]);
  await ctx.store.records.update(Evidence, dated, (doc) => ({ ...doc, tag: "another" }));
  expect(await newest()).toEqual([true, first, 2]);
});

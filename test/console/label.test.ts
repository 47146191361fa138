import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Label } from "../../chapters/records/evidence/label.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";
import { memberIn } from "./kit.ts";

let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
let ann: Browser;
let eid: string;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  const content = deskTraces(1)
    .slice(0, 6)
    .map((trace) => JSON.stringify(trace))
    .join("\n");
  const posted = await invoke("evidence_post", { content });
  eid = posted.body.id;
  ({ browser: ann } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const labels = async () => (await app.service.store.forOrg(org.id).records.list(Label)).items;

describe("labelling", () => {
  // Finding E43: the queue of traces to label.
  it("goes from trace to trace, keeps each label, and changes the last one", async () => {
    expect(said(await ann.get("/console"))).toContain("Label traces");
    const first = await ann.get("/console/label");
    expect(said(first)).toContain("Trace 1 of 6");
    const verdict = (page: BrowserPage) => page.root.querySelector(".verdict")?.text;
    expect(verdict(first)).toBe("No trace is labelled yet.");
    // The trace is read as its own page tells it, and leads there: an answer is a tree, no text of JSON.
    const way = first.root.querySelectorAll("main a").find(({ text }) => text === "The trace");
    const own = await ann.get(way?.getAttribute("href") ?? "");
    const steps = (page: BrowserPage) => page.root.querySelectorAll("ol.timeline > li").map(({ text }) => text);
    expect(steps(first).length).toBeGreaterThan(2);
    expect(steps(first)).toEqual(steps(own));
    expect(first.root.querySelectorAll("ol.timeline .json").length).toBeGreaterThan(0);
    expect(first.root.querySelectorAll("[data-key=r],[data-key=w],[data-key=s]")).toHaveLength(3);
    const second = await ann.submit(first, "/console/label", { polarity: "negative", correction: "Ask <b>first</b>" });
    expect(said(second)).toContain("Trace 2 of 6");
    expect(verdict(second)).toBe("1 trace labelled: 0 went right, 1 wrong.");
    expect(await labels()).toMatchObject([{ polarity: "negative", correction: "Ask <b>first</b>", by: "ann" }]);

    const change = second.root.querySelector("[data-key=z]")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "";
    const again = await ann.get(change);
    expect(said(again)).toContain("Its label: it went wrong; better: “Ask <b>first</b>”. By ann.");
    await ann.submit(again, "/console/label", { polarity: "positive", correction: "" });
    expect(await labels()).toMatchObject([{ polarity: "positive" }]);
    // What is labelled is passed over from then on.
    expect(said(await ann.get("/console/label"))).toContain("Trace 2 of 6");
  });

  it("refuses what is no label, a form of another session, and a trace of another org", async () => {
    const page = await ann.get("/console/label");
    expect((await ann.submit(page, "/console/label", {})).status).toBe(400);
    expect((await ann.submit(page, "/console/label", { polarity: "<b>" })).status).toBe(400);
    expect((await ann.submit(page, "/console/label", { polarity: "positive", token: "x" })).status).toBe(403);
    const other = await app.org("other");
    const theirs = (await memberIn({ app }, invoker(app, "rest", other), "eve")).browser;
    const { token = "" } = carried(await theirs.get("/console/you"), "/console/you");
    const { trace = "" } = carried(page, "/console/label");
    const stolen = await theirs.post("/console/label", { token, trace, eid, at: "0", polarity: "negative" });
    expect(stolen.status).toBe(422);
    expect(said(await theirs.get(`/console/label?eid=${eid}`))).toContain("No trace is stored yet");
    expect(await labels()).toHaveLength(1);
  });

  it("says where it ends, and what a place beyond it holds", async () => {
    expect(said(await ann.get("/console/label?at=6"))).toContain("No trace from here on waits");
    expect((await ann.get("/console/label?at=99&one=yes")).status).toBe(404);
    for (const at of ["-4", "x", "1e9999", "NaN"])
      expect([200, 404], at).toContain((await ann.get(`/console/label?at=${at}`)).status);
  });
});

describe("the list of traces", () => {
  it("is searched and narrowed by its address", async () => {
    const rows = (page: BrowserPage) => page.root.querySelectorAll("main tbody tr").length;
    const all = await ann.get("/console/traces");
    expect([rows(all), said(all).includes("6 of 6 traces")]).toEqual([6, true]);
    const tool = (await invoke("evidence_get", { eid, trace: (await labels())[0]?.trace })).body.detail?.calls?.[0]
      ?.tool;
    if (tool !== undefined) expect(rows(await ann.get(`/console/traces?tool=${tool}`))).toBeGreaterThan(0);
    // The finding names the format once.
    const how = (await ann.get("/console/traces")).root.querySelector("main .tier")?.text ?? "";
    expect(how.split("anthropic-messages")).toHaveLength(2);
    expect(said(await ann.get("/console/traces?tool=no_such_tool"))).toContain("No trace fits");
    expect(said(await ann.get("/console/traces?q=zzzzqqq"))).toContain("No trace fits");
    expect((await ann.get("/console/traces?class=%3Cb%3E")).status).toBe(400);
    const hostile = await ann.get("/console/traces?q=x%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    expect(hostile.html).not.toContain("<script>alert");
  });

  it("is put in order by its heads, whole and narrowed, page by page", async () => {
    const started = (page: BrowserPage) =>
      page.root.querySelectorAll("main tbody tr").map((row) => row.querySelectorAll("td")[2]?.text ?? "");
    const newest = started(await ann.get("/console/traces?sort=newest"));
    expect(newest).toEqual([...newest].sort().reverse());
    expect([newest.length, newest[0] === newest[5]]).toEqual([6, false]);
    const head = (await ann.get("/console/traces?sort=newest")).root.querySelectorAll("thead a")[0];
    expect(head?.getAttribute("href")).toBe("/console/traces?sort=oldest");
    expect(started(await ann.get("/console/traces?sort=oldest"))).toEqual(newest.toReversed());
    const some = started(await ann.get("/console/traces?class=data&sort=oldest"));
    expect(some.length).toBeGreaterThan(0);
    expect(some).toEqual([...some].sort());
    expect(started(await ann.get(`/console/traces?class=data&sort=oldest&cursor=1`))).toEqual(some.slice(1));
    expect(said(await ann.get("/console/traces?sort=dearest"))).toContain("No trace that fits says");
    expect(said(await ann.get("/console/traces?sort=dearest&q=zzzzqqq"))).toContain("No trace fits");
    expect((await ann.get("/console/traces?class=data&sort=oldest&cursor=x")).status).toBe(400);
  });

  it("leads to each trace", async () => {
    const all = await ann.get("/console/traces");
    const links = all.root
      .querySelectorAll("main td a")
      .map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&"));
    for (const link of links) expect((await ann.get(link ?? "")).status, link).toBe(200);
  });

  it("lists all uploads together, by day and by label, and merges their order", async () => {
    const content = deskTraces(1)
      .slice(6, 10)
      .map((trace) => JSON.stringify(trace))
      .join("\n");
    const second = (await invoke("evidence_post", { content })).body.id as string;
    const list = (query = "") => ann.get(`/console/traces${query}`);
    const rows = (page: BrowserPage) =>
      page.root
        .querySelectorAll("main tbody tr")
        .map((row) => row.querySelectorAll("td").map(({ text }) => text.trim()));
    const whole = await list();
    const links = whole.root
      .querySelectorAll("main tbody tr")
      .map((row) => row.querySelector("a")?.getAttribute("href"));
    expect(links.map((href) => href?.split("/")[3])).toEqual([...Array(4).fill(second), ...Array(6).fill(eid)]);
    expect(whole.root.querySelector(".verdict")?.text).toContain("10 traces in 2 uploads; ");
    expect(rows(await list(`?eid=${eid}`))).toHaveLength(6);
    const started = rows(await list("?sort=oldest")).map(([, , at = ""]) => at);
    expect([started.length, started]).toEqual([10, [...started].sort()]);

    const trace = links[0]?.split("/").at(-1);
    await invoke("labels_post", { trace, polarity: "negative" });
    const wrong = (await labels()).filter(({ polarity }) => polarity === "negative").length;
    for (const sort of ["", "&sort=newest"]) {
      expect(rows(await list(`?label=wrong${sort}`)), sort).toHaveLength(wrong);
      expect(rows(await list(`?label=none${sort}`)), sort).toHaveLength(10 - (await labels()).length);
    }
    const [day = ""] = started.map((at) => at.slice(0, 10));
    const same = started.filter((at) => at.startsWith(day)).length;
    expect(rows(await list(`?from=${day}&to=${day}`))).toHaveLength(same);
    expect(rows(await list("?from=2026-02-31&to=x"))).toHaveLength(10);
    expect(said(await list("?from=2131-01-01"))).toContain("No trace fits");
    for (const cursor of ["x", `${eid}x~`, "1"]) expect((await list(`?cursor=${cursor}`)).status, cursor).toBe(400);
    expect(rows(await list(`?cursor=${eid}~`))).toHaveLength(6);
  });
});

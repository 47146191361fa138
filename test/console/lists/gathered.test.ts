import { afterAll, beforeAll, expect, it } from "vitest";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { buildDesk, deskTraces } from "../../tools/sandboxes/kit.ts";
import { asVersions, hrefs, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const post = async (tool: string, args: Record<string, unknown> = {}) => (await worked.invoke(tool, args)).body;
const records = () => worked.app.service.store.forOrg(worked.org.id).records;

it("failure modes gather the root causes of the newest runs, open their trials, and become a mode", async () => {
  await asVersions(worked);
  const { root_causes: causes } = await post("run_group", { gid: worked.group });
  const [{ cause, trials }] = causes;
  const page = await browser.get("/console/failure-modes");
  const section = sectionOf(page, "What failed in the newest runs");
  const way = `/console/groups/${worked.group}/trials?cause=${cause}`;
  expect(section.querySelectorAll("td").map(({ text }) => text)).toContain(String(trials));
  expect(section.querySelectorAll("a").map((each) => each.getAttribute("href"))).toContain(way);
  expect((await browser.get(way)).root.querySelectorAll("tbody tr")).toHaveLength(trials);
  const mode = await browser.submit(page, "/console/failure-modes/made", { behaviour: cause });
  expect(sectionOf(mode, "Trials").querySelectorAll("tbody tr")).toHaveLength(trials);
  const again = sectionOf(await browser.get("/console/failure-modes"), "What failed in the newest runs");
  expect(again.querySelector("a[href^='/console/failure-modes/']")).not.toBeNull();
});

it("a failure mode takes a note, which its page shows", async () => {
  const { failure_modes: made } = await post("failure_modes_post", { title: "It loops", behaviour: "loop", by: "ann" });
  const page = await browser.get(`/console/failure-modes/${made[0].id}`);
  const noted = await browser.submit(page, "/console/notes", { text: "Seen again on Tuesday." });
  expect(noted.root.querySelector("h1")?.text).toBe("It loops");
  expect(noted.root.querySelector("#note blockquote")?.text).toContain("Seen again on Tuesday.");
});

it("what rules find in traces opens those traces, from failure modes and from a mode", async () => {
  await buildDesk(worked.invoke, "desk", 12);
  // Two sessions that end without an answer, and one that has one.
  const traces = deskTraces(1).slice(0, 3) as { readonly messages: readonly unknown[] }[];
  const sent = traces.map((trace, i) =>
    i < 2 ? { ...trace, session: `cut-${i}`, messages: trace.messages.slice(0, -1) } : trace,
  );
  await post("evidence_post", { surface: "desk", content: sent.map((trace) => JSON.stringify(trace)).join("\n") });
  const page = await browser.get("/console/failure-modes?system=desk");
  const section = sectionOf(page, "What rules find in traces of desk");
  const [way = ""] = section
    .querySelectorAll("a")
    .map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"))
    .filter((each) => each.includes("/traces/showing"));
  const n = Number(section.querySelectorAll("a").find((each) => each.getAttribute("href")?.includes("showing"))?.text);
  expect(n).toBeGreaterThan(0);
  const list = await browser.get(way);
  expect(list.root.querySelectorAll("tbody tr")).toHaveLength(n);
  const { failure_modes: made } = await post("failure_modes_post", {
    title: "It stops",
    behaviour: "stopped_early",
    by: "ann",
  });
  const mode = await browser.get(`/console/failure-modes/${made[0].id}`);
  expect(hrefs(mode)).toContain("/console/traces/showing?rule=stopped_early&system=desk");
});

it("traces that are ticked are labelled one after another, passing over what is labelled, and undone", async () => {
  const page = await browser.get("/console/traces");
  const ids = page.root.querySelectorAll("input[name=t]").map((each) => each.getAttribute("value") ?? "");
  const [first = "", second = ""] = ids;
  const all = page.root.querySelectorAll("main form[action='/console/label'] a").at(-1);
  expect(all?.text).toBe(`Label all ${ids.length} of this page`);
  const queue = await browser.get(`/console/label?t=${first}&t=${second}`);
  expect(told(queue)).toContain("Trace 1 of 2 that were picked. Keys: r right, w wrong, s skip.");
  const next = await browser.submit(queue, "/console/label", { polarity: "negative", correction: "Say so." });
  expect((await records().get(Label, labelId(first)))?.polarity).toBe("negative");
  expect(told(next)).toContain("Trace 2 of 2");
  expect(told(next)).toContain("z change the last one");
  const over = await browser.get(`/console/label?t=${first}&t=${second}`);
  expect(told(over)).toContain("Trace 2 of 2");
  const given = await browser.get("/console/label/given");
  const row = given.root.querySelector("tbody tr")?.structuredText ?? "";
  expect(row).toContain("wrong");
  expect(row).toContain("ann");
  const change = hrefs(given).find((each) => each.includes("one=yes")) ?? "";
  expect((await browser.get(change)).root.querySelector("textarea[name=correction]")?.text).toBe("Say so.");
});

it("tasks are made of the traces that are ticked", async () => {
  const { items } = await worked.app.service.store
    .forOrg(worked.org.id)
    .traces.heads((await post("evidence_list", { limit: 10 })).evidence.at(-1).id, { limit: 2 });
  const page = await browser.get(`/console/traces/tasks?${items.map(({ id }) => `t=${id}`).join("&")}`);
  expect(page.root.querySelector(".verdict")?.text).toContain("2 traces were ticked");
  const surface = page.root.querySelector("select[name=surface] option")?.getAttribute("value") ?? "";
  const made = await browser.submit(page, "/console/traces/tasks", { surface, tasks: "5" });
  expect(made.root.querySelector("h1")?.text).toBe("Background job: build of sandboxes");
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { describeCheck } from "../../../chapters/sandboxes/tasks/checks.ts";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let member: Browser;
let run: string;
let record: (typeof TaskRecord)["schema"]["_output"];
beforeAll(async () => {
  worked = await workedIn();
  member = (await memberIn(worked, worked.invoke, "bo")).browser;
  const { body } = await worked.invoke("run_group", { gid: worked.group });
  run = body.environments[0].run;
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const { items } = await records.list(TaskRecord, { where: { environment: worked.environment } });
  const first = items.find(({ index }) => index === 0);
  if (first === undefined) throw new Error("the sandbox has no task");
  record = first;
});
afterAll(() => worked.close());

const hrefOf = (page: BrowserPage, selector: string) =>
  page.root.querySelector(selector)?.getAttribute("href")?.replaceAll("&amp;", "&");
const hrefs = (page: BrowserPage) =>
  page.root.querySelectorAll("main .ways a").map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
const expects = (page: BrowserPage) =>
  page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "What the task expects");

describe("a trial", () => {
  it("says what its task expects beside its checks, and leads to its run and its task", async () => {
    const page = await member.get(`/console/trials/${run}/${record.id}/1`);
    const items = expects(page)
      ?.querySelectorAll("li")
      .map(({ text }) => text);
    expect(items).toEqual(record.task.checks.map((check) => describeCheck(check, record.task)));
    const [heads] = [page.root.querySelectorAll("h2").map(({ text }) => text)];
    expect(heads.indexOf("What the task expects")).toBe(heads.indexOf("Checks") + 1);
    expect(expects(page)?.text).toContain(record.task.script.answer.slice(0, 60));
    for (const href of [`/console/groups/${worked.group}`, `/console/sandboxes/${worked.environment}/tasks/0`]) {
      expect(hrefs(page)).toContain(href);
      expect((await member.get(href)).status).toBe(200);
    }
    expect(page.text).not.toContain("was changed after this run");
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    await records.update(TaskRecord, record.id, (each) => ({ ...each, digest: "0".repeat(64) }));
    expect((await member.get(`/console/trials/${run}/${record.id}/1`)).text).toContain("was changed after this run");
    await records.update(TaskRecord, record.id, () => record);
  });

  it("that was opened from a narrowed list goes on within it", async () => {
    const list = await member.get(`/console/groups/${worked.group}/trials?end=failed&family=${record.task.family}`);
    const opened = list.root
      .querySelectorAll("tbody td a")
      .map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"))
      .filter((href) => href.startsWith("/console/trials/"));
    expect(opened.length).toBeGreaterThan(0);
    let [at = ""] = opened;
    for (const [i, href] of opened.entries()) {
      expect(at).toBe(href);
      const page = await member.get(at);
      expect(page.root.querySelector("main .ways span")?.text).toBe(`${i + 1} of ${opened.length}`);
      const back = hrefs(page).find((each) => each.includes("/trials?")) ?? "";
      expect((await member.get(back)).root.querySelector("h1")?.text).toBe(list.root.querySelector("h1")?.text);
      at = hrefOf(page, "main .ways a[rel=next]") ?? "";
    }
    expect(at).toBe("");
    // One that is not in its list, as after it was graded again, goes on in its run.
    const outside = await member.get(`/console/trials/${run}/${record.id}/1?list=end%3Dmet`);
    expect([outside.status, outside.root.querySelector("main .ways span")]).toEqual([200, null]);
    expect(hrefOf(outside, "main .ways a[rel=next]")).toMatch(/^\/console\/trials\/[^?]+$/);
  });
});

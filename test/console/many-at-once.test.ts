import { afterAll, beforeAll, expect, it } from "vitest";
import { Report } from "../../chapters/records/findings/report.ts";
import { RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { invoker } from "../helpers/app.ts";
import type { Browser } from "../helpers/browser.ts";
import { asVersions, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann", "admin"));
});
afterAll(() => worked.close());

it("the list of tasks tells the newest run of each, and what is ticked is held or retired at once", async () => {
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const { environment } = worked;
  const page = await browser.get(`/console/review?env=${environment}`);
  const boxes = page.root.querySelectorAll("input[name=t]").map((each) => each.getAttribute("value") ?? "");
  expect(boxes.length).toBeGreaterThan(3);
  // The newest run on the sandbox met none.
  const rates = page.root.querySelectorAll("td a.bad");
  expect(rates.map(({ text }) => text)).toEqual(boxes.map(() => "0 of 1"));
  expect((await browser.get(rates[0]?.getAttribute("href") ?? "")).status).toBe(200);
  const token = page.root.querySelector("form[action='/console/review/ticked'] input[name=token]");
  const press = (fields: readonly [string, string][]) =>
    browser.post("/console/review/ticked", [["token", token?.getAttribute("value") ?? ""], ...fields]);
  // A member, who may not retire one, is not offered it.
  const bo = (await memberIn(worked, worked.invoke, "bo")).browser;
  const offered = (await bo.get("/console/review")).root.querySelectorAll("button[name=do]").map(({ text }) => text);
  expect(offered).toEqual(["Run the ticked", "Hold the ticked"]);
  const [one = "", two = "", three = ""] = boxes;
  const tick = (...of: string[]) => of.map((value): [string, string] => ["t", value]);
  expect((await press([["do", "retire"]])).text).toContain("No task was ticked");
  expect((await press([...tick(one), ["do", "hold"], ["reason", ""]])).status).toBe(400);
  expect((await press([...tick(one, two), ["do", "hold"], ["reason", "Look again"], ["do", "rereview"]])).status).toBe(
    303,
  );
  expect((await press([...tick(three), ["do", "retire"], ["do", "rereview"]])).status).toBe(303);
  const { items } = await records.list(TaskRecord, { where: { environment }, limit: 100 });
  const stands = (ref: string) => items.find(({ index }) => `${environment}/${index}` === ref)?.status;
  expect([one, two, three].map(stands)).toEqual(["held", "held", "retired"]);
});

it("a run is started with a version that is chosen from a list", async () => {
  const command = [process.execPath, "-e", "0"];
  const { body } = await worked.invoke("agents_post", { kind: "command", name: "two", command });
  const agent = body.agent.id as string;
  for (const version of ["one", "2.1-b"])
    await worked.invoke("agent_versions_post", { aid: agent, version, env: { KEY: version } });
  const page = await browser.get("/console/start");
  const options = page.root.querySelectorAll("select[name=player] option").map(({ text }) => text);
  expect(options.filter((text) => text.startsWith("two"))).toEqual(
    expect.arrayContaining(["two, its newest version", "two 2.1-b", "two one"]),
  );
  const asked = new URLSearchParams({ player: `agent:${agent}@2.1-b`, environment: worked.environment });
  const plan = await browser.get(`/console/start?${asked}`);
  expect(plan.root.querySelector("section[aria-label=Plan]")?.text).toContain("two 2.1-b on");
  const carried = plan.root.querySelector("section[aria-label=Plan] input[name=version]");
  expect(carried?.getAttribute("value")).toBe("2.1-b");
  expect(plan.root.querySelector("select[name=player] option[selected]")?.text).toBe("two 2.1-b");
});

it("versions are followed over a stretch of time", async () => {
  await asVersions(worked);
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const now = worked.app.service.now();
  await records.update(RunGroup, worked.main, (doc) => ({ ...doc, created_at: now - 40 * 86_400 }));
  const versions = async (query: string) => (await browser.get(`/console/trends${query}`)).text;
  expect(await versions("")).toContain("v1");
  expect(await versions("?days=30")).not.toContain("v1");
  expect(await versions("?days=30")).toContain("v2");
  expect(await versions("?days=90")).toContain("v1");
});

it("reports are narrowed by kind and words of their title", async () => {
  await worked.invoke("reports_post", { kind: "run_group", id: worked.main });
  await worked.invoke("reports_post", { kind: "written", title: "What we saw", markdown: "It went well." });
  const titles = async (query: string) =>
    (await browser.get(`/console/reports${query}`)).root.querySelectorAll("td[data-lead] a").map(({ text }) => text);
  expect(await titles("")).toHaveLength(2);
  expect(await titles("?kind=written")).toEqual(["What we saw"]);
  expect(await titles("?q=SAW")).toEqual(["What we saw"]);
  expect((await browser.get("/console/reports?q=nobody")).text).toContain("None fits");
  expect(await worked.app.service.store.forOrg(worked.org.id).records.count(Report)).toBe(2);
});

it("an admin connects a chat workspace from the page of channels, and a member reads who can", async () => {
  const org = await worked.app.org("unconnected");
  const admin = (await memberIn(worked, invoker(worked.app, "rest", org), "cy", "admin")).browser;
  const member = (await memberIn(worked, invoker(worked.app, "rest", org), "di")).browser;
  const action = "/console/delivery/chat/connect";
  const closed = await member.get("/console/delivery");
  expect([
    closed.root.querySelector(`form[action='${action}']`),
    closed.text.includes("An admin of this workspace"),
  ]).toEqual([null, true]);
  const page = await admin.get("/console/delivery");
  expect(page.text).not.toMatch(/delivery_put|recommended/);
  worked.chat.grant({ id: "T0D", name: "other-team", token: "xoxb-other", channels: ["C2"] }, "https://svc.example/");
  const after = await admin.submit(page, action, { team_id: "T0D", bot_token: "xoxb-other" });
  expect(after.text).toContain("A chat workspace is connected");
  expect(after.html).not.toContain("xoxb-other");
  expect(after.root.querySelector(`form[action='${action}']`)).toBeNull();
});

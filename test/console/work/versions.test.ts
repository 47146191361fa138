import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { asVersions, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let member: Browser;
let aid: string;
beforeAll(async () => {
  worked = await workedIn();
  member = (await memberIn(worked, worked.invoke, "bo")).browser;
  const { body } = await worked.invoke("agents_post", {
    kind: "command",
    name: "desk agent",
    version: "v1",
    command: ["/opt/agents/bin/desk", "--first"],
  });
  aid = body.agent.id;
  await worked.invoke("agents_patch", {
    aid,
    version: "v2",
    command: ["/opt/agents/bin/desk", "--second"],
    notes: "Reads the order once.",
  });
  await asVersions(worked, "desk agent", aid);
});
afterAll(() => worked.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const hrefs = (page: BrowserPage) =>
  page.root.querySelectorAll("main a").map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
const section = (page: BrowserPage, heading: string) =>
  page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === heading);
const cells = (page: BrowserPage, heading: string) =>
  section(page, heading)
    ?.querySelectorAll("tbody tr")
    .map((row) => row.querySelectorAll("td").map(({ text }) => text.trim()));

describe("versions of an agent", () => {
  it("are listed with what was noted to have changed, their newest run and what it took", async () => {
    const page = await member.get(`/console/agents/${aid}`);
    const rows = section(page, "Versions")?.querySelectorAll("tbody tr") ?? [];
    const of = (name: string) => rows.map((row) => row.querySelector(`td[data-of="${name}"]`)?.text.trim());
    expect(of("What changed")).toEqual(["Reads the order once.", ""]);
    expect(of("Newest run").map((text) => text?.slice(0, 6))).toEqual(["0 of 4", "4 of 4"]);
    expect(of("Change")).toEqual(["-100.0 points", ""]);
    for (const took of of("Median time")) expect(took).toMatch(/\d (?:ms|s|min)$/);
    // The folder of a command is the machine's; what differs is its end.
    expect(of("Started by")).toEqual(["…/desk --second", "…/desk --first"]);
  });

  it("are ticked and laid beside each other, with the way to the comparison of their newest runs", async () => {
    const page = await member.get(`/console/agents/${aid}`);
    const form = page.root.querySelector(`form[action='/console/agents/${aid}/versions'][method=get]`);
    const picks = form?.querySelectorAll("input[name=v]").map((each) => each.getAttribute("value"));
    expect(picks).toEqual(["v2", "v1"]);
    const both = await member.get(`/console/agents/${aid}/versions?v=v2&v=v1`);
    expect(said(both)).toContain("v1 met 4 of 4 valid trials, v2 met 0 of 4 valid trials.");
    const differ = cells(both, "What differs between the versions") ?? [];
    expect(differ).toContainEqual(["What changed", "", "Reads the order once."]);
    expect(differ).toContainEqual(["Started by", "/opt/agents/bin/desk --first", "/opt/agents/bin/desk --second"]);
    // What is the same in both is not told.
    expect(differ.some(([name]) => name === "Reads and writes")).toBe(false);
    const way = hrefs(both).find((href) => href.startsWith("/console/groups/compare"));
    const compared = await member.follow(await member.get(way ?? ""));
    expect([compared.status, said(compared).includes("What flipped")]).toEqual([200, true]);
    const one = await member.get(`/console/agents/${aid}/versions?v=v2`);
    expect([one.status, one.text.includes("one was ticked")]).toEqual([400, true]);
    expect((await member.get(`/console/agents/${aid}/versions?v=v2&v=v9`)).status).toBe(404);
  });

  it("are labelled, and the label is taken away; another agent's version is refused", async () => {
    const page = await member.get(`/console/agents/${aid}`);
    const labelled = await member.submit(page, `/console/agents/${aid}/label`, { version: "v1", label: "main" });
    const labels = (of: BrowserPage) =>
      section(of, "Versions")
        ?.querySelectorAll(".badge")
        .map(({ text }) => text);
    expect(labels(labelled)).toEqual(["main"]);
    expect((await worked.invoke("version_labels_get")).body.main_version).toBe("v1");
    const way = hrefs(await member.get(`/console/groups/${worked.group}`));
    expect(way).toContain(`/console/compare?a=${worked.main}&b=${worked.group}`);
    const cleared = await member.submit(labelled, `/console/agents/${aid}/label`, { version: "v1", label: "" });
    expect(labels(cleared)).toEqual([]);
    const other = await member.submit(page, `/console/agents/${aid}/label`, { version: "v7", label: "main" });
    expect(other.status).toBe(404);
  });

  it("make their agent the primary one from its page", async () => {
    const page = await member.get(`/console/agents/${aid}`);
    const form = page.root.querySelector("form[action$='/primary']");
    if (form === null) expect(said(page)).toContain("primary agent");
    else expect(said(await member.submit(page, `/console/agents/${aid}/primary`))).toContain("primary agent");
    expect((await worked.invoke("agents_get", { aid })).body.agent.primary).toBe(true);
    expect((await member.get(`/console/agents/${aid}`)).root.querySelector("form[action$='/primary']")).toBeNull();
  });
});

describe("a run", () => {
  it("says when it started, by whom, how long it took and of what; and leads to the version before", async () => {
    const page = await member.get(`/console/groups/${worked.group}`);
    const facts = new Map(
      section(page, "Set-up")
        ?.querySelectorAll("dl > div")
        .map((each) => [each.querySelector("dt")?.text, each.querySelectorAll("dd").map(({ text }) => text.trim())]),
    );
    expect(facts.get("Started (UTC)")).toEqual([expect.stringMatching(/^20\d\d-/), expect.stringMatching(/^by \S/)]);
    expect(facts.get("Took in all")?.[0]).toMatch(/ (?:s|min)$/);
    // As long as a path, it is a line of its own.
    expect(facts.has("Started by")).toBe(false);
    expect(page.root.querySelectorAll("main section > p").map(({ text }) => text)).toContain(
      "Started by /opt/agents/bin/desk --second",
    );
    expect(facts.get("What changed in it")).toEqual(["Reads the order once."]);
    expect(facts.get("Sandbox")?.[1]).toMatch(/^4 tasks, seed .+, revision \d+ now$/);
    expect(facts.get("Tasks")?.[0]).toBe("all that counted");
    const before = page.root.querySelectorAll("main a").find(({ text }) => text === "Against the version before");
    expect(before?.getAttribute("href")?.replaceAll("&amp;", "&")).toBe(
      `/console/compare?a=${worked.main}&b=${worked.group}`,
    );
    const file = hrefs(page).find((href) => href.endsWith("/trials/file")) ?? "";
    expect((await member.get(file)).html.split("\n")[0]).toContain("root_cause");
    const first = await member.get(`/console/groups/${worked.main}`);
    expect(said(first)).not.toContain("Against the version before");
  });
});

describe("a comparison", () => {
  const place = () => `/console/compare?a=${worked.main}&b=${worked.group}`;

  it("says what its two versions differ in, and what the one took more than the other", async () => {
    const page = await member.get(place());
    const differ = cells(page, "What differs between the versions") ?? [];
    expect(differ).toContainEqual(["What changed", "", "Reads the order once."]);
    const [, , change = []] = cells(page, "Time, calls and cost") ?? [];
    expect(change.slice(0, 2)).toEqual(["Change", expect.stringMatching(/^(?:none|[+−].+)$/)]);
    expect(change[3]).toMatch(/^−\d+\.\d \(−100 %\)$/);
    // What is frozen and shared holds no command.
    const { id } = (await worked.invoke("reports_post", { kind: "comparison", id: worked.group, against: worked.main }))
      .body;
    const report = await member.get(`/console/reports/${id}`);
    expect([report.status, report.html.includes("/opt/agents/bin/desk")]).toEqual([200, false]);
  });

  it("leads from a root cause and a family to their trials, and holds no plot that repeats its tables", async () => {
    const page = await member.get(place());
    const flipped = section(page, "What flipped");
    const [row] = flipped?.querySelectorAll("tbody tr") ?? [];
    const of = (name: string) => row?.querySelector(`td[data-of="${name}"] a`)?.getAttribute("href");
    expect(of("Family")).toContain(`/console/groups/${worked.group}/trials?family=`);
    expect(of("Root causes")).toContain(`/console/groups/${worked.group}/trials?cause=`);
    // One try a task: the table says all of it.
    expect(page.text).not.toContain("Task by task");
  });

  it("is a file of its tasks", async () => {
    const [head, ...rows] = (await member.get(place().replace("?", "/file?"))).html.trim().split("\n");
    expect(head).toMatch(/^"before","after","sandbox","task","number","family","request","met_before",/);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/^"desk agent v1","desk agent v2",.*,1,1,0,1,-100,"","\w+"/);
    expect((await member.get("/console/compare/file?a=rg_none&b=rg_none")).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Report } from "../../chapters/records/findings/report.ts";
import { invoker } from "../helpers/app.ts";
import { Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { asVersions, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let member: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser, id: member } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const links = (page: BrowserPage) =>
  page.root.querySelectorAll("main a, nav a").map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
const shares = async () =>
  (await worked.invoke("reports_list")).body.reports.map((row: { shared: boolean }) => row.shared);
const sendPath = () => `/console/delivery/chat?group=${worked.group}&against=${worked.main}`;

describe("pages", () => {
  it("lead from the first one to groups, comparisons and trials, each link to a page", async () => {
    const home = await browser.get("/console");
    expect(home.text).toContain("Workspace acme");
    const found = links(home).filter((href) => href.startsWith("/console"));
    expect(found).toContain(`/console/groups/${worked.group}`);
    for (const href of new Set(found)) expect((await browser.get(href)).status, href).toBe(200);

    const group = await browser.get(`/console/groups/${worked.group}`);
    expect(group.text).toContain("met 0 of 4 valid trials");
    const trial = links(group).find((href) => href.startsWith("/console/trials/")) ?? "";
    expect(await browser.get(trial)).toMatchObject({ status: 200, text: expect.stringContaining("What happened") });
    const select = group.root.querySelector("select[name=a]");
    expect(select?.querySelectorAll("option").map((each) => each.getAttribute("value"))).toEqual([worked.main]);
    const compared = await browser.get(`/console/compare?a=${worked.main}&b=${worked.group}`);
    expect([compared.status, compared.text.includes("What flipped")]).toEqual([200, true]);
    expect((await browser.get(`/console/sandboxes/${worked.environment}`)).status).toBe(200);
    expect(links(await browser.get("/console/groups"))).toContain(`/console/groups/${worked.main}`);
    const systems = links(await browser.get("/console/surfaces")).filter((href) => href.startsWith("/console"));
    expect(systems).toContain(`/console/sandboxes/${worked.environment}`);
    for (const href of new Set(systems)) expect((await browser.get(href)).status, href).toBe(200);
  });

  it("mark the place that they belong to", async () => {
    const marked = async (path: string) =>
      (await browser.get(`/console${path}`)).root.querySelectorAll("nav [aria-current]").map(({ text }) => text);
    expect(await marked("")).toEqual(["Home"]);
    expect(await marked("/live")).toEqual(["Runs"]);
    expect(await marked(`/groups/${worked.group}`)).toEqual(["Runs"]);
    expect(await marked(`/sandboxes/${worked.environment}`)).toEqual(["Tasks"]);
    expect(await marked("/calibrations")).toEqual(["Tasks"]);
    expect(await marked("/proposals")).toEqual(["Failure modes"]);
  });

  it("count who came from what was sent, once", async () => {
    const opens = async () => (await worked.invoke("delivery_opens_get", { group: worked.group })).body;
    const path = `/console/compare?a=${worked.main}&b=${worked.group}`;
    await browser.get(path);
    expect((await opens()).opens).toBe(0);
    for (let i = 0; i < 2; i++) await browser.get(`${path}&via=chat`);
    expect(await opens()).toMatchObject({ opens: 1, members: 1, by_via: { chat: 1 } });
    expect((await browser.get(`${path}&via=${encodeURIComponent("<x>")}`)).status).toBe(200);
    expect((await opens()).opens).toBe(1);
  });

  it("of another org are the same 404 as those that are not there", async () => {
    const other = await worked.app.org("other");
    const theirs = await memberIn(worked, invoker(worked.app, "rest", other), "eve", "admin");
    const report = (await worked.invoke("reports_post", { kind: "run_group", id: worked.group })).body.id;
    const pairs = [
      [`/groups/${worked.group}`, "/groups/rg_none"],
      [`/reports/${report}`, "/reports/rp_none"],
      [`/compare?a=${worked.main}&b=${worked.group}`, "/compare?a=rg_none&b=rg_none"],
      [`/sandboxes/${worked.environment}`, "/sandboxes/env_none"],
      [`/delivery/chat?group=${worked.group}&against=${worked.main}`, "/delivery/chat?group=rg_none&against=rg_none"],
    ];
    for (const [foreign, unknown] of pairs) {
      const pages = await Promise.all([foreign, unknown].map((path) => theirs.browser.get(`/console${path}`)));
      const told = (page: BrowserPage | undefined) => [page?.status, page?.root.querySelector("main")?.text];
      expect(told(pages[0]), foreign).toEqual(told(pages[1]));
    }
    const token = carried(await theirs.browser.get("/console/you"), "/console/you").token ?? "";
    const acts: [string, Record<string, string>][] = [
      [`/reports/${report}/share`, { on: "yes" }],
      [`/members/${member}/remove`, {}],
      [`/members/${member}/invite`, {}],
      [`/members/${member}/role`, { role: "admin" }],
      ["/freeze", { kind: "run_group", id: worked.group }],
    ];
    for (const [path, fields] of acts)
      expect((await theirs.browser.post(`/console${path}`, { token, ...fields })).status, path).toBe(404);
    expect(await shares()).toEqual([false]);
    expect((await browser.get("/console/you")).status).toBe(200);
    await theirs.browser.post("/console/delivery/chat/send", { token, sends: "0", group: worked.group, target: "C1" });
    expect(worked.chat.posted).toEqual([]);
  });
});

// Finding E38.
it("a comparison is kept as a report, which shows what the page showed", async () => {
  const { main, group } = worked;
  const page = await browser.get(`/console/compare?a=${main}&b=${group}`);
  const kept = await browser.submit(page, "/console/freeze");
  expect(kept.root.querySelector("h1")?.text).toBe(page.root.querySelector("h1")?.text);
  const [row] = (await worked.invoke("reports_list", { kind: "comparison" })).body.reports;
  expect(row).toMatchObject({ kind: "comparison", source: group, against: main });
  const post = (args: object) => worked.invoke("reports_post", { kind: "comparison", id: group, ...args });
  expect((await post({})).body.fields).toMatchObject([{ path: "against" }]);
  expect((await post({ against: "rg_none" })).status).toBe(404);
  expect((await post({ kind: "run_group", against: main })).body.fields).toMatchObject([{ path: "against" }]);
  // The others of this file are about reports that they make themselves.
  await worked.app.service.store.forOrg(worked.org.id).records.delete(Report, row.id);
});

it("a report's link is turned on, shown once, and turned off", async () => {
  const page = await browser.get(`/console/groups/${worked.group}`);
  const report = await browser.submit(page, "/console/freeze");
  const place = new URL(
    report.root
      .querySelectorAll("form")
      .map((each) => each.getAttribute("action") ?? "")
      .find((each) => each.endsWith("/share")) ?? "",
    worked.app.url,
  ).pathname;
  const reader = new Browser(worked.app.url);
  const told = async (from: BrowserPage, fields: Record<string, string>) => {
    const next = await browser.submit(from, place, fields);
    return { next, link: next.root.querySelector("[role=status] pre")?.text };
  };
  const first = await told(report, { named: "yes" });
  const path = new URL(first.link ?? "").pathname;
  const read = await reader.get(path);
  expect([read.status, read.text.includes("acme")]).toEqual([200, true]);
  expect(read.root.querySelectorAll("main dt").map(({ text }) => text)).toEqual(
    expect.arrayContaining(["Task", "Trial", "Infra, invalid"]),
  );
  // What was taken out is explained to the reader, and only where something was.
  expect(read.text).toContain("Words such as “Xxxx” and numbers such as 0000 stand for names");
  const whole = (await worked.invoke("reports_post", { kind: "run_group", id: worked.group, redact: false })).body.id;
  const shared = (await worked.invoke("reports_share", { report_id: whole, on: true })).body.link;
  const open = await reader.get(new URL(shared, worked.app.url).pathname);
  expect([open.status, open.text.includes("How to read this"), open.text.includes("Xxxx")]).toEqual([200, true, false]);
  await worked.app.service.store.forOrg(worked.org.id).records.delete(Report, whole);
  expect(reader.cookies.size).toBe(0);
  const again = await browser.get(place.replace("/share", ""));
  expect(again.html).not.toContain("svc_share_");
  const off = await browser.submit(again, place, { on: "no" });
  expect(off.text).toContain("The link is off");
  expect((await reader.get(path)).status).toBe(404);
  const second = await told(off, {});
  expect(second.link).not.toBe(first.link);
  expect((await reader.get(path)).status).toBe(404);
  expect((await reader.get(new URL(second.link ?? "").pathname)).status).toBe(200);
  const written = await browser.submit(await browser.get("/console/reports"), "/console/reports", {
    title: "Week of testing",
    markdown: "It **holds**. <script>alert(1)</script>",
  });
  expect([written.status, written.html.includes("<strong>holds</strong>")]).toEqual([200, true]);
  expect(written.root.querySelector("main")?.outerHTML).not.toContain("<script");
});

// Finding E40.
it("no channel has a heading with nothing below it", async () => {
  const bare = invoker(worked.app, "rest", await worked.app.org("bare"));
  const page = await (await memberIn(worked, bare, "eve")).browser.get("/console/delivery");
  expect(page.text).toContain("There is no finding to send yet.");
  const headings = page.root.querySelectorAll("main h2");
  expect(headings.length).toBeGreaterThan(0);
  for (const heading of headings) expect(heading.nextElementSibling?.text.trim(), heading.text).toBeTruthy();
});

it("the newest comparison of two versions can be sent where the org has no finding of its own", async () => {
  const own = await workedIn();
  try {
    await asVersions(own);
    const eve = (await memberIn(own, own.invoke, "eve")).browser;
    const page = await eve.get("/console/delivery");
    expect(page.text).toContain("The two newest versions of one agent");
    const previews = links(page).filter((href) => href.startsWith("/console/delivery/") && href.includes("?"));
    const asked = new URLSearchParams({ group: own.group, against: own.main });
    // Mail and files are of the org's own finding alone.
    expect(previews).toEqual(["chat", "pr_comment", "obs"].map((channel) => `/console/delivery/${channel}?${asked}`));
    expect((await eve.get(previews[0] ?? "")).text).toContain("desk agent v2");
  } finally {
    await own.close();
  }
});

describe("a send", () => {
  it("waits for its channel, shows what goes out, and goes out once for one confirm", async () => {
    const { chat, group, main } = worked;
    const closed = await browser.get(sendPath());
    expect(closed.text).toContain("This channel is off");
    expect(closed.text).toContain("Chat message is off; nothing went out over it yet.");
    const ofBoth = `/console/delivery?group=${group}&against=${main}`;
    const settings = await browser.get(ofBoth);
    const verdict = (of: typeof settings | undefined) => of?.root.querySelector(".verdict")?.text;
    expect(verdict(settings)).toMatch(/^0 of 5 channels are on, \d could send; nothing was sent yet\.$/);
    expect((await browser.submit(settings, "/console/delivery/chat/switch", { target: "general" })).status).toBe(400);
    const on = await browser.submit(settings, "/console/delivery/chat/switch", { target: "C1" });
    expect(on.status).toBe(200);

    const preview = await browser.get(sendPath());
    const form = carried(preview, "/console/delivery/chat/send");
    expect(form).toMatchObject({ group, against: main, target: "C1", sends: "0" });
    expect((await browser.post("/console/delivery/chat/send", { ...form, token: "x" })).status).toBe(403);
    expect((await browser.post("/console/delivery/chat/send", form, { origin: "https://a.example" })).status).toBe(403);
    expect(chat.posted).toEqual([]);

    const both = await Promise.all([1, 2].map(() => browser.post("/console/delivery/chat/send", form)));
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect((await browser.post("/console/delivery/chat/send", form)).status).toBe(409);
    expect(chat.posted).toMatchObject([{ channel: "C1" }]);
    const shown = preview.root.querySelector("[aria-label=Preview]")?.text ?? "";
    const header = chat.posted[0]?.blocks[0] as unknown as { text: { text: string } };
    expect(shown).toContain(header.text.text);
    const done = both.find(({ status }) => status === 303);
    const after = done && (await browser.follow(done));
    expect(after?.text).toContain("Sent to C1");
    expect(verdict(await browser.get(ofBoth))).toMatch(
      /^1 of 5 channels is on, \d could send; the last send went to C1 on /,
    );
    const [line, ...none] = (await worked.invoke("delivery_log")).body.log;
    expect([line.by, line.group, line.target, none]).toEqual([member, group, "C1", []]);
    expect(after?.text).toContain(line.reference.permalink);
    const lines = (await worked.app.service.store.forOrg(worked.org.id).audit.list()).items;
    expect(lines.find(({ act }) => act === "delivered")?.by).toBe(`member:${member}`);
    expect(lines.find(({ act }) => act === "delivery_confirmed")).toMatchObject({ by: "console", fields: { member } });
  });

  it("that the tool refuses is told and not written down, and can be made again", async () => {
    const { chat } = worked;
    const sent = chat.posted.length;
    const refused = async () => {
      const preview = await browser.get(sendPath());
      return browser.submit(preview, "/console/delivery/chat/send");
    };
    chat.limit(1, 7);
    expect(await refused()).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect((await worked.invoke("delivery_log")).body.log).toHaveLength(sent);
    expect((await refused()).text).toContain("Sent to C1");
    expect(chat.posted).toHaveLength(sent + 1);
  });

  it("of the other channels is shown before, and refused where nothing is connected", async () => {
    const query = `?group=${worked.group}&against=${worked.main}`;
    for (const channel of ["pr_comment", "obs"]) {
      const page = await browser.get(`/console/delivery/${channel}${query}`);
      expect(page.text, channel).toContain("cannot be sent now");
      const way = links(page).find((href) => href.startsWith("/console/delivery#connect-"));
      expect((await browser.get("/console/delivery")).root.querySelector(`#${way?.split("#")[1]}`)).not.toBeNull();
    }
    for (const path of ["/delivery/fax", "/delivery/download/file"])
      expect([404, 409]).toContain((await browser.get(`/console${path}`)).status);
    const { token = "" } = carried(await browser.get("/console/you"), "/console/you");
    for (const channel of ["email", "download"]) {
      const fields = { token, sends: "0", group: worked.group };
      expect((await browser.post(`/console/delivery/${channel}/send`, fields)).status).toBe(400);
    }
  });
});

it("lists lead with what they come to", async () => {
  const { browser } = await memberIn(worked, worked.invoke, "first");
  for (const [path, said] of [
    ["/review", /^\d+ of \d+ tasks count/],
    ["/reports", /^\d+ reports?; (?:none|\d+) can be read/],
    ["/surfaces", /^1 system: /],
    ["/proposals", /Nothing waits|proposed failure mode/],
  ] as const)
    expect((await browser.get(`/console${path}`)).root.querySelector(".verdict")?.text, path).toMatch(said);
});

// Finding of the second rating: on a phone what decides was the column that had scrolled away.
it("the pages of lists show the column that decides among the first of its table", async () => {
  const { invoke, main, group, environment } = worked;
  await invoke("reports_post", { kind: "run_group", id: group });
  await invoke("org_tokens_post", { name: "CI", scope: "push" });
  const boss = (await memberIn(worked, invoke, "chief", "admin")).browser;
  const compared = `/compare?${new URLSearchParams({ a: main, b: group })}`;
  const pair = links(await boss.get(`/console${compared}`)).find((href) => href.startsWith("/console/pair")) ?? "";
  const decides: readonly (readonly [path: string, caption: RegExp, column: string])[] = [
    ["/live", /^Runs that work/, "Met so far"],
    ["/groups?who=all", /^Runs, newest/, "Met"],
    [`/groups/${group}/trials?end=failed`, /trial/, "Root cause"],
    [compared, /^Tasks that went from/, "reference"],
    [compared, /^Tasks that went from/, "null"],
    [pair.slice("/console".length), /^What each check/, "null"],
    [pair.slice("/console".length), /^The two trials/, "Why"],
    [`/sandboxes/${environment}`, /tasks?\b/, "Stands"],
    ["/reports", /^Newest first/, "Link"],
    ["/tokens", /^Tokens/, "State"],
    ["/delivery", /^What each channel/, "State"],
  ];
  for (const [path, caption, column] of decides) {
    const page = await boss.get(`/console${path}`);
    const table = page.root
      .querySelectorAll("table")
      .find((each) => caption.test(each.querySelector("caption")?.text ?? ""));
    const heads = table?.querySelectorAll("thead th").map(({ text }) => text.replace(/ [▲▼]$/, "")) ?? [];
    expect(heads.slice(0, 4), `${path}: ${heads.join(", ")}`).toContain(column);
    // A column that no row says anything for only takes room.
    const rows = table?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td")) ?? [];
    const blank = heads.filter((_, i) => rows.every((row) => row[i]?.innerHTML.trim() === ""));
    expect(blank, path).toEqual([]);
  }
});

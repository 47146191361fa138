import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Incident } from "../../../chapters/records/online/online.ts";
import { Run } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { runToEnd } from "../../tools/runs/kit.ts";
import { deskTraces } from "../../tools/sandboxes/kit.ts";
import { asVersions, hrefs, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let admin: Browser;
let member: Browser;
beforeAll(async () => {
  worked = await workedIn();
  admin = (await memberIn(worked, worked.invoke, "ann", "admin")).browser;
  member = (await memberIn(worked, worked.invoke, "bo")).browser;
});
afterAll(() => worked.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const verdict = (page: BrowserPage) => page.root.querySelector(".verdict")?.text.trim();
const headOf = (page: BrowserPage) => page.root.querySelector("h1")?.text;

describe("agents", () => {
  const command = `${process.execPath} -e 0`;

  it("are connected, given versions, retired and restored from the page", async () => {
    const list = await member.get("/console/agents");
    expect(verdict(list)).toContain("No agent is connected yet");
    const fields = { kind: "command", name: "mover", start: command, values: "KEY=top-secret\nB=2" };
    const page = await member.submit(list, "/console/agents", fields);
    expect([page.status, headOf(page), verdict(page)]).toEqual([200, "Agent: mover", "It has not run yet."]);
    expect(page.html).not.toContain("top-secret");
    const place = page.root.querySelector("form[action$='/versions']")?.getAttribute("action") ?? "";
    const [, aid = ""] = /agents\/([^/]+)\/versions/.exec(place) ?? [];
    const stored = async () => (await worked.invoke("agents_get", { aid })).body.agent;
    expect((await stored()).versions).toMatchObject([{ version: "1", env: ["B", "KEY"] }]);

    // What is sealed is given to no other command unasked: the form says so beside the field.
    const referer = `${worked.app.url}/console/agents/${aid}`;
    const changed = { ...carried(page, place), version: "2.0", start: `${command} --new` };
    const unasked = await member.post(place, changed, { referer });
    expect([unasked.status, unasked.root.querySelector("#refused-values")?.text]).toEqual([
      400,
      expect.stringContaining("give the environment again"),
    ]);
    const added = await member.follow(await member.post(place, { ...changed, values: "KEY=other" }));
    expect(said(added)).toContain("--new");
    expect((await stored()).versions.map(({ version }: { version: string }) => version)).toEqual(["1", "2.0"]);
    const taken = await member.post(place, { ...carried(added, place), version: "2.0", start: command });
    expect(taken.status).toBe(409);

    const retire = place.replace("/versions", "/retire");
    const token = carried(added, place).token ?? "";
    await member.post(retire, { token, retired: "yes", version: "1" });
    expect((await stored()).versions[0].retired_at).toBeGreaterThan(0);
    await member.post(retire, { token, retired: "yes" });
    expect((await stored()).retired_at).toBeGreaterThan(0);
    expect(said(await member.get("/console/agents"))).not.toContain("mover");
    const gone = await member.get(`/console/agents/${aid}`);
    expect(said(await member.submit(gone, retire))).not.toContain("it starts no run");
    expect((await stored()).retired_at).toBeUndefined();
  });

  it("names the line of an environment that is none, and shows nothing of another org", async () => {
    const list = await member.get("/console/agents");
    const wrong = { kind: "command", name: "other", start: command, values: "no equals sign" };
    const page = await member.post(
      "/console/agents",
      { ...carried(list, "/console/agents"), ...wrong },
      { referer: `${worked.app.url}/console/agents` },
    );
    expect(page.status).toBe(400);
    expect(page.root.querySelector("#refused-values")?.text).toContain("NAME=VALUE");
    expect(page.root.querySelector("#refused [name=name]")?.getAttribute("value")).toBe("other");
    expect((await member.get("/console/agents/ag_none")).status).toBe(404);
  });

  it("lead with how the newest version did beside the one before", async () => {
    const { body } = await worked.invoke("agents_post", { kind: "command", name: "desk agent", command: ["true"] });
    await asVersions(worked, "desk agent", body.agent.id);
    const text = "desk agent: version v2 met 0 of 4 valid trials, version v1 met 4 of 4 valid trials (-100.0 points).";
    expect(verdict(await member.get("/console/agents"))).toBe(text);
    const page = await member.get(`/console/agents/${body.agent.id}`);
    expect(verdict(page)).toBe(text);
    const links = page.root.querySelectorAll("main td a").map((each) => each.getAttribute("href"));
    expect(links).toContain(`/console/groups/${worked.group}`);
    expect(page.root.querySelector("figcaption")?.text).toContain("Met of valid trials of desk agent");
    const over = page.root.querySelectorAll("a").find(({ text }) => text.startsWith("Cost, latency"));
    expect((await member.get(over?.getAttribute("href") ?? "")).text).toContain("v2");
    expect(page.root.querySelector("td[data-of='Median time']")?.text).toMatch(/\d (?:ms|s|min)$/);
  });
});

describe("a task in a person's own words", () => {
  it("is written, reviewed and opened; what is wrong is told beside its field", async () => {
    const { environment, app, org } = worked;
    const place = `/console/sandboxes/${environment}/new-task`;
    const { items } = await app.service.store.forOrg(org.id).records.list(TaskRecord, { where: { environment } });
    const like = items.find(({ task }) => task.family === "lookup" && task.script.calls.length === 1)?.task;
    if (like === undefined) throw new Error("no task looks up one value");
    const facts = like.checks.flatMap((check) =>
      check.kind === "answer_includes" ? check.facts.map(({ value }) => String(value)) : [],
    );
    const fields = {
      kind: "answer",
      request: `Hello! ${like.request} It is for a form.`,
      calls: like.script.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("\n"),
      answer: like.script.answer,
      facts: facts.join("\n"),
    };
    const page = await member.get(place);
    expect(said(page)).toContain(like.script.calls[0]?.tool ?? "no tool");
    const send = (more: Record<string, string>) =>
      member.post(place, { ...carried(page, place), ...fields, ...more }, { referer: `${app.url}${place}` });
    for (const [more, field] of [
      [{ calls: "get_order {broken" }, "calls"],
      [{ calls: "fly {}" }, "calls"],
      [{ facts: "a value that nothing answers" }, "calls"],
      [{ request: " " }, "request"],
    ] as const) {
      const refused = await send(more);
      expect([400, 422], JSON.stringify(more)).toContain(refused.status);
      expect(refused.root.querySelector(`#refused-${field}`)?.text, JSON.stringify(more)).toMatch(/\w/);
    }
    expect((await worked.invoke("environment_tasks", { env_id: environment })).body.tasks).toHaveLength(items.length);
    const added = await member.follow(await send({}));
    expect([added.status, added.root.querySelector("main")?.text.includes("It is for a form.")]).toEqual([200, true]);
  });
});

describe("a job of a persona", () => {
  it("is marked by an admin, shown as a gap, and taken back", async () => {
    const coverage = await admin.get("/console/coverage");
    const fields = { persona: "night clerk", job: "swap a room" };
    const theirs = await member.get("/console/coverage");
    const refused = await member.submit(theirs, "/console/coverage/mark", fields);
    expect([refused.status, refused.text.includes("an admin declares it")]).toEqual([403, true]);
    // Of a cell whose names nobody has declared a member is told who can, beside no form.
    const way = hrefs(theirs).find((href) => href.startsWith("/console/coverage/cell?")) ?? "";
    const marks = (page: BrowserPage) => page.root.querySelectorAll("form[action='/console/coverage/mark']").length;
    const undeclared = await member.get(way);
    expect([marks(undeclared), said(undeclared).includes("An admin can mark it")]).toEqual([0, true]);
    expect(marks(await admin.get(way))).toBe(1);
    const cell = await admin.submit(coverage, "/console/coverage/mark", fields);
    expect([cell.status, headOf(cell)]).toEqual([200, "swap a room, for night clerk"]);
    expect(said(await admin.get("/console/coverage"))).toContain("1 gap");
    const back = await admin.submit(cell, "/console/coverage/mark");
    expect([headOf(back), said(back).includes("1 gap")]).toEqual(["Coverage", false]);
  });
});

describe("alerts", () => {
  const place = "/console/delivery/alerts";

  it("are made with who is told, listed with what they found, and ended", async () => {
    const page = await member.get(place);
    expect(verdict(page)).toBe("No traces are judged as they come.");
    const none = await member.submit(page, place, { label: "Loops", surface: "shop", threshold: "5", hours: "24" });
    expect(none.status).toBe(400);
    const fields = { label: "Loops", surface: "shop", threshold: "5", hours: "12", detector: "loop", channel: "C1" };
    const made = await member.submit(page, place, fields);
    expect([made.status, verdict(made)]).toEqual([200, "No incident is open: 0 of 0 judged traces failed lately."]);
    const { schedules } = (await worked.invoke("schedules_list")).body;
    expect(schedules).toMatchObject([
      { kind: "alert", surface: "shop", terms: { detectors: ["loop"], threshold: 0.05, window_hours: 12 } },
    ]);
    expect(said(made)).toContain("members who take mail, and C1, above 5.0");
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    const at = worked.app.service.now();
    const told = { message: ["9 of 20 judged traces failed."], sent: [], tier: "deterministic" as const };
    const of = { id: worked.app.service.id("inc"), created_at: at, by: "test", schedule: schedules[0].id };
    await records.insert(Incident, { ...of, status: "open", opened_at: at, ...told });
    const first = await member.get("/console");
    const way = first.root.querySelectorAll("main a").find(({ text }) => text === "1 open incident");
    expect(said(await member.get(way?.getAttribute("href") ?? ""))).toContain("9 of 20 judged traces failed.");
    const ended = await member.submit(made, `${place}/${schedules[0].id}/end`);
    expect(verdict(ended)).toBe("No traces are judged as they come.");
  });
});

describe("several runs", () => {
  it("stand side by side on the tasks that all ran, each change with its comparison", async () => {
    const { main, group, environment, invoke } = worked;
    const third = (await runToEnd(invoke, { harness: "reference", environment })).group;
    const page = await member.get(`/console/groups/compare?g=${third}&g=${main}&g=${group}`);
    expect([page.status, headOf(page)]).toEqual([200, "3 runs side by side"]);
    // Four tasks show nothing, however they end, once two tests stand together.
    expect(verdict(page)).toMatch(/^None of 2 runs is shown to differ from .* on the 4 tasks that all ran\.$/);
    const links = page.root.querySelectorAll("main a").map((each) => each.getAttribute("href") ?? "");
    for (const other of [group, third]) expect(links).toContain(`/console/compare?a=${main}&b=${other}`);
    const rows = page.root.querySelectorAll("table").at(-1)?.querySelectorAll("tbody tr") ?? [];
    expect(
      rows.map((row) =>
        row
          .querySelectorAll("td")
          .slice(1, 4)
          .map(({ text }) => text),
      ),
    ).toEqual(Array.from({ length: 4 }, () => ["1 of 1", "0 of 1", "1 of 1"]));
    const pair = links.find((href) => href.startsWith("/console/pair?"));
    expect((await member.get(pair ?? "")).status).toBe(200);
    const many = Array.from({ length: 9 }, (_, i) => `g=rg_${i}`).join("&");
    expect((await member.get(`/console/groups/compare?${many}`)).status).toBe(400);
    expect((await member.get(`/console/groups/compare?g=${main}&g=${group}&g=rg_none`)).status).toBe(404);
  });
});

it("a built-in player that asks no model costs nothing, and a task that is added has an example of its sandbox", async () => {
  const { environment } = worked;
  const plan = await member.get(`/console/start?player=harness%3Areference&environment=${environment}`);
  expect(said(plan)).toContain("It asks no model, so it costs nothing.");
  const places = plan.root.querySelectorAll("section[aria-label=Plan] a").map((each) => each.getAttribute("href"));
  expect(places).toEqual([`/console/sandboxes/${environment}`]);
  const form = said(await member.get(`/console/sandboxes/${environment}/new-task`));
  const { tasks } = (await worked.invoke("environment_tasks", { env_id: environment })).body;
  expect(tasks.some(({ request }: { request: string }) => form.includes(`The user asks: “${request}”`))).toBe(true);
  // A run is compared with an earlier one of the same player first, where there is one.
  const runOf = async (harness: string) => (await runToEnd(worked.invoke, { harness, environment })).group as string;
  const [reference, nobody] = [await runOf("reference"), await runOf("null")];
  const first = async (of: string) =>
    (await member.get(`/console/groups/${of}`)).root
      .querySelector("form[action='/console/compare'] option")
      ?.getAttribute("value");
  expect(await first(await runOf("null"))).toBe(nobody);
  expect(await first(await runOf("reference"))).toBe(reference);
});

it("the list of tasks tells the newest run that has trials, whatever waits after it", async () => {
  const { environment, app, org } = worked;
  const { records } = app.service.store.forOrg(org.id);
  const rates = async () =>
    (await member.get(`/console/review?env=${environment}`)).root.querySelectorAll("td a.good, td a.bad").length;
  const before = await rates();
  expect(before).toBeGreaterThan(0);
  const [run] = (await records.list(Run, { where: { environment }, limit: 1 })).items;
  if (run === undefined) throw new Error("nothing was run");
  await records.insert(Run, { ...run, id: app.service.id(Run.prefix) });
  expect(await rates()).toBe(before);
});

describe("runs that share no task", () => {
  it("are told in words, each with what it met of its own, and a way to run the missing tasks", async () => {
    const { environment, invoke } = worked;
    const ran = async (harness: string, tasks: string[]) =>
      (await runToEnd(invoke, { harness, environment, tasks })).group;
    const [one, same, other] = [
      await ran("reference", ["0", "1"]),
      await ran("null", ["0", "1"]),
      await ran("null", ["2"]),
    ];
    const page = await member.get(`/console/groups/compare?g=${other}&g=${one}&g=${same}`);
    expect(verdict(page)).toMatch(
      /^Cannot tell 3 runs apart: no task was run by all of them under the same terms; null, .* ran none of those of reference, .*\.$/,
    );
    const rows = page.root
      .querySelectorAll("tbody tr")
      .map((row) => row.querySelectorAll("td").map(({ text }) => text));
    expect(rows.map((row) => row.slice(1, 4))).toEqual([
      ["2 of 2", "", ""],
      ["0 of 2", "2", "-100.0 points"],
      ["0 of 1", "0", ""],
    ]);
    const hrefs = page.root.querySelectorAll("main a").map((each) => each.getAttribute("href") ?? "");
    expect(hrefs).toContain(`/console/start?group=${one}`);
    const trials = await member.get(`/console/groups/${other}/trials?`);
    expect([trials.status, hrefs.includes(`/console/groups/${other}/trials?`)]).toEqual([200, true]);
    const pair = await member.get(`/console/compare?a=${one}&b=${other}`);
    expect(verdict(pair)).toBe(
      "Cannot tell null (b) from reference (a): no task was run by both under the same terms (only a ran it).",
    );
    expect(pair.root.querySelectorAll("main a").map((each) => each.getAttribute("href"))).toContain(
      `/console/start?group=${one}`,
    );
  });
});

describe("a viewer", () => {
  it("opens every page, and changes nothing but what is their own", async () => {
    const { browser: viewer, id } = await memberIn(worked, worked.invoke, "vi", "viewer");
    const { main, group, environment } = worked;
    const sent = deskTraces(1)
      .slice(0, 2)
      .map((trace) => JSON.stringify(trace));
    await worked.invoke("evidence_post", { content: sent.join("\n") });
    const run = (await worked.app.service.store.forOrg(worked.org.id).records.list(Run, { limit: 1 })).items[0];
    const paths = [
      "",
      "/groups?who=all",
      `/groups/${group}`,
      `/groups/${group}/live`,
      `/compare?a=${main}&b=${group}&via=chat`,
      `/start?player=harness%3Areference&environment=${environment}`,
      `/trials/${run?.id}/${run?.tasks[0]?.id}/1`,
      `/sandboxes/${environment}`,
      `/sandboxes/${environment}/tasks/0`,
      `/sandboxes/${environment}/new-task`,
      "/agents",
      "/review",
      "/traces",
      "/label",
      `/calibrate?group=${group}&check=answer_class`,
      "/proposals",
      "/failure-modes",
      "/coverage",
      "/surfaces",
      "/reports",
      "/spend",
      "/delivery",
      "/delivery/alerts",
      "/delivery/weekly",
      "/you",
    ];
    for (const path of paths) {
      const page = await viewer.get(`/console${path}`);
      expect(page.status, path).toBe(200);
      const open = page.root.querySelectorAll("main form[method=post]").map((each) => each.getAttribute("action"));
      expect(
        open.filter((action) => !action?.startsWith("/console/you")),
        path,
      ).toEqual([]);
      // No link of theirs is refused.
      for (const way of hrefs(page).filter((href) => href.startsWith("/console/delivery")))
        expect((await viewer.get(way)).status, `${path}: ${way}`).toBe(200);
    }
    expect(verdict(await viewer.get("/console/you"))).toBe("You are vi, a viewer of acme.");
    const { token = "" } = carried(await viewer.get("/console/you"), "/console/you");
    for (const [place, fields] of [
      ["/failure-modes", { text: "It lies." }],
      ["/start", { player: "harness:null" }],
      ["/spend/budget", { usd_per_day: "1" }],
      [`/groups/${group}/stop`, {}],
      [`/members/${id}/role`, { role: "admin" }],
      ["/agents", { kind: "command", name: "mine", start: "true" }],
    ] as const) {
      const refused = await viewer.post(`/console${place}`, { token, ...fields });
      expect([refused.status, refused.text.includes("change nothing")], place).toEqual([403, true]);
      // Whoever can is named, and the way on is more than the first page.
      expect(refused.text, place).toContain("ann");
    }
    expect((await viewer.post("/console/you/name", { token, name: "Vi" })).status).toBe(303);
    expect((await viewer.get("/console/members")).status).toBe(403);

    const people = await admin.get("/console/members");
    expect(verdict(people)).toBe("1 admin, 1 member, 1 viewer.");
    await admin.submit(people, `/console/members/${id}/role`, { role: "member" });
    expect((await viewer.get("/console/you")).text).toContain("member");
    expect((await viewer.post("/console/failure-modes", { token, text: "It lies." })).status).toBe(303);
  });
});

describe("a page that shows nothing", () => {
  it("leads to the list that its address is of, and names the admins where one is needed", async () => {
    const ways = (page: BrowserPage) => page.root.querySelectorAll("main .ways a").map(({ text }) => text);
    expect(ways(await member.get("/console/groups/rg_none"))).toEqual(["Runs", "The first page"]);
    expect(ways(await member.get("/console/evidence/ev_none"))).toEqual(["Traces", "The first page"]);
    expect(ways(await member.get("/console/nowhere"))).toEqual(["The first page"]);
    const closed = await member.get("/console/tokens");
    expect([closed.status, said(closed).includes("The admin of this workspace: ann.")]).toEqual([403, true]);
    const early = await member.get("/console/delivery/email");
    expect([early.status, headOf(early), ways(early)]).toEqual([
      409,
      "Not as things stand",
      ["Delivery", "The first page"],
    ]);
  });
});

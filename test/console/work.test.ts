import { h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JobView } from "../../chapters/job-view.ts";
import { progress, type Watched, waitLine } from "../../src/console/live/runs.ts";
import { invoker } from "../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { jobRow } from "../helpers/rows.ts";
import { endOf } from "../tools/runs/kit.ts";
import { asVersions, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const plan = (fields: Record<string, string>) => browser.get(`/console/start?${new URLSearchParams(fields)}`);
const groups = async () => (await worked.invoke("run_groups_list", { limit: 500 })).body.groups as { group: string }[];

describe("starting a run", () => {
  // Finding E43, with the tests beside it, review.test.ts and label.test.ts.
  it("tells the plan and its price before anything starts, then starts what was planned", async () => {
    const before = (await groups()).length;
    // Nothing is planned before it is asked for; then the plan stands first, and the form that changes it below.
    const blank = await plan({});
    expect(blank.root.querySelector(".verdict")?.text).toBe(
      "No agent is connected; 4 certified tasks in 1 sandbox can be run.",
    );
    expect([
      said(blank).includes("Change it"),
      blank.root.querySelectorAll("form[method=post][action='/console/start']"),
    ]).toEqual([false, []]);
    const page = await plan({ player: "harness:reference", environment: worked.environment, trials: "2" });
    expect(said(page)).toContain("reference on 4 tasks: 8 trials.");
    expect(said(page)).toContain("It asks no model, so it costs nothing.");
    expect(said(page).indexOf("8 trials.")).toBeLessThan(said(page).indexOf("Change it"));
    expect(await groups()).toHaveLength(before);
    const started = await browser.submit(page, "/console/start");
    expect([started.status, started.text.includes("of 8 trials")]).toEqual([200, true]);
    const [newest] = await groups();
    expect(await groups()).toHaveLength(before + 1);
    expect(await endOf(worked.invoke, newest?.group ?? "")).toBe("landed");
    expect((await worked.invoke("run_group", { gid: newest?.group })).body).toMatchObject({ trials: 2, by: "ann" });
  });

  it("says what stands against it, and starts nothing", async () => {
    const before = (await groups()).length;
    for (const [fields, words] of [
      [{ player: "agent:ag_none" }, "cannot start"],
      [{ player: "harness:null", trials: "0" }, "trials: give a whole number"],
      [{ player: "harness:null", environment: "env_none" }, "No such environment"],
      [{ player: "harness:null", selection: "<b>" }, "selection: use full"],
      [{ group: "rg_none" }, "No such run group"],
    ] as const) {
      const page = await plan({ ...fields });
      expect([page.status, said(page)], words).toEqual([200, expect.stringContaining(words)]);
      expect(page.root.querySelectorAll("form[method=post][action='/console/start']")).toEqual([]);
    }
    const { token = "" } = carried(await browser.get("/console/you"), "/console/you");
    expect((await browser.post("/console/start", { token: "x", player: "harness:null" })).status).toBe(403);
    expect((await browser.post("/console/start", { token, player: "agent:ag_none" })).status).toBe(404);
    expect(await groups()).toHaveLength(before);
  });
});

describe("a run while it goes", () => {
  it("says what holds it back, with the way to the budget", () => {
    const job = { ...jobRow(worked.org.id, { id: "rg_1", kind: "run_group", status: "held" }), done: 0, total: 2 };
    const held = { ...job, note: "It may cost $0.13 and $0.00 is left." } as unknown as JobView;
    const told = renderToStaticMarkup(
      h(
        "div",
        null,
        waitLine([held], () => "slow 2"),
      ),
    );
    expect(told).toContain('<a href="/console/spend">1 run waits for budget</a>');
    expect(told).toContain("<p>slow 2: It may cost $0.13 and $0.00 is left.</p>");
    expect(told).toContain('<a class="button" href="/console/spend">Raise the budget</a>');
    expect(waitLine([], String)).toBeNull();
  });

  it("tells what failed before what was met, by the check that it failed", () => {
    const ends = ["met", "failed", "infra", "met", "failed"];
    const trials = ends.map((end, i) => ({
      run: "r",
      task: `t${i}`,
      n: 1,
      attempt: 1,
      end,
      cause: null,
      ended_at: 9 - i,
      calls: 1,
    }));
    const tally = { met: 2, failed: 2, infra: 1, invalid: 0 };
    const job = {
      id: "rg_1",
      n: 5,
      of: 5,
      tally,
      status: "landed",
      in_flight: [],
      trials,
      now: 9,
      ended_at: 9,
      created_at: 1,
    };
    const told = progress(job as unknown as Watched, new Map(), new Map([["r/t4/1", "state: orders differ"]]));
    const rows = renderToStaticMarkup(h("div", null, told))
      .split("<tr>")
      .slice(2);
    expect(rows.map((row) => /\/trials\/r\/(t\d)\/1/.exec(row)?.[1])).toEqual(["t1", "t4", "t2", "t0", "t3"]);
    expect(rows[1]).toContain("state: orders differ");
    // What is under way is told by its calls only where one of them has any.
    const flight = (calls: unknown[]) => ({ ...job, in_flight: [{ task: "t0", n: 1, started_at: 1, calls }] });
    const captions = [[], [{ tool: "get_order" }]].map((calls) => {
      const now = progress(flight(calls) as unknown as Watched, new Map(), new Map());
      return /<caption>(.*?)<\/caption>/.exec(renderToStaticMarkup(h("div", null, now)))?.[1];
    });
    expect(captions).toEqual(["Under way: none has called a tool yet.", "Under way: what each has called so far."]);
  });

  it("tells its trials, estimate and calls, is stopped, and goes on where it was", async () => {
    const command = [process.execPath, "-e", "setTimeout(() => {}, 600000)"];
    const agent = (await worked.invoke("agents_post", { kind: "command", name: "slow", command })).body.agent.id;
    const page = await plan({ player: `agent:${agent}`, environment: worked.environment });
    // Its versions are offered where one is named.
    const { versions } = (await worked.invoke("agents_get", { aid: agent })).body.agent;
    const offered = page.root.querySelectorAll("select[name=player] option").map((each) => each.getAttribute("value"));
    for (const { version } of versions) expect(offered).toContain(`agent:${agent}@${version}`);
    const live = await browser.submit(page, "/console/start");
    expect(live.text).toContain("0 of 4 trials have ended");
    // Without script the page loads itself anew; with it the events do that.
    expect(live.html).toContain('<noscript><meta http-equiv="refresh" content="4"/></noscript>');
    const events = live.root.querySelector("[data-island=live]")?.getAttribute("data-events") ?? "";
    const gid = /groups\/([^/]+)\/events/.exec(events)?.[1] ?? "";
    const now = (await browser.get("/console/live")).root.querySelectorAll("main td a");
    const one = now.find((each) => each.getAttribute("href") === `/console/groups/${gid}/live`);
    // By who plays it, not by its status.
    expect(one?.text).not.toMatch(/^$|queued|running|a run/);
    const list = await browser.get("/console/live");
    // Each row says how far it is, fills in by events, and stops its run.
    expect(list.root.querySelector("td progress")?.getAttribute("max")).toBe("4");
    expect(said(list)).toContain("1 run works: 0 of 4 trials ended, 0 failed so far.");
    const all = list.root.querySelector("[data-island=live]")?.getAttribute("data-events") ?? "";
    expect(list.html).toContain('<noscript><meta http-equiv="refresh"');
    expect(live.root.querySelector("h1")?.text).toContain("while it runs");
    const first = (await browser.get("/console")).root.querySelector(`main a[href="/console/groups/${gid}/live"]`);
    expect(first?.text).toMatch(/^slow/);

    const trial = await vi.waitFor(
      async () => {
        const page = await browser.get(`/console/groups/${gid}/live`);
        const link = page.root.querySelector("td a[href*='/live/']")?.getAttribute("href");
        if (!link) throw new Error("no trial is under way yet");
        return link;
      },
      { timeout: 120_000, interval: 500 },
    );
    const under = await browser.get(trial);
    expect(said(under)).toContain("it has called no tool yet");
    expect((await browser.get(trial.replace(/1$/, "7"))).location).toBe(`/console/groups/${gid}/live`);
    expect((await browser.get(trial.replace(gid, worked.main))).status).toBe(404);
    const toldOfTrial = browser.get(under.root.querySelector("[data-island=live]")?.getAttribute("data-events") ?? "");

    const told = browser.get(events);
    const toldOfAll = browser.get(all);
    const stopped = await browser.submit(list, `/console/groups/${gid}/stop`);
    expect(stopped.status).toBe(200);
    expect(await endOf(worked.invoke, gid)).toBe("stopped");
    const stream = await told;
    expect(stream.headers["content-type"]).toContain("text/event-stream");
    expect(stream.html).toMatch(/^data: .*of 4 trials/);
    expect(stream.html).toMatch(/event: done\ndata: \n\n$/);
    expect((await toldOfAll).html).toMatch(/^data: .*of 4 trials[\s\S]*event: done\ndata: \n\n$/);

    expect((await toldOfTrial).html).toMatch(/^data: [\s\S]*called no tool[\s\S]*event: done\ndata: \n\n$/);
    expect((await browser.get(trial)).status).toBe(303);

    const ended = await browser.get(`/console/groups/${gid}/live`);
    expect(ended.html).not.toContain('http-equiv="refresh"');
    expect(ended.root.querySelector("h1")?.text).toMatch(/, how it went$/);
    expect(said(ended)).toMatch(/It took \d+ s\. Met/);
    const over = await browser.get("/console/live");
    expect([over.html.includes('http-equiv="refresh"'), over.html.includes("/stop")]).toEqual([false, false]);
    const again = await browser.submit(ended, `/console/groups/${gid}/resume`);
    expect(again.text).toContain("of 4 trials");
    const [newest] = await groups();
    expect(newest?.group).not.toBe(gid);
    await worked.invoke("job_stop", { job_id: newest?.group });
    await endOf(worked.invoke, newest?.group ?? "");
  });

  it("offers an ended run's tasks once more, by who played them", async () => {
    await asVersions(worked);
    const page = await browser.get(`/console/groups/${worked.main}/live`);
    const links = page.root
      .querySelectorAll("main a")
      .map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&"));
    // What it came to is the headline, once it has landed.
    expect(page.root.querySelector(".verdict")?.text.trim()).toBe("4 of 4 met; 0 failed.");
    expect(page.root.querySelector(`main a[href="/console/groups/${worked.main}"]`)?.text).toBe("Open the result");
    expect(links).toContain(`/console/start?player=agent%3Aag_desk&version=v1&group=${worked.main}`);
  });

  it("of another org, or of nobody who is signed in, is told to nobody", async () => {
    const other = await worked.app.org("other");
    const theirs = await memberIn(worked, invoker(worked.app, "rest", other), "eve");
    for (const path of ["live", "events"]) {
      const foreign = await theirs.browser.get(`/console/groups/${worked.main}/${path}`);
      const unknown = await theirs.browser.get(`/console/groups/rg_none/${path}`);
      expect([foreign.status, said(foreign)], path).toEqual([404, said(unknown)]);
    }
    const none = await theirs.browser.get("/console/live/events");
    expect([none.html.includes("Nothing runs"), none.html.includes("trials")]).toEqual([true, false]);
    theirs.browser.cookies.clear();
    expect((await theirs.browser.get("/console/live/events")).status).toBe(401);
    expect((await theirs.browser.get(`/console/groups/${worked.main}/events`)).status).toBe(401);
    const { token = "" } = carried(await browser.get("/console/you"), "/console/you");
    for (const act of ["stop", "resume", "finish"])
      expect((await browser.post(`/console/groups/rg_none/${act}`, { token })).status, act).toBe(404);
  });
});

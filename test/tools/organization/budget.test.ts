import { expect } from "vitest";
import { runGroupJob } from "../../../chapters/runs/jobs/run-jobs.ts";
import { bothSurfaces, FakeClock } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { jobRow } from "../../helpers/rows.ts";

const DAY = 86_400;
const NOON = 20_000 * DAY + DAY / 2;
const usd = (value: number) => Math.round(value * 1_000_000);

bothSurfaces(
  "spend_summary adds the ledger up by day and by job, and counts from midnight UTC",
  async (invoke, { app, org }) => {
    const empty = await invoke("spend_summary", {}, org.read);
    expect(empty.body).toMatchObject({
      org: "acme",
      today: { usd_per_day: 10, source: "default", spent_usd: 0, left_usd: 10 },
      days: [],
      jobs: [],
      held: [],
    });
    const { ledger } = app.service.store.forOrg(org.id);
    const row = (at: number, job: string | null, dollars: number) =>
      ledger.append({
        id: app.service.id("lg"),
        at,
        job,
        kind: "judge",
        who: "ann",
        micro_usd: usd(dollars),
        note: "",
      });
    await row(NOON - 31 * DAY, "jb_0", 5);
    await row(NOON - DAY, "jb_1", 1.25);
    await row(NOON - 60, "jb_1", 0.5);
    await row(NOON - 30, "jb_2", 0.25);
    await row(NOON - 20, null, 0.125);
    await app.org("beta");
    const { body, verdict } = await invoke("spend_summary", {}, org.read);
    expect(body.today).toMatchObject({ spent_usd: 0.875, left_usd: 9.125 });
    expect(body.days).toEqual([
      { day: "2024-10-04", usd: 0.875 },
      { day: "2024-10-03", usd: 1.25 },
    ]);
    expect(body.jobs).toEqual([
      { job: "jb_2", kind: "judge", who: "ann", started: NOON - 30, usd: 0.25 },
      { job: "jb_1", kind: "judge", who: "ann", started: NOON - DAY, usd: 1.75 },
    ]);
    expect(body.direct).toEqual([{ kind: "judge", who: "ann", started: NOON - 20, rows: 1, usd: 0.125 }]);
    if (verdict !== undefined) expect(verdict).toBe("0.88 of 10.00 USD spent today.");
    expect((await invoke("spend_summary", { orgtag: "beta" })).status).toBe(403);
    expect((await invoke("spend_summary", { orgtag: "beta" }, app.operator)).body.days).toEqual([]);
  },
  { clock: new FakeClock(NOON), jobs: false },
);

bothSurfaces(
  "budget_put sets and clears the day's budget; what waits for it is told with the sentence",
  async (invoke, { app, org }) => {
    const store = app.service.store.forOrg(org.id);
    const started = app.service.id("job");
    await store.jobs.start(
      jobRow(org.id, {
        id: started,
        kind: "pipeline",
        key: "pipeline:waits",
        status: "held",
        note: "It may cost $4.00 and $0.00 is left.",
        by: "ann",
        input: { surface: "waits", admit: true, augment: false, k: 1, tasks: 1, seed: "1", rerun: false },
        created_at: NOON,
      }),
    );
    const waiting = await invoke("spend_summary");
    expect(waiting.body.held).toEqual([
      { job: started, kind: "pipeline", why: "It may cost $4.00 and $0.00 is left.", by: "ann" },
    ]);
    if (waiting.verdict !== undefined) expect(waiting.verdict).toContain("; 1 job waits.");
    const set = await invoke("budget_put", { usd_per_day: 2.5, by: "ann" }, org.push);
    expect(set).toMatchObject({
      status: 200,
      body: { cleared: false, budget: { usd_per_day: 2.5, source: "org", set_by: "ann", left_usd: 2.5 } },
    });
    expect((await invoke("budget_put", { usd_per_day: 0 })).body.budget).toMatchObject({ usd_per_day: 0, left_usd: 0 });
    expect((await invoke("spend_summary")).body.today).toMatchObject({ usd_per_day: 0, source: "org" });
    const cleared = await invoke("budget_put", { usd_per_day: null });
    expect(cleared.body).toMatchObject({ cleared: true, budget: { usd_per_day: 10, source: "default" } });
    expect(cleared.body.budget).not.toHaveProperty("set_by");
    for (const wrong of [-1, "5", undefined]) {
      const refused = await invoke("budget_put", { usd_per_day: wrong });
      expect(refused, String(wrong)).toMatchObject({ status: 400, body: { fields: [{ path: "usd_per_day" }] } });
    }
    expect((await invoke("budget_put", { usd_per_day: 1 }, org.read)).status).toBe(403);
    const lines = (await store.audit.list({ order: "oldest" })).items.filter((line) => line.act === "budget_set");
    const caller_token = expect.stringMatching(/^tok_/);
    expect(lines.map(({ by, fields }) => [by, fields])).toEqual([
      ["token:acme-push", { usd_per_day: 2.5, said_by: "ann", caller_token }],
      ["token:acme-admin", { usd_per_day: 0, caller_token }],
      ["token:acme-admin", { caller_token }],
    ]);
  },
  { clock: new FakeClock(NOON), jobs: false },
);

bothSurfaces(
  "spend_summary names the variable that the operator set the budget with",
  async (invoke) => {
    expect((await invoke("spend_summary")).body.today).toMatchObject({
      usd_per_day: 3.5,
      source: "environment",
      variable: "SVC_USD_PER_DAY",
    });
    await invoke("budget_put", { usd_per_day: 1 });
    expect((await invoke("spend_summary")).body.today).not.toHaveProperty("variable");
  },
  { jobs: false, config: { defaultUsdPerDay: 3.5, usdPerDaySet: true } },
);

bothSurfaces(
  "budget_put rules held work again: what fits goes on, what does not says why",
  async (invoke, { app, org }) => {
    const ctx = ctxOf(app.service, org, { name: "ann", scope: "push" });
    await invoke("budget_put", { usd_per_day: 1 });
    const start = (group: string, dollars: number) =>
      ctx.jobs.start(runGroupJob, { group, plan: group, estimate: usd(dollars) });
    const [small, large] = [await start("rg_small", 4), await start("rg_large", 9)];
    expect([small.status, large.status]).toEqual(["held", "held"]);
    const { held } = (await invoke("spend_summary")).body;
    expect(held).toMatchObject([
      { job: large.job, kind: "run_group", by: "ann", estimate_usd: 9 },
      { job: small.job, estimate_usd: 4, why: expect.stringContaining("$4.00") },
    ]);
    await invoke("budget_put", { usd_per_day: 5 });
    const after = (await invoke("spend_summary")).body.held;
    expect(after).toMatchObject([{ job: large.job, why: expect.stringContaining("of today's $5.00 is left") }]);
    expect((await invoke("job_status", { job_id: small.job })).body.status).toBe("queued");
    await invoke("budget_put", { usd_per_day: 0 });
    expect((await invoke("spend_summary")).body.held).toHaveLength(1);
    await invoke("budget_put", { usd_per_day: null });
    expect((await invoke("spend_summary")).body.held).toEqual([]);
  },
  { jobs: false },
);

import type { Ctx } from "../../context.ts";
import { dayStart, isNear, spendOf } from "../../organization/budget.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import { playerName, RunGroup } from "../../records/runs/runs.ts";
import { jobWords } from "./job-words.ts";
import { listed } from "./listed.ts";
import type { PageDoc, PageSection } from "./page-doc.ts";
import { paidJobs, paidTable } from "./paid-jobs.ts";
import { counted, cut, dollars, minuteOf } from "./words.ts";

const DAY = 86_400;
const LISTED = 100;

type Summary = Awaited<ReturnType<typeof spendOf>>;

/** Days that are looked back where nothing else is asked. */
export const SPEND_DAYS = 30;

/** What model calls of the last days cost, by day, by purpose and by job, and what waits for budget or consent. */
export async function spendPage(ctx: Ctx, window = SPEND_DAYS): Promise<PageDoc> {
  const summary = await spendOf(ctx, window);
  const { today, held, tier } = summary;
  const { spent_usd: spent, usd_per_day: budget } = today;
  const over = spent > budget;
  const waiting = held.length === 0 ? "" : `; ${counted(held.length, "job")} ${held.length === 1 ? "waits" : "wait"}`;
  return {
    v: 1,
    title: "Spend",
    made_at: ctx.now(),
    verdict: {
      text: over
        ? `${dollars(spent)} spent today, ${dollars(spent - budget)} over the budget of ${dollars(budget)}${waiting}.`
        : `${dollars(spent)} of today's ${dollars(budget)} spent${isNear(today) ? nearly(today) : ""}${waiting}.`,
      tone: isNear(today) || held.length > 0 ? "warn" : "plain",
      tier,
      how: `${budgetFrom(today)} ${over ? `${await whyOver(ctx, today)} ` : ""}A day is a UTC day; every model call is written down before its answer is used.`,
    },
    sections: [
      ...(held.length === 0 ? [] : [await waitingTable(ctx, held)]),
      byDay(summary, ctx.now(), window),
      ...byPurpose(summary, window),
      await byJob(ctx, summary, window),
    ],
  };
}

/** Why more was spent than the budget of the day: it was set lower afterwards, or calls that were under way cost more. */
async function whyOver(ctx: Ctx, { usd_per_day, set_by }: Summary["today"]): Promise<string> {
  const { budget } = await readPreferences(ctx);
  const since = dayStart(ctx.now());
  if (budget === undefined || budget.at < since) return UNDER_WAY;
  let micro = 0;
  for await (const row of everyRow((page) => ctx.store.ledger.list(since, page)))
    if (row.at <= budget.at) micro += row.micro_usd;
  const before = micro / 1_000_000;
  if (before <= usd_per_day) return UNDER_WAY;
  return `${dollars(before)} had been spent already when ${cut(set_by ?? budget.by, 40)} set it today at ${minuteOf(budget.at).slice(11)} UTC: that stays, and new calls wait.`;
}

function nearly({ spent_usd, usd_per_day, left_usd }: Summary["today"]): string {
  return `, ${Math.floor((100 * spent_usd) / usd_per_day)} % of it: with ${dollars(left_usd)} left, work that asks models may soon wait`;
}

const UNDER_WAY = "Calls that were under way cost more than what was left.";

function budgetFrom({ source, set_by, variable }: Summary["today"]): string {
  if (source === "org") return `The budget was set by ${set_by ?? "the org"}.`;
  return source === "environment" ? `The operator set the budget (${variable}).` : "The budget is the default.";
}

/** Jobs that wait for budget or consent, with what each may cost at most. */
async function waitingTable(ctx: Ctx, held: Summary["held"]): Promise<PageSection> {
  const groups = await ctx.store.records.getMany(
    RunGroup,
    held.slice(0, LISTED).map(({ job }) => job),
  );
  const players = new Map(groups.map(({ id, player }) => [id, cut(playerName(player), 60)]));
  return {
    show: "table",
    heading: "What waits",
    caption: "Jobs that wait for budget or consent, with what each may cost at most.",
    tier: "deterministic",
    columns: [
      { name: "Job" },
      { name: "At most", kind: "number" },
      { name: "Why", kind: "wide" },
      { name: "Asked by" },
    ],
    ...listed(
      held,
      ({ job, kind, why, estimate_usd, by }) => [
        kind === "run_group"
          ? {
              text: `run of ${players.get(job) ?? "a player of which no record is kept"}`,
              link: { page: "group", id: job },
            }
          : jobWords(kind),
        estimate_usd === undefined ? "not known" : dollars(estimate_usd),
        cut(why, 300),
        cut(by, 60),
      ],
      LISTED,
    ),
  };
}

/** What each kind of work spent, the most first. */
function byPurpose({ jobs, direct }: Summary, window: number): PageSection[] {
  const kinds = [...Map.groupBy([...jobs, ...direct], ({ kind }) => kind)].sort(([, a], [, b]) => total(b) - total(a));
  if (kinds.length === 0) return [];
  return [
    {
      show: "table",
      heading: "By purpose",
      caption: `What model calls of the last ${window} days were made for, the most first.`,
      tier: "deterministic",
      columns: [{ name: "Purpose" }, { name: "US dollars", kind: "number" }, { name: "Jobs", kind: "number" }],
      ...listed(kinds, ([kind, of]) => [jobWords(kind), dollars(total(of)), of.length], LISTED),
    },
  ];
}

function byDay({ days, today: { usd_per_day: budget } }: Summary, now: number, window: number): PageSection {
  const first = days.at(-1)?.day;
  if (first === undefined)
    return { show: "text", heading: "By day", paragraphs: [`No model call was paid for in the last ${window} days.`] };
  const spent = new Map(days.map(({ day, usd }) => [day, usd]));
  const each: { day: string; part: string; value: number }[] = [];
  for (let at = Date.parse(first) / 1000; at <= now; at += DAY) {
    const day = new Date(at * 1000).toISOString().slice(0, 10);
    each.push({ day, part: "model calls", value: spent.get(day) ?? 0 });
  }
  return {
    show: "days",
    heading: "By day",
    caption: `US dollars per UTC day since the first that something was spent on, of the last ${window} days: ${dollars(total(days))} in all.`,
    tier: "deterministic",
    unit: "US dollars",
    ...(budget > 0 ? { limit: { name: `today's budget: ${dollars(budget)}`, value: budget } } : {}),
    days: each,
  };
}

async function byJob(ctx: Ctx, { jobs }: Summary, window: number): Promise<PageSection> {
  if (jobs.length === 0)
    return { show: "text", heading: "By job", paragraphs: [`No job has spent anything in the last ${window} days.`] };
  return paidTable(await paidJobs(ctx, jobs), {
    heading: "By job",
    caption: `What each job of the last ${window} days spent, the most first: ${dollars(total(jobs))} by ${counted(jobs.length, "job")}.`,
    tier: "deterministic",
  });
}

function total(rows: readonly { readonly usd: number }[]): number {
  return rows.reduce((sum, row) => sum + row.usd, 0);
}

import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { changePreferences, readPreferences } from "./preferences.ts";

const DAY = 86_400;
const MICRO = 1_000_000;
const WINDOW_DAYS = 30;

/** Today's budget of an org: how much, where it comes from, what is spent and what is left. A day is a UTC day. */
export const BudgetToday = z.object({
  usd_per_day: z.number(),
  source: z.enum(["org", "environment", "default"]),
  variable: z.string().optional().describe("The environment variable that sets it."),
  set_by: z.string().optional(),
  spent_usd: z.number(),
  left_usd: z.number(),
});
export type BudgetToday = z.infer<typeof BudgetToday>;

/** The org's budget for the UTC day that `now` lies in. */
export async function budgetToday(ctx: Ctx): Promise<BudgetToday> {
  const { budget } = await readPreferences(ctx);
  const usdPerDay = budget?.usd_per_day ?? ctx.settings.defaultUsdPerDay;
  const spent = (await ctx.store.ledger.since(dayStart(ctx.now()))) / MICRO;
  return {
    usd_per_day: usdPerDay,
    ...(budget === undefined ? sourceOf(ctx.settings.usdPerDayFrom) : { source: "org" as const, set_by: budget.by }),
    spent_usd: spent,
    left_usd: Math.max(0, usdPerDay - spent),
  };
}

/** Of a day's budget, spent: from here on people are warned. */
const NEAR = 0.8;

/** Whether so much of today's budget is spent that work may soon wait. */
export function isNear({ usd_per_day, spent_usd }: Pick<BudgetToday, "usd_per_day" | "spent_usd">): boolean {
  return usd_per_day > 0 && spent_usd >= NEAR * usd_per_day;
}

/** Sets the daily budget, or clears it to the default. Held work is ruled again at once. */
export async function putBudget(
  ctx: Ctx,
  input: { readonly usd_per_day: number | null; readonly by?: string | undefined },
) {
  const usd = input.usd_per_day;
  const by = actor(ctx, input.by);
  await changePreferences(ctx, ({ budget: _was, ...doc }) =>
    usd === null ? doc : { ...doc, budget: { usd_per_day: usd, by, at: ctx.now() } },
  );
  await auditAct(ctx, "budget_set", usd === null ? {} : { usd_per_day: usd }, by);
  await ctx.jobs.reEvaluate();
  return { budget: await budgetToday(ctx), cleared: usd === null };
}

/** Today's budget and spend, the ledger of thirty days by day and by job, and what waits, with what it may cost and why. */
export async function spendSummary(ctx: Ctx) {
  return spendOf(ctx, WINDOW_DAYS);
}

/** The same of the last `window` UTC days, today among them. */
export async function spendOf(ctx: Ctx, window: number) {
  const since = dayStart(ctx.now()) - (window - 1) * DAY;
  const days = new Map<string, number>();
  const jobs = new Map<string, { readonly kind: string; readonly who: string; started: number; micro: number }>();
  const direct = new Map<string, { kind: string; who: string; started: number; micro: number; rows: number }>();
  // Added up as they come: an org may have a million of them.
  for await (const { at, job, kind, who, micro_usd } of everyRow((page) => ctx.store.ledger.list(since, page))) {
    const day = new Date(at * 1000).toISOString().slice(0, 10);
    days.set(day, (days.get(day) ?? 0) + micro_usd);
    if (job === null) {
      const key = JSON.stringify([kind, who]);
      const sum = direct.get(key) ?? { kind, who, started: at, micro: 0, rows: 0 };
      sum.started = Math.min(sum.started, at);
      sum.micro += micro_usd;
      sum.rows += 1;
      direct.set(key, sum);
      continue;
    }
    const sum = jobs.get(job) ?? { kind, who, started: at, micro: 0 };
    sum.started = Math.min(sum.started, at);
    sum.micro += micro_usd;
    jobs.set(job, sum);
  }
  return {
    org: ctx.org.tag,
    tier: "deterministic" as const,
    today: await budgetToday(ctx),
    days: newestFirst(days).map(([day, micro]) => ({ day, usd: micro / MICRO })),
    jobs: newestFirst(jobs).map(([job, { micro, ...of }]) => ({ job, ...of, usd: micro / MICRO })),
    direct: [...direct.values()]
      .sort((a, b) => b.micro - a.micro)
      .map(({ micro, ...of }) => ({ ...of, usd: micro / MICRO })),
    held: await heldWork(ctx),
  };
}

/** A job that the budget or a person holds back, and why. */
export const WaitingWork = z.object({
  job: z.string(),
  kind: z.string(),
  why: z.string(),
  by: z.string(),
  estimate_usd: z.number().optional().describe("What it may cost at most, where that is known."),
});
type WaitingWork = z.infer<typeof WaitingWork>;

/** Jobs that the budget or a person holds back, with why and what each may cost at most. */
export async function heldWork(ctx: Ctx) {
  const held: WaitingWork[] = [];
  for await (const row of everyRow((page) => ctx.store.jobs.list({ ...page, live: true }))) {
    if (row.status !== "held") continue;
    const estimate = ctx.jobs.estimate(row);
    held.push({
      job: row.id,
      kind: row.kind,
      why: row.note ?? "",
      by: row.by,
      ...(estimate === undefined ? {} : { estimate_usd: estimate / MICRO }),
    });
  }
  return held;
}

function sourceOf(variable: string | undefined) {
  return variable === undefined ? { source: "default" as const } : { source: "environment" as const, variable };
}

/** By days and ids, both of which tell the time. */
function newestFirst<T>(sums: ReadonlyMap<string, T>): [string, T][] {
  return [...sums].sort(([a], [b]) => (a < b ? 1 : -1));
}

/** The first second of the UTC day that `now` lies in. */
export function dayStart(now: number): number {
  return Math.floor(now / DAY) * DAY;
}

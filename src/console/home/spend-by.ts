import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import { counted, cut, dollars } from "../../../chapters/findings/pages/words.ts";
import { dayStart } from "../../../chapters/organization/budget.ts";
import { everyRow } from "../../../chapters/page.ts";
import { ModelCall } from "../../../chapters/records/models/models.ts";
import { type AgentSpend, spendOfAgents } from "../../../chapters/runs/groups/trend.ts";
import type { CsvCell } from "../../../chapters/text/csv.ts";
import { table } from "../../pages/html.ts";
import { type TrendValue, trendFigure } from "../../pages/trend.ts";
import { CONSOLE, pathOf } from "../frame.ts";

const DAY = 86_400;
export const SPEND_DAYS = 30;
const MICRO = 1_000_000;
/** Model calls that are added up at most, newest first. */
const CALLS = 5_000;
/** Groups of agents whose trials are added up. */
const GROUPS = 60;
/** Models and agents that have a line of their own, the dearest. */
const LINES = 4;

/** US dollars of a UTC day, with the newest run that they are of where they are a run's. */
interface DaySpend {
  usd: number;
  group?: string;
}
type ByDay = Map<string, DaySpend>;

interface ModelSpend {
  readonly model: string;
  calls: number;
  input: number;
  output: number;
  micro: number;
  readonly days: ByDay;
}

interface Spent {
  readonly models: readonly ModelSpend[];
  readonly agents: readonly AgentSpend[];
  /** Whether there are more model calls than were added up. */
  readonly cut: boolean;
  /** The first second of the first day. */
  readonly since: number;
}

const dayOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10);

/** What trials and the service's own model calls cost in the last days, by agent and by model, day by day. */
async function spentBy(ctx: Ctx, days: number): Promise<Spent> {
  const since = dayStart(ctx.now()) - (days - 1) * DAY;
  const models = new Map<string, ModelSpend>();
  let read = 0;
  for await (const { model, tokens, micro_usd, created_at } of everyRow((page) =>
    ctx.store.records.list(ModelCall, page),
  )) {
    if (created_at < since || read === CALLS) break;
    read += 1;
    const sum = models.get(model) ?? { model, calls: 0, input: 0, output: 0, micro: 0, days: new Map() };
    sum.calls += 1;
    sum.input += tokens.input;
    sum.output += tokens.output;
    sum.micro += micro_usd;
    add(sum.days, created_at, micro_usd / MICRO);
    models.set(model, sum);
  }
  const agents = (await spendOfAgents(ctx, GROUPS)).filter(({ trials }) => trials > 0);
  return {
    models: [...models.values()].sort((a, b) => b.micro - a.micro),
    agents,
    cut: read === CALLS,
    since,
  };
}

/** The first run that is added for a day is its newest. */
function add(days: ByDay, at: number, usd: number, group?: string): void {
  const sum = days.get(dayOf(at)) ?? { usd: 0, ...(group === undefined ? {} : { group }) };
  sum.usd += usd;
  days.set(dayOf(at), sum);
}

function daysOf({ runs }: AgentSpend, since: number): ByDay {
  const days: ByDay = new Map();
  for (const { group, at, usd } of runs) if (at >= since) add(days, at, usd, group);
  return days;
}

/** What trials and the service's own model calls cost, by agent and by model: sums, and a line over the days of each. */
export async function spendBy(ctx: Ctx, days = SPEND_DAYS): Promise<ComponentChild> {
  const spent = await spentBy(ctx, days);
  const { models, agents, since } = spent;
  if (models.length === 0 && agents.length === 0) return null;
  const all = models.reduce((sum, { micro }) => sum + micro, 0) / MICRO;
  const ofModels = models.slice(0, LINES).map(({ model, days: by }) => ({
    name: cut(model, 60),
    caption: `US dollars a UTC day of the service's own calls of ${cut(model, 60)}, since its first of the last ${days} days.`,
    marks: marksOf(by, ctx.now()),
  }));
  const ofAgents = agents.slice(0, LINES).map((agent) => ({
    name: cut(agent.agent, 60),
    caption: `US dollars that trials of ${cut(agent.agent, 60)} say they cost, by the UTC day that their run was started, since its first of the last ${days} days; a point opens the day's newest run.`,
    marks: marksOf(daysOf(agent, since), ctx.now()),
  }));
  return [
    models.length > 0 &&
      table(
        `The service's own model calls of the last ${days} days, by model${spent.cut ? `, the newest ${CALLS.toLocaleString("en-US")} of them` : ""}: ${dollars(all)} in all.${models.some(({ model }) => priceOf(ctx, model) !== "") ? " Prices are those of today, of a million tokens." : ""}`,
        [
          { name: "Model" },
          { name: "US dollars", n: true },
          { name: "Calls", n: true },
          { name: "Tokens in", n: true },
          { name: "Tokens out", n: true },
          { name: "In / out a million", n: true },
        ],
        models.map(({ model, calls, input, output, micro }) => [
          cut(model, 60),
          dollars(micro / MICRO),
          ...[calls, input, output].map((n) => n.toLocaleString("en-US")),
          priceOf(ctx, model),
        ]),
      ),
    lines(ofModels, models.length, "model"),
    agents.length > 0 &&
      table(
        `What trials say they cost, by who played, in the newest ${GROUPS} landed runs of agents and of react, of any age. Where the service itself asked the model the same money is in its own calls too; what other agents pay for is not.`,
        [
          { name: "Played by" },
          { name: "US dollars", n: true },
          { name: "Trials", n: true },
          { name: "A trial", n: true },
          { name: "Runs", n: true },
        ],
        agents.map(({ id, agent, builtIn, usd, trials, groups }) => [
          id === undefined
            ? `${cut(agent, 60)}${builtIn ? ", built in" : ""}`
            : html`<a href=${pathOf({ page: "agent", id })}>${cut(agent, 60)}</a>`,
          dollars(usd),
          trials,
          dollars(usd / trials),
          html`<a href="${CONSOLE}/groups?${new URLSearchParams({ q: agent, ...(builtIn ? { who: "built-in" } : {}) })}">${groups}</a>`,
        ]),
      ),
    lines(ofAgents, agents.length, "agent"),
  ];
}

/** What a model that is offered costs today; nothing where it is offered no more, or without a price. */
function priceOf({ models }: Ctx, model: string): string {
  const price = models.offered.find((offer) => offer.model === model)?.price;
  return price === undefined ? "" : `${dollars(price.input_usd)} / ${dollars(price.output_usd)}`;
}

/** The same day by day, as rows: of what, its name, the day, US dollars. */
export async function spendRows(ctx: Ctx, days: number): Promise<readonly (readonly CsvCell[])[]> {
  const { models, agents, since } = await spentBy(ctx, days);
  const rows = (of: string, name: string, by: ByDay) =>
    [...by].sort(([a], [b]) => (a < b ? 1 : -1)).map(([day, { usd, group }]) => [of, name, day, usd, group]);
  return [
    ...models.flatMap(({ model, days: by }) => rows("model", model, by)),
    ...agents.flatMap((agent) => rows("agent", agent.agent, daysOf(agent, since))),
  ];
}

/** A point for each day from the first that anything was spent on, nothing where nothing was. */
function marksOf(by: ByDay, now: number): TrendValue[] {
  const [first] = [...by.keys()].sort();
  const marks: TrendValue[] = [];
  for (let at = Date.parse(first ?? "") / 1000; at <= now; at += DAY) {
    const day = dayOf(at);
    const { usd = 0, group } = by.get(day) ?? {};
    const href = group === undefined ? {} : { href: pathOf({ page: "group", id: group }) };
    marks.push({ label: day.slice(5), name: day, when: "", value: usd, ...href });
  }
  return marks;
}

interface Line {
  readonly name: string;
  readonly caption: string;
  readonly marks: readonly TrendValue[];
}

function lines(all: readonly Line[], of: number, what: string): ComponentChild {
  // One day is a sum, which the table says.
  const told = all.filter(({ marks }) => marks.length > 1);
  if (told.length === 0) return null;
  const more =
    of > all.length
      ? html`<p class="soft">The dearest ${all.length} of ${counted(of, what)}; the file has all.</p>`
      : null;
  return [
    html`<div class="charts">${told.map(({ name, caption, marks }) => html`<section><h3>${name}, day by day</h3>${trendFigure(caption, "usd", marks, { size: "half", of: "Day", dense: true })}</section>`)}</div>`,
    more,
  ];
}

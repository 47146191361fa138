import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { readFigures } from "../../../chapters/evidence/figures/figures-view.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf, points as pointsText } from "../../../chapters/findings/pages/words.ts";
import type { TrialSort } from "../../../chapters/findings/viewer/group-trials.ts";
import { readTrend, TREND_POINTS, type Trend, type TrendPoint } from "../../../chapters/runs/groups/trend.ts";
import { table } from "../../pages/html.ts";
import { said, type TrendUnit, type TrendValue, trendFigure } from "../../pages/trend.ts";
import { block } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { csvFile, csvLink, isoTime } from "../lists/csv.ts";
import { filterChoice, filterForm, oneOf, textOf } from "../lists/query.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { fidelityOverTime } from "./over-time.ts";
import { SPEND_DAYS, spendBy, spendRows } from "./spend-by.ts";

const PLACE = "/trends";
/** Days back that can be looked at alone. */
const RANGES = ["7", "30", "90"] as const;
const DAY = 86_400;

/** How versions did, and what was spent, over time. */
export const trendPages: readonly ConsoleRoute[] = [
  shows(PLACE, trends),
  csvFile(
    PLACE,
    "over-time",
    [
      ...[
        "agent",
        "on",
        "version",
        "newest_run",
        "newest_at",
        "runs",
        "tasks",
        "met_share",
        "met_low",
        "met_high",
        "trials",
      ],
      ...[
        "usd",
        "input_tokens",
        "output_tokens",
        "median_ms",
        "p95_ms",
        "steps",
        "error_share",
        "error_low",
        "error_high",
      ],
    ],
    async (visit) => {
      const { shown, points } = await trendOf(visit);
      const rows = points.map(({ version, group, at, runs, tasks, met, usd, tokens, ms, steps, errors }) => [
        ...[shown?.agent, shown?.on, version, group, isoTime(at), runs, tasks, met.share, met.low, met.high, met.of],
        ...[usd?.mean, tokens?.input, tokens?.output, ms?.p50, ms?.p95, steps, errors.share, errors.low, errors.high],
      ]);
      return { rows, next: undefined };
    },
  ),
  csvFile(`${PLACE}/spend`, "spend-by-day", ["of", "name", "day", "usd", "newest_run"], async (visit) => ({
    rows: await spendRows(visit.ctx, spendDays(visit)),
    next: undefined,
  })),
];

/** Days back that spend is told of. */
function spendDays(visit: Visit): number {
  return Number(oneOf(visit, "days", RANGES) ?? SPEND_DAYS);
}

/** The points that the query string asks for, oldest first. */
async function trendOf(visit: Visit): Promise<Trend & { readonly whole: number }> {
  const trend = await readTrend(visit.ctx, textOf(visit, "of"), oneOf(visit, "by", TREND_POINTS));
  const days = oneOf(visit, "days", RANGES);
  const since = days === undefined ? 0 : visit.ctx.now() - Number(days) * DAY;
  return { ...trend, points: trend.points.filter(({ at }) => at >= since), whole: trend.points.length };
}

async function trends(visit: Visit): Promise<View> {
  const [trend, fidelity, spend, production] = await Promise.all([
    trendOf(visit),
    fidelityOverTime(visit.ctx, textOf(visit, "system")),
    spendBy(visit.ctx, spendDays(visit)),
    readFigures(visit.ctx),
  ]);
  const days = oneOf(visit, "days", RANGES);
  const verdict = newestOf(trend);
  const doc: PageDoc = {
    ...{ v: 1, title: "Over time", made_at: visit.ctx.now(), sections: [] },
    ...(verdict === undefined ? {} : { verdict }),
  };
  const choices = [
    ...(trend.series.length > 1 ? [seriesChoice(visit, trend)] : []),
    ...(trend.whole > 0
      ? [
          filterChoice(visit, "by", "Points", pointChoices(trend.by)),
          filterChoice(visit, "days", "Runs of", [
            { value: "", text: "all time" },
            ...RANGES.map((value) => ({ value, text: `the last ${value} days` })),
          ]),
        ]
      : []),
    ...(fidelity.systems.length > 1
      ? [filterChoice(visit, "system", "System", options(fidelity.systems, fidelity.shown))]
      : []),
  ];
  const [newest, before] = trend.points.toReversed();
  const lead = [
    html`
      <p class="ways">
        ${newest && before && html`<a href=${compareOf(before, newest)}>Compare the newest two</a> `}
        <a href="${CONSOLE}/groups">All runs</a> <a href="${CONSOLE}/spend">Spend day by day</a>
      </p>
    `,
    choices.length > 0 && filterForm(PLACE, visit, choices),
    trend.whole > 0 && trend.points.length === 0
      ? html`<p>No run of the last ${days} days. Choose a longer time.</p>`
      : agentCharts(trend),
    trend.points.length > 0 && html`<p>${csvLink(PLACE, visit, false)}</p>`,
    fidelity.marks.length > 0 &&
      block(
        "Fidelity",
        trendFigure(
          `Held-out calls that the world of ${fidelity.name} answered as observed, up to volatile fields, per compiled version.`,
          "share",
          fidelity.marks,
        ),
      ),
    production !== undefined && productionCharts(production),
    block(
      "Spend",
      spend === null
        ? html`<p>No trial says what it cost, and the service asked no model in the last ${spendDays(visit)} days.</p>`
        : [spend, html`<p>${csvLink(`${PLACE}/spend`, visit, false)}, what each model and agent cost day by day</p>`],
    ),
  ];
  return { doc, lead };
}

/** What the newest point comes to against the one before it, and how far all of them lie apart. */
function newestOf({ shown, points, by }: Trend): PageDoc["verdict"] {
  const rated = points.flatMap(({ version, met, ms }) =>
    met.share === undefined ? [] : [{ version, share: met.share, of: met.of, ms }],
  );
  const [newest, before] = rated.toReversed();
  if (shown === undefined || newest === undefined) return undefined;
  const name = (version: string) => `${cut(shown.agent, 60)} ${cut(version, 40)}`;
  const now = `${name(newest.version)} met ${said(newest.share, "share")} of ${counted(newest.of, "valid trial")}`;
  if (before === undefined)
    return {
      ...{ text: `${now}.`, tone: "plain", tier: "deterministic" },
      how: `The only ${by} of these tasks so far: a second one makes a line.`,
    };
  const shares = rated.map(({ share }) => share);
  const took =
    newest.ms === undefined || before.ms === undefined
      ? ""
      : ` Half of its trials took ${said(newest.ms.p50, "ms")} at most, ${said(before.ms.p50, "ms")} before.`;
  const range =
    rated.length === 2
      ? ""
      : ` ${rated.length} ${by}s lie between ${said(Math.min(...shares), "share")} and ${said(Math.max(...shares), "share")}.`;
  return {
    text: `${now}; ${by === "run" ? "the run" : name(before.version)} before it met ${said(before.share, "share")} (${pointsText(newest.share - before.share)} points).`,
    ...{ tone: "plain", tier: "deterministic" },
    how: `Whether that can be chance, the comparison of the newest two says.${range}${took}`,
  };
}

function pointChoices(shown: Trend["by"]) {
  const words = { version: "one a version", run: "one a run" };
  return TREND_POINTS.toSorted((a) => (a === shown ? -1 : 1)).map((value) => ({ value, text: words[value] }));
}

function options(all: readonly { readonly id: string; readonly name: string }[], shown: string | undefined) {
  // The one that is shown without a choice stands first, under the empty value.
  const first = all.find(({ id }) => id === shown) ?? all[0];
  const others = all.filter((each) => each !== first);
  return [first, ...others].flatMap((each, i) =>
    each === undefined ? [] : [{ value: i === 0 && shown === all[0]?.id ? "" : each.id, text: cut(each.name, 60) }],
  );
}

function seriesChoice(visit: Visit, { series, shown }: Trend): ComponentChild {
  const named = series.map(({ key, agent, on, groups }) => ({ id: key, name: `${agent} on ${on} (${groups})` }));
  return filterChoice(visit, "of", "Agent and environments", options(named, shown?.key));
}

/** The pass rate of an agent per version or run, with its interval; nothing where there is none. */
export function rateChart({ shown, points, by }: Trend, size: "wide" | "half" = "wide"): ComponentChild {
  if (shown === undefined || points.length === 0) return null;
  return trendFigure(
    `Met of valid trials of ${cut(shown.agent, 60)} on ${cut(shown.on, 80)}, per ${by === "run" ? "landed run" : "version, over its newest landed runs"}, with the 95 % interval over tasks.`,
    "share",
    points.map((point) => ({
      ...pointFor(point),
      value: point.met.share,
      low: point.met.low,
      high: point.met.high,
      n: sampleText(point),
    })),
    { size },
  );
}

function sampleText({ met, tasks, runs }: TrendPoint): string {
  return `${counted(met.of, "trial")}, ${counted(tasks, "task")}${runs === 1 ? "" : `, ${runs} runs`}`;
}

function agentCharts(trend: Trend): ComponentChild {
  const { shown, points } = trend;
  if (shown === undefined || points.length === 0)
    return html`
      <p>
        ${shown === undefined ? "No agent has a run yet." : `${cut(shown.agent, 60)} on ${cut(shown.on, 80)} has no landed run on all tasks yet, nor on a sample that stays the same: other runs are not followed.`}
        ${" "}<a href="${CONSOLE}/start">Start a run.</a>
      </p>
    `;
  const charts = FIGURES.map(({ name, caption, unit, of }) => {
    const marks = points.map((point) => ({ ...pointFor(point), ...of(point) }));
    if (!marks.some(({ value }) => value !== undefined)) return null;
    return html`<section><h3>${name}</h3>${trendFigure(caption, unit, marks, { size: "half" })}</section>`;
  });
  return [
    block("Pass rate", rateChart(trend), sideBySide(trend)),
    block("What trials took", html`<div class="charts">${charts}</div>`),
  ];
}

interface Figure {
  readonly name: string;
  readonly caption: string;
  readonly unit: TrendUnit;
  readonly of: (point: TrendPoint) => Partial<TrendValue>;
  /** The order in which a run's trials show it. */
  readonly sort: TrialSort;
}

/** What is followed beside the pass rate; what no trial says is left out. */
const FIGURES: readonly Figure[] = [
  {
    name: "Cost",
    sort: "dearest",
    caption: "US dollars of a trial, on average over the trials that say what they cost.",
    unit: "usd",
    of: ({ usd }) => (usd === undefined ? {} : { value: usd.mean, n: counted(usd.of, "trial") }),
  },
  {
    name: "Tokens",
    sort: "most tokens",
    caption: "Tokens that the model calls of a trial read and wrote, on average over the trials that say so.",
    unit: "amount",
    of: ({ tokens }) =>
      tokens === undefined ? {} : { value: tokens.input + tokens.output, n: counted(tokens.of, "trial") },
  },
  {
    name: "Latency",
    sort: "slowest",
    caption: "Time that half of the valid trials took at most.",
    unit: "ms",
    of: ({ ms, met }) => ({ value: ms?.p50, n: counted(met.of, "trial") }),
  },
  {
    name: "Latency, 95 %",
    sort: "slowest",
    caption: "Time that 95 % of the valid trials took at most.",
    unit: "ms",
    of: ({ ms, met }) => ({ value: ms?.p95, n: counted(met.of, "trial") }),
  },
  {
    name: "Steps",
    sort: "most calls",
    caption: "Calls of tools in a valid trial, on average.",
    unit: "amount",
    of: ({ steps, met }) => ({ value: steps, n: counted(met.of, "trial") }),
  },
  {
    name: "Tool errors",
    sort: "most errors",
    caption:
      "Calls that the world answered with an error, of all calls in valid trials, with the 95 % interval over trials.",
    unit: "share",
    of: ({ errors: { share, low, high, of } }) => ({ value: share, low, high, n: counted(of, "call") }),
  },
];

/** Every figure of a point in one row, the newest first, with the way to its comparison with the one before it. */
function sideBySide({ points, by }: Trend): ComponentChild {
  const told = FIGURES.filter(({ of }) => points.some((point) => of(point).value !== undefined));
  const text = (value: number | undefined, unit: TrendUnit) => (value === undefined ? "" : said(value, unit));
  return table(
    `${by === "run" ? "Runs" : "Versions"}, newest first: how each did and what its trials took; a figure opens the trials of ${by === "run" ? "the run" : "its newest run"}. The change is against the row below, and opens their newest runs paired task by task.`,
    [
      { name: "Version" },
      { name: "Met", n: true },
      { name: "95 % interval", n: true },
      { name: "Change", n: true },
      { name: "Trials", n: true },
      { name: "Tasks", n: true },
      ...told.map(({ name }) => ({ name, n: true })),
      { name: by === "run" ? "Started (UTC)" : "Newest (UTC)" },
    ],
    points
      .map((point, i) => {
        const { label, when, href } = pointFor(point);
        const { share, low, high, of: valid } = point.met;
        return [
          html`<a href=${href}>${label}</a>`,
          trialsLink(point, text(share, "share")),
          `${text(low, "share").replace(/\D+$/, "")} to ${text(high, "share")}`,
          changeLink(points[i - 1], point),
          trialsLink(point, String(valid)),
          point.tasks,
          ...told.map(({ of, unit, sort }) => trialsLink(point, text(of(point).value, unit), sort)),
          when,
        ];
      })
      .reverse(),
  );
}

/** A figure of a point, which opens the trials that it was made of; those of its newest run where there are several. */
function trialsLink({ group }: TrendPoint, text: string, sort?: TrialSort): ComponentChild {
  const against = new URLSearchParams(sort === undefined ? {} : { sort }).toString();
  return text === "" ? "" : html`<a href=${pathOf({ page: "trials", id: group, against })}>${text}</a>`;
}

function changeLink(before: TrendPoint | undefined, { group, met }: TrendPoint): ComponentChild {
  if (before?.met.share === undefined || met.share === undefined) return "";
  return html`<a href=${compareOf(before, { group })}>${pointsText(met.share - before.met.share)}</a>`;
}

function compareOf(before: Pick<TrendPoint, "group">, { group }: Pick<TrendPoint, "group">): string {
  return `${CONSOLE}/compare?${new URLSearchParams({ a: before.group, b: group })}`;
}

function pointFor({ group, version, at }: TrendPoint): TrendValue {
  return { label: cut(version, 40), when: minuteOf(at), href: `${CONSOLE}/groups/${encodeURIComponent(group)}` };
}

/** What production traces say, by ISO week. */
function productionCharts({ weeks }: NonNullable<Awaited<ReturnType<typeof readFigures>>>): ComponentChild {
  const dated = weeks.filter(({ name }) => /^\d{4}-W\d{2}$/.test(name)).reverse();
  if (dated.length === 0) return null;
  const chart = (
    caption: string,
    unit: Parameters<typeof trendFigure>[1],
    of: (row: (typeof dated)[number]) => Partial<TrendValue>,
  ) => {
    const marks = dated.map((row) => ({ label: row.name.slice(5), name: row.name, when: "", ...of(row) }));
    return (
      marks.some(({ value }) => value !== undefined) && trendFigure(caption, unit, marks, { size: "half", of: "Week" })
    );
  };
  const charts = [
    chart(
      "Calls of tools that failed, of all, by ISO week, with the 95 % interval.",
      "share",
      ({ error_rate, calls }) =>
        error_rate === undefined
          ? {}
          : { value: error_rate.share, low: error_rate.low, high: error_rate.high, n: `${calls} calls` },
    ),
    chart("Time that half of the traces took at most, by ISO week.", "ms", ({ ms }) =>
      ms === undefined ? {} : { value: ms.p50, n: `${ms.of} traces` },
    ),
    chart("US dollars of a trace, on average over those that say it, by ISO week.", "usd", ({ usd }) =>
      usd === undefined ? {} : { value: usd.sum / usd.of, n: `${usd.of} traces` },
    ),
    chart("Tokens of a trace, in and out, on average over those that say it, by ISO week.", "amount", ({ tokens }) =>
      tokens === undefined ? {} : { value: (tokens.input + tokens.output) / tokens.of, n: `${tokens.of} traces` },
    ),
  ];
  return block("Production traces", html`<div class="charts">${charts}</div>`);
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { readFigures } from "../../../chapters/evidence/figures/figures-view.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { readTrend, type Trend, type TrendPoint } from "../../../chapters/runs/groups/trend.ts";
import { type TrendValue, trendFigure } from "../../pages/trend.ts";
import { block } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { filterChoice, filterForm, textOf } from "../lists/query.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { fidelityOverTime, spendBy } from "./over-time.ts";

const PLACE = "/trends";

/** How versions did, and what was spent, over time. */
export const trendPages: readonly ConsoleRoute[] = [shows(PLACE, trends)];

async function trends(visit: Visit): Promise<View> {
  const [trend, fidelity, spend, production] = await Promise.all([
    readTrend(visit.ctx, textOf(visit, "of")),
    fidelityOverTime(visit.ctx, textOf(visit, "system")),
    spendBy(visit.ctx),
    readFigures(visit.ctx),
  ]);
  const doc: PageDoc = { v: 1, title: "Over time", made_at: visit.ctx.now(), sections: [] };
  const choices = [
    ...(trend.series.length > 1 ? [seriesChoice(visit, trend)] : []),
    ...(fidelity.systems.length > 1
      ? [filterChoice(visit, "system", "System", options(fidelity.systems, fidelity.shown))]
      : []),
  ];
  const lead = [
    choices.length > 0 && filterForm(PLACE, visit, choices),
    agentCharts(trend),
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
    spend,
  ];
  return { doc, lead };
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

/** The pass rate of an agent per landed run; where there is none, what to do. */
export function rateChart({ shown, points }: Trend): ComponentChild {
  if (shown === undefined || points.length === 0) return null;
  return trendFigure(
    `Met of valid trials of ${cut(shown.agent, 60)} on ${cut(shown.on, 80)}, per landed run on all tasks, with the 95 % interval over tasks.`,
    "share",
    points.map((point) => ({
      ...pointFor(point),
      value: point.met.share,
      low: point.met.low,
      high: point.met.high,
      n: `${point.met.of} trials, ${point.tasks} tasks`,
    })),
  );
}

function agentCharts(trend: Trend): ComponentChild {
  const { shown, points } = trend;
  if (shown === undefined || points.length === 0)
    return html`
      <p>
        ${shown === undefined ? "No agent has a run yet." : `${cut(shown.agent, 60)} on ${cut(shown.on, 80)} has no landed run on all tasks yet: runs on only some of them are not followed.`}
        ${" "}<a href="${CONSOLE}/start">Start a run.</a>
      </p>
    `;
  const chart = (
    heading: string,
    caption: string,
    unit: Parameters<typeof trendFigure>[1],
    of: (point: TrendPoint) => Partial<TrendValue>,
  ) => {
    const marks = points.map((point) => ({ ...pointFor(point), ...of(point) }));
    return marks.some(({ value }) => value !== undefined) && block(heading, trendFigure(caption, unit, marks));
  };
  return [
    block("Pass rate", rateChart(trend)),
    chart("Cost", "US dollars of a trial, on average over the trials that say what they cost.", "usd", ({ usd }) => ({
      value: usd?.mean,
      n: usd === undefined ? "" : `${usd.of} trials`,
    })),
    chart(
      "Tokens",
      "Tokens that the model calls of a trial read and wrote, on average over the trials that say so.",
      "amount",
      ({ tokens }) => (tokens === undefined ? {} : { value: tokens.input + tokens.output, n: `${tokens.of} trials` }),
    ),
    chart("Latency", "Time that half of the valid trials took at most.", "ms", ({ ms, met }) => ({
      value: ms?.p50,
      n: `${met.of} trials`,
    })),
    chart("Latency, 95 %", "Time that 95 % of the valid trials took at most.", "ms", ({ ms, met }) => ({
      value: ms?.p95,
      n: `${met.of} trials`,
    })),
    chart("Steps", "Calls of tools in a valid trial, on average.", "amount", ({ steps, met }) => ({
      value: steps,
      n: `${met.of} trials`,
    })),
    chart(
      "Tool errors",
      "Calls that the world answered with an error, of all calls in valid trials, with the 95 % interval over trials.",
      "share",
      ({ errors: { share, low, high, of } }) => ({ value: share, low, high, n: `${of} calls` }),
    ),
  ] as never;
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
    const marks = dated.map((row) => ({ label: row.name.slice(5), when: row.name.slice(0, 4), ...of(row) }));
    return marks.some(({ value }) => value !== undefined) && trendFigure(caption, unit, marks);
  };
  return block(
    "Production traces",
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
  );
}

import type { TopLevelSpec } from "vega-lite";
import type { PageSection, Tone } from "../../chapters/findings/pages/page-doc.ts";
import { lazy } from "../lazy.ts";

type Section<S extends PageSection["show"]> = Extract<PageSection, { show: S }>;
/** The sections that are drawn. */
export type PlotSection = Section<"rates" | "pairs" | "shares" | "heat" | "graph" | "days">;

/** Widths that plots are drawn for, pixels: a phone's and a page's. Each page shows the one that fits. */
export const PLOT_WIDTHS = { narrow: 320, wide: 680 } as const;

/** How wide a letter is, of its font's size. */
const LETTER = 0.62;
/** Steps of a heat map's scale; the page's style gives each its colour, and its text one that can be read on it. */
const HEAT_STEPS = 5;
const INK = "var(--ink)";
const SOFT = "var(--soft)";
const LINE = "var(--line)";
/** Of marks: told apart by lightness too. */
const FILL: Readonly<Record<Tone, string>> = {
  good: "var(--plot-good)",
  bad: "var(--plot-bad)",
  warn: "var(--plot-warn)",
  plain: "var(--plot-plain)",
};
const PARTS = ["var(--plot-good)", "var(--plot-bad)", "var(--plot-warn)", "var(--plot-plain)", "var(--mark)"];

const CONFIG = {
  aria: false,
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: INK,
    titleColor: SOFT,
    titleFontWeight: "normal",
    labelFontSize: 13,
    titleFontSize: 13,
    domainColor: LINE,
    tickColor: LINE,
    gridColor: LINE,
  },
  legend: { labelColor: INK, titleColor: SOFT, labelFontSize: 13, orient: "top", title: null, symbolSize: 90 },
} as const;

/** Loaded when something is drawn: a service that shows no page starts without it. */
const plotting = lazy(async () => {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  // There is no canvas to measure on; the guess that stands in for it is for wide letters and would cut names short.
  const measured = vega as unknown as { textMetrics: { width(item: { fontSize?: number }, text: unknown): number } };
  measured.textMetrics.width = ({ fontSize = 11 }, text) => String(text ?? "").length * fontSize * LETTER;
  return { vega, compile };
});

/** An SVG of a section, `width` pixels wide: no script, no outside request, colours of the page's style. */
export async function plotSvg(section: PlotSection, width: number): Promise<string> {
  const { vega, compile } = await plotting.get();
  const logger = vega.logger(vega.Error);
  const { spec } = compile(specOf(section, width), { logger });
  const view = new vega.View(vega.parse(spec), { renderer: "none", logger });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function specOf(section: PlotSection, width: number): TopLevelSpec {
  switch (section.show) {
    case "rates":
      return rates(section, width);
    case "pairs":
      return pairs(section, width);
    case "shares":
      return shares(section, width);
    case "heat":
      return heat(section, width);
    case "graph":
      return graph(section, width);
    case "days":
      return days(section, width);
  }
}

/** What all plots say of themselves; the whole, axes too, is as wide as said. */
function sized(width: number, values: readonly object[]) {
  return {
    width,
    autosize: { type: "fit-x", contains: "padding" },
    padding: 4,
    config: CONFIG,
    data: { values: [...values] },
  } as const;
}

/** The axis of rows that are told apart by their place, since names may repeat; long names are cut. */
function nameAxis(names: readonly string[], width: number) {
  return { title: null, ticks: false, domain: false, labelPadding: 8, ...labelled(names, width * 0.42) } as const;
}

function labelled(names: readonly string[], pixels: number) {
  const most = Math.floor(pixels / (13 * LETTER));
  const cut = names.map((name) => (name.length <= most ? name : `${name.slice(0, most - 1).trimEnd()}…`));
  return { labelExpr: `${JSON.stringify(cut)}[datum.value]`, labelLimit: 0 };
}

/** Shares from 0 to 100 %, along the bottom. */
function percent(width: number) {
  const values = width < 400 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  return {
    type: "quantitative",
    scale: { domain: [0, 1] as number[] },
    axis: { format: "%", title: null, values, labelFlush: true },
  } as const;
}

function rates({ rows }: Section<"rates">, width: number): TopLevelSpec {
  const at = rows.map((row, i) => ({ ...row, i }));
  const names = rows.map((row) => row.name);
  const y = { field: "i", type: "ordinal", axis: nameAxis(names, width) } as const;
  return {
    ...sized(width, at),
    height: { step: 30 },
    layer: [
      {
        mark: { type: "rule", strokeWidth: 3, color: SOFT },
        encoding: { x: { ...percent(width), field: "low" }, x2: { field: "high" }, y },
      },
      {
        transform: [{ filter: "isValid(datum.rate)" }],
        mark: { type: "point", filled: true, size: 130, color: FILL.good, opacity: 1 },
        encoding: { x: { ...percent(width), field: "rate" }, y },
      },
    ],
  };
}

function pairs({ tasks, before, after }: Section<"pairs">, width: number): TopLevelSpec {
  const ends = tasks.flatMap((task, i) => [
    { i, arm: before, rate: task.before },
    { i, arm: after, rate: task.after },
  ]);
  const names = tasks.map((task) => task.name);
  const y = { field: "i", type: "ordinal", axis: nameAxis(names, width) } as const;
  const arms = { domain: [before, after] };
  return {
    ...sized(width, ends),
    height: { step: 22 },
    layer: [
      {
        mark: { type: "line", color: SOFT, strokeWidth: 2 },
        encoding: { x: { ...percent(width), field: "rate" }, y, detail: { field: "i" } },
      },
      {
        mark: { type: "point", filled: true, size: 110, opacity: 1 },
        encoding: {
          x: { ...percent(width), field: "rate" },
          y,
          shape: { field: "arm", type: "nominal", scale: { ...arms, range: ["circle", "diamond"] } },
          color: { field: "arm", type: "nominal", scale: { ...arms, range: [FILL.bad, FILL.good] } },
        },
      },
    ],
  };
}

function shares({ rows, outcomes }: Section<"shares">, width: number): TopLevelSpec {
  const parts = rows.flatMap((row, i) =>
    outcomes.map((outcome, order) => ({ i, outcome: outcome.name, order, n: row.counts[order] ?? 0 })),
  );
  const scale = { domain: outcomes.map(({ name }) => name), range: outcomes.map(({ tone }) => FILL[tone]) };
  const names = rows.map((row) => row.name);
  const y = { field: "i", type: "ordinal", axis: nameAxis(names, width) } as const;
  const x = { field: "n", type: "quantitative", stack: "normalize", axis: { ...percent(width).axis } } as const;
  return {
    ...sized(width, parts),
    height: { step: 26 },
    mark: { type: "bar", stroke: "var(--back)", strokeWidth: 1 },
    encoding: {
      x,
      y,
      order: { field: "order", type: "quantitative" },
      color: { field: "outcome", type: "nominal", scale, legend: { columns: width < 400 ? 2 : outcomes.length } },
    },
  };
}

function heat({ rows, columns, cells }: Section<"heat">, width: number): TopLevelSpec {
  const most = Math.max(1, ...cells.map((cell) => cell.n));
  const step = (n: number) => (n === 0 ? 0 : Math.min(HEAT_STEPS - 1, Math.ceil((n / most) * (HEAT_STEPS - 1))));
  const at = cells.map((cell) => ({ ...cell, step: step(cell.n) }));
  const steps = Array.from({ length: HEAT_STEPS }, (_, i) => i);
  const x = {
    field: "column",
    type: "ordinal",
    scale: { domain: columns.map((_, i) => i) },
    axis: {
      title: null,
      orient: "top",
      labelAngle: 40,
      labelAlign: "right",

      ticks: false,
      domain: false,
      ...labelled(columns, 130),
    },
  } as const;
  const y = {
    field: "row",
    type: "ordinal",
    scale: { domain: rows.map((_, i) => i) },
    axis: nameAxis(rows, width),
  } as const;
  const ranged = (name: string) => ({ domain: steps, range: steps.map((i) => `var(--${name}-${i})`) });
  return {
    ...sized(width, at),
    height: { step: 30 },
    layer: [
      {
        mark: { type: "rect", stroke: LINE },
        encoding: { x, y, color: { field: "step", type: "ordinal", scale: ranged("heat"), legend: null } },
      },
      {
        mark: { type: "text", fontSize: 12 },
        encoding: {
          x,
          y,
          text: { field: "n", type: "quantitative" },
          color: { field: "step", type: "ordinal", scale: ranged("heat-ink"), legend: null },
        },
      },
    ],
    resolve: { scale: { color: "independent" } },
  };
}

function graph({ kinds, nodes, edges }: Section<"graph">, width: number): TopLevelSpec {
  const placed = new Map<string, { readonly x: number; readonly y: number }>();
  const taken = kinds.map(() => 0);
  for (const node of nodes) {
    const x = Math.max(0, kinds.indexOf(node.kind));
    const y = taken[x] ?? 0;
    taken[x] = y + 1;
    placed.set(node.id, { x, y });
  }
  const tallest = Math.max(1, ...taken);
  const spread = (at: { readonly x: number; readonly y: number }) => ({
    x: at.x,
    y: ((at.y + 0.5) / Math.max(1, taken[at.x] ?? 1)) * tallest,
  });
  const at = nodes.flatMap((node) => {
    const place = placed.get(node.id);
    return place ? [{ ...spread(place), label: node.label, kind: node.kind }] : [];
  });
  const lines = edges.flatMap((edge) => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)];
    if (!from || !to) return [];
    const [a, b] = [spread(from), spread(to)];
    return [{ x: a.x, y: a.y, x2: b.x, y2: b.y, edge: edge.kind }];
  });
  const edgeKinds = [...new Set(edges.map(({ kind }) => kind))].sort();
  const dashes = [
    [1, 0],
    [5, 3],
    [2, 2],
    [8, 3, 2, 3],
    [1, 4],
  ];
  // A label stands right of its node: the last column needs room for its own.
  const xScale = { domain: [0, Math.max(0.2, kinds.length - 1) + 0.9] as number[], nice: false } as const;
  const x = { field: "x", type: "quantitative", scale: xScale, axis: null } as const;
  const y = {
    field: "y",
    type: "quantitative",
    scale: { domain: [0, tallest] as number[], reverse: true },
    axis: null,
  } as const;
  const labels = { fontSize: width < 400 ? 11 : 13, limit: (width / (kinds.length + 0.4)) * 0.85 };
  return {
    ...sized(width, at),
    height: Math.max(120, tallest * 24),
    layer: [
      {
        data: { values: lines },
        mark: { type: "rule", strokeWidth: 1.2, opacity: 0.7 },
        encoding: {
          x,
          y,
          x2: { field: "x2" },
          y2: { field: "y2" },
          strokeDash: { field: "edge", type: "nominal", scale: { domain: edgeKinds, range: dashes } },
          color: {
            field: "edge",
            type: "nominal",
            scale: { domain: edgeKinds, range: PARTS },
            legend: { columns: width < 400 ? 2 : 5 },
          },
        },
      },
      { mark: { type: "point", filled: true, size: 60, color: INK, opacity: 1 }, encoding: { x, y } },
      {
        mark: { type: "text", align: "left", dx: 8, color: INK, ...labels },
        encoding: { x, y, text: { field: "label", type: "nominal" } },
      },
    ],
  };
}

function days({ days: values, unit }: Section<"days">, width: number): TopLevelSpec {
  const parts = [...new Set(values.map(({ part }) => part))];
  return {
    ...sized(width, values),
    height: 200,
    mark: { type: "bar", stroke: "var(--back)", strokeWidth: 1 },
    encoding: {
      x: {
        field: "day",
        type: "ordinal",
        axis: { title: null, labelAngle: -40, labelOverlap: true, ticks: false },
      },
      y: { field: "value", type: "quantitative", aggregate: "sum", axis: { title: unit, tickCount: 4 } },
      color: {
        field: "part",
        type: "nominal",
        scale: { domain: parts, range: parts.map((_, i) => PARTS[i % PARTS.length] ?? INK) },
        legend: { columns: width < 400 ? 2 : 4 },
      },
    },
  };
}

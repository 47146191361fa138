import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { TopLevelSpec } from "vega-lite";
import type { PageSection, Tone } from "../../chapters/findings/pages/page-doc.ts";
import { lazy } from "../service/lazy.ts";

type Section<S extends PageSection["show"]> = Extract<PageSection, { show: S }>;
/** The sections that are plots of numbers. */
export type PlotSection = Section<"rates" | "pairs" | "shares" | "days">;

/** Widths that plots are drawn for, pixels: a phone's and a page's. Each page shows the one that fits. */
export const PLOT_WIDTHS = { narrow: 320, wide: 680 } as const;

/** How wide a letter is, of its font's size. */
const LETTER = 0.62;
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

/** Drawings that are kept: the same numbers are looked at again and again, and drawing takes longer than all else of a page. */
const drawings = new LRUCache<string, string>({ max: 500, maxSize: 16_000_000, sizeCalculation: (svg) => svg.length });

/** An SVG of a section, `width` pixels wide: no script, no outside request, colours of the page's style. */
export async function plotSvg(section: PlotSection, width: number): Promise<string> {
  const key = createHash("sha256")
    .update(JSON.stringify([width, section]))
    .digest("base64");
  const svg = drawings.get(key) ?? (await drawSvg(section, width));
  drawings.set(key, svg);
  return svg;
}

async function drawSvg(section: PlotSection, width: number): Promise<string> {
  const { vega, compile } = await plotting.get();
  const logger = vega.logger(vega.Error);
  const { spec } = compile(specOf(section, width), { logger });
  const view = new vega.View(vega.parse(spec), { renderer: "none", logger });
  try {
    // Within HTML the names of namespaces say nothing, and would be the page's only addresses. What the drawing is for a
    // screen reader is said around it: parts of it that call themselves images without a name would only be in the way.
    return (await view.toSVG())
      .replace(/^<svg[^>]*>/, (tag) => tag.replace(/ xmlns(?::xlink)?="[^"]*"/g, ""))
      .replace(/<(?:g|path|text|svg)\b[^>]*>/g, (tag) => tag.replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, ""));
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
  const cut = names.map((name) => {
    if (name.length <= most) return name;
    // How many it is of is what a name must not lose.
    const n = / \(n \d+\)$/.exec(name)?.[0] ?? "";
    const [bare, room] = [name.slice(0, name.length - n.length), Math.max(2, most - 1 - n.length)];
    // Versions of one agent differ at the end of their name.
    const tail = Math.floor(room / 2);
    return `${bare.slice(0, room - tail).trimEnd()}…${bare.slice(bare.length - tail).trimStart()}${n}`;
  });
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
  const legend = { columns: width < 400 ? 1 : 2 };
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
          shape: { field: "arm", type: "nominal", scale: { ...arms, range: ["circle", "diamond"] }, legend },
          color: { field: "arm", type: "nominal", scale: { ...arms, range: [FILL.bad, FILL.good] }, legend },
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

function days({ days: values, unit, limit }: Section<"days">, width: number): TopLevelSpec {
  const parts = [...new Set(values.map(({ part }) => part))];
  const color = {
    field: "part",
    type: "nominal",
    scale: { domain: parts, range: parts.map((_, i) => PARTS[i % PARTS.length] ?? INK) },
    // One part alone needs no key.
    legend: parts.length < 2 ? null : { columns: width < 400 ? 2 : 4 },
  } as const;
  const x = {
    field: "day",
    type: "ordinal",
    axis: { title: null, labelExpr: "slice(datum.value, 5)", labelAngle: -90, labelOverlap: true, ticks: false },
  } as const;
  const axis = { title: unit, tickCount: 4 };
  return {
    ...sized(width, values),
    height: 200,
    layer: [
      {
        transform: [{ filter: "datum.value > 0" }],
        mark: { type: "bar", stroke: "var(--back)", strokeWidth: 1 },
        encoding: { x, y: { field: "value", type: "quantitative", aggregate: "sum", axis }, color },
      },
      {
        transform: [
          { aggregate: [{ op: "sum", field: "value", as: "sum" }], groupby: ["day"] },
          { filter: "datum.sum === 0" },
        ],
        mark: { type: "text", text: "0", dy: -7, fontSize: 13, color: SOFT },
        encoding: { x, y: { field: "sum", type: "quantitative" } },
      },
      ...(limit === undefined ? [] : limitLine(limit)),
    ],
  };
}

const DASH: number[] = [6, 4];

/** A line across, with its name at its left end. */
function limitLine({ name, value }: { readonly name: string; readonly value: number }) {
  const data = { values: [{ limit: value, name }] };
  const y = { field: "limit", type: "quantitative" } as const;
  return [
    { data, mark: { type: "rule", color: INK, strokeWidth: 2, strokeDash: DASH }, encoding: { y } } as const,
    {
      data,
      mark: { type: "text", align: "left", dx: 4, dy: -8, fontSize: 13, color: INK },
      encoding: { y, x: { value: 0 }, text: { field: "name" } },
    } as const,
  ];
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { table } from "./html.ts";

/** What a trend is of: shares of 0 to 1, US dollars, milliseconds, or plain amounts. */
export type TrendUnit = "share" | "usd" | "ms" | "amount";

/** One point: `low` and `high` bound the value at 95 %, `n` says what it rests on. A point without a value is a gap. */
export interface TrendValue {
  readonly label: string;
  /** What the label is short for: a day, a week. */
  readonly name?: string;
  /** Empty where the name says it. */
  readonly when: string;
  readonly href?: string;
  readonly value?: number | undefined;
  readonly low?: number;
  readonly high?: number;
  readonly n?: string;
}

/** Widths that a trend is drawn for, pixels, and how many of its newest points each shows. */
const DRAWN = {
  wide: { width: 680, points: 12 },
  half: { width: 470, points: 8 },
  narrow: { width: 320, points: 6 },
} as const;
/** Points of a line over days: so many that only some are labelled. */
const DENSE = { wide: 120, half: 90, narrow: 30 } as const;
const HEIGHT = 210;
/** Pixels that the label of a point takes. */
const LABEL = 44;
const PLOT = { left: 56, right: 12, top: 22, bottom: 44 } as const;

/**
 * Values over time as an SVG, oldest first, and in a table below: the value stands in words at each point, so that no
 * colour has to be told apart. Drawn by hand, since a page shows several and a plotting library takes longer than all else.
 */
export function trendFigure(
  caption: string,
  unit: TrendUnit,
  marks: readonly TrendValue[],
  {
    size = "wide",
    of = "Version",
    dense = false,
  }: { readonly size?: "wide" | "half"; readonly of?: string; readonly dense?: boolean } = {},
): ComponentChild {
  const linked = marks.some(({ href, value }) => href !== undefined && value !== undefined);
  const drawn = (shown: "wide" | "narrow", drawnAs: keyof typeof DRAWN) => {
    const { width, points: few } = DRAWN[drawnAs];
    const points = dense ? DENSE[drawnAs] : few;
    const newest = marks.length > points ? `${caption} The newest ${points} of ${marks.length}.` : caption;
    // What leads on is no picture: a picture has nothing in it that can be pressed.
    return html`
      <div class="plot-${shown}" role=${linked ? "group" : "img"} aria-label=${newest}>${svg(unit, marks.slice(-points), width)}</div>
    `;
  };
  const bounded = marks.some(({ low }) => low !== undefined);
  return html`
    <figure>
      <figcaption>${caption}</figcaption>
      ${drawn("wide", size)}${drawn("narrow", "narrow")}
      <details>
        <summary>The numbers${marks.length > (dense ? DENSE : { narrow: DRAWN.narrow.points }).narrow && ` of all ${marks.length}`}</summary>
        ${table(
          caption,
          [
            { name: of },
            { name: "When (UTC)" },
            { name: "Value", n: true },
            ...(bounded
              ? [
                  { name: "From", n: true },
                  { name: "To", n: true },
                ]
              : []),
            { name: "Of", n: true },
          ],
          marks.map(({ label, name = label, when, href, value, low, high, n }) => [
            href === undefined ? name : html`<a href=${href} class="t">${name}</a>`,
            when,
            value === undefined ? "none" : said(value, unit),
            ...(bounded ? [low, high].map((bound) => (bound === undefined ? "" : said(bound, unit))) : []),
            n ?? "",
          ]),
        )}
      </details>
    </figure>
  `;
}

function svg(unit: TrendUnit, marks: readonly TrendValue[], width: number): ComponentChild {
  const [inner, tall] = [width - PLOT.left - PLOT.right, HEIGHT - PLOT.top - PLOT.bottom];
  const values = marks.flatMap(({ value, high }) => [value ?? 0, high ?? 0]);
  const top = unit === "share" ? shareTop(Math.max(...values)) : niceTop(Math.max(...values));
  const step = inner / Math.max(1, marks.length);
  const x = (i: number) => round(PLOT.left + step * (i + 0.5));
  const y = (value: number) => round(PLOT.top + tall * (1 - Math.min(value, top) / top));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
  // A line joins neighbours alone: across a point without a value nothing is claimed.
  const lines = marks.flatMap(({ value }, i) => {
    const next = marks[i + 1]?.value;
    return value === undefined || next === undefined ? [] : [[x(i), y(value), x(i + 1), y(next)] as const];
  });
  // Beside its point where no line runs: within the drawing, and on the side of the line's other end that is free.
  const labelAt = (i: number, value: number) => {
    const higher = (at: number) => (marks[at]?.value ?? value) > value;
    const low = y(value) > HEIGHT - PLOT.bottom - 20;
    const left = (i > 0 && i === marks.length - 1) || (low && higher(i + 1));
    const below = !low && higher(left ? i - 1 : i + 1);
    const at = { x: x(i) + (left ? -7 : 7), y: y(value) + (below ? 16 : -7) };
    return { ...at, "text-anchor": left ? "end" : "start" };
  };
  // Of many points one in some is labelled, the newest among them.
  const each = Math.max(1, Math.ceil(LABEL / step));
  const labelled = (i: number) => (marks.length - 1 - i) % each === 0;
  const letters = Math.max(3, Math.floor((step * each) / 7.2));
  const last = width - PLOT.right;
  return html`
    <svg width=${width} height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" aria-hidden=${marks.some(({ href }) => href !== undefined) ? undefined : "true"} font-size="12" fill="var(--ink)">
      <g aria-hidden="true">${ticks.map(
        (tick) => html`
          <line x1=${PLOT.left} x2=${last} y1=${y(tick)} y2=${y(tick)} stroke="var(--line)" />
          <text x=${PLOT.left - 6} y=${y(tick) + 4} text-anchor="end" fill="var(--soft)">${said(tick, unit)}</text>
        `,
      )}
      ${lines.map(([x1, y1, x2, y2]) => html`<line x1=${x1} y1=${y1} x2=${x2} y2=${y2} stroke="var(--soft)" stroke-width="2" />`)}</g>
      ${marks.map(({ label, name = label, when, value, low, high, href }, i) => {
        const whole = `${name}${when === "" ? "" : `, ${when}`}: ${value === undefined ? "no value" : said(value, unit)}`;
        const inside = html`
            <title>${whole}</title>
            ${low !== undefined && high !== undefined && whisker(x(i), y(low), y(high))}
            ${value !== undefined && html`<circle cx=${x(i)} cy=${y(value)} r=${each > 1 ? 3 : 5} fill="var(--plot-good)" stroke="var(--back)" />`}
            ${value !== undefined && step >= 48 && html`<text ...${labelAt(i, value)} font-weight="600">${said(value, unit)}</text>`}
            ${labelled(i) && html`<text x=${x(i)} y=${HEIGHT - PLOT.bottom + 18} text-anchor="middle">${short(label, letters)}</text>`}
            ${labelled(i) && html`<text x=${x(i)} y=${HEIGHT - PLOT.bottom + 34} text-anchor="middle" fill="var(--soft)">${short(when.slice(5, 10), letters)}</text>`}
        `;
        if (href === undefined || value === undefined) return html`<g aria-hidden="true">${inside}</g>`;
        // The whole column is pressed, not the dot alone; the words stand beside the link, which has a name of its own.
        const [left, wide] = [round(x(i) - step / 2), round(step)];
        return html`
          <g aria-hidden="true">${inside}</g>
          <a href=${href} aria-label=${whole}><rect x=${left} y=${PLOT.top} width=${wide} height=${tall} fill="transparent" /></a>
        `;
      })}
    </svg>
  `;
}

function whisker(x: number, low: number, high: number): ComponentChild {
  const cap = (y: number) =>
    html`<line x1=${x - 5} x2=${x + 5} y1=${y} y2=${y} stroke="var(--mark)" stroke-width="2" />`;
  return html`<line x1=${x} x2=${x} y1=${low} y2=${high} stroke="var(--mark)" stroke-width="2" />${cap(low)}${cap(high)}`;
}

function short(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Rates that stay small are told apart on an axis of their own size. */
function shareTop(most: number): number {
  return [0.1, 0.2, 0.4].find((top) => most <= top) ?? 1;
}

/** A round number at or above `most`; never 0. */
function niceTop(most: number): number {
  if (!(most > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 4, 5, 10].find((times) => times * size >= most) ?? 10) * size;
}

/** A value of a trend in words. */
export function said(value: number, unit: TrendUnit): string {
  if (unit === "share") return `${Number((100 * value).toFixed(1))}\u00a0%`;
  if (unit === "usd") return `$${value === 0 ? "0" : value < 0.1 ? value.toPrecision(2) : value.toFixed(2)}`;
  if (unit === "ms")
    return value < 1000
      ? `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)}\u00a0ms`
      : `${Number((value / 1000).toPrecision(3))}\u00a0s`;
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

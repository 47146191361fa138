import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import type { PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { graphSvg } from "./graph.ts";
import { table } from "./html.ts";
import { PLOT_WIDTHS, type PlotSection, plotSvg } from "./plots.ts";

/** The sections that are drawn. */
export type FigureSection = PlotSection | Extract<PageSection, { show: "graph" }>;

/** The address of another page; undefined where it cannot be opened. */
type LinkTo = (to: PageLink) => string | undefined;

/** Rows behind a drawing that its table shows; the rest is counted. */
const ROWS = 200;

/** A drawing for a phone and for a page, with its caption, and its numbers in a table that opens. */
export async function figure(section: FigureSection, link?: LinkTo): Promise<ComponentChildren> {
  const draw = async (width: number) =>
    section.show === "graph" ? graphSvg(section, width) : await plotSvg(section, width);
  const [wide, narrow] = await Promise.all([draw(PLOT_WIDTHS.wide), draw(PLOT_WIDTHS.narrow)]);
  const drawn = (width: "wide" | "narrow", svg: string) =>
    html`<div class="plot-${width}" role="img" aria-label=${section.caption} dangerouslySetInnerHTML=${{ __html: svg }} />`;
  return html`
    <figure>
      <figcaption>${section.caption}</figcaption>
      ${drawn("wide", wide)}
      ${drawn("narrow", narrow)}
      ${numbers(section, link)}
    </figure>
  `;
}

interface Numbers {
  readonly columns: Parameters<typeof table>[1];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

function numbers(section: FigureSection, link?: LinkTo): ComponentChild {
  const { columns, rows } = numbersOf(section, link);
  const open = link !== undefined && section.show === "shares" && section.rows.some(({ links }) => links !== undefined);
  const cut = rows.length > ROWS ? ` The first ${ROWS} of ${rows.length} rows.` : "";
  return html`
    <details open=${open}>
      <summary>${section.show === "graph" ? "As a list" : "The numbers"}</summary>
      ${table(open ? "Each count opens its trials." : `${section.caption}${cut}`, columns, rows.slice(0, ROWS))}
    </details>
  `;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function numbersOf(section: FigureSection, link?: LinkTo): Numbers {
  const [text, number] = [(name: string) => ({ name }), (name: string) => ({ name, n: true })];
  switch (section.show) {
    case "rates":
      return {
        columns: [text("What"), number("Rate"), number("From"), number("To"), number("n")],
        rows: section.rows.map(({ name, rate, low, high, n }) => [
          name,
          rate === undefined ? "none valid" : percent(rate),
          percent(low),
          percent(high),
          n,
        ]),
      };
    case "pairs":
      return {
        columns: [{ name: "What", wide: true }, number(section.before), number(section.after)],
        rows: section.tasks.map(({ name, before, after }) => [name, percent(before), percent(after)]),
      };
    case "shares":
      return {
        columns: [text("What"), ...section.outcomes.map(({ name }) => number(name))],
        rows: section.rows.map(({ name, counts, links }) => [
          name,
          ...section.outcomes.map((_, i) => {
            const [count = 0, to] = [counts[i], links?.[i]];
            const href = count > 0 ? to && link?.(to) : undefined;
            return href === undefined ? count : html`<a href=${href}>${count}</a>`;
          }),
        ]),
      };
    case "days":
      return {
        columns: [text("Day"), text("Part"), number(section.unit)],
        rows: section.days.map(({ day, part, value }) => [day, part, Number(value.toFixed(6))]),
      };
    case "graph": {
      const names = new Map(section.nodes.map(({ id, label }) => [id, label]));
      return {
        columns: [text("From"), text("Relation"), text("To")],
        rows: section.edges.flatMap(({ from, to, kind }) => {
          const [a, b] = [names.get(from), names.get(to)];
          return a === undefined || b === undefined ? [] : [[a, kind, b]];
        }),
      };
    }
  }
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";

type Section = Extract<PageSection, { show: "heat" }>;

/** Steps of the scale; the page's style gives each a colour, and its text one that can be read on it. */
const STEPS = 5;

/** A matrix of counts as a table whose fields are shaded by their count: read by eye and by ear alike. */
export function heatTable(
  { rows, columns, cells, caption }: Section,
  link: (to: PageLink) => string | undefined = () => undefined,
): ComponentChild {
  const most = Math.max(1, ...cells.map((cell) => cell.n));
  const step = (n: number) => (n === 0 ? 0 : Math.min(STEPS - 1, Math.ceil((n / most) * (STEPS - 1))));
  const at = new Map(cells.map((cell) => [`${cell.row} ${cell.column}`, cell]));
  const field = (row: number, column: number) => {
    const cell = at.get(`${row} ${column}`);
    if (cell === undefined) return html`<td></td>`;
    const href = cell.link && link(cell.link);
    const text = cell.gap ? "gap" : cell.n;
    const told = `${rows[row]}, ${columns[column]}: ${text}`;
    const inside = href === undefined ? text : html`<a href=${href} aria-label=${told}>${text}</a>`;
    return html`<td class=${cell.gap ? "gap" : `h${step(cell.n)}`}>${inside}</td>`;
  };
  const heads = columns.map((name) => html`<th scope="col"><span>${name}</span></th>`);
  const line = (name: string, row: number) =>
    html`<tr><th scope="row">${name}</th>${columns.map((_, column) => field(row, column))}</tr>`;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class=${columns.length <= 3 ? "heat few" : "heat"}>
        <caption>${caption}</caption>
        <thead><tr><td></td>${heads}</tr></thead>
        <tbody>${rows.map(line)}</tbody>
      </table>
    </div>
  `;
}

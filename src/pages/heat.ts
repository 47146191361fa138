import { type ComponentChild, h } from "preact";
import type { PageSection } from "../../chapters/findings/pages/page-doc.ts";

type Section = Extract<PageSection, { show: "heat" }>;

/** Steps of the scale; the page's style gives each a colour, and its text one that can be read on it. */
const STEPS = 5;

/** A matrix of counts as a table whose fields are shaded by their count: read by eye and by ear alike. */
export function heatTable({ rows, columns, cells, caption }: Section): ComponentChild {
  const most = Math.max(1, ...cells.map((cell) => cell.n));
  const step = (n: number) => (n === 0 ? 0 : Math.min(STEPS - 1, Math.ceil((n / most) * (STEPS - 1))));
  const at = new Map(cells.map((cell) => [`${cell.row} ${cell.column}`, cell]));
  const field = (row: number, column: number) => {
    const cell = at.get(`${row} ${column}`);
    if (cell === undefined) return h("td", null);
    return cell.gap ? h("td", { class: "gap" }, "gap") : h("td", { class: `h${step(cell.n)}` }, cell.n);
  };
  return h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "heat" },
      h("caption", null, caption),
      h(
        "thead",
        null,
        h("tr", null, h("td", null), ...columns.map((name) => h("th", { scope: "col" }, h("span", null, name)))),
      ),
      h(
        "tbody",
        null,
        ...rows.map((name, row) =>
          h("tr", null, h("th", { scope: "row" }, name), ...columns.map((_, column) => field(row, column))),
        ),
      ),
    ),
  );
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import type { listComparisons } from "../../../chapters/runs/compare/providers.ts";
import { table } from "../../pages/html.ts";
import { pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";

type Comparisons = Awaited<ReturnType<typeof listComparisons>>;

/** Comparisons of models, newest first, from a cursor on. */
export function modelComparisons(
  visit: Visit,
  page: { readonly limit?: number; readonly cursor?: string | undefined },
): Promise<Comparisons> {
  return visit.call<Comparisons>("comparisons_list", page.cursor === undefined ? { limit: page.limit } : { ...page });
}

/** Comparisons of models as a table; each opens. */
export function comparisonTable(caption: string, rows: Comparisons["comparisons"]): ComponentChild {
  return table(
    caption,
    [
      { name: "Models", wide: true },
      { name: "Status" },
      { name: "On" },
      { name: "Tasks", n: true },
      { name: "Tries a task", n: true },
      { name: "Started (UTC)" },
    ],
    rows.map(({ id, pins, status, environment, label, tasks, trials, created_at, by }) => [
      html`<a href=${pathOf({ page: "provider", id })}>${pins.length === 0 ? "no model was started" : cut(`${counted(pins.length, "model")}: ${pins.join(", ")}`, 160)}</a>`,
      status,
      html`<a href=${pathOf({ page: "packet", id: environment })}>${cut(label, 60)}</a>`,
      tasks,
      trials,
      html`<span class="t">${minuteOf(created_at)}</span> by ${cut(by, 40)}`,
    ]),
  );
}

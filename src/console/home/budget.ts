import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import { SPEND_DAYS, spendPage } from "../../../chapters/findings/pages/spend.ts";
import { dollars } from "../../../chapters/findings/pages/words.ts";
import { type BudgetToday, budgetToday, spendOf } from "../../../chapters/organization/budget.ts";
import { block, formRow, postForm, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { csvFile, csvLink, isoTime } from "../lists/csv.ts";
import { filterChoice, filterForm, oneOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { needed, type Visit } from "../visit.ts";
import { spendBy } from "./spend-by.ts";

const PLACE = "/spend";

/** What was spent, and how much a day may be. */
export const budgetPages: readonly ConsoleRoute[] = [
  shows(PLACE, async (visit) => {
    const { ctx } = visit;
    const days = daysOf(visit);
    const [doc, today, by] = await Promise.all([spendPage(ctx, days), budgetToday(ctx), spendBy(ctx, days)]);
    const below = html`<p>${csvLink(PLACE, visit, true)}, what each job of the last ${days} days spent</p>`;
    const period = filterForm(
      PLACE,
      visit,
      filterChoice(
        visit,
        "days",
        "Period",
        PERIODS.map((value) => ({ value: value === "30" ? "" : value, text: `the last ${value} days` })),
      ),
    );
    return { doc, lead: [budgetForm(visit, today), period], below, forms: by && block("By model and by agent", by) };
  }),
  csvFile(PLACE, "spend", ["job", "kind", "asked_by", "started_at", "usd"], async (visit) => {
    const { jobs, direct } = await spendOf(visit.ctx, daysOf(visit));
    const rows = [...jobs, ...direct.map((of) => ({ ...of, job: undefined }))];
    return {
      rows: rows.map(({ job, kind, who, started, usd }) => [job, kind, who, isoTime(started), usd]),
      next: undefined,
    };
  }),
  does(`${PLACE}/budget`, async (visit) => {
    const usd = Number(needed(visit, "usd_per_day"));
    if (!Number.isFinite(usd)) throw badField("usd_per_day", "give an amount of US dollars, such as 2.50");
    return put(visit, usd);
  }),
  does(`${PLACE}/budget/default`, (visit) => put(visit, null)),
];

/** Days that can be looked back, the one that stands unasked first. */
const PERIODS = ["30", "7", "90", "365"] as const;

function daysOf(visit: Visit): number {
  return Number(oneOf(visit, "days", PERIODS) ?? SPEND_DAYS);
}

async function put(visit: Visit, usd_per_day: number | null) {
  await visit.call("budget_put", { usd_per_day, by: visit.member.name });
  return { to: `${CONSOLE}${PLACE}?saved=budget` };
}

function budgetForm(visit: Visit, { usd_per_day, left_usd, source }: BudgetToday): ComponentChild {
  return [
    visit.query.has("saved") &&
      html`<p role="status" class="verdict is-good">Saved: ${dollars(usd_per_day)} a day, of which ${dollars(left_usd)} is left today. What waited was looked at again.</p>`,
    formRow(
      postForm(
        visit,
        `${PLACE}/budget`,
        "Set the budget",
        textField("usd_per_day", "Budget, US dollars a day", {
          type: "number",
          value: String(usd_per_day),
          required: true,
          size: 10,
        }),
        { row: true },
      ),
      source === "org" && postForm(visit, `${PLACE}/budget/default`, "Back to the default", null, { plain: true }),
    ),
    html`<p class="soft">Model calls of this org stop at it each UTC day: jobs wait for the next one, or for a higher budget. At 0 nothing is spent.</p>`,
  ];
}

import { html } from "htm/preact";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { Label } from "../../../chapters/records/evidence/label.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { pages, textOf } from "../lists/query.ts";
import { queuePath } from "../lists/trace-ticks.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";

const PLACE = "/label/given";
const ROWS = 50;

interface Labels {
  readonly labels: readonly {
    readonly trace: string;
    readonly kind: "positive" | "negative";
    readonly has_correction: boolean;
    readonly became: { readonly task: string; readonly environment: string; readonly status: string } | null;
    readonly at: number;
    readonly by: string;
  }[];
  readonly next?: string;
}

/** What people said of traces: by whom, when, and the way to change it. */
export const labelsGiven: readonly ConsoleRoute[] = [shows(PLACE, given)];

async function given(visit: Visit): Promise<View> {
  const cursor = textOf(visit, "cursor");
  const { labels, next } = await visit.call<Labels>("labels_get", {
    limit: ROWS,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const n = await visit.ctx.store.records.count(Label, {});
  const stored = await Promise.all(labels.map(({ trace }) => visit.ctx.store.traces.get(trace)));
  const doc: PageDoc = {
    v: 1,
    title: "Labels given",
    made_at: visit.ctx.now(),
    verdict: {
      text: n === 0 ? "No trace is labelled yet." : `${counted(n, "trace")} ${n === 1 ? "has" : "have"} a label.`,
      tone: "plain",
      tier: "human",
      how: "A trace has one label, the newest: another person's takes the place of the one before.",
    },
    sections: [],
  };
  const list = table(
    "Newest first. A request opens its trace; “change” opens the form with the label that it has.",
    [
      { name: "Request", wide: true },
      { name: "It went" },
      { name: "By" },
      { name: "At (UTC)" },
      { name: "Corrected" },
      { name: "Became" },
      { name: "Change" },
    ],
    labels.map(({ trace, kind, by, at, has_correction, became }, i) => {
      const row = stored[i];
      const request = cut(row?.trace.request ?? "", 110) || "no request";
      return [
        row
          ? html`<a href=${pathOf({ page: "trace", id: `${row.evidence}/${row.id}` })}>${request}</a>`
          : "not stored any more",
        html`<span class=${kind === "positive" ? "good" : "bad"}>${kind === "positive" ? "right" : "wrong"}</span>`,
        cut(by, 60),
        minuteOf(at),
        has_correction ? "yes" : "",
        became === null
          ? ""
          : html`<a href=${pathOf({ page: "task", id: `${became.environment}/${became.task}` })}>a task, ${became.status}</a>`,
        row ? html`<a href=${queuePath([trace], 0, { one: "yes" })}>change</a>` : "",
      ];
    }),
  );
  const ways = html`<p class="ways"><a href="${CONSOLE}/label">Label traces</a> <a href="${CONSOLE}/traces">Traces</a></p>`;
  return { doc, lead: [ways, labels.length > 0 && list, pages(PLACE, visit, next)] };
}

import { html } from "htm/preact";
import type { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import type { FoundTraces } from "../../../chapters/evidence/traces/trace-search.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { cut, dollars, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { amountOf, filterChoice, filterForm, filterText, pages, textOf } from "./query.ts";

const PLACE = "/traces";
/** Evidence records that can be chosen, the newest. */
const CHOICES = 100;
const SECOND = 1000;

/** Production traces: found by words and by what they are. */
export const traceLists: readonly ConsoleRoute[] = [shows(PLACE, traces)];

/** Records that hold traces, newest first, and the one that is asked for, else the newest. */
export async function traceRecords(visit: Visit) {
  const { items } = await visit.ctx.store.records.list(Evidence, { where: { kind: "traces" }, limit: CHOICES });
  const records = items.filter(({ superseded_by }) => superseded_by === undefined);
  const asked = textOf(visit, "eid", 100);
  return { records, chosen: records.find(({ id }) => id === asked) ?? records[0] };
}

/** The choice of a record of traces. */
export function recordChoice(visit: Visit, { records, chosen }: Awaited<ReturnType<typeof traceRecords>>) {
  return filterChoice(
    { query: new URLSearchParams({ eid: chosen?.id ?? "" }) },
    "eid",
    "Evidence",
    records.map(({ id, tag, surface, created_at, stats }) => ({
      value: id,
      text: cut(`${tag ?? surface ?? visit.org.tag}, ${minuteOf(created_at)}, ${countOf(stats.traces, "trace")}`, 70),
    })),
  );
}

async function traces(visit: Visit): Promise<View> {
  const known = await traceRecords(visit);
  const doc: PageDoc = { v: 1, title: "Traces", made_at: visit.ctx.now(), sections: [] };
  if (known.chosen === undefined)
    return { doc, lead: html`<p>No trace is stored yet: send evidence of how your agents are used.</p>` };
  const eid = known.chosen.id;
  const [q, cursor] = [textOf(visit, "q"), textOf(visit, "cursor")];
  const filter = {
    tool: textOf(visit, "tool", 200),
    answer_class: textOf(visit, "class", 100),
    agent_version: textOf(visit, "version", 200),
    min_ms: scaled(amountOf(visit, "slower")),
    min_cost_usd: amountOf(visit, "dearer"),
  };
  const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const { found } = await visit.call<{ readonly found: z.infer<typeof FoundTraces> }>("evidence_match", {
    eid,
    filter: asked,
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const lead = [
    html`<p><a href="${CONSOLE}/label?eid=${encodeURIComponent(eid)}">Label them one after another</a></p>`,
    filterForm(PLACE, visit, [
      recordChoice(visit, known),
      filterText(visit, "q", "Words"),
      filterText(visit, "tool", "Calls the tool", 14),
      filterText(visit, "class", "A call ended (empty, error:…)", 14),
      filterText(visit, "version", "Version", 10),
      filterText(visit, "slower", "Seconds at least", 6),
      filterText(visit, "dearer", "US dollars at least", 6),
    ]),
    found.searched < found.of &&
      html`<p role="status">${found.searched} of ${found.of} traces can be searched by now; the rest is being read in. Load the page again.</p>`,
    found.traces.length === 0
      ? html`<p>No trace fits.</p>`
      : table(
          `${found.n_is_least ? "At least " : ""}${found.n} of ${found.of} traces, in the order of the record.`,
          [
            { name: "Request", wide: true },
            { name: "Started (UTC)" },
            { name: "Calls", n: true },
            { name: "Took", n: true },
            { name: "Cost", n: true },
          ],
          found.traces.map((row) => [
            html`<a href="${CONSOLE}/evidence/${encodeURIComponent(eid)}/traces/${encodeURIComponent(row.id)}">${cut(row.request, 200) || "no request"}</a>`,
            row.started_at === null ? "" : minuteOf(row.started_at),
            row.calls,
            row.ms === null ? "" : `${Number((row.ms / SECOND).toPrecision(3))} s`,
            row.cost_usd === null ? "" : dollars(row.cost_usd),
          ]),
        ),
    pages(PLACE, visit, found.next),
  ];
  return { doc, lead };
}

function scaled(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * SECOND;
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { traceEvidence } from "../../../chapters/evidence/attributes/attributes.ts";
import {
  type FoundTraces,
  readForSearch,
  sortedTraces,
  TRACE_SORTS,
  type TraceSort,
} from "../../../chapters/evidence/traces/trace-search.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { cut, dollars, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { errorsOf, evidenceVerdict } from "../../../chapters/findings/viewer/trace.ts";
import { type CanonicalTrace, Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import type { TraceFilter } from "../../../chapters/records/evidence/trace-filter.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { firstEvidence } from "../work/send.ts";
import { amountOf, filterChoice, filterForm, filterText, oneOf, pages, sortHead, textOf } from "./query.ts";

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
  const invented = known.chosen?.provenance === "synthetic" ? { invented: true } : {};
  const told = known.chosen === undefined ? {} : { verdict: evidenceVerdict(known.chosen) };
  const doc: PageDoc = { v: 1, title: "Traces", made_at: visit.ctx.now(), ...invented, ...told, sections: [] };
  if (known.chosen === undefined)
    return { doc, lead: [html`<p>No trace is stored yet.</p>`, await firstEvidence(visit)] };
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
  const sort = oneOf(visit, "sort", TRACE_SORTS);
  const found = await find(visit, { eid, filter: asked, q, cursor, sort });
  const rows = await visit.ctx.store.traces.at(
    eid,
    found.traces.map(({ position }) => position),
  );
  const shown = new Map(rows.map(({ id, trace }) => [id, trace]));
  const labels = await visit.ctx.store.records.getMany(
    Label,
    rows.map(({ id }) => labelId(id)),
  );
  const labelled = new Map(labels.map(({ trace, polarity }) => [trace, polarity === "positive" ? "right" : "wrong"]));
  const sorted = (name: string, down: TraceSort, up: TraceSort) =>
    sortHead(PLACE, visit, { name, down, up, now: sort ?? "" });
  const lead = [
    html`<p><a href="${CONSOLE}/label?eid=${encodeURIComponent(eid)}">Label them one after another</a></p>`,
    filterForm(PLACE, visit, [
      recordChoice(visit, known),
      filterText(visit, "q", "Words"),
      filterText(
        visit,
        "tool",
        "Calls the tool",
        16,
        namesIn(shown, ({ tool }) => tool),
      ),
      filterChoice(visit, "sort", "Order", [
        { value: "", text: "as in the record" },
        ...TRACE_SORTS.map((value) => ({ value, text: SORT_WORDS[value] })),
      ]),
      // What is asked for less often is unfolded by who asks for it.
      html`
        <details open=${LESS_OFTEN.some((name) => textOf(visit, name) !== undefined)}>
          <summary>More filters</summary>
          <div>
            ${filterText(visit, "class", "A call ended", 16, [...ENDS, ...namesIn(shown, ({ answer_class }) => answer_class)])}
            ${filterText(visit, "version", "Version", 10)}
            ${filterText(visit, "slower", "Seconds at least", 6)}
            ${filterText(visit, "dearer", "US dollars at least", 6)}
          </div>
        </details>
      `,
    ]),
    found.searched < found.of &&
      html`<p role="status">${found.searched} of ${found.of} traces can be searched by now; the rest is being read in. Load the page again.</p>`,
    !found.sorted && html`<p role="status">So many traces are not put in order at once: narrow the list further.</p>`,
    found.traces.length === 0
      ? html`<p>${found.n === 0 ? "No trace fits." : "No trace that fits says by what they would be in order."}</p>`
      : table(
          `${found.n_is_least ? "At least " : ""}${found.n} of ${found.of} traces, ${sort === undefined || !found.sorted ? "in the order of the record" : `${SORT_WORDS[sort]}; those that do not say it are left out`}.`,
          [
            { name: "Request", wide: true },
            sorted("Started (UTC)", "newest", "oldest"),
            { name: "Answer", wide: true },
            { name: "Label" },
            { name: "Calls", n: true },
            { name: "Errors", n: true },
            { ...sorted("Took", "slowest", "fastest"), n: true },
            { ...sorted("Cost", "dearest", "cheapest"), n: true },
          ],
          found.traces.map((row) => [
            html`<a href="${CONSOLE}/evidence/${encodeURIComponent(eid)}/traces/${encodeURIComponent(row.id)}">${cut(row.request, 200) || "no request"}</a>`,
            row.started_at === null ? "" : minuteOf(row.started_at),
            cut(shown.get(row.id)?.final_answer ?? "", 120),
            labelled.get(row.id) ?? "",
            row.calls,
            errorCell(shown.get(row.id)),
            row.ms === null ? "" : `${Number((row.ms / SECOND).toPrecision(3))} s`,
            row.cost_usd === null ? "" : dollars(row.cost_usd),
          ]),
        ),
    pages(PLACE, visit, found.next),
  ];
  return { doc, lead };
}

/** Filters that are folded until wanted. */
const LESS_OFTEN = ["class", "version", "slower", "dearer"] as const;
/** How calls end whatever the tool; errors have names of their own. */
const ENDS = ["data", "empty", "refused", "pending"];

type Traces = ReadonlyMap<string, CanonicalTrace>;

/** Names that calls of these traces have, to be offered. */
function namesIn(traces: Traces, of: (call: CanonicalTrace["calls"][number]) => string): string[] {
  const names = [...traces.values()].flatMap(({ calls }) => calls.map(of));
  return [...new Set(names)].filter((name) => !ENDS.includes(name)).sort();
}

function errorCell(trace: CanonicalTrace | undefined): ComponentChild {
  const errors = trace === undefined ? 0 : errorsOf(trace);
  return errors === 0 ? "" : html`<span class="bad">${errors}</span>`;
}

const SORT_WORDS: Readonly<Record<TraceSort, string>> = {
  newest: "newest first",
  oldest: "oldest first",
  slowest: "slowest first",
  fastest: "fastest first",
  dearest: "dearest first",
  cheapest: "cheapest first",
};

interface TraceQuery {
  readonly eid: string;
  readonly filter: TraceFilter;
  readonly q: string | undefined;
  readonly cursor: string | undefined;
  readonly sort: TraceSort | undefined;
}

/** The traces that fit, as `evidence_match` finds them, or in another order. */
async function find(visit: Visit, { eid, filter, q, cursor, sort }: TraceQuery) {
  if (sort !== undefined) {
    const doc = await traceEvidence(visit.ctx, eid);
    const extent = await readForSearch(visit.ctx, doc);
    return sortedTraces(visit.ctx, doc, { q, filter, cursor, sort, extent });
  }
  const { found } = await visit.call<{ readonly found: z.infer<typeof FoundTraces> }>("evidence_match", {
    eid,
    filter,
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return { ...found, sorted: true };
}

function scaled(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * SECOND;
}

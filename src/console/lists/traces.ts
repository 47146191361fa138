import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { countOf } from "../../../chapters/count-of.ts";
import { badField } from "../../../chapters/errors.ts";
import { TRACE_SORTS, type TraceSort } from "../../../chapters/evidence/traces/trace-search.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, dollars, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { errorsOf, evidenceVerdict } from "../../../chapters/findings/viewer/trace.ts";
import type { Doc } from "../../../chapters/record.ts";
import { type CanonicalTrace, Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { Label } from "../../../chapters/records/evidence/label.ts";
import { TraceFilter } from "../../../chapters/records/evidence/trace-filter.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { firstEvidence } from "../work/send.ts";
import { csvFile, isoTime, listEnd } from "./csv.ts";
import { countOfTraces, LABELS, listTraces, type TraceList, type TraceQuery } from "./find-traces.ts";
import { amountOf, filterChoice, filterField, filterForm, filterText, oneOf, sortHead, textOf } from "./query.ts";
import { pickTrace, queuePath, ticksForm } from "./trace-ticks.ts";

const PLACE = "/traces";
/** Evidence records that can be chosen, the newest. */
const CHOICES = 100;
const SECOND = 1000;
const DAY = 86_400;

/** Production traces: found by words and by what they are. */
export const traceLists: readonly ConsoleRoute[] = [
  shows(PLACE, traces),
  csvFile(
    PLACE,
    "traces",
    ["trace", "evidence", "request", "started_at", "answer", "label", "calls", "errors", "ms", "cost_usd"],
    async (visit, cursor) => {
      const { uploads } = await uploadsOf(visit);
      const { traces, next } = await listTraces(visit, uploads, { ...queryOf(visit), cursor });
      const rows = traces.map(({ eid, row: { id, request, started_at, calls, ms, cost_usd }, stored, label }) => [
        ...[id, eid, request, isoTime(started_at), stored?.final_answer, label],
        ...[calls, stored && errorsOf(stored), ms, cost_usd],
      ]);
      return { rows, next };
    },
  ),
];

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
    uploadOptions(visit, records),
  );
}

type Upload = Doc<typeof Evidence>;

function uploadName({ org }: Visit, { tag, surface, created_at }: Upload): string {
  return `${tag ?? surface ?? org.tag}, ${minuteOf(created_at)}`;
}

/** An upload by its name and when it came, and whether it is made up. */
function uploadCell({ org }: Visit, record: Upload | undefined, href: string): ComponentChild {
  if (record === undefined) return "";
  const { tag, surface, created_at, provenance } = record;
  const name = cut(tag ?? surface ?? org.tag, 24);
  const made = provenance === "synthetic" && html`, <span class="soft">made up</span>`;
  return html`<span class="t"><a href=${href}>${name}</a>${made}</span> <span class="t soft">${minuteOf(created_at).slice(5)}</span>`;
}

function uploadOptions(visit: Visit, records: readonly Upload[]) {
  return records.map((record) => ({
    value: record.id,
    text: cut(`${uploadName(visit, record)}, ${countOf(record.stats.traces, "trace")}`, 70),
  }));
}

/** The choice of one upload, or of all. */
function uploadChoice(visit: Visit, records: readonly Upload[]): ComponentChild {
  return filterChoice(visit, "eid", "Upload", [{ value: "", text: "all" }, ...uploadOptions(visit, records)]);
}

/** The uploads whose traces are listed, and the one of them that was chosen. */
async function uploadsOf(visit: Visit) {
  const { records } = await traceRecords(visit);
  const requested = textOf(visit, "eid", 100);
  const chosen = records.find(({ id }) => id === requested) ?? (records.length === 1 ? records[0] : undefined);
  return { records, chosen, uploads: chosen === undefined ? records : [chosen] };
}

function queryOf(visit: Visit): TraceQuery {
  const filter = {
    tool: textOf(visit, "tool", 200),
    answer_class: textOf(visit, "class", 100),
    agent_version: textOf(visit, "version", 200),
    session: textOf(visit, "session", 500),
    since: dayOf(visit, "from"),
    until: dayOf(visit, "to", DAY - 1),
    min_ms: scaled(amountOf(visit, "slower")),
    min_cost_usd: amountOf(visit, "dearer"),
  };
  return {
    filter: checked(filter),
    q: textOf(visit, "q"),
    sort: oneOf(visit, "sort", TRACE_SORTS),
    sent: oneOf(visit, "sort", ["sent"]) !== undefined,
    label: oneOf(visit, "label", LABELS),
    cursor: textOf(visit, "cursor"),
  };
}

async function traces(visit: Visit): Promise<View> {
  const { records, chosen, uploads } = await uploadsOf(visit);
  const invented =
    uploads.length > 0 && uploads.every(({ provenance }) => provenance === "synthetic") ? { invented: true } : {};
  const doc: PageDoc = { v: 1, title: "Traces", made_at: visit.ctx.now(), ...invented, sections: [] };
  if (uploads.length === 0) return { doc, lead: [html`<p>No trace is stored yet.</p>`, await firstEvidence(visit)] };
  const query = queryOf(visit);
  const found = await listTraces(visit, uploads, query);
  const narrowed = isNarrowed(query);
  const verdict = narrowed
    ? await foundVerdict(visit, uploads, query, found)
    : chosen === undefined
      ? await allVerdict(visit, records)
      : evidenceVerdict(chosen);
  const ids = found.traces.map(({ row }) => row.id);
  const eid = chosen === undefined ? "" : `?${new URLSearchParams({ eid: chosen.id })}`;
  const lead = [
    html`<p class="ways"><a href=${narrowed && ids.length > 0 ? queuePath(ids) : `${CONSOLE}/label${eid}`}>${narrowed && ids.length > 0 ? `Label ${found.next === undefined ? "what was found" : "those of this page"}, ${counted(ids.length, "trace")}` : "Label traces one after another"}</a> <a href="${CONSOLE}/label/given">Labels given</a> <a href="${CONSOLE}/traces/showing">What rules find</a></p>`,
    filterForm(PLACE, visit, [
      records.length > 1 && uploadChoice(visit, records),
      filterText(visit, "q", "Words"),
      filterText(
        visit,
        "tool",
        "Calls the tool",
        16,
        namesIn(found, ({ tool }) => tool),
      ),
      filterChoice(visit, "label", "Label", [
        { value: "", text: "any or none" },
        { value: "wrong", text: "went wrong" },
        { value: "right", text: "went right" },
        { value: "none", text: "without one" },
      ]),
      filterDay(visit, "from", "Started from"),
      filterDay(visit, "to", "to"),
      filterChoice(visit, "sort", "Order", [
        { value: "", text: chosen === undefined ? "newest upload first" : "newest first" },
        ...TRACE_SORTS.filter((value) => chosen === undefined || value !== "newest").map((value) => ({
          value,
          text: SORT_WORDS[value],
        })),
        AS_SENT,
      ]),
      // What is asked for less often is unfolded by who asks for it.
      html`
        <details open=${LESS_OFTEN.some((name) => textOf(visit, name) !== undefined)}>
          <summary>More filters</summary>
          <div>
            ${filterText(visit, "class", "A call ended", 16, [...ENDS, ...namesIn(found, ({ answer_class }) => answer_class)])}
            ${filterText(visit, "version", "Version", 10)}
            ${filterText(visit, "session", "Session", 16)}
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
      ? html`<p>${found.next !== undefined ? "None of those looked at so far fits." : (found.n ?? 0) === 0 ? "No trace fits." : "No trace that fits says by what they would be in order."}</p>`
      : ticksForm(ids, traceTable(visit, found, query.sort, chosen === undefined ? records : undefined)),
    listEnd(PLACE, visit, found.next),
  ];
  return { doc: { ...doc, verdict }, lead };
}

/** A filter that names something traces can be narrowed by. Throws `bad_request` with the field that does not. */
function checked(filter: Readonly<Record<string, unknown>>): TraceFilter {
  const { success, data, error } = TraceFilter.safeParse(filter);
  if (success) return data;
  const [issue] = error.issues;
  throw badField(String(issue?.path[0] ?? "filter"), issue?.message ?? "cannot be used");
}

/** The traces of a page; where they are of several uploads, each with its own. */
function traceTable(
  visit: Visit,
  found: TraceList,
  sort: TraceSort | undefined,
  uploads: readonly Upload[] | undefined,
): ComponentChild {
  const sorted = (name: string, down: TraceSort, up: TraceSort) =>
    sortHead(PLACE, visit, { name, down, up, now: sort ?? (uploads === undefined && found.newest ? "newest" : "") });
  const inOrder =
    sort === undefined || !found.sorted
      ? `${uploads === undefined ? "" : "the newest upload first, and of each "}${found.newest ? "the newest first" : AS_SENT.text}`
      : `${SORT_WORDS[sort]}; those that do not say it are left out`;
  const many =
    found.n === undefined
      ? `${counted(found.traces.length, "trace")} on this page`
      : `${found.n_is_least ? "At least " : ""}${found.n} of ${found.of} traces`;
  const known = new Map(uploads?.map((record) => [record.id, record]));
  return table(
    `${many}, ${inOrder}.`,
    [
      { name: "Pick", pick: true },
      { name: "Request", wide: true },
      sorted("Started (UTC)", "newest", "oldest"),
      { name: "Answer", wide: true },
      { name: "Label" },
      { name: "Calls", n: true },
      { name: "Errors", n: true },
      { ...sorted("Took", "slowest", "fastest"), n: true },
      { ...sorted("Cost", "dearest", "cheapest"), n: true },
      ...(uploads === undefined ? [] : [{ name: "Upload" }]),
    ],
    found.traces.map(({ eid, row, stored, label }) => {
      const upload = `${CONSOLE}/evidence/${encodeURIComponent(eid)}`;
      return [
        pickTrace(row.id, row.request),
        html`<a href="${upload}/traces/${encodeURIComponent(row.id)}">${cut(row.request, 110) || "no request"}</a>`,
        row.started_at === null ? "" : minuteOf(row.started_at),
        cut(stored?.final_answer ?? "", 90),
        label ?? "",
        row.calls,
        errorCell(stored),
        row.ms === null ? "" : `${Number((row.ms / SECOND).toPrecision(3))} s`,
        row.cost_usd === null ? "" : dollars(row.cost_usd),
        ...(uploads === undefined ? [] : [uploadCell(visit, known.get(eid), upload)]),
      ];
    }),
  );
}

/** Whether the list is narrowed by anything but its upload. */
function isNarrowed({ filter, q, label }: TraceQuery): boolean {
  return q !== undefined || label !== undefined || Object.values(filter).some((value) => value !== undefined);
}

/** How many traces were found, of how many. */
async function foundVerdict(
  visit: Visit,
  uploads: readonly Upload[],
  query: TraceQuery,
  { traces, next }: TraceList,
): Promise<PageDoc["verdict"]> {
  const of = `${counted(
    uploads.reduce((sum, { stats }) => sum + stats.traces, 0),
    "trace",
  )} in ${counted(uploads.length, "upload")}`;
  const { n, least } =
    query.label === undefined
      ? await countOfTraces(visit, uploads, query)
      : { n: traces.length, least: next !== undefined || query.cursor !== undefined };
  return {
    text: `${n === 0 && !least ? "None" : `${least ? "At least " : ""}${n}`} of ${of} ${n === 1 ? "fits" : "fit"} what was asked for.`,
    tone: "plain",
    tier: "deterministic",
    how:
      query.label === undefined
        ? "Counted over all of them."
        : "Labels are looked up page by page: this page is counted.",
  };
}

/** How many traces all uploads hold, and how many of them somebody labelled. */
async function allVerdict({ ctx }: Visit, records: readonly Upload[]): Promise<PageDoc["verdict"]> {
  const labels = await ctx.store.records.count(Label);
  const traces = records.reduce((sum, { stats }) => sum + stats.traces, 0);
  return {
    text: `${counted(traces, "trace")} in ${counted(records.length, "upload")}; ${labels === 0 ? "none is" : labels === 1 ? "1 is" : `${labels} are`} labelled.`,
    tone: "plain",
    tier: "deterministic",
    how: "An upload is a record of evidence: what was sent, or pulled, at once.",
  };
}

/** A day of the query string as its first second, or a later one, UTC; undefined where it names none. */
function dayOf(visit: Visit, name: string, after = 0): number | undefined {
  const text = textOf(visit, name, 10);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at / SECOND + after;
}

/** A day to filter by. */
function filterDay(visit: Visit, name: string, label: string): ComponentChild {
  const value = visit.query.get(name) ?? "";
  return filterField(label, (id) => html`<input id=${id} name=${name} type="date" value=${value} />`, `by-${name}`);
}

/** Filters that are folded until wanted. */
const LESS_OFTEN = ["class", "version", "session", "slower", "dearer"] as const;
/** How calls end whatever the tool; errors have names of their own. */
const ENDS = ["data", "empty", "refused", "pending"];

/** Names that calls of these traces have, to be offered. */
function namesIn({ traces }: TraceList, of: (call: CanonicalTrace["calls"][number]) => string): string[] {
  const names = traces.flatMap(({ stored }) => (stored?.calls ?? []).map(of));
  return [...new Set(names)].filter((name) => !ENDS.includes(name)).sort();
}

function errorCell(trace: CanonicalTrace | undefined): ComponentChild {
  const errors = trace === undefined ? 0 : errorsOf(trace);
  return errors === 0 ? "" : html`<span class="bad">${errors}</span>`;
}

/** The order in which an upload holds its traces. */
export const AS_SENT = { value: "sent", text: "as they were sent" };
/** What each order of traces is called. */
export const SORT_WORDS: Readonly<Record<TraceSort, string>> = {
  newest: "newest first",
  oldest: "oldest first",
  slowest: "slowest first",
  fastest: "fastest first",
  dearest: "dearest first",
  cheapest: "cheapest first",
};

function scaled(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * SECOND;
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { notFound, orNotFound } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted } from "../../../chapters/findings/pages/words.ts";
import { tracePage } from "../../../chapters/findings/viewer/trace.ts";
import type { StoredTrace } from "../../../chapters/ports/store.ts";
import type { Doc } from "../../../chapters/record.ts";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import { buttonsForm, hidden, longField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { filterForm, textOf } from "../lists/query.ts";
import { queuePath } from "../lists/trace-ticks.ts";
import { recordChoice, traceRecords } from "../lists/traces.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { firstEvidence } from "./send.ts";

const PLACE = "/label";
/** Traces that are looked at for the next one without a label, at a time and at most for one page. */
const AT_ONCE = 100;
const LOOKED_AT = 2_000;
/** Traces that are picked at once. */
const QUEUE = 100;
/** Labels that the headline tells right from wrong, the newest. */
const NEWEST = 500;
/** Traces one after another, each with the question whether it went right. */
export const labelPages: readonly ConsoleRoute[] = [
  shows(PLACE, label),
  does(PLACE, async (visit) => {
    const [trace, correction] = [needed(visit, "trace"), field(visit, "correction")];
    await visit.call("labels_post", {
      trace,
      polarity: needed(visit, "polarity"),
      ...(correction === undefined ? {} : { correction }),
    });
    const place = Number(needed(visit, "at"));
    const queue = field(visit, "queue")?.split(",");
    if (queue !== undefined) return { to: queuePath(queue, place + 1, { was: String(place) }) };
    const next = { eid: needed(visit, "eid"), at: String(place + 1), was: String(place) };
    return { to: `${CONSOLE}${PLACE}?${new URLSearchParams(next)}` };
  }),
];

async function label(visit: Visit): Promise<View> {
  const { ctx, query } = visit;
  const queue = [...new Set(query.getAll("t"))].slice(0, QUEUE);
  if (queue.length > 0) return labelQueue(visit, queue);
  const known = await traceRecords(visit);
  const invented = known.chosen?.provenance === "synthetic" ? { invented: true } : {};
  const doc: PageDoc = {
    ...{ v: 1, title: "Label traces", made_at: ctx.now(), ...invented, sections: [] },
    ...(known.chosen === undefined ? {} : { verdict: await labelsSoFar(visit) }),
  };
  if (known.chosen === undefined)
    return { doc, lead: [html`<p>No trace is stored yet.</p>`, await firstEvidence(visit)] };
  const { id: eid, stats } = known.chosen;
  const at = Math.max(0, Math.trunc(Number(query.get("at") ?? 0)) || 0);
  const one = query.get("one") !== null;
  const position = one ? at : await nextOpen(visit, eid, at);
  const was = textOf(visit, "was", 20);
  const lead = [
    GIVEN,
    known.records.length > 1 && filterForm(PLACE, visit, recordChoice(visit, known)),
    was !== undefined &&
      html`<p role="status">Labelled. <a data-key="z" href=${labelPath(eid, Number(was), true)}>Change it</a></p>`,
  ];
  if (position === undefined) {
    const first = at > 0 && html` <a href=${labelPath(eid, 0)}>Look from the first one on.</a>`;
    return { doc, lead: [...lead, html`<p>No trace from here on waits for a label.${first}</p>`] };
  }
  const [row] = await ctx.store.traces.at(eid, [position]);
  if (row === undefined) throw notFound("trace");
  const given = await ctx.store.records.get(Label, labelId(row.id));
  // The trace is read as on its own page, without what only leads to others.
  const { sections } = await tracePage(ctx, eid, row.id);
  const trace = pathOf({ page: "trace", id: `${eid}/${row.id}` });
  return {
    doc: { ...doc, sections: sections.filter(({ show }) => show === "timeline") },
    lead: [
      ...lead,
      html`<p><progress max=${stats.traces} value=${position} aria-label="How far in the record" /></p>
      <p class="soft">Trace ${position + 1} of ${stats.traces}. ${keysLine(was !== undefined)} <a href=${trace}>The trace</a></p>`,
      form(visit, row, given),
    ],
  };
}

const GIVEN = html`<p class="ways"><a href="${CONSOLE}/label/given">Labels given, by whom and when</a> <a href="${CONSOLE}/traces">Traces, to label those that a filter finds</a></p>`;

/** The keys that the page hears: `z` only where there is a label before. */
function keysLine(labelled: boolean): string {
  return `Keys: r right, w wrong, s skip${labelled ? ", z change the last one" : ""}.`;
}

/** Traces that were picked, one after another; what is labelled already is passed over unless it is asked for. */
async function labelQueue(visit: Visit, queue: readonly string[]): Promise<View> {
  const { ctx, query } = visit;
  const from = Math.max(0, Math.trunc(Number(query.get("at") ?? 0)) || 0);
  const labels = await ctx.store.records.getMany(Label, queue.map(labelId));
  const labelled = new Set(labels.map(({ trace }) => trace));
  const one = query.get("one") !== null;
  const at = queue.findIndex((id, i) => i >= from && (one || !labelled.has(id)));
  const was = textOf(visit, "was", 20);
  const doc: PageDoc = {
    ...{ v: 1, title: "Label traces that were picked", made_at: ctx.now(), sections: [] },
    verdict: await labelsSoFar(visit),
  };
  const lead = [
    GIVEN,
    was !== undefined &&
      html`<p role="status">Labelled. <a data-key="z" href=${queuePath(queue, Number(was), { one: "yes" })}>Change it</a></p>`,
  ];
  const id = queue[at];
  if (id === undefined) {
    const done = `${labelled.size} of ${counted(queue.length, "trace")} that ${queue.length === 1 ? "was" : "were"} picked ${labelled.size === 1 ? "is" : "are"} labelled; none from here on waits.`;
    return { doc, lead: [...lead, html`<p>${done} <a href=${queuePath(queue)}>Look from the first one on.</a></p>`] };
  }
  const row = orNotFound(await ctx.store.traces.get(id), "trace");
  const given = await ctx.store.records.get(Label, labelId(id));
  const { sections } = await tracePage(ctx, row.evidence, row.id);
  const trace = pathOf({ page: "trace", id: `${row.evidence}/${row.id}` });
  return {
    doc: { ...doc, sections: sections.filter(({ show }) => show === "timeline") },
    lead: [
      ...lead,
      html`<p><progress max=${queue.length} value=${at} aria-label="How far in what was picked" /></p>
      <p class="soft">Trace ${at + 1} of ${queue.length} that were picked. ${keysLine(was !== undefined)} <a href=${trace}>The trace</a></p>`,
      form(visit, row, given, { queue, at }),
    ],
  };
}

/** What people said of traces so far. */
async function labelsSoFar({ ctx }: Visit): Promise<NonNullable<PageDoc["verdict"]>> {
  const [{ items }, all] = await Promise.all([
    ctx.store.records.list(Label, { limit: NEWEST }),
    ctx.store.records.count(Label, {}),
  ]);
  const wrong = items.filter(({ polarity }) => polarity === "negative").length;
  const newest = all > items.length ? `; of the newest ${items.length} ` : ": ";
  return {
    text:
      all === 0
        ? "No trace is labelled yet."
        : `${counted(all, "trace")} labelled${newest}${items.length - wrong} went right, ${wrong} wrong.`,
    ...{ tone: "plain", tier: "human" },
    how: "Of every record. A trace has one label, the newest; what is labelled is passed over.",
  };
}

function labelPath(eid: string, at: number, one = false): string {
  return `${CONSOLE}${PLACE}?${new URLSearchParams({ eid, at: String(at), ...(one ? { one: "yes" } : {}) })}`;
}

/** The first trace from a place on that nobody has labelled; undefined where none of those looked at waits. */
async function nextOpen({ ctx }: Visit, eid: string, from: number): Promise<number | undefined> {
  let at = from;
  while (at < from + LOOKED_AT) {
    const { items } = await ctx.store.traces.heads(eid, { from: at, limit: AT_ONCE });
    const labels = await ctx.store.records.getMany(
      Label,
      items.map(({ id }) => labelId(id)),
    );
    const labelled = new Set(labels.map(({ trace }) => trace));
    const open = items.find(({ id }) => !labelled.has(id));
    if (open !== undefined) return open.position;
    const last = items.at(-1);
    if (last === undefined) return undefined;
    at = last.position + 1;
  }
  return undefined;
}

function form(
  visit: Visit,
  { id, evidence, position }: StoredTrace,
  given: Doc<typeof Label> | undefined,
  picked?: { readonly queue: readonly string[]; readonly at: number },
): ComponentChild {
  const said = given === undefined ? "" : given.polarity === "positive" ? "right" : "wrong";
  const press = (key: string, polarity: string, text: string) =>
    html`<button type="submit" name="polarity" value=${polarity} data-key=${key} class="plain">${text}</button>${" "}`;
  return html`
    <section aria-label="Label" data-island="keys">
      ${given !== undefined && html`<p>Its label: it went ${said}${given.correction === undefined ? "" : `; better: “${given.correction}”`}. By ${given.by}.</p>`}
      ${buttonsForm(visit, PLACE, [
        hidden("trace", id),
        hidden("eid", evidence),
        hidden("at", String(picked?.at ?? position)),
        picked && hidden("queue", picked.queue.join(",")),
        longField("correction", "What it should have done or said (may be empty)", {
          value: given?.correction ?? "",
          rows: 2,
          required: false,
        }),
        press("r", "positive", "It went right"),
        press("w", "negative", "It went wrong"),
        html`<a data-key="s" href=${picked === undefined ? labelPath(evidence, position + 1) : queuePath(picked.queue, picked.at + 1)}>Skip it</a>`,
      ])}
    </section>
  `;
}

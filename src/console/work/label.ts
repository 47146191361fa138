import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { notFound } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted } from "../../../chapters/findings/pages/words.ts";
import { tracePage } from "../../../chapters/findings/viewer/trace.ts";
import type { StoredTrace } from "../../../chapters/ports/store.ts";
import type { Doc } from "../../../chapters/record.ts";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import { buttonsForm, hidden, longField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { filterForm, textOf } from "../lists/query.ts";
import { recordChoice, traceRecords } from "../lists/traces.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { firstEvidence } from "./send.ts";

const PLACE = "/label";
/** Traces that are looked at for the next one without a label, at a time and at most for one page. */
const AT_ONCE = 100;
const LOOKED_AT = 2_000;
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
    const next = { eid: needed(visit, "eid"), at: String(place + 1), was: String(place) };
    return { to: `${CONSOLE}${PLACE}?${new URLSearchParams(next)}` };
  }),
];

async function label(visit: Visit): Promise<View> {
  const { ctx, query } = visit;
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
      <p class="soft">Trace ${position + 1} of ${stats.traces}. Keys: r right, w wrong, s skip, z change the last one. <a href=${trace}>The trace</a></p>`,
      form(visit, row, given),
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
        hidden("at", String(position)),
        longField("correction", "What it should have done or said (may be empty)", {
          value: given?.correction ?? "",
          rows: 2,
          required: false,
        }),
        press("r", "positive", "It went right"),
        press("w", "negative", "It went wrong"),
        html`<a data-key="s" href=${labelPath(evidence, position + 1)}>Skip it</a>`,
      ])}
    </section>
  `;
}

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { STANDING } from "../../../chapters/dimensions/axes.ts";
import { actOf } from "../../../chapters/evidence/attributes/rule-attributes.ts";
import { counted, cut, inWords } from "../../../chapters/findings/pages/words.ts";
import { everyRow } from "../../../chapters/page.ts";
import type { Doc } from "../../../chapters/record.ts";
import { SeenOperation } from "../../../chapters/records/evidence/after-ingest.ts";
import { DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { breakable, table } from "../../pages/html.ts";
import { block, postForm } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";

/** Values that one page settles. */
const SETTLED_AT_ONCE = 50;
const PLACE = "/proposals/values";
const WAYS = ["accept", "dismiss", "leave"] as const;

type Value = Doc<typeof DimensionValue>;

/** Values that readers found in evidence and nobody settled, newest first, and how many there are. */
export async function proposedValues({ ctx: { store } }: Visit) {
  const where = { status: "proposed" };
  const [{ items }, n] = await Promise.all([
    store.records.list(DimensionValue, { where, limit: SETTLED_AT_ONCE }),
    store.records.count(DimensionValue, where),
  ]);
  return { values: items, n };
}

/** Each value in a row with what shows it, and one form that settles them all. */
export async function valuesForm(
  visit: Visit,
  { values, n }: { readonly values: readonly Value[]; readonly n: number },
): Promise<ComponentChild> {
  if (values.length === 0) return null;
  const tools = await toolsByAct(visit);
  const more = n > values.length ? ` These are ${values.length} of ${n}; the others come when these are settled.` : "";
  const sorted = [...values].sort((a, b) =>
    a.field < b.field ? -1 : a.field > b.field ? 1 : (b.traces ?? 0) - (a.traces ?? 0),
  );
  const rows = sorted.map((value, i) => [
    cut(value.value, 120),
    axisName(value.field, value.field !== sorted[i - 1]?.field),
    shownBy(value, tools.get(value.value)),
    Object.values(value.profile ?? {})
      .map((line) => cut(line, 160))
      .join("; "),
    settle(value),
  ]);
  return block(
    "Values read from evidence",
    html`<p>What people use the agent for, who they are and how they ask, as traces and documents show it. Tasks are counted, and can be written, by the values that you accept.</p>`,
    postForm(
      visit,
      PLACE,
      `Settle ${values.length === 1 ? "this one" : `these ${values.length}`}`,
      table(
        `Each is accepted unless you choose otherwise. One that is dismissed is not proposed again.${more}`,
        [
          { name: "Value" },
          { name: "Kind" },
          { name: "Shown by" },
          { name: "Described as", wide: true },
          { name: "Settle" },
        ],
        rows,
      ),
      { name: "Values read from evidence" },
    ),
  );
}

/** Settles each value as its row says; the offer that it stands in is closed with it. */
export async function settleValues(
  visit: Visit,
  offers: readonly { readonly id: string; readonly target: string }[],
): Promise<void> {
  const offered = new Map(offers.map(({ id, target }) => [target, id]));
  for (const [value_id, way] of visit.form) {
    if (!value_id.startsWith(`${DimensionValue.prefix}_`) || (way !== "accept" && way !== "dismiss")) continue;
    const pid = offered.get(value_id);
    const by = visit.member.name;
    if (way === "dismiss" || pid === undefined) await visit.call(`dimension_value_${way}`, { value_id, by });
    if (pid !== undefined)
      await visit.call(`after_ingest_${way}`, { pid, ...(way === "accept" ? { by: visit.member.name } : {}) });
  }
}

/** An axis by its name, and on its first row what it tells. */
function axisName(field: string, first: boolean): ComponentChild {
  const says = STANDING[field];
  return html`${inWords(field)}${first && says !== undefined && html`<br /><span class="soft">${says}</span>`}`;
}

/** How many traces or records show it, which lead to them; of a use case that is a tool's act, to the traces that call the tool. */
function shownBy({ traces, cites }: Value, tool: string | undefined): ComponentChild {
  const [eid] = cites;
  const n = traces === undefined ? counted(cites.length, "record") : counted(traces, "trace");
  if (eid === undefined) return traces === undefined ? "" : n;
  if (tool === undefined) return html`<a href=${pathOf({ page: "evidence", id: eid })}>${n}</a>`;
  const calling = `${CONSOLE}/traces?${new URLSearchParams({ eid, tool })}`;
  return html`${n}; <a href=${calling}>those that call ${breakable(cut(tool, 60))}</a>`;
}

function settle({ id, value }: Value): ComponentChild {
  return html`<select name=${id} aria-label="Settle ${cut(value, 80)}">${WAYS.map((way) => html`<option value=${way}>${way}</option>`)}</select>`;
}

/** The tools that evidence showed, by what a reader by rule calls their act. */
async function toolsByAct({ ctx: { store } }: Visit): Promise<ReadonlyMap<string, string>> {
  const tools = new Map<string, string>();
  for await (const { name } of everyRow((page) => store.records.list(SeenOperation, page)))
    tools.set(actOf(name), name);
  return tools;
}

import { html } from "htm/preact";
import { TOLD_BY_RULE } from "../../../chapters/findings/modes/shows-failure.ts";
import { counted, cut, inWords, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { errorsOf } from "../../../chapters/findings/viewer/trace.ts";
import { lookBack } from "../../../chapters/online/look-back.ts";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { LOOKED_AT } from "./gathered.ts";
import { filterChoice, filterForm, textOf } from "./query.ts";
import { pickTrace, ticksForm } from "./trace-ticks.ts";

const PLACE = "/traces/showing";

/** The newest traces of a system in which a rule finds a failure. */
export const shownTraces: readonly ConsoleRoute[] = [shows(PLACE, showing)];

async function showing(visit: Visit): Promise<View> {
  const { surfaces } = await visit.call<{ surfaces: readonly { readonly name: string }[] }>("surfaces_list", {
    limit: 200,
  });
  const rules: readonly string[] = [...TOLD_BY_RULE];
  const asked = { rule: textOf(visit, "rule", 100), system: textOf(visit, "system", 200) };
  const rule = rules.find((each) => each === asked.rule) ?? rules[0] ?? "";
  const system = surfaces.find(({ name }) => name === asked.system)?.name ?? surfaces[0]?.name;
  const title = `Traces that show “${inWords(rule)}”`;
  const base = { v: 1 as const, title, made_at: visit.ctx.now(), sections: [] };
  const ways = html`<p class="ways"><a href="${CONSOLE}/traces">All traces</a> <a href="${CONSOLE}/failure-modes">Failure modes</a></p>`;
  if (system === undefined) return { doc: base, lead: [ways, html`<p>No system is known yet.</p>`] };
  const { traces: looked, found } = await lookBack(visit.ctx, system, LOOKED_AT);
  const ids = (found.get(rule) ?? []).map((each) => each.slice(each.indexOf("/") + 1));
  const stored = (await Promise.all(ids.map((id) => visit.ctx.store.traces.get(id)))).filter((each) => !!each);
  const labels = await visit.ctx.store.records.getMany(Label, ids.map(labelId));
  const labelled = new Map(labels.map(({ trace, polarity }) => [trace, polarity === "positive" ? "right" : "wrong"]));
  const form = filterForm(PLACE, { query: new URLSearchParams({ rule, system }) }, [
    filterChoice(
      { query: new URLSearchParams({ rule }) },
      "rule",
      "Failure",
      rules.map((value) => ({ value, text: inWords(value) })),
    ),
    filterChoice(
      { query: new URLSearchParams({ system }) },
      "system",
      "System",
      surfaces.map(({ name }) => ({ value: name, text: cut(name, 60) })),
    ),
  ]);
  const list = ticksForm(
    stored.map(({ id }) => id),
    table(
      "Newest first. A request opens its trace, step by step.",
      [
        { name: "Pick", pick: true },
        { name: "Request", wide: true },
        { name: "Started (UTC)" },
        { name: "Answer", wide: true },
        { name: "Label" },
        { name: "Calls", n: true },
        { name: "Errors", n: true },
      ],
      stored.map(({ id, evidence, trace }) => [
        pickTrace(id, trace.request),
        html`<a href=${pathOf({ page: "trace", id: `${evidence}/${id}` })}>${cut(trace.request, 110) || "no request"}</a>`,
        trace.started_at === undefined ? "" : minuteOf(trace.started_at),
        cut(trace.final_answer ?? "", 90),
        labelled.get(id) ?? "",
        trace.calls.length,
        errorsOf(trace) || "",
      ]),
    ),
  );
  return {
    doc: {
      ...base,
      verdict: {
        text: `${stored.length} of the newest ${counted(looked, "trace")} of ${cut(system, 60)}: a rule finds “${inWords(rule)}”.`,
        tone: stored.length === 0 ? "plain" : "warn",
        tier: "deterministic",
        how: "Rules read calls, answers and the final answer of a stored trace; no model is asked.",
      },
    },
    lead: [ways, form, stored.length > 0 && list],
  };
}

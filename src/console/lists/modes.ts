import { html } from "htm/preact";
import { NEWEST as MODE_RUNS, triesOfModes } from "../../../chapters/findings/modes/mode-trials.ts";
import type { modeView } from "../../../chapters/findings/modes/mode-view.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords } from "../../../chapters/findings/pages/words.ts";
import { allRows, type PageInput, sliceOf } from "../../../chapters/page.ts";
import { ModeStatus } from "../../../chapters/records/evidence/feedback.ts";
import { FailureModeProposal } from "../../../chapters/records/findings/findings.ts";
import type { Tier } from "../../../chapters/tier.ts";
import { block, longField, postForm } from "../forms.ts";
import { pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { needed, type Visit } from "../visit.ts";
import { csvFile, listEnd } from "./csv.ts";
import { gathered } from "./gathered.ts";
import {
  atStart,
  filterChoice,
  filterForm,
  filterText,
  type ListOrder,
  older,
  oneOf,
  orderChoice,
  orderOf,
  textOf,
} from "./query.ts";

const PLACE = "/failure-modes";

interface Modes {
  readonly failure_modes: readonly ReturnType<typeof modeView>[];
  readonly tier: Tier;
  readonly next?: string;
}

/** What goes wrong: every failure mode, and the way to report one. */
export const modeLists: readonly ConsoleRoute[] = [
  shows(PLACE, modes),
  csvFile(
    PLACE,
    "failure-modes",
    ["failure_mode", "title", "behaviour", "status", "trials", "traces", "tasks"],
    async (visit, cursor) => {
      const { rows: found, next } = await fittingModes(visit, { cursor, limit: FILE_ROWS });
      const tries = await triesOfModes(visit.ctx, found);
      const rows = found.map((mode, i) => [
        ...[mode.id, mode.title, mode.behaviour, mode.status],
        ...[tries[i]?.length ?? 0, tracesOf(mode), mode.tasks.length],
      ]);
      return { rows, next };
    },
  ),
  does(`${PLACE}/made`, async (visit) => {
    const behaviour = needed(visit, "behaviour");
    const title = atStart(inWords(behaviour));
    const { failure_modes: made } = await visit.call<Modes>("failure_modes_post", {
      title,
      behaviour,
      by: visit.member.name,
    });
    return { to: pathOf({ page: "mode", id: made[0]?.id ?? "" }) };
  }),
  does(PLACE, async (visit) => {
    await visit.call("failure_mode_proposals_post", { text: needed(visit, "text"), author: visit.member.name });
    return { to: "/console/proposals" };
  }),
];

/** Rows of a file that are read at a time. */
const FILE_ROWS = 1_000;

type Mode = Modes["failure_modes"][number];
const ORDERS = {
  newest: { text: "newest first", by: (a, b) => older(b, a) },
  oldest: { text: "oldest first", by: older },
  traces: { text: "most traces first", by: (a, b) => tracesOf(b) - tracesOf(a) },
  tasks: { text: "most tasks first", by: (a, b) => b.tasks.length - a.tasks.length },
  title: { text: "by name", by: (a, b) => a.title.localeCompare(b.title, "en") },
} satisfies Record<string, ListOrder<Mode>>;

/** A page of the failure modes that fit the query string, in its order, and all that there are. */
async function fittingModes(visit: Visit, page: PageInput) {
  let tier: Tier = "human";
  const all = await allRows(async (read) => {
    const { failure_modes: items, next, ...of } = await visit.call<Modes>("failure_modes", { ...read });
    tier = of.tier;
    return { items: [...items], ...(next === undefined ? {} : { next }) };
  });
  const status = oneOf(visit, "status", ModeStatus.options);
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter((mode) => {
    const text = `${mode.title}\n${mode.behaviour ?? ""}`.toLowerCase();
    return (status === undefined || mode.status === status) && words.every((word) => text.includes(word));
  });
  const order = orderOf(visit, ORDERS);
  const { items: rows, next } = sliceOf(fits.sort(order.by), page);
  return { all, rows, order, tier, next };
}

/** Traces that are known to show a mode. */
function tracesOf({ cites, reported }: Mode): number {
  return new Set([...cites.flatMap(({ trace, session }) => trace ?? session ?? []), ...reported]).size;
}

async function modes(visit: Visit) {
  const { all, rows, order, tier, next } = await fittingModes(visit, {
    cursor: visit.query.get("cursor") ?? undefined,
  });
  const waiting = await visit.ctx.store.records.count(FailureModeProposal, { state: "proposed" });
  const tries = await triesOfModes(visit.ctx, rows);
  const doc: PageDoc = {
    v: 1,
    title: "Failure modes",
    made_at: visit.ctx.now(),
    ...(all.length === 0 || next !== undefined || visit.query.has("cursor")
      ? {}
      : { verdict: modesVerdict(all, tier) }),
    sections: [
      rows.length === 0
        ? {
            show: "text",
            paragraphs: [
              all.length > 0
                ? "None fits. Take a filter away."
                : "Nobody has recorded a failure mode. What failed is gathered below: make one of it, note one on the page of a trial or a trace that shows it, or report one.",
            ],
          }
        : {
            show: "table",
            caption: `${atStart(order.text)}, with the trials and traces that show each (trials of agents among the newest ${MODE_RUNS} runs by their root cause) and the tasks that hold agents to it.`,
            tier,
            columns: [
              { name: "What goes wrong", kind: "wide" },
              { name: "Behaviour" },
              { name: "Status" },
              { name: "Trials", kind: "number" },
              { name: "Traces", kind: "number" },
              { name: "Tasks", kind: "number" },
              { name: "How it stands", kind: "wide" },
            ],
            rows: rows.map((mode, i) => [
              { text: cut(mode.title, 200), link: { page: "mode", id: mode.id } },
              mode.behaviour?.replaceAll("_", " ") ?? "not classified",
              mode.status,
              tries[i]?.length ?? 0,
              tracesOf(mode),
              mode.tasks.length,
              mode.line,
            ]),
          },
    ],
  };
  const lead = [
    html`<p><a href="/console/proposals">${waiting === 0 ? "What was proposed" : `Settle ${counted(waiting, "proposal")}`}</a></p>`,
    all.length > 0 &&
      filterForm(PLACE, visit, [
        filterText(visit, "q", "Words"),
        filterChoice(visit, "status", "Stands", [
          { value: "", text: "any" },
          ...ModeStatus.options.map((value) => ({ value, text: value })),
        ]),
        orderChoice(visit, ORDERS),
      ]),
  ];
  const add = block(
    "Report one",
    postForm(visit, PLACE, "Propose it", longField("text", "What goes wrong, in your words", { rows: 3 }), {
      plain: true,
    }),
    html`<p class="soft">Rules read its behaviour and tool from your words; it counts once it is confirmed.</p>`,
  );
  return { doc, lead, forms: [all.length > 0 && listEnd(PLACE, visit, next), await gathered(visit, all), add] };
}

function modesVerdict(all: Modes["failure_modes"], tier: Tier): NonNullable<PageDoc["verdict"]> {
  const stand = all.filter(({ status }) => status !== "retired" && status !== "fixed");
  const open = stand.filter(({ tasks }) => tasks.length === 0).length;
  return {
    text: `${counted(stand.length, "failure mode")} ${stand.length === 1 ? "stands" : "stand"}${open === 0 ? "" : `; no task holds agents to ${open === stand.length ? (open === 1 ? "it" : "them") : `${open} of them`}`}.`,
    tone: open === 0 ? "plain" : "warn",
    tier,
    how: "Those that are fixed or retired do not stand.",
  };
}

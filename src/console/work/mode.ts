import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { findMode } from "../../../chapters/findings/modes/find-modes.ts";
import { storedTraces } from "../../../chapters/findings/modes/mode-sessions.ts";
import { behaviourOf } from "../../../chapters/findings/modes/mode-trials.ts";
import { GENERATABLE } from "../../../chapters/findings/modes/mode-view.ts";
import { TOLD_BY_RULE } from "../../../chapters/findings/modes/shows-failure.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { cut, inWords } from "../../../chapters/findings/pages/words.ts";
import { modePage } from "../../../chapters/findings/viewer/mode.ts";
import type { ModeDoc } from "../../../chapters/modes/record-modes.ts";
import { ModeStatus } from "../../../chapters/records/evidence/feedback.ts";
import { CAUSE_WORDS } from "../../../chapters/runs/compare/compare-verdict.ts";
import { block, choice, postForm } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { showingPath } from "../lists/gathered.ts";
import { queuePath } from "../lists/trace-ticks.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { noteForm } from "./notes.ts";

const PATH = "/failure-modes/:mid";
/** Traces of a mode that are labelled one after another, and systems whose traces are looked through for it. */
const QUEUE = 50;
const SYSTEMS = 5;

interface Proposals {
  readonly buckets: readonly { readonly id: string; readonly label: string }[];
}
interface Confirmed {
  readonly job: string | null;
  readonly note: string;
  readonly stored_as: readonly string[];
}

/** A failure mode, and what is done about it: tasks that hold agents to it, a run on them, another status. */
export const modePages: readonly ConsoleRoute[] = [
  shows(PATH, (visit) => page(visit)),
  does(`${PATH}/status`, async (visit) => {
    await visit.call("failure_modes_patch", { mid: visit.param("mid"), status: needed(visit, "status") });
    return { to: own(visit) };
  }),
  does(`${PATH}/tasks`, async (visit) => {
    const mode = await findMode(visit.ctx, visit.param("mid"));
    // Its own report is proposed again, and confirmed for this mode: that writes the tasks.
    const { proposal } = await visit.call<{ proposal: { id: string } }>("failure_mode_proposals_post", {
      report: mode.note,
    });
    const { job, note, stored_as } = await visit.call<Confirmed>("confirm_failure_mode", {
      pid: proposal.id,
      title: mode.title,
      behaviour: needed(visit, "behaviour"),
      bucket: needed(visit, "bucket"),
      count: Number(field(visit, "count") ?? "6"),
      by: visit.member.name,
    });
    if (job !== null) return { to: `${CONSOLE}/jobs/${encodeURIComponent(job)}` };
    if (stored_as.length > 0) return { to: own(visit) };
    return page(visit, html`<p role="status" class="verdict is-warn">${note}</p>`);
  }),
];

function own(visit: Visit): string {
  return `${CONSOLE}/failure-modes/${encodeURIComponent(visit.param("mid"))}`;
}

async function page(visit: Visit, told: ComponentChild = null): Promise<View> {
  const mid = visit.param("mid");
  const [doc, mode] = [await modePage(visit.ctx, mid), await findMode(visit.ctx, mid)];
  const place = `/failure-modes/${encodeURIComponent(mid)}`;
  const status = choice(
    "status",
    "Status",
    ModeStatus.options.map((value) => ({ value, text: value })),
    mode.status,
  );
  return {
    doc,
    lead: [told, await looking(visit, mode, doc), await writeForm(visit, mode), ways(mode)],
    forms: [
      await noteForm(visit, "failure_mode", mid),
      block("Change how it stands", postForm(visit, `${place}/status`, "Change", status, { row: true, plain: true })),
    ],
  };
}

/**
 * Where a mode is looked for: the traces in which a rule finds its behaviour, else those that call its tool; and the traces
 * that are known to show it, one after another, to be labelled.
 */
async function looking(visit: Visit, mode: ModeDoc, { sections }: PageDoc): Promise<ComponentChild> {
  const { status, target, cites, reported } = mode;
  if (status === "retired") return null;
  const behaviour = await behaviourOf(visit.ctx, mode);
  const named = [...new Set([...cites.flatMap(({ trace, session }) => trace ?? session ?? []), ...reported])];
  const stored = [...(await storedTraces(visit.ctx, named.slice(0, QUEUE))).values()].map(({ id }) => id);
  const label =
    stored.length > 0 && html`<p><a href=${queuePath([...new Set(stored)])}>Label its traces one after another</a></p>`;
  if (behaviour !== undefined && TOLD_BY_RULE.has(behaviour)) {
    const { surfaces } = await visit.call<{ surfaces: readonly { readonly name: string }[] }>("surfaces_list", {
      limit: SYSTEMS,
    });
    const links = surfaces.map(
      ({ name }) => html`<a href=${showingPath(behaviour, name)}>Look for it in traces of ${cut(name, 40)}</a> `,
    );
    return [label, html`<p class="ways">${links}</p>`];
  }
  const shown = sections.some(({ heading }) => heading === "Trials" || heading === "Traces");
  if (shown) return label;
  const calls = target?.tool === undefined ? "" : `?${new URLSearchParams({ tool: target.tool })}`;
  const none = behaviour === undefined ? "" : ` No rule finds “${inWords(behaviour)}” in traces.`;
  return [
    label,
    html`<p><a href="${CONSOLE}/traces${calls}">Look for it in traces</a>, and note it on the page of one that shows it.${none}</p>`,
  ];
}

/** Where agents are tried on what holds them to the mode. */
function ways({ tasks, status }: ModeDoc): ComponentChild {
  const on = [...new Set(tasks.map(({ environment }) => environment))];
  const start = (env: string) => `${CONSOLE}/start?environment=${encodeURIComponent(env)}`;
  return html`
    <p class="ways">
      ${on.length > 0 && status !== "retired" && html`<a href=${start(on.at(-1) ?? "")}>Run an agent on its tasks</a> `}
      <a href="${CONSOLE}/failure-modes">All failure modes</a>
    </p>
  `;
}

/** Tasks that hold agents to the mode: rules write them for some behaviours, onto a live sandbox. */
async function writeForm(visit: Visit, mode: ModeDoc): Promise<ComponentChild> {
  const { id, bucket, tasks, status } = mode;
  if (tasks.length > 0 || status === "retired") return null;
  const behaviour = await behaviourOf(visit.ctx, mode);
  if (behaviour !== undefined && !GENERATABLE.includes(behaviour))
    return html`<p>Rules write no tasks for “${inWords(behaviour)}”. <a href="${CONSOLE}/start">Run an agent</a>: its trials that fail so are listed here.</p>`;
  const { buckets } = await visit.call<Proposals>("failure_mode_proposals_list", { limit: 1 });
  const form =
    buckets.length === 0
      ? html`<p>No live sandbox is there to put them on: <a href="${CONSOLE}/surfaces">systems</a>.</p>`
      : postForm(
          visit,
          `/failure-modes/${encodeURIComponent(id)}/tasks`,
          "Write tasks",
          [
            choice(
              "behaviour",
              "Behaviour",
              [
                ...(behaviour === undefined ? [{ value: "", text: "choose one" }] : []),
                ...GENERATABLE.map((value) => ({ value, text: `${inWords(value)}: it ${CAUSE_WORDS[value]}` })),
              ],
              behaviour ?? "",
            ),
            choice(
              "bucket",
              "Tasks go on",
              buckets.map((each) => ({ value: each.id, text: cut(each.label, 60) })),
              bucket,
            ),
            choice(
              "count",
              "Tasks to write",
              ["5", "6", "7", "8"].map((value) => ({ value, text: value })),
              "6",
            ),
          ],
          { row: true },
        );
  return [
    form,
    html`<p class="soft">Rules write tasks in which this failure shows, and each passes review before it counts. It stands confirmed then.</p>`,
  ];
}

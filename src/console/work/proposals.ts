import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { GENERATABLE } from "../../../chapters/findings/modes/mode-view.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { type ReportedOn, reportedOn } from "../../../chapters/findings/viewer/proposal.ts";
import { RootCause } from "../../../chapters/records/runs/runs.ts";
import type { AnswerClass } from "../../../worlds/tasks/schema.ts";
import { jsonTree } from "../../pages/json-tree.ts";
import { more } from "../findings.ts";
import { block, choice, formRow, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, type View, type Visit } from "../visit.ts";
import { proposedValues, settleValues, valuesForm } from "./values.ts";

interface Modes {
  readonly proposals: readonly {
    readonly id: string;
    readonly title: string;
    readonly text: string;
    readonly author: string;
    readonly created_at: number;
    readonly behaviour?: RootCause;
    readonly behaviour_words: readonly string[];
    readonly bucket?: string;
    readonly report?: string;
    readonly named: readonly string[];
    readonly target?: { readonly tool?: string };
  }[];
  readonly buckets: readonly { readonly id: string; readonly label: string }[];
  readonly next?: string;
}
interface Confirmed {
  readonly mode: { readonly id: string; readonly title: string };
  readonly note: string;
}
interface Ingest {
  readonly queued: boolean;
  readonly proposals: readonly {
    readonly id: string;
    readonly kind: string;
    readonly target: string;
    readonly reason: string;
    readonly created_at: number;
    readonly act: { readonly operation: string };
  }[];
}

/** Characters of a step's call, and of what the agent said, that are quoted. */
const STEP_CHARS = 400;
const PLACE = "/proposals";
const BACK = { to: CONSOLE + PLACE };

/** What the service offers and only a person settles. */
export const proposalPages: readonly ConsoleRoute[] = [
  shows(PLACE, (visit) => proposals(visit)),
  does("/proposals/modes/:pid/confirm", async (visit) => {
    const given = ["title", "behaviour", "bucket"].flatMap((name) => {
      const value = field(visit, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const { mode, note } = await visit.call<Confirmed>("confirm_failure_mode", {
      pid: visit.param("pid"),
      by: visit.member.name,
      ...Object.fromEntries(given),
    });
    const way = pathOf({ page: "mode", id: mode.id });
    return proposals(
      visit,
      html`<p role="status" class="verdict">Confirmed: <a href=${way}>${cut(mode.title, 120)}</a>. ${note}</p>`,
    );
  }),
  does("/proposals/modes/:pid/dismiss", async (visit) => {
    await visit.call("failure_mode_proposals_dismiss", { pid: visit.param("pid"), by: visit.member.name });
    return BACK;
  }),
  does("/proposals/values", async (visit) => {
    await settleValues(visit, (await visit.call<Ingest>("after_ingest_get")).proposals);
    return BACK;
  }),
  does("/proposals/evidence/:pid/accept", async (visit) => {
    await visit.call("after_ingest_accept", { pid: visit.param("pid"), by: visit.member.name });
    return BACK;
  }),
  does("/proposals/evidence/:pid/dismiss", async (visit) => {
    await visit.call("after_ingest_dismiss", { pid: visit.param("pid") });
    return BACK;
  }),
];

async function proposals(visit: Visit, told: ComponentChild = null): Promise<View> {
  const cursor = visit.query.get("cursor");
  const [modes, { queued, proposals }, values] = await Promise.all([
    visit.call<Modes>("failure_mode_proposals_list", {
      state: "proposed",
      limit: 20,
      ...(cursor === null ? {} : { cursor }),
    }),
    visit.call<Ingest>("after_ingest_get"),
    proposedValues(visit),
  ]);
  const offers = proposals.filter(({ kind }) => kind !== "value");
  const on = await Promise.all(modes.proposals.map((each) => reportedOn(visit.ctx, each)));
  const waiting = waits(modes, values.n, offers.length);
  const none = waiting === "";
  const verdict = {
    text: none ? "Nothing waits to be confirmed." : `${waiting}: to be confirmed or dismissed.`,
    ...{ tone: none ? ("plain" as const) : ("warn" as const), tier: "deterministic" as const },
    how: queued
      ? "New evidence has not been looked through yet."
      : "They come from what people note on a trial or a trace, and from new evidence; nothing is done before a person confirms it.",
  };
  const doc: PageDoc = { v: 1, title: "Proposals", made_at: visit.ctx.now(), verdict, sections: [] };
  const lead = [
    told,
    html`<p class="ways"><a href="${CONSOLE}/failure-modes">Failure modes</a> <a href="${CONSOLE}/traces">Traces, to note what you see</a></p>`,
    modes.proposals.map((each, i) => mode(visit, each, modes.buckets, on[i])),
    more(PLACE, modes.next),
    await valuesForm(visit, values),
    offers.map((each) => offer(visit, each)),
  ];
  return { doc, lead };
}

function waits({ proposals, next }: Modes, values: number, offers: number): string {
  const modes = `${counted(proposals.length, "proposed failure mode")}${next === undefined ? "" : " on this page"}`;
  return [
    proposals.length > 0 && modes,
    values > 0 && counted(values, "value read from evidence", "values read from evidence"),
    offers > 0 && counted(offers, "offer"),
  ]
    .filter((part) => part !== false)
    .join(", ");
}

function mode(
  visit: Visit,
  row: Modes["proposals"][number],
  buckets: Modes["buckets"],
  on: ReportedOn | undefined,
): ComponentChild {
  const place = `/proposals/modes/${encodeURIComponent(row.id)}`;
  const { title, text, author, created_at, behaviour, behaviour_words: words } = row;
  const read = buckets.find(({ id }) => id === row.bucket);
  const by = words.length === 0 ? "" : ` Its behaviour was read from the words “${cut(words.join("”, “"), 120)}”.`;
  return block(
    cut(title, 120),
    // A title is read from the report: what is only that is not told twice.
    text.trim() !== title && html`<blockquote>${cut(text, 2_000)}</blockquote>`,
    html`<p class="soft">Said by ${cut(author, 60)}, ${minuteOf(created_at)} UTC.${by}</p>`,
    on === undefined
      ? html`<p>The report names no trace and no trial that is stored here.</p>`
      : [readFrom(on), agreement(behaviour, on.answer)],
    formRow(
      postForm(
        visit,
        `${place}/confirm`,
        "Confirm",
        [
          textField("title", "Another title (may be empty)", { size: 28 }),
          choice(
            "behaviour",
            "Behaviour",
            [
              {
                value: "",
                text: behaviour === undefined ? "choose one" : `suggested: ${behaviourText(behaviour)}`,
              },
              ...RootCause.options.map((value) => ({ value, text: behaviourText(value) })),
            ],
            "",
          ),
          choice(
            "bucket",
            "Tasks go on",
            [
              { value: "", text: read === undefined ? "choose a sandbox" : `suggested: ${cut(read.label, 60)}` },
              ...buckets.map(({ id, label }) => ({ value: id, text: cut(label, 60) })),
            ],
            "",
          ),
        ],
        { row: true, name: `Confirm: ${cut(title, 60)}` },
      ),
      postForm(visit, `${place}/dismiss`, "Dismiss", null, { plain: true, name: `Dismiss: ${cut(title, 60)}` }),
    ),
    html`<p class="soft">Confirming makes it a failure mode, and rules write tasks that hold agents to it on the sandbox, unless no rule does for its behaviour.</p>`,
  );
}

/** A behaviour in words, and that no rule writes tasks for it. */
function behaviourText(name: RootCause): string {
  return `${inWords(name)}${GENERATABLE.includes(name) ? "" : " (no tasks by rule)"}`;
}

/** The step that a report tells of, quoted, and the way to it; where no step is told apart, the way to all of them. */
function readFrom({ link, request, step, said }: ReportedOn): ComponentChild {
  const name = cut(request, 160) || "no request";
  const what = link.page === "trial" ? "a trial" : "a trace";
  if (step === undefined) return html`<p>Read from ${what}: <a href=${pathOf(link)}>${name}</a></p>`;
  const answer = step.values?.find((each) => each.name === "Answer");
  return html`
    <p>Read from ${what}: <a href=${pathOf(link)}>${name}</a></p>
    <div class="quoted">
      ${said !== undefined && html`<p><span class="who">The agent said</span>: ${cut(said, STEP_CHARS)}</p>`}
      <p>${said !== undefined && "After "}<a href="${pathOf(link)}#step-${step.n}">Step ${step.n}</a>: <span class="who">${step.who}</span> ${step.badge !== undefined && html`<span class="badge">${step.badge}</span>`}</p>
      <pre tabindex="0">${cut(step.title, STEP_CHARS)}</pre>
      ${answer && html`<details><summary>What ${step.who} answered</summary>${jsonTree(answer.value, `Answer of step ${step.n}`)}</details>`}
    </div>
  `;
}

/** What the last answer has to be of, for a behaviour that is told of an answer. */
const ANSWERED_AS: Readonly<Record<string, AnswerClass>> = { false_no_data: "said_no_data", over_refusal: "refused" };

/** Whether the words of a report and the answer that it tells of agree, as far as the answer's class says. */
function agreement(behaviour: string | undefined, answer: AnswerClass | undefined): ComponentChild {
  const wanted = ANSWERED_AS[behaviour ?? ""];
  if (wanted === undefined || answer === undefined || behaviour === undefined) return null;
  return wanted === answer
    ? html`<p class="soft">Its last answer is one that ${ANSWERS[answer]}, as “${inWords(behaviour)}” wants it.</p>`
    : html`<p class="warn">The report and the answer differ: “${inWords(behaviour)}” is of an answer that ${ANSWERS[wanted]}, and its last one ${ANSWERS[answer]}. Look before you confirm.</p>`;
}

const ANSWERS: Readonly<Record<AnswerClass, string>> = {
  answered: "answers",
  said_no_data: "says that there is no data",
  refused: "refuses",
  none: "says nothing",
};

/** What may be done with new evidence. */
function offer(visit: Visit, { id, kind, reason, created_at }: Ingest["proposals"][number]): ComponentChild {
  const name = cut(reason, 120);
  const place = `/proposals/evidence/${encodeURIComponent(id)}`;
  return block(
    OFFERS[kind] ?? kind,
    html`<p>${cut(reason, 1_000)}</p>`,
    html`<p class="soft">Offered ${minuteOf(created_at)} UTC. Nothing is done before somebody accepts it.</p>`,
    formRow(
      postForm(visit, `${place}/accept`, "Accept", null, { name: `Accept: ${name}` }),
      postForm(visit, `${place}/dismiss`, "Dismiss", null, { plain: true, name: `Dismiss: ${name}` }),
    ),
  );
}

const OFFERS: Readonly<Record<string, string>> = {
  redraw: "Draw sandboxes again",
  rebuild: "Rebuild a system",
  tasks: "Write tasks",
  reread: "Read documents again",
};

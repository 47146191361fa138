import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { badField } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { cut, inWords, minuteOf, sentence } from "../../../chapters/findings/pages/words.ts";
import { EnvironmentRevision } from "../../../chapters/records/sandboxes/revision.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { liveWork } from "../../../chapters/sandboxes/environments/live-work.ts";
import type { rehearseCheck } from "../../../chapters/sandboxes/tasks/checks.ts";
import { describeCheck } from "../../../chapters/sandboxes/tasks/checks.ts";
import { findTask, type TaskDoc } from "../../../chapters/sandboxes/tasks/task-records.ts";
import { requiredFacts } from "../../../worlds/tasks/checks/fact-checks.ts";
import { table } from "../../pages/html.ts";
import { block, folded, hidden, longField, postForm, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { newestTrials, rateCell, STATUS_TONES, taskPath, writtenBy } from "./review-list.ts";

type Rehearsed = Awaited<ReturnType<typeof rehearseCheck>>;

const PATH = "/sandboxes/:env/tasks/:index";
/** Revisions that are looked at for the newest one of a task. */
const REVISIONS = 50;
const VERDICT_TONE: Readonly<Record<string, string>> = { met: "good", not_met: "bad", not_decided: "warn" };

/** An act on a task: it calls an operation and comes back to the task. */
function act(name: string, work: (visit: Visit, ref: TaskRef) => Promise<unknown>): ConsoleRoute {
  return does(`${PATH}/${name}`, async (visit) => {
    const ref = refOf(visit);
    await work(visit, ref);
    return { to: CONSOLE + taskPath(ref.env_id, ref.index) };
  });
}

/** One task as a reviewer reads it, and what a reviewer does with it. */
export const taskPages: readonly ConsoleRoute[] = [
  shows(PATH, (visit) => task(visit)),
  act("hold", (visit, { env_id, index }) =>
    visit.call("environment_review_hold", {
      env_id,
      index,
      reason: needed(visit, "reason"),
      grader: visit.member.name,
    }),
  ),
  act("rereview", (visit, { env_id, index }) =>
    visit.call("environment_review_rereview", { env_id, indexes: [index], by: visit.member.name }),
  ),
  act("retire", (visit, { env_id, index }) => {
    const reason = field(visit, "reason");
    return visit.call("environment_tasks_retire", {
      env_id,
      indexes: [index],
      by: visit.member.name,
      ...(reason === undefined ? {} : { reason }),
    });
  }),
  act("restore", (visit, { env_id, index }) =>
    visit.call("environment_tasks_restore", { env_id, indexes: [index], by: visit.member.name }),
  ),
  act("turns", (visit, { env_id, index }) => {
    const turns = (visit.form.get("turns") ?? "")
      .split(/\r?\n\s*\r?\n/)
      .map((turn) => turn.trim())
      .filter(Boolean);
    return visit.call("environment_task_turns", { env_id, index, turns, by: visit.member.name });
  }),
  act("correct", (visit, { env_id, index }) => {
    const fact = Number(field(visit, "fact") ?? 0);
    const [literal, also] = [field(visit, "literal"), field(visit, "aliases")];
    if (literal === undefined && also === undefined)
      throw badField("literal", "say what it is, or how else it is said");
    const aliases = also
      ?.split("\n")
      .map((each) => each.trim())
      .filter(Boolean);
    return visit.call("environment_review_correct", {
      env_id,
      index,
      fact,
      ...(literal === undefined ? {} : { literal: literalOf(literal, needed(visit, "type")) }),
      ...(aliases === undefined ? {} : { aliases }),
      grader: visit.member.name,
    });
  }),
  act("again", (visit, { env_id, index }) =>
    visit.call("environment_review_regenerate", { env_id, indexes: [index], by: visit.member.name }),
  ),
  act("undo", (visit, { env_id }) =>
    visit.call("environment_revision_restore", { env_id, rev: needed(visit, "rev"), by: visit.member.name }),
  ),
  does(`${PATH}/rehearse`, async (visit) => {
    const n = Number(needed(visit, "n"));
    const told = await visit.call<Rehearsed>("environment_check_rehearse", { ...refOf(visit), n });
    return task(visit, rehearsal(told));
  }),
];

interface TaskRef {
  readonly env_id: string;
  readonly index: number;
}

/** The task that an address names; one that is no number names none. */
export function refOf(visit: Visit): TaskRef {
  const index = visit.param("index");
  return { env_id: visit.param("env"), index: /^\d{1,9}$/.test(index) ? Number(index) : -1 };
}

/** What was typed, as a value of the type that the fact has. */
function literalOf(text: string, type: string): string | number | boolean {
  if (type === "number") {
    const value = Number(text);
    if (!Number.isFinite(value)) throw badField("literal", "this fact is a number");
    return value;
  }
  if (type !== "boolean") return text;
  if (text !== "true" && text !== "false") throw badField("literal", "this fact is true or false");
  return text === "true";
}

async function task(visit: Visit, told?: ComponentChild): Promise<View> {
  const ref = refOf(visit);
  const row = await findTask(visit.ctx, ref.env_id, ref.index);
  const environment = await findEnvironment(visit.ctx, ref.env_id);
  const [undo, around, live] = await Promise.all([
    newestRevision(visit, ref),
    neighbours(visit, ref),
    liveWork(visit.ctx, environment),
  ]);
  const { task: of, status, reason } = row;
  const proof = row.verdicts.find(({ name }) => name === "discriminating");
  const why = reason ?? (status === "certified" && proof !== undefined ? proof.reason : undefined);
  const doc: PageDoc = {
    v: 1,
    title: `Task ${row.index}: ${cut(of.request, 90)}`,
    made_at: visit.ctx.now(),
    sections: [],
  };
  const tone = STATUS_TONES[status] === "soft" ? "plain" : STATUS_TONES[status];
  const played = (await newestTrials(visit, [row])).get(row.id);
  const lead = [
    html`
      <p class="ways" data-island="keys">
        ${around.before !== undefined && html`<a data-key="k" href=${CONSOLE + taskPath(ref.env_id, around.before)}>Previous task</a> `}
        ${around.after !== undefined && html`<a data-key="j" href=${CONSOLE + taskPath(ref.env_id, around.after)}>Next task</a> `}
        <a href="${CONSOLE}/review?env=${encodeURIComponent(ref.env_id)}">All tasks of this sandbox</a>
        ${" "}<a href="${CONSOLE}/tasks/${encodeURIComponent(ref.env_id)}/${encodeURIComponent(row.id)}">Every run of it</a>
        ${played !== undefined && html` <span>met in its newest run: ${rateCell(played)}</span>`}
      </p>
    `,
    html`<p class="verdict is-${tone}">It is ${status}${why === undefined ? "." : `: ${sentence(cut(why, 500))}`}</p>`,
    html`<p class="tier">${inWords(of.family)}, in ${cut(environment.label, 60)}; written ${writtenBy(row)}. ${STANDS_FOR[status]}</p>`,
    live !== undefined && html`<p role="status">${whyLocked(live)}</p>`,
    told,
    block(
      "What the user says",
      html`<blockquote>${of.request}</blockquote>`,
      of.turns.map((turn) => html`<blockquote>${turn}</blockquote>`),
    ),
    checks(visit, ref, row),
    verdicts(row),
    block(
      "The script that solves it",
      html`<pre tabindex="0">${of.script.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("\n") || "It calls nothing."}</pre>`,
      of.script.answer !== "" && html`<blockquote>${of.script.answer}</blockquote>`,
    ),
  ];
  return { doc, lead, forms: controls(visit, ref, row, { undo, live }) };
}

function checks(visit: Visit, ref: TaskRef, { task: of }: TaskDoc): ComponentChild {
  return block(
    "Checks",
    table(
      "What decides whether it was met. A rehearsal plays right and wrong trials against one check.",
      [{ name: "Check" }, { name: "Try it" }, { name: "What it decides", wide: true }],
      of.checks.map((check, n) => [
        inWords(check.kind),
        postForm(visit, `${taskPath(ref.env_id, ref.index)}/rehearse`, "Rehearse", hidden("n", String(n)), {
          plain: true,
          name: `Rehearse check ${n + 1}`,
        }),
        describeCheck(check, of),
      ]),
    ),
  );
}

function rehearsal({ check, rows }: Rehearsed): ComponentChild {
  const wrong = rows.filter(({ right, verdict }) => (verdict === "met") !== right).length;
  return html`
    <section role="status">
      <h2>Rehearsal of ${check}</h2>
      ${table(
        `Each trial with what this check alone says of it; ${wrong === 0 ? "it tells all of them right" : `${wrong} of ${rows.length} are for other checks to tell`}.`,
        [{ name: "Trial" }, { name: "Is" }, { name: "Verdict" }, { name: "Why", wide: true }],
        rows.map(({ name, right, verdict, reason }) => [
          name.replaceAll("_", " "),
          right ? "right" : "wrong",
          html`<span class=${VERDICT_TONE[verdict]}>${verdict.replaceAll("_", " ")}</span>`,
          cut(reason, 300),
        ]),
      )}
    </section>
  `;
}

function verdicts({ verdicts: all }: TaskDoc): ComponentChild {
  if (all.length === 0) return block("Review", html`<p>Nobody has reviewed it yet.</p>`);
  return block(
    "Review",
    table(
      "What the review proved, and what got past the checks.",
      [{ name: "Proof" }, { name: "Verdict" }, { name: "Why", wide: true }, { name: "Got past", wide: true }],
      all.map(({ name, passed, reason, survivors }) => [
        name,
        html`<span class=${passed ? "good" : "bad"}>${passed ? "passed" : "failed"}</span>`,
        cut(reason, 400),
        cut(survivors.map((each) => `${each.name}: ${each.detail}`).join("; "), 400),
      ]),
    ),
  );
}

/** What each status means for runs. */
const STANDS_FOR: Readonly<Record<TaskDoc["status"], string>> = {
  draft: "It counts once a review has proven its checks.",
  certified: "It counts in runs.",
  held: "It counts in no run until a review lets it go.",
  refused: "It counts in no run: a proof failed.",
  retired: "Runs leave it out.",
};

type Revision = Awaited<ReturnType<typeof newestRevision>>;

/** The newest revision that changed this task and still stands: what an undo takes back. */
async function newestRevision(visit: Visit, { env_id, index }: TaskRef) {
  const { items } = await visit.ctx.store.records.list(EnvironmentRevision, {
    where: { environment: env_id },
    limit: REVISIONS,
  });
  return items.find(({ changed, state }) => state === "applied" && changed.includes(index));
}

/** The tasks before and after this one that stand. */
async function neighbours(visit: Visit, { env_id, index }: TaskRef) {
  const there = async (at: number) => {
    if (at < 0) return undefined;
    const found = await findTask(visit.ctx, env_id, at).catch(() => undefined);
    return found === undefined ? undefined : at;
  };
  const [before, after] = await Promise.all([there(index - 1), there(index + 1)]);
  return { before, after };
}

type Live = Awaited<ReturnType<typeof liveWork>>;

/** What keeps a sandbox's tasks from being changed: what works on it or waits to, with the way there. */
function whyLocked({ job, work, group, held }: NonNullable<Live>): ComponentChild {
  const href =
    group === undefined
      ? `${CONSOLE}/jobs/${encodeURIComponent(job)}`
      : `${CONSOLE}/groups/${encodeURIComponent(group)}/live`;
  const link = html`<a href=${href}>${work}</a>`;
  return held === undefined
    ? html`${link} works on this sandbox: what its tasks say and ask for can be changed when it has ended.`
    : html`${link} on this sandbox is held (${cut(held, 160).replace(/\.$/, "")}): what its tasks say and ask for can be changed when it has been played or stopped.`;
}

function controls(
  visit: Visit,
  ref: TaskRef,
  row: TaskDoc,
  { undo, live }: { readonly undo: Revision; readonly live: Live },
): ComponentChildren {
  const place = taskPath(ref.env_id, ref.index);
  const admin = visit.member.role === "admin";
  const form = (name: string, button: string, children: ComponentChildren) =>
    postForm(visit, `${place}/${name}`, button, children, { plain: true });
  if (row.status === "retired")
    return block(
      "Put it back",
      admin ? form("restore", "Restore the task", null) : html`<p>An admin can restore it.</p>`,
    );
  const facts = requiredFacts(row.task.checks);
  // A form that would be refused now is left out, as the notice above says; one that was refused stands, as it was filled in.
  const locked = live !== undefined && visit.refused === undefined;
  const open = (of: () => ComponentChild) => (locked ? null : of());
  const changes = [
    row.status !== "held" &&
      folded("Hold it", form("hold", "Hold", textField("reason", "Why it must not count", { required: true }))),
    open(() =>
      folded(
        "Change what the user says next",
        form("turns", "Save the turns", [
          longField("turns", "One turn a paragraph; an empty field takes all away", {
            value: row.task.turns.join("\n\n"),
            rows: 4,
            required: false,
          }),
        ]),
      ),
    ),
    facts.length > 0 &&
      open(() =>
        folded(
          facts.length === 1
            ? "Correct the fact that it asks for"
            : `Correct one of the ${facts.length} facts that it asks for`,
          facts.map((fact, n) =>
            form("correct", "Correct", [
              hidden("fact", String(n)),
              hidden("type", typeof fact.value),
              textField("literal", `It is now: ${cut(String(fact.value), 100)}. It really is (empty: as it stands)`),
              longField("aliases", "Other ways to say it, one a line", { rows: 2, required: false }),
            ]),
          ),
        ),
      ),
    admin &&
      postForm(visit, `${place}/retire`, "Retire the task", textField("reason", "Why (may be empty)"), {
        removes: "Runs leave it out from now on. What ran it keeps its trials, and an admin can restore it.",
      }),
  ];
  return [
    undo !== undefined &&
      open(() =>
        block(
          "Undo",
          html`<p>The last change: ${undo.act.replaceAll("_", " ")}, ${minuteOf(undo.created_at)} UTC, by ${undo.by}${undo.reason === undefined ? "." : `: ${sentence(cut(undo.reason, 200))}`}</p>`,
          form("undo", "Undo it", hidden("rev", undo.id)),
        ),
      ),
    row.status === "held" &&
      block(
        "Review it again",
        html`<p>A review lets it go where it passes.</p>`,
        form("rereview", "Review again", null),
      ),
    row.status === "refused" &&
      open(() =>
        block(
          "Write it again",
          html`<p>Another task of its family takes its place, after a review.</p>`,
          form("again", "Write again", null),
        ),
      ),
    changes.some(Boolean) && block("Change it", changes),
  ];
}

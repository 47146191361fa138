import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badRequest } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, metOf } from "../../../chapters/findings/pages/words.ts";
import { everyRow, sliceOf } from "../../../chapters/page.ts";
import type { Doc } from "../../../chapters/record.ts";
import { playerName, Run, type TrialRow } from "../../../chapters/records/runs/runs.ts";
import { Environment, TaskRecord, TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { trialsOfRun } from "../../../chapters/runs/trials/trial-rows.ts";
import { Family } from "../../../worlds/tasks/schema.ts";
import { table } from "../../pages/html.ts";
import { choice, folded, getForm, hidden, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { csvFile, listEnd } from "../lists/csv.ts";
import { filterChoice, filterForm, filterText, oneOf, textOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { firstEvidence } from "./send.ts";

const PLACE = "/review";
/** Sandboxes that can be chosen. */
const CHOICES = 200;

const SORTS = ["oldest", "newest", "held", "least", "most", "family"] as const;
const SORT_WORDS: Readonly<Record<(typeof SORTS)[number], string>> = {
  oldest: "oldest first",
  newest: "newest first",
  held: "those that wait first",
  least: "met least first",
  most: "met most first",
  family: "by family",
};
/** What waits for a person first. */
const STANDS: readonly (typeof TaskStatus.options)[number][] = ["held", "draft", "refused", "certified", "retired"];

/** Tasks of every sandbox, to be looked at by a person. */
export const reviewLists: readonly ConsoleRoute[] = [
  shows(PLACE, list),
  csvFile(
    PLACE,
    "tasks",
    ["task", "sandbox", "sandbox_name", "number", "request", "family", "status", "reason", "met", "valid"],
    async (visit, cursor) => {
      const { found, labels } = await tasksOf(visit);
      const { items, next } = sliceOf(found, { cursor, limit: 1_000 });
      const played = await newestTrials(visit, items);
      const rows = items.map(({ id, environment, index, task, status, reason }) => {
        const { met, valid } = rateOf(played.get(id)?.trials);
        const stands = [environment, labels.get(environment), index, task.request, task.family, status, reason];
        return [id, ...stands, ...(valid === 0 ? [] : [met, valid])];
      });
      return { rows, next };
    },
  ),
  does("/review/ticked", ticked),
];

/** Holds, retires or reviews again every task that is ticked, sandbox by sandbox. */
async function ticked(visit: Visit): Promise<View> {
  const by = visit.member.name;
  const [way, reason] = [needed(visit, "do"), field(visit, "reason")];
  const picked = visit.form.getAll("t");
  const chosen = picked.map((each) => each.split("/"));
  if (chosen.length === 0) throw badRequest("No task was ticked.");
  if (way === "run") return { to: `${CONSOLE}/start?${new URLSearchParams({ picked: picked.join(",") })}` };
  for (const [env_id = "", of] of Map.groupBy(chosen, ([env]) => env)) {
    const indexes = of.map(([, index]) => Number(index));
    const why = reason === undefined ? {} : { reason };
    if (way === "retire") await visit.call("environment_tasks_retire", { env_id, indexes, by, ...why });
    else if (way === "rereview") await visit.call("environment_review_rereview", { env_id, indexes, by });
    else
      for (const index of indexes)
        await visit.call("environment_review_hold", { env_id, index, reason: needed(visit, "reason"), grader: by });
  }
  return { to: CONSOLE + PLACE };
}

/** Sandboxes of one page whose runs are looked through. */
const SANDBOXES = 5;
/** Newest runs of a sandbox among which those of a task are looked for, and runs whose trials are read. */
const LOOKED_THROUGH = 20;
const READ = 4;

/** How the newest run that played a task did on it, and who played. */
interface Played {
  readonly trials: readonly TrialRow[];
  readonly player: string;
}

/** How the newest run that played each of these tasks did on it, by task; runs of agents before those of built-in players. */
export async function newestTrials({ ctx }: Visit, rows: readonly Doc<typeof TaskRecord>[]) {
  const found = new Map<string, Played>();
  const ofSandbox = Map.groupBy(rows, ({ environment }) => environment);
  for (const [environment, tasks] of [...ofSandbox].slice(0, SANDBOXES)) {
    const open = new Set(tasks.map(({ id }) => id));
    const { items } = await ctx.store.records.list(Run, { where: { environment }, limit: LOOKED_THROUGH });
    const runs = items.toSorted((a, b) => Number(a.player.harness !== null) - Number(b.player.harness !== null));
    let read = 0;
    for (const run of runs) {
      if (read === READ) break;
      if (!run.tasks.some(({ id }) => open.has(id))) continue;
      read += 1;
      for (const [task, trials] of Map.groupBy(await trialsOfRun(ctx, run), ({ task }) => task))
        if (rateOf(trials).valid > 0 && open.delete(task)) found.set(task, { trials, player: playerName(run.player) });
    }
  }
  return found;
}

function rateOf(trials: readonly TrialRow[] = []) {
  const met = trials.filter(({ end }) => end === "met").length;
  return { met, valid: met + trials.filter(({ end }) => end === "failed").length };
}

/** How often a task was met, and the first of its trials that failed, else its first; undefined where none is valid. */
export function rateOfTask({ trials }: Pick<Played, "trials"> = { trials: [] }) {
  const rate = rateOf(trials);
  // What went wrong is looked for first.
  const first = trials.find(({ end }) => end === "failed") ?? trials[0];
  if (rate.valid === 0 || first === undefined) return undefined;
  return { ...metOf(rate), link: { page: "trial" as const, id: `${first.run}/${first.task}/${first.n}` } };
}

/** The same as a link, with who played. */
export function rateCell(played: Played | undefined): ComponentChild {
  const rate = rateOfTask(played);
  if (rate === undefined || played === undefined) return "";
  return html`<a class=${rate.tone} href=${pathOf(rate.link)}>${rate.text}</a> <span class="soft">${cut(played.player, 30)}</span>`;
}

/** Met of valid trials of the newest run, 0 to 1; undefined where nothing valid was played. */
function shareMet(played: Played | undefined): number | undefined {
  const { met, valid } = rateOf(played?.trials);
  return valid === 0 ? undefined : met / valid;
}

/** Who wrote a task, and what it was read off, which opens. */
export function writtenBy(row: Pick<Doc<typeof TaskRecord>, "task" | "by" | "environment" | "index">): ComponentChild {
  const { task, by, environment, index } = row;
  if (task.tier === "human") return `by ${cut(by, 40)}`;
  const { runs, rewarded = false } = task.rests_on ?? {};
  const read =
    runs === undefined
      ? ""
      : html`, <a href="${CONSOLE}${taskPath(environment, index)}/sessions">read off ${counted(runs, "session")}</a>${rewarded ? " that a source rewarded" : ""}`;
  return html`${task.tier === "deterministic" ? "by rule" : "by a model"}${read}`;
}

/** How a status is coloured; its word stands beside. */
export const STATUS_TONES: Readonly<Record<(typeof TaskStatus.options)[number], string>> = {
  certified: "good",
  refused: "bad",
  held: "warn",
  draft: "warn",
  retired: "soft",
};

/** The page of one task. */
export function taskPath(environment: string, index: number): string {
  return `/sandboxes/${encodeURIComponent(environment)}/tasks/${index}`;
}

function verdictOf(stand: ReadonlyMap<string, number>): NonNullable<PageDoc["verdict"]> {
  const n = (status: string) => stand.get(status) ?? 0;
  const waiting = (["held", "refused", "draft"] as const).filter((status) => n(status) > 0);
  const all = n("certified") + waiting.reduce((sum, status) => sum + n(status), 0);
  return {
    text: `${n("certified")} of ${counted(all, "task")} count${all === 1 ? "s" : ""}${waiting.length === 0 ? "" : `; ${waiting.map((status) => `${n(status)} ${status}`).join(", ")}`}.`,
    tone: waiting.length === 0 ? "good" : "warn",
    tier: "deterministic",
    how: "A task counts once review has proven its checks; one that is held waits for a person or for more traces, and says why.",
  };
}

/** The tasks that the query string asks for, in its order, and how all of its sandboxes' tasks stand. */
async function tasksOf(visit: Visit) {
  const { records } = visit.ctx.store;
  const status = oneOf(visit, "status", TaskStatus.options);
  const environment = textOf(visit, "env", 200);
  const family = textOf(visit, "family", 100);
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const where = {
    ...(status === undefined ? {} : { status }),
    ...(environment === undefined ? {} : { environment }),
  };
  const { items } = await records.list(Environment, { limit: CHOICES });
  const labels = new Map(items.map(({ id, label }) => [id, label]));
  const found: Doc<typeof TaskRecord>[] = [];
  const stand = new Map<string, number>();
  for await (const row of everyRow((page) => records.list(TaskRecord, { ...page, where, order: "oldest" }))) {
    const text = `${row.task.request}\n${row.reason ?? ""}\n${row.task.family}`.toLowerCase();
    stand.set(row.status, (stand.get(row.status) ?? 0) + 1);
    if (status === undefined && row.status === "retired") continue;
    if ((family === undefined || row.task.family === family) && words.every((word) => text.includes(word)))
      found.push(row);
  }
  const sort = oneOf(visit, "sort", SORTS) ?? "oldest";
  if (sort === "newest") found.reverse();
  if (sort === "held") found.sort((a, b) => STANDS.indexOf(a.status) - STANDS.indexOf(b.status));
  if (sort === "family")
    found.sort((a, b) => (a.task.family < b.task.family ? -1 : a.task.family > b.task.family ? 1 : 0));
  if (sort === "least" || sort === "most") {
    const played = await newestTrials(visit, found);
    // What was not played stands last in either order.
    const rank = ({ id }: Doc<typeof TaskRecord>) => {
      const share = shareMet(played.get(id));
      return share === undefined ? 2 : sort === "least" ? share : 1 - share;
    };
    found.sort((a, b) => rank(a) - rank(b));
  }
  return { found, stand, labels, sandboxes: items, sort, status, environment };
}

async function list(visit: Visit): Promise<View> {
  const add = textOf(visit, "add", 200);
  if (add !== undefined) return { to: `${CONSOLE}/sandboxes/${encodeURIComponent(add)}/new-task` };
  const { found, stand, labels, sandboxes: items, sort, status, environment } = await tasksOf(visit);
  const { items: rows, next } = sliceOf(found, { cursor: visit.query.get("cursor") ?? undefined });
  const played = await newestTrials(visit, rows);
  // Of a narrowed list the sentence would tell a part as if it were all.
  const whole = status === undefined && environment === undefined;
  const told = whole && found.length > 0 ? { verdict: verdictOf(stand) } : {};
  const doc: PageDoc = { v: 1, title: "Tasks", made_at: visit.ctx.now(), ...told, sections: [] };
  const open = items.filter(({ id, retired_at }) => retired_at === undefined && id === (environment ?? id));
  const lead = [
    stand.size === 0 &&
      html`<p>No task is written yet: <a href="${CONSOLE}/surfaces">a system</a> whose traces are known has them written.</p>`,
    await firstEvidence(visit),
    html`<p class="ways">${whole && (stand.get("held") ?? 0) > 0 && html`<a href="${CONSOLE}${PLACE}?status=held">Those that are held</a> `}<a href="${CONSOLE}/start${environment === undefined ? "" : `?environment=${encodeURIComponent(environment)}`}">Run an agent on them</a> ${open.length === 1 && html`<a href="${CONSOLE}/sandboxes/${encodeURIComponent(open[0]?.id ?? "")}/new-task">Add a task to ${cut(open[0]?.label ?? "", 50)}</a> `}<a href="${CONSOLE}/calibrations">Checks against people</a></p>`,
    open.length > 1 &&
      folded(
        "Add a task",
        getForm(
          PLACE,
          "Write it",
          [
            choice(
              "add",
              "To the sandbox",
              open.map(({ id, label }) => ({ value: id, text: cut(label, 50) })),
            ),
          ],
          {
            row: true,
          },
        ),
      ),
    filterForm(PLACE, visit, [
      filterText(visit, "q", "Words"),
      filterChoice(visit, "status", "Stands", [
        { value: "", text: "any, but retired" },
        ...TaskStatus.options.map((value) => ({ value, text: value })),
      ]),
      filterChoice(visit, "family", "Family", [
        { value: "", text: "any" },
        ...Family.options.map((value) => ({ value, text: value })),
      ]),
      filterChoice(visit, "env", "Sandbox", [
        { value: "", text: "every one" },
        ...items.map(({ id, label }) => ({ value: id, text: cut(label, 50) })),
      ]),
      filterChoice(
        visit,
        "sort",
        "Order",
        SORTS.map((value) => ({ value: value === "oldest" ? "" : value, text: SORT_WORDS[value] })),
      ),
    ]),
    rows.length === 0
      ? stand.size > 0 && html`<p>No task fits. Take a filter away.</p>`
      : postForm(
          visit,
          "/review/ticked",
          "Review the ticked again",
          [
            table(
              `${found.length} ${found.length === 1 ? "task" : "tasks"}, ${SORT_WORDS[sort]}. A request opens its task${rows.some(({ id }) => played.has(id)) ? "; a rate, a trial of the newest run that played it, with who played" : ""}.`,
              [
                { name: "Pick", pick: true },
                { name: "No.", n: true },
                { name: "Request", wide: true },
                { name: "Stands" },
                { name: "Met", n: true },
                { name: "Family" },
                { name: "Sandbox" },
                { name: "Written" },
                { name: "Why", wide: true },
              ],
              rows.map(({ id, by, environment: env, index, task, status: stands, reason = "" }) => [
                html`<input type="checkbox" name="t" value="${env}/${index}" aria-label="Pick task ${index}" />`,
                index,
                html`<a href=${CONSOLE + taskPath(env, index)}>${cut(task.request, 200)}</a>`,
                html`<span class=${STATUS_TONES[stands]}>${stands}</span>`,
                rateCell(played.get(id)),
                task.family,
                html`<a href="${CONSOLE}/sandboxes/${encodeURIComponent(env)}">${cut(labels.get(env) ?? env, 50)}</a>`,
                writtenBy({ task, by, environment: env, index }),
                cut(reason, 200),
              ]),
            ),
            textField("reason", "Why (needed to hold)", { size: 30 }),
            html`<button type="submit" name="do" value="run">Run the ticked</button> `,
            html`<button type="submit" name="do" value="hold" class="plain">Hold the ticked</button> `,
            visit.member.role === "admin" &&
              html`<button type="submit" name="do" value="retire" class="plain">Retire the ticked</button> `,
            hidden("do", "rereview"),
          ],
          { plain: true, name: "Tasks that are ticked" },
        ),
    rows.length > 0 && listEnd(PLACE, visit, next),
  ];
  return { doc, lead };
}

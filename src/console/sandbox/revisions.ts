import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf, sentence } from "../../../chapters/findings/pages/words.ts";
import type { AuditCounts, RevisionSide } from "../../../chapters/records/sandboxes/revision.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { table } from "../../pages/html.ts";
import { block, postForm, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { pages, textOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, type View, type Visit } from "../visit.ts";
import { taskPath } from "../work/review-list.ts";

const PATH = "/sandboxes/:env/revisions";
/** Revisions on one page, and tasks of one that are linked. */
const ROWS = 50;
const TASKS = 30;

interface Head {
  readonly id: string;
  readonly n: number;
  readonly kind: string;
  readonly created_at: number;
  readonly by: string;
  readonly reason?: string;
  readonly draws: boolean;
  readonly changed: readonly number[];
  readonly added: readonly number[];
  readonly undo: string | null;
  readonly held: boolean;
  readonly restored_at?: number;
  readonly restored_by?: string;
}
interface RevisionDetail extends Head {
  readonly before: RevisionSide;
  readonly after: RevisionSide;
  readonly audit?: { readonly before: AuditCounts; readonly after: AuditCounts };
  readonly worse: Readonly<Record<string, number>>;
}

/** What changed a sandbox, and the way back. */
export const revisionPages: readonly ConsoleRoute[] = [
  shows(PATH, revisions),
  shows(`${PATH}/:rev`, revision),
  does(`${PATH}/:rev/back`, async (visit) => {
    const [env_id, rev, reason] = [visit.param("env"), visit.param("rev"), field(visit, "reason")];
    const by = visit.member.name;
    await visit.call("environment_revision_restore", { env_id, rev, by, ...(reason === undefined ? {} : { reason }) });
    return { to: CONSOLE + placeOf(env_id) };
  }),
];

const placeOf = (env: string) => `/sandboxes/${encodeURIComponent(env)}/revisions`;
const revisionAt = (env: string, rev: string) => `${placeOf(env)}/${encodeURIComponent(rev)}`;

/** What a revision did, in words. */
function didOf({ draws, changed, added }: Head): string {
  const parts = [
    ...(draws ? ["drew the world again"] : []),
    ...(changed.length === 0 ? [] : [`changed ${counted(changed.length, "task")}`]),
    ...(added.length === 0 ? [] : [`added ${counted(added.length, "task")}`]),
  ];
  return parts.length === 0 ? "changed no task" : parts.join(", ");
}

async function revisions(visit: Visit): Promise<View> {
  const environment = await findEnvironment(visit.ctx, visit.param("env"));
  const cursor = textOf(visit, "cursor");
  const {
    n,
    revisions: rows,
    next,
  } = await visit.call<{ n: number; revisions: readonly Head[]; next?: string }>("environment_revisions", {
    env_id: environment.id,
    limit: ROWS,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const doc: PageDoc = {
    v: 1,
    title: `What changed ${cut(environment.label, 80)}`,
    made_at: visit.ctx.now(),
    verdict: {
      text: n === 0 ? "It is as it was made." : `${counted(n, "change")} since it was made.`,
      tone: "plain",
      tier: "deterministic",
      how: `Made ${minuteOf(environment.created_at)} UTC, by ${cut(environment.by, 60)}. Each change keeps what it replaced.`,
    },
    sections: [],
  };
  const ways = html`<p class="ways"><a href="${CONSOLE}/sandboxes/${encodeURIComponent(environment.id)}">The sandbox</a></p>`;
  const list = table(
    "Each change, the newest first; one opens with what it replaced and the way back.",
    [
      { name: "Change" },
      { name: "At (UTC)" },
      { name: "By" },
      { name: "What it did", wide: true },
      { name: "Why", wide: true },
      { name: "Stands" },
    ],
    rows.map((row) => [
      html`<a href=${CONSOLE + revisionAt(environment.id, row.id)}>${row.n}: ${inWords(row.kind)}</a>`,
      minuteOf(row.created_at),
      cut(row.by, 60),
      `${didOf(row)}${row.held ? "" : "; something came out worse"}`,
      cut(row.reason ?? "", 200),
      row.undo === null ? "put back" : "yes",
    ]),
  );
  return { doc, lead: [ways, rows.length > 0 && list, pages(placeOf(environment.id), visit, next)] };
}

async function revision(visit: Visit): Promise<View> {
  const env_id = visit.param("env");
  const row = await visit.call<RevisionDetail>("environment_revision_get", { env_id, rev: visit.param("rev") });
  const environment = await findEnvironment(visit.ctx, env_id);
  const worse = Object.entries(row.worse).map(([name, by]) => `${inWords(name)} by ${by}`);
  const doc: PageDoc = {
    v: 1,
    title: `Change ${row.n} of ${cut(environment.label, 80)}: ${inWords(row.kind)}`,
    made_at: visit.ctx.now(),
    verdict: {
      text: `It ${didOf(row)}${worse.length === 0 ? "" : `; worse: ${worse.join(", ")}`}.`,
      tone: worse.length === 0 ? "plain" : "warn",
      tier: "deterministic",
      how: `${minuteOf(row.created_at)} UTC, by ${cut(row.by, 60)}${row.reason === undefined ? "." : `: ${sentence(cut(row.reason, 300))}`}`,
    },
    sections: [],
  };
  const tasks = [...row.changed, ...row.added];
  const ways = html`<p class="ways"><a href="${CONSOLE}/sandboxes/${encodeURIComponent(env_id)}">The sandbox</a> <a href=${CONSOLE + placeOf(env_id)}>All changes of it</a></p>`;
  const back =
    row.undo === null
      ? html`<p>It was put back${row.restored_at === undefined ? "" : ` ${minuteOf(row.restored_at)} UTC`}${row.restored_by === undefined ? "" : `, by ${cut(row.restored_by, 60)}`}.</p>`
      : postForm(
          visit,
          `${revisionAt(env_id, row.id)}/back`,
          "Put back what it replaced",
          textField("reason", "Why (may be empty)"),
          { removes: "What stands now is kept as a change of its own, so this can be put back too." },
        );
  return {
    doc,
    lead: [
      ways,
      sides(row),
      tasks.length > 0 &&
        block(
          "Tasks that it changed or added",
          html`<p>${tasks.slice(0, TASKS).map((index) => html`<a href=${CONSOLE + taskPath(env_id, index)}>Task ${index}</a> `)}${tasks.length > TASKS && `and ${tasks.length - TASKS} more`}</p>`,
        ),
    ],
    forms: block("Put it back", back),
  };
}

/** What stood before and after, where the two differ. */
function sides({ before, after, audit }: RevisionDetail): ComponentChild {
  const statuses = [...new Set([...Object.keys(before.tasks), ...Object.keys(after.tasks)])].sort();
  const rows: [string, string | number, string | number][] = [
    ["Drawn as", before.hypothesis, after.hypothesis],
    ["Seed", cut(before.seed, 40), cut(after.seed, 40)],
    ["Version of the system", before.bundle, after.bundle],
    ...statuses.map((status): [string, number, number] => [
      `Tasks ${status}`,
      before.tasks[status] ?? 0,
      after.tasks[status] ?? 0,
    ]),
    ...(audit === undefined
      ? []
      : (["rows", "drawn", "contradictions", "flags"] as const).map((name): [string, number, number] => [
          `Audit: ${name}`,
          audit.before[name],
          audit.after[name],
        ])),
  ];
  const differ = rows.filter(([, from, to]) => from !== to);
  if (differ.length === 0) return html`<p>Counts and draw are the same before and after: texts of tasks changed.</p>`;
  return table(
    "What differs before and after it.",
    [{ name: "" }, { name: "Before" }, { name: "After" }],
    differ.map(([name, from, to]) => [name, String(from), String(to)]),
  );
}

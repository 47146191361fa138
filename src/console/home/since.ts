import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { type ChangeLine, listChanges } from "../../../chapters/automation/changes.ts";
import type { Ctx } from "../../../chapters/context.ts";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { shownTo } from "../../../chapters/modes/note-audience.ts";
import { everyRow } from "../../../chapters/page.ts";
import type { Doc } from "../../../chapters/record.ts";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { Report } from "../../../chapters/records/findings/report.ts";
import { playerName, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { tallyOf } from "../../../chapters/runs/trials/trial-rows.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";

/** Rows of a kind that are counted at most where the store cannot count them by time. */
const COUNTED = 500;
/** Rows of a kind, and changes, that are told one by one. */
const NAMED = 3;
const CHANGES = 6;

/** What came to be after the member's visit before this one ended: by name, newest first; null on a first visit. */
export async function sinceLastVisit({ ctx, session }: Visit): Promise<ComponentChild> {
  const since = session.left_at;
  if (since === undefined) return null;
  const [runs, modes, reports, changes] = await Promise.all([
    newer(ctx, RunGroup, since, (group) => group.retired_at === undefined),
    newer(ctx, FailureMode, since, (mode) => shownTo(mode, "customer")),
    newer(ctx, Report, since),
    listChanges(ctx, { since, limit: CHANGES + 1 }),
  ]);
  const lines = [
    ...kindLine(runs, "run", "/groups", await Promise.all(runs.named.map((run) => runLine(ctx, run)))),
    ...kindLine(
      modes,
      "failure mode",
      "/failure-modes",
      modes.named.map(({ id, title }) => html`<a href=${pathOf({ page: "mode", id })}>${cut(title, 90)}</a>`),
    ),
    ...kindLine(
      reports,
      "report",
      "/reports",
      reports.named.map(({ id, title }) => html`<a href=${pathOf({ page: "report", id })}>${cut(title, 90)}</a>`),
    ),
    ...(await changeLines(ctx, changes.lines.slice(0, CHANGES))),
    ...(changes.lines.length > CHANGES ? ["and more changes of sandboxes and systems"] : []),
  ];
  if (lines.length === 0) return html`<p>Nothing since ${minuteOf(since)} UTC.</p>`;
  return html`<p class="soft">After ${minuteOf(since)} UTC</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

interface Newer<T> {
  readonly n: number;
  readonly named: readonly T[];
}

/** How many there are of a kind, which leads to all, and the newest by name. */
function kindLine(
  { n, named }: Newer<unknown>,
  one: string,
  place: string,
  names: readonly ComponentChild[],
): ComponentChild[] {
  if (n === 0) return [];
  const many = n === COUNTED ? `${COUNTED} and more new ${one}s` : counted(n, `new ${one}`);
  const more = n > named.length && html`<li>and others</li>`;
  return [html`<a href=${CONSOLE + place}>${many}</a><ul>${names.map((name) => html`<li>${name}</li>`)}${more}</ul>`];
}

/** A run by who plays it, with what it came to so far. */
async function runLine(ctx: Ctx, { id, player, runs }: Doc<typeof RunGroup>): Promise<ComponentChild> {
  const { met, failed } = await tallyOf(
    ctx,
    runs.map(({ run }) => run),
  );
  return html`<a href=${pathOf({ page: "group", id })}>${cut(playerName(player), 60)}</a>${met + failed === 0 ? ", no valid trial yet" : `, ${met} of ${met + failed} met`}`;
}

/** Records of a kind that were made after a time: how many, and the newest. */
async function newer<K extends typeof RunGroup | typeof FailureMode | typeof Report>(
  ctx: Ctx,
  kind: K,
  since: number,
  counts: (doc: Doc<K>) => boolean = () => true,
): Promise<Newer<Doc<K>>> {
  const named: Doc<K>[] = [];
  let n = 0;
  for await (const doc of everyRow((page) => ctx.store.records.list(kind, page))) {
    if (doc.created_at <= since || n === COUNTED) break;
    if (!counts(doc)) continue;
    n += 1;
    if (named.length < NAMED) named.push(doc);
  }
  return { n, named };
}

/** Changes of sandboxes, systems and evidence, each by what it is of. */
async function changeLines({ store: { records } }: Ctx, lines: readonly ChangeLine[]): Promise<ComponentChild[]> {
  const ids = (kind: string) => [...new Set(lines.flatMap(({ about }) => (about.kind === kind ? [about.id] : [])))];
  const [environments, surfaces] = await Promise.all([
    records.getMany(Environment, ids("environment")),
    records.getMany(Surface, ids("surface")),
  ]);
  const labels = new Map([
    ...environments.map(({ id, label }) => [id, label] as const),
    ...surfaces.map(({ id, name }) => [id, name] as const),
  ]);
  const alike = Map.groupBy(lines, (line) => `${line.about.id} ${changeWords(line)}`);
  return [...alike.values()].map((same) => {
    const [line] = same as [ChangeLine];
    const { kind, id } = line.about;
    const name = cut(labels.get(id) ?? id.slice(-6), 60);
    const words = `${changeWords(line)}${same.length === 1 ? "" : `, ${same.length} times`}`;
    if (kind === "environment") return html`<a href=${pathOf({ page: "packet", id })}>${name}</a>: ${words}`;
    const page = line.page === "ontology" ? "ontology" : "fidelity";
    if (kind === "surface") return html`<a href=${pathOf({ page, id })}>${name}</a>: ${words}`;
    if (kind === "evidence") return html`<a href=${pathOf({ page: "evidence", id })}>Evidence</a>: ${words}`;
    return html`<a href="${CONSOLE}/jobs/${encodeURIComponent(id)}">New evidence</a>: ${words}`;
  });
}

function changeWords({ change, counts, about }: ChangeLine): string {
  const act = WORDS[change] ?? change.replaceAll("_", " ");
  if (about.kind !== "environment") return act;
  const { certified_before: before = 0, certified_after: after = 0 } = counts;
  return `${act}; ${counted(after, "certified task")}${before === after ? "" : `, ${before} before`}`;
}

/** Acts whose own name does not say it. */
const WORDS: Readonly<Record<string, string>> = {
  redraw: "drawn again",
  refresh: "refreshed",
  revert: "put back",
  restore: "put back",
  rekey: "its checks written anew",
  revoice: "its requests worded anew",
  correct: "corrected",
  regenerate: "written again",
  turns: "turns changed",
  held: "tasks held",
  version_compiled: "a new version compiled",
  version_declared: "a tool declared",
  ontology_compile: "its ontology compiled",
  looked_through: "looked through",
  dimensions_read: "read for dimension values",
};

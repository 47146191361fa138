import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { badRequest } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { MOST_RUNS, severalPage } from "../../../chapters/findings/pages/several.ts";
import { counted, cut, dollars, minuteOf, seconds, tokensText } from "../../../chapters/findings/pages/words.ts";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { playerName, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { findGroups, GROUP_SORTS } from "../../../chapters/runs/groups/find-groups.ts";
import { figuresOfGroups, type TrialFigures } from "../../../chapters/runs/groups/trend.ts";
import { SHORT, table } from "../../pages/html.ts";
import { block, choice, getForm, hidden } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { firstEvidence } from "../work/send.ts";
import { csvFile, isoTime, listEnd } from "./csv.ts";
import { comparisonTable, modelComparisons } from "./models.ts";
import { filterChoice, filterForm, filterText, oneOf, sameList, sortHead, textOf } from "./query.ts";

type Rows = Awaited<ReturnType<typeof findGroups>>["groups"];

const PLACE = "/groups";
const WHO = ["agent", "built-in", "all"] as const;
const TASKS = ["all", "some"] as const;
/** Built-in players below the agents' runs, where nobody asked who. */
const BESIDE = 10;
/** Comparisons of models below the runs. */
const MODELS = 5;
/** Trials that one page reads at most to say what trials took; what was read is kept. */
const READ = 5_000;

const RUN_COLUMNS = [
  ...["run", "played_by", "version", "player", "status", "tasks", "sandboxes"],
  ...["met", "valid", "rate", "infra", "invalid", "median_ms", "input_tokens", "output_tokens", "cost_usd"],
  ...["started_at", "started_by"],
];

/** Runs that were started together: found, put in order, and two of them compared. */
export const groupLists: readonly ConsoleRoute[] = [
  shows(PLACE, groups),
  csvFile(PLACE, "runs", RUN_COLUMNS, runRows),
  shows("/groups/compare", picked),
];

function searchOf(visit: Visit) {
  return {
    q: textOf(visit, "q"),
    status: oneOf(visit, "status", GroupStatusSchema.options),
    tasks: oneOf(visit, "tasks", TASKS),
    sort: oneOf(visit, "sort", GROUP_SORTS) ?? "newest",
  };
}

/** Runs as rows of a file: those of agents and of built-in players alike, where the list is not narrowed to one. */
async function runRows(visit: Visit, cursor: string | undefined) {
  const who = oneOf(visit, "who", WHO);
  const player = who === "all" ? undefined : who;
  const { groups: found, next } = await findGroups(visit.ctx, { ...searchOf(visit), player, cursor, limit: 200 });
  const ids = found.map(({ group }) => group);
  const figures = await figuresOfGroups(visit.ctx, ids, READ);
  const rows = found.map(({ group, player, counts, status, partial, environments, created_at, by }) => {
    const { met, failed, infra, invalid } = counts;
    const { ms, tokens, usd } = figures.get(group) ?? {};
    const built = player.harness === null ? "agent" : "built-in";
    const on = environments.map(({ label }) => label).join(", ");
    return [
      ...[group, player.name, player.version, built, status, partial ? "some" : "all", on],
      ...[met, met + failed, rateOf(counts), infra, invalid, ms?.p50, tokens?.input, tokens?.output, usd?.mean],
      ...[isoTime(created_at), by],
    ];
  });
  return { rows, next };
}

async function groups(visit: Visit): Promise<View> {
  const who = oneOf(visit, "who", WHO);
  const search = searchOf(visit);
  const { sort } = search;
  const player = who === "all" ? undefined : (who ?? "agent");
  const { groups: rows, next } = await findGroups(visit.ctx, {
    ...search,
    player,
    cursor: visit.query.get("cursor") ?? undefined,
  });
  const beside = who === undefined && !visit.query.has("cursor");
  const others = beside ? await findGroups(visit.ctx, { ...search, player: "built-in", limit: BESIDE }) : undefined;
  const empty = rows.length === 0 && (others === undefined || others.groups.length === 0);
  const narrowed = search.q !== undefined || search.status !== undefined || search.tasks !== undefined;
  const newest = narrowed || visit.query.has("cursor") ? undefined : newestOf(rows);
  const doc: PageDoc = {
    ...{ v: 1, title: "Runs", made_at: visit.ctx.now(), sections: [] },
    ...(newest === undefined ? {} : { verdict: newest.verdict }),
  };
  const lead = [
    html`<p>${newest?.compare !== undefined && html`<a href=${newest.compare}>Compare these two</a>. `}<a href="${CONSOLE}/start">Start a run</a>, <a href="${CONSOLE}/providers">compare models</a>, or see <a href="${CONSOLE}/trends">how versions did over time</a>.</p>`,
    filterForm(PLACE, visit, [
      filterText(visit, "q", "Words"),
      filterChoice(visit, "who", "Played by", [
        { value: "", text: "agents, built-in apart" },
        { value: "agent", text: "agents" },
        { value: "built-in", text: "built-in players" },
        { value: "all", text: "anybody" },
      ]),
      filterChoice(visit, "status", "Status", [
        { value: "", text: "any" },
        ...GroupStatusSchema.options.map((value) => ({ value, text: value })),
      ]),
      filterChoice(visit, "tasks", "Tasks", [
        { value: "", text: "all or some" },
        { value: "all", text: "all of them" },
        { value: "some", text: "only some" },
      ]),
      filterChoice(
        visit,
        "sort",
        "Order",
        GROUP_SORTS.map((value) => ({ value: value === "newest" ? "" : value, text: SORT_WORDS[value] })),
      ),
    ]),
    empty && html`<p>${narrowed ? "No run fits. Take a filter away." : "Nothing has been run yet."}</p>`,
    empty && (await firstEvidence(visit)),
    !empty &&
      pickForm([
        rows.length === 0
          ? html`<p>No agent has a run that fits${others === undefined ? "" : "; built-in players are below"}.</p>`
          : null,
        await groupTable(visit, caption(player, sort), rows, { sort, others: others?.groups ?? [] }),
        others?.next !== undefined &&
          html`<p><a href=${sameList(PLACE, visit, { who: "built-in" })}>All of built-in players</a></p>`,
        listEnd(PLACE, visit, next),
      ]),
  ];
  return { doc, lead, forms: beside && (await newestModels(visit)) };
}

/** The newest comparisons of models below the first page of runs. */
async function newestModels(visit: Visit): Promise<ComponentChild> {
  const { comparisons, next } = await modelComparisons(visit, { limit: MODELS });
  if (comparisons.length === 0) return null;
  return block(
    "Models compared",
    comparisonTable("Newest first: models that were run on the same tasks. Each opens how they did.", comparisons),
    next !== undefined && html`<p><a href="${CONSOLE}/providers">All comparisons of models</a></p>`,
  );
}

const SORT_WORDS: Readonly<Record<(typeof GROUP_SORTS)[number], string>> = {
  newest: "newest first",
  oldest: "oldest first",
  best: "most met first",
  worst: "least met first",
};

function caption(player: "agent" | "built-in" | undefined, sort: (typeof GROUP_SORTS)[number]): string {
  const whose = player === undefined ? "Runs" : player === "agent" ? "Runs of agents" : "Runs of built-in players";
  return `${whose}, ${SORT_WORDS[sort]}; met of valid trials, and time, tokens and cost of a trial. Trials that the set-up broke do not count. Tick two or more to compare them, or open a change against the run before.`;
}

/** Two or more are ticked and compared by the one button below them; it only asks for another page. */
export function pickForm(children: ComponentChildren): ComponentChild {
  return html`
    <form method="get" action="${CONSOLE}/groups/compare">${children}<p><button>Compare the ticked</button></p></form>
  `;
}

/** The newest run that has a rate, against the one before it of the same player on the same tasks. */
function newestOf(rows: Rows) {
  const byTime = [...rows].sort((x, y) => y.created_at - x.created_at);
  const row = byTime.find(({ counts }) => rateOf(counts) !== undefined);
  if (row === undefined) return undefined;
  const before = beforeOf(row, rows);
  const told = ({ player, counts: { met, failed } }: Rows[number]) =>
    `${cut(playerName(player), 60)} met ${met} of ${counted(met + failed, "valid trial")}`;
  const [now, then] = [rateOf(row.counts), before && rateOf(before.counts)];
  const change = now === undefined || then === undefined ? undefined : points(now - then);
  const text =
    before === undefined || change === undefined
      ? `The newest run: ${told(row)}. No earlier run of it is on the same tasks.`
      : `The newest run: ${told(row)}; before it ${told(before)} (${change}).`;
  const verdict = {
    ...{ text, tone: "plain" as const, tier: row.tier },
    how:
      change === undefined
        ? "A change is against the run before of the same agent on the same tasks."
        : "Whether such a change can be chance, the comparison of the two says.",
  };
  return { verdict, compare: before && compareOf(before, row) };
}

/**
 * Run groups as a table in which each can be ticked, those of built-in players apart below; its heads sort the list of runs
 * where an order is named.
 */
export async function groupTable(
  visit: Visit,
  caption: string,
  rows: Rows,
  { sort, others = [] }: { readonly sort?: string; readonly others?: Rows } = {},
): Promise<ComponentChild> {
  const ids = [...rows, ...others].map(({ group }) => group);
  const figures = await figuresOfGroups(visit.ctx, ids, READ);
  const sorted = (name: string, down: string, up: string) =>
    sort === undefined ? { name } : sortHead(PLACE, visit, { name, down, up, now: sort });
  const cells = (of: Rows) =>
    of.map((row) => {
      const { group, player, counts, status, partial, environments, created_at, by } = row;
      const name = cut(playerName(player), 60);
      return [
        html`<input type="checkbox" name="g" value=${group} aria-label="Pick ${name}, ${minuteOf(created_at)}" />`,
        html`<a href="${CONSOLE}/groups/${encodeURIComponent(group)}">${name}</a>`,
        metCell(group, counts),
        changeCell(row, of),
        html`${status}${partial && html` <span class="badge warn">only some tasks</span>`}`,
        cut(environments.map(({ label }) => label).join(", "), 120),
        ...tookCells(figures.get(group), figures),
        uncounted(group, counts),
        html`<span class="t">${minuteOf(created_at)}</span> <span class=${by.length <= SHORT ? "t" : undefined}>by ${cut(by, 40)}</span>`,
      ];
    });
  const apart = {
    heading: "Built-in players: they show what tasks and worlds do, no agent of yours.",
    rows: cells(others),
  };
  return table(
    caption,
    [
      { name: "Pick", pick: true },
      { name: "Played by" },
      { ...sorted("Met", "best", "worst"), n: true },
      { name: "Change", n: true },
      { name: "Status" },
      { name: "On" },
      { name: "Median time", n: true },
      { name: "Tokens a trial", n: true },
      { name: "Cost a trial", n: true },
      { name: "Not counted", n: true },
      // Who started it stands in the same column: one more is cut by the window of a laptop.
      sorted("Started (UTC)", "newest", "oldest"),
    ],
    cells(rows),
    others.length === 0 ? undefined : apart,
  );
}

/** The way to the trials of a run that ended so; of all of them where none is named. */
function trialsPath(group: string, end = ""): string {
  return pathOf({ page: "trials", id: group, against: end === "" ? "" : `end=${end}` });
}

/** Met of valid trials with its share as a bar, which opens those that failed, else all. */
export function metCell(
  group: string,
  { met, failed }: Pick<Rows[number]["counts"], "met" | "failed">,
): ComponentChild {
  const valid = met + failed;
  const tone = valid === 0 ? undefined : met === valid ? "good" : met === 0 ? "bad" : "warn";
  if (valid === 0) return html`<span class="soft">none yet</span>`;
  const share = (100 * met) / valid;
  return html`
    <a class=${tone} href=${trialsPath(group, failed > 0 ? "failed" : "")}>${met} of ${valid} (${share.toFixed(0)} %)</a>
    <svg class="rate" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="10" /><rect class="is-${tone}" width=${share} height="10" />
    </svg>
  `;
}

/** What half of the trials took at most, and what one took in tokens and cost; empty where a run has not landed, or no run says any. */
function tookCells(of: TrialFigures | undefined, all: ReadonlyMap<string, TrialFigures>): string[] {
  if (of === undefined) return ["", "", ""];
  const { ms, tokens, usd } = of;
  const untold = (name: "ms" | "tokens" | "usd") =>
    [...all.values()].some((each) => each[name] !== undefined) ? "not reported" : "";
  return [
    ms === undefined ? untold("ms") : seconds(ms.p50),
    tokens === undefined ? untold("tokens") : tokensText(tokens),
    usd === undefined ? untold("usd") : dollars(usd.mean),
  ];
}

function uncounted(
  group: string,
  { infra, invalid }: Pick<Rows[number]["counts"], "infra" | "invalid">,
): ComponentChild {
  const link = (n: number, end: string) => n > 0 && html`<a href=${trialsPath(group, end)}>${n} ${end}</a>`;
  if (infra === 0 && invalid === 0) return "";
  return [link(infra, "infra"), infra > 0 && invalid > 0 && ", ", link(invalid, "invalid")];
}

/** How a run's rate differs from the one before it of the same player on the same sandboxes; its page says how sure that is. */
function changeCell(row: Rows[number], rows: Rows): ComponentChild {
  const before = beforeOf(row, rows);
  const [now, then] = [rateOf(row.counts), before && rateOf(before.counts)];
  if (before === undefined || now === undefined || then === undefined) return "";
  return html`<a href=${compareOf(before, row)}>${points(now - then)}</a>`;
}

function beforeOf(row: Rows[number], rows: Rows): Rows[number] | undefined {
  return rows
    .filter((other) => other.created_at < row.created_at && sameTerms(other, row))
    .sort((x, y) => y.created_at - x.created_at)[0];
}

function compareOf(before: Rows[number], row: Rows[number]): string {
  return `${CONSOLE}/compare?${new URLSearchParams({ a: before.group, b: row.group })}`;
}

/** A difference of two rates in points, with its sign. */
function points(of: number): string {
  return `${of > 0 ? "+" : of < 0 ? "\u2212" : ""}${(100 * Math.abs(of)).toFixed(1)} points`;
}

/** Selections that choose the same tasks each time. */
const SAMPLE = /^(?:ci|smoke)-/;

function sameTerms(a: Rows[number], b: Rows[number]): boolean {
  const on = ({ environments }: Rows[number]) =>
    environments
      .map(({ environment }) => environment)
      .sort()
      .join(" ");
  const alike = a.partial
    ? b.partial && a.selection === b.selection && SAMPLE.test(a.selection) && a.counts.planned === b.counts.planned
    : !b.partial;
  return alike && a.player.agent === b.player.agent && a.player.name === b.player.name && on(a) === on(b);
}

function rateOf({ met, failed }: { readonly met: number; readonly failed: number }): number | undefined {
  return met + failed === 0 ? undefined : met / (met + failed);
}

/** Leads to the comparison of the two that were ticked, the older one first; more are shown side by side. */
async function picked(visit: Visit): Promise<View> {
  const ids = [...new Set(visit.query.getAll("g"))];
  if (ids.length < 2 || ids.length > MOST_RUNS)
    throw badRequest(
      `Tick two to ${MOST_RUNS} runs to compare them: ${ids.length === 0 ? "none was" : ids.length === 1 ? "one was" : `${ids.length} were`} ticked.`,
    );
  if (ids.length > 2) {
    // Ids are by the time of making: the oldest is what the others are held against.
    const oldest = ids.toSorted()[0] ?? "";
    const base = ids.find((id) => id === visit.query.get("base")) ?? oldest;
    const runs = await visit.ctx.store.records.getMany(RunGroup, ids);
    const choices = runs.map(({ id, player, created_at }) => ({
      value: id,
      text: `${cut(playerName(player), 60)}, ${minuteOf(created_at)}`,
    }));
    const lead = [
      html`<p class="ways"><a href="${CONSOLE}/start?group=${encodeURIComponent(base)}">Run the tasks of the first once more</a> <a href="${CONSOLE}/groups">All runs</a></p>`,
      getForm(
        "/groups/compare",
        "Show",
        [ids.map((id) => hidden("g", id)), choice("base", "Hold the others against", choices, base)],
        { row: true },
      ),
    ];
    return { doc: await severalPage(visit.ctx, ids, base), lead };
  }
  // Ids are by the time of making.
  const [a = "", b = ""] = ids.sort();
  return { to: `${CONSOLE}/compare?${new URLSearchParams({ a, b })}` };
}

import type { Ctx } from "../../context.ts";
import { FIGURE_COLUMNS, figureCells, figureTables, readFigures } from "../../evidence/figures/figures-view.ts";
import { shownTo } from "../../modes/note-audience.ts";
import { type BudgetToday, budgetToday, heldWork } from "../../organization/budget.ts";
import { pageOf } from "../../page.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { playerName } from "../../records/runs/runs.ts";
import { findGroups } from "../../runs/groups/find-groups.ts";
import { groupData } from "../../runs/groups/group-data.ts";
import { figuresOfGroups, type TrialFigures } from "../../runs/groups/trend.ts";
import { weakestTier } from "../../tier.ts";
import { modeView } from "../modes/mode-view.ts";
import { basis, headline } from "../render/sentences.ts";
import { newestComparison } from "../reports/newest-comparison.ts";
import { type OrgFinding, orgFinding } from "../reports/org-finding.ts";
import { pairsIn, trialsIn } from "./compare.ts";
import { GROUP_COLUMNS, groupCells } from "./group-cells.ts";
import type { Cell, PageDoc, PageSection } from "./page-doc.ts";
import { counted, cut, dollars, inWords, metOf, minuteOf, seconds } from "./words.ts";

const GROUPS = 12;
/** Trials that are read at most to say what those of these runs took; what was read is kept. */
const READ = 2_000;
const MODES = 12;
const NAME = 60;

/** The first page, with what stands beside its verdict: the comparison that it is of, the day's budget, and what waits. */
export interface Home {
  readonly doc: PageDoc;
  readonly finding?: NonNullable<OrgFinding["finding"]>;
  readonly budget: BudgetToday;
  readonly held: Awaited<ReturnType<typeof heldWork>>;
}

/**
 * The org at a glance: its finding first, else the newest comparison of two versions of one agent; then its newest groups,
 * its failure modes, and what its production traces took.
 */
export async function homePage(ctx: Ctx): Promise<Home> {
  const own = await orgFinding(ctx);
  const told = own.finding === undefined ? await newestComparison(ctx) : own;
  const { finding } = told;
  const doc: PageDoc = {
    v: 1,
    title: `Workspace ${ctx.org.tag}`,
    made_at: ctx.now(),
    verdict: verdictOf(told),
    ...(finding?.example ? { invented: true } : {}),
    sections: [
      ...(finding === undefined || finding.tasks.length === 0 ? [] : [await changed(ctx, finding)]),
      await groups(ctx),
      await modes(ctx),
      ...(await figures(ctx)),
    ],
  };
  const [budget, held] = [await budgetToday(ctx), await heldWork(ctx)];
  return { doc, budget, held, ...(finding === undefined ? {} : { finding }) };
}

function verdictOf({ finding, why }: OrgFinding): PageDoc["verdict"] {
  if (finding === undefined) return { text: "No finding yet.", tone: "plain", tier: "deterministic", how: why };
  const { difference, words, tier } = finding;
  return {
    text: headline(finding, (text) => cut(text, NAME)),
    tone: words === "no difference shown" ? "plain" : difference < 0 ? "bad" : "good",
    tier,
    how: `${why} ${basis(finding)}`,
  };
}

async function changed(
  ctx: Ctx,
  { main, tested, tasks, tasks_total, tier }: NonNullable<OrgFinding["finding"]>,
): Promise<PageSection> {
  const link = { page: "compare" as const, id: main.group, against: tested.group };
  const [before, after] = await Promise.all([groupData(ctx, main.group), groupData(ctx, tested.group)]);
  const pairOf = pairsIn(before, after);
  const trialOf = trialsIn(before, after);
  const taskOf = ({ label, index }: (typeof tasks)[number]) =>
    before.runs
      .filter(({ run }) => run.label === label)
      .flatMap(({ run }) => run.tasks.filter((each) => each.index === index).map(({ id }) => ({ run, id })))
      .map(({ run, id }) => ({ environment: run.environment, task: id }))[0];
  const pairLink = (task: (typeof tasks)[number]) => {
    const found = taskOf(task);
    return found && pairOf(found);
  };
  const metIn = (task: (typeof tasks)[number], arm: "a" | "b"): Cell => {
    const found = taskOf(task);
    const opened = found && trialOf(found, arm);
    return { ...metOf(arm === "a" ? task.main : task.tested), ...(opened === undefined ? {} : { link: opened }) };
  };
  /** Causes are of the arm that met less of the task. */
  const causesOf = (task: (typeof tasks)[number]): Cell => {
    const text = task.causes.map(({ cause, trials }) => `${inWords(cause)} (${trials})`).join(", ");
    const [only, ...others] = task.causes;
    if (only === undefined || others.length > 0) return text;
    const worse = task.main.met / task.main.valid > task.tested.met / task.tested.valid ? tested : main;
    return { text, link: { page: "trials", id: worse.group, against: `cause=${only.cause}` } };
  };
  return {
    show: "table",
    heading: "What changed",
    caption:
      "Tasks that went from mostly met to mostly not, or the other way, largest change first; a request opens both trials side by side, a count one of its trials, a family or a cause those that have it.",
    tier,
    columns: [
      { name: "Request", kind: "wide" },
      { name: cut(main.version ?? main.name, 30), kind: "number" },
      { name: cut(tested.version ?? tested.name, 30), kind: "number" },
      { name: "Family" },
      { name: "Root causes" },
    ],
    rows: tasks.map((task): Cell[] => [
      { text: cut(task.request, 240), link: pairLink(task) ?? link },
      metIn(task, "a"),
      metIn(task, "b"),
      { text: task.family, link: { page: "trials", id: tested.group, against: `family=${task.family}` } },
      causesOf(task),
    ]),
    of: tasks_total,
  };
}

async function groups(ctx: Ctx): Promise<PageSection> {
  // Built-in players show what tasks and worlds do: among agents they would read as failures.
  const agents = await findGroups(ctx, { limit: GROUPS, player: "agent" });
  const { groups: newest, next } = agents.groups.length > 0 ? agents : await findGroups(ctx, { limit: GROUPS });
  const whose = agents.groups.length > 0 ? " of agents" : "";
  if (newest.length === 0) return { show: "text", heading: "Newest runs", paragraphs: ["Nothing has been run yet."] };
  const ids = newest.map(({ group }) => group);
  const figures = await figuresOfGroups(ctx, ids, READ);
  return {
    show: "table",
    heading: "Newest runs",
    caption: `${next === undefined ? "Every run" : `The newest ${counted(newest.length, "run")}`}${whose}, newest first; what was started together on several sandboxes is one run. Infra and invalid trials do not count in the rate.`,
    tier: weakestTier(newest.map(({ tier }) => tier)) ?? "deterministic",
    columns: [
      ...GROUP_COLUMNS,
      { name: "Median time", kind: "number" },
      { name: "Cost a trial", kind: "number" },
      { name: "Started (UTC)" },
    ],
    rows: newest.map(({ group, player, environments, status, counts, created_at }): Cell[] => [
      ...groupCells({
        id: group,
        agent: cut(playerName(player), NAME),
        on: environments,
        status,
        ...counts,
        valid: counts.met + counts.failed,
      }),
      ...tookCells(figures.get(group)),
      minuteOf(created_at),
    ]),
  };
}

function tookCells({ ms, usd }: Partial<TrialFigures> = {}): Cell[] {
  return [ms === undefined ? "" : seconds(ms.p50), usd === undefined ? "" : dollars(usd.mean)];
}

async function modes(ctx: Ctx): Promise<PageSection> {
  const { items, next } = await pageOf(
    (page) => ctx.store.records.list(FailureMode, page),
    { limit: MODES },
    (mode) => shownTo(mode, "customer") && mode.status !== "retired",
  );
  if (items.length === 0)
    return { show: "text", heading: "Failure modes", paragraphs: ["Nobody has recorded a failure mode."] };
  return {
    show: "table",
    heading: "Failure modes",
    caption: `${next === undefined ? "Failure modes that stand" : `The newest ${counted(items.length, "failure mode")} that stand`}, newest first.`,
    tier: weakestTier(items.map(({ tier }) => tier)) ?? "human",
    columns: [
      { name: "What goes wrong", kind: "wide" },
      { name: "Behaviour" },
      { name: "How it stands", kind: "wide" },
    ],
    rows: items.map((mode): Cell[] => [
      { text: cut(mode.title, 200), link: { page: "mode", id: mode.id } },
      mode.behaviour?.replaceAll("_", " ") ?? "not classified",
      modeView(mode).line,
    ]),
  };
}

/** What production traces cost and took: a table by week, tool, model and version each. */
async function figures(ctx: Ctx): Promise<PageSection[]> {
  const found = await readFigures(ctx);
  if (found === undefined) return [];
  const still = found.whole ? "" : " Not every trace is counted yet.";
  return figureTables(found).map(({ by, rows }) => ({
    show: "table",
    heading: `Production traces by ${by}`,
    // The weeks say how it goes; what they consist of is unfolded by who looks for it.
    ...(by === "week" ? {} : { place: `traces-by-${by}` }),
    caption: `By ${by}: each figure is over the traces that carry it; error rates with their 95 % interval.${by === "tool" ? " A tool opens the traces that call it." : ""}${still}`,
    tier: found.tier,
    columns: [
      { name: by[0]?.toUpperCase() + by.slice(1) },
      ...FIGURE_COLUMNS.map((name) => ({
        name: name[0]?.toUpperCase() + name.slice(1),
        kind: "number" as const,
      })),
    ],
    rows: rows.map((row): Cell[] => {
      const text = cut(row.name, NAME);
      return [by === "tool" ? { text, link: { page: "traces", id: row.name } } : text, ...figureCells(row)];
    }),
  }));
}

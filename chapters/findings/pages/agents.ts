import type { Ctx } from "../../context.ts";
import { type AgentDoc, findAgent, type VersionDoc } from "../../find-agent.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import { Agent } from "../../records/agents/agents.ts";
import { findGroups } from "../../runs/groups/find-groups.ts";
import { figuresOfGroups, type TrialFigures } from "../../runs/groups/trend.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageSection } from "./page-doc.ts";
import { counted, cut, dollars, metOf, minuteOf, points, seconds, tokensText } from "./words.ts";

/** Newest runs of an agent that are looked at. */
const RUNS = 50;
/** Trials that are read at most to say what those of its runs took; what was read is kept. */
const READ = 5_000;

type Group = Awaited<ReturnType<typeof findGroups>>["groups"][number];

/** An agent with its newest runs that have a valid trial, the newest first. */
interface Played {
  readonly agent: AgentDoc;
  readonly runs: readonly Group[];
}

/** Every connected agent with what its newest run came to; the first sentence is of the one that ran last. */
export async function agentsPage(ctx: Ctx): Promise<PageDoc> {
  const all: Played[] = [];
  for await (const agent of everyRow((page) => ctx.store.records.list(Agent, page)))
    if (agent.retired_at === undefined) all.push(await played(ctx, agent));
  const newest = all.toSorted((x, y) => (y.runs[0]?.created_at ?? 0) - (x.runs[0]?.created_at ?? 0))[0];
  return {
    v: 1,
    title: "Agents",
    made_at: ctx.now(),
    verdict:
      newest === undefined
        ? plain("No agent is connected yet: built-in players alone can be tried.")
        : newest.runs.length === 0
          ? plain(`${counted(all.length, "agent")} connected; none has run yet.`)
          : changeVerdict(newest),
    sections: all.length === 0 ? [] : [agentTable(all)],
  };
}

/** One agent: how its newest version did beside the version before, its runs, and its versions, newest first. Not found: 404. */
export async function agentPage(
  ctx: Ctx,
  id: string,
): Promise<{ readonly doc: PageDoc; readonly agent: AgentDoc; readonly versions: readonly VersionRow[] }> {
  const agent = await findAgent(ctx, id);
  const own = await played(ctx, agent);
  const doc: PageDoc = {
    v: 1,
    title: `Agent: ${cut(agent.name, 80)}`,
    made_at: ctx.now(),
    verdict: own.runs.length === 0 ? plain("It has not run yet.") : changeVerdict(own),
    sections: [facts(agent), ...(await runTable(ctx, own))],
  };
  return { doc, agent, versions: await versionRows(ctx, own) };
}

async function played(ctx: Ctx, agent: AgentDoc): Promise<Played> {
  const { groups } = await findGroups(ctx, { agent: agent.id, limit: RUNS });
  return { agent, runs: groups.filter((row) => rateOf(row) !== undefined) };
}

function plain(text: string): PageDoc["verdict"] {
  return {
    text,
    tone: "plain",
    tier: "deterministic",
    how: "An agent is a program that is tried; each way to start it is a version.",
  };
}

function rateOf({ counts: { met, failed } }: Group): number | undefined {
  return met + failed === 0 ? undefined : met / (met + failed);
}

const environmentsOf = ({ environments }: Group): string =>
  environments
    .map(({ environment }) => environment)
    .sort()
    .join(" ");

/** The newest run of another version on the sandboxes of a run. */
function otherVersion({ runs }: Played, of: Group): Group | undefined {
  return runs.find(
    (row) =>
      row.created_at < of.created_at &&
      row.player.version !== of.player.version &&
      row.counts.planned === of.counts.planned &&
      environmentsOf(row) === environmentsOf(of),
  );
}

/** How the newest run did beside the newest one of another version; whether that can be chance their comparison says. */
function changeVerdict(of: Played): PageDoc["verdict"] {
  const [run] = of.runs;
  if (run === undefined) return undefined;
  const before = otherVersion(of, run);
  const came = (row: Group) =>
    `${versionName(row.player.version)} met ${row.counts.met} of ${counted(row.counts.met + row.counts.failed, "valid trial")}`;
  const name = cut(of.agent.name, 60);
  const told = { tier: run.tier, how: "Whether such a change can be chance, the comparison of the two runs says." };
  if (before === undefined)
    return {
      ...told,
      tone: "plain",
      text: `${name}: ${came(run)} in its newest run.`,
      how: "No other version ran on the same tasks.",
    };
  const change = (rateOf(run) ?? 0) - (rateOf(before) ?? 0);
  return {
    ...told,
    tone: change < 0 ? "bad" : change > 0 ? "good" : "plain",
    text: `${name}: ${came(run)}, ${came(before)}${change === 0 ? "" : ` (${points(change)} points)`}.`,
  };
}

function versionName(version: string | null): string {
  return version === null ? "it" : `version ${cut(version, 40)}`;
}

function rateCell(run: Group | undefined): Cell {
  if (run === undefined) return "not run";
  const { met, failed } = run.counts;
  return { ...metOf({ met, valid: met + failed }), link: { page: "group", id: run.group } };
}

function changeCell(of: Played, run: Group | undefined): Cell {
  const before = run && otherVersion(of, run);
  if (run === undefined || before === undefined) return "";
  const change = (rateOf(run) ?? 0) - (rateOf(before) ?? 0);
  return {
    text: `${points(change)} points`,
    tone: change < 0 ? "bad" : change > 0 ? "good" : "plain",
    link: { page: "compare", id: before.group, against: run.group },
  };
}

function agentTable(all: readonly Played[]): PageSection {
  return {
    show: "table",
    caption:
      "Connected agents, newest first; the change is against the newest run of another version on the same tasks.",
    tier: "deterministic",
    columns: [
      { name: "Agent" },
      { name: "Newest run", kind: "number" },
      { name: "Change", kind: "number" },
      { name: "Run at (UTC)" },
      { name: "Newest version" },
      { name: "Versions", kind: "number" },
      { name: "Kind" },
      { name: "Model" },
    ],
    rows: all.map((of): Cell[] => {
      const { id, name, versions, agent_kind, model = "" } = of.agent;
      return [
        { text: cut(name, 80), link: { page: "agent", id } },
        rateCell(of.runs[0]),
        changeCell(of, of.runs[0]),
        of.runs[0] === undefined ? "" : minuteOf(of.runs[0].created_at),
        cut(versions.at(-1)?.version ?? "", 40),
        versions.length,
        agent_kind,
        cut(model, 60),
      ];
    }),
  };
}

function facts({ agent_kind, model, notes, created_at, by, retired_at, primary, main }: AgentDoc): PageSection {
  return {
    show: "facts",
    facts: [
      { name: "Kind", value: agent_kind },
      ...(primary
        ? [{ name: "Stands as", value: "primary agent", how: "what the first page and alerts speak of" }]
        : []),
      ...(main === undefined ? [] : [{ name: "Main version", value: cut(main, 60) }]),
      ...(model === undefined ? [] : [{ name: "Model", value: cut(model, 200) }]),
      { name: "Connected (UTC)", value: minuteOf(created_at), how: `by ${cut(by, 60)}` },
      ...(notes === undefined ? [] : [{ name: "Notes", value: cut(notes, 1000) }]),
      ...(retired_at === undefined
        ? []
        : [{ name: "Retired", value: `${minuteOf(retired_at)} UTC: it starts no run` }]),
    ],
  };
}

/** A version of an agent with its newest run that has a valid trial, the run before it of another version, and what trials took. */
export interface VersionRow {
  readonly version: VersionDoc;
  readonly label?: string | undefined;
  readonly run?: Group | undefined;
  readonly before?: Group | undefined;
  readonly took?: TrialFigures | undefined;
}

async function versionRows(ctx: Ctx, of: Played): Promise<VersionRow[]> {
  const { version_labels: labels = [] } = await readPreferences(ctx);
  const rows = of.agent.versions.toReversed().map((version) => {
    const run = of.runs.find(({ player }) => player.version === version.version);
    const label = labels.find((each) => each.version === version.version)?.label;
    return { version, label, run, before: run && otherVersion(of, run) };
  });
  const ids = rows.flatMap(({ run }) => run?.group ?? []);
  const figures = await figuresOfGroups(ctx, ids, READ);
  return rows.map((row) => ({ ...row, took: row.run && figures.get(row.run.group) }));
}

async function runTable(ctx: Ctx, { runs }: Played): Promise<PageSection[]> {
  if (runs.length === 0) return [];
  const ids = runs.map(({ group }) => group);
  const figures = await figuresOfGroups(ctx, ids, READ);
  return [
    {
      show: "table",
      heading: "Runs",
      caption: `Its newest runs that have a valid trial${runs.length === RUNS ? `, ${RUNS} of them` : ""}, newest first.`,
      tier: "deterministic",
      columns: [
        { name: "Started (UTC)" },
        { name: "Version" },
        { name: "Met", kind: "number" },
        { name: "Median time", kind: "number" },
        { name: "Tokens a trial", kind: "number" },
        { name: "Cost a trial", kind: "number" },
        { name: "On", kind: "wide" },
      ],
      ...listed(runs, (row): Cell[] => {
        const { ms, tokens, usd } = figures.get(row.group) ?? {};
        return [
          { text: minuteOf(row.created_at), link: { page: "group", id: row.group } },
          cut(row.player.version ?? "", 40),
          rateCell(row),
          ms === undefined ? "" : seconds(ms.p50),
          tokens === undefined ? "" : tokensText(tokens),
          usd === undefined ? "" : dollars(usd.mean),
          cut(row.environments.map(({ label }) => label).join(", "), 120),
        ];
      }),
    },
  ];
}

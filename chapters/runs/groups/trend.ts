import { LRUCache } from "lru-cache";
import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import { RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { clusteredInterval } from "../../statistics/clustered.ts";
import { ratesOf } from "../trials/rates.ts";
import { trialsOf } from "../trials/trial-rows.ts";
import { factsReader, gradingStamp } from "./find-groups.ts";
import type { GroupDoc } from "./group-data.ts";

/** A share of 0 to 1 with its interval at 95 %, which counts tasks or trials, not what is in them; `of` is what it is a share of. */
export interface TrendShare {
  readonly share?: number;
  readonly low: number;
  readonly high: number;
  readonly of: number;
}

/** What trials took beside their verdict. What none of them says is absent. */
export interface TrialFigures {
  /** Milliseconds of a trial. */
  readonly ms?: { readonly p50: number; readonly p95: number };
  /** Calls of tools in a trial, on average. */
  readonly steps?: number;
  /** Calls that the world answered with an error. */
  readonly errors: TrendShare;
  /** US dollars of a trial, on average, over the trials that say what they cost. */
  readonly usd?: { readonly mean: number; readonly of: number };
  /** Tokens that a trial's model calls read and wrote, on average, over the trials that say so. */
  readonly tokens?: { readonly input: number; readonly output: number; readonly of: number };
}

/** What a point in time is: all shown runs of a version, or one run. */
export const TREND_POINTS = ["version", "run"] as const;

/** Landed groups of one version of an agent as a point in time. */
export interface TrendPoint extends TrialFigures {
  /** The newest of them. */
  readonly group: string;
  readonly version: string;
  /** When that one started, Unix seconds. */
  readonly at: number;
  readonly runs: number;
  readonly tasks: number;
  readonly met: TrendShare;
}

/** What can be followed over time: an agent on the same tasks of the same environments. */
export interface TrendSeries {
  /** Names it in an address. */
  readonly key: string;
  readonly agent: string;
  readonly on: string;
  readonly groups: number;
}

/** An agent over time: its newest landed groups on the same tasks, by run or by version, oldest first. */
export interface Trend {
  readonly series: readonly TrendSeries[];
  readonly shown?: TrendSeries;
  readonly by: (typeof TREND_POINTS)[number];
  readonly points: readonly TrendPoint[];
}

/** Groups that are looked at for what can be followed, newest first, and the newest of one series that are shown. */
const LOOKED_AT = 5_000;
const SHOWN = 24;
/** Agents that are looked through for one with a run to show. */
const TRIED = 5;
/** Figures of landed groups: as long as no trial of the org is graded or counted again they do not change. */
const known = new LRUCache<string, TrendPoint>({ max: 5_000 });

/**
 * The agents that can be followed, and the points of the one that `key` names; of the newest where it names none. They are
 * by version unless asked otherwise, and by run where all shown are of one version. `agent` is the id of the only one looked at.
 */
export async function readTrend(ctx: Ctx, key?: string, asked?: Trend["by"], agent?: string): Promise<Trend> {
  const all = new Map<string, { series: TrendSeries; docs: GroupDoc[] }>();
  const where = agent === undefined ? {} : { where: { agent } };
  let seen = 0;
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, { ...page, ...where }))) {
    seen += 1;
    if (seen > LOOKED_AT) break;
    if (!isCompared(group)) continue;
    const of = keyOf(group);
    const entry = all.get(of) ?? { series: seriesOf(group, of), docs: [] };
    entry.docs.push(group);
    all.set(of, entry);
  }
  const series = [...all.values()].map(({ series: each, docs }) => ({ ...each, groups: docs.length }));
  const named = key === undefined ? undefined : all.get(key);
  // Where none is named, the newest that has more than one run to show, else the newest that has one.
  const tried = named === undefined ? [...all.values()].slice(0, TRIED) : [named];
  let told: { readonly each: TrendSeries; readonly docs: readonly GroupDoc[]; readonly landed: GroupDoc[] } | undefined;
  for (const { series: each, docs } of tried) {
    const landed = await landedOf(ctx, docs);
    if (landed.length > (told === undefined ? 0 : 1)) told = { each, docs, landed };
    if (landed.length > 1) break;
  }
  if (told !== undefined) {
    const { each, docs, landed } = told;
    const by = asked ?? (new Set(landed.map(versionOf)).size > 1 ? "version" : "run");
    return { series, shown: { ...each, groups: docs.length }, by, points: await pointsOf(ctx, landed, by) };
  }
  const [first] = tried;
  return {
    ...{ series, by: asked ?? "version", points: [] },
    ...(first === undefined ? {} : { shown: { ...first.series, groups: first.docs.length } }),
  };
}

/** The key of what a group is a point of. */
function keyOf(group: GroupDoc): string {
  const { player, runs } = group;
  const on = [...new Set(runs.map(({ environment }) => environment))].sort();
  return digestOf([player.agent ?? player.name, ...on, ...(sampleOf(group) ?? [])]).slice(0, 16);
}

/** The named sample that a group played, which has the same tasks each time; undefined where there were no more tasks than that. */
function sampleOf(group: GroupDoc): [string] | undefined {
  const size = /^(?:ci|smoke)-(\d+)$/.exec(group.selection)?.[1];
  return size === undefined || tasksOf(group) < Number(size) ? undefined : [group.selection];
}

function tasksOf({ runs }: GroupDoc): number {
  return sum(runs.map(({ tasks }) => tasks));
}

function isCompared({ player, retired_at, control_of }: GroupDoc): boolean {
  const told = player.harness === null || player.harness === "react";
  return told && retired_at === undefined && control_of === undefined;
}

function seriesOf(group: GroupDoc, key: string): TrendSeries {
  const labels = new Set(group.runs.map(({ label }) => label));
  return { key, agent: group.player.name, on: [...labels, ...(sampleOf(group) ?? [])].join(", "), groups: 0 };
}

function versionOf({ player }: GroupDoc): string {
  return player.version ?? player.name;
}

/** What trials of an agent cost, US dollars, over the trials that say so. */
export interface AgentSpend {
  /** Of an agent that is registered here. */
  readonly id?: string;
  readonly agent: string;
  /** It is a player that comes with the service. */
  readonly builtIn: boolean;
  readonly usd: number;
  readonly trials: number;
  readonly groups: number;
  /** The same run by run, the newest first: when it was started, unix seconds. */
  readonly runs: readonly { readonly group: string; readonly at: number; readonly usd: number }[];
}

/** What each agent's trials cost in the newest `most` landed groups that any agent played, the dearest first. */
export async function spendOfAgents(ctx: Ctx, most: number): Promise<AgentSpend[]> {
  const factsOf = factsReader(ctx);
  const stamp = await gradingStamp(ctx);
  type Sum = Omit<AgentSpend, "id" | "runs"> & { readonly id?: string; readonly runs: AgentSpend["runs"][number][] };
  const sums = new Map<string, { -readonly [K in keyof Sum]: Sum[K] }>();
  let seen = 0;
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, page))) {
    if (!isCompared(group)) continue;
    seen += 1;
    if (seen > most) break;
    if ((await factsOf(group)).status !== "landed") continue;
    const { usd } = await keptPoint(ctx, [group], stamp);
    const key = group.player.agent ?? group.player.name;
    const { agent: id, name: agent } = group.player;
    const sum = sums.get(key) ?? {
      ...(id === null ? {} : { id }),
      agent,
      builtIn: group.player.harness !== null,
      usd: 0,
      trials: 0,
      groups: 0,
      runs: [],
    };
    sums.set(key, sum);
    if (usd === undefined) continue;
    sum.runs.push({ group: group.id, at: group.created_at, usd: usd.mean * usd.of });
    sum.usd += usd.mean * usd.of;
    sum.trials += usd.of;
    sum.groups += 1;
  }
  return [...sums.values()].sort((a, b) => b.usd - a.usd);
}

/** The point that a landed group is; undefined of one that has not landed. */
export async function landedPoint(ctx: Ctx, group: GroupDoc): Promise<TrendPoint | undefined> {
  const { status } = await factsReader(ctx)(group);
  return status === "landed" ? keptPoint(ctx, [group], await gradingStamp(ctx)) : undefined;
}

/**
 * What the trials of these groups took, of the landed ones. Trials that were not read before are read in the order of the
 * groups, up to `most` of them: a group beyond is absent.
 */
export async function figuresOfGroups(
  ctx: Ctx,
  ids: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, TrialFigures>> {
  const factsOf = factsReader(ctx);
  const stamp = await gradingStamp(ctx);
  const docs = new Map((await ctx.store.records.getMany(RunGroup, ids)).map((doc) => [doc.id, doc]));
  const told = new Map<string, TrialFigures>();
  let read = 0;
  for (const id of ids) {
    const group = docs.get(id);
    if (group === undefined) continue;
    const { status, ends } = await factsOf(group);
    if (status !== "landed") continue;
    if (!known.has(pointKey(ctx, [group], stamp))) {
      read += ends.met + ends.failed + ends.infra + ends.invalid;
      if (read > most) break;
    }
    told.set(id, await keptPoint(ctx, [group], stamp));
  }
  return told;
}

function pointKey(ctx: Ctx, groups: readonly GroupDoc[], stamp: string): string {
  return `${ctx.org.id} ${groups.map((group) => `${group.id} ${versionOf(group)}`).join(" ")} ${stamp}`;
}

async function keptPoint(ctx: Ctx, newestFirst: Groups, stamp: string): Promise<TrendPoint> {
  const key = pointKey(ctx, newestFirst, stamp);
  const point = known.get(key) ?? (await pointOf(ctx, newestFirst));
  known.set(key, point);
  return point;
}

/** The newest landed groups of those that are on all tasks, or on the same sample of them each time. */
async function landedOf(ctx: Ctx, newestFirst: readonly GroupDoc[]): Promise<GroupDoc[]> {
  const factsOf = factsReader(ctx);
  const landed: GroupDoc[] = [];
  for (const group of newestFirst) {
    if (landed.length === SHOWN) break;
    const { status, partial, ends } = await factsOf(group);
    const ended = ends.met + ends.failed + ends.infra + ends.invalid;
    const sampled = sampleOf(group) !== undefined && ended >= tasksOf(group) * group.trials;
    if (status === "landed" && (!partial || sampled)) landed.push(group);
  }
  return landed;
}

async function pointsOf(ctx: Ctx, newestFirst: readonly GroupDoc[], by: Trend["by"]): Promise<TrendPoint[]> {
  const stamp = await gradingStamp(ctx);
  // Versions are in the order of their first run: one that is played again as the baseline of another stays before it.
  const oldestFirst = newestFirst.toReversed();
  const together = [...Map.groupBy(oldestFirst, by === "run" ? ({ id }) => id : versionOf).values()];
  const points: TrendPoint[] = [];
  for (const groups of together) {
    const [newest, ...others] = groups.toReversed();
    if (newest !== undefined) points.push(await keptPoint(ctx, [newest, ...others], stamp));
  }
  return points;
}

/** Groups of one version, the newest first. */
type Groups = readonly [GroupDoc, ...GroupDoc[]];

async function pointOf(ctx: Ctx, groups: Groups): Promise<TrendPoint> {
  const [newest] = groups;
  const played = groups.flatMap(({ runs }) => runs);
  const trials = await Promise.all(
    played.map(async ({ run, environment }) => {
      const rows = await trialsOf(ctx, run);
      // A task of several runs is one task: its trials say little more of others than those of one run do.
      return { rows, clustered: rows.map((row) => ({ ...row, run: environment })) };
    }),
  );
  const { rate, clustered, valid, tasks } = ratesOf(
    trials.flatMap((each) => each.clustered),
    newest.trials,
  );
  return {
    ...figuresOf(trials.flatMap(({ rows }) => rows)),
    group: newest.id,
    version: versionOf(newest),
    at: newest.created_at,
    runs: groups.length,
    tasks,
    met: { ...(rate === undefined ? {} : { share: rate }), low: clustered.low, high: clustered.high, of: valid },
  };
}

/** What trials took: time, calls and errors over the valid ones, cost and tokens over those that say it. */
export function figuresOf(trials: readonly TrialRow[]): TrialFigures {
  const played = trials.filter(({ end }) => end === "met" || end === "failed");
  const calls = played.map(callsOf);
  const [made, wrong] = [sum(calls.map(({ n }) => n)), sum(calls.map(({ met }) => met))];
  const times = played.map(({ ms }) => ms).sort((a, b) => a - b);
  const counted = trials.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens]));
  const tokens = (of: "input" | "output") => sum(counted.map((each) => each[of])) / counted.length;
  const priced = trials.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  return {
    ...(times.length === 0 ? {} : { ms: { p50: at(times, 0.5), p95: at(times, 0.95) }, steps: made / played.length }),
    errors: { ...(made === 0 ? {} : { share: wrong / made }), ...clusteredInterval(calls), of: made },
    ...(priced.length === 0 ? {} : { usd: { mean: sum(priced) / priced.length, of: priced.length } }),
    ...(counted.length === 0
      ? {}
      : { tokens: { input: tokens("input"), output: tokens("output"), of: counted.length } }),
  };
}

/** Calls of a trial, and those of them that were answered with an error, as a cluster. */
function callsOf({ trial }: TrialRow): { readonly n: number; readonly met: number } {
  return { n: trial.calls.length, met: trial.calls.filter(({ is_error }) => is_error).length };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { DEFAULT_PAGE, everyRow, type PageInput } from "../../page.ts";
import { RunRecount, RunRegrade } from "../../records/runs/grading.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import type { Ends } from "../trials/rates.ts";
import { tallyOf } from "../trials/trial-rows.ts";
import { type GroupDoc, groupState } from "./group-data.ts";
import type { GroupStatus } from "./group-status.ts";
import { groupRow } from "./group-view.ts";
import { isComplete } from "./last-group.ts";

/** How found groups are ordered: by time, or by met of valid trials; groups without a valid trial come last by rate. */
export const GROUP_SORTS = ["newest", "oldest", "best", "worst"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

/** Which groups are looked for; what is absent narrows nothing. */
export interface GroupSearch extends PageInput {
  /** Words that all occur, in any letter case, in the player, the environments, the selection, who started it or its id. */
  readonly q?: string | undefined;
  readonly player?: "agent" | "built-in" | undefined;
  /** The agent's id. */
  readonly agent?: string | undefined;
  readonly status?: GroupStatus | undefined;
  /** Runs of whole task sets, or with some tasks only. */
  readonly tasks?: "all" | "some" | undefined;
  readonly sort?: GroupSort | undefined;
}

/** What of a group is not in its record. */
export interface GroupFacts {
  readonly status: GroupStatus;
  readonly ends: Ends;
  /** Some run is on some of its environment's tasks only, or was ended early. */
  readonly partial: boolean;
}

/** Facts of landed groups: they change when trials are graded or counted again, which their key says. */
const known = new LRUCache<string, GroupFacts>({ max: 20_000 });
/** Groups whose facts are read at a time. */
const AT_ONCE = 50;

/** The groups that fit, with status and counts as they are now; retired ones are left out. `next` pages on. */
export async function findGroups(ctx: Ctx, input: GroupSearch) {
  const { sort = "newest", limit = DEFAULT_PAGE } = input;
  const from = input.cursor === undefined ? 0 : Number(input.cursor);
  if (!Number.isInteger(from) || from < 0) throw badField("cursor", "take it from `next` of the page before");
  const ranked = sort === "best" || sort === "worst";
  const judged = ranked || input.status !== undefined || input.tasks !== undefined;
  const read = factsReader(ctx);
  const found: GroupDoc[] = [];
  const factsOf = new Map<string, GroupFacts>();
  for await (const some of fitting(ctx, input)) {
    if (judged) await Promise.all(some.map(async (group) => factsOf.set(group.id, await read(group))));
    found.push(...some.filter(({ id }) => !judged || fits(factsOf.get(id), input)));
    if (!ranked && found.length > from + limit) break;
  }
  if (ranked) found.sort((a, b) => byRate(factsOf.get(a.id), factsOf.get(b.id), sort === "best" ? -1 : 1));
  const groups = await Promise.all(
    found.slice(from, from + limit).map(async (group) => {
      const { status, ends, partial } = factsOf.get(group.id) ?? (await read(group));
      return { ...groupRow({ group, status, job: undefined, runs: [] }, ends), partial };
    }),
  );
  return { groups, ...(found.length > from + limit ? { next: String(from + limit) } : {}) };
}

/** Reads what a group's record does not say: once for landed groups, until trials of the org are graded or counted again. */
export function factsReader(ctx: Ctx): (group: GroupDoc) => Promise<GroupFacts> {
  let graded: Promise<string> | undefined;
  return async (group) => {
    graded ??= gradingStamp(ctx);
    const key = `${ctx.org.id} ${group.id} ${await graded}`;
    const held = known.get(key);
    if (held !== undefined) return held;
    const state = await groupState(ctx, group);
    const ends = await tallyOf(
      ctx,
      group.runs.map(({ run }) => run),
    );
    const facts = { status: state.status, ends, partial: !state.runs.every(({ run }) => isComplete(run)) };
    if (facts.status === "landed") known.set(key, facts);
    return facts;
  };
}

/** Changes whenever trials of the org are graded or counted again: what is read of landed groups holds as long as it stays. */
export async function gradingStamp({ store: { records } }: Ctx): Promise<string> {
  return (await Promise.all([records.count(RunRegrade), records.count(RunRecount)])).join(" ");
}

/** Groups whose record fits, some at a time, in the order of time that is asked for. */
async function* fitting(ctx: Ctx, input: GroupSearch): AsyncGenerator<GroupDoc[]> {
  const order = input.sort === "oldest" ? ("oldest" as const) : ("newest" as const);
  const where = input.agent === undefined ? {} : { where: { agent: input.agent } };
  const words = (input.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let some: GroupDoc[] = [];
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, { ...page, ...where, order }))) {
    if (group.retired_at !== undefined) continue;
    if (input.player !== undefined && (group.player.harness === null) !== (input.player === "agent")) continue;
    if (words.length > 0 && !says(group, words)) continue;
    some.push(group);
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function says({ id, player, runs, selection, by }: GroupDoc, words: readonly string[]): boolean {
  const labels = runs.map(({ label }) => label);
  const text = [id, player.name, player.version ?? "", selection, by, ...labels].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function fits(facts: GroupFacts | undefined, input: GroupSearch): boolean {
  if (input.status !== undefined && facts?.status !== input.status) return false;
  return input.tasks === undefined || facts?.partial === (input.tasks === "some");
}

function byRate(a: GroupFacts | undefined, b: GroupFacts | undefined, direction: 1 | -1): number {
  const [x, y] = [rateOf(a), rateOf(b)];
  if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
  return (x - y) * direction;
}

function rateOf(facts: GroupFacts | undefined): number | undefined {
  if (facts === undefined) return undefined;
  const { met, failed } = facts.ends;
  return met + failed === 0 ? undefined : met / (met + failed);
}

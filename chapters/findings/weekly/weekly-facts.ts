import type { Ctx } from "../../context.ts";
import { weekBounds } from "../../iso-week.ts";
import type { ModeDoc, NoteDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import type { LedgerRow } from "../../ports/store.ts";
import type { Doc, RecordKind } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { type GroupDoc, type GroupState, groupState } from "../../runs/groups/group-data.ts";
import { isComplete } from "../../runs/groups/last-group.ts";
import { type Ends, endsOf, ratesOf } from "../../runs/trials/rates.ts";
import { trialsOfRun } from "../../runs/trials/trial-rows.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { type Paid, type PaidJob, paidJobs } from "../pages/paid-jobs.ts";
import type { Finding } from "../render/finding.ts";
import { findingOfGroups, orgFinding } from "../reports/org-finding.ts";

/** A run group that landed in the week, in whole or in part. */
export interface WeeklyGroup extends Ends {
  readonly group: GroupDoc;
  readonly status: "landed" | "partial";
  /** Of all tasks that counted, and played to its end: what changed is told of such ones. */
  readonly whole: boolean;
  /** When its last run ended, unix seconds. */
  readonly ended: number;
  readonly valid: number;
  /** The 95 % interval of its rate, over tasks. */
  readonly low: number;
  readonly high: number;
}

/** A failure mode that took another status in the week. */
export interface ModeChange {
  readonly mode: ModeDoc;
  readonly status: ModeDoc["status"];
  readonly at: number;
}

/** What a week is counted by, from stored records; nothing is graded, run or asked of a model. */
export interface WeekCounts {
  /** Newest first. Controls and retired ones are left out. */
  readonly groups: readonly WeeklyGroup[];
  readonly newModes: readonly ModeDoc[];
  readonly modeChanges: readonly ModeChange[];
  readonly notes: readonly NoteDoc[];
  /** Records of evidence that were stored. */
  readonly evidence: number;
  readonly spent: readonly LedgerRow[];
}

/** What a week holds. */
export interface WeeklyFacts extends WeekCounts {
  readonly org: string;
  /** The ISO week, from Monday 00:00 UTC. */
  readonly week: string;
  readonly from: number;
  readonly to: number;
  /** What changed per agent: its newest group of the week against the one before, the org's own finding first. */
  readonly findings: readonly Finding[];
  /** What was paid for, the dearest job first. */
  readonly jobs: readonly PaidJob[];
  /** Whether any trace behind the week's groups was made up. */
  readonly example: boolean;
}

/** How long before the week's begin a group may have started and still have ended in it, seconds. */
const LONGEST = 14 * 86_400;
/** Groups older than that which are looked at. */
const LOOKED_AT = 500;
/** Agents whose change is told. */
const CHANGES = 10;

/** The week's facts as they stand now. */
export async function weeklyFacts(ctx: Ctx, week: string): Promise<WeeklyFacts> {
  const { from, to } = weekBounds(week);
  const around = await groupsAround(ctx, from, to);
  const counts = await countsOf(ctx, from, to, around.ended);
  return {
    ...counts,
    jobs: await paidJobs(ctx, jobsOf(counts.spent)),
    org: ctx.org.tag,
    ...{ week, from, to },
    findings: await changes(ctx, around.ended, around.before),
    example: await inventedSurfaces(ctx, around.surfaces),
  };
}

/** The week's ledger by job; what no job spent stands by kind and by who asked. */
function jobsOf(spent: readonly LedgerRow[]): Paid[] {
  const by = Map.groupBy(spent, ({ job, kind, who }) => job ?? JSON.stringify([kind, who]));
  return [...by.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const usd = rows.reduce((sum, { micro_usd }) => sum + micro_usd, 0) / 1_000_000;
    const { job, kind, who } = first;
    return [{ job, kind, who, usd, started: Math.min(...rows.map(({ at }) => at)) }];
  });
}

/** The counts of the seven days before a week: what its own are held against. */
export async function countsBefore(ctx: Ctx, { from }: Pick<WeeklyFacts, "from">): Promise<WeekCounts> {
  const earlier = from - 7 * 86_400;
  return countsOf(ctx, earlier, from, (await groupsAround(ctx, earlier, from)).ended);
}

async function countsOf(ctx: Ctx, from: number, to: number, groups: readonly WeeklyGroup[]): Promise<WeekCounts> {
  const inWeek = (at: number) => at >= from && at < to;
  const modes = await madeSince(ctx, FailureMode, 0, to);
  const ours = modes.filter(({ visibility }) => visibility === "org");
  const notes = await madeSince(ctx, FeedbackNote, from, to);
  return {
    groups,
    newModes: ours.filter((mode) => inWeek(mode.created_at)),
    modeChanges: ours.flatMap((mode) =>
      mode.history
        .filter(({ at }) => inWeek(at) && at > mode.created_at)
        .map(({ status, at }) => ({ mode, status, at })),
    ),
    notes: notes.filter(({ visibility, retired_at }) => visibility === "org" && retired_at === undefined),
    evidence: (await madeSince(ctx, Evidence, from, to)).length,
    spent: await spentIn(ctx, from, to),
  };
}

async function groupsAround(ctx: Ctx, from: number, to: number) {
  const ended: WeeklyGroup[] = [];
  const before: GroupDoc[] = [];
  const surfaces: string[] = [];
  let older = 0;
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, page))) {
    if (group.created_at >= to || group.retired_at !== undefined || group.control_of !== undefined) continue;
    if (group.created_at < from - LONGEST) {
      // Too old to have ended in the week: it is only what a player's newest group is held against.
      if (++older > LOOKED_AT) break;
      const same = (of: GroupDoc) => playerOf(of) === playerOf(group);
      if (before.some(same) || !ended.some((of) => same(of.group))) continue;
    }
    const state = await groupState(ctx, group);
    const { status } = state;
    if (status !== "landed" && status !== "partial") continue;
    const at = endOf(state);
    if (at >= to) continue;
    if (at < from) {
      if (state.runs.every(({ run }) => isComplete(run))) before.push(group);
    } else {
      ended.push(await weeklyGroup(ctx, state, status, at));
      surfaces.push(...state.runs.map(({ run }) => run.surface));
    }
  }
  return { ended: ended.sort((a, b) => b.ended - a.ended), before, surfaces };
}

/** When the last of a group's runs ended; one that was taken in from elsewhere when it was taken in. */
function endOf({ group, job, runs }: GroupState): number {
  const ends = [job?.ended_at, ...runs.flatMap((own) => [own.job?.ended_at, own.run.finished_at])];
  return Math.max(group.created_at, ...ends.filter((at) => typeof at === "number"));
}

async function weeklyGroup(
  ctx: Ctx,
  { group, runs }: GroupState,
  status: WeeklyGroup["status"],
  ended: number,
): Promise<WeeklyGroup> {
  const rows = (await Promise.all(runs.map(({ run }) => trialsOfRun(ctx, run)))).flat();
  const { valid, clustered } = ratesOf(rows, group.trials);
  const whole = runs.every(({ run }) => isComplete(run));
  return { ...endsOf(rows), group, status, whole, ended, valid, ...clustered };
}

/** Per player its newest group of the week against the one that landed before it, where both ran a task under the same terms. */
async function changes(ctx: Ctx, ended: readonly WeeklyGroup[], before: readonly GroupDoc[]): Promise<Finding[]> {
  const { finding: own } = await orgFinding(ctx);
  const found = own && ended.some(({ group }) => group.id === own.tested.group) ? [own] : [];
  const whole = ended.filter((group) => group.whole);
  for (const [player, of] of Map.groupBy(whole, ({ group }) => playerOf(group))) {
    if (found.length >= CHANGES) break;
    const newest = of[0]?.group;
    const earlier = of[1]?.group ?? before.find((group) => playerOf(group) === player);
    if (!newest || !earlier || found.some(({ tested }) => tested.group === newest.id)) continue;
    const finding = await findingOfGroups(ctx, earlier.id, newest.id);
    if (finding && finding.n > 0) found.push(finding);
  }
  return found;
}

function playerOf({ agent, player }: GroupDoc): string {
  return agent ?? player.name;
}

/** The records of a kind that were made from one time to before another, oldest first. */
async function madeSince<K extends RecordKind>(ctx: Ctx, kind: K, from: number, to: number): Promise<Doc<K>[]> {
  const made: Doc<K>[] = [];
  for await (const doc of everyRow((page) => ctx.store.records.list(kind, page))) {
    const { created_at: at } = doc as { created_at: number };
    if (at >= to) continue;
    if (at < from) break;
    made.push(doc);
  }
  return made.reverse();
}

async function spentIn(ctx: Ctx, from: number, to: number): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const row of everyRow((page) => ctx.store.ledger.list(from, page))) if (row.at < to) rows.push(row);
  return rows;
}

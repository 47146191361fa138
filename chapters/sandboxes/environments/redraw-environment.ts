import type { AuditReport } from "../../../worlds/draw/audit.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { Doc } from "../../record.ts";
import type { AuditCounts, RevisionKind } from "../../records/sandboxes/revision.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { rewriteTasks } from "../authoring/author-tasks.ts";
import { auditState } from "../authoring/authoring-tasks.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { environmentTasks, type TaskDoc } from "../tasks/task-records.ts";
import { drawFrom } from "./draw-environment.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { type Change, drawOf, type RevisionDoc, revise, sameWorld } from "./revise.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** How an environment is drawn again. */
export interface Redraw {
  readonly act: RevisionKind;
  readonly seed: string;
  readonly regate: boolean;
  readonly reauthor: boolean;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
}

/** What came of it. */
export interface Redrawn {
  readonly revision: RevisionDoc;
  readonly keptToObserved: boolean;
  readonly regated: number;
  readonly rewritten: number;
  readonly worldsReset: number;
}

/** Counts of an audit: what a revision keeps of it. */
function auditCounts({ rows, drawn, contradictions, flags }: AuditReport): AuditCounts {
  return { rows, drawn, contradictions: contradictions.length, flags: flags.length };
}

/**
 * Draws an environment again from a bundle and certifies its tasks there, as one revision. Drawn rows that contradict
 * the observed ones more than before are left out: it is then held to what was observed. Undefined when the world
 * comes out as it is.
 */
export async function redrawEnvironment(
  ctx: Ctx,
  environment: EnvironmentDoc,
  bundle: BundleDoc,
  how: Redraw,
): Promise<Redrawn | undefined> {
  const before = await ctx.compute.run(auditState, await loadEnvironment(ctx, environment), ctx.signal);
  const tried = await drawFrom(ctx, bundle, { hypothesis: environment.hypothesis, seed: how.seed });
  const worse = tried.audit.contradictions.length > before.contradictions.length;
  const keptToObserved = worse && environment.hypothesis === "fitted";
  const made = keptToObserved ? await drawFrom(ctx, bundle, { hypothesis: "observed", seed: how.seed }) : tried;
  const draw = { ...made.draw, hypothesis: environment.hypothesis };
  if (sameWorld(drawOf(environment), draw)) return undefined;
  const next = { ...environment, ...draw };
  const rows = await environmentTasks(ctx, environment.id);
  const due = how.regate ? rows.filter((row) => row.status === "certified" || row.status === "refused") : [];
  const reviews = await judgeTasks(ctx, await loadEnvironment(ctx, next), due);
  const settled = new Map(due.map((row, i) => [row.id, reviewed(row, reviews[i]!, true, ctx.now())]));
  const lost = due.filter((row) => row.status === "certified" && settled.get(row.id)?.status === "refused");
  const rewritten = how.reauthor
    ? await rewriteTasks(ctx, next, lost, { seed: how.seed, asked: new Set(rows.map((row) => row.task.request)) })
    : new Map<string, TaskDoc>();
  for (const [id, row] of rewritten) settled.set(id, row);
  const change: Change = {
    act: how.act,
    reason: how.reason,
    by: how.by,
    draw,
    changed: due.map((row) => ({ before: row, after: settled.get(row.id)! })),
    audit: { before: auditCounts(before), after: auditCounts(made.audit) },
  };
  const { revision, worldsReset } = await revise(ctx, environment, change);
  return { revision, keptToObserved, regated: due.length, rewritten: rewritten.size, worldsReset };
}

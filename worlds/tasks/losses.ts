import { z } from "zod";
import type { Kit } from "./kit.ts";
import type { Task } from "./schema.ts";

/** Where tasks were lost on the way, by stage and then by reason: how often. */
export type Losses = Map<string, Map<string, number>>;

const kept = new WeakMap<Kit, Losses>();

/** Counts what is lost on a kit from now on into the given losses. */
export function keepLosses(kit: Kit, losses: Losses): void {
  kept.set(kit, losses);
}

/** Counts one loss where somebody asked for them. Answers undefined, so that a search can end with it. */
export function lost(kit: Kit, stage: string, reason: string): undefined {
  const losses = kept.get(kit);
  if (!losses) return undefined;
  const reasons = losses.get(stage) ?? new Map<string, number>();
  losses.set(stage, reasons);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return undefined;
}

/** Stages at which evidence was lacking, as they are told in turn: what is lost at others is lost to the writing. */
const EVIDENCE_STAGES = ["held drafts", "sessions", "recorded tasks", "calls", "words"] as const;
const MOST_REASONS = 6;

/** What stood in the way of further tasks at a stage: how often, and at which tool where a reason is one of a tool. */
export const Obstacle = z.object({
  stage: z.enum(EVIDENCE_STAGES),
  n: z.number().int(),
  /** The most frequent first, at most six. */
  reasons: z.array(z.object({ reason: z.string(), tool: z.string().optional(), n: z.number().int() })),
});
export type Obstacle = z.infer<typeof Obstacle>;

/** What more evidence could have helped of what was lost; `tools` are the names that a reason may hold. */
export function obstacles(losses: Losses, tools: readonly string[]): Obstacle[] {
  const names = new Set(tools);
  return EVIDENCE_STAGES.flatMap((stage) => {
    const reasons = byCount(losses.get(stage) ?? new Map());
    if (reasons.length === 0) return [];
    const told = reasons.slice(0, MOST_REASONS).map(([reason, n]) => {
      const tool = reason.split(" ").find((word) => names.has(word));
      return { reason, ...(tool === undefined ? {} : { tool }), n };
    });
    return [{ stage, n: reasons.reduce((sum, [, n]) => sum + n, 0), reasons: told }];
  });
}

/** Why no task that was written needs a tool: the most frequent reason for which drafts that would were lost. */
export const Unused = z.object({ tool: z.string(), reason: z.string(), n: z.number().int() });
export type Unused = z.infer<typeof Unused>;

/** The tools that no written task needs and that a loss names; one that no draft was made of is not among them. */
export function unusedTools(
  losses: Losses,
  tools: readonly string[],
  tasks: readonly Pick<Task, "script">[],
): Unused[] {
  const used = new Set(tasks.flatMap(({ script }) => script.calls.map(({ tool }) => tool)));
  const all = byCount(new Map([...losses.values()].flatMap((reasons) => [...reasons])));
  return tools.flatMap((tool) => {
    const most = used.has(tool) ? undefined : all.find(([reason]) => reason.split(/[\s,:()]+/).includes(tool));
    return most === undefined ? [] : [{ tool, reason: most[0], n: most[1] }];
  });
}

function byCount(reasons: ReadonlyMap<string, number>): [string, number][] {
  return [...reasons].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

/** The losses in words: each stage with its count and its most frequent reasons. */
export function tellLosses(losses: Losses, most = 4): string {
  const total = (reasons: ReadonlyMap<string, number>) => [...reasons.values()].reduce((sum, n) => sum + n, 0);
  return [...losses]
    .map(([stage, reasons]) => {
      const told = byCount(reasons).slice(0, most);
      return `${stage} ${total(reasons)} (${told.map(([reason, n]) => `${n} ${reason}`).join(", ")})`;
    })
    .join("; ");
}

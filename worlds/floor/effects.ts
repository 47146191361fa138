import type { Session } from "../compile/observations.ts";
import { canonicalJson } from "../digest.ts";

/** What evidence shows of the effects of calls. */
export interface Effects {
  /** Whether calls of this tool were shown to change nothing that any session read again. */
  pure(tool: string): boolean;
  /** Whether calls of this tool were seen to change what some tool answers. */
  changes(tool: string): boolean;
  /** How often a question was answered alike before and after calls of this tool, and how often otherwise for its sake. */
  unchanged(tool: string): number;
  changed(tool: string): number;
  /** Tools after which answers of this tool were seen to differ. */
  changedBy(tool: string): ReadonlySet<string>;
}

/** How often a question has to answer the same around a tool's calls until they are taken to change nothing. */
const CLEAN = 3;
/** A question asked again after more calls than these shows little of any one of them. */
const FAR = 60;

const NONE: ReadonlySet<string> = new Set();

/**
 * Finds the tools that change state: fewest tools that explain every question which answered otherwise when it was
 * asked again. A refusal has no effect. `answerOf` gives what counts as the same answer; what `reads` says to read
 * explains a change only where nothing else was called.
 */
export function effectsOf(
  sessions: readonly Session[],
  answerOf: (session: number, call: number) => string,
  reads: (tool: string) => boolean = () => false,
): Effects {
  const changed: { tool: string; between: ReadonlySet<string> }[] = [];
  const clean = new Map<string, number>();
  sessions.forEach(({ calls }, s) => {
    const last = new Map<string, number>();
    calls.forEach(({ tool, args }, j) => {
      const question = `${tool}\n${canonicalJson(args)}`;
      const i = last.get(question);
      last.set(question, j);
      if (i === undefined || j - i > FAR) return;
      const between = new Set<string>();
      for (let k = i; k < j; k++) {
        const call = calls[k];
        if (call?.ok) between.add(call.tool);
      }
      const others = new Set([...between].filter((name) => !reads(name)));
      if (answerOf(s, i) !== answerOf(s, j)) changed.push({ tool, between: others.size > 0 ? others : between });
      else for (const name of between) clean.set(name, (clean.get(name) ?? 0) + 1);
    });
  });
  const writers = new Set<string>();
  const causes = new Map<string, number>();
  let open = changed.filter(({ between }) => between.size > 0);
  while (open.length > 0) {
    const best = likeliest(open, clean);
    writers.add(best);
    const left = open.filter(({ between }) => !between.has(best));
    causes.set(best, open.length - left.length);
    open = left;
  }
  const changers = new Map<string, Set<string>>();
  for (const { tool, between } of changed) {
    const own = changers.get(tool) ?? new Set<string>();
    changers.set(tool, own);
    for (const name of between) if (writers.has(name)) own.add(name);
  }
  return {
    pure: (tool) => !writers.has(tool) && (clean.get(tool) ?? 0) >= CLEAN,
    changes: (tool) => writers.has(tool),
    unchanged: (tool) => clean.get(tool) ?? 0,
    changed: (tool) => causes.get(tool) ?? 0,
    changedBy: (tool) => changers.get(tool) ?? NONE,
  };
}

/** The tool whose calls most often stand in a change of those around which something was asked again; the smaller name on a tie. */
function likeliest(open: readonly { between: ReadonlySet<string> }[], clean: ReadonlyMap<string, number>): string {
  const hits = new Map<string, number>();
  for (const { between } of open) for (const name of between) hits.set(name, (hits.get(name) ?? 0) + 1);
  let best = "";
  let top = -1;
  for (const [name, n] of [...hits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const score = n / (n + (clean.get(name) ?? 0));
    if (score > top) [best, top] = [name, score];
  }
  return best;
}

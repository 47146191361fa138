import { z } from "zod";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { type JobCtx, job } from "../../job.ts";
import type { Doc } from "../../record.ts";
import { type ToolWrites, WRITE_PATH_THRESHOLD, WritePathCount } from "../../records/agents/write-path.ts";
import { DEFAULT_SURFACE, type Evidence } from "../../records/evidence/evidence.ts";
import { surfaceNamed } from "../../sandboxes/surfaces/surfaces.ts";
import { batchesOf } from "../agent-batches.ts";
import { type KnownTool, toolEffects } from "./tool-effects.ts";
import { writesOf } from "./write-paths.ts";

type CountDoc = Doc<typeof WritePathCount>;
type EvidenceDoc = Doc<typeof Evidence>;

/** Counts an agent's write paths over every stored trace batch but those of other agents. No model is asked. */
export const writePathJob = job({
  kind: "write_path_count",
  input: z.object({ agent: z.string() }),
  key: ({ agent }) => agent,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: countWritePaths,
});

/** Traces between two looks at who else waits for this thread. */
const AT_A_TIME = 25;

async function countWritePaths(ctx: JobCtx, { agent }: { readonly agent: string }): Promise<CountDoc> {
  const { own, apart } = await batchesOf(ctx, agent);
  const tally = new Tally();
  const effects = new Map<string, Awaited<ReturnType<typeof effectsOf>>>();
  let done = 0;
  for (const batch of own) {
    ctx.progress(done++, own.length, "batches");
    const surface = batch.surface ?? DEFAULT_SURFACE;
    const effectOf = effects.get(surface) ?? (await effectsOf(ctx, surface));
    effects.set(surface, effectOf);
    let n = 0;
    for await (const { id, trace } of ctx.store.traces.stream([batch.id])) {
      tally.take(id, trace.session, batch.provenance, trace.calls.length, writesOf(trace, effectOf), effectOf);
      if (++n % AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
      ctx.signal.throwIfAborted();
    }
  }
  const tools = tally.tools();
  const sum = (of: "writes" | "with_row") => tools.reduce((total, tool) => total + tool[of], 0);
  const count: CountDoc = {
    id: ctx.id(WritePathCount.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    agent,
    tools,
    coverage: {
      batches: own.length,
      apart,
      traces: tally.traces,
      calls: tally.calls,
      writes: sum("writes"),
      with_row: sum("with_row"),
    },
    proposals: tools.filter(isProposed).map(({ tool }) => tool),
    tier: "deterministic",
  };
  await ctx.store.records.insert(WritePathCount, count);
  await ctx.job.audit("counted", { count: count.id, traces: tally.traces, proposals: count.proposals.length });
  return count;
}

function isProposed({ unread_sessions, share }: ToolWrites): boolean {
  const { sessions, share: least } = WRITE_PATH_THRESHOLD;
  return unread_sessions >= sessions && share !== undefined && share >= least;
}

/** What the served version of a surface says of each tool; by names where it says nothing, or was never compiled. */
async function effectsOf(ctx: Ctx, name: string): Promise<(tool: string) => KnownTool> {
  const served = (await surfaceNamed(ctx, name))?.bundle;
  return toolEffects(served === undefined ? undefined : (await loadBundle(ctx, served)).bundle);
}

const EXAMPLES = 5;

interface Sums {
  writes: number;
  with_row: number;
  unread: number;
  readonly sessions: Set<string>;
  readonly unreadSessions: Set<string>;
  readonly examples: ToolWrites["examples"];
  told_by: ToolWrites["told_by"];
}

/** What is summed up over traces, tool by tool. */
class Tally {
  traces = 0;
  calls = 0;
  readonly #tools = new Map<string, Sums>();

  take(
    trace: string,
    session: string,
    provenance: EvidenceDoc["provenance"],
    calls: number,
    writes: ReturnType<typeof writesOf>,
    effectOf: (tool: string) => KnownTool,
  ): void {
    this.traces += 1;
    this.calls += calls;
    for (const { tool, row } of writes) {
      const sums = this.#of(tool, effectOf(tool).told_by);
      sums.writes += 1;
      if (row === "no_row") continue;
      sums.with_row += 1;
      sums.sessions.add(session);
      if (row === "read") continue;
      sums.unread += 1;
      sums.unreadSessions.add(session);
      const shown = sums.examples.some((example) => example.trace === trace);
      if (!shown && sums.examples.length < EXAMPLES) sums.examples.push({ trace, session, provenance });
    }
  }

  #of(tool: string, told_by: Sums["told_by"]): Sums {
    const known = this.#tools.get(tool);
    if (known) {
      // Of two surfaces the weaker way of telling is said.
      if (told_by === "names") known.told_by = told_by;
      return known;
    }
    const none = { writes: 0, with_row: 0, unread: 0, examples: [], told_by };
    const made: Sums = { ...none, sessions: new Set(), unreadSessions: new Set() };
    this.#tools.set(tool, made);
    return made;
  }

  /** Highest share first, then by name. */
  tools(): ToolWrites[] {
    return [...this.#tools]
      .map(
        ([tool, { sessions, unreadSessions, ...sums }]): ToolWrites => ({
          tool,
          ...sums,
          sessions: sessions.size,
          unread_sessions: unreadSessions.size,
          ...(sums.with_row === 0 ? {} : { share: sums.unread / sums.with_row }),
        }),
      )
      .sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || (a.tool < b.tool ? -1 : 1));
  }
}

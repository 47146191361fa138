import type { Check } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { findAgent } from "../../find-agent.ts";
import { certifiedTasks } from "../../ontology/live-tasks.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { trialsOf } from "../../runs/trials/trial-rows.ts";

/** What a criterion needs to be ready. */
const NEEDED = { tasks: 5, health: 0.99, trials: 30 } as const;

interface Standing {
  tasks: number;
  mutants: number;
  rejected: number;
  trials: number;
}

/** Which criteria can be reported, and what the others lack. Trials of agents and their harnesses count, reference trials do not. */
export async function getReadiness(ctx: Ctx, input: { readonly agent?: string | undefined }) {
  const agent = input.agent === undefined ? undefined : await findAgent(ctx, input.agent);
  const criteria = new Map<Check["kind"], Standing>();
  const kindsOf = new Map<string, Set<Check["kind"]>>();
  for await (const { id, task, health } of certifiedTasks(ctx)) {
    const kinds = new Set(task.checks.map(({ kind }) => kind));
    kindsOf.set(id, kinds);
    for (const kind of kinds) {
      const standing = criteria.get(kind) ?? { tasks: 0, mutants: 0, rejected: 0, trials: 0 };
      standing.tasks++;
      standing.mutants += health?.mutants ?? 0;
      standing.rejected += health?.rejected ?? 0;
      criteria.set(kind, standing);
    }
  }
  for await (const run of everyRow((page) => ctx.store.records.list(Run, page))) {
    const { agent: played, harness } = run.player;
    if (agent === undefined ? played === null && harness !== "react" && harness !== "rule" : played !== agent.id)
      continue;
    for (const { task, end } of await trialsOf(ctx, run.id))
      if (end === "met" || end === "failed")
        for (const kind of kindsOf.get(task) ?? []) {
          const standing = criteria.get(kind);
          if (standing) standing.trials++;
        }
  }
  const rows = [...criteria]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([criterion, standing]) => told(criterion, standing));
  return {
    org: ctx.org.tag,
    agent: agent?.id ?? null,
    needed: NEEDED,
    ready: rows.filter((row) => row.ready).length,
    criteria: rows,
    tier: "deterministic" as const,
  };
}

function told(criterion: Check["kind"], { tasks, mutants, rejected, trials }: Standing) {
  const health = mutants === 0 ? undefined : rejected / mutants;
  const missing = [
    ...(tasks < NEEDED.tasks ? [{ what: "tasks" as const, have: tasks, need: NEEDED.tasks }] : []),
    ...(health === undefined
      ? [{ what: "health" as const, need: NEEDED.health }]
      : health < NEEDED.health
        ? [{ what: "health" as const, have: health, need: NEEDED.health }]
        : []),
    ...(trials < NEEDED.trials ? [{ what: "trials" as const, have: trials, need: NEEDED.trials }] : []),
  ];
  return {
    criterion,
    tasks,
    ...(health === undefined ? {} : { health }),
    trials,
    ready: missing.length === 0,
    missing,
  };
}

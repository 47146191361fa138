import { Family } from "../../../worlds/tasks/schema.ts";
import { PERSONAS } from "../../../worlds/tasks/words/phrases.ts";
import type { Ctx } from "../../context.ts";
import { everyValue } from "../../dimensions/axes.ts";
import { notFound } from "../../errors.ts";
import { certifiedTasks } from "../../ontology/live-tasks.ts";
import { cellOf } from "../../ontology/matrices.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import type { TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { listed } from "../pages/listed.ts";
import type { PageDoc, PageSection } from "../pages/page-doc.ts";
import { counted, cut } from "../pages/words.ts";

/** A cell's page, with the tools that its tasks need, which lead to its traces. */
export interface CellPage {
  readonly doc: PageDoc;
  readonly tools: readonly string[];
}

/**
 * A cell of the coverage matrix: the certified tasks of a persona's job, and the evidence that both are cited from. A
 * persona or a job that neither a task, nor a value, nor a rule knows is not found.
 */
export async function cellPage(ctx: Ctx, persona: string, job: string): Promise<CellPage> {
  const values = await everyValue(ctx);
  const valued = (field: string) => values.flatMap((row) => (row.field === field ? [row.value] : []));
  // A job that a person marked needs no task and no value of its own, and a gap is just that.
  const marked = (name: "personas" | "jobs") => values.flatMap((row) => row[name] ?? []);
  const personas = new Set([...PERSONAS, ...valued("persona"), ...marked("personas")]);
  const jobs = new Set<string>([...Family.options, ...valued("use_case"), ...marked("jobs")]);
  const tasks: TaskDoc[] = [];
  for await (const row of certifiedTasks(ctx)) {
    const cell = cellOf(values, row);
    personas.add(cell.persona);
    jobs.add(cell.job);
    if (cell.persona === persona && cell.job === job) tasks.push(row);
  }
  if (!personas.has(persona) || !jobs.has(job)) throw notFound("cell");
  const cites = (field: string, value: string) =>
    values.find((row) => row.field === field && row.value === value)?.cites ?? [];
  const cited = [...new Set([...cites("persona", persona), ...cites("use_case", job)])];
  const records = await ctx.store.records.getMany(Evidence, cited);
  const doc: PageDoc = {
    v: 1,
    title: `${cut(job, 80)}, for ${cut(persona, 80)}`,
    made_at: ctx.now(),
    verdict: {
      text: tasks.length === 0 ? "No certified task covers this job." : `${counted(tasks.length, "certified task")}.`,
      tone: tasks.length === 0 ? "warn" : "good",
      tier: "deterministic",
      how: `Of the org's live environments.${records.length === 0 ? " Neither the persona nor the job was read from a record of evidence." : ""}`,
    },
    sections: [
      ...(tasks.length === 0 ? [] : [taskTable(tasks)]),
      ...(records.length === 0 ? [] : [evidenceTable(records)]),
    ],
  };
  return { doc, tools: [...new Set(tasks.flatMap(({ task }) => task.script.calls.map(({ tool }) => tool)))] };
}

function evidenceTable(records: readonly Doc<typeof Evidence>[]): PageSection {
  return {
    show: "table",
    heading: "Evidence",
    caption: "Records that the persona or the job was read from; each opens its traces.",
    tier: "deterministic",
    columns: [{ name: "Record" }, { name: "Provenance" }, { name: "Traces", kind: "number" }],
    ...listed(records, ({ id, tag, surface, format, provenance, stats }) => [
      { text: cut(tag ?? surface ?? format, 80), link: { page: "evidence", id } },
      provenance,
      stats.traces,
    ]),
  };
}

/** Tasks in a table, each a way to every run of it. */
export function taskTable(tasks: readonly TaskDoc[], heading = "Tasks"): PageSection {
  return {
    show: "table",
    heading,
    caption: "Each request opens every run of the task.",
    tier: "deterministic",
    columns: [
      { name: "Request", kind: "wide" },
      { name: "Family" },
      { name: "Stands" },
      { name: "Checks", kind: "number" },
    ],
    ...listed(tasks, ({ id, environment, task, status }) => [
      { text: cut(task.request, 240), link: { page: "task", id: `${environment}/${id}` } },
      task.family,
      status,
      task.checks.length,
    ]),
  };
}

import { canonicalJson } from "../../worlds/digest.ts";
import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { Environment } from "../records/sandboxes/sandboxes.ts";
import type { EnvironmentDoc } from "../sandboxes/environments/environment-records.ts";
import type { TaskDoc } from "../sandboxes/tasks/task-records.ts";
import { csvLine } from "../text/csv.ts";

/** A task as a record of an external tool's dataset. Its id is the task's, so that a second export updates and never doubles. */
export interface DatasetRecord {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected_output: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/**
 * What the datasets of the org's environments are called in an external tool, by environment: the org's tag and the label.
 * The first environment of a label has that name for good, retired or not; each later one has its id in it.
 */
export async function datasetNames(ctx: Ctx): Promise<(environment: Pick<EnvironmentDoc, "id" | "label">) => string> {
  const first = new Map<string, string>();
  for await (const { id, label } of everyRow((page) =>
    ctx.store.records.list(Environment, { ...page, order: "oldest" }),
  ))
    if (!first.has(label)) first.set(label, id);
  return ({ id, label }) => {
    const name = `${ctx.org.tag}/${label}`;
    return (first.get(label) ?? id) === id ? name : `${name} ${id}`;
  };
}

/** A task as others keep it: what the user asks, the right answer and calls, and what names its terms. */
export function datasetRecord(environment: EnvironmentDoc, row: TaskDoc): DatasetRecord {
  const { family, request, turns, script, voice, tier } = row.task;
  return {
    id: row.id,
    input: { request, ...(turns.length > 0 ? { turns } : {}) },
    expected_output: { answer: script.answer, calls: script.calls },
    metadata: {
      environment: environment.id,
      world: environment.base_blob,
      task_digest: row.digest,
      family,
      voice,
      tier,
    },
    tags: [`family:${family}`, `environment:${environment.id}`],
  };
}

const COLUMNS = ["id", "input", "expected_output", "metadata", "tags"] as const;

/** Records as the vendor's import file: CSV with a header, cells of JSON text but for the id. */
export function* csvLines(records: Iterable<DatasetRecord>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const record of records)
    yield csvLine(COLUMNS.map((name) => (name === "id" ? record.id : canonicalJson(record[name]))));
}

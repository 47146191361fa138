import type { JobRow } from "../../chapters/ports/store.ts";
import { jobs } from "../schema.ts";
import type { Values } from "../statement.ts";
import { canonicalText } from "../text.ts";

/** What a job is read by: every column but the lease. */
export const jobColumns = {
  id: jobs.id,
  org: jobs.org,
  kind: jobs.kind,
  key: jobs.key,
  status: jobs.status,
  note: jobs.note,
  parent: jobs.parent,
  by: jobs.by,
  input: jobs.input,
  state: jobs.state,
  result: jobs.result,
  attempt: jobs.attempt,
  done: jobs.done,
  total: jobs.total,
  message: jobs.message,
  stop_by: jobs.stop_by,
  created_at: jobs.created_at,
  started_at: jobs.started_at,
  ended_at: jobs.ended_at,
};

type StoredJob = Omit<JobRow, "input" | "state" | "result"> & Readonly<Record<"input" | "state" | "result", string>>;

/** A job as the port has it. An absent `state` or `result` is undefined. */
export function jobOf(row: StoredJob): JobRow {
  return { ...row, input: fromText(row.input), state: fromText(row.state), result: fromText(row.result) };
}

/** A job, or part of one, as its columns hold it. */
export function jobValues(row: Partial<JobRow>): Values {
  const values: Record<string, Values[string]> = {};
  for (const [column, cell] of Object.entries(row)) {
    if (column === "input" || column === "state" || column === "result") values[column] = toText(cell);
    else if (cell !== undefined) values[column] = cell as Values[string];
  }
  return values;
}

// Undefined is told from null: a job that wrote no state yet begins with none.
function toText(cell: unknown): string {
  return cell === undefined ? "" : canonicalText(cell);
}

function fromText(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

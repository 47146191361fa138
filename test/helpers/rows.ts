import { monotonicFactory } from "ulid";
import type { JobRow, TokenRow } from "../../chapters/ports/store.ts";
import type { TrialRow } from "../../chapters/records/runs/runs.ts";
import type { JournalEntry } from "../../worlds/state/journal.ts";

/** Later ids sort after earlier ones. */
const ulid = monotonicFactory();

/** A queued job of an org, with what matters to a test. */
export function jobRow(org: string, some: Partial<JobRow> = {}): JobRow {
  const id = `job_${ulid()}`;
  return {
    id,
    org,
    kind: "k",
    key: id,
    status: "queued",
    note: null,
    parent: null,
    by: "tester",
    input: { a: 1 },
    state: null,
    result: null,
    attempt: 0,
    done: 0,
    total: null,
    message: null,
    stop_by: null,
    created_at: 1000,
    started_at: null,
    ended_at: null,
    ...some,
  };
}

/** An org's token that lasts, with what matters to a test. */
export function tokenRow(some: Partial<TokenRow> = {}): TokenRow {
  const id = `tok_${ulid()}`;
  return {
    id,
    kind: "org",
    hash: id.padEnd(64, "0"),
    prefix: "svc_org_ab",
    name: "ci",
    scope: "push",
    world: null,
    created_by: "tester",
    created_at: 10,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    ...some,
  };
}

/** A first trial that met its task, with what matters to a test. */
export function trialRow(some: Partial<TrialRow> = {}): TrialRow {
  return {
    run: "run_1",
    task: "task_1",
    n: 1,
    attempt: 1,
    end: "met",
    cause: null,
    root_cause: null,
    answer_class: "answered",
    checks: [],
    trial: { calls: [], answers: [], diff: [] },
    started_at: 1,
    ms: 1,
    log: "",
    ...some,
  };
}

/** A call that a world recorded and that changed nothing, with what matters to a test. */
export function journalEntry(some: Partial<JournalEntry> = {}): JournalEntry {
  return {
    seq: 1,
    tool: "get",
    args: {},
    answer: null,
    answer_class: "empty",
    is_error: false,
    changes: [],
    at: 1,
    drawn: 0,
    ...some,
  };
}

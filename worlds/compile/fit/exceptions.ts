import type { RecordedAnswer } from "../../bundle.ts";
import { type History, stateBefore } from "../history.ts";
import type { Call } from "../observations.ts";
import { byText, same } from "../values.ts";
import type { Replayed } from "../verify.ts";
import { observationsAfter } from "./examples.ts";

/** Observed calls at the initial state that behaviours answer otherwise, where all observations agree. */
export function exceptionsFrom(
  replayed: readonly Replayed[],
  history: History,
  writes: readonly Call[],
): RecordedAnswer[] {
  const groups = new Map<string, Replayed[]>();
  for (const row of replayed) {
    if (!row.pristine) continue;
    const list = groups.get(row.id);
    if (list) list.push(row);
    else groups.set(row.id, [row]);
  }
  const out: RecordedAnswer[] = [];
  for (const [, rows] of [...groups].sort((a, b) => byText(a[0], b[0]))) {
    const first = rows[0] as Replayed;
    if (rows.every((row) => row.identical) || !rows.every((row) => row.observedText === first.observedText)) continue;
    const { call } = first;
    const left = call.ok && history.writers.has(call.tool) ? changedRows(rows, history, writes) : [];
    out.push({
      tool: call.tool,
      args: call.args,
      answer: call.value,
      is_error: call.flagged,
      answer_class: call.answerClass,
      ...(left.length > 0 ? { rows: left } : {}),
    });
  }
  return out;
}

/** The rows that observations of one call show changed: in its own answer, and in what its trace read before the next write. */
function changedRows(
  rows: readonly Replayed[],
  history: History,
  writes: readonly Call[],
): NonNullable<RecordedAnswer["rows"]> {
  const out = new Map<string, NonNullable<RecordedAnswer["rows"]>[number]>();
  for (const { call } of rows) {
    const before = stateBefore(history, call);
    const own = (history.observations[call.trace] ?? []).filter((sight) => sight.call === call);
    for (const { table, key, row, call: shownBy } of [...own, ...observationsAfter(history, call, writes)]) {
      const id = `${table}\n${key}`;
      const was = before(table, key);
      if (!was && shownBy !== call) continue;
      const changed = !was || Object.keys(row).some((column) => !same(row[column], was[column]));
      if (changed && !out.has(id)) out.set(id, { table, key, row });
    }
  }
  return [...out].sort(([a], [b]) => byText(a, b)).map(([, left]) => left);
}

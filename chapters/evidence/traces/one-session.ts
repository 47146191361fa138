import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { isOwnId } from "../formats/values.ts";

/** A session that its source does not name has the number of its item for a name. */
const UNNAMED = /^item-\d+$/;

/**
 * The traces of which no other one is the same session or goes on with it: a session that was sent twice, or again when
 * it had grown, stands once, in its longest form. Of equal ones the first stays. Order is kept.
 */
export function oneEach<T>(rows: readonly T[], traceOf: (row: T) => CanonicalTrace): T[] {
  const dropped = new Set<T>();
  const byName = new Map<string, T[]>();
  for (const row of rows) {
    const trace = traceOf(row);
    const names = namesOf(trace);
    if (names.length === 0) continue;
    const alike = [...new Set(names.flatMap((name) => byName.get(name) ?? []))].filter((other) => !dropped.has(other));
    if (alike.some((other) => goesOn(trace, traceOf(other)))) {
      dropped.add(row);
      continue;
    }
    for (const other of alike) if (goesOn(traceOf(other), trace)) dropped.add(other);
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return rows.filter((row) => !dropped.has(row));
}

/** What a session is known by: the first id that a provider made for a call of it, and the name that its source gave it. */
function namesOf({ session, calls }: CanonicalTrace): string[] {
  const call = calls.find(({ span }) => isOwnId(span));
  return [
    ...(call === undefined ? [] : [`call ${call.span}`]),
    ...(UNNAMED.test(session) ? [] : [`session ${session}`]),
  ];
}

/** Whether `after` begins with all that `before` holds, of which something is an agent's own. */
function goesOn(before: CanonicalTrace, after: CanonicalTrace): boolean {
  if (before.turns.length > after.turns.length || before.calls.length > after.calls.length) return false;
  if (before.calls.length === 0 && !before.turns.some(({ role, text }) => role === "assistant" && text !== ""))
    return false;
  if (before.labels.trial !== after.labels.trial || before.labels.task_id !== after.labels.task_id) return false;
  const turns = before.turns.every(
    ({ role, text }, i) => after.turns[i]?.role === role && after.turns[i]?.text === text,
  );
  return turns && before.calls.every((call, i) => isSameCall(call, after.calls[i]));
}

type Call = CanonicalTrace["calls"][number];

function isSameCall(before: Call, after: Call | undefined): boolean {
  if (after === undefined || before.tool !== after.tool || before.span !== after.span) return false;
  if (JSON.stringify(before.args) !== JSON.stringify(after.args)) return false;
  return before.answer_class === "pending" || JSON.stringify(before.result) === JSON.stringify(after.result);
}

import { hash } from "node:crypto";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { isOwnId } from "../formats/values.ts";

/** A session that its source does not name has the number of its item for a name. */
const UNNAMED = /^item-\d+$/;

/** What is kept of a session beside its value: digests, so that the traces of a large file need not all be held. */
interface Session<T> {
  readonly value: T;
  readonly names: readonly string[];
  /** Whether something of it is an agent's own. */
  readonly ofAgent: boolean;
  readonly trial: string | undefined;
  readonly task: string | undefined;
  readonly turns: readonly string[];
  readonly calls: readonly { readonly made: string; readonly result: string; readonly pending: boolean }[];
}

/**
 * Sessions of which no other one is the same or goes on with it: one that was sent twice, or again when it had grown,
 * stands once, in its longest form. Of equal ones the first stays. Order is kept, and what is dropped is held no longer.
 */
export class Sessions<T> {
  readonly #kept = new Set<Session<T>>();
  readonly #byName = new Map<string, readonly Session<T>[]>();

  /** `make` gives what stands for the trace, where it stands. */
  add(trace: CanonicalTrace, make: () => T): void {
    const names = namesOf(trace);
    const like = names.length === 0 ? { turns: [], calls: [] } : stepsOf(trace);
    const alike = new Set(names.flatMap((name) => this.#byName.get(name) ?? []));
    const { trial, task_id: task } = trace.labels;
    const ofAgent = trace.calls.length > 0 || trace.turns.some(({ role, text }) => role === "assistant" && text !== "");
    const steps = { names, ofAgent, trial, task, ...like };
    if ([...alike].some((other) => goesOn(steps, other))) return;
    for (const other of alike) if (goesOn(other, steps)) this.#drop(other);
    const session = { value: make(), ...steps };
    this.#kept.add(session);
    for (const name of names) this.#byName.set(name, [...(this.#byName.get(name) ?? []), session]);
  }

  get values(): T[] {
    return [...this.#kept].map(({ value }) => value);
  }

  #drop(session: Session<T>): void {
    this.#kept.delete(session);
    for (const name of session.names)
      this.#byName.set(name, this.#byName.get(name)?.filter((each) => each !== session) ?? []);
  }
}

function stepsOf({ turns, calls }: CanonicalTrace): Pick<Session<unknown>, "turns" | "calls"> {
  return {
    turns: turns.map(({ role, text }) => digest([role, text])),
    calls: calls.map(({ tool, span, args, result, answer_class }) => ({
      made: digest([tool, span, args]),
      result: digest(result),
      pending: answer_class === "pending",
    })),
  };
}

function digest(value: unknown): string {
  return hash("sha1", JSON.stringify(value) ?? "", "base64url");
}

/** What a session is known by: the first id that a provider made for a call of it, and the name that its source gave it. */
function namesOf({ session, calls }: CanonicalTrace): string[] {
  const call = calls.find(({ span }) => isOwnId(span));
  return [
    ...(call === undefined ? [] : [`call ${call.span}`]),
    ...(UNNAMED.test(session) ? [] : [`session ${session}`]),
  ];
}

type Steps = Omit<Session<unknown>, "value">;

/** Whether `after` begins with all that `before` holds, of which something is an agent's own. */
function goesOn(before: Steps, after: Steps): boolean {
  if (before.turns.length > after.turns.length || before.calls.length > after.calls.length || !before.ofAgent)
    return false;
  if (before.trial !== after.trial || before.task !== after.task) return false;
  return (
    before.turns.every((turn, i) => turn === after.turns[i]) &&
    before.calls.every(
      ({ made, result, pending }, i) => made === after.calls[i]?.made && (pending || result === after.calls[i]?.result),
    )
  );
}

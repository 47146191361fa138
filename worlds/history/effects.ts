import type { Call, Session } from "../compile/observations.ts";
import { scalarsOf } from "../compile/values.ts";
import { kindOf } from "./course.ts";
import { hashOf } from "./hash.ts";
import { Names, type Volatile } from "./names.ts";

/** One call of a session, its question and answer as hashes under the session's own names. */
export interface Told {
  readonly tool: string;
  readonly kind: string;
  readonly question: string;
  readonly answer: string;
}

/** Sessions as what they asked and heard. */
export function toldBy(sessions: readonly Session[], volatile: Volatile): Told[][] {
  return sessions.map(({ calls }) => {
    const names = new Names(volatile);
    return calls.map((call) => {
      const question = hashOf(`${call.tool}\n${names.argsText(call.args)}`);
      const answer = hashOf(`${call.ok}${names.canonical(call.tool, call.value).text}`);
      if (call.ok) names.hear(call.tool, call.value);
      return { tool: call.tool, kind: kindOf(call), question, answer };
    });
  });
}

/** How often a tool's answers stayed and changed across calls of a kind. */
interface Across {
  same: number;
  changed: number;
  /** Changed with other kinds of calls between as well, of which one may be the cause. */
  suspected: number;
  /** Of those, where no such call named all that the question names. */
  apart: number;
}

/** What calls do to what tools answer, as far as sessions show it. */
export class Effects {
  private readonly across = new Map<string, Map<string, Across>>();
  readonly effective: ReadonlySet<string>;

  /** Unchanged answers that show that a kind of call leaves a tool's alone. */
  private static readonly SHOWN = 3;

  constructor(sessions: readonly Session[], told: readonly (readonly Told[])[], isRead: (tool: string) => boolean) {
    const open: Pair[] = [];
    for (const pair of pairs(sessions, told)) {
      const { tool, kinds, same } = pair;
      if (same) for (const kind of kinds) this.count(kind, tool).same++;
      else if (kinds.size === 1) for (const kind of kinds) this.changed(kind, pair);
      else if (kinds.size > 1) open.push(pair);
    }
    const mayWrite = (kind: string) => !kind.endsWith("!") && !isRead(kind);
    const moves = (kind: string) =>
      [...(this.across.get(kind)?.values() ?? [])].some(({ changed, same }) => changed > 1 || changed > same);
    for (const pair of open) {
      const { tool, kinds } = pair;
      const writes = [...kinds].filter(mayWrite);
      const known = [...kinds].filter(moves);
      const likely = writes.length > 0 ? writes : known.length > 0 ? known : [...kinds];
      const left = likely.filter((kind) => !this.leaves(kind, tool));
      const blamed = left.length > 0 ? left : likely;
      for (const kind of blamed) this.changed(kind, pair, blamed.length > 1);
    }
    const kinds = new Set(told.flatMap((calls) => calls.map(({ kind }) => kind)));
    this.effective = new Set([...kinds].filter((kind) => mayWrite(kind) || moves(kind)).sort());
  }

  private changed(kind: string, { tool, asked, between }: Pair, suspected = false): void {
    const across = this.count(kind, tool);
    if (suspected) across.suspected++;
    else across.changed++;
    const named = [...scalarsOf(asked.args)];
    const about = between(kind).some((call) => {
      const own = new Set(scalarsOf(call.args));
      return named.every((scalar) => own.has(scalar));
    });
    if (!about) across.apart++;
  }

  private count(kind: string, tool: string): Across {
    let tools = this.across.get(kind);
    if (!tools) {
      tools = new Map();
      this.across.set(kind, tools);
    }
    let across = tools.get(tool);
    if (!across) {
      across = { same: 0, changed: 0, suspected: 0, apart: 0 };
      tools.set(tool, across);
    }
    return across;
  }

  /** Whether calls of a kind were shown to leave a tool's answers as they are. */
  leaves(kind: string, tool: string): boolean {
    const across = this.across.get(kind)?.get(tool);
    return across !== undefined && across.changed + across.suspected === 0 && across.same >= Effects.SHOWN;
  }

  /** By effective kind, the tools that `test` says something of, by name. */
  private byKind(test: (across: Across) => boolean): Map<string, ReadonlySet<string>> {
    return new Map(
      [...this.effective].map((kind) => [
        kind,
        new Set(
          [...(this.across.get(kind) ?? [])]
            .filter(([, across]) => test(across))
            .map(([tool]) => tool)
            .sort(),
        ),
      ]),
    );
  }

  get moves(): Map<string, ReadonlySet<string>> {
    return this.byKind(({ changed, suspected }) => changed + suspected > 0);
  }

  /** By effective kind, tools whose answers change also where the question names what the call does not. */
  get reaches(): Map<string, ReadonlySet<string>> {
    return this.byKind(({ apart }) => apart > 0);
  }

  get left(): Map<string, ReadonlySet<string>> {
    return this.byKind(({ changed, suspected, same }) => changed + suspected === 0 && same >= Effects.SHOWN);
  }
}

/** Two calls that asked the same. */
interface Pair {
  readonly tool: string;
  /** Kinds of calls that one of them had before it and the other had not. */
  readonly kinds: ReadonlySet<string>;
  readonly same: boolean;
  readonly asked: Call;
  /** Those calls of a kind. */
  between(kind: string): readonly Call[];
}

/** Pairs of calls that asked the same, with the kinds of calls that one of them had before it and the other had not. */
function* pairs(sessions: readonly Session[], told: readonly (readonly Told[])[]): Generator<Pair> {
  /** By task and question, the call with the least before it. */
  const first = new Map<string, { calls: readonly Told[]; at: number; session: number }>();
  for (const [s, calls] of told.entries())
    for (const [at, { question }] of calls.entries()) {
      const id = `${sessions[s]?.group}\n${question}`;
      const held = first.get(id);
      if (!held || at < held.at) first.set(id, { calls, at, session: s });
    }
  for (const [s, calls] of told.entries()) {
    const session = sessions[s]?.calls ?? [];
    const last = new Map<string, number>();
    for (const [at, { tool, question, answer }] of calls.entries()) {
      const asked = session[at];
      const before = last.get(question);
      last.set(question, at);
      if (!asked) continue;
      if (before !== undefined) {
        const kinds = new Set(calls.slice(before, at).map(({ kind }) => kind));
        const between = (kind: string) => session.slice(before, at).filter((call) => kindOf(call) === kind);
        yield { tool, kinds, same: calls[before]?.answer === answer, asked, between };
        continue;
      }
      const other = first.get(`${sessions[s]?.group}\n${question}`);
      if (!other || other.calls === calls) continue;
      const theirs = sessions[other.session]?.calls ?? [];
      const kinds = difference(calls.slice(0, at), other.calls.slice(0, other.at));
      const between = (kind: string) =>
        [...session.slice(0, at), ...theirs.slice(0, other.at)].filter((call) => kindOf(call) === kind);
      yield { tool, kinds, same: other.calls[other.at]?.answer === answer, asked, between };
    }
  }
}

/** The kinds of calls that one of two lists holds more often than the other. */
function difference(a: readonly Told[], b: readonly Told[]): Set<string> {
  const counts = new Map<string, { n: number; kind: string }>();
  for (const [list, by] of [
    [a, 1],
    [b, -1],
  ] as const)
    for (const { question, answer, kind } of list) {
      const id = question + answer;
      const held = counts.get(id) ?? { n: 0, kind };
      held.n += by;
      counts.set(id, held);
    }
  return new Set([...counts.values()].filter(({ n }) => n !== 0).map(({ kind }) => kind));
}

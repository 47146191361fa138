import type { TableModel } from "../bundle.ts";
import { type Call, callsByTool, type Session } from "../compile/observations.ts";
import { byText } from "../compile/values.ts";
import { WRONG_COSTS } from "../confidence.ts";
import { type Volatility, volatilityOf } from "../floor/volatile.ts";
import type { Json, JsonObject } from "../json.ts";
import { hiddenOf } from "./hidden.ts";
import { isLookup } from "./literals.ts";
import { programOf, tablesOf } from "./program.ts";
import { type ReplayedCall, replay } from "./replay.ts";
import type { Proposal, ProposedTool } from "./schema.ts";
import { Cuts, casesOf, isReading, startUnits, type Unit } from "./units.ts";
import { type Made, touchesOf, withPrograms } from "./world.ts";

/** Cuts that are tried against one round of contradictions, at most. */
const TRIED = 40;
/** Sessions without a contradiction on which cuts are tried besides, at most. */
const BESIDE = 60;
/** A case that answers in fewer sessions only restates what was seen there. */
const LEAST_SESSIONS = 2;
/** Hidden calls from which they say how far a program holds, and the share of what it answers of shown ones that it has to. */
const HIDDEN = { least: 4, share: 0.5 };

/** What became of a proposal: programs that stand, what was cut of it, and why tools were left as they were. */
export interface Stood {
  readonly cuts: Cuts;
  readonly taken: ReadonlySet<string>;
  readonly refused: ReadonlyMap<string, string>;
  /** Why single cases were cut. */
  readonly why: ReadonlyMap<Unit, string>;
  /** Calls of tools that stand, as the programs that stand answer them: none is wrong. */
  readonly calls: readonly ReplayedCall[];
}

/** Replays a proposal over all sessions, and cuts what contradicts them until nothing does. */
export class Standings {
  private readonly made: Made;
  private readonly proposal: Proposal;
  private readonly sessions: readonly Session[];
  private readonly volatility: Volatility;
  private readonly byTool: ReadonlyMap<string, readonly Call[]>;
  private readonly tables: readonly TableModel[];
  private readonly hidden: ReadonlySet<Session>;
  private cuts = new Cuts();
  private taken: Set<string>;
  private readonly refused = new Map<string, string>();
  private readonly why = new Map<Unit, string>();

  constructor(made: Made, proposal: Proposal, sessions: readonly Session[], only?: ReadonlySet<string>) {
    this.made = made;
    this.proposal = proposal;
    this.sessions = sessions;
    this.volatility = volatilityOf(sessions);
    this.byTool = callsByTool(sessions);
    this.tables = [...made.bundle.tables, ...tablesOf(proposal)];
    this.hidden = hiddenOf(sessions);
    this.taken = new Set();
    for (const { name } of proposal.tools)
      if (only !== undefined && !only.has(name)) this.refused.set(name, "what was there answers it as well or better");
      else if (!this.byTool.has(name)) this.refused.set(name, "it was never observed");
      else this.taken.add(name);
  }

  /** Cuts until what is left contradicts no session and stands on enough of them. */
  stood(): Stood {
    let calls = this.replayed(true);
    for (;;) {
      const wrong = calls.filter(({ outcome }) => outcome === "wrong");
      const found = wrong.length > 0 ? this.blamed(calls, wrong) : this.unsupported(calls);
      if (found.length === 0) break;
      this.cuts = this.cuts.with(...found.map(([unit]) => unit));
      for (const [unit, why] of found) this.why.set(unit, why);
      this.drop();
      calls = this.replayed(true);
    }
    const { cuts, taken, refused, why } = this;
    return { cuts, taken, refused, why, calls };
  }

  /** What was answered before anything was cut. */
  whole(): ReplayedCall[] {
    return this.replayed(true);
  }

  private get tools(): ProposedTool[] {
    return this.proposal.tools.filter(({ name }) => this.taken.has(name));
  }

  private world(cuts: Cuts, probe = false): Made {
    return withPrograms(this.made, this.proposal, this.taken, cuts, this.byTool, probe);
  }

  private replayed(probe: boolean, cuts = this.cuts, sessions = this.sessions): ReplayedCall[] {
    if (this.taken.size === 0) return [];
    const several = new Set(this.tools.flatMap(({ name, cases }) => (cases.length > 1 ? [name] : [])));
    const beside = probe && several.size > 0 ? this.world(cuts, true) : undefined;
    return replay(this.world(cuts), sessions, this.taken, this.volatility, beside).map((row) =>
      several.has(row.call.tool) || row.outcome === "gap" ? row : { ...row, number: 1 },
    );
  }

  /** The one cut after which most is right and least is wrong; the case that answered first where none helps. */
  private blamed(calls: readonly ReplayedCall[], wrong: readonly ReplayedCall[]): [Unit, string][] {
    const bad = new Set(wrong.map(({ session }) => session));
    const others = this.sessions.flatMap((_, s) => (bad.has(s) ? [] : [s]));
    const step = Math.max(1, others.length / BESIDE);
    const kept = new Set([...bad, ...others.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))]);
    const focus = this.sessions.filter((_, s) => kept.has(s));
    const score = (rows: readonly ReplayedCall[]): number =>
      rows.reduce((sum, { outcome }) => sum + (outcome === "right" ? 1 : outcome === "wrong" ? -WRONG_COSTS : 0), 0);
    const before = score(calls.filter(({ session }) => kept.has(session)));
    let best: { readonly unit: Unit; readonly value: number } | undefined;
    for (const unit of this.suspects(calls, wrong)) {
      const value = score(this.replayed(false, this.cuts.with(unit), focus));
      if (value > (best?.value ?? before)) best = { unit, value };
    }
    const why = `${wrong.length} observed ${wrong.length === 1 ? "call contradicts" : "calls contradict"} what it leads to`;
    if (best) return [[best.unit, why]];
    return [...new Map(wrong.map((row) => [`${row.call.tool} ${row.number}`, row])).values()].flatMap((row) =>
      this.answering(row).map((unit): [Unit, string] => [unit, why]),
    );
  }

  /** The case that answered a call; every case that is left, where that is not known. */
  private answering({ call: { tool }, number }: ReplayedCall): Unit[] {
    const own = this.tools.find(({ name }) => name === tool);
    const left = own ? casesOf(own).filter((unit) => !this.cuts.has(unit)) : [];
    const one = left.filter((unit) => unit.kind === "case" && unit.number === number);
    return one.length > 0 ? one : left;
  }

  /** What may have led to wrong answers, the most frequent first. */
  private suspects(calls: readonly ReplayedCall[], wrong: readonly ReplayedCall[]): Unit[] {
    const counts = new Map<string, { readonly unit: Unit; n: number }>();
    const add = (unit: Unit, n = 1): void => {
      if (this.cuts.has(unit)) return;
      const id = JSON.stringify(unit);
      const held = counts.get(id) ?? { unit, n: 0 };
      counts.set(id, held);
      held.n += n;
    };
    const first = new Map<number, ReplayedCall>();
    for (const row of wrong) {
      for (const unit of this.answering(row)) add(unit);
      if (!first.has(row.session)) first.set(row.session, row);
    }
    const reading = new Set(this.made.bundle.tools.filter(isReading).map(({ name }) => name));
    for (const row of calls) {
      const until = first.get(row.session);
      if (until === undefined || row.index > until.index || row.outcome === "gap") continue;
      for (const unit of this.answering(row)) add(unit);
    }
    for (const [s, until] of first)
      for (const { tool } of this.sessions[s]?.calls.slice(0, until.index) ?? [])
        if (!this.taken.has(tool) && !reading.has(tool)) add({ kind: "apart", tool });
    for (const unit of startUnits(this.proposal)) add(unit, first.size / 2);
    // Of two cuts that are worth the same the start is the one: what a call sets later still stands.
    const start = ({ unit }: { readonly unit: Unit }): number => (unit.kind === "start" ? 1 : 0);
    return [...counts.values()]
      .sort((a, b) => b.n - a.n || start(b) - start(a) || byText(JSON.stringify(a.unit), JSON.stringify(b.unit)))
      .slice(0, TRIED)
      .sort((a, b) => start(b) - start(a))
      .map(({ unit }) => unit);
  }

  /** What nothing contradicts and too little supports. */
  private unsupported(calls: readonly ReplayedCall[]): [Unit, string][] {
    const right = calls.filter(({ outcome }) => outcome === "right");
    const apart = this.notApart(right);
    if (apart.length > 0) return apart;
    return this.tools.flatMap((tool): [Unit, string][] => {
      const left = casesOf(tool).filter((unit) => !this.cuts.has(unit));
      const own = right.filter(({ call }) => call.tool === tool.name);
      const few = left.filter((unit) => {
        const of = own.filter(({ number }) => unit.kind === "case" && unit.number === number);
        return new Set(of.map(({ session }) => session)).size < LEAST_SESSIONS;
      });
      if (few.length > 0) return few.map((unit) => [unit, `it answers calls of fewer than ${LEAST_SESSIONS} sessions`]);
      const why = this.listed(tool, own) ?? this.failsHidden(tool, calls);
      return why === undefined ? [] : left.map((unit) => [unit, why]);
    });
  }

  /** A tool that may write counts as leaving the proposal's tables alone where right answers that rest on these follow its calls. */
  private notApart(right: readonly ReplayedCall[]): [Unit, string][] {
    const own = new Set(this.proposal.tables.map(({ name }) => name));
    const resting = new Set(
      this.tools.flatMap((tool) =>
        [...touchesOf(tool, this.tables).reads].some((table) => own.has(table)) ? [tool.name] : [],
      ),
    );
    const last = new Map<number, number>();
    for (const { session, index, call } of right) if (resting.has(call.tool)) last.set(session, index);
    return this.made.bundle.tools.flatMap((tool): [Unit, string][] => {
      const unit: Unit = { kind: "apart", tool: tool.name };
      if (this.taken.has(tool.name) || isReading(tool) || this.cuts.has(unit)) return [];
      let shown = 0;
      for (const [s, index] of last)
        if (this.sessions[s]?.calls.slice(0, index).some((call) => call.ok && call.tool === tool.name)) shown++;
      return shown >= LEAST_SESSIONS ? [] : [[unit, "nothing shows what its calls leave as it was"]];
    });
  }

  /** Why a tool's program is a list of what was seen; undefined where it is none. */
  private listed(tool: ProposedTool, right: readonly ReplayedCall[]): string | undefined {
    const { reads } = touchesOf(tool, this.tables);
    const rows = this.proposal.tables.flatMap(({ name, start = [] }) => {
      if (!reads.has(name)) return [];
      const readers = this.tools.filter((one) => touchesOf(one, this.tables).reads.has(name)).length;
      // Rows that several tools read are told by all of them.
      return start.filter((_, i) => i % Math.max(1, readers) === 0) as JsonObject[];
    });
    const explained = right.map(({ session, call: { args, value } }) => ({ session, args, value }));
    return isLookup(programOf(tool, this.cuts.casesOf(tool.name)), rows as Json[], explained)
      ? "it is a lookup table: it only restates the calls that it answers"
      : undefined;
  }

  /** Why a tool's program does not hold in sessions that were never shown; undefined where it does. */
  private failsHidden(tool: ProposedTool, calls: readonly ReplayedCall[]): string | undefined {
    const share = (hidden: boolean): { n: number; of: number } => {
      const own = calls.filter(
        ({ session, call }) => call.tool === tool.name && this.hidden.has(this.sessions[session] as Session) === hidden,
      );
      return { n: own.filter(({ outcome }) => outcome === "right").length, of: own.length };
    };
    const [shown, hidden] = [share(false), share(true)];
    if (hidden.of < HIDDEN.least || hidden.n * shown.of >= HIDDEN.share * shown.n * hidden.of) return undefined;
    return `it answers ${hidden.n} of ${hidden.of} calls of sessions that were never shown, and ${shown.n} of ${shown.of} others`;
  }

  /** Gives up tools of which no case is left. */
  private drop(): void {
    for (const tool of this.tools) {
      const cases = casesOf(tool);
      if (cases.some((unit) => !this.cuts.has(unit))) continue;
      this.taken.delete(tool.name);
      const reasons = [...this.why].filter(([unit]) => unit.kind === "case" && unit.tool === tool.name);
      this.refused.set(tool.name, reasons.at(-1)?.[1] ?? "no case of it stands");
    }
  }
}

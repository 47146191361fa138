import type { BaseState, Bundle } from "../bundle.ts";
import { callsByTool, type Session } from "../compile/observations.ts";
import { byText } from "../compile/values.ts";
import { setOwn } from "../json.ts";
import { faultsOf } from "./program.ts";
import { Proposal, type Standing } from "./schema.ts";
import { Standings } from "./stand.ts";
import type { Unit } from "./units.ts";
import { type Made, withPrograms } from "./world.ts";

/** What is said of a proposed tool: what it stands on, or why it was not taken. */
export type Verdict = { readonly tool: string; readonly reason: string } & (
  | { readonly standing: Standing }
  | { readonly standing?: never }
);

/** A proposal as far as replay bears it out. */
export interface Acceptance {
  /** The world with what stands in place of what it had; the world itself where nothing does. */
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** By tool, in the order of names. */
  readonly verdicts: readonly Verdict[];
  /** What was cut, and why, in words. */
  readonly cut: readonly string[];
  /** Why nothing of it could be replayed; empty where it could. */
  readonly faults: readonly string[];
}

/**
 * Takes of a proposal what all sessions bear out: each program is replayed from what is known of their starts, and what
 * contradicts an observed answer is cut, be it a case of a tool or a value of the start, until nothing contradicts. A tool
 * stands where its cases answer calls of two sessions and more, hold in sessions that were never shown, and are shorter
 * than a list of what they answer. `proposal` may be anything: what is none is told in `faults`. `only` names the tools to
 * take, all when absent. What was estimated of the world as it was, its trust and its memory, is left out. Deterministic;
 * reaches no network.
 */
export function acceptProposal(
  bundle: Bundle,
  base: BaseState,
  proposal: unknown,
  sessions: readonly Session[],
  only?: ReadonlySet<string>,
): Acceptance {
  const made = bare({ bundle, base });
  const parsed = Proposal.safeParse(proposal);
  const faults = parsed.success
    ? faultsOf(parsed.data, bundle)
    : parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
  if (!parsed.success || faults.length > 0) return { ...made, verdicts: [], cut: [], faults };
  const stood = new Standings(made, parsed.data, sessions, only).stood();
  const verdicts = parsed.data.tools
    .map(({ name, cases }): Verdict => {
      if (!stood.taken.has(name))
        return { tool: name, reason: `not taken: ${stood.refused.get(name) ?? "nothing stands"}` };
      const own = stood.calls.filter(({ call, outcome }) => call.tool === name && outcome === "right");
      const cut = stood.cuts.casesOf(name).size;
      const standing = {
        calls: own.length,
        sessions: new Set(own.map(({ session }) => session)).size,
        cases: cases.length - cut,
        cut,
      };
      return { tool: name, standing, reason: words(standing) };
    })
    .sort((a, b) => byText(a.tool, b.tool));
  const cut = [...stood.why].map(([unit, why]) => `${named(unit)}: ${why}`);
  if (stood.taken.size === 0) return { ...made, verdicts, cut, faults };
  const world = withPrograms(made, parsed.data, stood.taken, stood.cuts, callsByTool(sessions));
  const behaviours = { ...world.bundle.behaviours };
  for (const { tool, standing } of verdicts) {
    const own = behaviours[tool];
    if (own && standing) setOwn(behaviours, tool, { ...own, support: { ...own.support, reproduced: standing.calls } });
  }
  return { bundle: { ...world.bundle, behaviours }, base: world.base, verdicts, cut, faults };
}

/** A world as its programs have it: how far they are trusted, and what sessions were answered besides, is left out. */
export function bare<W extends Made>({ bundle: { trust: _trust, memory: _memory, ...bundle }, base }: W): Made {
  const { recorded: _recorded, ...rest } = base;
  return { bundle, base: rest };
}

/** What a program stands on, as a person reads it. */
export function words({ calls, sessions, cut }: Standing): string {
  const left = cut === 0 ? "" : `; ${cut} ${cut === 1 ? "case was" : "cases were"} cut`;
  return `stands on ${calls} ${calls === 1 ? "call" : "calls"} of ${sessions} sessions, 0 against${left}`;
}

function named(unit: Unit): string {
  if (unit.kind === "case") return `case ${unit.number} of ${unit.tool}`;
  if (unit.kind === "apart") return `that ${unit.tool} leaves the proposal's tables alone`;
  return `the start of ${unit.table}.${unit.column}${unit.row === undefined ? "" : ` in row ${unit.row}`}`;
}

/** Whether anything of a proposal stands. */
export const stands = ({ verdicts }: Pick<Acceptance, "verdicts">): boolean =>
  verdicts.some(({ standing }) => standing !== undefined);

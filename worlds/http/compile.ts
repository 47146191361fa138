import type { ToolDefinition } from "../bundle.ts";
import { fitConfidence } from "../compile/fit-confidence.ts";
import { type CompileResult, compile } from "../compile/index.ts";
import { trusting } from "../compile/layers.ts";
import { observe } from "../compile/observations.ts";
import { Judge, type Score, utility } from "../compile/utility.ts";
import { ANY, type ConfidenceModel, RECORDED } from "../confidence.ts";
import { generatedBy } from "../fidelity/renaming.ts";
import { volatilityOf } from "../floor/volatile.ts";
import type { ObservedTrace } from "../observation.ts";
import type { HttpGrammar } from "./grammar.ts";
import { partsOf } from "./parts.ts";

/** A compiled API, and how many exchanges of its own evidence it answers as they were, otherwise, or not. */
export interface CompiledApi extends CompileResult {
  readonly replay: { readonly exchanges: number; readonly right: number; readonly wrong: number };
}

/**
 * Compiles the captures of an API, as they are and cut into sessions that have no object in common. What answers the
 * captures best is kept, and what contradicts them is not answered.
 */
export function compileApi(
  traces: readonly ObservedTrace[],
  grammar: HttpGrammar,
  name: string,
  tools: readonly ToolDefinition[],
): CompiledApi {
  const sessions = observe(traces);
  const parts = partsOf(traces, grammar);
  // One session does not tell which ids are generated; several do.
  const observed = volatilityOf(observe(parts));
  const tried = [traces, ...(parts.length > traces.length ? [parts] : [])].map((evidence) => {
    const made = compile(evidence, { name, tools });
    const { trust: own } = made.bundle;
    const judge = new Judge(sessions, generatedBy(made.bundle, observed));
    const trusted = (trust: ConfidenceModel) => trusting(made, own ? joined(own, trust) : trust);
    const worth = (trust: ConfidenceModel): Score => judge.scoreOf(trusted(trust), sessions, sessions);
    const first = judge.scoreOf(made, sessions, sessions);
    const silent = silencesOf(fitConfidence(first, sessions, tools));
    return { made: trusted(silent), score: worth(silent) };
  });
  const best = tried.reduce((a, b) => (utility(b.score) > utility(a.score) ? b : a));
  const { calls: exchanges, right, wrong } = best.score;
  return { ...best.made, replay: { exchanges, right, wrong } };
}

/** What is not answered, and no estimate: this evidence is what the world was made from. */
function silencesOf(trust: ConfidenceModel): ConfidenceModel {
  const silent = (cases: ConfidenceModel["known"]) =>
    Object.fromEntries(
      Object.entries(cases).filter(([name, sure]) => sure < trust.least && name !== ANY && name !== RECORDED),
    );
  return { ...trust, known: silent(trust.known), unknown: silent(trust.unknown) };
}

/** Estimates of before with what is not answered beside them. */
function joined(own: ConfidenceModel, trust: ConfidenceModel): ConfidenceModel {
  const { known, unknown } = silencesOf(trust);
  return { ...own, known: { ...own.known, ...known }, unknown: { ...own.unknown, ...unknown } };
}

import type { RecordedAnswer, ToolDefinition } from "../bundle.ts";
import { exceptionsFrom } from "../compile/exceptions.ts";
import type { Fitted } from "../compile/fit.ts";
import type { Session } from "../compile/observations.ts";
import { replayAll } from "../compile/verify.ts";
import { rulesAlone } from "../history/model.ts";
import { kindIn } from "../history/names.ts";
import { learnRules } from "../history/rules.ts";
import type { TrustModel } from "../history/schema.ts";
import { Table } from "../history/table.ts";
import { caseOf, HeldOut, ownCase } from "./cases.ts";
import { type Choice, choose, type FittedFold, lackedBy, OWN_SESSIONS, type Replay, sameIn } from "./choose.ts";
import { bestOf, type Case, estimate, WRONG } from "./estimate.ts";
import { cutFolds, type Fold } from "./folds.ts";
import { NO_TOOL, Trust } from "./trust.ts";

/** What answers, and how far it is trusted. */
export interface Selected {
  readonly choice: Choice;
  readonly exceptions: RecordedAnswer[];
  readonly table: Table;
  readonly trust: TrustModel;
}

/** What is heard with less confidence is not counted on when behaviours are chosen. */
const COUNTED_ON = 0.95;

/**
 * Chooses behaviours and estimates every way to answer, on sessions that each was not made from. `refit` fits the rest
 * of the sessions where some are held out.
 */
export function select(
  sessions: readonly Session[],
  fitted: Fitted,
  refit: (part: readonly Session[]) => Fitted,
  tools: readonly ToolDefinition[],
  unlisted: boolean,
): Selected {
  const table = new Table(sessions, learnRules(sessions, tools));
  const rules = rulesAlone(table);
  const kinds = { kind: kindIn(table.rules.volatile) };
  const replay: Replay = ({ bundle, base }, part, writers) =>
    replayAll({ bundle: { ...bundle, history: rules }, base }, part, writers, kinds);
  const heldOut = new HeldOut(table, sessions);
  const heard = { known: heldOut.all(true), unknown: heldOut.all(false) };
  const first = { known: estimate([], heard.known), unknown: estimate([], heard.unknown) };
  const folds = cutFolds(sessions).map((fold): FittedFold => ({ fold, fitted: refit(fold.train) }));
  const trusted = new Trust(first);
  const isKnown = (fold: Fold | undefined, group: string) =>
    fold?.known.some((session) => session.group === group) === true;
  const choice = choose(
    fitted,
    folds,
    ({ call }, fold) => {
      const known = isKnown(fold, sessions[call.trace]?.group ?? "");
      const best = bestOf(heldOut.options(call, known, fold), ({ cells }) => trusted.confidence(known, cells));
      return best && best.confidence >= COUNTED_ON && best.option.right ? 1 : 0;
    },
    sessions,
    replay,
  );
  const cases: { known: Case[]; unknown: Case[] } = { known: [], unknown: [] };
  const tried = new Set<string>();
  for (const { fold, fitted: part } of folds) {
    const kept = sameIn(choice, fitted, part);
    const lacked = lackedBy(choice, fitted, part);
    for (const tool of choice.keys()) if (!lacked.has(tool)) tried.add(tool);
    const own = exceptionsOf(part, kept, fold.train, replay);
    for (const known of [true, false]) {
      const astray = new Set<number>();
      for (const row of replay(part.make(kept, own), known ? fold.known : fold.unknown, part.history.writers)) {
        const { call } = row;
        // What a session finds after a call that only the whole knows says nothing of the whole.
        const counts = !lacked.has(call.tool) && !astray.has(call.trace);
        if (lacked.has(call.tool) && part.history.writers.has(call.tool)) astray.add(call.trace);
        cases[known ? "known" : "unknown"].push(
          caseOf(counts ? row : { ...row, served: undefined }, heldOut, known, fold),
        );
      }
    }
  }
  const exceptions = exceptionsOf(fitted, choice, sessions, replay);
  const untried = [...choice.keys()].filter((tool) => !tried.has(tool));
  const own =
    untried.length === 0 || folds.length === 0
      ? []
      : replay(fitted.make(choice, exceptions), sessions, fitted.history.writers)
          .filter(({ call }) => untried.includes(call.tool))
          .map((row) => ownCase(row, heldOut));
  // What behaviours are worth rests on both kinds of sessions; where one kind shows otherwise, on that.
  const both = estimate([...cases.known, ...cases.unknown], own, {}, WRONG, OWN_SESSIONS).cells;
  const wider =
    folds.length === 0
      ? UNJUDGED
      : Object.fromEntries(Object.entries(both).filter(([cell]) => MADE.has(cell.split("|")[0] as string)));
  const unknown = estimate(cases.unknown, heard.unknown, wider);
  const known = cases.known.length > 0 ? estimate(cases.known, heard.known, wider) : unknown;
  // Where sessions call what no listing has, a name that nobody knows is answered in the system's words or not at all.
  if (unlisted) for (const { cells } of [known, unknown]) cells[NO_TOOL] = 0;
  return { choice, exceptions, table, trust: { known, unknown } };
}

const MADE: ReadonlySet<string> = new Set(["program", "recorded", "schema"]);

/** Where too few sessions are there to hold any out, behaviours are taken at their word. */
const UNJUDGED = { program: 0.97, "program|": 0.97, recorded: 0.97, "recorded|": 0.97 };

/** The choice that replays the sessions best that everything was made from, with its recorded answers. */
export function selectUnjudged(sessions: readonly Session[], fitted: Fitted): Pick<Selected, "choice" | "exceptions"> {
  const replay: Replay = (made, part, writers) => replayAll(made, part, writers, { kind: () => undefined });
  const choice = choose(fitted, [], () => 0, sessions, replay);
  return { choice, exceptions: exceptionsOf(fitted, choice, sessions, replay) };
}

function exceptionsOf(fitted: Fitted, choice: Choice, sessions: readonly Session[], replay: Replay): RecordedAnswer[] {
  const { history, writes } = fitted;
  return exceptionsFrom(replay(fitted.make(choice, []), sessions, history.writers), history, writes);
}

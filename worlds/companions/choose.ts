import type { CompanionModel } from "../bundle.ts";
import { knowing, type Trusted } from "../compile/fit-confidence.ts";
import type { HeldOut } from "../compile/held-out.ts";
import { type Made, trusting } from "../compile/layers.ts";
import type { Session } from "../compile/observations.ts";
import { gainIsSure, type Judge, type Judged, type Score, together } from "../compile/utility.ts";
import { byText } from "../compile/values.ts";
import { ACCEPTED_WRONG, type ConfidenceModel } from "../confidence.ts";

/** A way to compile as it was judged: a world for each turn of holding sessions out, and how far such worlds are trusted. */
export interface JudgedWay {
  readonly make: (sessions: readonly Session[]) => Made | undefined;
  readonly worlds: readonly (HeldOut & { readonly world: Made })[];
  readonly trusted: Trusted;
}

/** A way that answers calls which the chosen one leaves open, and the tools that gain by it. */
interface Chosen {
  readonly way: JudgedWay;
  readonly tools: readonly string[];
}

/**
 * Takes other ways beside the chosen one, tool by tool: a tool is answered by another way too where its held-out calls gain,
 * and a way is taken where sessions surely gain by its tools. Gives the score with them; the ways in the order of asking.
 */
export function chooseCompanions(
  judge: Judge,
  main: JudgedWay,
  others: readonly JudgedWay[],
): { readonly score: Score; readonly chosen: readonly Chosen[] } {
  const scoreOf = (chosen: readonly Chosen[]): Score =>
    together(
      main.worlds.map(({ world, train, held }, turn) => {
        const sure = trusting(world, knowing(main.trusted.confidence, train));
        const companions = chosen.flatMap(({ way, tools }) => {
          const own = way.worlds[turn];
          return own ? [companionOf(own.world, tools, knowing(way.trusted.confidence, train))] : [];
        });
        return judge.scoreOf({ ...sure, bundle: { ...sure.bundle, companions } }, held, train);
      }),
    );
  let best: { readonly score: Score; readonly chosen: readonly Chosen[] } = { score: main.trusted.score, chosen: [] };
  for (const way of others) {
    const able = new Set(
      way.trusted.score.answers.flatMap(({ tool, by, right }) => (by !== "memory" && right ? [tool] : [])),
    );
    const all = scoreOf([...best.chosen, { way, tools: [...able] }]);
    const tools = gaining(best.score.answers, all.answers).filter((tool) => able.has(tool));
    if (tools.length === 0) continue;
    const chosen = [...best.chosen, { way, tools }];
    const score = tools.length === able.size ? all : scoreOf(chosen);
    if (gainIsSure(best.score, score)) best = { score, chosen };
  }
  return best;
}

/** Tools of which more calls are answered than before, and of these no more wrongly than is accepted. */
function gaining(before: readonly Judged[], after: readonly Judged[]): string[] {
  const counts = new Map<string, { served: number; wrong: number }>();
  const add = (answers: readonly Judged[], sign: number) => {
    for (const { tool, served, right } of answers) {
      const count = counts.get(tool) ?? { served: 0, wrong: 0 };
      counts.set(tool, count);
      if (served) count.served += sign;
      if (served && !right) count.wrong += sign;
    }
  };
  add(before, -1);
  add(after, 1);
  const gains = [...counts].filter(([, { served, wrong }]) => served > 0 && wrong <= served * ACCEPTED_WRONG);
  return gains.map(([tool]) => tool).sort(byText);
}

/** What of a world goes along with another one. */
function companionOf({ bundle, base }: Made, tools: readonly string[], trust: ConfidenceModel): CompanionModel {
  const { tables, behaviours, exceptions, footprints } = bundle;
  return { tools: [...tools], tables, behaviours, exceptions, ...(footprints ? { footprints } : {}), trust, base };
}

/** A world with the chosen ways beside it, made of all sessions. */
export function accompanied<W extends Made>(world: W, chosen: readonly Chosen[], sessions: readonly Session[]): W {
  const companions = chosen.flatMap(({ way, tools }) => {
    const own = way.make(sessions);
    return own ? [companionOf(own, tools, knowing(way.trusted.confidence, sessions))] : [];
  });
  return companions.length === 0 ? world : { ...world, bundle: { ...world.bundle, companions } };
}

import { printLine } from "../behaviour/print.ts";
import type { ToolDefinition } from "../bundle.ts";
import { type CompileOptions, type CompileResult, compile } from "../compile/index.ts";
import { type Call, callsByTool, observe, type Session } from "../compile/observations.ts";
import type { Answered } from "../compile/out-of-fold.ts";
import { Kinds } from "../compile/programs/state/kinds.ts";
import { canon } from "../compile/values.ts";
import { asOfNewestDay } from "../floor/session-days.ts";
import { volatilityOf } from "../floor/volatile.ts";
import { getOwn, type Json, type JsonObject } from "../json.ts";
import type { ObservedTrace } from "../observation.ts";
import { bare } from "./accept.ts";
import { hiddenOf } from "./hidden.ts";
import { faultsOf } from "./program.ts";
import { type ReplayedCall, replay } from "./replay.ts";
import { Proposal } from "./schema.ts";
import { Standings } from "./stand.ts";
import type { Made } from "./world.ts";

/** A tool is answered badly where fewer than this share of its held-out calls are right, or more than `wrong` are not. */
const WELL = { right: 0.9, wrong: 0.02 };
/** Tools called more rarely are not asked for. */
const LEAST_CALLS = 3;
const MOST = { forms: 8, sessions: 6, fewest: 4, calls: 40, counterexamples: 8, before: 12, line: 2_000, text: 800 };

/** An observed call as it is shown: data of the system, nothing more. */
export interface ShownCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly answer: Json;
  /** It was refused. */
  readonly refused?: true;
}

/** A call that a program does not answer as observed, and what its session called before. */
export interface Counterexample extends ShownCall {
  readonly before: readonly ShownCall[];
  /** What the program answered; absent where it did not. */
  readonly answered?: Json;
}

/** What is shown to who proposes programs. Hidden sessions are nowhere in it. */
export interface Brief {
  /** Tools that are answered badly: those that programs are wanted for. */
  readonly wanted: readonly string[];
  readonly tools: readonly Pick<ToolDefinition, "name" | "description" | "inputSchema">[];
  /** One call for each form in which a tool answers. */
  readonly forms: readonly ShownCall[];
  /** Whole sessions. */
  readonly sessions: readonly (readonly ShownCall[])[];
  /** Programs of today in the language of one line, by tool. */
  readonly today: Readonly<Record<string, string>>;
  readonly counterexamples: readonly Counterexample[];
}

/** What a proposal comes to on sessions that may be shown. */
export interface Tried {
  readonly faults: readonly string[];
  /** Right calls less five for each wrong one, of all calls of wanted tools. */
  readonly score: number;
  readonly right: number;
  readonly calls: number;
  readonly counterexamples: readonly Counterexample[];
}

/**
 * Compiles traces, and says for which tools programs are wanted and what to show of them; nothing is wanted where every
 * tool is answered well, or where there are too few sessions to tell.
 */
export function briefOf(traces: readonly ObservedTrace[], options: CompileOptions): { brief: Brief; plain: Made } {
  const compiled = compile(traces, options);
  const sessions = observe(asOfNewestDay(traces));
  const hidden = hiddenOf(sessions);
  const shown = sessions.filter((session) => !hidden.has(session));
  const wanted = wantedOf(compiled);
  const plain = bare(compiled);
  const kinds = new Kinds(shown);
  const { bundle } = plain;
  return {
    plain,
    brief: {
      wanted,
      tools: bundle.tools.map(({ name, description, inputSchema }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        inputSchema,
      })),
      forms: formsOf(shown, kinds),
      sessions: covering(shown, kinds, new Set(wanted)).map(({ calls }) => calls.map(shownCall)),
      today: Object.fromEntries(
        Object.entries(bundle.behaviours).map(([tool, { behaviour }]) => [
          tool,
          clipped(printLine(behaviour), MOST.line),
        ]),
      ),
      counterexamples: counterexamplesOf(replay(plain, shown, new Set(wanted), volatilityOf(shown)), shown),
    },
  };
}

function wantedOf({ outOfFold }: CompileResult): string[] {
  const parts = [outOfFold?.known ?? {}, outOfFold?.unknown ?? {}];
  const tools = [...new Set(parts.flatMap((part) => Object.keys(part)))].sort();
  return tools.filter((tool) => {
    const sum = (of: keyof Answered) => parts.reduce((total, part) => total + (getOwn(part, tool)?.[of] ?? 0), 0);
    const calls = sum("calls");
    return calls >= LEAST_CALLS && (sum("right") < WELL.right * calls || sum("wrong") > WELL.wrong * calls);
  });
}

/** Replays a proposal over the sessions that may be shown, as it is, and says what it misses. */
export function tryProposal(
  plain: Made,
  proposal: unknown,
  traces: readonly ObservedTrace[],
  wanted: readonly string[],
): Tried {
  const sessions = observe(asOfNewestDay(traces));
  const hidden = hiddenOf(sessions);
  const shown = sessions.filter((session) => !hidden.has(session));
  const parsed = Proposal.safeParse(proposal);
  const calls = shown.flatMap((session) => session.calls).filter(({ tool }) => wanted.includes(tool)).length;
  const faults = parsed.success ? faultsOf(parsed.data, plain.bundle) : ["It is no proposal."];
  if (!parsed.success || faults.length > 0)
    return { faults, score: Number.NEGATIVE_INFINITY, right: 0, calls, counterexamples: [] };
  const rows = new Standings(plain, parsed.data, shown).whole();
  const stood = new Standings(plain, parsed.data, shown).stood();
  const right = stood.calls.filter(({ call, outcome }) => outcome === "right" && wanted.includes(call.tool)).length;
  return { faults, score: right, right, calls, counterexamples: counterexamplesOf(rows, shown) };
}

/** Wrong answers before gaps, of each tool in turn, and of each session one. */
function counterexamplesOf(rows: readonly ReplayedCall[], sessions: readonly Session[]): Counterexample[] {
  const out: Counterexample[] = [];
  const used = new Set<number>();
  const bad = rows.filter(({ outcome }) => outcome !== "right");
  const byTool = Map.groupBy(
    bad.toSorted((a, b) => Number(a.outcome === "gap") - Number(b.outcome === "gap") || a.index - b.index),
    ({ call }) => call.tool,
  );
  for (let round = 0; round < MOST.counterexamples && out.length < MOST.counterexamples; round++)
    for (const list of byTool.values()) {
      const row = list.find(({ session }) => !used.has(session));
      if (row === undefined || out.length >= MOST.counterexamples) continue;
      used.add(row.session);
      const before = sessions[row.session]?.calls.slice(Math.max(0, row.index - MOST.before), row.index) ?? [];
      out.push({
        before: before.map(shownCall),
        ...shownCall(row.call),
        ...(row.answered === undefined ? {} : { answered: row.answered }),
      });
    }
  return out;
}

/** A refusal is shown in its words as they stood on the wire. */
function shownCall({ tool, args, value, ok, parsed }: Call): ShownCall {
  return ok
    ? { tool, args, answer: shortened(value) }
    : { tool, args, answer: shortened(parsed.text ?? value), refused: true };
}

/** A value with long texts cut: they tell no more of a form. */
function shortened(value: Json): Json {
  const text = canon(value);
  return text.length <= MOST.text ? value : clipped(text, MOST.text);
}

const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

function formsOf(sessions: readonly Session[], kinds: Kinds): ShownCall[] {
  return [...callsByTool(sessions).values()].flatMap((calls) => {
    const forms = new Map<string, Call>();
    for (const call of calls) if (!forms.has(kinds.of(call))) forms.set(kinds.of(call), call);
    return [...forms.values()].slice(0, MOST.forms).map(shownCall);
  });
}

/** Whole sessions that together show most: each the one that adds the most forms of wanted tools and pairs of neighbours. */
function covering(sessions: readonly Session[], kinds: Kinds, wanted: ReadonlySet<string>): Session[] {
  const short = sessions.filter(({ calls }) => calls.length <= MOST.calls);
  const shows = new Map(
    short.map((session) => {
      const parts = new Set<string>();
      session.calls.forEach((call, i) => {
        const kind = `${call.tool} ${kinds.of(call)}`;
        const before = session.calls[i - 1];
        if (wanted.has(call.tool)) parts.add(kind);
        if (before) parts.add(`${before.tool} ${kinds.of(before)} ${kind}`);
      });
      return [session, parts] as const;
    }),
  );
  const seen = new Set<string>();
  const out: Session[] = [];
  while (out.length < MOST.sessions) {
    let best: Session | undefined;
    let most = out.length < MOST.fewest ? -1 : 0;
    for (const [session, parts] of shows) {
      const gain = [...parts].filter((part) => !seen.has(part)).length;
      if (!out.includes(session) && gain > most) [best, most] = [session, gain];
    }
    if (best === undefined) break;
    out.push(best);
    for (const part of shows.get(best) ?? []) seen.add(part);
  }
  return out;
}

import { proposedWay, TOO_FEW } from "../propose/way.ts";
import { knowing, type Trusted } from "./fit-confidence.ts";
import { type HeldOut, holdOut } from "./held-out.ts";
import { layered, type Made, remembered, trusted, trusting } from "./layers.ts";
import { manifest } from "./listing.ts";
import { allCalls, callsByTool, type Session } from "./observations.ts";
import { askedAgain, outOfFold } from "./out-of-fold.ts";
import { compilePrograms, type ProgramWorld } from "./programs/compile.ts";
import { compileRecords } from "./programs/records/index.ts";
import type { CompileOptions, CompileResult } from "./report.ts";
import { compileRows } from "./rows.ts";
import { isBetterWay, Judge, utility, worthwhile } from "./utility.ts";
import { replayAll } from "./verify.ts";

/** Share of held-out calls that tables and rows answer from which nothing else is tried. */
const ENOUGH = 0.98;
/** Fewer sessions than these are not held out from each other. */
const FEW = 8;

/**
 * Compiles sessions in the way that answers held-out ones best. Another way than the row history is taken where it surely
 * gains by the tools that are worth answering, and loses nothing in all.
 */
export function compileSessions(sessions: readonly Session[], options: CompileOptions): CompileResult {
  const fromRows = (of: readonly Session[]): CompileResult => compileRows(of, options);
  if (sessions.length < FEW) {
    const rows = fromRows(sessions);
    return options.proposal ? { ...rows, report: { ...rows.report, proposed: TOO_FEW } } : rows;
  }
  const turns = holdOut(sessions);
  const judge = new Judge(sessions);
  const listing = options.tools ?? manifest(undefined, callsByTool(sessions));
  const { records } = options;
  const judged = (make: Make, least = Number.NEGATIVE_INFINITY): Trusted | undefined => {
    const worlds: (HeldOut & { readonly world: Made })[] = [];
    for (const turn of turns) {
      const world = make(turn.train);
      if (!world) return undefined;
      worlds.push({ ...turn, world: records === undefined ? remembered(judge, world, turn) : world });
    }
    return trusted(judge, worlds, sessions, listing, least);
  };
  const rowsShown: Make = (of) => recordsOf(of, options);
  const ways: Make[] = [rowsShown, (of) => programsOf(of, options)];
  const first = judged(fromRows) as Trusted;
  // Answers that are fewer than another world is worth need no trial of which to leave out.
  const fewest = records ? undefined : utility(worthwhile(first.score));
  let best: { readonly make?: Make; readonly trusted: Trusted } = { trusted: first };
  for (const make of ways) {
    if ((best.make && records) || utility(best.trusted.score) >= ENOUGH) break;
    const tried = judged(make, make === rowsShown ? fewest : undefined);
    if (!tried || !isBetterWay(first.score, tried.score)) continue;
    if (!best.make || utility(tried.score) > utility(best.trusted.score)) best = { make, trusted: tried };
  }
  const make = best.make ?? fromRows;
  const found = options.proposal && proposedWay(options.proposal, make, judged, best.trusted, sessions);
  const counted = { ...outOfFold(best.trusted.score), again: askedAgain(sessions) };
  if (found) best = { ...best, trusted: found.trusted };
  const { confidence } = best.trusted;
  const programs = best.make?.(sessions) as ProgramWorld | undefined;
  // An export is another start than sessions had: what they were answered is not remembered beside it.
  const finish = <W extends Made>(world: W): W =>
    records === undefined
      ? layered(judge, world, best.trusted, sessions)
      : trusting(world, knowing(confidence, sessions));
  const told = (result: CompileResult): CompileResult => ({
    ...result,
    outOfFold: counted,
    ...(found ? { report: { ...result.report, proposed: found.outcome } } : {}),
  });
  if (found?.merge) {
    const plain = programs ? reported(programs, sessions) : fromRows(sessions);
    return told(finish({ ...plain, ...found.merge(plain) }));
  }
  if (programs) return told(reported(finish(programs), sessions));
  const rows = fromRows(sessions);
  return told(records === undefined ? finish(rows) : rows);
}

type Make = (sessions: readonly Session[]) => Made | undefined;

function programsOf(sessions: readonly Session[], { name, tools }: CompileOptions): ProgramWorld {
  const byTool = callsByTool(sessions);
  return compilePrograms(sessions, byTool, manifest(tools, byTool), name);
}

function recordsOf(sessions: readonly Session[], options: CompileOptions): ProgramWorld | undefined {
  const byTool = callsByTool(sessions);
  return compileRecords(sessions, byTool, manifest(options.tools, byTool), options);
}

/** A world of programs with how much of its evidence it reproduces. */
function reported({ bundle, base, programs }: ProgramWorld, sessions: readonly Session[]): CompileResult {
  for (const { call, identical } of replayAll({ bundle, base }, sessions, new Set())) {
    const behaviour = bundle.behaviours[call.tool];
    if (behaviour && identical) behaviour.support.reproduced++;
  }
  const tables = Object.fromEntries(
    bundle.tables
      .filter((table) => !table.internal)
      .map((table) => [table.name, { rows: Object.keys(base.tables[table.name] ?? {}).length, key: table.key }]),
  );
  return {
    bundle,
    base,
    report: {
      traces: sessions.length,
      calls: allCalls(sessions).length,
      tables,
      rows: Object.values(tables).reduce((total, { rows }) => total + rows, 0),
      conflicts: 0,
      behaviours: { program: programs.tools.size },
      exceptions: 0,
      gaps: bundle.gaps.length,
      tools: Object.fromEntries(
        [...programs.tools].map(([tool, { how, effect }]) => {
          const { seen = 0, reproduced = 0 } = bundle.behaviours[tool]?.support ?? {};
          return [tool, { how, effect, seen, reproduced }];
        }),
      ),
    },
  };
}

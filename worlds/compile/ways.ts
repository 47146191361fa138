import { accompanied, chooseCompanions, type JudgedWay } from "../companions/choose.ts";
import { proposedWay, TOO_FEW } from "../propose/way.ts";
import { compileFiles } from "./files/index.ts";
import { knowing } from "./fit-confidence.ts";
import { type HeldOut, holdOut } from "./held-out.ts";
import { layered, type Made, remembered, trusted, trusting } from "./layers.ts";
import { manifest } from "./listing.ts";
import { allCalls, callsByTool, type Session } from "./observations.ts";
import { outOfFold, repeatedQuestions } from "./out-of-fold.ts";
import { compilePrograms, type ProgramWorld } from "./programs/compile.ts";
import { compileRecords } from "./programs/records/index.ts";
import { type CompileOptions, type CompileResult, type Step, Steps } from "./report.ts";
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
  const steps = new Steps(
    ["history", "records", "programs", "files", ...(options.proposal ? (["proposal"] as const) : []), "whole"],
    options.tell,
  );
  const judged = (made: Make, step: Step, least = Number.NEGATIVE_INFINITY): JudgedWay | undefined => {
    const make = once(made, sessions);
    const worlds: (HeldOut & { readonly world: Made })[] = [];
    for (const turn of turns) {
      const world = make(turn.train);
      if (!world) {
        steps.drop(step);
        return undefined;
      }
      worlds.push({ ...turn, world: records === undefined ? remembered(judge, world, turn) : world });
      // Judging takes about as long as a turn.
      steps.at(step, worlds.length / (turns.length + 1));
    }
    const found = trusted(judge, worlds, sessions, listing, { least, whole: () => make(sessions) });
    steps.at(step, 1);
    return found && { make, worlds, trusted: found };
  };
  const rowsShown: Make = (of) => recordsOf(of, options);
  const ways: readonly (readonly [Step, Make])[] = [
    ["records", rowsShown],
    ["programs", (of) => programsOf(of, options)],
    ["files", (of) => filesOf(of, options)],
  ];
  const first = judged(fromRows, "history") as JudgedWay;
  // Answers that are fewer than another world is worth need no trial of which to leave out.
  const fewest = records ? undefined : utility(worthwhile(first.trusted.score));
  const tried = [first];
  let way = first;
  for (const [step, make] of ways) {
    if ((way !== first && records) || utility(way.trusted.score) >= ENOUGH) {
      steps.drop(step);
      continue;
    }
    const other = judged(make, step, make === rowsShown ? fewest : undefined);
    if (!other) continue;
    tried.push(other);
    if (!isBetterWay(first.trusted.score, other.trusted.score)) continue;
    if (way === first || utility(other.trusted.score) > utility(way.trusted.score)) way = other;
  }
  const found =
    options.proposal &&
    proposedWay(options.proposal, way.make, (make) => judged(make, "proposal")?.trusted, way.trusted, sessions);
  const others = tried.filter((one) => one !== way).sort((a, b) => utility(b.trusted.score) - utility(a.trusted.score));
  // Programs that were proposed, and worlds of an export, stand alone; so do those that answer enough.
  const alone = records !== undefined || found?.merge !== undefined || utility(way.trusted.score) >= ENOUGH;
  const { score, chosen } = alone ? { score: way.trusted.score, chosen: [] } : chooseCompanions(judge, way, others);
  const counted = { ...outOfFold(score), again: repeatedQuestions(sessions) };
  const best = found?.merge ? found.trusted : { ...way.trusted, score };
  const { confidence } = best;
  const programs = way === first ? undefined : (way.make(sessions) as ProgramWorld);
  // An export is another start than sessions had: what they were answered is not remembered beside it.
  const finish = <W extends Made>(world: W): W =>
    records === undefined
      ? layered(judge, accompanied(world, chosen, sessions), best, sessions)
      : trusting(world, knowing(confidence, sessions));
  const told = (result: CompileResult): CompileResult => {
    steps.at("whole", 1);
    const report = found ? { report: { ...result.report, proposed: found.outcome } } : {};
    return { ...result, outOfFold: counted, ...report };
  };
  if (found?.merge) {
    const plain = programs ? reported(programs, sessions) : (first.make(sessions) as CompileResult);
    return told(finish({ ...plain, ...found.merge(plain) }));
  }
  if (programs) return told(reported(finish(programs), sessions));
  const rows = first.make(sessions) as CompileResult;
  return told(records === undefined ? finish(rows) : rows);
}

type Make = (sessions: readonly Session[]) => Made | undefined;

/** Makes the world of all sessions at most once, and only where it is asked for. */
function once(make: Make, all: readonly Session[]): Make {
  let made: { readonly world: Made | undefined } | undefined;
  return (sessions) => {
    if (sessions !== all) return make(sessions);
    made ??= { world: make(all) };
    return made.world;
  };
}

function programsOf(sessions: readonly Session[], { name, tools }: CompileOptions): ProgramWorld {
  const byTool = callsByTool(sessions);
  return compilePrograms(sessions, byTool, manifest(tools, byTool), name);
}

function filesOf(sessions: readonly Session[], { name, tools }: CompileOptions): ProgramWorld | undefined {
  const byTool = callsByTool(sessions);
  return compileFiles(sessions, byTool, manifest(tools, byTool), name);
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

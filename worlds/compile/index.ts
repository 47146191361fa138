import { searchedColumns } from "../behaviour/visit.ts";
import type { BaseState, Bundle, RecordedAnswer, TableModel, ToolBehaviour, ToolDefinition } from "../bundle.ts";
import type { MemoryModel } from "../memory/schema.ts";
import type { ObservedTrace } from "../observation.ts";
import { type Given, type Outcome, proposedWay, TOO_FEW } from "../propose/way.ts";
import type { TrustModel } from "../trust.ts";
import { type FittedCollections, fitCollections } from "./collections/index.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import { exceptionsFrom } from "./exceptions.ts";
import { candidatesFor, enveloped, type FittedTool, recordedOnly } from "./fit-tool.ts";
import { Footprints } from "./footprints.ts";
import { type HeldOut, holdOut } from "./held-out.ts";
import { buildHistory, findColumnReads, type History, Reader } from "./history.ts";
import { manifest, unlistedAnswer, usersTools } from "./listing.ts";
import { renderingOf, tableModels } from "./models.ts";
import { allCalls, type Call, callsByTool, observe, type Session } from "./observations.ts";
import { type OutOfFold, outOfFold } from "./out-of-fold.ts";
import { compilePrograms, type ProgramWorld } from "./programs/compile.ts";
import { compileRecords } from "./programs/records/index.ts";
import { addRecords } from "./records.ts";
import { type Beside, type FittedRegisters, findOwnRows, fitRegisters, keylessTools } from "./registers/index.ts";
import type { OwnRows } from "./registers/own-rows.ts";
import { remember } from "./remembering.ts";
import { seenEffects } from "./seen-effects.ts";
import { findEntities } from "./tables.ts";
import { knowing, readsOf, type Trusted, trustIn } from "./trusting.ts";
import { unknownCells } from "./unknown-cells.ts";
import { SHAPE_ONLY, shapeBehaviour } from "./unobserved.ts";
import { steadied } from "./unsteady.ts";
import { gainIsSure, Judge, together, utility, type Worth } from "./utility.ts";
import { byText, canon } from "./values.ts";
import { replayAll, volatilePaths } from "./verify.ts";
import { withinLimits } from "./within-limits.ts";
import { findWriters } from "./writers.ts";

/** What a compile is told besides traces. */
export interface CompileOptions {
  readonly name: string;
  readonly tools?: readonly ToolDefinition[];
  /** A database export: tables of rows, by key or as lists. It completes the initial state. */
  readonly records?: Readonly<Record<string, unknown>>;
  /** Programs that somebody proposes: what sessions bear out and held-out ones gain by is taken. */
  readonly proposal?: Given;
}

/** Counts of a compile, per tool and in all. */
export interface CompileReport {
  readonly traces: number;
  readonly calls: number;
  readonly tables: Readonly<Record<string, { rows: number; key: readonly string[] }>>;
  readonly rows: number;
  /** Sights of rows that contradicted an earlier one; the newest was kept. */
  readonly conflicts: number;
  /** Tools by how their behaviour was found. */
  readonly behaviours: Readonly<Record<string, number>>;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, { how: string; effect: "read" | "write"; seen: number; reproduced: number }>>;
  /** What became of a proposal; absent where there was none. */
  readonly proposed?: Outcome;
}

/** A compiled world: its behaviour, its first state, and how each tool's was found. */
export interface CompileResult {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly report: CompileReport;
  /** What sessions were answered that the world was not made from; absent where there were too few to hold some out. */
  readonly outOfFold?: OutOfFold;
}

/** The newest start of a trace; 0 where no trace tells its start. */
function frozenClock(sessions: readonly Session[]): number {
  return Math.max(0, ...sessions.map((session) => session.at));
}

function understand(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  records: CompileOptions["records"],
  taken: ReadonlySet<string>,
): History {
  const entities = findEntities(byTool, taken);
  const reader = new Reader(entities, findColumnReads(sessions, entities, byTool));
  const writers = findWriters(sessions, reader, byTool, new Map(tools.map((tool) => [tool.name, tool])));
  const history = buildHistory(sessions, entities, reader, writers);
  return records ? addRecords(history, records) : history;
}

function bundleOf(
  name: string,
  tools: readonly ToolDefinition[],
  history: History,
  kept: ReadonlyMap<string, FittedTool>,
  byTool: ReadonlyMap<string, readonly Call[]>,
  now: number,
  exceptions: RecordedAnswer[],
  groups: readonly (FittedCollections | FittedRegisters)[],
  starts: BaseState["starts"],
  footprints: Footprints,
): { bundle: Bundle; base: BaseState } {
  const tables: TableModel[] = [...tableModels(history), ...groups.flatMap((group) => group.tables)];
  const base: BaseState = { tables: { ...history.base }, drawn: {}, ...unknownCells(history) };
  for (const { rows } of groups) Object.assign(base.tables, structuredClone(rows));
  if (starts) base.starts = starts;
  const behaviours: Record<string, ToolBehaviour> = {};
  for (const [tool, fitted] of [...kept].sort(([a], [b]) => byText(a, b))) {
    const calls = byTool.get(tool) ?? [];
    behaviours[tool] = {
      effect: fitted.effect,
      behaviour: fitted.behaviour,
      rendering: fitted.whole ? { ...renderingOf(calls), wrap: [] } : renderingOf(calls),
      volatile: volatilePaths(fitted.behaviour, history),
      support: { seen: calls.length, reproduced: 0 },
    };
    if (!fitted.asked) continue;
    tables.push({
      name: fitted.asked.table,
      key: [...fitted.asked.key],
      internal: true,
      columns: fitted.asked.key.map((column) => ({ name: column, types: ["string"], present: 1 })),
    });
    base.tables[fitted.asked.table] = { ...fitted.asked.rows };
  }
  if (byTool.size === 0)
    for (const tool of tools) {
      const shape = shapeBehaviour(tool);
      if (shape) behaviours[tool.name] = shape;
    }
  const names = new Set(tables.map((table) => table.name));
  const gaps = [...tools]
    .filter((tool) => byTool.size === 0 || isRecorded(behaviours[tool.name]))
    .map((tool) => ({
      tool: tool.name,
      reason: byTool.has(tool.name)
        ? (kept.get(tool.name)?.why ?? "no behaviour explains its calls: only recorded ones are answered")
        : behaviours[tool.name]
          ? SHAPE_ONLY
          : "never observed",
      n: byTool.get(tool.name)?.length ?? 0,
    }));
  return {
    bundle: {
      v: 1,
      name,
      tools: [...tools],
      tables,
      now,
      behaviours,
      exceptions,
      gaps,
      ...(byTool.size === 0 ? { unobserved: true as const } : { footprints: reaches(tools, kept, footprints, names) }),
    },
    base,
  };
}

/** What each tool that is no reading one may change. */
function reaches(
  tools: readonly ToolDefinition[],
  kept: ReadonlyMap<string, FittedTool>,
  footprints: Footprints,
  names: ReadonlySet<string>,
): NonNullable<Bundle["footprints"]> {
  const looked = new Map<string, Set<string>>();
  for (const { behaviour } of kept.values())
    for (const [table, columns] of searchedColumns(behaviour.steps, names))
      looked.set(table, new Set([...(looked.get(table) ?? []), ...columns]));
  return Object.fromEntries(
    tools.flatMap((tool) => {
      const fitted = kept.get(tool.name);
      const effect = fitted?.effect ?? declaredEffect(tool) ?? effectByName(tool.name);
      return effect === "write" || footprints.writers.has(tool.name)
        ? [[tool.name, footprints.of(tool.name, fitted?.behaviour.steps ?? [], looked)]]
        : [];
    }),
  );
}

const isRecorded = (behaviour: ToolBehaviour | undefined): boolean =>
  behaviour === undefined || behaviour.behaviour.steps.some(({ op }) => op === "recorded");

/** Share of held-out calls that tables and rows answer from which nothing else is tried. */
const ENOUGH = 0.98;
/** Fewer sessions than these are not held out from each other. */
const FEW = 8;
/**
 * Compiles observed traces to a bundle and its initial state. Three ways to explain a service are tried: tables with the
 * row history that traces tell, tools bound to the rows of an export or to those that answers showed, and programs over
 * tables and cells; which is kept is decided on held-out sessions. The
 * same traces, tools and records give the same bytes of canonical JSON, whatever the order of the
 * traces. Never throws on odd evidence: what it cannot explain stays recorded or a gap.
 */
export function compile(traces: readonly ObservedTrace[], options: CompileOptions): CompileResult {
  const sessions = observe(traces);
  const compiled = compileSessions(sessions, options);
  const byTool = callsByTool(sessions);
  const unlisted = unlistedAnswer(options.tools, byTool);
  const apart = forAgents(compiled.bundle, usersTools(options.tools, byTool));
  const effects = seenEffects(sessions, options.tools, apart);
  const bundle = { ...apart, tools: hinted(apart.tools, options.tools, effects), effects };
  return { ...compiled, bundle: unlisted === undefined ? bundle : { ...bundle, unlisted } };
}

/** The manifest: as listed; of a tool that only calls show, what those show of its effect and no more. */
function hinted(
  tools: readonly ToolDefinition[],
  listed: readonly ToolDefinition[] | undefined,
  effects: NonNullable<Bundle["effects"]>,
): ToolDefinition[] {
  const given = new Set(listed?.map(({ name }) => name));
  return tools.map((tool) => {
    if (given.has(tool.name)) return tool;
    const { annotations: _, ...rest } = tool;
    const effect = effects[tool.name]?.effect;
    if (effect === undefined || effect === "unknown") return rest;
    return { ...rest, annotations: { readOnlyHint: effect === "none" } };
  });
}

/** A bundle whose manifest is the agent's: what only the user has stands apart. */
function forAgents(bundle: Bundle, users: ReadonlySet<string>): Bundle {
  if (users.size === 0) return bundle;
  const theirs = bundle.tools.filter(({ name }) => users.has(name));
  return { ...bundle, tools: bundle.tools.filter(({ name }) => !users.has(name)), user_tools: theirs };
}

function compileSessions(sessions: readonly Session[], options: CompileOptions): CompileResult {
  const rows = compileRows(sessions, options);
  if (sessions.length < FEW)
    return options.proposal ? { ...rows, report: { ...rows.report, proposed: TOO_FEW } } : rows;
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
  const first = judged((of) => compileRows(of, options)) as Trusted;
  // Answers that are fewer than another world is worth need no trial of which to leave out.
  const fewest = records ? undefined : utility(first.worth);
  let best: { readonly make?: Make; readonly trusted: Trusted } = { trusted: first };
  for (const make of ways) {
    if ((best.make && records) || utility(best.trusted.worth) >= ENOUGH) break;
    const tried = judged(make, make === rowsShown ? fewest : undefined);
    if (!tried || !gainIsSure(first.worth, tried.worth)) continue;
    if (!best.make || utility(tried.worth) > utility(best.trusted.worth)) best = { make, trusted: tried };
  }
  const make = best.make ?? ((of: readonly Session[]) => compileRows(of, options));
  const found = options.proposal && proposedWay(options.proposal, make, judged, best.trusted, sessions);
  const counted = outOfFold(best.trusted.worth);
  if (found) best = { ...best, trusted: found.trusted };
  const { trust } = best.trusted;
  const programs = best.make?.(sessions) as ProgramWorld | undefined;
  // An export is another start than sessions had: what they were answered is not remembered beside it.
  const finish = <W extends Made>(world: W): W =>
    records === undefined ? layered(judge, world, best.trusted, sessions) : trusting(world, knowing(trust, sessions));
  const told = (result: CompileResult): CompileResult => ({
    ...result,
    outOfFold: counted,
    ...(found ? { report: { ...result.report, proposed: found.outcome } } : {}),
  });
  if (found?.merge) {
    const plain = programs ? reported(programs, sessions) : rows;
    return told(finish({ ...plain, ...found.merge(plain) }));
  }
  if (programs) return told(reported(finish(programs), sessions));
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

type Made = {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
};

/** How far worlds are trusted, and what they are worth on sessions that they were not made from; undefined where fewer than `least` of the calls are answered rightly. */
function trusted(
  judge: Judge,
  worlds: readonly (HeldOut & { readonly world: Made })[],
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  least: number,
): Trusted | undefined {
  const worth = (trust: TrustModel): Worth =>
    together(worlds.map(({ world, train, held }) => judge.worth(trusting(world, knowing(trust, train)), held, train)));
  const bare = { known: {}, unknown: {}, least: 0, reads: readsOf(listing), tasks: [] };
  const first = worth(bare);
  return first.right < least * first.calls ? undefined : trustIn(first, worth, sessions, listing);
}

/** A world that remembers the sessions that it was made from. */
function remembered(judge: Judge, world: Made, { train }: HeldOut): Made {
  const { telling } = world;
  const memory = remember(train, missedBy(judge, world, train), world.bundle.tools, {
    all: true,
    ...(telling ? { telling } : {}),
  });
  return memory ? remembering(world, memory) : world;
}

/** Calls that a world does not answer as its own sessions were. */
const missedBy = (judge: Judge, world: Made, sessions: readonly Session[]): Set<Call> =>
  new Set(judge.worth(world, sessions, sessions).answers.flatMap(({ right, call }) => (right ? [] : [call])));

/** A world that remembers what sessions were answered. */
const remembering = <W extends Made>(world: W, memory: MemoryModel): W => ({
  ...world,
  bundle: { ...world.bundle, memory },
  base: { ...world.base, recorded: {} },
});

/** A world with its layers: what it is trusted with, and beside it what its sessions were answered. */
function layered<W extends Made>(judge: Judge, world: W, { trust, worth }: Trusted, sessions: readonly Session[]): W {
  const helped = new Set(worth.answers.flatMap(({ by, tool }) => (by === "memory" ? [tool] : [])));
  const sure = trusting(world, knowing(trust, sessions));
  const missed = missedBy(judge, sure, sessions);
  const rest = { helped, ...(world.telling ? { telling: world.telling } : {}) };
  const memory = remember(sessions, missed, world.bundle.tools, rest);
  if (!memory) return sure;
  // What is answered from memory has other answers follow, of which some may be wrong now.
  const first = remembering(sure, memory);
  const more = missedBy(judge, first, sessions);
  if (more.size === 0) return first;
  return remembering(sure, remember(sessions, new Set([...missed, ...more]), world.bundle.tools, rest) ?? memory);
}

/** A world that answers what it is trusted with. */
function trusting<W extends { readonly bundle: Bundle }>(world: W, trust: TrustModel): W {
  return { ...world, bundle: { ...world.bundle, trust } };
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

/** Compiles tables with the row history that traces tell. */
function compileRows(sessions: readonly Session[], options: CompileOptions): CompileResult {
  const byTool = callsByTool(sessions);
  const tools = manifest(options.tools, byTool);
  const collections = fitCollections(sessions, byTool, tools);
  const keyed = without(byTool, collections?.tools);
  const registers = fitRegisters(sessions, keyed, tools, ownRows(sessions, keyed, tools, options));
  const groups = [collections, registers].filter((group) => group !== undefined);
  const others = without(without(byTool, collections?.tools), registers?.tools);
  const taken = new Set(groups.flatMap((group) => group.tables.map((table) => table.name)));
  const { history, starts: rows } = steadied(understand(sessions, others, tools, options.records, taken), sessions);
  const starts = joinedStarts(rows, registers);
  const now = frozenClock(sessions);
  const writes = allCalls(sessions).filter((call) => call.ok && history.writers.has(call.tool));
  const fittings = new Map(
    [...byTool].map(([tool, calls]): [string, readonly FittedTool[]] => {
      const fitted = collections?.tools.get(tool);
      if (fitted) return [tool, [fitted, recordedOnly(fitted.effect)]];
      const reading = registers?.tools.get(tool);
      if (reading) return [tool, [reading]];
      return [tool, beside(registers?.besides.get(tool), candidatesFor(tool, calls, history, writes))];
    }),
  );
  const candidates = withinLimits(enveloped(fittings));
  const writers = [...fittings].flatMap(([tool, [first]]) => (first?.effect === "write" ? [tool] : []));
  const footprints = new Footprints(sessions, history, new Set([...history.writers, ...writers]));
  const make = (kept: ReadonlyMap<string, FittedTool>, exceptions: RecordedAnswer[]) =>
    bundleOf(options.name, tools, history, kept, byTool, now, exceptions, groups, starts, footprints);
  // A candidate is judged by what it answers on the state as it is, not by what gaps of others before it left unknown.
  const bare: typeof make = (kept, exceptions) => {
    const { bundle, base } = make(kept, exceptions);
    return { bundle: { ...bundle, footprints: {} }, base };
  };
  const kept = choose(candidates, bare, sessions);
  const exceptions = exceptionsFrom(replayAll(make(kept, []), sessions, history.writers), history, writes);
  const result = make(kept, exceptions);
  const final = replayAll(result, sessions, history.writers);
  for (const row of final) {
    const behaviour = result.bundle.behaviours[row.call.tool];
    if (behaviour && row.identical) behaviour.support.reproduced++;
  }
  return { ...result, report: reportOf(sessions, history, kept, result) };
}

/** What keyed rows were before every call, as far as tools that are told ids show them: readings of what has no key may rest on them. */
function ownRows(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  { name, records }: CompileOptions,
): OwnRows | undefined {
  const keyless = keylessTools(sessions, byTool);
  const others = new Map([...byTool].filter(([tool]) => !keyless.has(tool)));
  if (keyless.size === 0 || others.size === 0) return undefined;
  const { history, starts } = steadied(understand(sessions, others, tools, records, new Set()), sessions);
  if (history.entities.size === 0) return undefined;
  const writes = allCalls(sessions).filter((call) => call.ok && history.writers.has(call.tool));
  const fitted = new Map([...others].map(([tool, calls]) => [tool, candidatesFor(tool, calls, history, writes)]));
  const known = enveloped(fitted);
  const kept = new Map([...known].flatMap(([tool, [first]]) => (first ? [[tool, first] as const] : [])));
  const made = bundleOf(
    name,
    tools,
    history,
    kept,
    others,
    frozenClock(sessions),
    [],
    [],
    joinedStarts(starts, undefined),
    new Footprints(sessions, history, history.writers),
  );
  return findOwnRows(made, sessions, history, keyless);
}

/** What sessions of one group alone start with, by group: rows of tables, and readings. */
function joinedStarts(
  rows: ReturnType<typeof steadied>["starts"],
  registers: FittedRegisters | undefined,
): BaseState["starts"] {
  const names = [...new Set([...rows.keys(), ...(registers?.starts.keys() ?? [])])].sort(byText);
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      return [name, { ...rows.get(name), ...registers?.starts.get(name) }];
    }),
  );
}

function without(
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<string, readonly Call[]> {
  return new Map([...byTool].filter(([tool]) => !tools?.has(tool)));
}

/** Behaviours with what their calls do besides, ahead of their own steps. */
function beside(steps: Beside | undefined, candidates: readonly FittedTool[]): readonly FittedTool[] {
  if (!steps) return candidates;
  return candidates.map((fitted) => {
    const ahead = fitted.behaviour.steps[0]?.op === "recorded" ? steps.unknown : steps.known;
    return { ...fitted, behaviour: { v: 1, steps: [...ahead, ...fitted.behaviour.steps] } };
  });
}

/** The calls that a recording of the other traces would have answered as observed: what plain recording is worth on unseen sessions. */
function repeatedCalls(sessions: readonly Session[]): Set<Call> {
  const groups = new Map<string, Call[]>();
  for (const call of allCalls(sessions)) {
    const id = `${call.tool}\n${canon(call.args)}`;
    const list = groups.get(id);
    if (list) list.push(call);
    else groups.set(id, [call]);
  }
  const out = new Set<Call>();
  for (const calls of groups.values()) {
    if (calls.length < 2) continue;
    const traces = new Map<string, Set<number>>();
    for (const call of calls) {
      const text = canon(call.value);
      traces.set(text, (traces.get(text) ?? new Set()).add(call.trace));
    }
    for (const call of calls) if ((traces.get(canon(call.value))?.size ?? 0) > 1) out.add(call);
  }
  return out;
}

/** For each tool the candidate that, with exceptions over it, answers most observed calls as observed; the earlier on a tie. */
function choose(
  candidates: ReadonlyMap<string, readonly FittedTool[]>,
  make: (kept: ReadonlyMap<string, FittedTool>, exceptions: RecordedAnswer[]) => { bundle: Bundle; base: BaseState },
  sessions: readonly Session[],
): Map<string, FittedTool> {
  const rounds = Math.max(...[...candidates.values()].map((list) => list.length), 1);
  const repeated = repeatedCalls(sessions);
  const best = new Map<string, { fitted: FittedTool; score: number }>();
  for (let round = 0; round < rounds; round++) {
    const trial = new Map(
      [...candidates].map(([tool, list]) => [tool, (list[Math.min(round, list.length - 1)] ?? list[0]) as FittedTool]),
    );
    const scores = new Map<string, number>();
    const writers = new Set([...trial].filter(([, fitted]) => fitted.effect === "write").map(([tool]) => tool));
    for (const { call, identical, pristine, wrongSuccess } of replayAll(make(trial, []), sessions, writers)) {
      const worth = identical || (pristine && repeated.has(call)) ? 1 : wrongSuccess ? -1 : 0;
      scores.set(call.tool, (scores.get(call.tool) ?? 0) + worth);
    }
    for (const [tool, fitted] of trial) {
      const score = scores.get(tool) ?? 0;
      const held = best.get(tool);
      if (!held || score > held.score) best.set(tool, { fitted, score });
    }
  }
  return new Map([...best].map(([tool, { fitted }]) => [tool, fitted]));
}

function reportOf(
  sessions: readonly Session[],
  history: History,
  kept: ReadonlyMap<string, FittedTool>,
  { bundle, base }: { bundle: Bundle; base: BaseState },
): CompileReport {
  const behaviours: Record<string, number> = {};
  for (const { how } of kept.values()) {
    const kind = how.split(/[ ,]/)[0] as string;
    behaviours[kind] = (behaviours[kind] ?? 0) + 1;
  }
  const tables = Object.fromEntries(
    bundle.tables
      .filter((table) => !table.internal)
      .map((table) => [table.name, { rows: Object.keys(base.tables[table.name] ?? {}).length, key: table.key }]),
  );
  return {
    traces: sessions.length,
    calls: allCalls(sessions).length,
    tables,
    rows: Object.values(tables).reduce((total, { rows }) => total + rows, 0),
    conflicts: history.conflicts,
    behaviours,
    exceptions: bundle.exceptions.length,
    gaps: bundle.gaps.length,
    tools: Object.fromEntries(
      [...kept].map(([tool, { how, effect }]) => [
        tool,
        {
          how,
          effect,
          seen: bundle.behaviours[tool]?.support.seen ?? 0,
          reproduced: bundle.behaviours[tool]?.support.reproduced ?? 0,
        },
      ]),
    ),
  };
}

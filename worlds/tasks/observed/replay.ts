import type { BaseState, Bundle, ToolBehaviour } from "../../bundle.ts";
import { declaredEffect, effectByName } from "../../compile/effects.ts";
import { type Call, observe, type Session } from "../../compile/observations.ts";
import { Aliases, mapTexts } from "../../fidelity/aliases.ts";
import { alike } from "../../fidelity/index.ts";
import { Knowledge } from "../../fidelity/rows.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import type { JournalEntry, RowChange } from "../../state/journal.ts";
import { compareChanges } from "../../state/state.ts";
import type { World, WorldAnswer } from "../../world-api.ts";
import { sameData } from "../checks/data.ts";
import { isWriter, namesAnything } from "./writers.ts";

/** A recorded trial after its replay: what it changed, as far as the world or its own recorded answers show. */
export interface Replayed {
  readonly trace: ObservedTrace;
  /** The net changes against the drawn state. */
  readonly diff: readonly RowChange[];
  /** Writes whose changes were taken from their recorded answer, since the world's were others. */
  readonly corrected: number;
  /** Whether one of those may have changed rows that its answer did not show, since the world did not carry it out. */
  readonly partial: boolean;
  /**
   * Rows, as table and key on two lines, that recorded answers to writes showed, or that writes changed whose
   * answers show none: what is not among them was changed beside them.
   */
  readonly shown: ReadonlySet<string>;
  /** Keys that the recorded system made up. */
  readonly generated: ReadonlySet<string>;
  /** Writes recorded as successes, or without a result, whose effect neither the world nor a row in their answer shows. */
  readonly unshown: readonly Unshown[];
}

/** A call of whose effect only the call itself is known. */
export interface Unshown {
  readonly tool: string;
  readonly args: JsonObject;
  /** Whether a success was recorded; else no result was. */
  readonly answered: boolean;
}

/** Replays recorded trials on forks of one compiled world, corrected where recorded answers show other effects. */
export class Replayer {
  private readonly bundle: Bundle;
  private readonly base: BaseState;
  private readonly knowledge: Knowledge;
  private readonly sessions: ReadonlyMap<string, Session>;

  /** `traces` are all that will be replayed: how a tool words its errors is learnt over them together. */
  constructor(compiled: { readonly bundle: Bundle; readonly base: BaseState }, traces: readonly ObservedTrace[]) {
    const sessions = observe(traces);
    this.bundle = compiled.bundle;
    this.base = compiled.base;
    this.knowledge = new Knowledge(
      compiled.bundle,
      compiled.base,
      sessions.flatMap((session) => session.calls),
    );
    this.sessions = new Map(sessions.map((session) => [session.id, session]));
  }

  /** Whether a tool only reads: as its behaviour was fitted, else as its listing or its name says. */
  isRead(tool: string): boolean {
    return effectOf(this.bundle, tool) === "read";
  }

  /** Replays one of the traces in its order on a world as drawn. */
  replay(trace: ObservedTrace, world: World): Replayed {
    const answered = new Map(this.sessions.get(trace.id)?.calls.map((call) => [call.index, call]));
    const run = new Run(this.bundle, this.base, this.knowledge, world);
    for (const [index, { tool, args }] of trace.calls.entries()) {
      const call = answered.get(index);
      if (call) run.take(call);
      else run.unanswered(tool, args);
    }
    return {
      trace,
      diff: run.diff(),
      corrected: run.corrected,
      partial: run.partial,
      shown: run.shown,
      generated: run.generated,
      unshown: run.unshown,
    };
  }
}

/** Whether a behaviour says what a tool changes. */
function changesState({ behaviour }: ToolBehaviour): boolean {
  return behaviour.steps.some(({ op }) => op === "insert" || op === "update" || op === "delete");
}

/** Whether a tool changes something: as its behaviour was fitted; where that knows no rows, as its listing or its name says. */
function effectOf(bundle: Bundle, tool: string): "read" | "write" {
  const behaviour = bundle.behaviours[tool];
  if (behaviour?.effect === "write") return "write";
  if (behaviour?.behaviour.steps.some(({ op }) => op === "read" || op === "list")) return "read";
  return declaredEffect(bundle.tools.find(({ name }) => name === tool)) ?? effectByName(tool);
}

const succeeded = (answer: WorldAnswer): boolean =>
  !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");

/** A world's changes under the keys that the recorded system gave to the same new rows. */
function underNames(changes: readonly RowChange[], made: readonly Shown[]): RowChange[] {
  const names = new Map<string, string>();
  for (const { table, key } of made) {
    const twin = changes.find((change) => change.table === table && !change.before && !names.has(change.key));
    if (twin) names.set(twin.key, key);
  }
  const row = (value: JsonObject): JsonObject => mapTexts(value, names) as JsonObject;
  return changes.map(({ table, key, before, after }) => ({
    table,
    key: names.get(key) ?? key,
    ...(before ? { before } : {}),
    ...(after ? { after: row(after) } : {}),
  }));
}

type Shown = ReturnType<Knowledge["shown"]> extends Generator<infer Row> ? Row : never;

class Run {
  readonly unshown: Unshown[] = [];
  readonly shown = new Set<string>();
  readonly generated = new Set<string>();
  corrected = 0;
  partial = false;
  private readonly bundle: Bundle;
  private readonly base: BaseState;
  private readonly knowledge: Knowledge;
  private readonly world: World;
  private readonly aliases = new Aliases();
  private readonly journal: JournalEntry[] = [];
  /** Tables of the compiler's own. */
  private readonly internal: ReadonlySet<string>;
  /** Rows that the trial read before anything of it changed them, by table and key: what they were. */
  private readonly first = new Map<string, JsonObject>();

  constructor(bundle: Bundle, base: BaseState, knowledge: Knowledge, world: World) {
    this.bundle = bundle;
    this.base = base;
    this.knowledge = knowledge;
    this.world = world;
    this.internal = new Set(bundle.tables.flatMap(({ name, internal }) => (internal ? [name] : [])));
  }

  /** Makes one recorded call. */
  take(call: Call): void {
    const behaviour = this.bundle.behaviours[call.tool];
    const effect = effectOf(this.bundle, call.tool);
    const answer = this.world.call(call.tool, this.aliases.args(call.args), call.by);
    const entry = this.world.lastEntry(0);
    const volatile = behaviour?.volatile ?? [];
    const agrees = succeeded(answer) === call.ok && alike(this.aliases.answer(answer.value), call.value, volatile);
    /** What it changed, where that is not what the world made of it. */
    let changes: readonly RowChange[] | undefined;
    if (effect === "read") this.remember(call);
    // A refusal changes what the world's own refusal in the same words does, and else nothing.
    else if (!call.ok) changes = agrees || entry?.changes.length === 0 ? undefined : [];
    else {
      const fitted = behaviour !== undefined && changesState(behaviour) && succeeded(answer);
      const rows = [...this.knowledge.shown(call)].filter(({ columns }) => columns.length > 0);
      for (const { table, key } of rows.length > 0 ? rows : answer.changes) this.shown.add(`${table}\n${key}`);
      if (!(agrees && fitted) && rows.length > 0) changes = this.corrections(call, answer, rows, entry);
      if (!fitted && rows.length > 0) this.partial = true;
      if (rows.length === 0 && (!fitted || this.missesRow(call, answer))) this.acted(call.tool, call.args, true);
    }
    if (entry) this.keep(entry, changes);
    if (agrees) this.aliases.learn(call.value, answer.value, volatile);
  }

  /** A call that no result was recorded of: whether it did something is as unknown as what. */
  unanswered(tool: string, args: JsonObject): void {
    if (effectOf(this.bundle, tool) === "write") this.acted(tool, args, false);
  }

  /**
   * Keeps a call that may have changed, in ways that nothing shows, the rows it names; or, where a tool that is known to
   * write was answered with success, what it names outside the state.
   */
  private acted(tool: string, args: JsonObject, answered: boolean): void {
    if (this.namesRow(args) || (answered && isWriter(this.bundle, tool) && namesAnything(args)))
      this.unshown.push({ tool, args, answered });
  }

  /** Whether a write that the world carries out changed nothing of it, since it knows no row that the write names. */
  private missesRow({ args }: Call, { changes }: WorldAnswer): boolean {
    return changes.length === 0 && !this.namesRow(args);
  }

  /** Whether the key of a row that is known is among a call's arguments. */
  private namesRow(value: Json): boolean {
    if (Array.isArray(value)) return value.some((item) => this.namesRow(item));
    if (isObject(value)) return Object.values(value).some((item) => this.namesRow(item));
    if (typeof value !== "string") return false;
    return this.bundle.tables.some(
      ({ name }) =>
        !this.internal.has(name) &&
        (Object.hasOwn(this.base.tables[name] ?? {}, value) || this.first.has(`${name}\n${value}`)),
    );
  }

  /** Puts a call's true changes, where they are others, in the place of those that the world made. */
  private keep(entry: JournalEntry, changes: readonly RowChange[] | undefined): void {
    if (changes === undefined) {
      this.journal.push(entry);
      return;
    }
    this.corrected += 1;
    this.journal.push({ ...entry, changes });
    this.world.restore(this.journal);
  }

  /** The changes that a recorded answer shows: its rows in place of the world's, beside what the world changed elsewhere or keeps. */
  private corrections(
    call: Call,
    answer: WorldAnswer,
    rows: readonly Shown[],
    entry: JournalEntry | undefined,
  ): RowChange[] {
    this.world.undo();
    const made = rows.filter(({ table, key }) => this.isNew(call, table, key));
    for (const { key } of made) this.generated.add(key);
    const changes = new Map(
      underNames(answer.changes, made).map((change) => [`${change.table}\n${change.key}`, change]),
    );
    for (const { table, key, row } of rows) {
      const before = this.world.stored(table, key);
      const after = { ...before, ...row };
      if (sameData(before, after)) changes.delete(`${table}\n${key}`);
      else changes.set(`${table}\n${key}`, before ? { table, key, before, after } : { table, key, after });
    }
    const own = (entry?.changes ?? []).filter(({ table }) => this.internal.has(table));
    return [...own, ...changes.values()].sort(compareChanges);
  }

  /** Whether a row came into being with the call that shows it: nobody knew its key before. */
  private isNew(call: Call, table: string, key: string): boolean {
    return (
      this.world.row(table, key) === undefined &&
      !this.first.has(`${table}\n${key}`) &&
      !JSON.stringify(call.args).includes(key)
    );
  }

  /** Keeps what a read showed of rows that the world does not know. */
  private remember(call: Call): void {
    if (!call.ok) return;
    for (const { table, key, row } of this.knowledge.shown(call)) {
      const name = `${table}\n${key}`;
      if (this.world.row(table, key) !== undefined) continue;
      this.first.set(name, { ...row, ...this.first.get(name) });
    }
  }

  /** The trial's final difference: rows that end as they were left out, whatever the noise of binary fractions. */
  diff(): RowChange[] {
    return this.world.diff().flatMap((change) => {
      const first = this.first.get(`${change.table}\n${change.key}`);
      const before = change.before ?? (first && isObject(first) && Object.keys(first).length > 0 ? first : undefined);
      if (sameData(before, change.after)) return [];
      return [before ? { ...change, before } : change];
    });
  }
}

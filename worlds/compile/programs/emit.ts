import type { Step as BehaviourStep } from "../../behaviour/schema.ts";
import type { BaseState, TableModel } from "../../bundle.ts";
import { getOwn, type Json, type JsonObject, setOwn } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import type { FittedTool } from "../fit/fit-tool.ts";
import { byText } from "../values.ts";
import { type Allocator, allocatorsOf, firstOf } from "./allocator.ts";
import { type Answer, type IsGenerated, learnAnswer, viewsOf } from "./answers.ts";
import { columnNames, type Learnt, termsOf } from "./effects.ts";
import { argumentPaths, constant, type Expr, type Facts, type Row, UNKNOWN, type Value } from "./expressions/expr.ts";
import { fitExpression } from "./expressions/fit.ts";
import { CELLS, COUNTERS, isDoubted, MADE, namesOf } from "./expressions/names.ts";
import { CELL_KEY, DOUBTED, type Names, type Printing, print } from "./expressions/print.ts";
import { echoOf } from "./expressions/within-text.ts";
import { learnOutcomes, type Outcomes } from "./outcomes.ts";
import { type RenderedText, renderedExpression } from "./rendered/form.ts";
import { differing, type Rows, rowIn } from "./rows-by-group.ts";
import { NO_EFFECTS, type Step } from "./simulate.ts";
import { type Kind, type Kinds, maskedText, toolOf } from "./state/kinds.ts";
import { amountTerms } from "./state/refusal-amounts.ts";
import { DOUBTED_MODEL, doubtedRows, UNSEEN, Unseen } from "./unseen.ts";
import { Writer } from "./writer.ts";

/** A tool with how its calls end. */
interface Begun {
  readonly tool: string;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly outcomes: Outcomes;
  readonly writer: Writer;
  /** The steps of its behaviour so far. */
  readonly out: BehaviourStep[];
}

/** Behaviours of a service's tools over tables of their own. */
export interface Programs {
  readonly tools: ReadonlyMap<string, FittedTool>;
  readonly tables: readonly TableModel[];
  readonly rows: Rows;
  readonly starts: ReadonlyMap<string, Rows>;
  /** Columns that are not known where a row lacks them, by table. */
  readonly unknown: NonNullable<BaseState["unknown"]>;
  /** Fields of answers that nobody foretells, by tool: generated keys and times. */
  readonly volatile: ReadonlyMap<string, readonly string[]>;
}

/** Programs with the names under which tables and columns are stored. */
export interface Emitted extends Programs {
  readonly names: Names;
}

const LONGEST = 3900;
const MOST_STEPS = 50;

/** The forms in which tools write records as texts, and what they write between the entries of lists. */
export interface TextForms {
  readonly records: ReadonlyMap<string, RenderedText>;
  readonly between: ReadonlyMap<string, string>;
}

/** Writes what was learnt as behaviours in the stored language. Tools that cannot be said there are left out. */
export function emit(learnt: Learnt, kinds: Kinds, texts: TextForms, isGenerated: IsGenerated): Emitted {
  return new Emitter(learnt, kinds, texts, isGenerated).programs();
}

class Emitter {
  private readonly learnt: Learnt;
  private readonly kinds: Kinds;
  private readonly texts: TextForms;
  private readonly isGenerated: IsGenerated;
  private readonly names: Names;
  private readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly byTool: ReadonlyMap<string, readonly Step[]>;
  private readonly byAct: ReadonlyMap<string, readonly Step[]>;
  private readonly allocators: ReadonlyMap<string, Allocator>;
  private readonly unseen: Unseen;

  constructor(learnt: Learnt, kinds: Kinds, texts: TextForms, isGenerated: IsGenerated) {
    this.texts = texts;
    this.isGenerated = isGenerated;
    this.learnt = learnt;
    this.kinds = kinds;
    this.columns = columnNames(learnt.timelines);
    this.names = namesOf(learnt, this.columns);
    this.unseen = new Unseen(learnt, this.names);
    const steps = learnt.steps.flat();
    this.byTool = Map.groupBy(steps, ({ call }) => call.tool);
    this.byAct = Map.groupBy(
      steps.filter(({ call }) => call.ok || call.unmarked),
      ({ act }) => act,
    );
    this.allocators = allocatorsOf(learnt);
  }

  programs(): Emitted {
    const tools = new Map<string, FittedTool>();
    // How calls end is written first: what it rests on is kept by the effects of all tools.
    const begun = [...this.byTool].sort(([a], [b]) => byText(a, b)).map(([tool, steps]) => this.begun(tool, steps));
    for (const one of begun) {
      const fitted = this.tool(one);
      if (fitted) tools.set(one.tool, fitted);
    }
    const rows = this.stored(this.learnt.starts.common);
    const starts = new Map<string, Rows>();
    const counted = [...this.allocators.values()].flatMap((of) =>
      of.kind === "counter" ? [...(of.firsts?.keys() ?? [])] : [],
    );
    const telling = [...this.learnt.starts.differing.values()].flatMap((of) =>
      [...of.values()].flatMap(({ there, lacking }) => [...there, ...lacking]),
    );
    for (const group of [...new Set([...this.learnt.starts.groups.keys(), ...counted, ...telling])].sort(byText)) {
      const facts = this.learnt.starts.groups.get(group) ?? this.learnt.starts.common;
      const own = differing(rows, this.stored(facts, { facts: this.learnt.starts.common, rows }, group));
      if (Object.keys(own).length > 0) starts.set(group, own);
    }
    return {
      names: this.names,
      tools,
      tables: this.tables(),
      rows,
      starts,
      unknown: this.unknown(rows, starts),
      volatile: this.volatile(),
    };
  }

  /** Keys that are drawn, and columns of new rows that hold no more than the time, where they stand in an answer. */
  private volatile(): Map<string, readonly string[]> {
    const out = new Map<string, Set<string>>();
    for (const [act, { creations }] of this.learnt.effects)
      for (const { table, path, columns } of creations) {
        const place = this.learnt.layout.paths.get(toolOf(act))?.find((one) => one.path === path);
        if (path !== "$" || place?.key.from !== "field") continue;
        const names = out.get(toolOf(act)) ?? new Set<string>();
        if (this.allocators.get(table)?.kind === "drawn") names.add(place.key.name);
        for (const [name, expr] of columns) if (expr.op === "unknown" && name !== place.key.name) names.add(name);
        out.set(toolOf(act), names);
      }
    return new Map([...out].map(([tool, names]) => [tool, [...names].sort(byText)]));
  }

  /** Every column of every row that some session starts with: where a row lacks one, nobody knows it. */
  private unknown(rows: Rows, starts: ReadonlyMap<string, Rows>): NonNullable<BaseState["unknown"]> {
    const out: NonNullable<BaseState["unknown"]> = {};
    const note = (table: string, stored: string): void => {
      const keys = [...new Set([rows, ...starts.values()].flatMap((of) => Object.keys(getOwn(of, stored) ?? {})))].sort(
        byText,
      );
      const columns = [...(this.columns.get(table) ?? [])].sort(byText).map((name) => this.names.column(table, name));
      if (keys.length > 0 && columns.length > 0) setOwn(out, stored, [{ columns, keys }]);
    };
    for (const table of [...this.learnt.layout.tables.keys()].sort(byText)) note(table, this.names.table(table));
    note("", CELLS);
    const lost = Object.entries(rows[COUNTERS] ?? {}).flatMap(([of, row]) => (Object.hasOwn(row, "next") ? [] : [of]));
    if (lost.length > 0) setOwn(out, COUNTERS, [{ columns: ["next"], keys: lost.sort(byText) }]);
    return out;
  }

  private effects(act: string) {
    return this.learnt.effects.get(act) ?? NO_EFFECTS;
  }

  private begun(tool: string, steps: readonly Step[]): Begun {
    const acts = [...this.byAct.keys()].filter((act) => toolOf(act) === tool).sort(byText);
    const answers = new Map(
      acts.map((act) => [act, learnAnswer(act, this.byAct.get(act) ?? [], this.learnt, this.isGenerated)]),
    );
    const views = [...answers.values()].flatMap((answer) => viewsOf(answer));
    const outcomes = learnOutcomes(tool, steps, this.learnt, this.kinds, views);
    const writer = new Writer(this.names, this.learnt, this.allocators);
    const out = this.endings(outcomes, steps);
    return { tool, answers, outcomes, writer, out };
  }

  private tool({ tool, answers, outcomes, writer, out }: Begun): FittedTool | undefined {
    const okKinds = [outcomes.otherwise, ...outcomes.rules.map(({ kind }) => kind)].filter(
      (kind, i, all) => (!kind.startsWith("error ") || answers.has(`${tool}\u001d${kind}`)) && all.indexOf(kind) === i,
    );
    const forms: string[] = [];
    let writes = false;
    const sole = okKinds.length === 1 && outcomes.unheard.length === 0;
    for (const kind of okKinds) {
      const act = `${tool}\u001d${kind}`;
      const answer = answers.get(act);
      const only = sole ? undefined : this.meets(outcomes, kind);
      const effects = [
        ...writer.effects(act, only),
        ...this.unseen.follow(this.effects(act), only, `doubt${forms.length}`),
      ];
      if (effects.length > 0) writes = true;
      out.push(...effects);
      const value = answer ? writer.answer(answer, act) : "unknown()";
      const text = this.text(tool, kind, value);
      forms.push(only === undefined ? text : `${only} ? ${text} : `);
    }
    const last = forms.at(-1) ?? "unknown()";
    const expr = sole ? last : `(${forms.join("")}unknown())`;
    out.push({ op: "answer", expr });
    if (out.length > MOST_STEPS || out.some(tooLong)) return undefined;
    // What a write was never shown to change is not known: that it changes nothing was not shown either.
    const effect = writes || !this.learnt.layout.readers.has(tool) ? "write" : "read";
    return { behaviour: { v: 1, steps: out }, effect, how: "program", whole: true };
  }

  /** The expression of an answer as it is written: a record or a list may be a text. */
  private text(tool: string, kind: Kind, value: string): string {
    const between = kind === "list" ? this.texts.between.get(tool) : undefined;
    if (between !== undefined) return `${value}.join(${literal(between)})`;
    const form = kind.startsWith("object ") ? this.texts.records.get(tool) : undefined;
    return form ? renderedExpression(value, form) : value;
  }

  /** Steps that tell how a call ends, and end it where that is a refusal. */
  private endings(outcomes: Outcomes, steps: readonly Step[]): BehaviourStep[] {
    const out: BehaviourStep[] = [];
    if (outcomes.rules.length > 0 || outcomes.unheard.length > 0) {
      const at: Printing = { names: this.names };
      const unheard = outcomes.unheard.map((expr) => print(expr, at)).join(" || ");
      const chain = outcomes.rules
        .map((one) => `${this.unseen.guard(one, print(one.when, at), steps)} ? ${this.number(outcomes, one.kind)} : `)
        .join("");
      out.push({
        op: "let",
        name: "ending",
        expr: `(${chain}${unheard === "" ? "0" : `(${unheard}) ? unknown() : 0`})`,
      });
    }
    const errors = [outcomes.otherwise, ...outcomes.rules.map(({ kind }) => kind)].filter(
      (kind, i, all) => kind.startsWith("error ") && all.indexOf(kind) === i,
    );
    for (const kind of errors) {
      const ended = steps.filter(({ call }) => this.kinds.of(call) === kind);
      // What the protocol calls a success is answered as one, in its form.
      if (ended.some(({ call }) => call.unmarked)) continue;
      const rules = outcomes.rules.filter((rule) => rule.kind === kind).map((rule) => rule.when);
      const expr = this.refusal(ended, rules.flatMap(holdersIn));
      const when =
        outcomes.rules.length + outcomes.unheard.length > 0 ? `ending == ${this.number(outcomes, kind)}` : "true";
      const text = print(expr, { names: this.names });
      out.push({ op: "refuse", when, template: `{string(${text})}` });
    }
    return out;
  }

  private number(outcomes: Outcomes, kind: Kind): number {
    return kind === outcomes.otherwise ? 0 : 1 + outcomes.rules.findIndex((rule) => rule.kind === kind);
  }

  private meets(outcomes: Outcomes, kind: Kind): string {
    return `ending == ${this.number(outcomes, kind)}`;
  }

  /** The words of a refusal, as they stand on the wire. */
  private refusal(steps: readonly Step[], holders: readonly Expr[]): Expr {
    const [first] = steps;
    if (!first) return { op: "unknown" };
    const given = argumentPaths(steps.map(({ call }) => call));
    const terms = termsOf(first.call.tool, given, this.learnt.layout, this.columns, undefined);
    const examples = steps.map(({ call, before, session }) => ({
      env: { args: call.args, facts: before },
      target: wireText(call.parsed.text, call.value),
      session,
    }));
    const said = [...terms, ...holders, ...amountTerms(steps, terms)];
    // Words that are alone of their kind are said again as they are.
    const [only, ...others] = new Set(examples.map(({ target }) => target));
    const echo = echoOf(examples.map(({ env, target }) => ({ args: env.args, text: target })));
    if (echo) return echo;
    const plain = only !== undefined && others.length === 0 && !/[#{]/.test(maskedText(only, first.call.args));
    return fitExpression(examples, said, undefined, 1)?.expr ?? (plain ? constant(only) : { op: "unknown" });
  }

  private tables(): TableModel[] {
    const model = (
      name: string,
      key: readonly string[],
      columns: readonly string[],
      internal: boolean,
    ): TableModel => ({
      name,
      key: [...key],
      columns: [...new Set([...key, ...columns])].map((column) => ({
        name: column,
        types: ["null", "boolean", "number", "string", "array", "object"],
        present: 1,
      })),
      ...(internal ? { internal } : {}),
    });
    const out = [...this.learnt.layout.tables]
      .sort(([a], [b]) => byText(a, b))
      .map(([table, key]) =>
        model(
          this.names.table(table),
          key.map((column) => this.names.column(table, column)),
          [...(this.columns.get(table) ?? [])].sort(byText).map((column) => this.names.column(table, column)),
          false,
        ),
      );
    out.push(
      model(
        CELLS,
        ["of"],
        [...(this.columns.get("") ?? [])].sort(byText).map((name) => this.names.column("", name)),
        false,
      ),
    );
    out.push(model(COUNTERS, ["of"], ["next"], true));
    if (this.unseen.columns().length > 0) out.push(this.unseen.model());
    if ([...this.learnt.layout.tables.keys()].some((table) => isDoubted(this.learnt, table))) out.push(DOUBTED_MODEL);
    return out;
  }

  /** Facts as rows of the stored state, without what is not known; rows that they share with others are those. */
  private stored(facts: Facts, from?: { readonly facts: Facts; readonly rows: Rows }, group?: string): Rows {
    const cells: JsonObject = { of: CELL_KEY };
    const put = (into: JsonObject, name: string, value: Value | undefined): void => {
      if (value !== undefined && value !== UNKNOWN) setOwn(into, name, value as Json);
    };
    for (const name of [...(this.columns.get("") ?? [])].sort(byText))
      put(cells, this.names.column("", name), facts.cells.get(name));
    const out: Rows = { [CELLS]: { [CELL_KEY]: cells }, [COUNTERS]: {} };
    if (this.unseen.columns().length > 0) out[UNSEEN] = { [CELL_KEY]: this.unseen.row(facts) };
    const doubted = doubtedRows(this.learnt, this.names, group);
    if (Object.keys(doubted).length > 0) out[DOUBTED] = doubted;
    for (const [table, keyColumns] of [...this.learnt.layout.tables].sort(([a], [b]) => byText(a, b))) {
      const rows: Record<string, JsonObject> = {};
      const held: ReadonlyMap<string, Row> = facts.tables.get(table)?.rows ?? new Map();
      const columns = [...(this.columns.get(table) ?? [])]
        .sort(byText)
        .filter((column) => !keyColumns.includes(column))
        .map((column) => [column, this.names.column(table, column)] as const);
      const common = from?.facts.tables.get(table)?.rows;
      let i = 0;
      for (const [key, row] of held) {
        const at = i++;
        const known = from && common?.get(key) === row ? rowIn(from.rows, this.names.table(table), key) : undefined;
        if (known && known[MADE] === at) {
          setOwn(rows, key, known);
          continue;
        }
        const stored: JsonObject = {};
        for (const [k, column] of keyColumns.entries()) {
          const value = getOwn(row, column);
          const held = value !== undefined && value !== UNKNOWN ? (value as Json) : (key.split("\u001f")[k] ?? null);
          setOwn(stored, this.names.column(table, column), held);
        }
        for (const [column, name] of columns) put(stored, name, getOwn(row, column));
        stored[MADE] = at;
        setOwn(rows, key, stored);
      }
      setOwn(out, this.names.table(table), rows);
      const allocator = this.allocators.get(table);
      const counters = out[COUNTERS] as Record<string, JsonObject>;
      const next = allocator?.kind === "counter" ? firstOf(allocator, group) : held.size;
      const of = this.names.table(table);
      setOwn(counters, of, next === undefined ? { of } : { of, next: Math.max(next, 0) });
    }
    return out;
  }
}

/** The rows that a condition rests on because of what they hold. */
function holdersIn(expr: Expr): Expr[] {
  if (expr.op === "holder") return [expr];
  if (expr.op === "not") return holdersIn(expr.a);
  if (expr.op === "count") {
    const { table, where } = expr;
    const held = where.op === "eq" && where.a.op === "column" && where.a.of === "row" ? where.a.name : undefined;
    return where.op === "eq" && held !== undefined ? [{ op: "holder", table, column: held, value: where.b }] : [];
  }
  return expr.op === "and" || expr.op === "or" || expr.op === "eq" ? [...holdersIn(expr.a), ...holdersIn(expr.b)] : [];
}

const tooLong = (step: BehaviourStep): boolean =>
  Object.values(step).some((value) => typeof value === "string" && value.length > LONGEST) ||
  ("set" in step && step.set.some(({ expr }) => expr.length > LONGEST));

function wireText(text: string | undefined, value: Json): string {
  return text ?? (typeof value === "string" ? value : JSON.stringify(value));
}

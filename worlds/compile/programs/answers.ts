import { getOwn, isObject, type Json } from "../../json.ts";
import type { Call } from "../observations.ts";
import { byText, canon, isScalar, mostCommon, same } from "../values.ts";
import { type Allocator, drawnOf } from "./allocator.ts";
import { columnNames, type Learnt, termsOf } from "./effects.ts";
import { arg, argumentPaths, cell, column, constant, type Env, type Expr } from "./expressions/expr.ts";
import { type Example, fitExpression, standing } from "./expressions/fit.ts";
import { echoOf } from "./expressions/within-text.ts";
import { parentColumn, type Step } from "./simulate.ts";
import { isRefusal, toolOf } from "./state/kinds.ts";
import { linesText } from "./state/lines.ts";
import { leafId, WHOLE } from "./state/observations.ts";
import { FIELDS, type RowPath, valuesOf } from "./state/row-paths.ts";
import { type ListSeen, learnView, type View } from "./state/views.ts";

/** The form of an answer: its leaves are expressions over the state that its call left. */
export type Answer =
  | { readonly kind: "leaf"; readonly expr: Expr }
  /** A value that the call generates and nobody foretells. */
  | { readonly kind: "drawn"; readonly form: Allocator & { kind: "drawn" } }
  | { readonly kind: "object"; readonly fields: readonly (readonly [name: string, of: Answer])[] }
  | { readonly kind: "row"; readonly table: string; readonly key: readonly Expr[]; readonly of: Answer }
  /** The row that the call made at a place of its answer. */
  | { readonly kind: "made"; readonly path: string; readonly of: Answer }
  | { readonly kind: "list"; readonly view: View; readonly of: Answer }
  /** The rows that the call made, one for each entry of an argument. */
  | { readonly kind: "madeList"; readonly path: string; readonly of: Answer };

const UNSAID: Answer = { kind: "leaf", expr: { op: "unknown" } };

/** What was seen at one place of an answer. */
interface Seen {
  readonly step: Step;
  readonly value: Json;
  /** The row that the value stands in. */
  readonly row: { readonly table: string; readonly key: string } | undefined;
}

/** Whether a field of a tool's answers is generated, by its path from their root. */
export type IsGenerated = (tool: string, path: string) => boolean;

/** Learns the form of what an act answers. */
export function learnAnswer(act: string, steps: readonly Step[], learnt: Learnt, isGenerated: IsGenerated): Answer {
  return new AnswerLearner(act, steps, learnt, isGenerated).whole();
}

class AnswerLearner {
  private readonly tool: string;
  private readonly act: string;
  private readonly steps: readonly Step[];
  private readonly learnt: Learnt;
  private readonly isGenerated: IsGenerated;
  private readonly positions: ReadonlyMap<string, RowPath>;
  private readonly values: ReadonlySet<string>;
  private readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly given: ReturnType<typeof argumentPaths>;

  constructor(act: string, steps: readonly Step[], learnt: Learnt, isGenerated: IsGenerated) {
    this.act = act;
    this.isGenerated = isGenerated;
    this.tool = toolOf(act);
    this.steps = steps;
    this.learnt = learnt;
    this.positions = new Map((learnt.layout.paths.get(this.tool) ?? []).map((rowPath) => [rowPath.path, rowPath]));
    this.values = valuesOf(learnt.layout.values, this.tool);
    this.columns = columnNames(learnt.timelines);
    this.given = argumentPaths(steps.map(({ call }) => call));
  }

  whole(): Answer {
    const computed = this.learnt.layout.functions.leaves.get(this.act);
    const of = computed?.get(WHOLE);
    if (of) return { kind: "leaf", expr: of };
    if (computed)
      return { kind: "object", fields: [...computed].map(([name, expr]) => [name, { kind: "leaf", expr }]) };
    const repeated = echoOf(
      this.steps.map(({ call }) => ({ args: call.args, text: call.value })),
      isRefusal(this.act),
    );
    if (repeated) return { kind: "leaf", expr: repeated };
    const seen = this.steps.map((step): Seen => ({ step, value: step.call.value, row: undefined }));
    return this.at("$", "", seen, undefined);
  }

  private at(path: string, name: string, seen: readonly Seen[], table: string | undefined): Answer {
    const place = this.positions.get(path);
    const listed = this.positions.get(`${path}[]`);
    if (listed) return this.list(listed, seen);
    // A sentence in place of a row tells of none.
    const isRow = place?.key.from !== "field" || seen.some(({ value }) => isObject(value));
    if (place && isRow) return this.row(place, seen);
    const [first] = seen;
    if (first && isObject(first.value) && Object.keys(first.value).length > 0 && this.plain(path, seen))
      return this.object(path, name, seen, table);
    return this.drawn(name, seen, table) ?? { kind: "leaf", expr: this.leaf(path, name, seen, table) };
  }

  /** A field of a write's own answer that is generated, such as a token, and that no reading shows. */
  private drawn(name: string, seen: readonly Seen[], table: string | undefined): Answer | undefined {
    const { paths, readers } = this.learnt.layout;
    const isRead = ([tool, places]: readonly [string, readonly RowPath[]]): boolean =>
      readers.has(tool) && places.some((place) => place.table === table);
    if (name === "" || readers.has(this.tool) || (table !== undefined && [...paths].some(isRead))) return undefined;
    if (!this.isGenerated(this.tool, `/${name.replaceAll(".", "/")}`)) return undefined;
    const values = seen.map(({ value }) => value);
    if (!values.every((value) => typeof value === "string" || typeof value === "number")) return undefined;
    const form = drawnOf(
      values.map(String),
      values.every((value) => typeof value === "number"),
    );
    return form && { kind: "drawn", form };
  }

  /** Whether the objects at a path have leaves of their own: they are no value that is told whole. */
  private plain(path: string, seen: readonly Seen[]): boolean {
    if (path === "$") return true;
    const names = new Set(seen.flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])));
    return names.size <= FIELDS && !this.values.has(path) && seen.every(({ value }) => isObject(value));
  }

  private object(path: string, prefix: string, seen: readonly Seen[], table: string | undefined): Answer {
    const names = [...new Set(seen.flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])))];
    const fields = names.map((name): [string, Answer] => {
      const inside = seen.flatMap(({ step, value, row }) =>
        isObject(value) && Object.hasOwn(value, name) ? [{ step, value: value[name] as Json, row }] : [],
      );
      return [name, this.at(`${path}.${name}`, prefix === "" ? name : `${prefix}.${name}`, inside, table)];
    });
    return { kind: "object", fields };
  }

  private row(place: RowPath, seen: readonly Seen[]): Answer {
    const keyed = seen.flatMap(({ step, value }): Seen[] => {
      const found = step.observations.rows.find((row) => row.place === place && !place.path.includes("[]"));
      return found ? [{ step, value, row: { table: place.table, key: found.key } }] : [];
    });
    if (keyed.length === 0 && seen.every(({ value }) => isObject(value)))
      return this.object(place.path, "", seen, undefined);
    const effects = this.learnt.effects.get(this.act);
    const of = (path: string): Answer =>
      isObject(keyed[0]?.value)
        ? this.object(path, "", keyed, place.table)
        : { kind: "leaf", expr: column("row", "value") };
    if (effects?.creations.some((creation) => creation.path === place.path))
      return { kind: "made", path: place.path, of: of(place.path) };
    if (place.key.from === "args")
      return { kind: "row", table: place.table, key: place.key.names.map((name) => arg(name)), of: of(place.path) };
    if (place.key.from === "cell")
      return { kind: "row", table: place.table, key: [cell(place.key.name)], of: of(place.path) };
    const { name: keyName } = place.key;
    const examples = keyed.map(
      ({ step, value, row }): Example => ({
        env: { args: step.call.args, facts: step.before },
        target: (isObject(value) ? getOwn(value, keyName) : undefined) ?? row?.key ?? null,
        session: step.session,
      }),
    );
    const textual = this.terms(undefined).filter((term) => term.op !== "cell");
    const found = fitExpression(examples, [...textual, ...this.firsts(place.table)], undefined, 0, "id") ?? undefined;
    if (!found || found.expr.op === "const") return UNSAID;
    return { kind: "row", table: place.table, key: [found.expr], of: of(place.path) };
  }

  private terms(table: string | undefined): Expr[] {
    return termsOf(this.tool, this.given, this.learnt.layout, this.columns, table);
  }

  /** Which rows of a table an answer may be about: all, and those that stand in a row that an argument names. */
  private selections(around?: string): { table: string; where: Expr }[] {
    const { layout } = this.learnt;
    const out: { table: string; where: Expr }[] = [];
    for (const table of [...layout.tables.keys()].sort(byText)) {
      const [keyColumn] = around === undefined ? [] : (layout.tables.get(around) ?? []);
      if (around !== undefined && keyColumn !== undefined && this.columns.get(table)?.has(parentColumn(around)))
        out.push({
          table,
          where: { op: "eq", a: column("row", parentColumn(around)), b: { op: "item", path: [keyColumn] } },
        });
      for (const [name, parent] of layout.refs.get(this.tool) ?? [])
        if (this.columns.get(table)?.has(parentColumn(parent)))
          out.push({ table, where: { op: "eq", a: column("row", parentColumn(parent)), b: arg(name) } });
      out.push({ table, where: constant(true) });
    }
    return out;
  }

  /** Keys of the first rows of a table that stand somewhere and are in some state. */
  private firsts(table: string): Expr[] {
    const out: Expr[] = [];
    const domains = new Map<string, Map<string, Json>>();
    for (const { observations } of this.learnt.steps.flat())
      for (const { place, columns } of observations.rows) {
        if (place.table !== table) continue;
        for (const [name, value] of Object.entries(columns)) {
          if (value !== null && !isScalar(value)) continue;
          const of = domains.get(name) ?? new Map<string, Json>();
          if (of.size <= 6) domains.set(name, of.set(canon(value), value));
        }
      }
    for (const { table: of, where } of this.selections())
      if (of === table)
        for (const [name, values] of [...domains].sort(([a], [b]) => byText(a, b)))
          if (values.size <= 6)
            for (const value of values.values()) {
              const test: Expr = { op: "eq", a: column("row", name), b: constant(value) };
              out.push({ op: "first", table, where: { op: "and", a: where, b: test } });
            }
    return out;
  }

  /** A text that holds a line for each row of a table. */
  private linesOf(examples: readonly Example[], around: string | undefined): Expr | undefined {
    for (const { table, where } of this.selections(around)) {
      const found = linesText(
        examples,
        table,
        where,
        [
          ...[...(this.columns.get(table) ?? [])].sort(byText).map((name) => column("row", name)),
          ...(this.learnt.layout.computed.get(table)?.values() ?? []),
        ],
        this.terms(undefined),
      );
      if (found) return found;
    }
    return undefined;
  }

  private leaf(path: string, name: string, seen: readonly Seen[], table: string | undefined): Expr {
    const { layout } = this.learnt;
    const [keyColumn] = table === undefined ? [] : (layout.tables.get(table) ?? []);
    const place =
      table === undefined
        ? undefined
        : [...this.positions.values()].find((one) => one.table === table && path.startsWith(one.path));
    if (place?.key.from === "field" && name === place.key.name && keyColumn !== undefined)
      return column("row", keyColumn);
    const id = leafId(this.tool, place?.path ?? "$", name);
    const computed = layout.derived.has(id) ? layout.computed.get(table ?? "")?.get(name) : undefined;
    if (computed) return this.expanded(computed, table ?? "", 0);
    const unshown = path === "$" && table === undefined && !layout.readers.has(this.tool);
    const cellName = path === "$" ? this.tool : (layout.own.get(id) ?? name);
    const nowhere = table === undefined && !this.columns.get("")?.has(cellName);
    const stored: Expr | undefined =
      layout.derived.has(id) || unshown || nowhere
        ? undefined
        : table === undefined
          ? { op: "cell", name: cellName }
          : column("row", name);
    const examples = seen.map(({ step, value, row }): Example => {
      const held = row && step.after.tables.get(row.table)?.rows.get(row.key);
      const env: Env = { args: step.call.args, facts: step.after, ...(row ? { row: held ?? {} } : {}) };
      return { env, target: value, session: step.session };
    });
    const repeated = stored?.op === "cell" ? echoedArgument(seen) : undefined;
    if (repeated) return repeated;
    const fixed = fixedValue(seen);
    if (stored?.op === "cell" && fixed && !this.foretold(stored, seen)) return constant(fixed.value);
    if (stored?.op === "cell" && !fixed && !this.foretold(stored, seen)) {
      const said = severalLines(seen) ? this.linesOf(examples, undefined) : undefined;
      if (said) return said;
    }
    if (stored && !(fixed && !this.moves(table, stored.op === "cell" ? stored.name : name))) return stored;
    if (fixed) return constant(fixed.value);
    const counts = this.selections(table).map(({ table: of, where }): Expr => ({ op: "count", table: of, where }));
    const found = fitExpression(examples, [...this.terms(table), ...counts], undefined, 2, name);
    const known = found && found.right >= examples.length * 0.9 ? found.expr : undefined;
    const lines =
      known || examples.every(({ target }) => typeof target !== "string" || !target.includes("\n"))
        ? undefined
        : this.linesOf(examples, table);
    if (lines) return lines;
    if (found) return found.expr;
    if (layout.volatile.has(id) && seen.every(({ value }) => typeof value !== "number"))
      return constant(mostCommon(seen.map(({ value }) => value)) ?? null);
    return { op: "unknown" };
  }

  /** Whether what was known before the calls says what they answered. */
  private foretold(stored: Expr, seen: readonly Seen[]): boolean {
    const examples = seen.map(
      ({ step, value }): Example => ({
        env: { args: step.call.args, facts: step.before },
        target: value,
        session: step.session,
      }),
    );
    return standing(stored, examples).right >= examples.length * 0.6;
  }

  /** A computed column with the computed ones that it rests on written out. */
  private expanded(expr: Expr, table: string, depth: number): Expr {
    if (expr.op !== "column" || expr.of === "row" || depth > 3) return expr;
    const key = expr.of.key.map((part) => {
      const inner =
        part.op === "column" && part.of === "row" ? this.learnt.layout.computed.get(table)?.get(part.name) : undefined;
      return inner ? this.expanded(inner, table, depth + 1) : part;
    });
    return { ...expr, of: { ...expr.of, key } };
  }

  /** Whether any call was seen to change what a leaf shows. */
  private moves(table: string | undefined, name: string): boolean {
    for (const { changes, creations } of this.learnt.effects.values()) {
      if (changes.some((change) => change.table === table && change.name === name)) return true;
      if (table !== undefined && creations.some((creation) => creation.table === table)) return true;
    }
    return table !== undefined;
  }

  private list(place: RowPath, seen: readonly Seen[]): Answer {
    const instances: ListSeen[] = seen.flatMap(({ step, value, row }) =>
      Array.isArray(value)
        ? [{ step, shown: keysOf(value, place, step.call), holder: row }]
        : value === null || typeof value === "string"
          ? []
          : [],
    );
    const items = seen.flatMap(({ step, value }) =>
      Array.isArray(value)
        ? value.flatMap((item): Seen[] => {
            const [key] = keysOf([item], place, step.call);
            return key === undefined ? [] : [{ step, value: item, row: { table: place.table, key } }];
          })
        : [],
    );
    const of = items.length > 0 ? this.object(place.path, "", items, place.table) : UNSAID;
    const effects = this.learnt.effects.get(this.act);
    if (effects?.creations.some((creation) => creation.path === place.path))
      return { kind: "madeList", path: place.path, of };
    const view = learnView(
      place,
      instances,
      this.columns.get(place.table) ?? new Set(),
      this.given.map(([name]) => name as string),
      this.learnt,
    );
    return view ? { kind: "list", view, of } : UNSAID;
  }
}

function keysOf(list: readonly Json[], rowPath: RowPath, call: Call): string[] {
  const { key } = rowPath;
  return list.flatMap((item) => {
    if (key.from === "cell") return [];
    if (key.from === "args") return key.names.map((name) => String(getOwn(call.args, name))).join("\u001f");
    const value = isObject(item) ? getOwn(item, key.name) : undefined;
    return isScalar(value) ? String(value) : [];
  });
}

const severalLines = (seen: readonly Seen[]): boolean =>
  seen.some(({ value }) => typeof value === "string" && value.includes("\n"));

function fixedValue(seen: readonly Seen[]): { value: Json } | undefined {
  const [first] = seen;
  if (!first || !seen.every(({ value }) => same(value, first.value))) return undefined;
  const questions = new Set(seen.map(({ step }) => canon(step.call.args)));
  const sessions = new Set(seen.map(({ step }) => step.session));
  return sessions.size > 1 && (questions.size > 1 || Object.keys(first.step.call.args).length === 0)
    ? { value: first.value }
    : undefined;
}

/** The argument that an answer repeats, whatever is known of the state: values of several sessions. */
function echoedArgument(seen: readonly Seen[]): Expr | undefined {
  const [first] = seen;
  const names = Object.keys(first?.step.call.args ?? {}).filter((name) =>
    seen.every(({ step, value }) => isScalar(value) && same(getOwn(step.call.args, name) ?? null, value)),
  );
  const [name] = names.sort(byText);
  return name !== undefined && new Set(seen.map(({ value }) => canon(value))).size > 1 ? arg(name) : undefined;
}

/** The views of an answer's lists that stand in no row. */
export function viewsOf(answer: Answer): View[] {
  if (answer.kind === "list") return [answer.view];
  return answer.kind === "object" ? answer.fields.flatMap(([, of]) => viewsOf(of)) : [];
}

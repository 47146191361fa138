import type { Step } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import { findConditions, type Pair } from "../conditions/conditions.ts";
import { findTemplate } from "../conditions/templates.ts";
import { literal } from "../conditions/term.ts";
import { columnKnowledge, type History } from "../history.ts";
import type { Call } from "../observations.ts";
import { type Missing, missingSteps } from "../tables/missing.ts";
import { rowCel, shownColumns, unsureStep, viewOf } from "../tables/shown-columns.ts";
import type { Placed } from "../tables/tables.ts";
import { byText, canon, isScalar, same } from "../values.ts";
import { argumentEnv, type Examples } from "./examples.ts";
import { scoreOf, wanted } from "./fitting.ts";
import { synthesise } from "./synthesis.ts";

/** A behaviour that may explain a read tool, simpler ones first. */
export interface Candidate {
  readonly steps: Step[];
  readonly how: string;
}

const EXPR_LIMIT = 3800;

/** What never changes from call to call. */
export function constantRead(calls: readonly Call[]): Candidate | undefined {
  const ok = calls.filter((call) => call.ok);
  const first = ok[0];
  if (!first || !ok.every((call) => same(call.value, first.value))) return undefined;
  const asked = new Set(ok.map((call) => canon(call.args))).size;
  const free = ok.every((call) => Object.keys(call.args).length === 0);
  if (!free && asked < 3) return undefined;
  const text = literal(first.value);
  return text.length > EXPR_LIMIT ? undefined : { steps: [{ op: "answer", expr: text }], how: "constant" };
}

/** The row that the arguments name, or a part of it. */
export function keyedRead(
  history: History,
  tool: string,
  table: string,
  placed: Placed,
  missing: Missing | undefined,
): Candidate | undefined {
  const entity = history.entities.get(table);
  if (!entity || placed.source.list) return undefined;
  const instances = placed.source.instances;
  const parts: { column: string; expr?: string }[] = [];
  for (const column of entity.key) {
    const arg = [column, ...Object.keys(instances[0]?.call.args ?? {})].find((name) =>
      instances.every(
        ({ call, row }) =>
          isScalar(call.args[name]) && (placed.injected.get(column) === name || call.args[name] === row[column]),
      ),
    );
    if (arg === undefined) return undefined;
    parts.push(arg === column ? { column } : { column, expr: `args.${arg}` });
  }
  const columns = shownColumns(history, table, placed);
  const lacking = [...columnKnowledge(history, table).patchy].filter((column) => columns.own.has(column)).sort(byText);
  const steps: Step[] = [];
  const keys = parts.map((part) => part.expr ?? `args.${part.column}`);
  if (missing) steps.push(...missingSteps(missing, table, keys));
  if (lacking.length > 0)
    steps.push({
      op: "let",
      name: "whole",
      expr: `[${lacking.map((column) => `(has(known(lookup(${literal(table)}, ${keys.join(", ")}))${member(column)}) ? true : not_served())`).join(", ")}]`,
    });
  steps.push(...unsureStep(columns, rowCel(table, keys)));
  steps.push({ op: "read", table, key: parts, ...viewOf(columns) });
  return { steps, how: `read ${tool}` };
}

function member(column: string): string {
  return /^[A-Za-z_]\w*$/.test(column) ? `.${column}` : `[${literal(column)}]`;
}

/** The one row whose columns the arguments repeat, such as a customer by e-mail. */
export function rowLookup(
  history: History,
  tool: string,
  table: string,
  placed: Placed,
  missing: Missing | undefined,
): Candidate | undefined {
  if (placed.source.list || placed.injected.size > 0) return undefined;
  const pairs = placed.source.instances.map(({ call, row }) => ({ args: call.args, row }));
  const args = [...new Set(pairs.flatMap((pair) => Object.keys(pair.args)))].sort(byText);
  const conditions = findConditions(args, pairs, "r");
  if (
    args.length === 0 ||
    conditions.size < args.length ||
    [...conditions.values()].some(({ op }) => op !== "==" && op !== "lower")
  )
    return undefined;
  const entity = history.entities.get(table);
  if (!entity) return undefined;
  const tests = [...conditions.values()];
  const columns = shownColumns(history, table, placed);
  const lacking = [...columnKnowledge(history, table).patchy].filter((column) => columns.own.has(column)).sort(byText);
  const steps: Step[] = [
    {
      op: "let",
      name: "it",
      expr: `rows(${literal(table)}).find(r, ${tests.map(({ cel }) => cel).join(" && ")})`,
    },
    {
      op: "let",
      name: "found",
      expr: missing?.always ? `(it == null ? error(${missing.expr}) : it)` : "known(it)",
    },
  ];
  if (lacking.length > 0) {
    const whole = lacking.map((column) => `has(found${member(column)})`).join(" && ");
    steps.push({ op: "let", name: "whole", expr: `(${whole} ? true : not_served())` });
  }
  steps.push(...unsureStep(columns, "found"));
  const key = entity.key.map((column) => ({ column, expr: `found${member(column)}` }));
  steps.push({ op: "read", table, key, ...viewOf(columns) });
  return { steps, how: `lookup ${tool}` };
}

/** A scalar of the one row whose columns the arguments repeat, such as an id by e-mail. */
export function scalarLookup(
  history: History,
  calls: readonly Call[],
  missing: Missing | undefined,
): Candidate | undefined {
  const ok = calls.filter((call) => call.ok && isScalar(call.value) && call.value !== "");
  const args = [...new Set(ok.flatMap((call) => Object.keys(call.args)))].sort(byText);
  if (ok.length < 2 || args.length === 0) return undefined;
  let best: { candidate: Candidate; n: number } | undefined;
  for (const entity of history.entities.values()) {
    const rows = Object.values(history.base[entity.name] ?? {});
    const columns = [...entity.key, ...new Set(rows.slice(0, 20).flatMap((row) => Object.keys(row)))].filter(
      (column, i, list) => list.indexOf(column) === i,
    );
    for (const column of columns) {
      const index = new Map<Json, JsonObject[]>();
      for (const row of rows) {
        const value = row[column];
        if (isScalar(value)) index.set(value, [...(index.get(value) ?? []), row]);
      }
      const pairs: Pair[] = ok.flatMap((call) => {
        const found = index.get(call.value);
        return found?.length === 1 ? [{ args: call.args, row: found[0] as JsonObject }] : [];
      });
      if (pairs.length < 2 || pairs.length < ok.length * 0.3) continue;
      const conditions = findConditions(args, pairs, "r", 0.05);
      if (conditions.size < args.length || [...conditions.values()].some(({ op }) => op !== "==" && op !== "lower"))
        continue;
      if ([...conditions.values()].every(({ path }) => path.length === 1 && path[0] === column)) continue;
      if (best && best.n >= pairs.length) continue;
      const test = [...conditions.values()].map(({ cel }) => cel).join(" && ");
      const it = `rows(${literal(entity.name)}).find(r, ${test})`;
      const steps: Step[] = [
        { op: "let", name: "it", expr: it },
        {
          op: "answer",
          expr: `${missing?.always ? `(it == null ? error(${missing.expr}) : it)` : "known(it)"}${member(column)}`,
        },
      ];
      best = { candidate: { steps, how: `lookup ${entity.name}` }, n: pairs.length };
    }
  }
  return best?.candidate;
}

/** Any expression over arguments and the rows they name that gives the answer, or a text with such expressions in it. */
export function expressionRead(examples: Examples): Candidate | undefined {
  const env = argumentEnv(examples);
  env.join();
  const target = examples.calls.map((call) => (call.ok ? call.value : undefined));
  if (wanted(target) < 3) return undefined;
  const term = synthesise(env, target);
  const score = term ? scoreOf(term.vals, target) : undefined;
  if (term && score && score.hits >= 3 && score.misses === 0 && term.cel.length < EXPR_LIMIT)
    return { steps: [{ op: "answer", expr: term.cel }], how: "expression" };
  if (!target.every((value) => value === undefined || typeof value === "string")) return undefined;
  const template = findTemplate(env, target, synthesise);
  return template && template.holes.length > 0
    ? { steps: [{ op: "say", template: template.text }], how: "template" }
    : undefined;
}

import type { Behaviour, Step } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import { calculation } from "../conditions/calculations.ts";
import { findTemplate, templateText } from "../conditions/templates.ts";
import { literal, member } from "../conditions/term.ts";
import { unsettledAmounts } from "../conditions/unsettled-amounts.ts";
import { columnKnowledge, type History } from "../history.ts";
import type { Call } from "../observations.ts";
import { rowInvariantsOf } from "../row-invariants.ts";
import { isGuess, supportSteps, switchSteps } from "../support.ts";
import { findMissing, missingSteps } from "../tables/missing.ts";
import { addRelated } from "../tables/related-rows.ts";
import type { Placed } from "../tables/tables.ts";
import { byText, canon, same } from "../values.ts";
import { argumentEnv, type Examples, examplesOf } from "./examples.ts";
import { fitGuards } from "./fit-guards.ts";
import { pairRead } from "./fit-pairs.ts";
import { constantRead, expressionRead, keyedRead, rowLookup, scalarLookup } from "./fit-read.ts";
import { searchRead } from "./fit-search.ts";
import { type FittedWrite, fitWrite } from "./fit-write.ts";
import { synthesise } from "./synthesis.ts";

/** A tool's behaviour as fitted, with what it needs of the state beyond observed rows. */
export interface FittedTool {
  readonly behaviour: Behaviour;
  readonly effect: "read" | "write";
  readonly how: string;
  readonly asked?: {
    readonly table: string;
    readonly key: readonly string[];
    readonly rows: Readonly<Record<string, JsonObject>>;
  };
  /** Its behaviour answers whole results, whatever wraps them. */
  readonly whole?: boolean;
  /** Why only its recorded answers stand, where that is another reason than that nothing explains them. */
  readonly why?: string;
}

/** A tool of which nothing but its recorded answers is known. */
export function recordedOnly(effect: "read" | "write"): FittedTool {
  return { behaviour: { v: 1, steps: [{ op: "recorded" }] }, effect, how: "recorded" };
}

function placedIn(history: History, tool: string): { table: string; placed: Placed }[] {
  return [...history.entities.values()].flatMap((entity) =>
    entity.placed.filter((placed) => placed.source.tool === tool).map((placed) => ({ table: entity.name, placed })),
  );
}

/** Every behaviour that may explain a tool's calls, the preferred first; the last is its recorded answers. */
export function candidatesFor(
  tool: string,
  calls: readonly Call[],
  history: History,
  writes: readonly Call[],
): FittedTool[] {
  const out: FittedTool[] = history.writers.has(tool)
    ? writeCandidates(tool, calls, history, writes)
    : readCandidates(tool, calls, history);
  return [...out, recordedOnly(history.writers.has(tool) ? "write" : "read")];
}

function read(steps: Step[], how: string, asked?: FittedTool["asked"]): FittedTool {
  return { behaviour: { v: 1, steps }, effect: "read", how, ...(asked ? { asked } : {}) };
}

function readCandidates(tool: string, calls: readonly Call[], history: History): FittedTool[] {
  const out: FittedTool[] = [];
  const constant = constantRead(calls);
  if (constant) return [read(constant.steps, constant.how)];
  const all = placedIn(history, tool);
  const expression = all.some(({ placed }) => placed.injected.size > 0 && !placed.source.list)
    ? expressionRead(examplesOf(tool, calls, history))
    : undefined;
  if (expression) out.push(read(expression.steps, expression.how));
  for (const { table, placed } of all) {
    const key = history.entities.get(table)?.key ?? [];
    const missing = findMissing(
      history,
      table,
      calls,
      key.length === 1 && calls.some((call) => key[0] !== undefined && call.args[key[0]] !== undefined)
        ? key[0]
        : undefined,
    );
    const keyed = keyedRead(history, tool, table, placed, missing);
    if (keyed) out.push(read(keyed.steps, keyed.how));
    const found = keyed ? undefined : rowLookup(history, tool, table, placed, missing);
    if (found) out.push(read(found.steps, found.how));
    const search = searchRead(history, tool, table, placed, calls);
    if (search) out.push(read(search.steps, search.how, search.asked));
    const pairs = pairRead(history, tool, table, placed, calls);
    if (pairs) out.push(read(pairs.steps, pairs.how));
  }
  const sum = calculation(calls);
  if (sum) out.push(read(sum.steps, sum.how));
  if (out.length > 0) return out;
  const lookupTable = [...history.entities.keys()]
    .map((table) => findMissing(history, table, calls))
    .find((missing) => missing !== undefined);
  const lookup = scalarLookup(history, calls, lookupTable);
  if (lookup) out.push(read(lookup.steps, lookup.how));
  const told = expressionRead(examplesOf(tool, calls, history));
  if (told) out.push(read(told.steps, told.how));
  return out;
}

function writeCandidates(
  tool: string,
  calls: readonly Call[],
  history: History,
  writes: readonly Call[],
): FittedTool[] {
  const examples = examplesOf(tool, calls, history);
  const fitted = fitWrite(examples, writes);
  if (!fitted) return [];
  const habits = rowInvariantsOf(examples, fitted.env, JSON.stringify([fitted.before, fitted.answer]));
  addTwins(examples, fitted);
  addRelated(examples, fitted.env, writes);
  const guards = fitGuards(examples, fitted.env, [...fitted.effects, ...fitted.answer], habits);
  const checks = guards.map(({ when, error }) => ({ expr: `!(${when})`, error }));
  const absent = absentRows(calls, history);
  const unseen = supportSteps(
    examples,
    fitted,
    checks.map(({ expr }) => expr),
    habits,
  );
  const unasked = switchSteps(examples);
  unseen.push(...completeRow(examples, fitted));
  const [first, later] = splitGuards(fitted.before, checks, unseen);
  // Where nothing explains what the call does, its refusals may still be known.
  const refusals: FittedTool = {
    behaviour: {
      v: 1,
      steps: [...absent, ...first, ...unasked, ...checkSteps(checks), { op: "answer", expr: "not_served()" }],
    },
    effect: "write",
    how: "refusals",
  };
  const partial = checks.length + absent.length > 0 ? [refusals] : [];
  const answer = fitted.answer.length > 0 ? fitted.answer : textAnswer(examples);
  if (!answer || isGuess(examples, [...fitted.before, ...fitted.effects, ...answer])) return partial;
  const effect = fitted.answer.length + fitted.effects.length > 0 ? "write" : "read";
  const unsettled = fitted.answer.length > 0 ? unsettledAmounts(examples, fitted, writes) : [];
  const effects = [...fitted.effects, ...unsettled];
  const guarded =
    effects.length + later.length + unseen.length > 0
      ? [...unasked, ...checkSteps(checks), ...unseen, ...later, ...effects, ...answer]
      : [...unasked, ...guardSteps(answer, checks)];
  return [
    {
      behaviour: { v: 1, steps: [...absent, ...first, ...guarded] },
      effect,
      how: fitted.missed.length > 0 ? `write, without ${fitted.missed.join(", ")}` : "write",
    },
    ...partial,
  ];
}

/** A row that is answered as it is left is one that is known whole. */
function completeRow({ calls, history }: Examples, { table, answer }: FittedWrite): Step[] {
  const update = answer.find((step) => step.op === "update");
  if (table === undefined || update?.op !== "update" || update.view) return [];
  const set = new Set(update.set.map(({ path }) => path));
  const shown = calls.flatMap((call) =>
    (history.observations[call.trace] ?? []).filter((sight) => sight.call === call && sight.table === table),
  );
  const lacking = [...columnKnowledge(history, table).patchy]
    .filter((column) => !set.has(column) && shown.every(({ row }) => Object.hasOwn(row, column)))
    .sort(byText);
  if (lacking.length === 0) return [];
  const tests = lacking.map((column) => `has(${member("it", column)})`).join(" && ");
  return [{ op: "let", name: "whole", expr: `(${tests} ? true : not_served())` }];
}

/** Names that guards look at, and names that only a call which passes them needs: what is not there may be why it is refused. */
function splitGuards(
  before: readonly Step[],
  checks: readonly { expr: string; error: string }[],
  unseen: readonly Step[],
): [Step[], Step[]] {
  const needed = (name: string, texts: readonly string[]) =>
    texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const texts = [
    ...checks.flatMap(({ expr, error }) => [expr, error]),
    ...unseen.flatMap((step) => (step.op === "let" ? [step.expr] : [])),
  ];
  const first: Step[] = [];
  const later: Step[] = [];
  for (const step of [...before].reverse())
    if (step.op !== "let" || needed(step.name, texts)) {
      first.unshift(step);
      if (step.op === "let") texts.push(step.expr);
    } else later.unshift(step);
  return checks.length === 0 ? [[...before], []] : [first, later];
}

/** For a call that makes a row: the row of its table that holds the same arguments already, which may be why it is refused. */
function addTwins(examples: Examples, { env, answer }: FittedWrite): void {
  const insert = answer.find((step) => step.op === "insert");
  if (insert?.op !== "insert") return;
  const columns = insert.set.flatMap(({ path, expr }) => {
    const arg = /^args\.(\w+)$/.exec(expr)?.[1];
    return arg !== undefined && isName(path) ? [{ path, arg }] : [];
  });
  const { history } = examples;
  const initial = Object.values(history.base[insert.table] ?? {});
  for (const [i, a] of columns.entries())
    for (const b of columns.slice(i)) {
      const parts = a === b ? [a] : [a, b];
      const vals = examples.calls.map((call): Json => {
        const holds = (row: JsonObject) =>
          parts.every(({ path, arg }) => row[path] !== undefined && row[path] === call.args[arg]);
        const seen = (history.observations[call.trace] ?? []).find(
          (sight) => sight.table === insert.table && sight.call.index < call.index && holds(sight.row),
        );
        return seen?.row ?? initial.find(holds) ?? null;
      });
      if (!vals.some((value) => value !== null)) continue;
      const test = parts.map(({ path, arg }) => `w.${path} == args.${arg}`).join(" && ");
      env.add(`rows(${literal(insert.table)}).filter(w, ${test}).first()`, vals, 2);
    }
}

/** Refusals for arguments that name no row: one per table whose key is an argument. */
function absentRows(calls: readonly Call[], history: History): Step[] {
  const out: Step[] = [];
  const ok = calls.filter((call) => call.ok);
  const args = [...new Set(ok.flatMap((call) => Object.keys(call.args)))].filter(isName).sort(byText);
  for (const entity of history.entities.values()) {
    if (entity.key.length !== 1) continue;
    const rows = history.base[entity.name] ?? {};
    const names = (arg: string) => {
      const given = ok.map((call) => call.args[arg]).filter((value) => typeof value === "string");
      return new Set(given).size > 2 && given.every((value) => Object.hasOwn(rows, value));
    };
    for (const arg of args) {
      if (arg !== entity.key[0] && !names(arg)) continue;
      const missing = findMissing(history, entity.name, calls, arg);
      if (missing)
        out.push(
          ...missingSteps(missing, entity.name, [`args.${arg}`]).map((step) =>
            "name" in step ? { ...step, name: `there_${entity.name}${arg === entity.key[0] ? "" : `_${arg}`}` } : step,
          ),
        );
    }
  }
  return out;
}

function isName(arg: string): boolean {
  return /^[A-Za-z_]\w*$/.test(arg);
}

function guardSteps(answer: readonly Step[], checks: readonly { expr: string; error: string }[]): Step[] {
  const main = answer.findIndex((step) => step.op === "update" || step.op === "insert" || step.op === "delete");
  if (main >= 0)
    return answer.map((step, i) => (i === main && "require" in step ? { ...step, require: [...checks] } : step));
  return [...checkSteps(checks), ...answer];
}

/** Guards as steps of their own, ahead of effects that would change what they look at. */
function checkSteps(checks: readonly { expr: string; error: string }[]): Step[] {
  return checks.map(({ expr, error }, i) => ({
    op: "let",
    name: `guard_${i + 1}`,
    expr: `(${expr} ? true : error(${templateText(error)}))`,
  }));
}

/** What a write says when it answers no row: one text, or a text about its arguments and rows. */
function textAnswer(examples: Examples): Step[] | undefined {
  const ok = examples.calls.filter((call) => call.ok);
  const first = ok[0];
  if (!first) return undefined;
  const asked = new Set(ok.map((call) => canon(call.args))).size;
  if (ok.every((call) => same(call.value, first.value)) && (asked >= 3 || !/\d/.test(literal(first.value))))
    return [{ op: "answer", expr: literal(first.value) }];
  const env = argumentEnv(examples);
  env.join();
  const target = examples.calls.map((call) => (call.ok ? call.value : undefined));
  const template = ok.every((call) => typeof call.value === "string")
    ? findTemplate(env, target, synthesise)
    : undefined;
  if (template) return [{ op: "say", template: template.text }];
  const term = synthesise(env, target);
  return term ? [{ op: "answer", expr: term.cel }] : undefined;
}

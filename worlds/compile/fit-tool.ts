import type { Behaviour, Step } from "../behaviour/schema.ts";
import type { JsonObject } from "../json.ts";
import { argumentEnv, type Examples, examplesOf } from "./examples.ts";
import { fitGuards } from "./fit-guards.ts";
import { calculation, constantRead, expressionRead, keyedRead, rowLookup, scalarLookup } from "./fit-read.ts";
import { searchRead } from "./fit-search.ts";
import { fitWrite } from "./fit-write.ts";
import type { History } from "./history.ts";
import { findMissing, missingSteps } from "./missing.ts";
import type { Call } from "./observations.ts";
import { synthesise } from "./synthesis.ts";
import type { Placed } from "./tables.ts";
import { findTemplate } from "./templates.ts";
import { literal } from "./term.ts";
import { canon, same } from "./values.ts";

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
}

const RECORDED: FittedTool = { behaviour: { v: 1, steps: [{ op: "recorded" }] }, effect: "read", how: "recorded" };

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
  return [...out, history.writers.has(tool) ? { ...RECORDED, effect: "write" } : RECORDED];
}

function read(steps: Step[], how: string, asked?: FittedTool["asked"]): FittedTool {
  return { behaviour: { v: 1, steps }, effect: "read", how, ...(asked ? { asked } : {}) };
}

function readCandidates(tool: string, calls: readonly Call[], history: History): FittedTool[] {
  const out: FittedTool[] = [];
  const constant = constantRead(calls);
  if (constant) return [read(constant.steps, constant.how)];
  for (const { table, placed } of placedIn(history, tool)) {
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
  }
  const sum = calculation(calls);
  if (sum) out.push(read(sum.steps, sum.how));
  if (out.length > 0) return out;
  const lookupTable = [...history.entities.keys()]
    .map((table) => findMissing(history, table, calls))
    .find((missing) => missing !== undefined);
  const lookup = scalarLookup(history, calls, lookupTable);
  if (lookup) out.push(read(lookup.steps, lookup.how));
  const expression = expressionRead(examplesOf(tool, calls, history));
  if (expression) out.push(read(expression.steps, expression.how));
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
  const guards = fitGuards(examples, fitted.env);
  const checks = guards.map(({ when, error }) => ({ expr: `!(${when})`, error }));
  const answer = fitted.answer.length > 0 ? fitted.answer : textAnswer(examples);
  if (!answer) return [];
  const effect = fitted.answer.length + fitted.effects.length > 0 ? "write" : "read";
  const guarded =
    fitted.effects.length > 0 ? [...checkSteps(checks), ...fitted.effects, ...answer] : guardSteps(answer, checks);
  const absent = absentRows(calls, history);
  return [
    {
      behaviour: { v: 1, steps: [...absent, ...fitted.before, ...guarded] },
      effect,
      how: fitted.missed.length > 0 ? `write, without ${fitted.missed.join(", ")}` : "write",
    },
  ];
}

/** Refusals for arguments that name no row: one per table whose key is an argument. */
function absentRows(calls: readonly Call[], history: History): Step[] {
  const out: Step[] = [];
  for (const entity of history.entities.values()) {
    const arg = entity.key.length === 1 ? entity.key[0] : undefined;
    if (arg === undefined || !calls.some((call) => call.ok && call.args[arg] !== undefined)) continue;
    const missing = findMissing(history, entity.name, calls, arg);
    if (missing)
      out.push(
        ...missingSteps(missing, entity.name, [`args.${arg}`]).map((step) =>
          "name" in step ? { ...step, name: `there_${entity.name}` } : step,
        ),
      );
  }
  return out;
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
    expr: `(${expr} ? true : error(${errorText(error)}))`,
  }));
}

/** A template as an expression: its texts and holes added up. */
function errorText(template: string): string {
  const parts = template.split(/\{([^{}]+)\}/);
  return (
    parts
      .map((part, i) => (i % 2 === 0 ? literal(part) : `string(${/^\w+$/.test(part) ? `args.${part}` : part})`))
      .filter((part) => part !== '""')
      .join(" + ") || '""'
  );
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

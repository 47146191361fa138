import type { Step } from "../behaviour/schema.ts";
import type { FittedTool } from "./fit-tool.ts";
import { literal, member } from "./term.ts";
import { UNKNOWN } from "./unknown.ts";
import { byText } from "./values.ts";

/** Columns that some call leaves unknown, by table: whole, or of the entries of a map some amounts. */
type Forgotten = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string | undefined>>>;

const IN_ENTRY = new RegExp(`\\.merge\\(\\{"(\\w+)": ${UNKNOWN.replace(/[()]/g, "\\$&")}\\}\\)`);

function forgottenBy(candidates: Iterable<readonly FittedTool[]>): Forgotten {
  const out = new Map<string, Map<string, Set<string | undefined>>>();
  for (const list of candidates)
    for (const { behaviour } of list)
      for (const step of behaviour.steps)
        for (const { path, expr } of step.op === "update" ? step.set : [])
          if (expr.includes(UNKNOWN) && step.op === "update") {
            const columns = out.get(step.table) ?? new Map<string, Set<string | undefined>>();
            const parts = columns.get(path) ?? new Set();
            out.set(step.table, columns.set(path, parts.add(IN_ENTRY.exec(expr)?.[1])));
          }
  return out;
}

/** Behaviours that answer a gap where they would show or use a column that a call before them left unknown. */
export function awareOfGaps(
  candidates: ReadonlyMap<string, readonly FittedTool[]>,
): Map<string, readonly FittedTool[]> {
  const forgotten = forgottenBy(candidates.values());
  if (forgotten.size === 0) return new Map(candidates);
  return new Map(
    [...candidates].map(([tool, list]) => [
      tool,
      list.map((fitted) => ({
        ...fitted,
        behaviour: { v: 1 as const, steps: fitted.behaviour.steps.flatMap((step, i) => aware(step, i, forgotten)) },
      })),
    ]),
  );
}

function aware(step: Step, i: number, forgotten: Forgotten): Step[] {
  const known = (expr: string) => told(expr, forgotten);
  const name = `fresh_${i + 1}`;
  switch (step.op) {
    case "let":
    case "answer":
      return [{ ...step, expr: known(step.expr) }];
    case "read": {
      const row = `lookup(${literal(step.table)}, ${step.key.map(({ column, expr }) => expr ?? `args.${column}`).join(", ")})`;
      const tests = shownOf(step, forgotten, row);
      if (tests.length === 0) return [step];
      return [{ op: "let", name, expr: `(${row} == null || (${tests.join(" && ")}) ? true : not_served())` }, step];
    }
    case "list": {
      const tests = shownOf(step, forgotten, "row");
      if (tests.length === 0) return [step];
      const rows = `rows(${literal(step.table)})${step.where === undefined ? "" : `.filter(row, ${step.where})`}`;
      return [{ op: "let", name, expr: `(${rows}.all(row, ${tests.join(" && ")}) ? true : not_served())` }, step];
    }
    case "update": {
      // What is done to a row besides is done where it can be: a column that is unknown stays so, and the call is answered.
      const beside = /^\[(lookup\(.*\))\]\.filter\(/.exec(step.each?.in ?? "")?.[1];
      const set = step.set.map((one) => {
        if (one.expr.includes(UNKNOWN)) return one;
        const lost = beside !== undefined && forgotten.get(step.table)?.get(one.path)?.has(undefined);
        if (!lost || one.op !== "=") return { ...one, expr: known(one.expr) };
        return { ...one, expr: `(${member(beside, one.path)} == null ? ${UNKNOWN} : ${one.expr})` };
      });
      return [{ ...step, set, require: step.require.map((guard) => ({ ...guard, expr: known(guard.expr) })) }];
    }
    case "insert":
      return [{ ...step, set: step.set.map((one) => ({ ...one, expr: known(one.expr) })) }];
    default:
      return [step];
  }
}

/** Tests that a row's columns that a step's answer shows are known. */
function shownOf(step: Extract<Step, { op: "read" | "list" }>, forgotten: Forgotten, row: string): string[] {
  const shown = step.view && new Set(step.view.map(({ path }) => path.split(".")[0]));
  return [...(forgotten.get(step.table) ?? [])]
    .filter(([column]) => !shown || shown.has(column))
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([column, parts]) =>
      [...parts]
        .sort((a, b) => byText(a ?? "", b ?? ""))
        .map((amount) => {
          const map = member(row, column);
          if (amount === undefined) return `${map} != null`;
          return `(${map} == null ? false : !${map}.values().exists(e, has(e.${amount}) && e.${amount} == null))`;
        }),
    );
}

/** An expression whose uses of forgotten columns are gaps where they are unknown. */
function told(expr: string, forgotten: Forgotten): string {
  let out = expr;
  for (const [table, columns] of forgotten)
    for (const [column, parts] of columns) {
      if (!/^[A-Za-z_]\w*$/.test(column)) continue;
      const row = `lookup\\("${table}", [^()]*\\)`;
      const rows = `(?:known\\(${row}\\)|${row})\\.${column}\\b`;
      for (const amount of parts)
        if (amount !== undefined)
          out = out.replace(
            new RegExp(`${rows}\\.get\\([^()]*\\)\\.${amount}\\b`, "g"),
            (found) => `(has(${found}) && ${found} == null ? not_served() : ${found})`,
          );
      if (!parts.has(undefined)) continue;
      // Whether a column is there is asked of a column, never of what makes it known.
      out = out.replace(new RegExp(`has\\((${rows})\\)|${rows}`, "g"), (found, asked?: string) =>
        asked === undefined ? `known(${found})` : `(${found} && ${asked} == null ? not_served() : ${found})`,
      );
    }
  return out;
}

import type { Step } from "../../behaviour/schema.ts";
import type { Json } from "../../json.ts";
import type { Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import type { Solve } from "../fit/fitting.ts";
import { synthesise } from "../fit/synthesis.ts";

/** The solver that writes are fitted with. */
export const solve: Solve = synthesise;

/** The key of a row as an expression list over its table's key columns. Numbers that are keys are what gives them, where no text does. */
export function keyTerms(env: Env, keys: readonly (string | undefined)[], columns: number): Term[] | undefined {
  const parts = Array.from({ length: columns }, (_, c) => {
    const texts = keys.map((key) => key?.split("\u001f")[c]);
    return solve(env, texts) ?? numberTerm(env, texts);
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** A number whose text is the key: its values are those texts, as rows are looked up by them. */
function numberTerm(env: Env, texts: readonly (string | undefined)[]): Term | undefined {
  const given = texts.filter((text) => text !== undefined);
  if (given.length === 0 || !given.every((text) => String(Number(text)) === text)) return undefined;
  const term = solve(
    env,
    texts.map((text) => (text === undefined ? undefined : Number(text))),
  );
  return term && { ...term, vals: term.vals.map((value) => (typeof value === "number" ? String(value) : value)) };
}

/** Key columns as a step names them: without an expression where the argument of their name gives them. */
export function keySteps(columns: readonly string[], parts: readonly Term[]): { column: string; expr?: string }[] {
  return columns.map((column, i) => {
    const expr = (parts[i] as Term).cel;
    return expr === `args.${column}` ? { column } : { column, expr };
  });
}

/** Expressions for the changed columns of the target rows; every solved one becomes a name that the others may use. */
export function solveColumns(
  env: Env,
  columns: readonly string[],
  targets: (column: string) => (Json | undefined)[],
  before: Step[] | undefined,
  missed: string[],
): Map<string, Term> {
  const solved = new Map<string, Term>();
  let open = [...columns];
  for (let round = 0; round < 3 && open.length > 0; round++) {
    const left: string[] = [];
    for (const column of open) {
      const term = solve(env, targets(column));
      if (!term) {
        left.push(column);
        continue;
      }
      if (before && /[ (]/.test(term.cel) && Array.isArray(term.vals.find((value) => value !== undefined))) {
        const name = `new_${column.replace(/\W/g, "_")}`;
        before.push({ op: "let", name, expr: term.cel });
        const shown = targets(column);
        env.add(
          name,
          term.vals.map((value, i) => value ?? shown[i]),
          1,
        );
        solved.set(column, { ...term, cel: name });
      } else solved.set(column, term);
    }
    if (left.length === open.length) break;
    open = left;
    env.join();
  }
  missed.push(...open.filter((column) => !solved.has(column)));
  return solved;
}

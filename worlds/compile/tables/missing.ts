import type { Step } from "../../behaviour/schema.ts";
import { literal } from "../conditions/term.ts";
import type { History } from "../history.ts";
import type { Call } from "../observations.ts";
import { byText, canon } from "../values.ts";

/** What a tool answers for a row that is not there, and when evidence lets the world say so. */
export interface Missing {
  /** A template over the arguments. */
  readonly text: string;
  /** The same as an expression. */
  readonly expr: string;
  /** Evidence shows all rows of the table, so that an unknown key is an absent row. */
  readonly always: boolean;
  /** A condition under which a key is none that a row could have; undefined where evidence draws no line. */
  outside(key: string): string | undefined;
}

/** The share of a table's rows that were seen by more than one question: near 1 where evidence shows the whole table. */
export function closedness(history: History, table: string): number {
  if (history.complete?.has(table)) return 1;
  const asked = new Map<string, Set<string>>();
  for (const sights of history.observations)
    for (const sight of sights) {
      if (sight.table !== table) continue;
      const questions = asked.get(sight.key) ?? new Set<string>();
      questions.add(`${sight.call.tool}${canon(sight.call.args)}`);
      asked.set(sight.key, questions);
    }
  if (asked.size < 8) return 0;
  return [...asked.values()].filter((questions) => questions.size > 1).length / asked.size;
}

function shapeOf(key: string): string {
  return key
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/[A-Z]/g, "\u0001")
    .replace(/[a-z]+/g, "[a-z]+")
    .replaceAll("\u0001", "[A-Z]")
    .replace(/\d+/g, "[0-9]+");
}

function idForm(keys: readonly string[]): string | undefined {
  const forms = new Set(
    keys.map((key) =>
      /\d/.test(key) && /[A-Z]/.test(key) && !/[-_#]/.test(key) ? `[A-Z0-9]{${key.length}}` : shapeOf(key),
    ),
  );
  return keys.length >= 10 && forms.size <= 3 ? [...forms].sort(byText).join("|") : undefined;
}

/** Keys that count up after one prefix, most of the numbers between the least and the greatest taken. */
function counted(keys: readonly string[]): { prefix: string; least: number; most: number } | undefined {
  const parts = keys.map((key) => /^(.*?)([1-9]\d*)$/.exec(key));
  const prefix = parts[0]?.[1];
  if (prefix === undefined || keys.length < 10 || parts.some((part) => part?.[1] !== prefix)) return undefined;
  const numbers = parts.map((part) => Number(part?.[2]));
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.length >= (most - least + 1) * 0.5 ? { prefix, least, most } : undefined;
}

function templated(call: Call): string {
  let text = call.value as string;
  for (const [arg, value] of Object.entries(call.args).sort(([a], [b]) => byText(a, b)))
    if (typeof value === "string" && value.length > 2 && /^\w+$/.test(arg)) text = text.replaceAll(value, `{${arg}}`);
  return text;
}

/** Whether evidence shows (nearly) the whole table: its rows come back in many questions, or its counted keys leave no holes. */
export function isClosed(history: History, table: string): boolean {
  if (closedness(history, table) >= 0.98) return true;
  const keys = Object.keys(history.base[table] ?? {});
  const range = keys.length >= 20 ? counted(keys) : undefined;
  return range !== undefined && keys.length >= (range.most - range.least + 1) * 0.97;
}

/** Whether keys that count up leave out some between the least and the greatest: rows that evidence does not show. */
function holed(keys: readonly string[]): boolean {
  const range = counted(keys);
  return range !== undefined && keys.length < range.most - range.least + 1;
}

/** Whether a table's counted keys show that evidence lacks some of its rows. */
export function isHoled(history: History, table: string): boolean {
  return !history.complete?.has(table) && holed(Object.keys(history.base[table] ?? {}));
}

/** The not-found answer of a tool for one table; undefined without one wording. `arg` names the key's argument. */
export function findMissing(
  history: History,
  table: string,
  calls: readonly Call[],
  arg?: string,
): Missing | undefined {
  const rows = history.base[table] ?? {};
  const refused = calls.filter(
    (call) =>
      !call.ok &&
      call.answerClass === "error:not_found" &&
      typeof call.value === "string" &&
      (arg === undefined || rows[String(call.args[arg])] === undefined),
  );
  const texts = new Set(
    refused.map(templated).filter((text) => arg === undefined || !/\{\w+\}/.test(text) || text.includes(`{${arg}}`)),
  );
  const [text] = texts;
  if (texts.size !== 1 || text === undefined || /[{}]/.test(text.replace(/\{\w+\}/g, ""))) return undefined;
  const keys = Object.keys(rows);
  const expr = text
    .split(/\{(\w+)\}/)
    .map((part, i) => (i % 2 === 1 ? `args.${part}` : literal(part)))
    .filter((part) => part !== '""')
    .join(" + ");
  const form = idForm(keys);
  const range = counted(keys);
  return {
    text,
    expr,
    always: closedness(history, table) >= 0.98 && (history.complete?.has(table) || !holed(keys)),
    outside: (key) => {
      if (form === undefined) return undefined;
      const odd = `!${key}.matches(${literal(`^(?:${form})$`)})`;
      if (!range) return odd;
      const number = `int(${key}.substring(${range.prefix.length}))`;
      return `(${odd} || ${number} < ${range.least} || ${number} > ${range.most})`;
    },
  };
}

/** Steps that answer an absent row as the tool does, before anything is read. */
export function missingSteps(missing: Missing, table: string, keys: readonly string[]): Step[] {
  const key = keys[0];
  if (keys.length !== 1 || key === undefined) return [];
  const there = `lookup(${literal(table)}, ${key}) != null`;
  const outside = missing.outside(key);
  const absent = missing.always
    ? `error(${missing.expr})`
    : outside
      ? `(${outside} ? error(${missing.expr}) : not_served())`
      : undefined;
  return absent === undefined ? [] : [{ op: "let", name: "there", expr: `(${there} ? true : ${absent})` }];
}

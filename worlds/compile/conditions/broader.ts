import type { Call } from "../observations.ts";
import { byText } from "../values.ts";
import type { Condition } from "./conditions.ts";
import { literal } from "./term.ts";

/** One answered question with the rows that it showed. */
interface Question {
  readonly call: Call;
  readonly rows: readonly { readonly key: string }[];
}

/** Narrow questions that must have shown only rows that their broad one showed. */
const LEAST = 3;

const isGiven = ({ call }: Question, arg: string): boolean => (call.args[arg] ?? null) !== null;

/**
 * When a question that evidence never asked can be answered from a broader one, that leaves out an argument which
 * picks some of its rows: the broad ones show whatever the narrow ones do, as often as both were asked. As
 * expressions of which one must hold.
 */
export function broaderTests(
  questions: readonly Question[],
  conditions: ReadonlyMap<string, Condition>,
  asked: { readonly table: string; readonly key: readonly string[] },
): string[] {
  const optional = asked.key
    .filter((arg) => conditions.has(arg) && questions.some((one) => isGiven(one, arg)))
    .filter((arg) => questions.some((one) => !isGiven(one, arg)))
    .sort(byText);
  const leavings = optional.length > 1 ? [...optional.map((arg) => [arg]), optional] : optional.map((arg) => [arg]);
  return leavings.flatMap((left) => {
    if (!showsAll(questions, asked.key, left)) return [];
    const parts = asked.key.map((arg) =>
      left.includes(arg) ? '""' : `(args.${arg} == null ? "" : string(args.${arg}))`,
    );
    return [`lookup(${literal(asked.table)}, ${parts.join(", ")}) != null`];
  });
}

/** Whether questions without some arguments show every row that those with them show. */
function showsAll(questions: readonly Question[], args: readonly string[], left: readonly string[]): boolean {
  const rest = args.filter((arg) => !left.includes(arg));
  const nameOf = ({ call }: Question) => JSON.stringify(rest.map((arg) => call.args[arg] ?? null));
  const broad = new Map<string, Set<string>>();
  for (const one of questions) {
    if (left.some((arg) => isGiven(one, arg))) continue;
    const shown = broad.get(nameOf(one)) ?? new Set();
    for (const { key } of one.rows) shown.add(key);
    broad.set(nameOf(one), shown);
  }
  const narrow = questions.filter((one) => one.rows.length > 0 && left.every((arg) => isGiven(one, arg)));
  const both = narrow.filter((one) => broad.has(nameOf(one)));
  return both.length >= LEAST && both.every((one) => one.rows.every(({ key }) => broad.get(nameOf(one))?.has(key)));
}

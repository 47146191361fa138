import { isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import { same } from "../../values.ts";
import { arg, constant, type Env, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";
import { type Printing, print } from "../expressions/print.ts";
import { given } from "./filters.ts";
import { arrange, type FittedLists } from "./fit-lists.ts";
import { windowOf } from "./windows.ts";

/** What a field beside a list says: how many rows meet the question or are shown, whether more follow, or an expression. */
export interface OtherField {
  readonly name: string;
  readonly of: "met" | "shown" | "more" | Expr;
}

/** The fields of an answer beside its only list. */
export const otherFieldsIn = (value: Json): JsonObject =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, part]) => !Array.isArray(part))) : {};

interface Counts {
  readonly met: number;
  readonly shown: number;
  readonly more: boolean;
}

export const countsOf = (met: number, shown: number, start: number): Counts => ({
  met,
  shown,
  more: start + shown < met,
});

/** Fits each field beside lists; undefined where one is not explained by every list that is right. */
export function fitOtherFields(fitted: FittedLists): OtherField[] | undefined {
  const examples = fitted.judged.flatMap(({ one, kept, right }) => {
    const keys = right && kept ? arrange(one, kept, fitted) : undefined;
    const window = windowOf(fitted.cut, fitted.limit, one.call.args);
    if (!keys || !kept || !window) return [];
    return [
      { counts: countsOf(kept.length, keys.length, window.start), otherFields: one.otherFields, args: one.call.args },
    ];
  });
  const names = Object.keys(examples[0]?.otherFields ?? {});
  const alike = examples.every(
    ({ otherFields }) =>
      Object.keys(otherFields).length === names.length && names.every((name) => Object.hasOwn(otherFields, name)),
  );
  if (!alike) return undefined;
  const out: OtherField[] = [];
  for (const name of names) {
    const counted = (["met", "shown", "more"] as const).find((of) =>
      examples.every(({ counts, otherFields }) => counts[of] === otherFields[name]),
    );
    const of = counted ?? echoOf(examples.map(({ args, otherFields }) => ({ args, value: otherFields[name] as Json })));
    if (of === undefined) return undefined;
    out.push({ name, of });
  }
  return out;
}

/** One value, or an argument with what stands where it is not given. */
function echoOf(examples: readonly { readonly args: Env["args"]; readonly value: Json }[]): Expr | undefined {
  const names = [...new Set(examples.flatMap(({ args }) => Object.keys(args)))].sort();
  const values = examples.map(({ value }) => value);
  const tried: Expr[] = [constant(values[0] ?? null)];
  for (const name of names) {
    const absent = examples.find(({ args }) => !Object.hasOwn(args, name));
    tried.push({
      op: "if",
      test: given(name),
      met: arg(name),
      otherwise: absent ? constant(absent.value) : { op: "unknown" },
    });
  }
  return tried.find((expr) =>
    examples.every(({ args, value }) => {
      const found = evaluate(expr, { args, facts: { cells: new Map(), tables: new Map() } });
      return found !== UNKNOWN && same(found, value);
    }),
  );
}

/** A list with what stands beside it; unknown where a part is. */
export function withOtherFields(
  otherFields: readonly OtherField[],
  field: string | undefined,
  list: Json[],
  counts: Counts,
  env: Env,
): Json | typeof UNKNOWN {
  if (field === undefined) return list;
  const out: JsonObject = {};
  for (const { name, of } of otherFields) {
    const value = typeof of === "string" ? counts[of] : evaluate(of, env);
    if (value === UNKNOWN) return UNKNOWN;
    setOwn(out, name, value);
  }
  setOwn(out, field, list);
  return out;
}

/** The same in the stored language: `met` and `shown` are names of lists, `from` where the list begins. */
export function printOtherFields(
  otherFields: readonly OtherField[],
  field: string | undefined,
  list: string,
  lists: { readonly met: string; readonly shown: string; readonly from: string },
  at: Printing,
): string {
  if (field === undefined) return list;
  const text = ({ of }: OtherField): string => {
    if (of === "met") return `size(${lists.met})`;
    if (of === "shown") return `size(${lists.shown})`;
    return of === "more" ? `(${lists.from} + size(${lists.shown}) < size(${lists.met}))` : print(of, at);
  };
  return `{${[...otherFields.map((one) => `${literal(one.name)}: ${text(one)}`), `${literal(field)}: ${list}`].join(", ")}}`;
}

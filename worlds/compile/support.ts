import type { Step } from "../behaviour/schema.ts";
import type { Json } from "../json.ts";
import { literal } from "./conditions/term.ts";
import type { Examples } from "./fit/examples.ts";
import { usualBalance } from "./fit/fit-balance.ts";
import type { FittedWrite } from "./fit/fit-write.ts";
import type { RowInvariant } from "./row-invariants.ts";
import { byText, canon, isScalar } from "./values.ts";

/** Fewer successful calls than this show no habit. */
const LEAST = 3;

/** Checks that a write stays within its observed successes; the rest is a gap. `refusals` have words of their own. */
export function supportSteps(
  examples: Examples,
  fitted: FittedWrite,
  refusals: readonly string[],
  habits: readonly RowInvariant[] = [],
): Step[] {
  return [
    ...unseenInvariants(habits, refusals),
    ...unseenStates(examples, fitted),
    ...unseenRelations(examples, refusals),
    ...unseenSizes(examples, fitted, refusals),
    ...unseenEntries(examples, fitted, refusals),
    ...unseenAmounts(examples, fitted, refusals),
    ...unseenFlags(examples, fitted, refusals),
  ];
}

/** Successes that show that what the call leaves out of account has no part in it. */
const SETTLED = 5;

/** Whether too few successes stand behind a write that leaves one of its arguments unused: what that one does was not seen. */
export function isGuess({ calls }: Examples, steps: readonly Step[]): boolean {
  const ok = calls.filter((call) => call.ok);
  if (new Set(ok.map((call) => canon(call.args))).size >= SETTLED) return false;
  const changes = steps.filter((step) => step.op === "update" || step.op === "insert" || step.op === "delete");
  if (changes.length === 0) return false;
  const text = JSON.stringify(steps);
  const keys = new Set(
    changes.flatMap((step) => ("key" in step && Array.isArray(step.key) ? step.key : [])).map(({ column }) => column),
  );
  return Object.keys(ok[0]?.args ?? {}).some(
    (arg) => !keys.has(arg) && !new RegExp(`\\bargs\\.${arg.replace(/\W/g, ".")}\\b`).test(text),
  );
}

function refuseUnless(name: string, expr: string): Step {
  return { op: "let", name, expr: `(${expr} ? true : not_served())` };
}

/** A column that the call moves from one value to another: from which others it may, evidence does not tell. */
function unseenStates(examples: Examples, { env, answer }: FittedWrite): Step[] {
  const update = answer.find((step) => step.op === "update");
  if (update?.op !== "update") return [];
  return update.set.flatMap(({ path, op, expr }): Step[] => {
    const term = op === "=" && /^"[^"]*"$/.test(expr) ? env.terms.find(({ cel }) => cel === `it.${path}`) : undefined;
    const from = new Map<string, Set<string>>();
    term?.vals.forEach((value, i) => {
      const call = examples.calls[i];
      if (!call?.ok || typeof value !== "string") return;
      from.set(value, (from.get(value) ?? new Set()).add(canon(call.args)));
    });
    const [only] = from;
    if (from.size !== 1 || only === undefined || only[1].size < LEAST || literal(only[0]) === expr) return [];
    return [refuseUnless(`from_${path}`, `it.${path} == ${literal(only[0])}`)];
  });
}

/** An argument that in every success asked for nothing (no, none, off, zero): what it does when it asks for something was not seen. */
export function switchSteps({ calls }: Examples): Step[] {
  const ok = calls.filter((call) => call.ok);
  if (new Set(ok.map(({ args }) => canon(args))).size < LEAST) return [];
  const names = Object.keys(ok[0]?.args ?? {}).filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
  return names.sort(byText).flatMap((arg): Step[] => {
    const value = ok[0]?.args[arg] as Json;
    if (!asksNothing(value) || !ok.every(({ args }) => args[arg] === value)) return [];
    return [refuseUnless(`unasked_${arg}`, `args.${arg} == null || args.${arg} == ${literal(value)}`)];
  });
}

const asksNothing = (value: Json | undefined): boolean =>
  value === 0 || value === false || (typeof value === "string" && /^(no|none|off|never)$/i.test(value));

/** Rows that a list argument names that are not as those of every success, where no refusal says so. */
function unseenInvariants(habits: readonly RowInvariant[], refusals: readonly string[]): Step[] {
  return habits
    .filter(({ of }) => !refusals.some((when) => when.includes(of)))
    .map(({ list, cel }, i) => refuseUnless(`habit_${i + 1}`, `${list.cel}.all(x0, ${cel})`));
}

/** Two list arguments that in every success were of one length, or had nothing in common. */
function unseenRelations({ calls }: Examples, refusals: readonly string[]): Step[] {
  const ok = calls.filter((call) => call.ok);
  const first = ok[0];
  if (!first || ok.length < LEAST) return [];
  const lists = Object.keys(first.args)
    .filter((arg) => /^[A-Za-z_]\w*$/.test(arg) && ok.every((call) => isScalarList(call.args[arg])))
    .sort(byText);
  return lists.flatMap((a, i) =>
    lists.slice(i + 1).flatMap((b): Step[] => {
      const pairs = ok.map(({ args }) => [args[a] as Json[], args[b] as Json[]] as const);
      const known = (test: string) =>
        refusals.some((when) => when.includes(test) && when.includes(`args.${a}`) && when.includes(`args.${b}`));
      const out: Step[] = [];
      if (!known("size(") && pairs.every(([x, y]) => x.length === y.length))
        out.push(refuseUnless(`paired_${a}_${b}`, `size(args.${a}) == size(args.${b})`));
      if (!known(" in ") && pairs.every(([x, y]) => !x.some((item) => y.includes(item))))
        out.push(refuseUnless(`apart_${a}_${b}`, `!args.${a}.exists(w, w in args.${b})`));
      return out;
    }),
  );
}

/** A list in place of one that was always as long, and lists of the row with always one item, of which a total takes no account. */
function unseenSizes(
  examples: Examples,
  { env, before, answer, table }: FittedWrite,
  refusals: readonly string[],
): Step[] {
  const ok = examples.calls.flatMap((call, i) => (call.ok ? [i] : []));
  const update = answer.find((step) => step.op === "update");
  if (table === undefined || update?.op !== "update") return [];
  const text = JSON.stringify([before, answer]);
  const sizes = (cel: string, of = ok) => {
    const term = env.terms.find((one) => one.cel === cel);
    return term && of.map((i) => term.vals[i]).map((value) => (Array.isArray(value) ? value.length : undefined));
  };
  const replaced = update.set.flatMap(({ path, expr }): Step[] => {
    const [now, then] = /^args\.\w+$/.test(expr) ? [sizes(expr), sizes(`it.${path}`)] : [];
    if (!now || !then || ok.length < LEAST || refusals.some((when) => when.includes(`size(${expr})`))) return [];
    if (!now.every((size, i) => size !== undefined && size === then[i])) return [];
    return [refuseUnless(`as_long_${path}`, `size(${expr}) == size(it.${path})`)];
  });
  if (!text.includes(".sum()")) return replaced;
  const rows = Object.values(examples.history.base[table] ?? {});
  const totals = env.terms.filter(
    ({ cel }) => cel.includes(".sum()") && text.includes(JSON.stringify(cel).slice(1, -1)),
  );
  const known = ok.filter((i) => totals.every(({ vals }) => vals[i] !== undefined));
  const single = env.terms.flatMap(({ cel }): Step[] => {
    const column = /^it\.(\w+)$/.exec(cel)?.[1];
    if (
      column === undefined ||
      new RegExp(`\\b${cel}\\b`).test(text) ||
      !sizes(cel, known)?.every((size) => size === 1)
    )
      return [];
    const more = rows.some((row) => Array.isArray(row[column]) && row[column].length > 1);
    return more ? [refuseUnless(`single_${column}`, `size(${cel}) <= 1`)] : [];
  });
  return [...replaced, ...single];
}

/** An argument that in every success named an entry of a row's map: a call that names none is like no success. */
function unseenEntries({ calls }: Examples, { env }: FittedWrite, refusals: readonly string[]): Step[] {
  return env.terms
    .flatMap((term): Step[] => {
      const arg = /^(.*)\.get\(args\.(\w+)\)$/.exec(term.cel);
      if (!arg || term.cost >= 5 || refusals.some((when) => when.includes(`${term.cel} == null`))) return [];
      const seen = new Set<string>();
      const always = calls.every((call, i) => {
        const value = term.vals[i];
        if (!call.ok || value === undefined) return true;
        if (value !== null) seen.add(canon(call.args[arg[2] as string]));
        return value !== null;
      });
      if (!always || seen.size < LEAST) return [];
      // A row that evidence does not show says nothing against the call.
      const maybe = term.cel.replace(/^known\((lookup\([^()]*\))\)\./, "$1.");
      const row = /^(lookup\([^()]*\))\./.exec(maybe)?.[1];
      if (row === undefined && /known\(/.test(maybe)) return [];
      const test = `${maybe} != null`;
      return [refuseUnless(`named_${arg[2]}`, row === undefined ? test : `${row} == null || ${test}`)];
    })
    .slice(0, 2);
}

/** Switches of the rows that a list argument names, which in every success stood one way. */
function unseenFlags({ calls }: Examples, { env, before, answer }: FittedWrite, refusals: readonly string[]): Step[] {
  const text = JSON.stringify([before, answer]);
  const used = (cel: string) => text.includes(JSON.stringify(cel.slice(0, cel.lastIndexOf("."))).slice(1, -1));
  const lists = env.terms.filter(
    ({ cel, vals }) => /^args\.\w+$/.test(cel) && vals.every((value) => value === undefined || isScalarList(value)),
  );
  return lists
    .flatMap((list): Step[] => {
      const { env: inner, exampleOf } = env.each(list, "x0");
      return inner.terms.flatMap((term): Step[] => {
        if (!/\bx0\b/.test(term.cel) || !term.cel.includes("lookup(") || !used(term.cel)) return [];
        const shown = term.vals.filter((_, e) => calls[exampleOf[e] as number]?.ok);
        const known = shown.filter((value) => value !== undefined);
        const [first] = known;
        if (known.length < SETTLED || typeof first !== "boolean" || known.some((value) => value !== first)) return [];
        if (refusals.some((when) => when.includes(term.cel))) return [];
        return [
          refuseUnless(
            `usual_${term.cel.slice(term.cel.lastIndexOf(".") + 1).replace(/\W/g, "_")}`,
            `${list.cel}.all(x0, ${term.cel} == ${first})`,
          ),
        ];
      });
    })
    .slice(0, 1);
}

/** Amounts that the call gives and that in most successes added up to what its rows say. */
function unseenAmounts({ calls }: Examples, { env, before }: FittedWrite, refusals: readonly string[]): Step[] {
  if (before.length === 0 || refusals.some((when) => / != args\.\w+\.map\(/.test(when))) return [];
  const test = usualBalance(
    env,
    calls.flatMap((call, i) => (call.ok ? [i] : [])),
  );
  return test === undefined ? [] : [refuseUnless("adds_up", test)];
}

function isScalarList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isScalar);
}

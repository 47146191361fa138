import type { Json, JsonObject } from "../../json.ts";
import type { Condition } from "../conditions/conditions.ts";
import { literal, member } from "../conditions/term.ts";
import type { Call } from "../observations.ts";
import { byText, canon } from "../values.ts";

/** One answered question with the rows that it showed. */
interface Question {
  readonly call: Call;
  readonly rows: readonly { readonly row: JsonObject }[];
}

/** Questions that must have been foretold by others of their family, and the share of them foretold rightly. */
const LEAST = 10;
const SURE = 0.95;
/** Empty answers that make a family an empty one. */
const SUPPORT = 3;

interface Tally {
  n: number;
  right: number;
}

function sure({ n, right }: Tally): boolean {
  return n >= LEAST && right >= n * SURE;
}

/**
 * When a question that evidence never asked can be answered from others of its family, those that share some of its
 * arguments. A family that was asked twice or more and never showed a row is empty; one that differs only in a part
 * of the key (such as the day of a timetable) is complete where every row of it is known for the part asked. Each
 * rule holds only where it foretells the questions that were asked. The condition as an expression; undefined where
 * no family foretells.
 */
export function familyTest(
  table: string,
  key: readonly string[],
  questions: readonly Question[],
  conditions: ReadonlyMap<string, Condition>,
  asked: { readonly table: string; readonly key: readonly string[] },
  needed: readonly string[],
): string | undefined {
  const args = [...asked.key].sort(byText);
  const columns = new Map(args.map((arg) => [arg, equalColumn(conditions.get(arg))]));
  if (args.length < 2 || [...columns.values()].includes(undefined)) return undefined;
  const rowsOf = (kept: readonly string[]) =>
    `rows(${literal(table)}).filter(r, ${kept.map((arg) => `${member("r", columns.get(arg) as string)} == args.${arg}`).join(" && ")})`;
  const askedOf = (kept: readonly string[]) =>
    `rows(${literal(asked.table)}).filter(q, ${kept.map((arg) => `${member("q", arg)} == (args.${arg} == null ? "" : string(args.${arg}))`).join(" && ")})`;
  const tests: string[] = [];
  for (const kept of familiesOf(args))
    if (sure(foretoldEmpty(questions, kept)))
      tests.push(`(size(${askedOf(kept)}) >= ${SUPPORT} && size(${rowsOf(kept)}) == 0)`);
  for (const arg of args) {
    const column = columns.get(arg) as string;
    const kept = args.filter((name) => name !== arg);
    if (!key.includes(column) || key.length < 2) continue;
    if (
      !sure(
        foretoldRows(
          questions,
          kept,
          key.filter((part) => part !== column),
        ),
      )
    )
      continue;
    const there = `lookup(${literal(table)}, ${key.map((part) => (part === column ? `args.${arg}` : member("r", part))).join(", ")})`;
    const known = [`${there} != null`, ...needed.map((part) => `has(${member(there, part)})`)].join(" && ");
    tests.push(`(size(${askedOf(kept)}) > 0 && size(${rowsOf(kept)}) > 0 && ${rowsOf(kept)}.all(r, ${known}))`);
  }
  return tests.length === 0 ? undefined : tests.join(" || ");
}

/** What questions of one family may share: one argument, or all but one. */
function familiesOf(args: readonly string[]): string[][] {
  const out = new Map<string, string[]>();
  for (const arg of args) {
    out.set(arg, [arg]);
    const rest = args.filter((name) => name !== arg);
    out.set(rest.join(), rest);
  }
  return [...out].sort(([a], [b]) => byText(a, b)).map(([, kept]) => kept);
}

/** The column that an argument must equal. */
function equalColumn(condition: Condition | undefined): string | undefined {
  return condition?.op === "==" && condition.path.length === 1 ? condition.path[0] : undefined;
}

/** Questions apart by the arguments kept, and in each family by all of their arguments. */
function grouped(questions: readonly Question[], kept: readonly string[]): Question[][] {
  const families = new Map<string, Map<string, Question>>();
  for (const question of questions) {
    const { args } = question.call;
    const name = canon(kept.map((arg) => args[arg] ?? null) as Json);
    const family = families.get(name) ?? new Map<string, Question>();
    family.set(canon(args), question);
    families.set(name, family);
  }
  return [...families.values()].map((family) => [...family.values()]);
}

/** How often a question shows nothing where two others of its family or more, and all of them, show nothing. */
function foretoldEmpty(questions: readonly Question[], kept: readonly string[]): Tally {
  const out: Tally = { n: 0, right: 0 };
  for (const family of grouped(questions, kept)) {
    const filled = family.filter(({ rows }) => rows.length > 0).length;
    if (family.length <= SUPPORT || filled > 1) continue;
    out.n += filled === 0 ? family.length : 1;
    out.right += filled === 0 ? family.length : 0;
  }
  return out;
}

/** How often a question shows only rows whose like (the same key but for one part) the others of its family show. */
function foretoldRows(questions: readonly Question[], kept: readonly string[], rest: readonly string[]): Tally {
  const out: Tally = { n: 0, right: 0 };
  for (const family of grouped(questions, kept)) {
    if (family.length < 2) continue;
    const shown = family.map(
      ({ rows }) => new Set(rows.map(({ row }) => canon(rest.map((part) => row[part] ?? null) as Json))),
    );
    const times = new Map<string, number>();
    for (const ids of shown) for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
    for (const ids of shown) {
      if (shown.every((other) => other === ids || other.size === 0)) continue;
      out.n++;
      if ([...ids].every((id) => (times.get(id) as number) > 1)) out.right++;
    }
  }
  return out;
}

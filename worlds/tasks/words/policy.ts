import { isObject, type JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { fold, humanize, singular, stems, tokens } from "../checks/words.ts";
import type { Kit } from "../kit.ts";
import type { Task } from "../schema.ts";
import type { Anchor } from "../surface.ts";
import { thankedLast } from "./phrases.ts";
import { REASON } from "./reasons.ts";

/** A statement of a policy that a rule can read: a call of the tool is forbidden on rows whose column holds the value. */
export interface Guard {
  readonly tool: string;
  readonly table: string;
  readonly column: string;
  readonly value: string;
  readonly sentence: string;
}

/** What documents say of a surface's changes. */
export interface Policy {
  readonly guards: readonly Guard[];
  /** Tools that documents state conditions of which no rule reads: whether a task keeps them was not checked. */
  readonly unread: ReadonlySet<string>;
  /** Tools whose user is to be asked for a reason that no argument takes: one that counts, where the documents name one. */
  readonly reasons: ReadonlyMap<string, string | undefined>;
  /** Columns by table whose values the documents speak of. */
  readonly mentionedColumns: ReadonlyMap<string, readonly string[]>;
}

const MOST_CHARS = 400_000;
const MOST_VALUES = 12;
const LEAST_ROWS = 5;
/** Verbs that tools and people use for one kind of change. */
const SAME: readonly (readonly string[])[] = [
  ["update", "modify", "change", "edit", "set"],
  ["cancel", "call off"],
  ["delete", "remove"],
  ["create", "add", "book", "make", "place", "open"],
  ["send", "issue", "offer"],
];
const FORBIDS =
  /\b(?:cannot|can not|can't|must not|mustn't|may not|should not|not (?:be )?(?:allowed|permitted)|never|is not possible)\b/;
const CONDITION =
  /\b(?:if|only|unless|must|within|before|after|cannot|can not|can't|may not|should not|not allowed|need(?:s)? to|required?|otherwise|except)\b/;
/** A statement that a reason is to be had from who asks. */
const ASKS_REASON =
  /\b(?:obtain|collect|ask (?:for|the user))\b.*\breason\b|\b(?:user|customer)\b[^.;]*\bprovides?\b[^.;]*\breason\b/;
/** Reasons that count, as a statement names them: "health" of "given health or weather reasons". */
const COUNTS =
  /\b(?:given|due to|because of|for) (?!other\b|any\b|all\b|valid\b|such\b)([a-z]+)(?:,? (?:or|and) [a-z]+)* reasons\b/;
const YES_NO = /^(?:yes|no|true|false)$/;
const PAST = /(?:ied|ed|d)$/;

/** The sentences and list items of a text, folded. */
function statements(text: string): string[] {
  return text
    .slice(0, MOST_CHARS)
    .split(/\n+|(?<=[.!?])\s+/)
    .map((line) => fold(line.replace(/^[\s*#>-]+|\*\*/g, "")))
    .filter((line) => line.length > 8);
}

function verbsOf(tool: string): readonly string[] {
  const [first = ""] = humanize(tool).split(" ");
  return [first, ...SAME.filter((group) => group.includes(first)).flat()];
}

/** Whether a statement speaks of a deed, in any form of its verb. */
function speaksOf(statement: string, verbs: readonly string[]): boolean {
  return tokens(statement).some(({ text }) =>
    verbs.some((verb) => {
      const stem = verb.replace(/(?:e|y)$/, "");
      return (
        text === verb ||
        (text.startsWith(stem) &&
          (PAST.test(text) || /(?:ing|lation|ation|s)$/.test(text)) &&
          text.length <= verb.length + 7)
      );
    }),
  );
}

/** The columns of a table whose values are a few words. */
function categories(kit: Kit, table: string): Map<string, Set<string>> {
  const rows = kit.anchors.get(table) ?? [];
  const found = new Map<string, Set<string>>();
  if (rows.length < LEAST_ROWS) return found;
  for (const { row } of rows)
    for (const [column, value] of Object.entries(row))
      if (typeof value === "boolean" || (typeof value === "string" && /^[a-z][a-z _-]{1,30}$/i.test(value)))
        found.set(column, (found.get(column) ?? new Set()).add(String(value)));
  for (const [column, values] of found)
    if (values.size < 2 || values.size > MOST_VALUES || values.size > rows.length / 2) found.delete(column);
  return found;
}

function names(statement: string, value: string): boolean {
  const words = fold(humanize(value));
  return (
    words.length > 3 &&
    ` ${tokens(statement)
      .map(({ text }) => text)
      .join(" ")} `.includes(` ${words} `)
  );
}

/** The values of a column that a statement names; of "basic economy" and "economy" the longer one. */
function namedOf(statement: string, values: ReadonlySet<string>): string[] {
  const found = [...values].filter((value) => names(statement, value));
  return found.filter((value) => !found.some((other) => other !== value && names(fold(humanize(other)), value)));
}

/** Whether a statement names what the tool changes of a row: where its name says more than the table's, one of those words. */
function ownThing(statement: string, things: ReadonlySet<string>, table: string): boolean {
  const rows = new Set(stems(table));
  const own = [...things].filter((word) => !rows.has(word));
  const wanted = new Set(own.length > 0 ? own : rows);
  return tokens(statement).some(({ text }) => wanted.has(singular(text)));
}

/** Whether another statement lets the same be done to such rows, in some case or other: then no rule reads the two. */
function allowed(all: readonly string[], value: string, verbs: readonly string[]): boolean {
  return all.some(
    (one) =>
      names(one, value) &&
      speaksOf(one, verbs) &&
      !FORBIDS.test(one) &&
      /\b(?:can|may|including|except|allowed)\b/.test(one),
  );
}

const policies = new WeakMap<Kit, Policy>();
const NONE: Policy = { guards: [], unread: new Set(), reasons: new Map(), mentionedColumns: new Map() };

/** What the documents given with a surface say of its changes; nothing where none were. */
export function policyFor(kit: Kit): Policy {
  return policies.get(kit) ?? NONE;
}

/** Reads the documents given with a surface, for all of its families. */
export function keepPolicy(kit: Kit, documents: readonly string[]): Policy {
  const policy = policyOf(kit, documents);
  policies.set(kit, policy);
  return policy;
}

/** Reads documents: which changes they forbid on which rows, and which tools they say more of than a rule can read. */
function policyOf(kit: Kit, documents: readonly string[]): Policy {
  const all = documents.flatMap(statements);
  const guards: Guard[] = [];
  const unread = new Set<string>();
  const reasons = new Map<string, string | undefined>();
  const mentionedColumns = new Map<string, readonly string[]>();
  if (all.length === 0) return { guards, unread, reasons, mentionedColumns };
  for (const table of kit.anchors.keys()) {
    const columns = [...categories(kit, table)].flatMap(([column, values]) =>
      all.some((one) =>
        [...values].every((value) => YES_NO.test(value))
          ? names(one, column)
          : [...values].some((value) => names(one, value)),
      )
        ? [column]
        : [],
    );
    if (columns.length > 0) mentionedColumns.set(table, columns);
  }
  for (const view of kit.tools) {
    if (view.effect !== "write") continue;
    const verbs = verbsOf(view.name);
    const things = new Set(stems(view.name).slice(1));
    const spoken = all.filter((one) => speaksOf(one, verbs));
    if (spoken.some((one) => ASKS_REASON.test(one)) && !view.params.some(({ name }) => REASON.test(name)))
      reasons.set(
        view.name,
        spoken.filter((one) => !FORBIDS.test(one)).flatMap((one) => COUNTS.exec(one)?.[1] ?? [])[0],
      );
    for (const statement of all) {
      if (!CONDITION.test(statement) || !speaksOf(statement, verbs)) continue;
      // What is said of another thing than the tool's is no condition of it.
      if (!tokens(statement).some(({ text }) => things.has(singular(text)) || text === "it" || text === "they")) {
        if (![...mentionedColumns.keys()].some((table) => statement.includes(singular(table)))) continue;
      }
      let read = false;
      if (FORBIDS.test(statement) && !/\b(?:if|unless|only|except|otherwise)\b/.test(statement))
        for (const [table, columns] of mentionedColumns)
          for (const column of columns)
            for (const value of namedOf(statement, categories(kit, table).get(column) ?? new Set())) {
              if (!ownThing(statement, things, table) || allowed(all, value, verbs)) continue;
              guards.push({ tool: view.name, table, column, value, sentence: statement });
              read = true;
            }
      if (!read) unread.add(view.name);
    }
  }
  return { guards, unread, reasons, mentionedColumns };
}

/** A change's request with the reason that its user is to be asked for; undefined where the documents name none that counts. */
export function withReason({ reasons }: Policy, { family, request, script }: WithScript): string | undefined {
  const asked = script.calls.filter(({ tool }) => reasons.has(tool)).map(({ tool }) => reasons.get(tool));
  if (!GIVES_REASON.has(family) || asked.length === 0) return request;
  if (asked.includes(undefined)) return undefined;
  return thankedLast(request, [...new Set(asked)].map((reason) => ` It's for ${reason} reasons.`).join(""));
}

type WithScript = Pick<Task, "family" | "request" | "script">;
/** Families whose change is to be made: what is to be refused may be so for want of a reason. */
const GIVES_REASON: ReadonlySet<string> = new Set(["write", "multi_write", "ambiguous"]);

/** The guard that forbids a tool on a row; undefined where none is known to. */
export function forbidden(policy: Policy, tool: string, table: string, row: JsonObject): Guard | undefined {
  return policy.guards.find((one) => one.tool === tool && one.table === table && String(row[one.column]) === one.value);
}

/** How the columns that documents speak of stand in a row: rows alike in them are treated alike, as far as they tell. */
function likeness(policy: Policy, table: string, row: JsonObject): string {
  return JSON.stringify((policy.mentionedColumns.get(table) ?? []).map((column) => row[column] ?? null));
}

/** By tool, how the rows stood on which sessions did it with success: rewarded ones where sessions are rewarded. */
export function doneOn(kit: Kit, policy: Policy, traces: readonly ObservedTrace[]): Map<string, Set<string>> {
  const graded = traces.some(({ reward }) => (reward ?? 0) >= 1);
  const done = new Map<string, Set<string>>();
  for (const trace of traces) {
    if (graded && (trace.reward ?? 0) < 1) continue;
    for (const call of trace.calls) {
      if (call.isError || !policy.unread.has(call.tool)) continue;
      for (const value of Object.values(call.args)) {
        if (typeof value !== "string") continue;
        for (const table of policy.mentionedColumns.keys()) {
          const row = kit.base.tables[table]?.[value];
          if (isObject(row))
            done.set(
              call.tool,
              (done.get(call.tool) ?? new Set()).add(`${table} ${likeness(policy, table, row as JsonObject)}`),
            );
        }
      }
    }
  }
  return done;
}

/** Whether a row stands as one did on which sessions made this change; true where nothing tells. */
export function asDone(
  policy: Policy,
  done: ReadonlyMap<string, ReadonlySet<string>>,
  tool: string,
  { table, row }: Pick<Anchor, "table" | "row">,
): boolean {
  if (!policy.unread.has(tool) || !policy.mentionedColumns.has(table)) return true;
  return done.get(tool)?.has(`${table} ${likeness(policy, table, row)}`) ?? false;
}

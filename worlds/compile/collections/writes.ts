import type { Behaviour, Step } from "../../behaviour/schema.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import { canon, isScalar, same } from "../values.ts";
import { ORDER } from "./rows.ts";
import type { Batch, Collection } from "./shapes.ts";

/** What a tool that takes a list may do for each of its elements, and answer: every reading of its arguments' shape. */
export function writeCandidates(batch: Batch, collections: readonly Collection[]): Behaviour[] {
  const objects = batch.items.filter(isObject);
  if (objects.length > 0 && objects.length === batch.items.length)
    return collections.flatMap((table) => [...ofRows(batch, objects, table), ...ofListColumns(batch, objects, table)]);
  if (batch.items.length > 0 && batch.items.every(isScalar))
    return collections.flatMap((table) => (table.key.length === 1 ? ofKeys(batch, table, collections) : []));
  return [];
}

/** Whether a tool's name says that it takes things away: what is tried first, and kept where evidence does not tell. */
const takes = ({ tool }: Batch): boolean =>
  /(?:^|[_.:/-])(?:delete|remove|drop|clear|unlink|detach|forget)/i.test(tool);
const given = (batch: Batch): string => member("args", batch.arg);
const rowOf = (table: Collection, element: string, parts: readonly string[] = table.key): string =>
  `lookup(${literal(table.name)}, ${parts.map((column) => member(element, column)).join(", ")})`;

function behaviour(steps: readonly Step[], answer: string): Behaviour {
  return { v: 1, steps: [...steps, { op: "answer", expr: answer }] };
}

/** The one answer of every success, as a literal; none where they differ. */
function constantAnswer({ calls }: Batch): string[] {
  const [first, ...rest] = calls.filter((call) => call.ok);
  return first && rest.every((call) => same(call.value, first.value)) ? [literal(first.value)] : [];
}

/** The answer within the one field that every success wraps it in. */
function wrapped({ calls }: Batch, answer: string): string {
  const fields = new Set(
    calls.filter(({ ok }) => ok).map(({ value }) => (isObject(value) ? Object.keys(value).join("\u0000") : "")),
  );
  const [field] = fields;
  return fields.size === 1 && field ? `{${literal(field)}: ${answer}}` : answer;
}

/** Elements that hold a row's key: rows that are new are added, or rows that are there go. */
function ofRows(batch: Batch, objects: readonly JsonObject[], table: Collection): Behaviour[] {
  const columns = new Set(objects.flatMap((object) => Object.keys(object)));
  if (!table.key.every((column) => objects.every((object) => isScalar(object[column])))) return [];
  if (![...columns].every((column) => table.columns.includes(column))) return [];
  const list = given(batch);
  const key = table.key.map((column) => ({ column, expr: member("e", column) }));
  const gone: Step[] = [
    { op: "let", name: "there", expr: `${list}.filter(e, ${rowOf(table, "e")} != null).distinct()` },
    { op: "delete", each: { name: "e", in: "there" }, table: table.name, key, require: [] },
  ];
  const constant = constantAnswer(batch);
  const removals = [...constant, wrapped(batch, "there")].map((answer) => behaviour(gone, answer));
  if (columns.size < table.columns.length) return removals;
  const set = [
    ...table.columns.map((column) => ({ path: column, op: "=" as const, expr: member("e", column) })),
    { path: ORDER, op: "=" as const, expr: `([0] + rows(${literal(table.name)}).map(o, o.${ORDER})).max() + 1` },
  ];
  const added: Step[] = [
    { op: "let", name: "fresh", expr: `${list}.filter(e, ${rowOf(table, "e")} == null)` },
    { op: "insert", each: { name: "e", in: "fresh" }, table: table.name, set, key: "", require: [] },
  ];
  const answers = constant.length > 0 ? constant : [wrapped(batch, "fresh"), wrapped(batch, list)];
  const additions = answers.map((answer) => behaviour(added, answer));
  return takes(batch) ? [...removals, ...additions] : [...additions, ...removals];
}

/** Elements that name a row and hold a list: its texts go into the row's list, or out of it. */
function ofListColumns(batch: Batch, objects: readonly JsonObject[], table: Collection): Behaviour[] {
  const names = Object.keys(objects[0] ?? {});
  const lists = names.filter((name) => objects.every((object) => Array.isArray(object[name])));
  const ids = names.filter((name) => objects.every((object) => isScalar(object[name])));
  const [list] = lists;
  const [id] = ids;
  const [key] = table.key;
  if (names.length !== 2 || list === undefined || id === undefined || key === undefined || table.key.length > 1)
    return [];
  const row = rowOf(table, "e", [id]);
  const failed = missingText(batch, id);
  return table.lists.flatMap((column) => {
    const held = member(row, column);
    const asked = member("e", list);
    const kept = member("row", column);
    const fresh = (from: string) => `${asked}.filter(c, !(c in ${from}))`;
    const effects: readonly [expr: string, answer: string][] = [
      [`${kept} + ${fresh(kept)}`, fresh(held)],
      [`${kept} + ${asked}`, asked],
      [`${kept}.filter(c, !(c in ${asked}))`, `${held}.filter(c, c in ${asked})`],
    ];
    return (takes(batch) ? effects.toReversed() : effects).flatMap(([expr, told]) => {
      const elements = failed === undefined ? `${given(batch)}.filter(e, ${row} != null)` : given(batch);
      const records = recordAnswer(batch, id, told);
      const answers = [
        ...constantAnswer(batch),
        ...(records === undefined ? [] : [wrapped(batch, `about.map(e, ${records})`)]),
      ];
      const steps: Step[] = [
        ...(failed === undefined
          ? []
          : [
              {
                op: "let",
                name: "checked",
                expr: `${elements}.map(e, ${row} == null ? error(${failed}) : true)`,
              } as const,
            ]),
        { op: "let", name: "about", expr: elements },
      ];
      return answers.map((answer) => ({
        v: 1 as const,
        steps: [
          ...steps,
          { op: "let" as const, name: "told", expr: answer },
          {
            op: "update" as const,
            each: { name: "e", in: "about" },
            table: table.name,
            key: [{ column: key, expr: member("e", id) }],
            set: [{ path: column, op: "=" as const, expr }],
            require: [],
          },
          { op: "answer" as const, expr: "told" },
        ],
      }));
    });
  });
}

/** What is said of an element whose row is not there, as an expression; undefined where no refusal tells one wording. */
function missingText({ calls, arg }: Batch, id: string): string | undefined {
  const texts = new Set<string>();
  for (const call of calls) {
    if (call.ok) continue;
    const { value } = call;
    const names = (call.args[arg] as Json[]).flatMap((item) => (isObject(item) ? [String(item[id])] : []));
    const name = typeof value === "string" ? names.find((each) => value.includes(each)) : undefined;
    if (name !== undefined) texts.add((value as string).replaceAll(name, "\u0000"));
  }
  const [text] = texts;
  if (texts.size !== 1 || text === undefined) return undefined;
  return text
    .split("\u0000")
    .flatMap((part, i) => [...(i > 0 ? [`string(${member("e", id)})`] : []), ...(part === "" ? [] : [literal(part)])])
    .join(" + ");
}

/** The object that is answered for each element: its name, and what became of its list. */
function recordAnswer({ calls, arg }: Batch, id: string, told: string): string | undefined {
  const pairs = calls.flatMap(({ ok, value, args }) => {
    if (!ok) return [];
    const inner = isObject(value) ? Object.values(value)[0] : value;
    const items = args[arg] as Json[];
    return Array.isArray(inner) && inner.length === items.length ? inner.map((row, i) => [row, items[i]] as const) : [];
  });
  const first = pairs[0]?.[0];
  if (!isObject(first)) return undefined;
  const parts = Object.keys(first).map((column) => {
    if (pairs.every(([row, item]) => isObject(row) && isObject(item) && canon(row[column]) === canon(item[id])))
      return `${literal(column)}: ${member("e", id)}`;
    return pairs.every(([row]) => isObject(row) && Array.isArray(row[column]))
      ? `${literal(column)}: ${told}`
      : undefined;
  });
  return parts.every((part) => part !== undefined) ? `{${parts.join(", ")}}` : undefined;
}

/** Keys of rows that go, with what refers to them or without. */
function ofKeys(batch: Batch, table: Collection, collections: readonly Collection[]): Behaviour[] {
  const list = given(batch);
  const key = [{ column: table.key[0] as string, expr: "e" }];
  const rows: Step[] = [
    { op: "let", name: "there", expr: `${list}.filter(e, lookup(${literal(table.name)}, e) != null).distinct()` },
    { op: "delete", each: { name: "e", in: "there" }, table: table.name, key, require: [] },
  ];
  const cascade = collections.flatMap((other): Step[] => {
    const ends = [...other.refers].filter(([, name]) => name === table.name).map(([column]) => column);
    if (other === table || ends.length === 0) return [];
    const test = ends.map((column) => `${member("r", column)} in ${list}`).join(" || ");
    return [
      {
        op: "delete",
        each: { name: "r", in: `rows(${literal(other.name)}).filter(r, ${test})` },
        table: other.name,
        key: other.key.map((column) => ({ column, expr: member("r", column) })),
        require: [],
      },
    ];
  });
  const constant = constantAnswer(batch);
  const answers = constant.length > 0 ? constant : [wrapped(batch, "there"), wrapped(batch, list)];
  return answers.flatMap((answer) => [
    ...(cascade.length > 0 ? [behaviour([...rows, ...cascade], answer)] : []),
    behaviour(rows, answer),
  ]);
}

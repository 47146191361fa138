import type { Step } from "../../behaviour/schema.ts";
import { COUNTERS, MADE } from "../programs/expressions/names.ts";
import type { Act } from "./act.ts";
import type { Endings } from "./endings.ts";
import { namesIn } from "./moments.ts";
import { argument, ENTRIES, listedText, NEXT, pathText, rowText, STATE, thereText } from "./paths.ts";

const name = (path: string): string => `${path}.split("/").last()`;

/** The behaviour of a tool that does an act: what it names, how it ends, what it does, what it answers. */
export function stepsOf(
  act: Act,
  { refusals, answer }: Endings,
  { fromRoot, optional }: { readonly fromRoot: boolean; readonly optional: ReadonlySet<string> },
): Step[] {
  const names = namesIn(act);
  const out: Step[] = [];
  for (const [i, arg] of names.entries()) {
    out.push({
      op: "let",
      name: `p${i + 1}`,
      expr: pathText(argument(arg), { fromRoot, optional: optional.has(arg) }),
    });
    out.push({ op: "let", name: `t${i + 1}`, expr: thereText(`p${i + 1}`) });
  }
  if (names.length === 2) {
    out.push({ op: "let", name: "inner", expr: `resolve(p2, "./" + ${name("p1")})` });
    out.push({ op: "let", name: "t3", expr: thereText("inner") });
    out.push({ op: "let", name: "t4", expr: thereText(`resolve(p2, "..")`) });
  }
  for (const { when, text } of refusals) out.push({ op: "refuse", when, template: `{string(${text})}` });
  const [at] = names;
  const conditions = [
    ...(at !== undefined && act.op !== "list" && optional.has(at) ? [`${argument(at)} != null`] : []),
    // What is there already is not made again.
    ...(act.op === "make" ? ["unknown_as_null(t1) != true"] : []),
  ];
  out.push(...effects(act).map((step) => conditions.reduce((inner, condition) => onlyIf(condition, inner), step)));
  out.push({ op: "answer", expr: answer ?? "unknown()" });
  return out;
}

/** A step that is made under a condition alone. */
function onlyIf(condition: string, step: Step): Step {
  if (step.op !== "insert" && step.op !== "update" && step.op !== "delete") return step;
  const { each } = step;
  return { ...step, each: each ? { ...each, in: `(${condition} ? ${each.in} : [])` } : once(condition) };
}

const once = (condition: string): { name: string; in: string } => ({ name: "it", in: `(${condition} ? [1] : [])` });
const keyOf = (path: string) => [{ column: "path", expr: path }];
const place = (path: string, columns: Readonly<Record<string, string>>) =>
  Object.entries({ path, folder_path: `resolve(${path}, "..")`, name: name(path), ...columns }).map(
    ([column, expr]) => ({ path: column, op: "=" as const, expr }),
  );

/** Takes the row of a path away, where there is one, and all below it. */
const clear = (path: string): Step[] => [
  {
    op: "delete",
    each: { name: "below", in: `rows("${ENTRIES}").filter(r, r.path.startsWith(${path} + "/")).map(r, r.path)` },
    table: ENTRIES,
    key: keyOf("below"),
    require: [],
  },
  { op: "delete", each: once(`${rowText(path)} != null`), table: ENTRIES, key: keyOf(path), require: [] },
];

const insert = (path: string, columns: Readonly<Record<string, string>>): Step => ({
  op: "insert",
  table: ENTRIES,
  set: place(path, columns),
  key: "",
  require: [],
});

/** Takes an entry away: where its folder is not known to hold no other, a row says that it is gone. */
const remove = (path: string): Step[] => [
  ...clear(path),
  onlyIf(`unknown_as_null(${listedText(path)}) != true`, insert(path, { there: "false" })),
];

const counted: Step = {
  op: "update",
  table: COUNTERS,
  key: [{ column: "of", expr: `"${ENTRIES}"` }],
  set: [{ path: "next", op: "+=", expr: "1" }],
  require: [],
};

function effects(act: Act): Step[] {
  switch (act.op) {
    case "enter":
      return [
        {
          op: "update",
          table: STATE,
          key: [{ column: "of", expr: `"session"` }],
          set: [{ path: "path", op: "=", expr: "p1" }],
          require: [],
        },
      ];
    case "make":
      return [
        ...clear("p1"),
        insert("p1", {
          there: "true",
          folder: String(act.folder),
          whole: String(act.folder),
          dots: String(act.folder),
          text: act.folder ? "null" : `""`,
          [MADE]: NEXT,
        }),
        counted,
      ];
    case "remove":
      return remove("p1");
    case "write": {
      const adds =
        act.adds === undefined ? undefined : act.adds === true ? "t1" : `(t1 && ${argument(act.adds)} == true)`;
      const given = argument(act.text);
      return [
        {
          op: "let",
          name: "said",
          expr: adds === undefined ? given : `(${adds} ? ${rowText("p1")}.text + "\\n" + ${given} : ${given})`,
        },
        { op: "let", name: "stands", expr: `(t1 ? ${rowText("p1")}.${MADE} : ${NEXT})` },
        ...clear("p1"),
        insert("p1", { there: "true", folder: "false", whole: "false", dots: "false", text: "said", [MADE]: "stands" }),
        counted,
      ];
    }
    case "move":
    case "copy": {
      const columns = { there: "true", folder: "own.folder", whole: "own.whole", dots: "own.dots", text: "own.text" };
      const steps: Step[] = [
        { op: "let", name: "own", expr: `(${rowText("p1")} == null ? unknown() : ${rowText("p1")})` },
        {
          op: "let",
          name: "under",
          expr: `rows("${ENTRIES}").filter(r, r.path.startsWith(p1 + "/") && unknown_as_null(r.there) != false)`,
        },
        { op: "let", name: "from", expr: "p1" },
        {
          op: "let",
          name: "to",
          expr: `(unknown_as_null(t2) == true ? (unknown_as_null(${rowText("p2")}.folder) == false ? p2 : inner) : p2)`,
        },
        ...clear("to"),
        insert("to", { ...columns, [MADE]: NEXT }),
        {
          op: "insert",
          each: { name: "one", in: "under" },
          table: ENTRIES,
          set: place(`(to + one.path.substring(size(from)))`, {
            there: "one.there",
            folder: "one.folder",
            whole: "one.whole",
            dots: "one.dots",
            text: "one.text",
            [MADE]: `one.${MADE}`,
          }),
          key: "",
          require: [],
        },
        counted,
      ];
      return act.op === "copy" ? steps : [...steps, ...remove("from")];
    }
    default:
      return [];
  }
}

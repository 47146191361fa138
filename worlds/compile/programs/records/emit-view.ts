import { literal } from "../../conditions/term.ts";
import { type Names, type Printing, print } from "../expressions/print.ts";
import { printCovered } from "./complete-lists.ts";
import { viewConditions } from "./endings.ts";
import { given } from "./filters.ts";
import { printOtherFields } from "./other-fields.ts";
import { printShape } from "./shapes.ts";
import { MADE, type Order, RUN, TIE, UNLISTED } from "./tables.ts";
import type { ListView } from "./views.ts";
import { printSorted, printWindow } from "./windows.ts";

const plain = (tool: string): string => tool.replace(/[^A-Za-z0-9_]+/g, "_");

/** The table of the questions of which a tool's lists showed all rows. */
export const askedOf = (tool: string): string => `${plain(tool)}_asked`;

/** The table of the texts that a tool's lists showed to be all there are. */
export const textsOf = (tool: string): string => `${plain(tool)}_texts`;

/** The table that says which rows of a table that no list showed were changed. */
export const changedOf = (stored: string): string => `${stored}_changed`;

/** Names for the rows that a view lists: those that meet the question, and those that are shown of them. */
export function bindView(
  view: ListView,
  names: Names,
  bind: (name: string, expr: string) => string,
  tool: string,
): void {
  const { sure, possible } = viewConditions(view);
  const rows = `rows(${literal(names.table(view.table))})`;
  const at: Printing = { names, row: { text: "each", table: view.table } };
  const { whole } = view;
  const here = (test: string): string => (whole ? `each.${UNLISTED} == 0 && ${test}` : test);
  const found = bind("found", `${rows}.filter(each, ${here(print(sure, at))})`);
  let listed = found;
  if (possible) {
    const count = bind("may", `${rows}.count(each, ${here(print(possible, at))})`);
    listed = `(size(${found}) == ${count} ? ${found} : unknown())`;
  }
  if (!whole) {
    bind("listed", listed);
    bind("none_listed", "size(listed) == 0");
    bindWindow(view, names, bind);
    return;
  }
  // A row that no list showed is in none of those that showed all, until a change makes it meet a test.
  const stored = names.table(view.table);
  bind(
    "changed",
    `rows(${literal(changedOf(stored))}).filter(each, each.changed == true).map(each, lookup(${literal(stored)}, each.n)).filter(each, each != null && ${changedTo(view, at)})`,
  );
  bind("other", `changed.exists(each, ${print(sure, at)})`);
  const { limit } = view;
  bind("met", listed);
  const edge =
    limit === undefined
      ? "null"
      : `(size(met) < ${limit} ? null : ${inOrder("met", view, names)}.slice(${limit - 1}, ${limit}).first())`;
  bind("edge", edge);
  // Of rows past the last listed one those alone may stand elsewhere that are tied with it.
  const near = whole.kept ? `(edge == null || each.${MADE} <= edge.${MADE} || each.${TIE} == edge.${TIE})` : "true";
  bind("tied", `met.map(each, each.${TIE} != null && ${near}, [each.${TIE}, each.${RUN}])`);
  const column = (name: string): string => names.column(view.table, name);
  const checks = [
    "!other",
    printCovered(whole, askedOf(tool), textsOf(tool), "edge", names.key(view.table), column, names),
    "size(tied.map(each, each[0]).distinct()) == size(tied.distinct())",
    ...(limit === undefined ? [`size(met) <= ${whole.longest}`] : []),
  ];
  bind("listed", `(${checks.join(" && ")} ? met : unknown())`);
  bind("none_listed", "size(listed) == 0");
  bindWindow(view, names, bind);
}

/** Names for the rows of a view in the order that is asked for, and for the part of them that is shown. */
function bindWindow(view: ListView, names: Names, bind: (name: string, expr: string) => string): void {
  const at: Printing = { names };
  bind("ordered", inOrder("listed", view, names));
  if (view.sorting) {
    const by = (list: string, order: Order): string =>
      sortedBy(list, names.column(view.table, order.by), order.descending);
    bind("sorted", printSorted(view.sorting, "ordered", by, at));
  }
  const { from, to } = printWindow(view.cut, view.limit, at);
  bind("from", from);
  bind("to", to);
  const list = view.sorting ? "sorted" : "ordered";
  bind("shown", `${list}.slice(from, to == null ? size(${list}) : to)`);
}

/** A list in the order of a column, as it was among rows that are alike. */
const sortedBy = (list: string, column: string, descending: boolean): string =>
  descending ? `${list}.reverse().sortBy(each, each.${column}).reverse()` : `${list}.sortBy(each, each.${column})`;

/** Whether a row of which something is not known is known to meet a test. */
function changedTo({ filters }: ListView, at: Printing): string {
  const tests = filters.flatMap(({ name, atoms }) =>
    atoms.map((atom) => `(${print(given(name), at)} && unknown_as_null(${print(atom, at)}) == true)`),
  );
  return tests.length === 0 ? "false" : `(${tests.join(" || ")})`;
}

/** A list of rows in the order of a view. */
function inOrder(list: string, view: ListView, names: Names): string {
  const by = view.order ? names.column(view.table, view.order.by) : MADE;
  const text = `${list}.sortBy(each, each.${MADE})`;
  return view.order ? sortedBy(text, by, view.order.descending) : text;
}

/** The answer of a view whose rows are bound. */
export function listText(view: ListView, names: Names): string {
  const text = `shown.map(each, ${printShape(view.item, { names, row: { text: "each", table: view.table } })})`;
  const list = printOtherFields(
    view.otherFields,
    view.field,
    text,
    { met: "listed", shown: "shown", from: "from" },
    { names },
  );
  // How a list without an entry is written was not seen.
  return view.empties ? list : `(size(shown) == 0 ? unknown() : ${list})`;
}

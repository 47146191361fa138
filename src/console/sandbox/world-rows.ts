import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { tablesInOrder } from "../../../chapters/findings/pages/packet.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, shown } from "../../../chapters/findings/pages/words.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { KEY_SEPARATOR } from "../../../worlds/state/keys.ts";
import { table } from "../../pages/html.ts";
import { jsonTree } from "../../pages/json-tree.ts";
import { CONSOLE } from "../frame.ts";
import { filterChoice, filterForm, filterText, pages, textOf } from "../lists/query.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";

/** A key for a person: of several parts, those that say something, apart. */
export const keyOf = (key: string): string => key.split(KEY_SEPARATOR).filter(Boolean).join(", ");

const PATH = "/sandboxes/:env/world";
/** Rows on one page, fields of a row that have a column, and characters of one in it. */
const ROWS = 25;
const COLUMNS = 5;
const CHARS = 60;

interface Rows {
  readonly total: number;
  readonly rows: readonly {
    readonly key: string;
    readonly origin: "observed" | "drawn";
    readonly row: Readonly<Record<string, unknown>>;
  }[];
  readonly next?: string;
}

/** The rows of a sandbox's world, table by table. */
export const worldRowPages: readonly ConsoleRoute[] = [shows(PATH, worldRows)];

async function worldRows(visit: Visit): Promise<View> {
  const environment = await findEnvironment(visit.ctx, visit.param("env"));
  const place = `/sandboxes/${encodeURIComponent(environment.id)}`;
  const tables = tablesInOrder(environment.rows);
  const name = textOf(visit, "table", 200) ?? tables[0];
  const doc: PageDoc = {
    v: 1,
    title: `World of ${cut(environment.label, 80)}`,
    made_at: visit.ctx.now(),
    sections: [],
  };
  const ways = html`<p class="ways"><a href=${CONSOLE + place}>The sandbox</a> <a href="${CONSOLE}${place}/try">Try a call on a fresh copy</a></p>`;
  if (name === undefined) return { doc, lead: [ways, html`<p>This world has no table.</p>`] };
  const [q, cursor] = [textOf(visit, "q", 200), textOf(visit, "cursor", 1000)];
  const found = await visit.call<Rows>("environment_world_table", {
    env_id: environment.id,
    table: name,
    limit: ROWS,
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const { rows = found.total, drawn = 0 } = environment.rows[name] ?? {};
  const verdict: PageDoc["verdict"] = {
    text: `${cut(name, 80)}: ${counted(rows, "row")}, ${rows - drawn} seen in the evidence and ${drawn} drawn to fit it.`,
    tone: "plain",
    tier: "deterministic",
    how: "As each trial finds them when it begins; a trial works on a copy of its own.",
  };
  const form = filterForm(`${place}/world`, visit, [
    filterChoice(
      { query: new URLSearchParams({ table: name }) },
      "table",
      "Table",
      tables.map((each) => ({ value: each, text: `${cut(each, 50)} (${environment.rows[each]?.rows ?? 0})` })),
    ),
    filterText(visit, "q", "Rows with the words"),
  ]);
  const list =
    found.rows.length === 0
      ? html`<p>${q === undefined ? "This table is empty." : "No row has these words."}</p>`
      : rowTable(found, q);
  return { doc: { ...doc, verdict }, lead: [ways, form, list, pages(`${place}/world`, visit, found.next)] };
}

/** The traces that say a row's key. */
const seenIn = (key: string): string =>
  `${CONSOLE}/traces?${new URLSearchParams({ q: key.split(KEY_SEPARATOR).filter(Boolean).join(" ") })}`;

/** The rows with the fields that tell them apart as columns, and each row whole as it is stored. */
function rowTable({ rows, total }: Rows, q: string | undefined): ComponentChild {
  const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
  const varied = (name: string) => new Set(rows.map(({ row }) => JSON.stringify(row[name]))).size;
  const isPlain = (name: string) => rows.every(({ row }) => typeof row[name] !== "object" || row[name] === null);
  const isKey = (name: string) => rows.every(({ key, row }) => String(row[name]) === key);
  const told = names.filter((name) => isPlain(name) && !isKey(name));
  // A field that is the same in every row of the page tells least.
  const columns = [...told.filter((name) => varied(name) > 1), ...told.filter((name) => varied(name) === 1)];
  const shownNames = columns.slice(0, COLUMNS);
  return table(
    `${counted(total, "row")}${q === undefined ? "" : ` with “${cut(q, 60)}”`}, by key; “evidence” opens the traces that say its key, the last column a row whole.`,
    [
      { name: "Key" },
      { name: "Comes from" },
      ...shownNames.map((name) => ({ name: cut(name, 40) })),
      { name: "Whole row", wide: true },
    ],
    rows.map(({ key, origin, row }) => [
      cut(keyOf(key), 80),
      origin === "observed" ? html`<a href=${seenIn(key)}>evidence</a>` : "drawn",
      ...shownNames.map((name) => (row[name] === undefined ? "" : shown(row[name], CHARS))),
      html`<details><summary>${counted(Object.keys(row).length, "field")}</summary>${jsonTree(row, `Row ${keyOf(key)}`)}</details>`,
    ]),
  );
}

import { searchedColumns } from "../../behaviour/visit.ts";
import type { Bundle, ToolDefinition } from "../../bundle.ts";
import { WITHIN } from "../../footprint.ts";
import { getOwn, type JsonObject, setOwn } from "../../json.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import { Reaches, type ShownRow, type ShownRows } from "../footprints.ts";
import type { Call, Session } from "../observations.ts";
import { byText } from "../values.ts";
import { columnNames, type Learnt } from "./effects.ts";
import type { Emitted } from "./emit.ts";
import { CELLS, COUNTERS } from "./expressions/names.ts";
import { CELL_KEY, type Names } from "./expressions/print.ts";
import type { Rows } from "./rows-by-group.ts";
import { parentColumn, type Step } from "./simulate.ts";
import { givenKey } from "./state/given-rows.ts";
import type { AnswerObservation } from "./state/observations.ts";
import { UNSEEN } from "./unseen.ts";

type Footprint = NonNullable<Bundle["footprints"]>[string];

/** What calls of each tool that is no reading one may change, by readings around them and by what its program does. */
export function footprintsOf(
  learnt: Learnt,
  { tools: programs, names, rows, starts }: Emitted,
  tools: readonly ToolDefinition[],
  seen: ReadonlySet<string>,
): NonNullable<Bundle["footprints"]> {
  const writers = tools.filter((tool) => {
    const program = programs.get(tool.name);
    if (program?.effect === "write") return true;
    if (seen.has(tool.name)) return !learnt.layout.readers.has(tool.name);
    return (declaredEffect(tool) ?? effectByName(tool.name)) === "write";
  });
  const unseen = new Set(Object.keys(getOwn(rows[UNSEEN] ?? {}, CELL_KEY) ?? {}));
  const tables = new Set([CELLS, ...[...learnt.layout.tables.keys()].map(names.table)]);
  const looked = new Map<string, Set<string>>();
  for (const { behaviour } of programs.values())
    for (const [table, columns] of searchedColumns(behaviour.steps, tables))
      looked.set(table, new Set([...(looked.get(table) ?? []), ...columns]));
  const sessions = learnt.timelines.map(({ session }) => session);
  const readings = shownRowsOf(learnt, names, ({ group }) => over(rows, starts.get(group) ?? {}));
  const reaches = new Reaches(sessions, readings, new Set(writers.map(({ name }) => name)));
  return Object.fromEntries(
    writers.map(({ name }) => {
      const program = programs.get(name);
      const bounded = program !== undefined && (program.effect === "write" || reaches.told(name));
      return [name, doubted(counted(reaches.of(name, program?.behaviour.steps ?? [], looked, { bounded })), unseen)];
    }),
  );
}

/** What has made rows that nobody knows of has counted their keys too. */
function counted({ tables }: Footprint): Footprint {
  const makes = Object.values(tables).some(({ made }) => made);
  return { tables: makes ? { ...tables, [COUNTERS]: { others: ["next"] } } : tables };
}

/** Of a cell that may have changed it is not known either whether it is as sessions start. */
function doubted({ tables }: Footprint, unseen: ReadonlySet<string>): Footprint {
  const of = (reach: Footprint["tables"][string] | undefined): string[] => {
    const lists = [reach?.named, reach?.near, reach?.others].filter((list) => list !== undefined);
    if (lists.some((list) => list === "*")) return [...unseen].filter((name) => name !== "of").sort(byText);
    const named = new Set(lists.flat().map((path) => path.split(WITHIN)[0] as string));
    return [...named].filter((name) => unseen.has(name)).sort(byText);
  };
  const reach = getOwn(tables, CELLS);
  const [all, still] = [of(reach), of(reach?.doubted)];
  if (all.length === 0) return { tables };
  const doubt = still.length === 0 ? {} : { doubted: { others: still } };
  return { tables: { ...tables, [UNSEEN]: { others: all, ...doubt } } };
}

/** Rows with the columns in which a group starts otherwise. */
function over(rows: Rows, own: Rows): Rows {
  const out = { ...rows };
  for (const [table, of] of Object.entries(own)) {
    const held = { ...getOwn(out, table) };
    for (const [key, row] of Object.entries(of)) setOwn(held, key, { ...getOwn(held, key), ...row });
    setOwn(out, table, held);
  }
  return out;
}

function shownRowsOf(learnt: Learnt, names: Names, starts: ShownRows["starts"]): ShownRows {
  const known = columnNames(learnt.timelines);
  const columns = new Map<string, readonly string[]>();
  const note = (table: string, stored: string): void => {
    const keys = learnt.layout.tables.get(table) ?? [];
    const own = [...(known.get(table) ?? [])].filter((name) => !keys.includes(name));
    if (own.length > 0 || table !== "") columns.set(stored, own.map((name) => names.column(table, name)).sort(byText));
  };
  note("", CELLS);
  for (const table of [...learnt.layout.tables.keys()].sort(byText)) note(table, names.table(table));
  const sights = new Map(
    learnt.timelines.map(({ session, observations }, t) => [
      session,
      observations.map((one, at) => [one, learnt.steps[t]?.[at]] as const),
    ]),
  );
  return {
    columns,
    keyless: new Set([CELLS]),
    starts,
    shown: (session) => shownIn(session, sights.get(session) ?? [], learnt, names),
  };
}

/** The rows and cells that answers show, as they are stored. */
function shownIn(
  { calls }: Session,
  sights: readonly (readonly [AnswerObservation, Step | undefined])[],
  { effects, layout }: Learnt,
  names: Names,
): Map<Call, ShownRow[]> {
  const stored = (table: string, row: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [names.column(table, name), value]));
  return new Map(
    calls.map((call, at) => {
      const [{ cells = {}, rows = [] } = {}, step] = sights[at] ?? [];
      const makings = call.ok && step ? (effects.get(step.act)?.makings ?? []) : [];
      const made = makings.flatMap((making) => {
        const key = givenKey(call, making, layout);
        return key === undefined ? [] : [{ table: names.table(making.table), key, row: {} }];
      });
      const shown = rows.map(({ place: { table }, key, columns, within }) => ({
        table: names.table(table),
        key,
        row: stored(table, within ? { ...columns, [parentColumn(within.table)]: within.key } : columns),
      }));
      const own = Object.keys(cells).length > 0 ? [{ table: CELLS, key: CELL_KEY, row: stored("", cells) }] : [];
      return [call, [...own, ...made, ...shown]];
    }),
  );
}

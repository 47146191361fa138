import type { BaseState, Bundle, TableModel } from "../../bundle.ts";
import { declareTools } from "../../declare.ts";
import type { Task } from "../../tasks/schema.ts";
import { householdRows } from "./rows.ts";
import { householdTasks } from "./tasks.ts";
import { householdTools } from "./tools.ts";

/** The name of the built-in household: of its bundle, its environment and its state. */
export const HOUSEHOLD = "household";

/** The household as worlds are made of it. */
export interface Household {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly tasks: readonly Task[];
}

/** 2026-03-10 08:00 UTC: the household's clock stands still. */
const NOW = 1_773_129_600;

let made: Household | undefined;

/** The built-in household: four people with chores, a pantry and appointments. Made at the first asking, always the same. */
export function household(): Household {
  made ??= { bundle: declared(), base: householdRows, seed: "1", tasks: householdTasks };
  return made;
}

function declared(): Bundle {
  const empty: Bundle = {
    v: 1,
    name: HOUSEHOLD,
    tools: [],
    tables: Object.entries(householdRows.tables).map(([name, rows]) => tableOf(name, rows)),
    now: NOW,
    behaviours: {},
    exceptions: [],
    gaps: [],
  };
  const answer = declareTools(empty, { added_tools: [...householdTools] });
  if ("issues" in answer) throw new Error(`the household does not declare: ${JSON.stringify(answer.issues)}`);
  return answer.bundle;
}

const FORMATS: Readonly<Record<string, NonNullable<TableModel["columns"][number]["format"]>>> = {
  on: "date",
  due_on: "date",
  best_before: "date",
  at: "time",
  minutes: "integer",
  quantity: "integer",
  phone: "phone",
  role: "enum",
  status: "enum",
  shelf: "enum",
};
const TABLE_OF: Readonly<Record<string, string>> = {
  member_id: "members",
  chore_id: "chores",
  item_id: "pantry",
  appointment_id: "appointments",
};

function tableOf(name: string, rows: BaseState["tables"][string]): TableModel {
  const all = Object.values(rows);
  const columns = Object.keys(all[0] ?? {});
  return {
    name,
    key: columns.slice(0, 1),
    columns: columns.map((column) => {
      const values = [...new Set(all.map((row) => row[column]))];
      const format = column in TABLE_OF ? "id" : (FORMATS[column] ?? "text");
      const of = TABLE_OF[column];
      return {
        name: column,
        types: [typeof values[0] === "number" ? "number" : "string"],
        format,
        present: 1,
        ...(format === "enum" ? { values } : {}),
        ...(of === undefined || of === name ? {} : { refers_to: { table: of, column } }),
      };
    }),
  };
}

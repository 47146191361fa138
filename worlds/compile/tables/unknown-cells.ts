import type { BaseState } from "../../bundle.ts";
import { columnKnowledge, type History } from "../history.ts";
import { byText } from "../values.ts";

/** Unknown cells of the initial state: columns that rows lack though all have them, and those that vary by session. */
export function unknownCells(history: History): Pick<BaseState, "unknown"> {
  const out: [string, NonNullable<BaseState["unknown"]>[string]][] = [];
  for (const [table, rows] of Object.entries(history.base)) {
    const { patchy } = columnKnowledge(history, table);
    const groups = new Map<string, { columns: string[]; keys: string[] }>();
    for (const [key, row] of Object.entries(rows)) {
      const own = history.own?.flatMap((tables) => Object.keys(tables?.[table]?.[key] ?? {})) ?? [];
      const columns = [...new Set([...patchy, ...own])].filter((column) => !Object.hasOwn(row, column)).sort(byText);
      if (columns.length === 0) continue;
      const name = columns.join("\n");
      const group = groups.get(name) ?? { columns, keys: [] };
      groups.set(name, group);
      group.keys.push(key);
    }
    if (groups.size > 0) out.push([table, [...groups.values()]]);
  }
  return out.length > 0 ? { unknown: Object.fromEntries(out) } : {};
}

import type { BaseState } from "../bundle.ts";

/** The initial state of a group's sessions: its own start over the common one, which stays for an unknown group. */
export function startOf(base: BaseState, group: string): BaseState {
  const start = base.starts && Object.hasOwn(base.starts, group) ? base.starts[group] : undefined;
  if (!start) return base;
  const tables = { ...base.tables };
  for (const [table, rows] of Object.entries(start)) {
    const merged = { ...tables[table] };
    for (const [key, columns] of Object.entries(rows)) merged[key] = { ...merged[key], ...columns };
    tables[table] = merged;
  }
  return {
    tables,
    drawn: base.drawn,
    ...(base.unknown ? { unknown: base.unknown } : {}),
    ...(base.recorded ? { recorded: { task: group } } : {}),
  };
}

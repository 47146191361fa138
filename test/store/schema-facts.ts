import { is, Table } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { expect } from "vitest";
import * as schema from "../../store/schema.ts";

/** What a database says of one of its tables. */
export interface TableFacts {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly notNull: boolean }[];
  readonly keys: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** Keys of what crosses orgs: the directory, the job queue, claims and the workspace's own audit. */
const ACROSS = [["id"], ["tag"], ["name"], ["hash"], ["status", "created_at", "id"], ["id", "org"], ["seq"]];

/** Holds a database to store/schema.ts: the same tables and columns; `org` first in every key but those of the directory. */
export function expectSchema(facts: readonly TableFacts[], types: Readonly<Record<string, string>>): void {
  const wanted = (Object.values(schema) as unknown[])
    .filter((table): table is PgTable => is(table, Table))
    .map((table) => getTableConfig(table))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, columns }) => ({
      name,
      columns: columns
        .map((column) => ({ name: column.name, type: types[column.getSQLType()], notNull: column.notNull }))
        .sort(byName),
    }));
  expect(wanted.length).toBeGreaterThan(10);
  expect(facts.map(({ name, columns }) => ({ name, columns: [...columns].sort(byName) }))).toEqual(wanted);
  const across = facts.flatMap(({ keys }) => keys).filter(({ columns }) => columns[0] !== "org");
  for (const { columns } of across) expect(ACROSS).toContainEqual(columns);
  for (const { name, keys } of facts) expect(keys.length, name).toBeGreaterThan(0);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

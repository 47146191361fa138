import Database from "better-sqlite3";
import { getTableName } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { openEngine } from "../../store/open.ts";
import * as schema from "../../store/schema.ts";

/** A number that is no whole one, text that is easily spoiled, bytes of every kind. */
const ODD = {
  real: 1_790_000_000.123456,
  text: "é 日本 \u{1F600} '\"\\ \n end",
  bytes: Uint8Array.from({ length: 300 }, (_, i) => i % 256),
};

/** A store of SQLite with `rows` rows in every table that is kept, nulls wherever a column takes them in every second row. */
export async function fullStore(path: string, rows: number): Promise<void> {
  await (await openEngine({ path })).close();
  const db = new Database(path);
  db.pragma("foreign_keys = off");
  const fill = db.transaction(() => {
    for (const table of Object.values(schema) as PgTable[]) {
      const name = getTableName(table);
      if (name === "turns" || name === "meters") continue;
      const { columns } = getTableConfig(table);
      const cell = (column: (typeof columns)[number], i: number) => {
        if (!column.notNull && i % 2 === 1) return null;
        const type = column.getSQLType();
        if (type === "bytea") return Buffer.from(ODD.bytes);
        if (type === "bigint") return 2 ** 53 - 1 - i;
        if (type === "integer") return i;
        if (type === "double precision") return ODD.real + i;
        // References meet: every row of a table refers to the row of its own number.
        return column.name === "value" || column.name === "message" ? ODD.text : `${String(i).padStart(4, "0")} id`;
      };
      const names = columns.map((column) => `"${column.name}"`).join(", ");
      const insert = db.prepare(`insert into ${name} (${names}) values (${columns.map(() => "?").join(", ")})`);
      for (let i = 0; i < rows; i++)
        insert.run(
          columns.map((column) =>
            name === "orgs" && column.name === "id"
              ? cell(column, i)
              : column.name === "org"
                ? `${String(i).padStart(4, "0")} id`
                : cell(column, i),
          ),
        );
    }
  });
  fill();
  const [broken] = db.pragma("foreign_key_check") as unknown[];
  db.close();
  if (broken) throw new Error(`a reference of the test's rows is broken: ${JSON.stringify(broken)}`);
}

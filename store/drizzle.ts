import { createRequire } from "node:module";
import type * as orm from "drizzle-orm";
import type * as pgCore from "drizzle-orm/pg-core";
import type * as pgProxy from "drizzle-orm/pg-proxy";
import type * as sqliteCore from "drizzle-orm/sqlite-core";

// drizzle as CommonJS: Node reads the package's 180 KB package.json again for each of its ES modules, which costs half a
// second at every start; required, the whole of it is there in a tenth of that.
const load = createRequire(import.meta.url);

export const {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  getTableColumns,
  gte,
  inArray,
  is,
  isNull,
  isNotNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} = load("drizzle-orm") as typeof orm;
export const { Param, Placeholder } = load("drizzle-orm") as typeof orm;
export const {
  alias,
  bigint: pgBigint,
  customType,
  doublePrecision,
  integer,
  PgDialect,
  pgTable,
  text,
} = load("drizzle-orm/pg-core") as typeof pgCore;
export const { drizzle } = load("drizzle-orm/pg-proxy") as typeof pgProxy;
export const { SQLiteSyncDialect } = load("drizzle-orm/sqlite-core") as typeof sqliteCore;

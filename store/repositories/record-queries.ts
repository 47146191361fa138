import type { SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { AppError } from "../../chapters/errors.ts";
import type { FieldValue, Where } from "../../chapters/ports/store.ts";
import type { RecordKind } from "../../chapters/record.ts";
import { alias, and, asc, count, desc, eq, exists, gt, inArray, lt, sql } from "../drizzle.ts";
import { fill, placeholders } from "../placeholders.ts";
import { recordFields, records } from "../schema.ts";
import { build, byShape, statement, value } from "../statement.ts";
import { lookupText } from "../text.ts";

const ofKind = and(eq(records.org, value("org")), eq(records.kind, value("kind")));
const byKey = and(ofKind, eq(records.id, value("id")));
const row = {
  org: value<string>("org"),
  kind: value<string>("kind"),
  id: value<string>("id"),
  digest: value<string>("digest"),
  created_at: value<number>("created_at"),
  updated_at: value<number>("updated_at"),
  body: value<string>("body"),
};

/** One document. */
export const selectOne = statement(
  build.select({ id: records.id, body: records.body, digest: records.digest }).from(records).where(byKey),
);

/** Ids, digests and sizes of a kind's documents, by id. */
export const selectHeads = statement(
  build
    .select({
      id: records.id,
      digest: records.digest,
      size: sql<number>`cast(octet_length(${records.body}) as bigint)`.as("size"),
    })
    .from(records)
    .where(and(ofKind, gt(records.id, value("after"))))
    .orderBy(asc(records.id))
    .limit(value("limit")),
);

/** Documents by `id0`, `id1`, …, as many as its size. */
export const selectSome = byShape((size: number) =>
  statement(
    build
      .select({ id: records.id, body: records.body })
      .from(records)
      .where(and(ofKind, inArray(records.id, placeholders("id", size)))),
  ),
);

/** Answers a row when the id was free. */
export const insertNew = statement(
  build.insert(records).values(row).onConflictDoNothing().returning({ id: records.id }),
);

/** Writes the document whether it is there or not. */
export const upsert = statement(
  build
    .insert(records)
    .values(row)
    .onConflictDoUpdate({
      target: [records.org, records.kind, records.id],
      set: { digest: row.digest, updated_at: row.updated_at, body: row.body },
    }),
);

/** Deletes one document; its fields go with it. */
export const deleteOne = statement(build.delete(records).where(byKey));

/** The lookup fields of one document, `field0` and `value0` on. */
export const insertFields = byShape((size: number) =>
  statement(
    build.insert(recordFields).values(
      Array.from({ length: size }, (_, i) => ({
        org: row.org,
        kind: row.kind,
        field: value<string>(`field${i}`),
        value: value<string>(`value${i}`),
        id: row.id,
      })),
    ),
  ),
);

/** Forgets the lookup fields of one document. */
export const deleteFields = statement(
  build
    .delete(recordFields)
    .where(
      and(eq(recordFields.org, value("org")), eq(recordFields.kind, value("kind")), eq(recordFields.id, value("id"))),
    ),
);

/** How many documents of each kind. */
export const countPerKind = statement(
  build
    .select({ kind: records.kind, count: count().as("count") })
    .from(records)
    .where(eq(records.org, value("org")))
    .groupBy(records.kind)
    .orderBy(asc(records.kind)),
);

/** Per field of a `where`, how many values stand for it. */
export type Narrowing = readonly number[];

/**
 * A page of a kind. The first field leads, along its index, which ends in the id; the others are looked up per
 * document. A page by one value takes its ids from that index alone, before any document is read.
 */
export const selectPage = byShape((narrowing: Narrowing, newest: boolean, follows: boolean) => {
  const along = newest ? desc : asc;
  const beyond = newest ? lt : gt;
  const columns = { id: records.id, body: records.body };
  if (narrowing[0] === 1) {
    const { id } = recordFields;
    const page = build
      .select({ id })
      .from(recordFields)
      .where(and(meets(narrowing, id), follows ? beyond(id, value("after")) : undefined))
      .orderBy(along(id))
      .limit(value("limit"))
      .as("page");
    const whole = build.select(columns).from(page);
    return statement(whole.innerJoin(records, and(ofKind, eq(records.id, page.id))).orderBy(along(page.id)));
  }
  const from = build.select(columns).from(records).$dynamic();
  const joined = narrowing.length > 0 ? from.innerJoin(recordFields, eq(recordFields.id, records.id)) : from;
  return statement(
    joined
      .where(and(ofKind, meets(narrowing, records.id), follows ? beyond(records.id, value("after")) : undefined))
      .orderBy(along(records.id))
      .limit(value("limit")),
  );
});

/** How many documents of a kind meet a `where`: no document is read where their lookup fields tell it. */
export const countSome = byShape((narrowing: Narrowing) => {
  const counted = { count: count().as("count") };
  return statement(
    narrowing.length === 0
      ? build.select(counted).from(records).where(ofKind)
      : build.select(counted).from(recordFields).where(meets(narrowing, recordFields.id)),
  );
});

/** That the row of `recordFields` meets the first field, and the document of this id the others. */
function meets(narrowing: Narrowing, id: PgColumn): SQL | undefined {
  return and(
    ...narrowing.map((size, i) => {
      if (i === 0) return matches(recordFields, i, size);
      const other = alias(recordFields, `field_${i}`);
      return exists(
        build
          .select({ id: other.id })
          .from(other)
          .where(and(matches(other, i, size), eq(other.id, id))),
      );
    }),
  );
}

function matches(table: Record<"org" | "kind" | "field" | "value", PgColumn>, i: number, size: number) {
  const any = placeholders(`value${i}_`, size);
  return and(
    eq(table.org, value("org")),
    eq(table.kind, value("kind")),
    eq(table.field, value(`field${i}`)),
    any.length === 1 ? eq(table.value, any[0] ?? "") : inArray(table.value, any),
  );
}

/**
 * Puts what a `where` asks for among the values; undefined when nothing can meet it. A field that the kind does not
 * keep for lookups is a fault of ours.
 */
export function narrow(kind: RecordKind, where: Where | undefined, values: Record<string, string | number>) {
  const narrowing: number[] = [];
  for (const [field, wanted] of Object.entries(where ?? {})) {
    if (!kind.fields.includes(field)) {
      throw new AppError("internal", "A list was narrowed by a field that is not kept for lookups.");
    }
    const any: readonly FieldValue[] = Array.isArray(wanted) ? wanted : [wanted as FieldValue];
    if (any.length === 0) return undefined;
    values[`field${narrowing.length}`] = field;
    narrowing.push(fill(values, `value${narrowing.length}_`, any.map(lookupText)));
  }
  return narrowing;
}

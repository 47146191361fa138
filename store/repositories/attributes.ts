import type { SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page } from "../../chapters/page.ts";
import type {
  AttributeCount,
  AttributePage,
  AttributeRow,
  AttributeSelection,
  Attributes,
  ValuePositions,
} from "../../chapters/ports/store.ts";
import type { Tier } from "../../chapters/tier.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { alias, and, asc, count, eq, gt, gte, inArray, lt, sql } from "../drizzle.ts";
import { atPositions, fill, placeholders } from "../placeholders.ts";
import { attributes } from "../schema.ts";
import { all, build, byShape, one, run, statement, type Values, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const ofEvidence = and(eq(attributes.org, value("org")), eq(attributes.evidence, value("evidence")));
const row = {
  position: attributes.position,
  field: attributes.field,
  value: attributes.value,
  cite: attributes.cite,
  tier: attributes.tier,
  reader: attributes.reader,
};

/** Of readers whose names begin with what `reader` says. */
const byReader = sql`substr(${attributes.reader}, 1, length(${value("reader")})) = ${value("reader")}`;
const written = ["value", "cite", "tier", "reader"] as const;
const upsert = byShape((size: number, some: boolean) =>
  statement(
    build
      .insert(attributes)
      .values(
        Array.from({ length: size }, (_, i) => ({
          org: value<string>("org"),
          evidence: value<string>("evidence"),
          position: value<number>(`position${i}`),
          field: value<string>(`field${i}`),
          value: value<string>(`value${i}`),
          cite: value<string>(`cite${i}`),
          tier: value<Tier>(`tier${i}`),
          reader: value<string>(`reader${i}`),
        })),
      )
      .onConflictDoUpdate({
        target: [attributes.org, attributes.evidence, attributes.position, attributes.field],
        set: Object.fromEntries(written.map((column) => [column, sql`excluded.${sql.identifier(column)}`])),
        ...(some ? { setWhere: byReader } : {}),
      }),
  ),
);
const dropSome = byShape((size: number, some: boolean) => {
  return statement(build.delete(attributes).where(and(atPositions(attributes, size), some ? byReader : undefined)));
});
const selectPage = byShape((follows: boolean, before: boolean) =>
  statement(
    build
      .select(row)
      .from(attributes)
      .where(
        and(
          ofEvidence,
          gte(attributes.position, value("from")),
          before ? lt(attributes.position, value("before")) : undefined,
          follows
            ? sql`(${attributes.position}, ${attributes.field}) > (${value("position")}, ${value("field")})`
            : undefined,
        ),
      )
      .orderBy(asc(attributes.position), asc(attributes.field))
      .limit(value("limit")),
  ),
);
const nextField = statement(
  build
    .select({ field: attributes.field })
    .from(attributes)
    .where(and(ofEvidence, gt(attributes.field, value("after"))))
    .orderBy(asc(attributes.field))
    .limit(1),
);
/** Per field of a selection, how many places its values have. */
export type Narrowing = readonly number[];

const ofField = and(ofEvidence, eq(attributes.field, value("field")));
const byValue = [attributes.value, attributes.tier] as const;
const selectValues = statement(
  build
    .select({ value: attributes.value, tier: attributes.tier, n: count().as("n") })
    .from(attributes)
    .where(ofField)
    .groupBy(...byValue)
    .orderBy(...byValue),
);
/** An intersection, no join: a planner that takes the record for small compares each trace of one value with each of the other. */
const selectPositions = byShape((narrowing: Narrowing) => {
  const each = narrowing.map((size, i) => having(i, size).getSQL());
  return statement(
    build
      .select({ position: sql<number>`found.position`.as("position") })
      .from(sql`(${sql.join(each, sql` intersect `)}) as found`)
      .orderBy(sql`found.position`),
  );
});
// A row a value, not one a trace: reading rows is what takes the time.
const selectPlaces = statement(
  build
    .select({
      value: attributes.value,
      tier: attributes.tier,
      positions: sql<string>`string_agg(cast(${attributes.position} as text), ',')`.as("positions"),
    })
    .from(attributes)
    .where(ofField)
    .groupBy(...byValue)
    .orderBy(...byValue),
);

/** Positions whose `i`th field of a selection has one of its values; of those only that are `among`. */
export function having(i: number, size: number, among?: (position: PgColumn) => SQL | undefined) {
  const other = alias(attributes, `field_${i}`);
  const ofRecord = and(eq(other.org, value("org")), eq(other.evidence, value("evidence")));
  return build
    .select({ position: other.position })
    .from(other)
    .where(and(ofRecord, hasOne(other, i, size), among?.(other.position)));
}

function hasOne(table: Record<"field" | "value", PgColumn>, i: number, size: number): SQL | undefined {
  return and(eq(table.field, value(`field${i}`)), inArray(table.value, placeholders(`value${i}_`, size)));
}

/** Attributes of traces of one org. */
export class AttributeRepository extends OrgRepository implements Attributes {
  async put(evidence: string, rows: readonly AttributeRow[], over?: string): Promise<number> {
    // PostgreSQL refuses an insert that meets its own row; the last one of a field is the one that stays.
    const last = new Map(rows.map((one) => [JSON.stringify([one.position, one.field]), one]));
    const sorted = [...last.values()].sort((a, b) => a.position - b.position || (a.field < b.field ? -1 : 1));
    const { rowsPerInsert } = this.engine;
    const fixed = { org: this.org, evidence, ...(over === undefined ? {} : { reader: over }) };
    return this.engine.write(function* () {
      let changed = 0;
      for (let i = 0; i < sorted.length; i += rowsPerInsert) {
        const some = sorted.slice(i, i + rowsPerInsert);
        const values: Record<string, Values[string]> = { ...fixed };
        for (const [n, one] of some.entries())
          for (const [column, cell] of Object.entries(one)) values[`${column}${n}`] = cell;
        changed += yield* run(upsert(some.length, over !== undefined), values);
      }
      return changed;
    });
  }

  async drop(evidence: string, positions: readonly number[], of?: string): Promise<number> {
    const org = this.org;
    return this.engine.write(function* () {
      let gone = 0;
      for (let i = 0; i < positions.length; i += MOST_AT_ONCE) {
        const values: Record<string, string | number> = { org, evidence, ...(of === undefined ? {} : { reader: of }) };
        const size = fill(values, "position", positions.slice(i, i + MOST_AT_ONCE));
        gone += yield* run(dropSome(size, of !== undefined), values);
      }
      return gone;
    });
  }

  async list(evidence: string, page: AttributePage = {}): Promise<Page<AttributeRow>> {
    const limit = pageLimit(page);
    const [position, field] = cursorKey("attributes", "ns", page) ?? [];
    const { before } = page;
    const values = {
      org: this.org,
      evidence,
      limit: limit + 1,
      // A page goes on where the one before ended; what is before that need not be looked at.
      from: typeof position === "number" ? position : (page.from ?? 0),
      ...(before === undefined ? {} : { before }),
      ...(position === undefined || field === undefined ? {} : { position, field }),
    };
    const rows = await this.engine.read(() => all(selectPage(position !== undefined, before !== undefined), values));
    return pageOf(
      "attributes",
      rows,
      limit,
      (one) => [one.position, one.field],
      (one) => one,
    );
  }

  async fields(evidence: string): Promise<string[]> {
    const org = this.org;
    return this.engine.read(function* () {
      const names: string[] = [];
      // From one name to the next along the index: no row between is read.
      for (;;) {
        const next = yield* one(nextField, { org, evidence, after: names.at(-1) ?? "" });
        if (!next) return names;
        names.push(next.field);
      }
    });
  }

  async values(evidence: string, field: string): Promise<AttributeCount[]> {
    return this.engine.read(() => all(selectValues, { org: this.org, evidence, field }));
  }

  async positions(evidence: string, selection: AttributeSelection): Promise<number[]> {
    const values: Record<string, string | number> = { org: this.org, evidence };
    const narrowing = narrow(selection, values);
    if (narrowing === undefined) return [];
    const rows = await this.engine.read(() => all(selectPositions(named(narrowing)), values));
    return rows.map(({ position }) => position);
  }

  async valuePositions(evidence: string, field: string): Promise<ValuePositions[]> {
    const rows = await this.engine.read(() => all(selectPlaces, { org: this.org, evidence, field }));
    return rows.map(({ positions, ...one }) => ({ ...one, positions: positions.split(",").map(Number) }));
  }
}

/** Most positions that one statement names. */
const MOST_AT_ONCE = 256;

/** Puts a selection among the values; undefined where a field is to have one of no values. */
export function narrow(selection: AttributeSelection, values: Record<string, string | number>): Narrowing | undefined {
  const narrowing: number[] = [];
  for (const [field, wanted] of Object.entries(selection)) {
    if (wanted.length === 0) return undefined;
    values[`field${narrowing.length}`] = field;
    narrowing.push(fill(values, `value${narrowing.length}_`, wanted));
  }
  return narrowing;
}

function named(narrowing: Narrowing): Narrowing {
  if (narrowing.length === 0) throw new Error("a selection of traces names at least one field");
  return narrowing;
}

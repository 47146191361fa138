import { AppError, conflict } from "../../chapters/errors.ts";
import type { Page, PageInput } from "../../chapters/page.ts";
import type { ContentHead, ListOptions, NewTrace, RecordChange, Records, Where } from "../../chapters/ports/store.ts";
import type { Doc, RecordKind } from "../../chapters/record.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { type Checked, checked } from "../document.ts";
import { fill } from "../placeholders.ts";
import { all, one, type Program, run } from "../statement.ts";
import { columnText } from "../text.ts";
import { OrgRepository } from "./org-repository.ts";
import {
  countPerKind,
  countSome,
  deleteFields,
  deleteOne,
  insertFields,
  insertNew,
  narrow,
  selectHeads,
  selectOne,
  selectPage,
  selectSome,
  upsert,
} from "./record-queries.ts";
import { appending } from "./traces.ts";

/** Most ids asked for in one query. */
const MOST_AT_ONCE = 256;

/** Documents of one org. */
export class RecordRepository extends OrgRepository implements Records {
  async get<K extends RecordKind>(kind: K, id: string): Promise<Doc<K> | undefined> {
    const found = await this.raw(kind.kind, id);
    return found && (JSON.parse(found.text) as Doc<K>);
  }

  async getMany<K extends RecordKind>(kind: K, ids: readonly string[]): Promise<Doc<K>[]> {
    const found = new Map<string, Doc<K>>();
    for (let i = 0; i < ids.length; i += MOST_AT_ONCE) {
      const values: Record<string, string | number> = { org: this.org, kind: kind.kind };
      const some = selectSome(fill(values, "id", ids.slice(i, i + MOST_AT_ONCE)));
      for (const { id, body } of await this.engine.read(() => all(some, values))) found.set(id, JSON.parse(body));
    }
    return ids.map((id) => found.get(columnText(id))).filter((doc) => doc !== undefined);
  }

  async insert<K extends RecordKind>(kind: K, doc: Doc<K>): Promise<boolean> {
    const document = checked(kind, doc);
    return this.engine.write(() => insert(this.org, document));
  }

  async put<K extends RecordKind>(kind: K, doc: Doc<K>): Promise<void> {
    const document = checked(kind, doc);
    await this.engine.write(() => put(this.org, document));
  }

  async update<K extends RecordKind>(
    kind: K,
    id: string,
    change: (doc: Doc<K>) => Doc<K>,
  ): Promise<Doc<K> | undefined> {
    const org = this.org;
    return this.engine.write(function* () {
      const stored = yield* one(selectOne, { org, kind: kind.kind, id }, "wait");
      if (!stored) return undefined;
      const document = checked(kind, change(JSON.parse(stored.body) as Doc<K>));
      if (document.row.id !== stored.id) throw new AppError("internal", "A change of a record may not change its id.");
      if (document.row.digest !== stored.digest) yield* put(org, document);
      return document.doc as Doc<K>;
    });
  }

  async delete(kind: RecordKind, id: string): Promise<boolean> {
    const deleted = await this.engine.writeOne(() => run(deleteOne, { org: this.org, kind: kind.kind, id }));
    return deleted > 0;
  }

  async list<K extends RecordKind>(kind: K, options: ListOptions = {}): Promise<Page<Doc<K>>> {
    const limit = pageLimit(options);
    const name = `records.${kind.kind}`;
    const after = cursorKey(name, "s", options)?.[0];
    const values: Record<string, string | number> = { org: this.org, kind: kind.kind, limit: limit + 1 };
    if (after !== undefined) values.after = after;
    const narrowing = narrow(kind, options.where, values);
    if (!narrowing) return { items: [] };
    const page = selectPage(narrowing, options.order !== "oldest", after !== undefined);
    const rows = await this.engine.read(() => all(page, values));
    return pageOf(
      name,
      rows,
      limit,
      (row) => [row.id],
      (row) => JSON.parse(row.body) as Doc<K>,
    );
  }

  async count(kind: RecordKind, where?: Where): Promise<number> {
    const values: Record<string, string | number> = { org: this.org, kind: kind.kind };
    const narrowing = narrow(kind, where, values);
    if (!narrowing) return 0;
    return (await this.engine.read(() => one(countSome(narrowing), values)))?.count ?? 0;
  }

  async apply(changes: readonly RecordChange[], traces: readonly NewTrace[] = []): Promise<void> {
    const applied = applying(this.org, changes);
    const write = appending(this.engine, this.org, traces);
    await this.engine.write(function* () {
      yield* applied();
      yield* write();
    });
  }

  async raw(kind: string, id: string): Promise<{ readonly text: string; readonly digest: string } | undefined> {
    const found = await this.engine.read(() => one(selectOne, { org: this.org, kind, id }));
    return found && { text: found.body, digest: found.digest };
  }

  async heads(kind: string, page?: PageInput): Promise<Page<ContentHead>> {
    const limit = pageLimit(page);
    const after = String(cursorKey("heads", "s", page)?.[0] ?? "");
    const rows = await this.engine.read(() => all(selectHeads, { org: this.org, kind, after, limit: limit + 1 }));
    return pageOf(
      "heads",
      rows,
      limit,
      (row) => [row.id],
      (row) => row,
    );
  }

  async kinds(): Promise<{ readonly kind: string; readonly count: number }[]> {
    return this.engine.read(() => all(countPerKind, { org: this.org }));
  }
}

/** Changes of an org's records as a part of a transaction; each document is checked before it begins. */
export function applying(org: string, changes: readonly RecordChange[]): () => Program<void> {
  // Records are taken in one order by everybody, so that no two applies wait for each other; changes of the same
  // record stay in the order given.
  const steps = changes.map(prepared).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return function* () {
    for (const step of steps) {
      if (step.op === "delete") yield* run(deleteOne, { org, kind: step.kind.kind, id: step.id });
      else if (step.op === "put") yield* put(org, step.document, step.expect);
      else if (!(yield* insert(org, step.document))) {
        throw conflict("A record with this id is there already.");
      }
    }
  };
}

function prepared(change: RecordChange) {
  const id = change.op === "delete" ? change.id : change.doc.id;
  const key = `${change.kind.kind} ${id}`;
  return change.op === "delete" ? { ...change, key } : { ...change, key, document: checked(change.kind, change.doc) };
}

function* insert(org: string, document: Checked): Program<boolean> {
  if ((yield* one(insertNew, { org, ...document.row })) === undefined) return false;
  yield* putFields(org, document);
  return true;
}

function* put(org: string, document: Checked, expect?: string): Program<void> {
  const { kind, id } = document.row;
  if (expect !== undefined) {
    const stored = yield* one(selectOne, { org, kind, id }, "wait");
    if (stored?.digest !== expect) {
      throw conflict("The record was changed since it was read; read it again.");
    }
  }
  yield* run(upsert, { org, ...document.row });
  yield* run(deleteFields, { org, kind, id });
  yield* putFields(org, document);
}

function* putFields(org: string, { row: { kind, id }, fields }: Checked): Program<void> {
  if (fields.length === 0) return;
  const values: Record<string, string> = { org, kind, id };
  for (const [i, field] of fields.entries()) {
    values[`field${i}`] = field.field;
    values[`value${i}`] = field.value;
  }
  yield* run(insertFields(fields.length), values);
}

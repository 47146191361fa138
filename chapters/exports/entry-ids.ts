import { badField } from "../errors.ts";
import { everyRow, type Page, type PageInput } from "../page.ts";
import type { OrgStore } from "../ports/store.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { Run } from "../records/runs/runs.ts";
import { ATTRIBUTE_PLACES, isCopied, joined } from "./entries.ts";

/** The ids of members that are rows of tables of their own, page by page. */
export interface EntryIds {
  readonly kind: string;
  count(store: OrgStore): Promise<number>;
  page(store: OrgStore, page: PageInput): Promise<Page<string>>;
}

type List<T> = (page: PageInput) => Promise<Page<T>>;

/** A page of ids of what stands under each outer row, in the order of both. */
interface Nested<Outer> {
  outer(store: OrgStore): List<Outer>;
  inner(store: OrgStore, outer: Outer): List<string>;
}

/** In the order a copy takes them. */
export function entryIds(): EntryIds[] {
  const evidence = (store: OrgStore) => (page: PageInput) => store.records.heads(Evidence.kind, page);
  return [
    {
      kind: "blob",
      count: (store) => counted((page) => store.blobs.heads(page)),
      page: async (store, page) => idsOf(await store.blobs.heads(page), ({ id }) => id),
    },
    nested("trace", (store, id) => store.traces.count(id), {
      outer: evidence,
      inner:
        (store, { id }) =>
        async (page) =>
          idsOf(await store.traces.heads(id, page), (head) => joined(head.evidence, head.position, head.id)),
    }),
    nested("attributes", (store, id) => counted(attributeParts(store, id)), {
      outer: evidence,
      inner: (store, { id }) => attributeParts(store, id),
    }),
    nested("trial", (store, run) => store.trials.count(run), {
      outer: (store) => (page) => store.records.heads(Run.kind, page),
      inner: (store, run) => async (page) =>
        idsOf(await store.trials.list(run.id, page), (row) => joined(run.id, row.task, row.n, row.attempt)),
    }),
    {
      kind: "job",
      count: async (store) => {
        let n = 0;
        for await (const row of everyRow((page) => store.jobs.list({ ...page, order: "oldest" })))
          n += Number(isCopied(row));
        return n;
      },
      page: async (store, page) => {
        const { items, next } = await store.jobs.list({ ...page, order: "oldest" });
        return { items: items.filter(isCopied).map(({ id }) => id), ...(next === undefined ? {} : { next }) };
      },
    },
  ];
}

/** The parts of a record's attributes that hold one. */
function attributeParts(store: OrgStore, evidence: string): List<string> {
  return async ({ limit = 50, cursor }) => {
    const items: string[] = [];
    for (let from = cursor === undefined ? 0 : Number(cursor); ; from += ATTRIBUTE_PLACES) {
      const head = (await store.traces.heads(evidence, { from, limit: 1 })).items[0];
      if (!head) return { items };
      from = head.position - (head.position % ATTRIBUTE_PLACES);
      if (items.length === limit) return { items, next: String(from) };
      const range = { from, before: from + ATTRIBUTE_PLACES, limit: 1 };
      if ((await store.attributes.list(evidence, range)).items.length > 0)
        items.push(joined(evidence, from / ATTRIBUTE_PLACES));
    }
  };
}

function nested<Outer extends { readonly id: string }>(
  kind: string,
  countOf: (store: OrgStore, outer: string) => Promise<number>,
  of: Nested<Outer>,
): EntryIds {
  return {
    kind,
    count: async (store) => {
      let n = 0;
      for await (const { id } of everyRow(of.outer(store))) n += await countOf(store, id);
      return n;
    },
    page: async (store, { limit = 50, cursor }) => {
      const items: string[] = [];
      let [outer, inner] = cursor === undefined ? [null, null] : cursorParts(cursor);
      for (;;) {
        const at = await of.outer(store)({ limit: 1, ...(outer === null ? {} : { cursor: outer }) });
        const row = at.items[0];
        if (!row) return { items };
        const rest = limit - items.length;
        const page = await of.inner(store, row)({ limit: rest, ...(inner === null ? {} : { cursor: inner }) });
        items.push(...page.items);
        if (page.next !== undefined) inner = page.next;
        else if (at.next === undefined) return { items };
        else [outer, inner] = [at.next, null];
        if (items.length >= limit) return { items, next: cursorOf(outer, inner) };
      }
    },
  };
}

function cursorOf(outer: string | null, inner: string | null): string {
  return Buffer.from(JSON.stringify([outer, inner])).toString("base64url");
}

function cursorParts(cursor: string): [string | null, string | null] {
  try {
    const [outer, inner] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if ([outer, inner].every((part) => part === null || typeof part === "string"))
      return [outer as string | null, inner as string | null];
  } catch {}
  throw badField("cursor", "is not a cursor of this list");
}

async function counted(list: List<unknown>): Promise<number> {
  let n = 0;
  for await (const _ of everyRow(list)) n += 1;
  return n;
}

function idsOf<Row>({ items, next }: Page<Row>, id: (row: Row) => string): Page<string> {
  return { items: items.map(id), ...(next === undefined ? {} : { next }) };
}

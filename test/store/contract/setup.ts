import { afterAll, beforeAll } from "vitest";
import type { OrgStore, ServiceStore } from "../../../chapters/ports/store.ts";
import { newId } from "./notes.ts";

/** What a suite is run on: a store that is empty when opened first and found again when opened anew. */
export interface Subject {
  open(): Promise<ServiceStore>;
  drop(): Promise<void>;
}

/** The store of a suite and new orgs in it. */
export interface Bench {
  readonly store: () => ServiceStore;
  /** A new org's id. */
  readonly org: () => Promise<string>;
  /** A new org's store. */
  readonly orgStore: () => Promise<OrgStore>;
}

/** Opens the subject before the suite's tests and drops it after. */
export function bench(make: () => Promise<Subject>): Bench {
  let subject: Subject;
  let store: ServiceStore;
  beforeAll(async () => {
    subject = await make();
    store = await subject.open();
  });
  afterAll(async () => {
    await store.close();
    await subject.drop();
  });
  const org = async () => {
    const id = newId("org");
    await store.createOrg({ id, tag: id.toLowerCase(), created_at: 1 });
    return id;
  };
  return { store: () => store, org, orgStore: async () => store.forOrg(await org()) };
}

/** All that an iteration gives. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** All items of a list, page by page. */
export async function everyPage<T>(
  list: (page: { limit: number; cursor?: string }) => Promise<{ items: T[]; next?: string }>,
  limit: number,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return items;
}

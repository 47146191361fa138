import type { BaseState } from "../bundle.ts";
import { canonicalJson, sha256 } from "../digest.ts";
import { WorldError } from "../errors.ts";
import { frozenCopy, type JsonObject } from "../json.ts";
import { holdsUnknown, STORED } from "../unknown.ts";
import { SecondaryIndex } from "./index-of-base.ts";
import { compareKeys } from "./keys.ts";
import { masked } from "./unknown-rows.ts";

/** One table of a frozen base. Rows are frozen all the way down. */
export class FrozenTable {
  /** All keys, in row order. */
  readonly keys: readonly string[];
  readonly rows: ReadonlyMap<string, JsonObject>;
  private readonly indexes = new Map<string, SecondaryIndex>();
  /** Whether a row holds something unknown. */
  readonly doubtful: boolean;
  private list: readonly JsonObject[] | undefined;

  constructor(rows: ReadonlyMap<string, JsonObject>) {
    this.rows = rows;
    this.keys = [...rows.keys()];
    this.doubtful = [...rows.values()].some(holdsUnknown);
  }

  /** All rows, in row order: one list, made on first use. */
  allRows(): readonly JsonObject[] {
    this.list ??= Object.freeze([...this.rows.values()]);
    return this.list;
  }

  /** The index over a path of own keys, built on first use and shared by every fork. */
  index(path: readonly string[]): SecondaryIndex {
    const name = canonicalJson(path);
    let index = this.indexes.get(name);
    if (index === undefined) {
      index = new SecondaryIndex(this.rows, path);
      this.indexes.set(name, index);
    }
    return index;
  }
}

const EMPTY = new FrozenTable(new Map());

/** A drawn state that many worlds share: never changed, content-addressed. Make one with `prepareBase`. */
export class FrozenBase {
  readonly tables: ReadonlyMap<string, FrozenTable>;
  /** Whether a row holds something unknown. */
  readonly doubtful: boolean;
  /** Of what sessions it is the start, where it is as they began. */
  readonly recorded: BaseState["recorded"];
  private digest: string | undefined;

  constructor(tables: ReadonlyMap<string, FrozenTable>, recorded?: BaseState["recorded"]) {
    this.tables = tables;
    this.recorded = recorded;
    this.doubtful = [...tables.values()].some((table) => table.doubtful);
  }

  /** SHA-256 of the canonical JSON of all rows by table and key; computed once. */
  get id(): string {
    if (this.digest === undefined) {
      const names = [...this.tables.keys()].sort();
      const parts = names.map((name) => {
        const rows = (this.tables.get(name) as FrozenTable).rows;
        const members = [...rows.keys()].sort().map((key) => {
          const row = rows.get(key) as JsonObject;
          return `${JSON.stringify(key)}:${canonicalJson(row)}`;
        });
        return `${JSON.stringify(name)}:{${members.join(",")}}`;
      });
      this.digest = sha256(`{${parts.join(",")}}`);
    }
    return this.digest;
  }

  /** The table of that name; an empty one when the base has none. */
  table(name: string): FrozenTable {
    return this.tables.get(name) ?? EMPTY;
  }
}

/** A frozen state for any number of worlds, rows in key order (`compareKeys`). Throws `type` on a row that is no JSON object. */
export function prepareBase(base: BaseState): FrozenBase {
  const tables = new Map<string, FrozenTable>();
  for (const [name, source] of Object.entries(base.tables)) {
    const rows = new Map<string, JsonObject>();
    const unknown = new Map(
      ((Object.hasOwn(base.unknown ?? {}, name) && base.unknown?.[name]) || []).flatMap(({ columns, keys }) =>
        keys.map((key) => [key, columns]),
      ),
    );
    for (const key of Object.keys(source).sort(compareKeys)) {
      const row = frozenCopy(source[key], STORED);
      if (row === undefined || row === null || typeof row !== "object" || Array.isArray(row))
        throw new WorldError("type", "a row of the base state is not a JSON object");
      const lacking = unknown.get(key)?.filter((column) => !Object.hasOwn(row, column)) ?? [];
      rows.set(key, lacking.length === 0 ? row : masked(row, lacking));
    }
    tables.set(name, new FrozenTable(rows));
  }
  return new FrozenBase(tables, base.recorded);
}

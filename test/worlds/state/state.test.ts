import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import { prepareBase } from "../../../worlds/state/base.ts";
import { compareKeys } from "../../../worlds/state/keys.ts";
import { readPath, withPath } from "../../../worlds/state/paths.ts";
import { WorldState } from "../../../worlds/state/state.ts";

const base = (): BaseState => ({
  tables: {
    orders: {
      O1: { id: "O1", user: "u1", items: [{ sku: "a", n: 1 }], address: { city: "Rome" } },
      O2: { id: "O2", user: "u2", items: [], address: { city: "Oslo" } },
      O10: { id: "O10", user: "u1", items: [], address: { city: "Rome" } },
    },
    users: { u1: { id: "u1", credit: 5 } },
  },
  drawn: {},
});

type Model = Map<string, Map<string, JsonObject>>;
const model = (): Model =>
  new Map(
    Object.entries(base().tables).map(([name, rows]) => [
      name,
      new Map(Object.entries(rows) as [string, JsonObject][]),
    ]),
  );

const table = fc.constantFrom("orders", "users", "extra");
const key = fc.constantFrom("O1", "O2", "O3", "O10", "u1", "u2");
const row = fc.record(
  { id: key, user: fc.constantFrom("u1", "u2", "u3"), n: fc.integer({ min: 0, max: 2 }) },
  { requiredKeys: ["id"] },
);
const change = fc.oneof(
  fc.record({ op: fc.constant("put" as const), table, key, row }),
  fc.record({
    op: fc.constant("restore" as const),
    table: fc.constant("orders"),
    key: fc.constantFrom("O1", "O2", "O10"),
  }),
  fc.record({ op: fc.constant("delete" as const), table, key }),
);
const call = fc.record({ kept: fc.boolean(), changes: fc.array(change, { maxLength: 5 }) });

describe("world state", () => {
  it("behaves as plain maps do, whatever is kept and rolled back", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
        const state = new WorldState(prepareBase(base()));
        let plain = model();
        for (const { kept, changes } of calls) {
          const before = structuredClone(plain);
          state.begin();
          for (const made of changes) {
            if (made.op === "delete") {
              state.delete(made.table, made.key);
              plain.get(made.table)?.delete(made.key);
              continue;
            }
            const value = structuredClone(
              made.op === "put" ? made.row : (model().get("orders")?.get(made.key) as JsonObject),
            );
            state.put(made.table, made.key, value as JsonObject);
            if (!plain.has(made.table)) plain.set(made.table, new Map());
            plain.get(made.table)?.set(made.key, structuredClone(value) as JsonObject);
          }
          if (kept) {
            const net = state.commit();
            for (const { table: name, key: at, before: was, after } of net) {
              expect(was).toEqual(before.get(name)?.get(at));
              expect(after).toEqual(plain.get(name)?.get(at));
              expect(was).not.toEqual(after);
            }
          } else {
            state.rollback();
            plain = before;
          }
          for (const name of ["orders", "users", "extra"]) {
            const rows = [...(plain.get(name) ?? [])].sort(([a], [b]) => compareKeys(a, b));
            expect([...state.entries(name)]).toEqual(rows);
            expect(state.rows(name)).toEqual(rows.map(([, value]) => value));
            for (const user of ["u1", "u2", null])
              expect(state.find(name, ["user"], user)).toEqual(
                rows.filter(([, value]) => (value.user ?? null) === user).map(([at]) => at),
              );
            expect(state.find(name, ["address", "city"], "Rome")).toEqual(
              rows.filter(([, value]) => readPath(value, ["address", "city"]) === "Rome").map(([at]) => at),
            );
          }
          const drawn = model();
          const names = [...new Set([...plain.keys(), ...drawn.keys()])];
          const expected = names.flatMap((name) =>
            [...new Set([...(plain.get(name)?.keys() ?? []), ...(drawn.get(name)?.keys() ?? [])])]
              .filter((at) => JSON.stringify(plain.get(name)?.get(at)) !== JSON.stringify(drawn.get(name)?.get(at)))
              .map((at) => `${name} ${at}`),
          );
          expect(state.diff().map((entry) => `${entry.table} ${entry.key}`)).toEqual(expected.sort());
        }
      }),
      { numRuns: 400 },
    );
  });

  it("has one digest per content, however it came about", () => {
    const shared = prepareBase(base());
    const [a, b] = [new WorldState(shared), new WorldState(prepareBase(base()))];
    expect(a.digest()).toBe(b.digest());
    a.put("orders", "O3", { id: "O3", user: "u9" });
    a.put("users", "u1", { id: "u1", credit: 6 });
    const changed = a.digest();
    expect(changed).not.toBe(b.digest());
    b.put("users", "u1", { credit: 7, id: "u1" });
    b.put("users", "u1", { credit: 6, id: "u1" });
    b.put("orders", "O3", { user: "u9", id: "O3" });
    expect(b.digest()).toBe(changed);
    b.delete("orders", "O3");
    b.put("users", "u1", { credit: 5, id: "u1" });
    expect(b.diff()).toEqual([]);
    expect(b.digest()).toBe(new WorldState(shared).digest());
    a.reset();
    expect(a.digest()).toBe(b.digest());
  });

  it("gives the base the same id whatever the order of its keys, and another for other rows", () => {
    const turned: BaseState = {
      tables: Object.fromEntries(
        Object.entries(base().tables)
          .reverse()
          .map(([name, rows]) => [name, Object.fromEntries(Object.entries(rows).reverse())]),
      ),
      drawn: { orders: ["O1"] },
    };
    expect(prepareBase(turned).id).toBe(prepareBase(base()).id);
    const other = base();
    (other.tables.users as Record<string, JsonObject>).u1 = { id: "u1", credit: 6 };
    expect(prepareBase(other).id).not.toBe(prepareBase(base()).id);
  });

  it("keeps base rows out of reach: of the caller's source, and of whoever holds a row", () => {
    const source = base();
    const state = new WorldState(prepareBase(source));
    const before = state.digest();
    (source.tables.orders as Record<string, JsonObject>).O1 = { id: "other" };
    const row1 = state.get("orders", "O1") as JsonObject;
    expect(row1.user).toBe("u1");
    expect(() => {
      row1.user = "u2";
    }).toThrow(TypeError);
    expect(() => (row1.items as Json[]).push(1)).toThrow(TypeError);
    expect(() => {
      (row1.address as JsonObject).city = "Bonn";
    }).toThrow(TypeError);
    state.put("orders", "O1", { ...row1, user: "u3" });
    expect(() => {
      (state.get("orders", "O1") as JsonObject).user = "u4";
    }).toThrow(TypeError);
    state.reset();
    expect(state.digest()).toBe(before);
  });

  it("treats prototype names as plain fields and keys", () => {
    const rows = JSON.parse('{"__proto__": {"id": "__proto__", "constructor": 1, "__proto__": {"x": 2}}}') as Record<
      string,
      JsonObject
    >;
    const state = new WorldState(prepareBase({ tables: { t: rows }, drawn: {} }));
    expect(readPath(state.get("t", "__proto__"), ["__proto__", "x"])).toBe(2);
    expect(readPath(state.get("t", "__proto__"), ["toString"])).toBeUndefined();
    const changed = withPath({ a: 1 }, ["__proto__", "polluted"], true) as JsonObject;
    expect(Object.hasOwn(changed, "__proto__")).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("applies stored changes only where they start from this state", () => {
    const state = new WorldState(prepareBase(base()));
    state.apply([{ table: "users", key: "u1", before: { credit: 5, id: "u1" }, after: { id: "u1", credit: 9 } }]);
    expect(state.get("users", "u1")).toEqual({ id: "u1", credit: 9 });
    expect(() => state.apply([{ table: "users", key: "u1", before: { id: "u1", credit: 5 } }])).toThrow(
      "does not start",
    );
  });

  it("serves after a rebuild the very text it served before, also where a call only put a row's fields in another order", () => {
    const rows = prepareBase({ tables: { t: { a: { id: "a", x: 1, y: 2 }, b: { id: "b", x: 1 } } }, drawn: {} });
    for (const also of [undefined, "b"]) {
      const live = new WorldState(rows);
      live.begin();
      live.put("t", "a", { y: 2, id: "a", x: 1 });
      if (also) live.put("t", also, { id: also, x: 7 });
      const changes = live.commit();
      expect(changes.map(({ key }) => key)).toEqual(also ? [also] : []);
      const rebuilt = new WorldState(rows);
      rebuilt.apply(changes);
      expect(JSON.stringify(live.rows("t"))).toBe(JSON.stringify(rebuilt.rows("t")));
    }
  });
});

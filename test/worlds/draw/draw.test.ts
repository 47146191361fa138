import { describe, expect, it } from "vitest";
import { BaseState } from "../../../worlds/bundle.ts";
import { rewrite } from "../../../worlds/draw/identity.ts";
import { audit, draw } from "../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { skeleton } from "../../../worlds/tasks/leaves.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const drawn = draw(shop, shopRows, { seed: "1", augment: true });
const added = (table: string) => drawn.drawn[table] ?? [];

describe("drawing", () => {
  it("gives the observed rows and nothing else without augment", () => {
    const plain = draw(shop, shopRows, { seed: "1" });
    expect(plain.tables).toEqual(shopRows.tables);
    expect(plain.drawn).toEqual({});
  });
  it("gives the same bytes for the same seed, whatever the order of rows, and others for another", () => {
    const turned: BaseState = {
      tables: Object.fromEntries(
        Object.entries(shopRows.tables)
          .reverse()
          .map(([t, rows]) => [t, Object.fromEntries(Object.entries(rows).reverse())]),
      ),
      drawn: {},
    };
    expect(JSON.stringify(draw(shop, shopRows, { seed: "1", augment: true }))).toBe(JSON.stringify(drawn));
    expect(JSON.stringify(draw(shop, turned, { seed: "1", augment: true }))).toBe(JSON.stringify(drawn));
    expect(JSON.stringify(draw(shop, shopRows, { seed: "2", augment: true }))).not.toBe(JSON.stringify(drawn));
  });
  it("keeps every observed row and names every added one", () => {
    expect(BaseState.parse(drawn)).toEqual(drawn);
    for (const [table, rows] of Object.entries(shopRows.tables)) {
      for (const [key, row] of Object.entries(rows)) expect(drawn.tables[table]?.[key]).toEqual(row);
      const extra = Object.keys(drawn.tables[table] ?? {}).filter((key) => !(key in rows));
      expect(extra.sort()).toEqual([...added(table)].sort());
    }
    expect(added("orders").length).toBeGreaterThan(10);
  });
  it("draws keys of the observed form, joins that hold and totals that add up", () => {
    const forms = new Set(Object.keys(shopRows.tables.orders ?? {}).map(skeleton));
    for (const key of added("orders")) {
      const row = drawn.tables.orders?.[key] as {
        order_id: string;
        customer_id: string;
        total: number;
        placed_on: string;
        items: { price: number; quantity: number; product_id: string }[];
      };
      expect(forms).toContain(skeleton(key));
      expect(row.order_id).toBe(key);
      expect(drawn.tables.customers).toHaveProperty([row.customer_id]);
      expect(row.items.reduce((s, i) => s + i.price * i.quantity, 0)).toBeCloseTo(row.total, 2);
      expect(row.placed_on >= "2025-01-01" && row.placed_on <= "2025-06-30").toBe(true);
      for (const item of row.items) expect(drawn.tables.products).toHaveProperty([item.product_id]);
    }
  });
  it("is bounded by size", () =>
    expect(draw(shop, shopRows, { seed: "1", augment: true, size: 3 }).drawn.orders).toHaveLength(3));

  it("draws owners with their parts under new names, each naming the other", () => {
    const tables: BaseState["tables"] = { owners: {}, things: {} };
    for (let i = 0; i < 12; i += 1) {
      const id = `kim_roe_${100 + i}`;
      (tables.owners ?? {})[id] = {
        id,
        name: { first_name: ["Kim", "Ada", "Lou"][i % 3], last_name: ["Roe", "Fox"][i % 2] },
        things: [`T${200 + 2 * i}`, `T${201 + 2 * i}`],
        email: `kim.roe${i}@x.test`,
      };
      for (const k of [200 + 2 * i, 201 + 2 * i]) (tables.things ?? {})[`T${k}`] = { id: `T${k}`, owner: id };
    }
    const bundle = { ...shop, tables: [] };
    const more = draw(bundle, { tables, drawn: {} }, { seed: "x", augment: true, size: 4 });
    expect(more.drawn.owners).toHaveLength(4);
    expect(more.drawn.things).toHaveLength(8);
    for (const key of more.drawn.owners ?? []) {
      const row = more.tables.owners?.[key] as { id: string; things: string[] };
      expect(row.id).toBe(key);
      for (const thing of row.things) expect(more.tables.things?.[thing]).toMatchObject({ id: thing, owner: key });
    }
    expect(audit(bundle, more).contradictions).toEqual([]);
  });
});

describe("audit", () => {
  it("finds nothing in what was drawn, and says what it held it to", () => {
    const report = audit(shop, drawn);
    expect(report.contradictions).toEqual([]);
    expect(report.rules).toMatchObject({ joins: 2, totals: 1 });
    expect(report.drawn).toBe(Object.values(drawn.drawn).flat().length);
  });
  const spoil = (change: (row: Record<string, unknown>) => Record<string, unknown>) => {
    const [key] = added("orders");
    const rows = drawn.tables.orders ?? {};
    return audit(shop, {
      ...drawn,
      tables: { ...drawn.tables, orders: { ...rows, [key as string]: change(rows[key as string] ?? {}) } },
    });
  };
  it("finds a broken join", () =>
    expect(spoil((row) => ({ ...row, customer_id: "nobody_1" })).contradictions).toMatchObject([
      { kind: "join", table: "orders" },
    ]));
  it("finds a total that does not add up", () =>
    expect(spoil((row) => ({ ...row, total: 1.23 })).contradictions).toMatchObject([
      { kind: "total", table: "orders" },
    ]));
  it("finds dates out of order", () => {
    const rows = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [
        `A${i}`,
        { id: `A${i}`, from: `2024-01-0${i + 1}`, to: `2024-02-0${i + 1}` },
      ]),
    );
    const base: BaseState = {
      tables: { stays: { ...rows, A9: { id: "A9", from: "2024-03-01", to: "2024-02-01" } } },
      drawn: { stays: ["A9"] },
    };
    expect(audit({ ...shop, tables: [] }, base).contradictions).toMatchObject([
      { kind: "dates", table: "stays", key: "A9" },
    ]);
  });
  it("flags what looks made up", () => {
    const [first] = Object.values(shopRows.tables.products ?? {});
    const base: BaseState = {
      tables: {
        ...shopRows.tables,
        products: {
          ...shopRows.tables.products,
          "x-y-z": { ...first, product_id: "x-y-z" },
          "P-9999": { product_id: "P-9999", name: "Gold Bar", price: 99_999, stock: 1 },
        },
      },
      drawn: { products: ["P-9999", "x-y-z"] },
    };
    expect(
      audit(shop, base)
        .flags.map((f) => [f.kind, f.key])
        .sort(),
    ).toEqual([
      ["duplicate", "x-y-z"],
      ["format", "x-y-z"],
      ["range", "P-9999"],
    ]);
  });
});

describe("rewriting a row", () => {
  it("keeps lists of lists, nulls and fields of any name as they stand", () => {
    const row = JSON.parse('{"grid": [[1, 2], [], [3, null]], "__proto__": {"id": "x"}, "none": null}') as JsonObject;
    const made = rewrite(row, (value) => value);
    expect(JSON.stringify(made)).toBe(JSON.stringify(row));
  });
  it("leaves out the elements that are given as undefined", () => {
    expect(rewrite({ ids: ["a", "b"] }, (value) => (value === "a" ? undefined : value))).toEqual({ ids: ["b"] });
  });
});

describe("what tells rows apart in a system that numbers them", () => {
  const texts = ["ada paints", "bo sings", "cy runs far", "di cooks", "ed swims", "flo reads", "gus rows", "hal digs"];
  const numbered: BaseState = {
    tables: {
      posts: Object.fromEntries(
        texts.map((text, i) => [`${i + 11}`, { post_id: i + 11, author: text.split(" ")[0]!, text, made_as: i }]),
      ),
      find_posts_asked: Object.fromEntries(texts.map((text, i) => [`${i}`, { n: `${i}`, a0: text, place: i }])),
    },
    drawn: {},
  };
  const bundle = {
    ...shop,
    tools: [{ name: "find_posts", inputSchema: { type: "object" as const } }],
    tables: [
      { name: "posts", key: ["post_id"], columns: [] },
      { name: "find_posts_asked", key: ["n"], columns: [] },
    ],
  };
  const made = draw(bundle, numbered, { seed: "1", augment: true, size: 4 });

  it("a drawn row has a number and a place of its own", () => {
    const keys = made.drawn.posts ?? [];
    expect(keys.length).toBeGreaterThan(0);
    const rows = keys.map((key) => made.tables.posts?.[key] as JsonObject);
    expect(rows.map((row) => String(row.post_id))).toEqual(keys);
    const places = Object.values(made.tables.posts ?? {}).map((row) => row.made_as);
    expect(new Set(places).size).toBe(places.length);
  });

  it("what sessions asked is no row to draw", () => {
    expect(made.drawn.find_posts_asked).toBeUndefined();
  });

  it("the audit sees a drawn row that bears an observed one's number", () => {
    const [key = ""] = made.drawn.posts ?? [];
    const row = { ...made.tables.posts?.[key], post_id: 12 };
    const copied = { ...made, tables: { ...made.tables, posts: { ...made.tables.posts, [key]: row } } };
    expect(
      audit(bundle, made).flags.filter(({ kind, detail }) => kind === "duplicate" || /made_as/.test(detail)),
    ).toEqual([]);
    expect(audit(bundle, copied).flags).toContainEqual(
      expect.objectContaining({ kind: "duplicate", key, detail: "post_id names an observed row (12)" }),
    );
  });
});

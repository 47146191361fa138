import { expect, test } from "vitest";
import { initialRows } from "../../../../worlds/compile/collections/rows.ts";
import { observe } from "../../../../worlds/compile/observations.ts";

test("a system's own column of an order's number is left as it was observed", () => {
  const parcels = [
    { parcel_id: "p2", order_no: "A-7" },
    { parcel_id: "p1", order_no: "A-9" },
  ];
  const calls = [{ tool: "list_parcels", args: {}, result: JSON.stringify(parcels), isError: false }];
  const sessions = observe([{ id: "t", calls }]);
  const columns = ["parcel_id", "order_no"];
  const table = { name: "parcels", columns, key: ["parcel_id"], texts: columns, lists: [], refers: new Map() };
  const reader = { tool: "list_parcels", fields: [{ field: "", table: "parcels" }], calls: sessions[0]!.calls };
  const { parcels: rows } = initialRows(sessions, [table], [reader]);
  expect(rows).toMatchObject({ p1: { order_no: "A-9" }, p2: { order_no: "A-7" } });
});

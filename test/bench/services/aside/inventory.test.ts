import { expect, test } from "vitest";
import { inventory } from "../../../../bench/services/aside/inventory.ts";
import type { Args } from "../../../../bench/services/service.ts";
import { start } from "../kit.ts";

/** A started inventory with one location and its id. */
function house() {
  const { ask, refusal } = start(inventory);
  const text = (tool: string, args: Args = {}) => String(ask(tool, args));
  const place = (name: string, parent_id?: string) =>
    /ID: `(\w+)`/.exec(text("create_location", { name, ...(parent_id ? { parent_id } : {}) }))?.[1] ?? "";
  const add = (args: Args) => /Asset ID\*\*: (\S+)/.exec(text("add_item", args))?.[1] ?? "";
  return { text, refusal, place, add, room: place("Loft") };
}

test("an item is listed where it is, counted and found by its label", () => {
  const { text, place, add, room } = house();
  const box = place("Crate", room);
  const asset_id = add({ name: "Lantern", location_id: box, labels: ["Light"], value: 12.5, quantity: 2 });
  expect(text("list_locations")).toContain(`- **Loft** (\`${room}\`) – 0 items\n  - **Crate** (\`${box}\`) – 1 item`);
  expect(text("get_location", { location_id: box })).toBe(
    `# Loft › Crate\n\nID: \`${box}\`\n\n## Items (1)\n\n| Asset ID | Name | Qty | Labels |\n|---|---|---:|---|\n| ${asset_id} | Lantern | 2 | light |\n\nTotal value: $25.00`,
  );
  expect(text("search_items", { label: "light", location_id: room })).toBe(
    `Found 1 item labelled "light" in Loft:\n\n- **Lantern** (${asset_id}) × 2\n  Loft › Crate`,
  );
  text("move_item", { asset_id, location_id: room });
  expect(text("search_items", { label: "light", location_id: box })).toBe('No items found labelled "light" in Crate.');
  expect(text("inventory_stats")).toContain("| Loft | 1 | $25.00 |");
});

test("pieces are taken away as far as there are some, with a warning below the minimum", () => {
  const { text, refusal, add, room } = house();
  const asset_id = add({ name: "Fuse", location_id: room, quantity: 5, min_quantity: 3 });
  expect(text("adjust_quantity", { asset_id, change: -3 })).toBe(
    `**Fuse** (${asset_id}): 5 → 2\n\n⚠️ Low stock: the minimum is 3.`,
  );
  expect(refusal("adjust_quantity", { asset_id, change: -3 })).toBe("Error: Cannot take 3 of Fuse: only 2 in stock.");
  expect(text("inventory_stats")).toContain("- Fuse: 2 of 3");
});

test("an update names what it changed, and a location is deleted only when empty", () => {
  const { text, refusal, add, room } = house();
  const asset_id = add({ name: "Rug", location_id: room, value: 40 });
  expect(text("update_item", { asset_id, value: 55, notes: "washed" })).toBe(
    `Updated **Rug** (${asset_id}):\n- value: $40.00 → $55.00\n- notes added`,
  );
  expect(text("update_item", { asset_id, value: 55 })).toBe(`No changes to **Rug** (${asset_id}).`);
  expect(refusal("delete_location", { location_id: room })).toBe("Error: Loft is not empty (1 item, 0 locations).");
  text("delete_item", { asset_id });
  expect(text("delete_location", { location_id: room })).toBe("Deleted location **Loft**.");
  expect(refusal("get_item", { asset_id })).toBe(`Error: No item with asset ID ${asset_id}.`);
});

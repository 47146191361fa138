import type { Random } from "../random.ts";
import { type Args, call, cents, type InventedService, num, type Plan, Refusal, str, tool } from "../service.ts";

type Place = { readonly id: string; readonly name: string; readonly parent?: string };
type Item = Record<"name" | "place" | "notes" | "updated", string> &
  Record<"quantity" | "minimum" | "value", number> & { readonly asset: string; labels: string[] };
/** Name, labels, value of one, usual quantity, minimum. */
const THINGS: readonly (readonly [string, string[], number, number, number])[] = [
  ["Cordless drill", ["tools", "power"], 89.9, 1, 0],
  ["Circular saw", ["tools", "power"], 124, 1, 0],
  ["Extension cord", ["electrical"], 14.99, 3, 0],
  ["AA batteries", ["electrical", "consumables"], 0.6, 16, 8],
  ["Wood screws 4x40", ["consumables"], 0.05, 200, 50],
  ["Dishwasher tablets", ["consumables", "kitchen"], 0.22, 40, 20],
  ["Stand mixer", ["kitchen", "power"], 349, 1, 0],
  ["Preserving jars", ["kitchen"], 1.8, 24, 0],
  ["Two-person tent", ["camping"], 179.95, 1, 0],
  ["Sleeping bag", ["camping"], 64.5, 2, 0],
  ["Gas cartridge", ["camping", "consumables"], 7.9, 3, 2],
  ["Film camera", ["electronics"], 235, 1, 0],
];
const LABELS = ["tools", "power", "electrical", "consumables", "kitchen", "camping", "electronics"];
const ROOMS = ["Garage", "Kitchen", "Attic", "Cellar", "Office", "Garden shed"];
const CORNERS = ["Top shelf", "Blue box", "Drawer 2", "Workbench"];

const assetOf = (n: number) => `000-${String(n).padStart(3, "0")}`;
const money = (value: number) => `$${value.toFixed(2)}`;
const counted = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
const dayOf = (random: Random, year: number) =>
  `${year}-${String(random.between(1, 12)).padStart(2, "0")}-${String(random.between(1, 28)).padStart(2, "0")}`;
const labelled = (labels: unknown) => ((labels ?? []) as unknown[]).map((one) => str(one).toLowerCase());
/** What an agent reads off a text: the first group of each match. */
const read = (answer: unknown, pattern: RegExp): string[] =>
  typeof answer === "string" ? [...answer.matchAll(pattern)].map(([, group]) => str(group)) : [];

/** A household's inventory behind a server that answers Markdown alone: nested locations, items, labels. */
export const inventory: InventedService = {
  name: "inventory",
  form: "mcp",
  refusals: "text",
  tools: [
    tool("list_locations", "List all locations as a tree, with the number of items in each."),
    tool("create_location", "Create a location.", { name: "string", parent_id: "string? the location around it" }),
    tool("get_location", "Get a location with the items stored in it.", { location_id: "string" }),
    tool("delete_location", "Delete a location. It must be empty.", { location_id: "string" }),
    tool("add_item", "Add an item to the inventory.", {
      name: "string",
      location_id: "string",
      quantity: "integer? 1 by default",
      labels: "list?",
      value: "number? what one piece is worth",
      min_quantity: "integer? warn below this",
      notes: "string?",
    }),
    tool("get_item", "Get the details of an item.", { asset_id: "string such as 000-012" }),
    tool("update_item", "Change an item.", { asset_id: "string", labels: "list?", value: "number?", notes: "string?" }),
    tool("adjust_quantity", "Add pieces to an item or take some away.", { asset_id: "string", change: "integer" }),
    tool("move_item", "Move an item to another location.", { asset_id: "string", location_id: "string" }),
    tool("delete_item", "Delete an item for good.", { asset_id: "string" }),
    tool("search_items", "Search items; without arguments all are listed.", {
      query: "string? part of the name or the notes",
      label: "string?",
      location_id: "string? with all locations inside it",
      page: "integer? 1 by default",
    }),
    tool("inventory_stats", "Totals of the whole inventory."),
  ],
  start(task, session) {
    const places: Place[] = [];
    const items: Item[] = [];
    const today = dayOf(session, 2026);
    let last = 0;
    if (task.chance(0.65)) {
      for (const name of task.some(ROOMS, task.between(1, 3))) places.push({ id: task.hex(6), name });
      if (task.chance(0.5)) places.push({ id: task.hex(6), name: task.pick(CORNERS), parent: task.pick(places).id });
      for (const [name, labels, value, usual, minimum] of task.some(THINGS, task.between(2, 6))) {
        last += task.chance(0.2) ? 2 : 1;
        const row = { name, labels, value, quantity: Math.max(1, usual - task.between(0, 3)), minimum };
        items.push({
          asset: assetOf(last),
          ...row,
          place: task.pick(places).id,
          notes: "",
          updated: dayOf(task, 2025),
        });
      }
    }
    const placeOf = (id: unknown) => {
      const found = places.find((one) => one.id === id);
      if (!found)
        throw new Refusal(`Error: Location '${id}' not found. Use list_locations to see available locations.`);
      return found;
    };
    const itemOf = (id: unknown) => {
      const found = items.find((one) => one.asset === id);
      if (!found) throw new Refusal(`Error: No item with asset ID ${id}.`);
      return found;
    };
    const pathOf = (place: Place): string =>
      place.parent === undefined ? place.name : `${pathOf(placeOf(place.parent))} › ${place.name}`;
    const within = (place: Place, id: unknown): boolean =>
      place.id === id || (place.parent !== undefined && within(placeOf(place.parent), id));
    const inside = (id: string) => items.filter(({ place }) => place === id).sort(byName);
    const byName = (a: Item | Place, b: Item | Place) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const worth = (rows: readonly Item[]) => cents(rows.reduce((sum, one) => sum + one.value * one.quantity, 0));
    const whole = (value: unknown, low: number, name: string) => {
      if (!Number.isInteger(value) || num(value) < low)
        throw new Refusal(`Error: ${name} must be a whole number of at least ${low}.`);
      return num(value);
    };
    const warning = ({ quantity, minimum }: Item) =>
      quantity < minimum ? `\n\n⚠️ Low stock: the minimum is ${minimum}.` : "";
    const detail = (one: Item) =>
      [
        `- **Asset ID**: ${one.asset}`,
        `- **Location**: ${pathOf(placeOf(one.place))} (\`${one.place}\`)`,
        `- **Quantity**: ${one.quantity}${one.minimum > 0 ? ` (minimum ${one.minimum})` : ""}`,
        `- **Labels**: ${one.labels.length > 0 ? one.labels.join(", ") : "none"}`,
        ...(one.value > 0 ? [`- **Value**: ${money(one.value)}${one.quantity > 1 ? " each" : ""}`] : []),
        `- **Updated**: ${one.updated}`,
        ...(one.notes ? ["", `> ${one.notes}`] : []),
      ].join("\n");
    const branch = (parent: string | undefined, depth: number): string[] =>
      places
        .filter((one) => one.parent === parent)
        .sort(byName)
        .flatMap((one) => [
          `${"  ".repeat(depth)}- **${one.name}** (\`${one.id}\`) – ${counted(inside(one.id).length, "item")}`,
          ...branch(one.id, depth + 1),
        ]);
    const handlers = {
      list_locations: () =>
        places.length === 0
          ? "No locations yet. Create one with create_location."
          : `# Locations (${places.length})\n\n${branch(undefined, 0).join("\n")}`,
      create_location: ({ name, parent_id }: Args) => {
        const above = parent_id === undefined ? undefined : placeOf(parent_id);
        if (places.some((one) => one.name === name && one.parent === above?.id))
          throw new Refusal(`Error: There is already a location named '${name}'${above ? ` in ${above.name}` : ""}.`);
        const made = { id: session.hex(6), name: str(name), ...(above ? { parent: above.id } : {}) };
        places.push(made);
        return `Created location **${name}** (ID: \`${made.id}\`)${above ? ` inside **${above.name}**` : ""}.`;
      },
      get_location: ({ location_id }: Args) => {
        const place = placeOf(location_id);
        const [rows, below] = [inside(place.id), places.filter(({ parent }) => parent === place.id).sort(byName)];
        const lines = [`# ${pathOf(place)}`, "", `ID: \`${place.id}\``];
        if (below.length > 0) lines.push("", `**Contains**: ${below.map(({ name }) => name).join(", ")}`);
        lines.push("", `## Items (${rows.length})`, "");
        if (rows.length === 0) return [...lines, "_Nothing is stored here._"].join("\n");
        lines.push("| Asset ID | Name | Qty | Labels |", "|---|---|---:|---|");
        for (const { asset, name, quantity, labels } of rows)
          lines.push(`| ${asset} | ${name} | ${quantity} | ${labels.join(", ") || "–"} |`);
        return [...lines, "", `Total value: ${money(worth(rows))}`].join("\n");
      },
      delete_location: ({ location_id }: Args) => {
        const place = placeOf(location_id);
        const [rows, below] = [inside(place.id).length, places.filter(({ parent }) => parent === place.id).length];
        if (rows + below > 0)
          throw new Refusal(
            `Error: ${place.name} is not empty (${counted(rows, "item")}, ${counted(below, "location")}).`,
          );
        places.splice(places.indexOf(place), 1);
        return `Deleted location **${place.name}**.`;
      },
      add_item: ({ name, location_id, quantity, labels, value, min_quantity, notes }: Args) => {
        const place = placeOf(location_id);
        const minimum = whole(min_quantity ?? 0, 0, "min_quantity");
        const amounts = { quantity: whole(quantity ?? 1, 1, "quantity"), minimum, value: cents(num(value)) };
        const said = { name: str(name), labels: labelled(labels), notes: str(notes) };
        last += 1;
        const made: Item = { asset: assetOf(last), place: place.id, ...amounts, ...said, updated: today };
        items.push(made);
        return `Added **${made.name}** to ${pathOf(place)}.\n\n${detail(made)}${warning(made)}`;
      },
      get_item: ({ asset_id }: Args) => {
        const one = itemOf(asset_id);
        return `# ${one.name}\n\n${detail(one)}${warning(one)}`;
      },
      update_item: ({ asset_id, labels, value, notes }: Args) => {
        const [one, changes]: [Item, string[]] = [itemOf(asset_id), []];
        if (value !== undefined && one.value !== cents(num(value)))
          changes.push(`- value: ${money(one.value)} → ${money(num(value))}`);
        one.value = cents(num(value, one.value));
        if (labels !== undefined) changes.push(`- labels: ${labelled(labels).join(", ") || "none"}`);
        one.labels = labels === undefined ? one.labels : labelled(labels);
        if (notes !== undefined && notes !== one.notes) changes.push(`- notes ${one.notes ? "replaced" : "added"}`);
        one.notes = str(notes, one.notes);
        if (changes.length === 0) return `No changes to **${one.name}** (${one.asset}).`;
        one.updated = today;
        return `Updated **${one.name}** (${one.asset}):\n${changes.join("\n")}`;
      },
      adjust_quantity: ({ asset_id, change }: Args) => {
        const [one, before] = [itemOf(asset_id), itemOf(asset_id).quantity];
        if (before + num(change) < 0)
          throw new Refusal(`Error: Cannot take ${-num(change)} of ${one.name}: only ${before} in stock.`);
        Object.assign(one, { quantity: before + num(change), updated: today });
        return `**${one.name}** (${one.asset}): ${before} → ${one.quantity}${warning(one)}`;
      },
      move_item: ({ asset_id, location_id }: Args) => {
        const [one, to] = [itemOf(asset_id), placeOf(location_id)];
        if (one.place === to.id) return `**${one.name}** is already in ${pathOf(to)}.`;
        const from = pathOf(placeOf(one.place));
        Object.assign(one, { place: to.id, updated: today });
        return `Moved **${one.name}** (${one.asset}) from ${from} to ${pathOf(to)}.`;
      },
      delete_item: ({ asset_id }: Args) => {
        const [one] = items.splice(items.indexOf(itemOf(asset_id)), 1) as [Item];
        return `Deleted **${one.name}** (${one.asset}). ${counted(items.length, "item")} left.`;
      },
      search_items: ({ query, label, location_id, page }: Args) => {
        const area = location_id === undefined ? undefined : placeOf(location_id);
        const word = str(query).toLowerCase();
        const at = whole(page ?? 1, 1, "page");
        const rows = items.filter(
          (one) =>
            `${one.name}\n${one.notes}`.toLowerCase().includes(word) &&
            (label === undefined || one.labels.includes(str(label))) &&
            (area === undefined || within(placeOf(one.place), area.id)),
        );
        const asked = `${word ? ` matching "${query}"` : ""}${label === undefined ? "" : ` labelled "${label}"`}`;
        const shown = rows.sort(byName).slice((at - 1) * 5, at * 5);
        if (shown.length === 0) return `No items found${asked}${area ? ` in ${area.name}` : ""}.`;
        const line = (one: Item) =>
          `- **${one.name}** (${one.asset}) × ${one.quantity}\n  ${pathOf(placeOf(one.place))}`;
        const more = rows.length > at * 5 ? `\n\n_${rows.length - at * 5} more on page ${at + 1}._` : "";
        return `Found ${counted(rows.length, "item")}${asked}${area ? ` in ${area.name}` : ""}:\n\n${shown.map(line).join("\n")}${more}`;
      },
      inventory_stats: () => {
        const pieces = items.reduce((sum, one) => sum + one.quantity, 0);
        const low = items.filter((one) => one.quantity < one.minimum).sort(byName);
        const lines = ["# Inventory", "", `**Items**: ${items.length} (${counted(pieces, "piece")})`];
        lines.push(`**Locations**: ${places.length}`, `**Total value**: ${money(worth(items))}`);
        const used = places.filter(({ id }) => inside(id).length > 0).sort(byName);
        if (used.length > 0) lines.push("", "| Location | Items | Value |", "|---|---:|---:|");
        for (const { id, name } of used) lines.push(`| ${name} | ${inside(id).length} | ${money(worth(inside(id)))} |`);
        if (low.length > 0) lines.push("", "## Low stock", "");
        for (const { name, quantity, minimum } of low) lines.push(`- ${name}: ${quantity} of ${minimum}`);
        return lines.join("\n");
      },
    };
    const [room, corner] = [task.pick(ROOMS), task.pick(CORNERS)];
    const bought = task.some(THINGS, task.between(1, 3));
    const names = bought.map(([name]) => name);
    const label = task.pick(LABELS);
    const [pick, count, price] = [task.between(0, 3), task.between(1, 4), task.between(20, 900) / 2];
    const note = task.pick(["box is damaged", "serial number 48213", "bought second-hand"]);
    const kind = task.between(0, 4);
    const [first = ""] = names;
    const wishes = [
      `Set up "${corner}" in the ${room} and put there: ${names.join(", ")}.`,
      `We used ${count} of something labelled ${label}: book it out, and buy ${first} if there is none.`,
      `Move what is labelled ${label} to the ${room}, and delete the location that it came from if that is empty.`,
      `For the insurance: ${first} is worth ${money(price)}, note "${note}". What is everything worth?`,
      `Throw away whatever we have under "${first}" or, failing that, ${label}. Then tidy "${corner}" away too.`,
    ];
    function* entered(place: string): Generator<ReturnType<typeof call>, string[], unknown> {
      const made: string[] = [];
      for (const [i, [name, labels, value, quantity, min]] of bought.entries()) {
        const many = quantity === 1 ? {} : { quantity, min_quantity: min === 0 ? undefined : min };
        const more = { labels: (count + i) % 4 === 0 ? undefined : labels, value: i === pick ? undefined : value };
        const notes = (pick + i) % 3 === 0 ? note : undefined;
        const answer = yield call("add_item", { name, location_id: place, ...many, ...more, notes });
        made.push(...read(answer, /Asset ID\*\*: (\S+)/g));
      }
      return made;
    }
    function* plan(): Plan {
      const listed = yield call("list_locations");
      let place = read(listed, new RegExp(`\\*\\*${room}\\*\\* \\(\`(\\w+)`, "g"))[0];
      if (place === undefined && (kind === 0 || kind === 2 || items.length === 0))
        [place] = read(yield call("create_location", { name: room }), /ID: `(\w+)/g);
      const at = place ?? read(listed, /`(\w+)`/g)[0] ?? "unknown";
      if (kind === 0) {
        const made = read(yield call("create_location", { name: corner, parent_id: at }), /ID: `(\w+)/g);
        yield* entered(made[0] ?? at);
        yield call("get_location", { location_id: made[0] ?? at });
        yield call(pick > 1 ? "list_locations" : "inventory_stats");
        return;
      }
      const query = kind > 2 ? { query: first.split(" ")[0] } : { label };
      let found = read(yield call("search_items", query), /\((\d+-\d+)\)/g);
      if (found.length === 0) found = yield* entered(at);
      const asset_id = found[pick % Math.max(1, found.length)] ?? "000-001";
      const [from = at] = read(yield call("get_item", { asset_id }), /\(`(\w+)`\)/g);
      if (kind === 2) {
        for (const one of found) yield call("move_item", { asset_id: one, location_id: at });
        yield call("get_location", { location_id: from });
        if (from !== at) yield call("delete_location", { location_id: from });
        yield call("list_locations");
      } else if (kind < 4) {
        if (kind === 1) yield call("adjust_quantity", { asset_id, change: -count });
        else yield call("update_item", { asset_id, value: price, notes: pick > 0 ? note : undefined });
        yield call("get_item", { asset_id });
        if (kind === 3 || pick === 0) yield call("inventory_stats");
      } else {
        for (const one of found) yield call("delete_item", { asset_id: one });
        yield call("search_items", pick > 1 ? {} : { location_id: from });
        const [gone = from] = read(listed, new RegExp(`${corner}\\*\\* \\(\`(\\w+)`, "g"));
        yield call("delete_location", { location_id: gone });
      }
    }
    const someId = (random: Random) => random.pick([...places.map(({ id }) => id), random.hex(6)]);
    return {
      at: `${today}T12:00:00Z`,
      request: wishes[kind] as string,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("list_locations"),
          call("inventory_stats"),
          call("search_items", { label: random.pick([...LABELS, "toys"]), page: random.pick([undefined, 2]) }),
          call("search_items", random.pick([{}, { query: "ca" }, { query: "piano" }, { location_id: someId(random) }])),
          call("get_location", { location_id: someId(random) }),
          call("get_item", { asset_id: assetOf(random.between(1, last + 2)) }),
          call("adjust_quantity", { asset_id: assetOf(random.between(1, last + 1)), change: random.pick([-5, -1, 2]) }),
        ]),
    };
  },
};

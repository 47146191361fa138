import { describe, expect, it } from "vitest";
import type { Bundle } from "../../../worlds/bundle.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { World } from "../../../worlds/world-api.ts";
import { behaves } from "../fixtures/behaviour.ts";

const TABLES = [
  { name: "flights", key: ["number", "date"], columns: [] },
  { name: "orders", key: ["id"], columns: [] },
  { name: "users", key: ["id"], columns: [] },
];

/** A world whose tools are these lines. */
function worldOf(lines: Record<string, string>): World {
  const bundle: Bundle = {
    v: 1,
    name: "lines",
    now: 1_715_785_200,
    tables: TABLES,
    tools: Object.keys(lines).map((name) => ({ name, inputSchema: { type: "object" } })),
    behaviours: Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, behaves(line, "write")])),
    exceptions: [],
    gaps: [],
  };
  return createWorld(
    bundle,
    {
      tables: {
        flights: {
          "F1\u001f2024-05-16": { number: "F1", date: "2024-05-16", seats: { economy: 3, business: 1 } },
          "F2\u001f2024-05-17": { number: "F2", date: "2024-05-17", seats: { economy: 0, business: 2 } },
        },
        orders: {
          O1: { id: "O1", user: "u1", status: "open", total: 10.1, items: [{ sku: "a" }, { sku: "b" }] },
          O2: { id: "O2", user: "u2", status: "sent", total: 20.2, items: [] },
          O10: { id: "O10", user: "u1", status: "open", total: 0.3, items: [{ sku: "a" }] },
        },
        users: { u1: { id: "u1", email: "u1@x.org", name: { first: "Ann", last: "Lee" }, credit: 5 } },
      },
      drawn: {},
    },
    { seed: "s" },
  );
}

const answer = (line: string, args = {}) => worldOf({ t: line }).call("t", args);
const value = (line: string, args = {}) => answer(line, args).value;

describe("reads", () => {
  it("finds by key, by another column, by a nested one, and by several", () => {
    expect(value("read orders by id as {status}", { id: "O1" })).toEqual({ status: "open" });
    expect(value("read users by email as {id}", { email: "u1@x.org" })).toEqual({ id: "u1" });
    expect(value("read users by name.first, name.last = {surname} as {id}", { first: "Ann", surname: "Lee" })).toEqual({
      id: "u1",
    });
    expect(value("read flights by date, number as {seats.economy}", { number: "F1", date: "2024-05-16" })).toEqual({
      seats: { economy: 3 },
    });
  });

  it("answers the given error for a missing row, else the gap", () => {
    expect(answer('read orders by id else error "Error: order {id} not found"', { id: "O9" })).toMatchObject({
      text: "Error: order O9 not found",
      isError: true,
      answerClass: "error:not_found",
    });
    expect(answer("read orders by id", { id: "O9" })).toMatchObject({
      answerClass: "error:not_served",
      servedBy: "gap",
    });
    expect(answer("read orders by id", {})).toMatchObject({ answerClass: "error:not_served" });
    expect(answer("read users by email", { email: "none" })).toMatchObject({ answerClass: "error:not_served" });
  });

  it("ends in a gap where an expression needs what is not known", () => {
    const line = "answer known(lookup(users, {id})).credit * 2";
    expect(value(line, { id: "u1" })).toBe(10);
    expect(answer(line, { id: "u9" })).toMatchObject({ answerClass: "error:not_served", servedBy: "gap" });
  });

  it("puts what was read in scope for the steps after", () => {
    expect(
      value(
        'read orders by id; let total = row.total; read users by id = row.user; answer "{row.name.first}: {total}"',
        { id: "O1" },
      ),
    ).toBe("Ann: 10.1");
  });
});

describe("lists", () => {
  it("filters, sorts, limits and projects; rows come in key order", () => {
    expect(value("list orders as {id}")).toEqual([{ id: "O1" }, { id: "O2" }, { id: "O10" }]);
    expect(
      value("list orders where row.user == {u} order by total as {id, cents: row.total * 100}", { u: "u1" }),
    ).toEqual([
      { id: "O10", cents: 30 },
      { id: "O1", cents: 1010 },
    ]);
    expect(value("list orders order by total desc limit {n} as {id}", { n: 1 })).toEqual([{ id: "O2" }]);
    expect(value('list orders where row.items.exists(i, i.sku == "a") as {id}')).toEqual([{ id: "O1" }, { id: "O10" }]);
    expect(answer("list orders where row.user == 'nobody'")).toMatchObject({ value: [], answerClass: "empty" });
    expect(answer("list orders limit 'x'")).toMatchObject({ answerClass: "error:behaviour", servedBy: "gap" });
  });
});

describe("effects", () => {
  it("updates along paths, appends and removes, and sees the row as it was", () => {
    const world = worldOf({
      t: 'update orders by id set status = "held", total += {fee}, items append {"sku": row.status}, note.by = {who}, items remove {"sku": "a"}',
      seats:
        'update flights by number, date set seats[args.cabin] -= 1 require row.seats[args.cabin] > 0 else error "no seats"',
    });
    expect(world.call("t", { id: "O1", fee: 0.2 }).changes).toEqual([
      {
        table: "orders",
        key: "O1",
        before: { id: "O1", user: "u1", status: "open", total: 10.1, items: [{ sku: "a" }, { sku: "b" }] },
        after: { id: "O1", user: "u1", status: "held", total: 10.3, items: [{ sku: "b" }, { sku: "open" }] },
      },
    ]);
    const flight = { number: "F1", date: "2024-05-16", cabin: "business" };
    expect(world.call("seats", flight).value).toMatchObject({ seats: { economy: 3, business: 0 } });
    expect(world.call("seats", flight)).toMatchObject({ text: "no seats", isError: true, changes: [] });
  });

  it("refuses with what was done before standing, and only where the condition holds", () => {
    const world = worldOf({
      enter:
        'update users by id set credit -= 1; refuse "{row.name.first} is not let in: {{wrong}}" when {pin} != "1"; answer "in"',
      never: 'refuse "no"; update users by id set credit = 100',
      odd: 'refuse "no" when 3',
    });
    const credit = () => world.row("users", "u1")?.credit;
    expect(world.call("enter", { id: "u1", pin: "2" })).toMatchObject({
      text: "Ann is not let in: {wrong}",
      isError: true,
      servedBy: "behaviour",
      changes: [{ table: "users", key: "u1" }],
    });
    expect(credit()).toBe(4);
    expect(world.call("enter", { id: "u1", pin: "1" })).toMatchObject({ text: "in", isError: false });
    expect(credit()).toBe(3);
    expect(world.call("never", { id: "u1" })).toMatchObject({ text: "no", isError: true, changes: [] });
    expect(world.call("odd", {})).toMatchObject({ answerClass: "error:behaviour", changes: [] });
    expect(credit()).toBe(3);
  });

  it("shares no part that one assignment changes with a value used by another", () => {
    const line =
      'let box = {"n": 1}; update orders by id set first = box, first.n += 1, second = box, items[0].sku = "z", items[0].n = 2, copy = row.items';
    expect(value(`${line} as {first, second, items, copy, box: box, box.n: 9, last: box}`, { id: "O1" })).toEqual({
      first: { n: 2 },
      second: { n: 1 },
      items: [{ sku: "z", n: 2 }, { sku: "b" }],
      copy: [{ sku: "a" }, { sku: "b" }],
      box: { n: 9 },
      last: { n: 1 },
    });
  });

  it("inserts with given, generated and composed keys, and refuses a key that is taken", () => {
    const world = worldOf({
      drawn: 'insert orders set user = {u} key "O{n:6}" as {id}',
      given: "insert orders set id = {id}, user = {u}",
      composed: "insert flights set number = {f}, date = {d}",
      counted: 'insert orders set user = {u} key "O{rows(orders).map(o, int(o.id.substring(1))).max() + 1}" as {id}',
    });
    expect((world.call("drawn", { u: "u1" }).value as { id: string }).id).toMatch(/^O\d{6}$/);
    expect(world.call("given", { id: "O1", u: "u1" })).toMatchObject({ answerClass: "error:conflict", changes: [] });
    expect(world.call("given", { id: "O3" }).value).toEqual({ id: "O3" });
    expect(world.call("composed", { f: "F9", d: "2024-06-01" }).changes[0]).toMatchObject({
      key: "F9\u001f2024-06-01",
    });
    world.reset();
    expect(world.call("counted", { u: "u1" }).value).toEqual({ id: "O11" });
    expect(world.call("counted", { u: "u1" }).value).toEqual({ id: "O12" });
  });

  it("draws a named key again while a row has it, so that a world goes on making rows", () => {
    const world = worldOf({ made: 'let fresh = generate("O{n:1}"); insert orders set id = fresh as {id}' });
    const free = "03456789";
    const made = [...free].map(() => (world.call("made", {}).value as { id: string }).id);
    expect(made.sort()).toEqual([...free].map((digit) => `O${digit}`));
    expect(world.call("made", {}).answerClass).toBe("error:conflict");
  });

  it("deletes, and moves a row whose key changes", () => {
    const world = worldOf({ gone: "delete orders by id as {id}", move: "update orders by id set id = {to}" });
    expect(world.call("gone", { id: "O2" }).value).toEqual({ id: "O2" });
    expect(world.row("orders", "O2")).toBeUndefined();
    world.call("move", { id: "O1", to: "O2" });
    expect([...world.rows("orders")].map(([key]) => key)).toEqual(["O2", "O10"]);
    expect(world.call("move", { id: "O10", to: "O2" }).answerClass).toBe("error:conflict");
  });

  it("leaves a field as it is when the value is absent", () => {
    expect(
      value("update users by id set credit = {credit}, phone = {phone} as {credit, phone}", { id: "u1", phone: "1" }),
    ).toEqual({
      credit: 5,
      phone: "1",
    });
  });

  it("repeats an effect for each element", () => {
    const world = worldOf({
      book: 'for f in args.flights update flights by number = f.number, date = f.date set seats.economy -= 1 require row.seats.economy > 0 else error "full: {f.number}"; answer "booked"',
    });
    const first = { number: "F1", date: "2024-05-16" };
    const second = { number: "F2", date: "2024-05-17" };
    expect(world.call("book", { flights: [first, first] })).toMatchObject({ text: "booked" });
    expect(world.row("flights", "F1\u001f2024-05-16")).toMatchObject({ seats: { economy: 1 } });
    const before = world.digest();
    expect(world.call("book", { flights: [first, second] })).toMatchObject({ text: "full: F2", changes: [] });
    expect(world.digest()).toBe(before);
  });

  it("is atomic: an error in a later step undoes the earlier ones, keys drawn included", () => {
    const world = worldOf({
      both: 'insert orders set user = {u} key "O{n:5}"; update users by id = {u} set credit -= 10 require row.credit >= 10 else error "not enough credit"',
      fault: 'update users by id = "u1" set credit += 1; answer 1 + "x"',
      gap: 'update users by id = "u1" set credit += 1; answer not_served()',
      thrown: 'update users by id = "u1" set credit += 1; answer error("Error: cannot")',
      one: 'insert orders set user = "u1" key "O{n:5}" as {id}',
    });
    const fresh = world.digest();
    expect(world.call("both", { u: "u1" })).toMatchObject({
      text: "not enough credit",
      answerClass: "error:insufficient",
    });
    expect(world.call("fault", {})).toMatchObject({ answerClass: "error:behaviour", servedBy: "gap" });
    expect(world.call("gap", {})).toMatchObject({ answerClass: "error:not_served", servedBy: "gap" });
    expect(world.call("thrown", {})).toMatchObject({ text: "Error: cannot", isError: true });
    expect(world.digest()).toBe(fresh);
    expect(world.diff()).toEqual([]);
    const { value: id } = world.call("one", {});
    expect(worldOf({ one: 'insert orders set user = "u1" key "O{n:5}" as {id}' }).call("one", {}).value).toEqual(id);
  });

  it("bounds what a row can grow to", () => {
    const world = worldOf({ grow: 'update users by id = "u1" set all append row' });
    const answers = Array.from({ length: 30 }, () => world.call("grow", {}).answerClass);
    expect(answers[0]).toBe("data");
    expect(answers.at(-1)).toBe("error:behaviour");
  });

  it("never lets a caller's arguments reach into the state", () => {
    const world = worldOf({ put: "update users by id set prefs = {prefs}" });
    const prefs = { list: [1] };
    const args = { id: "u1", prefs };
    world.call("put", args);
    const before = world.digest();
    prefs.list.push(2);
    expect(world.digest()).toBe(before);
    expect(world.row("users", "u1")).toMatchObject({ prefs: { list: [1] } });
  });
});

import { expect, it } from "vitest";
import { stepWords } from "../../../../chapters/sandboxes/surfaces/behaviour-words.ts";
import { parseLine } from "../../../../worlds/behaviour/line.ts";

const words = (line: string) => parseLine(line).steps.map(stepWords);

it("says of each step what it does, with the tables and columns that it names", () => {
  expect(words('read orders by id else error "No order."')).toEqual([
    "Looks up the orders row by id and answers it; without such a row it refuses.",
  ]);
  expect(words("list orders where row.open limit 5")).toEqual(["Answers the rows of orders that fit, only so many."]);
  expect(words('update orders by id set status = "x", at = now require row.open else error "Closed."')).toEqual([
    "Changes status, at of the orders row found by id, where “row.open” holds.",
  ]);
  expect(words("for each in args.ids delete carts by id = each")).toEqual([
    "For each of some values, it takes the carts row found by id away.",
  ]);
  expect(words('refuse "Closed" when args.late; answer 1')).toEqual([
    "Refuses the call with “Closed” where “args.late” holds.",
    "Answers a value.",
  ]);
});

it("tells a check, with the words that it refuses by, from a value that is kept", () => {
  expect(words('let a = args.n + 1; let b = lookup("orders", args.id); answer a')).toEqual([
    "Keeps a value as “a”.",
    "Looks into orders and keeps what it finds as “b”.",
    "Answers a value.",
  ]);
  const check = (otherwise: string) => words(`let ok = (args.n > 1 ? true : ${otherwise}); answer ok`)[0];
  const refused = "Checks that the n given is more than 1: if not, the call is";
  expect(check('error("Order " + string(args.id) + " is " + args.s)')).toBe(`${refused} refused with “Order … is …”.`);
  expect(check("error(string(not_served()))")).toBe(`${refused} refused.`);
  expect(check("not_served()")).toBe(`${refused} not served.`);
  const known = 'lookup("orders", args.id) != null';
  expect(words(`let ok = ((${known}) || args.any ? true : not_served()); answer ok`)[0]).toBe(
    `Checks “(${known}) || args.any”: where it does not hold, the call is not served.`,
  );
  expect(words(`let ok = args.s == "${"s".repeat(200)}" ? true : not_served(); answer ok`)[0]).toContain("s…”");
});

it.each([
  ['lookup("orders", args.order_id) != null', "a row of orders has that order_id"],
  ['!(lookup("orders", args.order_id) != null)', "no row of orders has that order_id"],
  ["!(args.amount > known(it.card_amount))", "the amount given is at most its card_amount"],
  ['!(it.status != "pending")', "its status is “pending”"],
  [
    '!(args.amount > known(lookup("customers", known(it.customer_id))).store_credit)',
    "the amount given is at most store_credit of the customers row of customer_id",
  ],
  ["has(it.address) && has(it.items)", "the row has address, items"],
  ["has(it.a) && has(it.b) && has(it.c) && has(it.d) && has(it.e)", "the row has a, b, c and 2 more fields"],
  ["args.n >= 1 && args.n < 3", "the n given is at least 1 and the n given is less than 3"],
])("a simple condition is told in words: %s", (condition, told) => {
  expect(words(`let ok = (${condition} ? true : not_served()); answer ok`)[0]).toBe(
    `Checks that ${told}: if not, the call is not served.`,
  );
});

it.each([
  "args.a == 1 || args.b == 2",
  "!(args.a == 1 && args.b == 2)",
  "size(args.ids) > 3",
  "args.a",
  "args.a + 1 > it.b",
])("any other condition is quoted: %s", (condition) => {
  expect(words(`let ok = (${condition} ? true : not_served()); answer ok`)[0]).toContain(`Checks “${condition}”`);
});

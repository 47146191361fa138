import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFact, Reading } from "../../../../worlds/tasks/checks/facts.ts";
import { fold } from "../../../../worlds/tasks/checks/words.ts";
import type { Fact } from "../../../../worlds/tasks/schema.ts";

const says = (fact: Fact, text: string) => findFact(fact, new Reading(text)).said > 0;
const denies = (fact: Fact, text: string) => {
  const found = findFact(fact, new Reading(text));
  return found.said === 0 && found.denied > 0;
};

const accepts: [string, Fact, string[]][] = [
  [
    "money",
    { value: 1234.5, kind: "money" },
    ["It comes to $1,234.50.", "1234.5 dollars", "USD 1234.50 in all", "1,234.50", "€1.234,50", "You pay 1234.50 USD"],
  ],
  [
    "money in data, tables and other number forms",
    { value: 152.3, kind: "money" },
    [
      '{"total":152.3}',
      '{"total": 152.30, "cancelled": false}',
      "| no | total | $152.30 |",
      "- status: not paid\n- total $152.30",
      "152,30 \u20ac",
      "EUR 152,30",
      "_152.30_",
      "152 dollars and 30 cents",
      "one hundred fifty-two dollars and thirty cents",
      "I have no doubt the total is $152.30.",
      "No, it is $152.30",
    ],
  ],
  ["whole money", { value: 40, kind: "money" }, ["$40", "$40.00", "forty dollars", "40 bucks"]],
  ["cents", { value: 0.75, kind: "money" }, ["75 cents", "$0.75"]],
  ["money in brackets", { value: 54.2, kind: "money" }, ["The total ($54.20) is due", "Fifty-four twenty ($54.20)."]],
  [
    "a name as lists write it",
    { value: "Marta Solis", kind: "text" },
    ["Solis, Marta", "Your teacher is Solis, Marta."],
  ],
  ["what was left undone", { value: false, kind: "boolean" }, ["It is still unbooked.", "Booked: no"]],
  ["refund", { value: -54.2, kind: "money" }, ["You get a refund of $54.20", "-$54.20", "($54.20)"]],
  ["number", { value: 12, kind: "number" }, ["There are 12.", "twelve of them", "12 items"]],
  [
    "number after a dash",
    { value: 31, kind: "number" },
    ["Oak Shelf \u2014 31 units", "Oak Shelf \u2013 31 units", "Oak Shelf - 31 units", "Oak Shelf\u201431 units"],
  ],
  [
    "number below zero",
    { value: -31, kind: "number" },
    [
      "It is -31.",
      "- 31",
      "It is \u221231 now",
      "(balance: - 31)",
      "The balance is \u2212 31.",
      "The balance is - 31.",
    ],
  ],
  [
    "measurement",
    { value: 111.92365689097284, kind: "number" },
    ["112 km/h", "It is 111.9 km/h.", "111.92", "about 111.9", "roughly 112"],
  ],
  ["large number", { value: 21500, kind: "number" }, ["21,500", "21500", "21.5k", "twenty-one thousand five hundred"]],
  ["rounded", { value: Math.PI, kind: "number" }, ["about 3.14", "3.14159"]],
  [
    "date",
    { value: "2024-05-13", kind: "date" },
    [
      "on 2024-05-13",
      "May 13, 2024",
      "13 May 2024",
      "the 13th of May",
      "May 13th",
      "05/13/2024",
      "13.05.2024",
      "13-May-2024",
      "May 13th of 2024",
      "Monday, 13. May 2024",
      "Mon, May 13 at 7pm",
      "2024-05-13T08:00:00",
    ],
  ],
  ["moment", { value: "2024-05-01T04:50:18", kind: "date" }, ["May 1, 2024", "2024-05-01 04:50", "May 1 at 4:50 am"]],
  ["unix date", { value: 1_715_558_400, kind: "date" }, ["May 13, 2024"]],
  ["time", { value: "19:05:00", kind: "time" }, ["19:05", "7:05 pm", "7:05 P.M.", "at 19:05:00"]],
  ["unit", { value: "2 hours", kind: "unit" }, ["2 hours", "two hours", "120 minutes", "2 h"]],
  ["weight", { value: "1.5 kg", kind: "unit" }, ["1.5 kilograms", "1500 g", "1,500 grams"]],
  ["count unit", { value: "3 items", kind: "unit" }, ["3 items", "three items", "3 different items"]],
  ["id", { value: "#W1234567", kind: "id" }, ["order #W1234567.", "order w1234567", "(#W1234567)"]],
  ["text", { value: "Zoë O’Brien", kind: "text" }, ["It is ZOE O'BRIEN!", "zoë o'brien"]],
  ["code word", { value: "credit_card", kind: "text" }, ["a credit card", "Credit-Card"]],
  ["alias", { value: "USA", kind: "text", aliases: ["United States"] }, ["in the united states"]],
  ["negation inside", { value: "no longer needed", kind: "text" }, ["The reason is: no longer needed."]],
  ["yes", { value: true, kind: "boolean" }, ["Yes, it is.", "That is true."]],
  ["no", { value: false, kind: "boolean" }, ["No.", "It isn't included."]],
  [
    "after a denial",
    { value: "delivered", kind: "text" },
    ["It is not pending but delivered.", "It isn't pending; it is delivered.", "Not only delivered, also signed for"],
  ],
];
const rejects: [string, Fact, string[]][] = [
  ["money", { value: 1234.5, kind: "money" }, ["$1,234.51", "$234.50", "1,234.5%", "", "order 1234.5a"]],
  ["number", { value: 12, kind: "number" }, ["112", "12.5", "HAT12", "#12", "May 12, 2024", "12:30", "a12b"]],
  ["measurement", { value: 111.92365689097284, kind: "number" }, ["111", "113 km/h", "111.8", "12", "one hundred"]],
  ["written figure", { value: 111.92, kind: "number" }, ["112", "The level is 112."]],
  ["figure of three digits", { value: 1234.567, kind: "number" }, ["1,235"]],
  ["place on a map", { value: 40.7128, kind: "number" }, ["41"]],
  [
    "number below zero after a sign",
    { value: 31, kind: "number" },
    ["The balance is \u2212 31.", "The balance is - 31."],
  ],
  ["money of many digits", { value: 111.92365689097284, kind: "money" }, ["$112"]],
  ["small measurement", { value: 7.181514442819694, kind: "number" }, ["7", "7.3"]],
  ["negative", { value: -54.2, kind: "money" }, ["You pay $54.20"]],
  ["date", { value: "2024-05-13", kind: "date" }, ["2024-05-14", "May 13, 2023", "May 3", "13 June 2024", "5/14/2024"]],
  ["moment", { value: "2024-05-01T04:50:18", kind: "date" }, ["2024-05-01 16:22", "May 1, 2024 at 9pm"]],
  ["time", { value: "19:05:00", kind: "time" }, ["19:06", "7:05 am", "19:05:30"]],
  ["unit", { value: "2 hours", kind: "unit" }, ["2 days", "2", "20 hours", "2 minutes"]],
  ["id", { value: "AB12", kind: "id" }, ["AB123", "XAB12", "AB12-X"]],
  ["partial text", { value: "Blue T-Shirt", kind: "text" }, ["a T-Shirt", "Blue Shirt", "bluet-shirt"]],
  ["yes", { value: true, kind: "boolean" }, ["No.", "It is not."]],
];
const denied: [Fact, string[]][] = [
  [
    { value: "delivered", kind: "text" },
    ["It is not delivered.", "It hasn't been delivered yet.", "It was never delivered", "It is no longer delivered"],
  ],
  [{ value: 60, kind: "money" }, ["It's $50, not $60.", "It costs $50 rather than $60"]],
];

describe("facts", () => {
  for (const [name, fact, texts] of accepts)
    for (const text of texts)
      it(`${name}: finds it in ${JSON.stringify(text)}`, () => expect(says(fact, text)).toBe(true));
  for (const [name, fact, texts] of rejects)
    for (const text of texts)
      it(`${name}: does not find it in ${JSON.stringify(text)}`, () => expect(says(fact, text)).toBe(false));
  for (const [fact, texts] of denied)
    for (const text of texts)
      it(`hears the denial in ${JSON.stringify(text)}`, () => expect(denies(fact, text)).toBe(true));

  it("finds any amount however it is written, and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 1, max: 5000 }), (cents, off) => {
        const value = cents / 100;
        const grouped = value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
        for (const text of [
          `$${grouped}`,
          `${grouped} dollars`,
          `it is ${value.toFixed(2)}.`,
          `USD ${grouped}, paid`,
        ]) {
          expect(says({ value, kind: "money" }, text)).toBe(true);
          expect(says({ value: (cents + off) / 100, kind: "money" }, text)).toBe(false);
        }
      }),
    );
  });

  it("finds any day in every form, and not the day after", () => {
    const months = "January February March April May June July August September October November December".split(" ");
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1990-01-01"), max: new Date("2035-12-30"), noInvalidDate: true }),
        (date) => {
          const iso = date.toISOString().slice(0, 10);
          const next = new Date(date.getTime() + 86_400_000).toISOString().slice(0, 10);
          const [y, m, d] = [date.getUTCFullYear(), months[date.getUTCMonth()] as string, date.getUTCDate()];
          for (const text of [
            iso,
            `${m} ${d}, ${y}`,
            `${d} ${m} ${y}`,
            `${m.slice(0, 3)} ${d} ${y}`,
            `the ${d}th of ${m}, ${y}`,
          ]) {
            expect(says({ value: iso, kind: "date" }, text)).toBe(true);
            expect(says({ value: next, kind: "date" }, text)).toBe(false);
          }
        },
      ),
    );
  });
});

it("a plain text is folded as one with other letters is", () => {
  const plain = fc.string({ unit: fc.constantFrom(..." \t\n\u000b\u001f\"'`-$aZ_9\u007f") });
  fc.assert(
    fc.property(plain, (text) => {
      expect(fold(`${text}\u00e9`)).toBe(fold(`${text}e`));
      expect(fold(`\u00e9${text}`)).toBe(fold(`e${text}`));
    }),
  );
  expect(fold(" It`s\tTHE \u000b end\n")).toBe("it's the end");
});

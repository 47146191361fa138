import type { Check, Fact } from "../../../../worlds/tasks/schema.ts";

/** A question about the order desk whose right value can be told of the wrong thing. */
export interface BoundCase {
  readonly request: string;
  readonly facts: readonly Fact[];
  /** Where other rows have values of this kind, and those that the task lets stand. */
  readonly others?: Extract<Check, { kind: "answer_excludes" }>["others"];
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

const dates = (path: string, except: string[]) => ({ table: "shipments", path, kind: "date" as const, except });
const stocks = (...except: number[]) => ({ table: "products", path: "stock", kind: "number" as const, except });
const credits = (except: number) => ({
  table: "customers",
  path: "store_credit",
  kind: "money" as const,
  except: [except],
});

/** Wrong answers say the right value of another order, person or product; right ones name others beside it. */
export const BOUND: readonly BoundCase[] = [
  {
    request: "Need the shipped date of the shipment with order SO-10083.",
    facts: [{ value: "2026-05-06", kind: "date" }],
    others: dates("shipped_on", ["2026-05-06"]),
    right: [
      "SO-10083 shipped on 6 May 2026.",
      "The shipment SH-7068 of order SO-10083 left on 2026-05-06 with Swiftpost.",
      "Order SO-10083 (Steel Locker and Cloud Pillow) was shipped on May 6, 2026.",
      "I looked up order SO-10083. Its shipment left on 2026-05-06.",
      "Not SO-10073, SO-10083: it shipped on 2026-05-06.",
      "SO-10083, unlike SO-10142, has left already: 2026-05-06.",
      "Order: SO-10083\nShipment: SH-7068\nShipped: 2026-05-06",
      "2026-05-06 is when SO-10083 was shipped. SO-10142 is still pending.",
    ],
    wrong: [
      "Order SO-10073 shipped on 2026-05-06.",
      "The shipment of SO-10042 left on 6 May 2026.",
      "On 2026-05-06 order SO-10074 was shipped.",
      "SO-10083 has not left yet; SO-10073 shipped on 2026-05-06.",
      "Shipment SH-7061 was shipped on 2026-05-06.",
      "I looked at order SO-10142. It shipped on 2026-05-06.",
      "Order SO-10038: shipped 2026-05-06",
      "Marta Eriksen's order was shipped on May 6, 2026.",
    ],
  },
  {
    request: "What is the tracking number of the shipment on order SO-10073?",
    facts: [{ value: "PA482431", kind: "id" }],
    others: { table: "shipments", path: "tracking_number", kind: "id", except: ["PA482431"] },
    right: [
      "PA482431",
      "SO-10073 travels with ParcelOne, tracking number PA482431.",
      "Shipment SH-7061 (order SO-10073): PA482431",
      "For the Hemp Hammock and the Rattan Basket on SO-10073 it is PA482431.",
    ],
    wrong: [
      "SO-10074 has tracking number PA482431.",
      "PA482431 is the tracking number of order SO-10083.",
      "SH-7062 is tracked as PA482431.",
      "SO-10073 has no shipment, but SO-10042 has PA482431.",
    ],
  },
  {
    request: "How many of the Candela Table Lamp on order SO-10131 are left in stock?",
    facts: [{ value: 57, kind: "number" }],
    others: stocks(57, 0),
    right: [
      "57",
      "There are 57 Candela Table Lamps left.",
      "The Candela Table Lamp (P-203) on order SO-10131: 57 in stock.",
      "57 of the Candela Table Lamp, and none of the Dusk Night Light.",
      "Dusk Night Light: 0, Candela Table Lamp: 57",
      "There are 57. The Dusk Night Light is sold out.",
      "- Dusk Night Light: 0\n- Candela Table Lamp: 57",
      "| Product | Stock |\n|---|---|\n| Dusk Night Light | 0 |\n| Candela Table Lamp | 57 |",
    ],
    wrong: [
      "There are 57 of the Dusk Night Light left.",
      "Candela Table Lamp: 0, Dusk Night Light: 57",
      "The Candela Table Lamp is sold out, and there are 57 of the Granite Mortar.",
      "- Candela Table Lamp: 0\n- Dusk Night Light: 57",
      "| Product | Stock |\n|---|---|\n| Candela Table Lamp | 0 |\n| Dusk Night Light | 57 |",
      "P-204 has 57 in stock.",
      "We have 0 of the Candela Table Lamp but 57 of the Copper Kettle.",
      "57 Granite Mortars are left.",
    ],
  },
  {
    request: "What is the store credit on my account? My email is david.dahl@example.com.",
    facts: [{ value: 10, kind: "money" }],
    others: credits(10),
    right: [
      "David Dahl, you have $10.00.",
      "The account david.dahl@example.com (C-1024) has $10 of store credit.",
      "Thanks, David. There are ten dollars on your account.",
      "Your store credit is $10, David Dahl.",
    ],
    wrong: [
      "Elena Dahl has $10 of store credit.",
      "The account marta.eriksen@example.com holds $10.",
      "Customer C-1011 has a store credit of $10.00.",
      "David Dahl (elena.dahl@example.com) has $10 of store credit.",
      "David Castillo, you have $10.00.",
      "David Dahl has nothing, while Karin Silva has $10.",
    ],
  },
  {
    request: "What is the tier on my account? My name is Karin Silva and my postcode is 95012.",
    facts: [{ value: "silver", kind: "text" }],
    others: { table: "customers", path: "tier", kind: "text", except: ["silver"] },
    right: [
      "Karin Silva, your tier is silver.",
      "Your account (karin.silva@example.com) is in the silver tier.",
      "Silver, Karin.",
    ],
    wrong: [
      "Marta Eriksen is a silver customer.",
      "Pablo Silva's account is silver.",
      "The account samuel.eriksen@example.com is in the silver tier.",
      "Silver is the tier of David Dahl.",
    ],
  },
  {
    request: "What is the postcode of the order on refund RF-000109?",
    facts: [{ value: "84560", kind: "id" }],
    others: { table: "orders", path: "address.postcode", kind: "id", except: ["84560"] },
    right: [
      "Refund RF-000109 is of order SO-10059, which went to postcode 84560.",
      "84560 (72 Harbour Road, Eastvale).",
      "The refund of Elena Dahl's order SO-10059 has postcode 84560.",
    ],
    wrong: [
      "Refund RF-000101 belongs to an order with postcode 84560.",
      "Order SO-10023 has postcode 84560.",
      "RF-000109 is of SO-10011, whose postcode is 84560.",
      "Karin Silva's order was sent to 84560.",
    ],
  },
  {
    request: "What are the totals of my orders SO-10083 and SO-10073?",
    facts: [
      { value: 506.9, kind: "money" },
      { value: 286.4, kind: "money" },
    ],
    right: [
      "SO-10083 came to $506.90 and SO-10073 to $286.40.",
      "$506.90 for SO-10083, $286.40 for SO-10073.",
      "- SO-10073: $286.40\n- SO-10083: $506.90",
      "SO-10083 and SO-10073 were $506.90 and $286.40.",
      "They are $506.90 and $286.40.",
    ],
    wrong: [
      "SO-10083 came to $286.40 and SO-10073 to $506.90.",
      "$286.40 for SO-10083, $506.90 for SO-10073.",
      "- SO-10073: $506.90\n- SO-10083: $286.40",
    ],
  },
  {
    request: "What is the issue date of refund RF-000113?",
    facts: [{ value: "2026-04-29", kind: "date" }],
    right: [
      "RF-000113, for order SO-10075, was issued on April 29th, 2026.",
      "The refund RF-000113 was issued on 2026-04-29; RF-000109 was earlier.",
    ],
    wrong: [
      "The refund for order SO-10059 was issued on 29 April 2026.",
      "On April 29, 2026 we issued RF-000101.",
      "I checked RF-000103. There is an issue date, 2026-04-29.",
    ],
  },
  {
    request: "My name is Jonas Turner. Order SO-10002 came well. How does the one stand that I placed after it?",
    facts: [{ value: "delivered", kind: "text" }],
    right: ["SO-10008 was delivered as well.", "Jonas Turner, your order SO-10008 is delivered."],
    wrong: ["SO-10042 is delivered.", "Ana Gomez's order is delivered."],
  },
  {
    request: "How do my orders SO-10083 and SO-10142 stand?",
    facts: [
      { value: "shipped", kind: "text" },
      { value: "pending", kind: "text" },
    ],
    right: ["SO-10083 is shipped and SO-10142 is pending.", "Shipped: SO-10083. Pending: SO-10142."],
    wrong: [
      "SO-10083 is pending and SO-10142 is shipped.",
      "SO-10142 has been shipped. SO-10083 is still pending.",
      "Shipped: SO-10142. Pending: SO-10083.",
    ],
  },
];

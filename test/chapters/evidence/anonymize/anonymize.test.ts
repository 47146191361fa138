import { describe, expect, it } from "vitest";
import { privacyOf } from "../../../../chapters/evidence/anonymize/index.ts";
import { CanonicalTrace } from "../../../../chapters/records/evidence/evidence.ts";
import { growth, LINEAR } from "../../../helpers/growth.ts";

const KEY = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER = "ff".repeat(32);

const call = (tool: string, args: Record<string, unknown>, result: unknown, span?: string) => ({
  tool,
  args,
  result,
  answer_class: "data",
  is_error: false,
  ...(span === undefined ? {} : { span }),
});

const user = {
  user_id: "zebulon_quackenbush_4417",
  name: { first_name: "Zebulon", last_name: "Quackenbush" },
  email: "zeb.quackenbush@wexfordia.example",
  phone_number: "+1 (555) 867-5309",
  address: {
    address1: "742 Thistlewood Lane",
    address2: "Apt 31B",
    city: "Marblehead",
    country: "USA",
    state: "MA",
    zip: "01945",
  },
  dob: "1984-07-23",
  payment_methods: {
    credit_card_7815826: { source: "credit_card", brand: "visa", last_four: "7741", number: "4111 1111 1111 1111" },
  },
  orders: ["#W6390527"],
  loyalty: "gold",
  balance: 1204.5,
};

/** Every value above that tells who it is, as it may stand anywhere. */
const PLANTED = [
  "ebulon",
  "uackenbush",
  "4417",
  "zeb.",
  "wexfordia",
  "867-5309",
  "8675309",
  "Thistlewood",
  "742",
  "31B",
  "arblehead",
  "01945",
  "1984-07-23",
  "7815826",
  "7741",
  "4111 1111",
  "41111111",
  "6390527",
  "vorlinska",
  "Vorlinska",
  "gemma",
  "Gemma",
  "203.0.113.77",
  "123-45-6789",
];

const trace = (over: Partial<CanonicalTrace> = {}): CanonicalTrace =>
  CanonicalTrace.parse({
    v: 1,
    session: "session-zebulon-1",
    started_at: 1_790_000_000,
    request: "Hi, I'm Zebulon Quackenbush (zeb.quackenbush@wexfordia.example). Where is order #W6390527?",
    turns: [
      {
        role: "user",
        text: "my name is gemma vorlinska, phone 555-867-5309, card 4111111111111111, I live at 742 Thistlewood Lane, Apt 31B, Marblehead",
      },
      {
        role: "assistant",
        text: "Thank you, Zebulon. Your ZIP is 01945, user id zebulon_quackenbush_4417, born 1984-07-23?",
      },
      {
        role: "user",
        text: "Yes. Ssn 123-45-6789, from 203.0.113.77. Order W6390527 was delivered on 2024-05-15 for $1,204.50.",
      },
    ],
    calls: [
      call("get_user_details", { user_id: "zebulon_quackenbush_4417" }, JSON.stringify(user), "call_1"),
      call("find_user", { first_name: "Zebulon", last_name: "Quackenbush", zip: "01945" }, "zebulon_quackenbush_4417"),
      call(
        "get_order",
        { order_id: "#W6390527" },
        {
          order_id: "#W6390527",
          status: "delivered",
          items: [{ name: "Water Bottle", price: 46.5, item_id: "6777246137" }],
          users: { zebulon_quackenbush_4417: { name: "Gemma Vorlinska" } },
        },
      ),
    ],
    final_answer: "Zebulon, order #W6390527 was delivered to Marblehead.",
    final_answer_class: "answered",
    labels: { "user.id": "zebulon_quackenbush_4417", model: "gpt-4o-2024-08-06", customer_name: "Gemma Vorlinska" },
    outcome: { reward: 1, tier: "deterministic" },
    tools: [
      {
        name: "get_order",
        description: "Looks an order up, such as '#W6390527'.",
        input_schema: { type: "object", properties: { order_id: { type: "string", description: "e.g. #W6390527" } } },
      },
    ],
    ...over,
  });

describe("an anonymized trace", () => {
  const made = privacyOf({ access: "anonymized", key: KEY }).trace(trace());
  const text = JSON.stringify(made);

  it("holds none of the identifying values, wherever they stood", () => {
    for (const planted of PLANTED) expect(text, planted).not.toContain(planted);
  });

  it("is a trace still, with everything else as it was", () => {
    expect(CanonicalTrace.parse(made)).toEqual(made);
    expect(made.calls.map(({ tool }) => tool)).toEqual(["get_user_details", "find_user", "get_order"]);
    const result = JSON.parse(made.calls[0]?.result as string);
    expect(result).toMatchObject({
      loyalty: "gold",
      balance: 1204.5,
      address: { country: "USA", state: "MA" },
    });
    expect(Object.keys(result)).toEqual(Object.keys(user));
    expect(result.payment_methods).toMatchObject({
      [Object.keys(result.payment_methods)[0] ?? ""]: { source: "credit_card", brand: "visa" },
    });
    expect(Object.keys(result.payment_methods)[0]).toMatch(/^credit_card_\d{7}$/);
    expect(made.turns[2]?.text).toContain("was delivered on 2024-05-15 for $1,204.50.");
    expect(made.calls[2]?.result).toMatchObject({
      status: "delivered",
      items: [{ name: "Water Bottle", price: 46.5 }],
    });
    expect(made.labels.model).toBe("gpt-4o-2024-08-06");
    expect(made.outcome).toEqual({ reward: 1, tier: "deterministic" });
  });

  it("joins as before: one value is one pseudonym in arguments, results, texts and labels", () => {
    const id = made.calls[0]?.args.user_id as string;
    expect(id).toMatch(/^[a-z]{7}_[a-z]{11}_\d{4}$/);
    const result = JSON.parse(made.calls[0]?.result as string);
    expect(result.user_id).toBe(id);
    expect(made.calls[1]?.result).toBe(id);
    expect(made.labels["user.id"]).toBe(id);
    expect(made.turns[1]?.text).toContain(id);
    expect(Object.keys((made.calls[2] as { result: { users: object } }).result.users)).toEqual([id]);
    expect(made.request).toContain(`${result.name.first_name} ${result.name.last_name}`);
    expect(made.request).toContain(result.email);
    expect(made.request).toContain(result.orders[0]);
    expect(made.calls[2]?.args.order_id).toBe(result.orders[0]);
    expect(made.final_answer).toContain(result.address.city);
    expect(made.turns[0]?.text).toContain(result.phone_number.replace(/^\+1 \((\d+)\) /, "$1-"));
    expect(made.turns[0]?.text).toContain(
      result.payment_methods[Object.keys(result.payment_methods)[0] ?? ""].number.replaceAll(" ", ""),
    );
  });

  it("is the same trace again under one key, and joins with no trace of another key", () => {
    expect(privacyOf({ access: "anonymized", key: KEY }).trace(trace())).toEqual(made);
    expect(privacyOf({ access: "anonymized", key: OTHER }).trace(trace()).calls[0]?.args.user_id).not.toBe(
      made.calls[0]?.args.user_id,
    );
  });

  it("keeps the spelling of a JSON result: blanks, order, escapes and numbers as they were written", () => {
    const result = '{ "b" : [1.50, 2e3,\n "caf\\u00e9"], "name": "Zebulon",  "ok": true, "2": null }';
    const own = privacyOf({ access: "anonymized", key: KEY }).trace(trace({ calls: [call("x", {}, result)] })).calls[0]
      ?.result as string;
    const name = JSON.parse(own).name as string;
    expect(own).toBe(result.replace("Zebulon", name));
    expect(name).not.toBe("Zebulon");
  });

  it("clears texts that are no JSON by their labels", () => {
    const own = privacyOf({ access: "anonymized", key: KEY }).trace(
      trace({
        calls: [call("x", {}, "Name: Ottoline Brandlwyn\nCity: Fennimore\nPlan: gold\nId: K-77123")],
        request: "ottoline asks",
        turns: [],
      }),
    );
    expect(JSON.stringify(own)).not.toMatch(/ottoline|brandlwyn|fennimore|77123/i);
    expect(own.calls[0]?.result).toMatch(/^Name: \p{L}+ \p{L}+\nCity: \p{L}+\nPlan: gold\nId: /u);
  });

  it("tells a thing's name from a person's by what stands beside it", () => {
    const thing = { name: "Garden Hose", price: 9.5, product_id: "p-881" };
    const person = { name: "Ottoline Brandlwyn", type: "individual", email: "o@brandlwyn.example" };
    const own = privacyOf({ access: "anonymized", key: KEY }).trace(
      trace({
        calls: [call("x", {}, { thing, person })],
        turns: [{ role: "user", text: "The Garden Hose for Ottoline Brandlwyn, please" }],
      }),
    );
    expect(own.calls[0]?.result).toMatchObject({
      thing: { name: "Garden Hose", price: 9.5 },
      person: { type: "individual" },
    });
    const directory = { "Rachel Okonkwo": "u-1", "Water Bottle": "p-2" };
    const listed = privacyOf({ access: "anonymized", key: KEY }).trace(
      trace({ calls: [call("x", {}, directory)], turns: [] }),
    );
    const [who, what] = Object.keys(listed.calls[0]?.result as object);
    expect(who).toMatch(/^[A-Z][a-z]{5} [A-Z][a-z]{6}$/);
    expect([who, what]).toEqual([expect.not.stringMatching(/Rachel|Okonkwo/), "Water Bottle"]);
    expect(own.turns[0]?.text).toContain("The Garden Hose for ");
    expect(JSON.stringify(own)).not.toMatch(/Ottoline|Brandlwyn/i);
  });

  it("leaves everyday speech as it is", () => {
    const said = [
      "It took 3 days on the way, and 2 of the items go to your place. Thanks!",
      "Please note the address: you used it for your original booking, order 12 of 24 at 10:30 on 5/6/2024.",
      "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON. It costs $1,200.50 or 1200 points, 15-inch, 100GB.",
    ];
    const own = privacyOf({ access: "anonymized", key: KEY }).trace(
      trace({ calls: [], turns: said.map((text) => ({ role: "user" as const, text })) }),
    );
    expect(own.turns.map(({ text }) => text)).toEqual(said);
  });

  it.each([
    ["dots", (n: number) => "a.".repeat(n * 12_500)],
    ["mail without an end", (n: number) => `${"a.".repeat(n * 5_000)}@${"b.".repeat(n * 5_000)}@`],
    ["at signs", (n: number) => "a@".repeat(n * 12_500)],
    ["digits with separators", (n: number) => "1 2-3.".repeat(n * 5_000)],
    ["numbers and words", (n: number) => "12 To the ".repeat(n * 4_000)],
    ["commas and blanks", (n: number) => `,a${" ".repeat(n * 50)}`.repeat(500)],
    ["capitals", (n: number) => "Aa Bb-".repeat(n * 5_000)],
    ["one long word", (n: number) => "x".repeat(n * 250_000)],
    ["escapes in JSON", (n: number) => JSON.stringify({ a: '\\"'.repeat(n * 50_000) })],
    ["dashes", (n: number) => "a-1_".repeat(n * 10_000)],
  ])("takes time in proportion to a text's length: %s", async (_what, textOf) => {
    const anonymized = (size: number) => {
      const text = textOf(size);
      const odd = trace({ calls: [call("x", {}, text)], turns: [{ role: "user", text }] });
      privacyOf({ access: "anonymized", key: KEY }).trace(odd);
      privacyOf({ access: "shapes", key: KEY }).trace(odd);
    };
    expect(await growth(anonymized)).toBeLessThan(LINEAR);
  });

  it("goes through values nested beyond all measure, and through odd ones", () => {
    const deep = `${"[".repeat(5000)}"zebulon"${"]".repeat(5000)}`;
    const odd = trace({ calls: [call("x", { list: [null, true, "", 1e300, { a: [[]] }] }, deep)] });
    expect(() => privacyOf({ access: "anonymized", key: KEY }).trace(odd)).not.toThrow();
    expect(() => privacyOf({ access: "shapes", key: KEY }).trace(odd)).not.toThrow();
  });
});

describe("the shapes of a trace", () => {
  const made = privacyOf({ access: "shapes", key: KEY }).trace(trace());
  const text = JSON.stringify(made);

  it("let no value through: not the identifying ones and not any other", () => {
    for (const planted of [
      ...PLANTED,
      "gold",
      "1204",
      "delivered",
      "Water",
      "46.5",
      "6777246137",
      "USA",
      "gpt-4o",
      "2024-05",
      "Where is",
      "example",
    ])
      expect(text, planted).not.toContain(planted);
  });

  it("keep types, formats and names of fields", () => {
    expect(CanonicalTrace.parse(made)).toEqual(made);
    const result = JSON.parse(made.calls[0]?.result as string);
    expect(result).toMatchObject({
      user_id: "<id>",
      name: { first_name: "<word>" },
      email: "<email>",
      dob: "<date>",
      balance: 0,
      address: { zip: "<digits>", city: "<word>" },
    });
    expect(made.calls[2]?.args).toEqual({ order_id: "<id>" });
    expect(made.tools?.[0]).toEqual({
      name: "get_order",
      input_schema: { type: "object", properties: { order_id: { type: "string" } } },
    });
    expect(made.outcome).toEqual({ reward: 1, tier: "deterministic" });
  });
});

describe("listings and documents", () => {
  const tools = [
    {
      name: "find_user",
      description: "Finds a user by email, such as zeb@wexfordia.example.",
      inputSchema: { type: "object", properties: { email: { type: "string", default: "zeb@wexfordia.example" } } },
    },
  ] as never;
  const document = {
    texts: [{ id: "d1", title: "Notes of Gemma Vorlinska", text: "Call Gemma Vorlinska at 555-867-5309." }],
    tables: [
      {
        name: "users",
        columns: ["id", "name", "email"],
        rows: [{ id: "u-4417-x", name: "Gemma Vorlinska", email: "gemma@wexfordia.example" }],
      },
    ],
  } as never;

  it("are cleared as traces are", () => {
    const privacy = privacyOf({ access: "anonymized", key: KEY });
    const all = JSON.stringify([privacy.tools(tools), privacy.document(document)]);
    for (const planted of ["zeb@", "wexfordia", "Gemma", "gemma", "Vorlinska", "867-5309", "4417"])
      expect(all, planted).not.toContain(planted);
    expect(all).toContain('"find_user"');
    expect(privacy.tools(tools)[0]?.inputSchema).toMatchObject({ properties: { email: { type: "string" } } });
  });

  it("without a line of names have values for columns: these are cleared too", () => {
    const columns = ["zeb@wexfordia.example", "Gemma Vorlinska", "4417-771"];
    const rows = [Object.fromEntries(columns.map((name) => [name, "x@y.example"]))];
    const odd = { texts: [], tables: [{ name: "rows", columns, rows }] } as never;
    for (const access of ["anonymized", "shapes"] as const) {
      const made = privacyOf({ access, key: KEY }).document(odd);
      for (const planted of columns) expect(JSON.stringify(made), access).not.toContain(planted);
      expect(made.tables[0]?.columns).toEqual(Object.keys(made.tables[0]?.rows[0] ?? {}));
    }
  });

  it("have shapes too", () => {
    const privacy = privacyOf({ access: "shapes", key: KEY });
    expect(privacy.tools(tools)).toEqual([
      { name: "find_user", inputSchema: { type: "object", properties: { email: { type: "string" } } } },
    ]);
    expect(privacy.document(document)).toEqual({
      texts: [{ text: "<text>" }],
      tables: [
        { name: "users", columns: ["id", "name", "email"], rows: [{ id: "<id>", name: "<text>", email: "<email>" }] },
      ],
    });
  });
});

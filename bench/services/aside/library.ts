import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "../service.ts";

type Item = Readonly<Record<"code" | "title" | "author" | "kind", string>> & { copies: number; holds: string[] };
type Patron = { readonly card: string; readonly name: string; readonly junior: boolean; fines: number };
type Loan = { readonly code: string; readonly card: string; due: string; renewals: number };

const TODAY = "2025-10-14";
const LIST = `B101|The Salt Path Home|Ines Marlow|book|2
B102|Rivers of Glass|Tomas Reyk|book|1
B103|A Short History of Bread|Hanna Lowe|book|3
B104|The Cartographer's Son|Ines Marlow|book|1
B105|Night Train to Varna|Petar Iliev|book|2
B106|Seven Winters|Tomas Reyk|book|1
B107|Gardens in Small Places|Odile Brandt|book|2
B108|The Bread Baker's Year|Hanna Lowe|book|1
D201|Rivers of Glass (film)|Lena Duarte|DVD|1
D202|Under the Ice|Lena Duarte|DVD|2
D203|Night Market|Kofi Mensah|DVD|1
R301|Atlas of European Rivers|Odile Brandt|reference|1
R302|Dictionary of Surnames|Paul Sayers|reference|1
B109|The Quiet Orchard|Petar Iliev|book|1`;
const PATRONS: readonly (readonly [string, string, boolean, number])[] = [
  ["L-2041", "Greta Holm", false, 0],
  ["L-2077", "Samir Nader", false, 2.5],
  ["L-2093", "Wanda Pike", false, 11.25],
  ["L-3010", "Theo Holm", true, 0],
  ["L-2118", "Bruno Castell", false, 0],
];

const day = (date: string, days = 0) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
const spoken = (date: string) =>
  new Date(date).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const money = (value: number) => `$${value.toFixed(2)}`;

/** The desk of a lending library that answers in sentences: loans, renewals, holds in a queue, fines by the day. */
export const library: InventedService = {
  name: "library",
  form: "mcp",
  refusals: "flag",
  tools: [
    tool("search_catalogue", "Searches titles and authors.", { query: "string", kind: "book|DVD|reference?" }),
    tool("item_details", "Describes an item and where its copies are.", { code: "string" }),
    tool("card_summary", "Describes a library card: loans, holds and fines.", { card: "string" }),
    tool("check_out", "Lends an item.", { card: "string", code: "string" }),
    tool("return_item", "Takes an item back.", { card: "string", code: "string" }),
    tool("renew", "Renews a loan.", { card: "string", code: "string" }),
    tool("request_hold", "Puts a card into the queue for an item.", { card: "string", code: "string" }),
    tool("cancel_hold", "Takes a card out of the queue.", { card: "string", code: "string" }),
    tool("pay_fine", "Takes a payment for fines.", { card: "string", amount: "number" }),
    tool("overdue_report", "Lists overdue loans."),
    tool("opening_hours", "Tells when the library is open.", { date: "string? YYYY-MM-DD, today by default" }),
  ],
  start(task) {
    const items = LIST.split("\n").map((line): Item => {
      const [code = "", title = "", author = "", kind = "", copies] = line.split("|");
      return { code, title, author, kind, copies: Number(copies), holds: [] };
    });
    const patrons = PATRONS.map(([card, name, junior, fines]): Patron => ({ card, name, junior, fines }));
    const loans: Loan[] = [
      { code: "B102", card: "L-2041", due: "2025-10-20", renewals: 0 },
      { code: "B105", card: "L-2041", due: "2025-10-08", renewals: 1 },
      { code: "D202", card: "L-2077", due: "2025-10-16", renewals: 0 },
      { code: "B106", card: "L-2118", due: "2025-10-30", renewals: 2 },
      { code: "B103", card: "L-3010", due: "2025-10-21", renewals: 0 },
    ];
    items.find(({ code }) => code === "B102")?.holds.push("L-2118");
    if (task.chance(0.4))
      loans.push({ code: "B109", card: "L-2077", due: day(TODAY, task.between(-9, 9)), renewals: 0 });
    if (task.chance(0.3)) items.find(({ code }) => code === "B106")?.holds.push("L-2041");
    const itemOf = (code: unknown) => {
      const found = items.find((one) => one.code === code);
      if (!found) throw new Refusal(`There is no item with the code ${code} in the catalogue.`);
      return found;
    };
    const patronOf = (card: unknown) => {
      const found = patrons.find((one) => one.card === card);
      if (!found) throw new Refusal(`Card ${card} is not registered at this library.`);
      return found;
    };
    const loanOf = (card: unknown, code: unknown) => {
      const [{ name }, { title }] = [patronOf(card), itemOf(code)];
      const found = loans.find((one) => one.card === card && one.code === code);
      if (!found) throw new Refusal(`${name} does not have "${title}" on loan.`);
      return found;
    };
    const onShelf = ({ code, copies }: Item) => copies - loans.filter((one) => one.code === code).length;
    const loansOf = (card: unknown) => loans.filter((one) => one.card === card);
    const late = ({ due }: Loan) => Math.max(0, (Date.parse(TODAY) - Date.parse(due)) / 86_400_000);
    const term = ({ kind }: Item) => (kind === "DVD" ? 7 : 21);
    const rate = ({ kind }: Item) => (kind === "DVD" ? 1 : 0.25);
    const limit = ({ junior }: Patron) => (junior ? 2 : 4);
    const handlers = {
      search_catalogue: ({ query, kind }: Args) => {
        const text = str(query).toLowerCase();
        const found = items.filter(
          (one) =>
            (kind === undefined || one.kind === kind) && `${one.title} ${one.author}`.toLowerCase().includes(text),
        );
        if (found.length === 0) return `Nothing in the catalogue matches "${query}".`;
        const lines = found.map(
          (one) =>
            `- ${one.code}: "${one.title}" by ${one.author} (${one.kind}), ${onShelf(one)} of ${one.copies} on the shelf`,
        );
        return [`I found ${count(found.length, "item")} for "${query}":`, ...lines].join("\n");
      },
      item_details: ({ code }: Args) => {
        const item = itemOf(code);
        const out = loans.filter((one) => one.code === code).map(({ due }) => due);
        const shelf = onShelf(item);
        return [
          `"${item.title}" by ${item.author} is a ${item.kind}${item.kind === "reference" ? " work that stays in the building" : ""}.`,
          `We own ${count(item.copies, "copy").replace("copys", "copies")}, ${shelf === 0 ? "none" : shelf} of which ${shelf === 1 ? "is" : "are"} on the shelf.`,
          ...(out.length > 0 ? [`The next one is due back on ${spoken(out.sort()[0] as string)}.`] : []),
          ...(item.holds.length > 0 ? [`${count(item.holds.length, "reader")} waiting.`] : []),
        ].join(" ");
      },
      card_summary: ({ card }: Args) => {
        const patron = patronOf(card);
        const own = loansOf(card);
        const held = items.filter(({ holds }) => holds.includes(patron.card));
        return [
          `${patron.name} (${patron.junior ? "junior" : "adult"} card ${patron.card}) has ${own.length} of ${limit(patron)} items on loan.`,
          ...own.map(
            (loan) =>
              `"${itemOf(loan.code).title}" ${late(loan) > 0 ? "was" : "is"} due on ${spoken(loan.due)}${late(loan) > 0 ? " and is overdue" : ""}.`,
          ),
          ...held.map(
            (item) =>
              `${patron.name} is number ${item.holds.indexOf(patron.card) + 1} in the queue for "${item.title}".`,
          ),
          patron.fines > 0 ? `Fines of ${money(patron.fines)} are outstanding.` : "No fines are outstanding.",
        ].join(" ");
      },
      check_out: ({ card, code }: Args) => {
        const [patron, item] = [patronOf(card), itemOf(code)];
        if (item.kind === "reference") throw new Refusal(`"${item.title}" is a reference work and cannot be borrowed.`);
        if (patron.fines > 10)
          throw new Refusal(
            `${patron.name} owes ${money(patron.fines)} and cannot borrow until fines are $10.00 or less.`,
          );
        if (loansOf(card).length >= limit(patron))
          throw new Refusal(`${patron.name} has reached the limit of ${limit(patron)} loans.`);
        if (onShelf(item) <= 0)
          throw new Refusal(`All copies of "${item.title}" are out. You can place a hold instead.`);
        const ahead = item.holds.indexOf(patron.card) < 0 ? item.holds.length : item.holds.indexOf(patron.card);
        if (ahead >= onShelf(item)) throw new Refusal(`The copy on the shelf is kept for another reader.`);
        const waited = item.holds.includes(patron.card);
        if (waited) item.holds.splice(item.holds.indexOf(patron.card), 1);
        const due = day(TODAY, term(item));
        loans.push({ code: item.code, card: patron.card, due, renewals: 0 });
        return `"${item.title}" is lent to ${patron.name} until ${spoken(due)}.${waited ? " The hold is fulfilled." : ""}`;
      },
      return_item: ({ card, code }: Args) => {
        const loan = loanOf(card, code);
        const [patron, item, days] = [patronOf(card), itemOf(code), late(loan)];
        loans.splice(loans.indexOf(loan), 1);
        patron.fines += days * rate(item);
        const next = patrons.find((one) => one.card === item.holds[0]);
        return [
          `Thank you, "${item.title}" is back${days > 0 ? ` ${count(days, "day")} late` : ""}.`,
          ...(days > 0
            ? [`A fine of ${money(days * rate(item))} was added; ${patron.name} now owes ${money(patron.fines)}.`]
            : []),
          ...(next ? [`Please put it on the hold shelf for ${next.name}.`] : []),
        ].join(" ");
      },
      renew: ({ card, code }: Args) => {
        const [loan, item] = [loanOf(card, code), itemOf(code)];
        if (item.holds.length > 0) throw new Refusal(`"${item.title}" cannot be renewed: someone is waiting for it.`);
        if (loan.renewals >= 2) throw new Refusal(`"${item.title}" has already been renewed twice.`);
        if (late(loan) > 0) throw new Refusal(`"${item.title}" is overdue and must be returned.`);
        loan.renewals += 1;
        loan.due = day(loan.due, term(item));
        return `"${item.title}" is now due on ${spoken(loan.due)}.`;
      },
      request_hold: ({ card, code }: Args) => {
        const [patron, item] = [patronOf(card), itemOf(code)];
        if (loansOf(card).some((one) => one.code === code))
          throw new Refusal(`${patron.name} already has "${item.title}" on loan.`);
        if (item.holds.includes(patron.card))
          throw new Refusal(`${patron.name} already has a hold on "${item.title}".`);
        if (onShelf(item) > item.holds.length)
          throw new Refusal(`"${item.title}" is on the shelf and can be borrowed right away.`);
        item.holds.push(patron.card);
        return `${patron.name} is number ${item.holds.length} in the queue for "${item.title}".`;
      },
      cancel_hold: ({ card, code }: Args) => {
        const [patron, item] = [patronOf(card), itemOf(code)];
        const at = item.holds.indexOf(patron.card);
        if (at < 0) throw new Refusal(`${patron.name} has no hold on "${item.title}".`);
        item.holds.splice(at, 1);
        return `The hold on "${item.title}" was cancelled.`;
      },
      pay_fine: ({ card, amount }: Args) => {
        const patron = patronOf(card);
        const paid = num(amount);
        if (!(paid > 0)) throw new Refusal("The amount must be more than zero.");
        if (paid > patron.fines) throw new Refusal(`${patron.name} owes only ${money(patron.fines)}.`);
        patron.fines -= paid;
        return `Received ${money(paid)}. ${patron.fines === 0 ? "The account is clear." : `${money(patron.fines)} remains.`}`;
      },
      overdue_report: () => {
        const found = loans.filter((one) => late(one) > 0);
        if (found.length === 0) return "No loans are overdue today.";
        const lines = found.map(
          (one) => `- ${patronOf(one.card).name}: "${itemOf(one.code).title}", ${count(late(one), "day")} late`,
        );
        return [`As of ${spoken(TODAY)}, ${count(found.length, "loan")} overdue:`, ...lines].join("\n");
      },
      opening_hours: ({ date }: Args) => {
        const on = str(date, TODAY);
        if (Number.isNaN(Date.parse(on))) throw new Refusal(`I do not understand the date "${date}".`);
        const weekday = new Date(on).getUTCDay();
        if (weekday === 0) return `The library is closed on ${spoken(on)}.`;
        return `On ${spoken(on)} the library is open from ${weekday === 6 ? "10:00 to 14:00" : "9:00 to 19:00"}.`;
      },
    };
    const kind = task.between(0, 6);
    const borrowers = patrons.filter((one) => loansOf(one.card).length > 0);
    const { card, name } = task.pick([1, 2, 5].includes(kind) ? borrowers : patrons);
    const item = task.pick(items);
    const other = task.pick(patrons.filter((one) => one.card !== card));
    const word = task.pick(["river", "bread", "night", "marlow", "reyk", "orchard"]);
    const amount = task.pick([1, 2.5, 5, 11.25]);
    const wishes = [
      `${name} (${card}) would like something about "${word}", and wants to know when it has to be back.`,
      `${name} (${card}) brings everything back today.`,
      `${name} (${card}) wants to keep all loans for longer.`,
      `${name} (${card}) wants "${item.title}" (${item.code}) as soon as it can be had.`,
      `${name} (${card}) pays ${money(amount)} of fines and then borrows "${item.title}".`,
      `Who is late? And can ${name} (${card}) still renew?`,
      `${other.name} (${other.card}) no longer waits for "${item.title}" (${item.code}); ${name} (${card}) takes it.`,
    ];
    const codesIn = (answer: unknown) => [...str(answer).matchAll(/[BDR]\d{3}/g)].map(([code]) => code);
    const own = loansOf(card).map(({ code }) => code);
    function* plan(): Plan {
      yield call("card_summary", { card });
      if (kind === 0) {
        const codes = codesIn(yield call("search_catalogue", { query: word, kind: task.pick([undefined, "book"]) }));
        for (const code of codes.slice(0, 3)) {
          yield call("item_details", { code });
          yield call("check_out", { card, code });
        }
        yield call("card_summary", { card });
        yield call("opening_hours");
      } else if (kind === 1) {
        for (const code of own) yield call("item_details", { code });
        for (const code of own) yield call("return_item", { card, code });
        yield call("card_summary", { card });
        yield call("overdue_report");
      } else if (kind === 2) {
        for (const code of own) yield call("renew", { card, code });
        for (const code of own) yield call("item_details", { code });
        yield call("card_summary", { card });
        yield call("opening_hours", { date: task.pick([undefined, "2025-10-18", "2025-10-19"]) });
      } else if (kind === 3) {
        yield call("search_catalogue", { query: item.title });
        yield call("item_details", { code: item.code });
        const lent = str(yield call("check_out", { card, code: item.code }));
        if (!lent.includes("is lent")) yield call("request_hold", { card, code: item.code });
        yield call("item_details", { code: item.code });
        yield call("card_summary", { card });
      } else if (kind === 4) {
        yield call("pay_fine", { card, amount });
        yield call("search_catalogue", { query: item.title });
        yield call("check_out", { card, code: item.code });
        yield call("card_summary", { card });
        yield call("opening_hours");
      } else if (kind === 5) {
        yield call("overdue_report");
        if (own[0] !== undefined) yield call("renew", { card, code: own[0] });
        yield call("card_summary", { card });
        yield call("card_summary", { card: other.card });
        yield call("item_details", { code: item.code });
      } else {
        yield call("item_details", { code: item.code });
        yield call("cancel_hold", { card: other.card, code: item.code });
        yield call("check_out", { card, code: item.code });
        yield call("card_summary", { card: other.card });
        yield call("item_details", { code: item.code });
      }
    }
    return {
      request: `Today is ${TODAY}. ${wishes[kind]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("card_summary", { card: random.pick([card, other.card, "L-9999"]) }),
          call("item_details", { code: random.pick([...items.map(({ code }) => code), "B999"]) }),
          call("search_catalogue", { query: random.pick([word, "ice", "marlow", "zebra"]) }),
          call("opening_hours", { date: random.pick([undefined, "2025-10-19", "tomorrow"]) }),
          call("check_out", { card, code: random.pick(["R301", "B106", "D203"]) }),
          call("request_hold", { card, code: random.pick(["B102", "B106"]) }),
        ]),
    };
  },
};

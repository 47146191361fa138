import { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Account, type Bank, type Card, type Customer, cardShown, cents, type Transaction } from "./bank.ts";

const FIRST = ["Iris", "Jon", "Kaya", "Liam", "Mona", "Nils", "Olga"];
const LAST = ["Marsh", "Novak", "Okoye", "Price", "Quist"];
const MERCHANTS = ["Corner Bakery", "Rail & Go", "Bluebird Books", "Fuel Stop", "Garden World", "Night Pharmacy"];
const MODELS = ["Fold 3", "Slate 12", "Pebble X"];
const TIERS = ["basic", "plus", "premier"] as const;
/** How many customers ask about their phone. */
export const HOLDERS = 14;
const CUSTOMERS = 40;

/** A customer with one or two accounts, a card on each, and what was paid from them. */
function addCustomer(bank: Pick<Bank, "customers" | "accounts" | "cards" | "transactions">, i: number, random: Random) {
  const customer_id = `cus_${7100 + i * 3}`;
  const first = FIRST[i % FIRST.length] as string;
  const last = LAST[i % LAST.length] as string;
  const row: Customer = {
    customer_id,
    name: { first, last },
    postcode: `N${random.int(10, 99)}`,
    email: `${first}.${last}${i}@post.test`.toLowerCase(),
    tier: random.pick(TIERS),
    online_access: "enabled",
    travel_notice: null,
    devices: [0, 1]
      .slice(0, 1 + (i % 2))
      .map((n) => ({ device_id: `dev-${i}${n}`, model: random.pick(MODELS), trusted: n === 0 })),
    account_ids: [],
    card_ids: [],
  };
  for (let n = 0; n < (i % 3 ? 2 : 1); n++) {
    const [account_id, card_id] = [`AC-${40010 + i * 10 + n}`, `card_${5500 + i * 7 + n}`];
    row.account_ids.push(account_id);
    row.card_ids.push(card_id);
    bank.accounts.set(account_id, accountRow(account_id, customer_id, n, random));
    bank.cards.set(card_id, cardRow(card_id, account_id, n, random));
    for (let t = 0; t < 3 + n; t++) {
      const paid = transactionRow(`tx${90000 + i * 20 + n * 10 + t}`, account_id, t, random);
      bank.transactions.set(paid.transaction_id, paid);
    }
  }
  bank.customers.set(customer_id, row);
}

function accountRow(account_id: string, customer_id: string, n: number, random: Random): Account {
  const balance = cents(random.int(20000, 480000) / 100);
  return { account_id, customer_id, type: n ? "savings" : "current", balance, status: "open" };
}

function cardRow(card_id: string, account_id: string, n: number, random: Random): Card {
  return {
    card_id,
    account_id,
    last4: String(random.int(1000, 9999)),
    status: n && random.chance(0.2) ? "lost" : "active",
    daily_limit: random.pick([300, 500, 1000]),
    spent_today: random.int(0, 80),
    features: { contactless: true, online: random.chance(0.8), abroad: random.chance(0.6) },
  };
}

function transactionRow(transaction_id: string, account_id: string, t: number, random: Random): Transaction {
  return {
    transaction_id,
    account_id,
    date: `2026-04-${String(3 + t * 5 + random.int(0, 4)).padStart(2, "0")}`,
    amount: cents(random.int(300, 16000) / 100),
    merchant: random.pick(MERCHANTS),
    status: "posted",
  };
}

/** The bank's records as they are before anything happened, with the phone of one of its customers in order. */
export function bankOf(at: number): Bank {
  const random = new Random(4242);
  const tables = { customers: new Map(), accounts: new Map(), cards: new Map(), transactions: new Map() } as Pick<
    Bank,
    "customers" | "accounts" | "cards" | "transactions"
  >;
  for (let i = 0; i < CUSTOMERS; i++) addCustomer(tables, i, random);
  const holder = [...tables.customers.values()][at] as Customer;
  const card = tables.cards.get(holder.card_ids[0] as string) as Card;
  const phone: Bank["phone"] = {
    airplane: false,
    wifi: true,
    data: true,
    roaming: false,
    abroad: false,
    vpn: false,
    nfc: true,
    automaticTime: true,
    version: "8.1",
    signedIn: true,
    biometrics: true,
    forgotten: false,
    wrongPins: 0,
    wallet: "ready",
    permissions: { notifications: true, location: true, camera: false },
    shown: cardShown(card),
  };
  const account = tables.accounts.get(card.account_id) as Account;
  return { ...tables, disputes: new Map(), phone, holder, card, account };
}

import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { type Account, type Bank, type Card, type Customer, cents, type Feature, Refusal, type Tool } from "./bank.ts";

const shown = (row: unknown): Json => JSON.parse(JSON.stringify(row)) as Json;

/** The most that a card may be allowed to spend in a day. */
const HIGHEST: Record<Customer["tier"], number> = { basic: 1000, plus: 2500, premier: 5000 };

function found<T>(rows: ReadonlyMap<string, T>, what: string, id: Json | undefined): T {
  const row = rows.get(String(id));
  if (!row) throw new Refusal(`No ${what} with id ${String(id)}`);
  return row;
}

const customerOf = ({ customers }: Bank, { customer_id }: JsonObject) => found(customers, "customer", customer_id);
const cardOf = ({ cards }: Bank, { card_id }: JsonObject): Card => found(cards, "card", card_id);
const accountOf = ({ accounts }: Bank, id: Json | undefined): Account => found(accounts, "account", id);
const ownerOf = (bank: Bank, account_id: string): Customer =>
  found(bank.customers, "customer", accountOf(bank, account_id).customer_id);

/** What the bank's staff can look up: every tool is told ids. */
const LOOKUPS: Record<string, Tool> = {
  find_customer_by_email: ({ customers }, { email }) => {
    const row = [...customers.values()].find((customer) => customer.email === email);
    if (!row) throw new Refusal(`No customer uses ${String(email)}`);
    return shown(row);
  },
  search_customers: ({ customers }, { last_name, postcode }) =>
    [...customers.values()]
      .filter((row) => row.name.last === last_name && row.postcode === postcode)
      .map(({ customer_id, name, tier }) => ({ customer_id, full_name: `${name.first} ${name.last}`, tier })),
  get_customer: (bank, args) => shown(customerOf(bank, args)),
  get_account: (bank, { account_id }) => shown(accountOf(bank, account_id)),
  get_card: (bank, args) => shown(cardOf(bank, args)),
  list_cards: (bank, args) => customerOf(bank, args).card_ids.map((id) => shown(bank.cards.get(id))),
  list_transactions: (bank, { account_id, status }) => {
    const account = accountOf(bank, account_id);
    const own = [...bank.transactions.values()].filter((row) => row.account_id === account.account_id);
    const rows = own.filter((row) => status === undefined || row.status === status).reverse();
    return { account_id: account.account_id, count: rows.length, transactions: shown(rows) };
  },
  list_disputes: (bank, args) => {
    const { customer_id } = customerOf(bank, args);
    return shown([...bank.disputes.values()].filter((row) => row.customer_id === customer_id));
  },
};

/** What they can do to cards and money. */
const CARDS_AND_MONEY: Record<string, Tool> = {
  freeze_card: (bank, args) => {
    const card = cardOf(bank, args);
    if (card.status !== "active") throw new Refusal(`Card is ${card.status}`);
    card.status = "frozen";
    return { card_id: card.card_id, status: card.status };
  },
  unfreeze_card: (bank, args) => {
    const card = cardOf(bank, args);
    if (card.status === "lost") throw new Refusal("A lost card must be replaced");
    if (card.status === "active") throw new Refusal("Card is active");
    card.status = "active";
    return { card_id: card.card_id, status: card.status };
  },
  set_card_limit: (bank, args) => {
    const card = cardOf(bank, args);
    const { tier } = ownerOf(bank, card.account_id);
    const limit = Number(args.limit);
    if (limit > HIGHEST[tier]) throw new Refusal(`The ${tier} tier allows at most ${HIGHEST[tier]}`);
    card.daily_limit = limit;
    return shown(card);
  },
  set_card_feature: (bank, { card_id, feature, enabled }) => {
    const card = cardOf(bank, { card_id: card_id as Json });
    if (card.status !== "active") throw new Refusal(`Card is ${card.status}`);
    card.features[feature as Feature] = enabled === true;
    return { card_id: card.card_id, features: shown(card.features) };
  },
  move_money: (bank, { from_account, to_account, amount }) => {
    const [from, to] = [accountOf(bank, from_account), accountOf(bank, to_account)];
    if (from.customer_id !== to.customer_id) throw new Refusal("Both accounts must be the same customer's");
    if (from.balance < Number(amount)) throw new Refusal("Insufficient funds");
    from.balance = cents(from.balance - Number(amount));
    to.balance = cents(to.balance + Number(amount));
    return { moved: Number(amount), from_balance: from.balance, to_balance: to.balance };
  },
  open_dispute: (bank, { transaction_id, reason }) => {
    const row = found(bank.transactions, "transaction", transaction_id);
    if (row.status !== "posted") throw new Refusal(`Transaction is ${row.status}`);
    row.status = "disputed";
    const dispute = {
      dispute_id: `dsp_${610 + bank.disputes.size}`,
      transaction_id: row.transaction_id,
      customer_id: ownerOf(bank, row.account_id).customer_id,
      reason: String(reason),
      status: "open" as const,
    };
    bank.disputes.set(dispute.dispute_id, dispute);
    return shown(dispute);
  },
};

/** What they can do to a customer's access. */
const ACCESS: Record<string, Tool> = {
  add_travel_notice: (bank, args) => {
    const customer = customerOf(bank, args);
    if (customer.travel_notice) throw new Refusal(`A notice for ${customer.travel_notice.country} is there already`);
    customer.travel_notice = { country: String(args.country), until: String(args.until) };
    return { customer_id: customer.customer_id, travel_notice: shown(customer.travel_notice) };
  },
  trust_device: (bank, args) => {
    const customer = customerOf(bank, args);
    const device = customer.devices.find(({ device_id }) => device_id === args.device_id);
    if (!device) throw new Refusal(`Device ${String(args.device_id)} is not registered`);
    if (device.trusted) throw new Refusal("Device is trusted already");
    device.trusted = true;
    return shown(customer.devices);
  },
  restore_online_access: (bank, args) => {
    const customer = customerOf(bank, args);
    if (customer.online_access !== "suspended") throw new Refusal(`Online access is ${customer.online_access}`);
    customer.online_access = "enabled";
    return { customer_id: customer.customer_id, online_access: customer.online_access };
  },
  reset_app_pin: (bank, args) => {
    const customer = customerOf(bank, args);
    if (customer.online_access === "suspended") throw new Refusal("Online access is suspended");
    customer.online_access = "reset_pending";
    return "The customer can now choose a new PIN in the app.";
  },
  hand_over: () => "Handed over to a specialist",
};

/** Every tool of the bank's staff. */
export const STAFF: Record<string, Tool> = { ...LOOKUPS, ...CARDS_AND_MONEY, ...ACCESS };

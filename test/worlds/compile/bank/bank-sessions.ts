import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Bank, Refusal } from "./bank.ts";
import { type Ask, FAULTS } from "./bank-faults.ts";
import { PHONE } from "./bank-phone.ts";
import { bankOf, HOLDERS } from "./bank-records.ts";
import { STAFF } from "./bank-staff.ts";

/** How an agent goes about a task: it looks at everything first, acts at once, or tests after every step. */
export type Agent = "thorough" | "brisk" | "stepwise";
/** What an agent asks next, told the answer to what it asked before. */
type Session = Generator<Ask, void, ObservedCall>;

/** What one task starts with: a customer's phone, and one to four things that are wrong. */
function taskOf(task: number): { bank: Bank; faults: readonly string[] } {
  const random = new Random(8800 + task);
  const bank = bankOf((task * 5) % HOLDERS);
  const { phone } = bank;
  Object.assign(phone, { wifi: random.chance(0.75), biometrics: random.chance(0.7) });
  phone.permissions.camera = random.chance(0.3);
  const faults = random.shuffle(Object.keys(FAULTS)).slice(0, random.int(1, 4));
  for (const fault of faults) FAULTS[fault]?.befall(bank);
  return { bank, faults };
}

const TESTS: readonly Ask[] = [
  ["test_payment", {}],
  ["test_transfer", {}],
  ["test_push", {}],
];
const LOOKS: readonly Ask[] = [
  ["look_at_status_bar", {}],
  ["check_connection", {}],
  ["check_app", {}],
  ["check_sign_in", {}],
  ["check_card_screen", {}],
  ["check_wallet", {}],
  ["check_clock", {}],
  ["check_approvals", {}],
  ["run_diagnosis", {}],
  ["check_permission", { permission: "notifications" }],
  ["check_permission", { permission: "location" }],
];

function identified({ holder }: Bank, random: Random): Ask[] {
  const { customer_id, email, name, postcode } = holder;
  const how = random.int(1, 20);
  if (how <= 12) return [["find_customer_by_email", { email }]];
  if (how <= 15) return [["get_customer", { customer_id }]];
  const search: Ask[] = [
    ["search_customers", { last_name: name.last, postcode }],
    ["get_customer", { customer_id }],
  ];
  return how <= 18 ? search : [["find_customer_by_email", { email: `x.${email}` }], ...search];
}

function lookups({ holder, card, account }: Bank, random: Random): Ask[] {
  const { customer_id, account_ids } = holder;
  const all: Ask[] = [
    ["list_cards", { customer_id }],
    ["get_card", { card_id: card.card_id }],
    ["get_account", { account_id: account.account_id }],
    ["get_account", { account_id: account_ids.at(-1) ?? "" }],
    ["list_transactions", { account_id: account.account_id }],
    ["list_transactions", { account_id: account.account_id, status: random.pick(["held", "posted", "disputed"]) }],
    ["list_disputes", { customer_id }],
  ];
  return all.filter((_, i) => random.chance([0.7, 0.5, 0.7, 0.4, 0.5, 0.35, 0.3][i] as number));
}

/** Something that no fault asks for. */
function aside({ holder, card, account, transactions }: Bank, random: Random): Ask {
  const { customer_id } = holder;
  const own = [...transactions.values()].filter(({ account_id }) => account_id === account.account_id);
  const asides: Ask[] = [
    ["toggle_wifi", {}],
    ["toggle_airplane_mode", {}],
    ["toggle_biometrics", {}],
    ["toggle_vpn", {}],
    ["restart_phone", {}],
    ["reinstall_app", {}],
    ["refresh_app", {}],
    ["set_time_automatically", {}],
    ["allow_permission", { permission: random.pick(["camera", "contacts", "location"]) }],
    ["approve_payment", {}],
    ["freeze_card", { card_id: card.card_id }],
    ["set_card_limit", { card_id: card.card_id, limit: random.pick([400, 1500, 3000]) }],
    ["set_card_feature", { card_id: card.card_id, feature: "online", enabled: random.chance(0.7) }],
    ["open_dispute", { transaction_id: random.pick(own).transaction_id, reason: random.pick(["twice", "unknown"]) }],
    ["add_travel_notice", { customer_id, country: "Italy", until: "2026-07-01" }],
    ["reset_app_pin", { customer_id }],
  ];
  return random.pick(asides);
}

const signedOut = ({ result }: ObservedCall): boolean => String(result).includes("sign in to the app first");
const offline = ({ result }: ObservedCall): boolean => String(result).includes("no internet connection");

/** One step, and what an agent does where it is refused for want of a sign-in or of a connection. */
function* tried(step: Ask, random: Random): Session {
  const answer = yield step;
  if (offline(answer)) yield random.chance(0.5) ? ["check_connection", {}] : ["look_at_status_bar", {}];
  if (!signedOut(answer) || random.chance(0.3)) return;
  const entered = yield ["sign_in", { method: random.chance(0.7) ? "pin" : "biometrics" }];
  if (!entered.isError) yield step;
}

/** Mends one fault after the other; an agent that goes stepwise tests what the customer complained of each time. */
function* mended(bank: Bank, order: readonly string[], agent: Agent, random: Random): Session {
  for (const fault of order) {
    const known = FAULTS[fault];
    for (const step of known?.mend(bank, random) ?? []) {
      yield* tried(step, random);
      if (agent === "stepwise" && random.chance(0.3)) yield [known?.complaint ?? "test_push", {}];
      if (agent === "thorough" && random.chance(0.25)) yield random.pick(LOOKS);
    }
    if (random.chance({ thorough: 0.8, brisk: 0.4, stepwise: 0.9 }[agent])) yield [known?.complaint ?? "test_push", {}];
    if (random.chance(0.1)) yield* tried(aside(bank, random), random);
    if (random.chance(0.25)) yield random.pick([...lookups(bank, random), ...LOOKS.slice(0, 5)]);
  }
}

/** Who is it, what is there, what is wrong; then everything is mended and tried. */
function* session({ bank, faults }: ReturnType<typeof taskOf>, agent: Agent, random: Random): Session {
  yield* identified(bank, random);
  const [rows, looks] = [lookups(bank, random), random.shuffle(LOOKS)];
  if (agent === "thorough") yield* [...rows, ...looks.slice(0, random.int(8, 10)), ...random.shuffle(TESTS)];
  if (agent === "brisk") yield* [random.pick(TESTS), ...rows.slice(0, 2), ...looks.slice(0, random.int(2, 4))];
  if (agent === "stepwise") yield* [...random.shuffle(TESTS), ...rows, ...looks.slice(0, random.int(3, 5))];
  const order = agent === "thorough" ? faults : agent === "brisk" ? random.shuffle(faults) : [...faults].reverse();
  yield* mended(bank, order, agent, random);
  for (const test of TESTS) {
    const answer = yield test;
    if (String(answer.result).includes("signed out") && random.chance(0.6)) {
      yield* tried(["sign_in", { method: "pin" }], random);
      yield test;
    }
  }
  yield* random.shuffle(LOOKS).slice(0, random.int(0, 3));
  if (random.chance(0.15)) yield ["hand_over", { summary: `${faults.join(" and ")}, call ${random.int(1, 999)}` }];
}

function answered(bank: Bank, [tool, args]: Ask): ObservedCall {
  const call = STAFF[tool] ?? PHONE[tool];
  if (!call) throw new Error(`no tool ${tool}`);
  try {
    const value = call(bank, args);
    return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { tool, args, result: `Error: ${error.message}`, isError: true };
  }
}

function recorded(bank: Bank, asked: Session): ObservedCall[] {
  const calls: ObservedCall[] = [];
  for (let next = asked.next(); !next.done; ) {
    const call = answered(bank, next.value);
    calls.push(call);
    next = asked.next(call);
  }
  return calls;
}

/** Runs of one agent over the tasks from `first` on, one after the other. */
export function bankSessions(agent: Agent, seed: number, n: number, tasks: number, first = 0): ObservedTrace[] {
  const random = new Random(seed);
  return Array.from({ length: n }, (_, i) => {
    const number = first + (i % tasks);
    const task = taskOf(number);
    const calls = recorded(task.bank, session(task, agent, random));
    return { id: `bank-${agent}-${seed}-${String(i).padStart(4, "0")}`, group: `task ${number}`, calls };
  });
}

/** The bank's records as an export gives them: before any task has begun. */
export function bankExport(): Record<string, Json> {
  const { customers, accounts, cards, transactions } = bankOf(0);
  const rows = (table: ReadonlyMap<string, unknown>) => JSON.parse(JSON.stringify(Object.fromEntries(table))) as Json;
  return {
    customers: rows(customers),
    accounts: rows(accounts),
    cards: rows(cards),
    transactions: rows(transactions),
  } satisfies JsonObject;
}

/** Sessions on a phone where nothing is wrong, of customers at random: what is done first, and the calls to compare. */
export function bankProbes(seed: number, n: number): { setup: ObservedCall[]; probes: ObservedCall[] }[] {
  const random = new Random(seed);
  return Array.from({ length: n }, () => {
    const bank = bankOf(random.int(0, HOLDERS - 1));
    const setup = identified(bank, random).map((ask) => answered(bank, ask));
    for (let k = random.int(2, 6); k > 0; k--) setup.push(answered(bank, aside(bank, random)));
    const looks = random.shuffle([...lookups(bank, random), ...TESTS, ...LOOKS]).slice(0, 4);
    return { setup, probes: looks.map((ask) => answered(bank, ask)) };
  });
}

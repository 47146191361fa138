import type { Json, JsonObject } from "../../../../worlds/json.ts";

export interface Contract {
  contract_id: string;
  customer_id: string;
  tariff_id: string;
  meter_id: string;
  status: "Active" | "Suspended" | "Closed";
  suspended_on: string | null;
  options: { boost: boolean; night_rate: boolean };
  used_kwh: number;
  extra_kwh: number;
  load_limit_kw: number;
}
interface Bill {
  bill_id: string;
  customer_id: string;
  issued_on: string;
  total: number;
  status: "Paid" | "Issued" | "Overdue" | "Awaiting Payment";
}
interface Customer {
  customer_id: string;
  full_name: string;
  birth_date: string;
  phone: string;
  email: string;
  contract_ids: string[];
  bill_ids: string[];
  credit: number;
}
type Mode = "home" | "away" | "night";
export type App = "meter" | "boost";
export type Permission = "network" | "storage";

/** What a customer's gateway is set to; every task finds another. */
export interface Gateway {
  breaker: boolean;
  wifi: boolean;
  signal: "strong" | "weak";
  token: "valid" | "expired" | "missing";
  lock: boolean;
  eco: boolean;
  proxy: boolean;
  mode: Mode;
  target: number;
  firmware: "2.0" | "2.1";
  pending: boolean;
  readonly apps: Record<App, Record<Permission, boolean>>;
}

/** A supplier's records, and the gateway in the home of one of its customers. */
export interface Supplier {
  readonly customers: Map<string, Customer>;
  readonly contracts: Map<string, Contract>;
  readonly bills: Map<string, Bill>;
  readonly meters: Map<string, JsonObject>;
  readonly tariffs: Map<
    string,
    { tariff_id: string; name: string; included_kwh: number; kwh_price: number; kw: number }
  >;
  readonly gateway: Gateway;
  /** The contract of the home that the gateway stands in. */
  readonly home: Contract;
  visits: number;
}

export class Refusal extends Error {}

const TODAY = "2026-03-01";
const shown = (row: unknown): Json => JSON.parse(JSON.stringify(row)) as Json;
const onOff = (on: boolean): string => (on ? "ON" : "OFF");
export const cents = (value: number): number => Math.round(value * 100) / 100;

function found<T>(rows: ReadonlyMap<string, T>, what: string, id: Json | undefined): T {
  const row = rows.get(String(id));
  if (!row) throw new Refusal(`${what} ${String(id)} not found`);
  return row;
}

const customerOf = ({ customers }: Supplier, { customer_id }: JsonObject) => found(customers, "Customer", customer_id);

function contractOf(supplier: Supplier, args: JsonObject): Contract {
  const contract = found(supplier.contracts, "Contract", args.contract_id);
  if (contract.customer_id !== customerOf(supplier, args).customer_id)
    throw new Refusal(`Contract ${contract.contract_id} is not one of this customer's`);
  return contract;
}

const supplied = ({ gateway, home }: Supplier): boolean => gateway.breaker && home.status === "Active";
const linked = (supplier: Supplier): boolean =>
  supplied(supplier) && supplier.gateway.wifi && supplier.gateway.token === "valid";

function exceeded({ home, tariffs }: Supplier): boolean {
  return home.used_kwh > (tariffs.get(home.tariff_id)?.included_kwh ?? 0) + home.extra_kwh;
}

function screen(supplier: Supplier): string {
  const { gateway } = supplier;
  if (!supplied(supplier)) return "Screen: No Power | Backup Battery 64%";
  const parts = [gateway.wifi ? "Wi-Fi" : "No Wi-Fi"];
  if (linked(supplier)) parts.push("Linked");
  if (gateway.lock) parts.push("Locked");
  if (gateway.eco) parts.push("Eco");
  if (gateway.proxy) parts.push("Proxy");
  return `Screen: ${[...parts, `${gateway.target} C`].join(" | ")}`;
}

function speed(supplier: Supplier): number {
  const { signal, proxy, eco } = supplier.gateway;
  return (signal === "strong" ? 60 : 6) / (proxy ? 10 : 1) / (eco ? 2 : 1);
}

const rated = (rate: number): string => (rate >= 30 ? "Excellent" : rate >= 5 ? "Good" : "Poor");

function boost(supplier: Supplier): string {
  const { gateway, home } = supplier;
  if (!linked(supplier)) return "Boost test failed: the gateway is not linked.";
  if (!home.options.boost) return "Boost test failed: boost is not part of the contract.";
  if (exceeded(supplier)) return "Boost test failed: the allowance is used up.";
  const { network, storage } = gateway.apps.boost;
  if (!network || !storage) return "Boost test failed: the app lacks a permission.";
  return "Boost test passed.";
}

function switched(supplier: Supplier, name: "breaker" | "wifi" | "lock" | "eco", words: string): string {
  if (gatewayLocked(supplier, name)) throw new Refusal("The gateway is locked by the child lock.");
  supplier.gateway[name] = !supplier.gateway[name];
  return `${words} is now ${onOff(supplier.gateway[name])}.\n${screen(supplier)}`;
}

const gatewayLocked = ({ gateway }: Supplier, name: string): boolean =>
  gateway.lock && (name === "eco" || name === "mode");

/** What the customer sees and does at the gateway: no argument names it. */
export const DEVICE: Record<string, (supplier: Supplier, args: JsonObject) => Json> = {
  view_screen: screen,
  check_supply: (supplier) =>
    !supplier.gateway.breaker
      ? "Supply: off, the main breaker is open."
      : supplier.home.status === "Active"
        ? `Supply: on, up to ${supplier.home.load_limit_kw} kW.`
        : "Supply: cut off by the supplier.",
  check_network: ({ gateway }) =>
    `Wi-Fi: ${onOff(gateway.wifi)}\nSignal: ${gateway.wifi ? gateway.signal : "none"}\nToken: ${gateway.token}\nProxy: ${gateway.proxy ? "on" : "off"}`,
  check_heating: ({ gateway }) =>
    `Mode: ${gateway.mode}\nTarget: ${gateway.target} C\nEco: ${onOff(gateway.eco)}\nChild Lock: ${onOff(gateway.lock)}`,
  check_firmware: ({ gateway }) =>
    `Firmware ${gateway.firmware}. ${gateway.pending ? "An update waits for a restart." : "No update waits."}`,
  check_app_permissions: ({ gateway }, { app }) => {
    const { network, storage } = gateway.apps[app as App] ?? {};
    if (network === undefined) throw new Refusal(`App ${String(app)} is not installed`);
    return `Network: ${network ? "allowed" : "denied"}\nStorage: ${storage ? "allowed" : "denied"}`;
  },
  check_payment_request: ({ bills, home }) => {
    const bill = [...bills.values()].find((b) => b.customer_id === home.customer_id && b.status === "Awaiting Payment");
    return bill
      ? `You have a payment request:\nBill: ${bill.bill_id}\nAmount: ${bill.total.toFixed(2)} EUR`
      : "You have no payment request.";
  },
  run_speed_test: (supplier) =>
    linked(supplier)
      ? `Speed test: ${speed(supplier)} Mbps, ${rated(speed(supplier))}.`
      : "Speed test failed: no connection.",
  run_boost_test: boost,
  toggle_breaker: (supplier) => switched(supplier, "breaker", "The main breaker"),
  toggle_wifi: (supplier) => switched(supplier, "wifi", "Wi-Fi"),
  toggle_child_lock: (supplier) => switched(supplier, "lock", "The child lock"),
  toggle_eco: (supplier) => switched(supplier, "eco", "Eco mode"),
  set_mode: (supplier, { mode }) => {
    if (gatewayLocked(supplier, "mode")) throw new Refusal("The gateway is locked by the child lock.");
    supplier.gateway.mode = mode as Mode;
    if (mode === "away") supplier.gateway.target = 16;
    return `The mode is set to ${String(mode)}.\n${screen(supplier)}`;
  },
  renew_token: (supplier) => {
    if (supplier.gateway.token === "missing") throw new Refusal("No token is installed: restart the gateway first.");
    supplier.gateway.token = "valid";
    return `The token was renewed.\n${screen(supplier)}`;
  },
  remove_proxy: ({ gateway }) => {
    if (!gateway.proxy) throw new Refusal("No proxy is set.");
    gateway.proxy = false;
    return "The proxy was removed.";
  },
  grant_app_permission: ({ gateway }, { app, permission }) => {
    const of = gateway.apps[app as App];
    if (!of) throw new Refusal(`App ${String(app)} is not installed`);
    of[permission as Permission] = true;
    return `The app ${String(app)} may now use: ${String(permission)}.`;
  },
  update_firmware: ({ gateway }) => {
    if (gateway.firmware === "2.1") throw new Refusal("The firmware is up to date.");
    gateway.pending = true;
    return "The update is installed at the next restart.";
  },
  restart_gateway: (supplier) => {
    const { gateway } = supplier;
    if (gateway.pending) gateway.firmware = "2.1";
    gateway.pending = false;
    if (gateway.token === "missing") gateway.token = "expired";
    return `The gateway was restarted.\n${screen(supplier)}`;
  },
  make_payment: ({ bills, home }) => {
    const bill = [...bills.values()].find((b) => b.customer_id === home.customer_id && b.status === "Awaiting Payment");
    if (!bill) throw new Refusal("You have no payment request.");
    bill.status = "Paid";
    return `Payment of ${bill.total.toFixed(2)} EUR for bill ${bill.bill_id} was made.`;
  },
};

function setOption(supplier: Supplier, args: JsonObject, on: boolean): Json {
  const contract = contractOf(supplier, args);
  const option = args.option as "boost" | "night_rate";
  if (contract.status !== "Active") throw new Refusal("Options can be changed on active contracts only");
  if (contract.options[option] === on) throw new Refusal(`${option} is ${on ? "enabled" : "disabled"} already`);
  contract.options[option] = on;
  return { message: `${option} ${on ? "enabled" : "disabled"}`, contract: shown(contract) };
}

/** What the supplier's staff can look up and do: every tool is told ids. */
export const STAFF: Record<string, (supplier: Supplier, args: JsonObject) => Json> = {
  get_customer_by_id: (supplier, args) => shown(customerOf(supplier, args)),
  get_customer_by_phone: ({ customers }, { phone }) => {
    const row = [...customers.values()].find((customer) => customer.phone === phone);
    if (!row) throw new Refusal(`No customer has the phone number ${String(phone)}`);
    return shown(row);
  },
  get_customers_by_name: ({ customers }, { full_name, birth_date }) =>
    shown([...customers.values()].filter((c) => c.full_name === full_name && c.birth_date === birth_date)),
  get_details_by_id: ({ customers, contracts, bills, meters, tariffs }, { id }) => {
    const tables = { C: customers, K: contracts, B: bills, M: meters, T: tariffs } as const;
    const rows: ReadonlyMap<string, unknown> | undefined = tables[String(id)[0] as keyof typeof tables];
    return shown(found(rows ?? new Map(), "Id", id));
  },
  list_bills: (supplier, args) => {
    const { customer_id } = customerOf(supplier, args);
    const own = [...supplier.bills.values()].filter((bill) => bill.customer_id === customer_id);
    own.sort((a, b) => (a.issued_on < b.issued_on ? 1 : -1));
    return shown(own.slice(0, Number(args.limit ?? 12)));
  },
  list_tariffs: ({ tariffs }) => shown([...tariffs.values()]),
  get_usage: (supplier, args) => {
    const { used_kwh, extra_kwh, tariff_id } = contractOf(supplier, args);
    return { used_kwh, extra_kwh, included_kwh: supplier.tariffs.get(tariff_id)?.included_kwh ?? 0 };
  },
  suspend_contract: (supplier, args) => {
    const contract = contractOf(supplier, args);
    if (contract.status !== "Active") throw new Refusal("Only active contracts can be suspended");
    Object.assign(contract, { status: "Suspended", suspended_on: TODAY });
    return { message: "Contract suspended", contract: shown(contract) };
  },
  resume_contract: (supplier, args) => {
    const contract = contractOf(supplier, args);
    if (contract.status !== "Suspended") throw new Refusal("Only suspended contracts can be resumed");
    const open = [...supplier.bills.values()].some(
      (b) => b.customer_id === contract.customer_id && b.status === "Overdue",
    );
    if (open) throw new Refusal("The customer has an overdue bill");
    Object.assign(contract, { status: "Active", suspended_on: null });
    return { message: "Contract resumed", contract: shown(contract) };
  },
  set_tariff: (supplier, args) => {
    const contract = contractOf(supplier, args);
    const tariff = found(supplier.tariffs, "Tariff", args.tariff_id);
    if (contract.tariff_id === tariff.tariff_id) throw new Refusal("The contract has this tariff already");
    contract.tariff_id = tariff.tariff_id;
    contract.load_limit_kw = tariff.kw;
    return { message: `Tariff changed to ${tariff.name}`, contract: shown(contract) };
  },
  send_payment_request: (supplier, args) => {
    const { customer_id } = customerOf(supplier, args);
    const bill = found(supplier.bills, "Bill", args.bill_id);
    if (bill.customer_id !== customer_id) throw new Refusal(`Bill ${bill.bill_id} is not one of this customer's`);
    if (bill.status === "Paid") throw new Refusal("The bill is paid already");
    if ([...supplier.bills.values()].some((b) => b.customer_id === customer_id && b.status === "Awaiting Payment"))
      throw new Refusal("A payment request is open already");
    bill.status = "Awaiting Payment";
    return `A payment request for bill ${bill.bill_id} was sent.`;
  },
  add_credit: (supplier, args) => {
    const customer = customerOf(supplier, args);
    if (Number(args.amount) > 50) throw new Refusal("A credit cannot be above 50");
    customer.credit = cents(customer.credit + Number(args.amount));
    return { message: "Credit added", customer_id: customer.customer_id, credit: customer.credit };
  },
  add_allowance: (supplier, args) => {
    const contract = contractOf(supplier, args);
    const kwh = Number(args.kwh);
    if (kwh <= 0) throw new Refusal("The amount must be above 0");
    contract.extra_kwh += kwh;
    const charge = cents(kwh * (supplier.tariffs.get(contract.tariff_id)?.kwh_price ?? 0));
    return { message: `Added ${kwh} kWh`, extra_kwh: contract.extra_kwh, charge };
  },
  enable_option: (supplier, args) => setOption(supplier, args, true),
  disable_option: (supplier, args) => setOption(supplier, args, false),
  book_technician: (supplier, args) => {
    const { contract_id, status } = contractOf(supplier, args);
    if (status === "Closed") throw new Refusal("The contract is closed");
    supplier.visits++;
    return {
      visit_id: `V${7000 + supplier.visits}`,
      contract_id,
      date: args.date as Json,
      slot: args.slot as Json,
      status: "Booked",
    };
  },
  transfer_to_human: () => "Transfer successful",
};

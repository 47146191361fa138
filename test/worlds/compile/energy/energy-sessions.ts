import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { DEVICE, Refusal, STAFF, type Supplier } from "./energy.ts";
import { HOMES, supplierOf } from "./energy-supplier.ts";

type Ask = readonly [tool: string, args: JsonObject];
/** How an agent goes about a task: whether it looks before it acts, and in which order it mends. */
export type Agent = "careful" | "hasty" | "testing";

const FAULTS: Record<string, (supplier: Supplier) => void> = {
  suspended: ({ home }) => Object.assign(home, { status: "Suspended", suspended_on: "2026-02-20" }),
  overdue: ({ home, bills }) => {
    Object.assign(home, { status: "Suspended", suspended_on: "2026-02-11" });
    const bill = [...bills.values()].find(({ customer_id }) => customer_id === home.customer_id);
    if (bill) bill.status = "Overdue";
  },
  breaker: ({ gateway }) => Object.assign(gateway, { breaker: false }),
  wifi: ({ gateway }) => Object.assign(gateway, { wifi: false }),
  weak: ({ gateway }) => Object.assign(gateway, { signal: "weak" }),
  expired: ({ gateway }) => Object.assign(gateway, { token: "expired" }),
  missing: ({ gateway }) => Object.assign(gateway, { token: "missing" }),
  locked: ({ gateway }) => Object.assign(gateway, { lock: true, eco: true }),
  eco: ({ gateway }) => Object.assign(gateway, { eco: true }),
  proxy: ({ gateway }) => Object.assign(gateway, { proxy: true }),
  firmware: ({ gateway }) => Object.assign(gateway, { firmware: "2.0" }),
  network: ({ gateway }) => Object.assign(gateway.apps.boost, { network: false }),
  storage: ({ gateway }) => Object.assign(gateway.apps.boost, { storage: false }),
  option: ({ home }) => Object.assign(home.options, { boost: false }),
  allowance: ({ home }) => Object.assign(home, { used_kwh: 720 }),
  away: ({ gateway }) => Object.assign(gateway, { mode: "away", target: 16 }),
};

/** What one task starts with: a customer's home, and one to four things that are wrong. */
function taskOf(task: number): { supplier: Supplier; faults: readonly string[] } {
  const random = new Random(3000 + task);
  const supplier = supplierOf(task % HOMES);
  const faults = random.shuffle(Object.keys(FAULTS)).slice(0, random.int(1, 4));
  for (const fault of faults) FAULTS[fault]?.(supplier);
  return { supplier, faults };
}

const RUNS: readonly Ask[] = [
  ["view_screen", {}],
  ["run_speed_test", {}],
  ["run_boost_test", {}],
];
const CHECKS: readonly Ask[] = [
  ["check_supply", {}],
  ["check_network", {}],
  ["check_heating", {}],
  ["check_firmware", {}],
  ["check_payment_request", {}],
  ["check_app_permissions", { app: "boost" }],
  ["check_app_permissions", { app: "meter" }],
];

function identified({ home, customers }: Supplier, random: Random): Ask {
  const own = customers.get(home.customer_id);
  const { customer_id = "", phone = "", full_name = "", birth_date = "" } = own ?? {};
  const how = random.int(1, 20);
  if (how <= 13) return ["get_customer_by_phone", { phone }];
  if (how <= 16) return ["get_customer_by_id", { customer_id }];
  if (how <= 19) return ["get_customers_by_name", { full_name, birth_date }];
  return ["get_customer_by_phone", { phone: `555-9${random.int(100, 999)}` }];
}

function lookups({ home, customers }: Supplier, random: Random): Ask[] {
  const { customer_id, contract_id, meter_id, tariff_id } = home;
  const other = customers.get(customer_id)?.contract_ids.at(-1) ?? contract_id;
  const all: Ask[] = [
    ["get_details_by_id", { id: contract_id }],
    ["get_details_by_id", { id: other }],
    ["list_bills", { customer_id }],
    ["list_bills", { customer_id, limit: random.int(1, 3) }],
    ["get_usage", { customer_id, contract_id }],
    ["get_details_by_id", { id: tariff_id }],
    ["get_details_by_id", { id: meter_id }],
    ["list_tariffs", {}],
  ];
  return all.filter((_, i) => random.chance([0.9, 0.4, 0.5, 0.2, 0.5, 0.3, 0.15, 0.2][i] as number));
}

/** What mends a fault, in the steps that it takes. */
function remedy(fault: string, { home, bills }: Supplier, random: Random): Ask[] {
  const { customer_id, contract_id } = home;
  const own = { customer_id, contract_id };
  const bill_id = [...bills.values()].find((bill) => bill.customer_id === customer_id)?.bill_id ?? "";
  const remedies: Record<string, Ask[]> = {
    suspended: [
      ["resume_contract", own],
      ["restart_gateway", {}],
    ],
    overdue: [
      ...(random.chance(0.3) ? [["resume_contract", own] as Ask] : []),
      ["send_payment_request", { customer_id, bill_id }],
      ["check_payment_request", {}],
      ["make_payment", {}],
      ["resume_contract", own],
      ["restart_gateway", {}],
    ],
    breaker: [["toggle_breaker", {}]],
    wifi: [["toggle_wifi", {}]],
    weak: [
      ["book_technician", { ...own, date: `2026-03-0${random.int(3, 8)}`, slot: random.pick(["morning", "evening"]) }],
    ],
    expired: [["renew_token", {}]],
    missing: [
      ...(random.chance(0.4) ? [["renew_token", {}] as Ask] : []),
      ["restart_gateway", {}],
      ["renew_token", {}],
    ],
    locked: [...(random.chance(0.4) ? [["toggle_eco", {}] as Ask] : []), ["toggle_child_lock", {}], ["toggle_eco", {}]],
    eco: [["toggle_eco", {}]],
    proxy: [["remove_proxy", {}]],
    firmware: [
      ["update_firmware", {}],
      ["restart_gateway", {}],
    ],
    network: [["grant_app_permission", { app: "boost", permission: "network" }]],
    storage: [["grant_app_permission", { app: "boost", permission: "storage" }]],
    option: [["enable_option", { ...own, option: "boost" }]],
    allowance: [
      random.chance(0.7)
        ? ["add_allowance", { ...own, kwh: random.pick([400, 500, 600, 50]) }]
        : ["set_tariff", { ...own, tariff_id: `T${random.int(1, 4)}` }],
    ],
    away: [["set_mode", { mode: random.pick(["home", "night"]) }]],
  };
  return remedies[fault] ?? [];
}

function aside({ home }: Supplier, random: Random): Ask {
  const { customer_id, contract_id } = home;
  const own = { customer_id, contract_id };
  const asides: Ask[] = [
    ["toggle_wifi", {}],
    ["toggle_eco", {}],
    ["set_mode", { mode: random.pick(["home", "away", "night"]) }],
    ["restart_gateway", {}],
    ["update_firmware", {}],
    ["remove_proxy", {}],
    ["grant_app_permission", { app: "meter", permission: random.pick(["network", "storage"]) }],
    ["add_credit", { customer_id, amount: random.pick([5, 10, 20, 80]) }],
    ["enable_option", { ...own, option: random.pick(["boost", "night_rate"]) }],
    ["disable_option", { ...own, option: random.pick(["boost", "night_rate"]) }],
    ["suspend_contract", own],
    ["set_tariff", { ...own, tariff_id: `T${random.int(1, 4)}` }],
    ["add_allowance", { ...own, kwh: random.pick([100, 200]) }],
    ["check_app_permissions", { app: "photos" }],
  ];
  return random.pick(asides);
}

/** What an agent does about a task: who is it, what is there, mend one thing after the other, look whether it works. */
function* session(task: ReturnType<typeof taskOf>, agent: Agent, random: Random): Generator<Ask> {
  const { supplier, faults } = task;
  yield identified(supplier, random);
  const looks = lookups(supplier, random);
  const checks = random.shuffle(CHECKS).slice(0, random.int(2, 5));
  if (agent === "careful") yield* [...looks, ...checks, random.pick(RUNS)];
  if (agent === "hasty") yield* [...looks.slice(0, 2), random.pick(RUNS)];
  if (agent === "testing") yield* [random.pick(RUNS), ...random.shuffle([...looks.slice(0, 3), ...checks])];
  const order = agent === "testing" ? [...faults].reverse() : agent === "hasty" ? random.shuffle(faults) : faults;
  for (const fault of order) {
    for (const step of remedy(fault, supplier, random)) {
      yield step;
      if (agent === "careful" ? random.chance(0.5) : random.chance(0.2)) yield random.pick([...RUNS, ...CHECKS]);
    }
    if (agent !== "hasty" || random.chance(0.5)) yield random.pick(RUNS);
    if (random.chance(0.12)) yield aside(supplier, random);
    if (random.chance(0.15)) yield ["get_details_by_id", { id: supplier.home.contract_id }];
  }
  yield* random.shuffle(RUNS).slice(0, random.int(1, 3));
  if (random.chance(0.15))
    yield ["transfer_to_human", { summary: `About ${faults.join(" and ")}, run ${random.int(1, 999)}` }];
}

function answered(supplier: Supplier, [tool, args]: Ask): ObservedCall {
  try {
    const value = (STAFF[tool] ?? (DEVICE[tool] as (typeof DEVICE)[string]))(supplier, args);
    return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { tool, args, result: `Error: ${error.message}`, isError: true };
  }
}

/** Runs of one agent over the tasks from `first` on, one after the other. */
export function energySessions(agent: Agent, seed: number, n: number, tasks: number, first = 0): ObservedTrace[] {
  const random = new Random(seed);
  return Array.from({ length: n }, (_, i) => {
    const number = first + (i % tasks);
    const task = taskOf(number);
    const calls = [...session(task, agent, random)].map((ask) => answered(task.supplier, ask));
    return { id: `energy-${agent}-${seed}-${String(i).padStart(4, "0")}`, group: `task ${number}`, calls };
  });
}

/** The supplier's records as an export gives them: before any task has begun. */
export function energyExport(): Record<string, Json> {
  const { customers, contracts, bills, meters, tariffs } = supplierOf(0);
  const rows = (table: ReadonlyMap<string, unknown>) => JSON.parse(JSON.stringify(Object.fromEntries(table))) as Json;
  return {
    customers: rows(customers),
    contracts: rows(contracts),
    bills: rows(bills),
    meters: rows(meters),
    tariffs: rows(tariffs),
  };
}

/** Sessions on a home where nothing is wrong, of customers at random: what is done first, and the calls to compare. */
export function energyProbes(seed: number, n: number): { setup: ObservedCall[]; probes: ObservedCall[] }[] {
  const random = new Random(seed);
  return Array.from({ length: n }, () => {
    const supplier = supplierOf(random.int(0, HOMES - 1));
    const calls: ObservedCall[] = [];
    const ask = (next: Ask) => calls.push(answered(supplier, next));
    ask(identified(supplier, random));
    for (let k = random.int(2, 6); k > 0; k--) ask(random.chance(0.5) ? aside(supplier, random) : random.pick(CHECKS));
    const from = calls.length;
    for (const look of random.shuffle([...lookups(supplier, random), ...RUNS, ...CHECKS]).slice(0, 4)) ask(look);
    return { setup: calls.slice(0, from), probes: calls.slice(from) };
  });
}

import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { Refusal, recorded, type Service } from "../service.ts";

/** What a person's phone is set to; every session finds another. */
interface Phone {
  airplane: boolean;
  sim: "active" | "missing" | "locked";
  data: boolean;
  roaming: boolean;
  mode: "5g" | "4g" | "3g" | "2g";
  wifi: boolean;
  vpn: boolean;
  apn: "correct" | "incorrect";
  apnReset: boolean;
  saver: boolean;
  abroad: boolean;
}

interface Line {
  line_id: string;
  customer_id: string;
  number: string;
  status: "Active" | "Suspended";
  plan: string;
  roaming: boolean;
  used_gb: number;
}

interface Bill {
  bill_id: string;
  customer_id: string;
  status: "Paid" | "Overdue" | "Issued";
  total: number;
}

interface System {
  readonly phone: Phone;
  readonly customers: ReadonlyMap<string, JsonObject>;
  readonly lines: ReadonlyMap<string, Line>;
  readonly bills: ReadonlyMap<string, Bill>;
  /** The line that the phone is on. */
  readonly line: Line;
}

const onOff = (on: boolean): string => (on ? "ON" : "OFF");
const STRENGTH = { "5g": "Excellent", "4g": "Good", "3g": "Fair", "2g": "Poor" } as const;
const SPEED = { "5g": 280, "4g": 95, "3g": 6, "2g": 1 } as const;

function signal({ phone, line }: System): string {
  return phone.airplane || phone.sim !== "active" || line.status === "Suspended" ? "No Signal" : STRENGTH[phone.mode];
}

function online(system: System): boolean {
  const { phone, line } = system;
  if (signal(system) === "No Signal" || !phone.data || phone.apn !== "correct") return false;
  return !phone.abroad || (phone.roaming && line.roaming);
}

function statusBar(system: System): string {
  const { phone } = system;
  if (phone.airplane) return `Status Bar: Airplane${phone.wifi ? " | Wi-Fi" : ""} | Battery 80%`;
  const parts = [signal(system), ...(online(system) ? [phone.mode.toUpperCase()] : [])];
  if (phone.wifi) parts.push("Wi-Fi");
  if (phone.vpn) parts.push("VPN");
  if (phone.saver) parts.push("Saver");
  return `Status Bar: ${[...parts, "Battery 80%"].join(" | ")}`;
}

function toggle(system: System, name: "airplane" | "data" | "roaming" | "wifi" | "saver", words: string): string {
  system.phone[name] = !system.phone[name];
  if (name === "airplane" && system.phone.airplane) system.phone.vpn = false;
  return `${words} is now ${onOff(system.phone[name])}.\n${statusBar(system)}`;
}

function found<T>(row: T | undefined, what: string, id: Json | undefined): T {
  if (row === undefined) throw new Refusal(`${what} ${String(id)} not found`);
  return row;
}

const shown = (row: object): Json => JSON.parse(JSON.stringify(row)) as Json;

const TOOLS: Record<string, (system: System, args: JsonObject) => Json> = {
  check_status_bar: statusBar,
  check_network_status: (system) => {
    const { phone } = system;
    return [
      `Airplane Mode: ${onOff(phone.airplane)}`,
      `SIM Card: ${phone.sim}`,
      `Signal: ${signal(system)}`,
      `Network Mode: ${phone.mode}`,
      `Mobile Data: ${onOff(phone.data)}`,
      `Data Roaming: ${onOff(phone.roaming)}`,
    ].join("\n");
  },
  check_sim_status: ({ phone }) =>
    phone.sim === "active"
      ? "Your SIM card is active and working."
      : phone.sim === "missing"
        ? "No SIM card detected in the phone."
        : "The SIM card is locked with a PIN code.",
  check_data_saver: ({ phone }) => `Data Saver: ${onOff(phone.saver)}`,
  check_apn_settings: ({ phone }) => `Current APN: ${phone.apn}\nReset pending: ${phone.apnReset ? "yes" : "no"}`,
  check_wifi_status: ({ phone }) => ({ wifi: phone.wifi, network: phone.wifi ? "Home" : null }),
  run_speed_test: (system) => {
    if (!online(system)) return "Speed test failed: No Connection.";
    const { mode, vpn, saver } = system.phone;
    return `Speed test: ${SPEED[mode] / (vpn ? 5 : 1) / (saver ? 2 : 1)} Mbps`;
  },
  toggle_airplane_mode: (system) => toggle(system, "airplane", "Airplane Mode"),
  toggle_mobile_data: (system) => toggle(system, "data", "Mobile Data"),
  toggle_roaming: (system) => toggle(system, "roaming", "Data Roaming"),
  toggle_wifi: (system) => toggle(system, "wifi", "Wi-Fi"),
  toggle_data_saver: (system) => toggle(system, "saver", "Data Saver Mode"),
  set_network_mode: (system, { mode }) => {
    system.phone.mode = mode as Phone["mode"];
    return `Preferred network mode set to: ${String(mode)}\n${statusBar(system)}`;
  },
  reseat_sim_card: (system) => {
    if (system.phone.sim === "missing") system.phone.sim = "active";
    return `SIM card re-seated successfully.\n${statusBar(system)}`;
  },
  reset_apn_settings: (system) => {
    system.phone.apnReset = true;
    return "APN settings will be reset at the next restart.";
  },
  restart_phone: (system) => {
    if (system.phone.apnReset) system.phone.apn = "correct";
    system.phone.apnReset = false;
    system.phone.vpn = false;
    return `The phone was restarted.\n${statusBar(system)}`;
  },
  disconnect_vpn: ({ phone }) => {
    if (!phone.vpn) throw new Refusal("No active VPN connection to disconnect.");
    phone.vpn = false;
    return "VPN disconnected successfully.";
  },
  get_customer: ({ customers }, { customer_id: id }) => shown(found(customers.get(String(id)), "Customer", id)),
  get_line: ({ lines }, { line_id: id }) => shown(found(lines.get(String(id)), "Line", id)),
  list_bills: ({ bills }, { customer_id: id }) => shown([...bills.values()].filter((bill) => bill.customer_id === id)),
  pay_bill: ({ bills }, { bill_id: id }) => {
    const bill = found(bills.get(String(id)), "Bill", id);
    if (bill.status === "Paid") throw new Refusal(`Bill ${bill.bill_id} is paid already`);
    bill.status = "Paid";
    return shown(bill);
  },
  resume_line: ({ lines }, { line_id: id }) => {
    const line = found(lines.get(String(id)), "Line", id);
    if (line.status === "Active") throw new Refusal(`Line ${line.line_id} is not suspended`);
    line.status = "Active";
    return shown(line);
  },
  enable_roaming: ({ lines }, { line_id: id }) => {
    const line = found(lines.get(String(id)), "Line", id);
    line.roaming = true;
    return shown(line);
  },
};

const FAULTS: readonly { readonly phone?: Partial<Phone>; readonly line?: Partial<Line> }[] = [
  { phone: { airplane: true } },
  { phone: { sim: "missing" } },
  { phone: { sim: "locked" } },
  { phone: { data: false } },
  { phone: { mode: "2g" } },
  { phone: { mode: "3g" } },
  { phone: { vpn: true } },
  { phone: { apn: "incorrect" } },
  { phone: { saver: true } },
  { phone: { abroad: true } },
  { line: { status: "Suspended" } },
];

function system(faults: Random | undefined): System {
  const customers = new Map<string, JsonObject>();
  const lines = new Map<string, Line>();
  const bills = new Map<string, Bill>();
  for (let i = 1; i <= 24; i++) {
    const customer_id = `C${1000 + i}`;
    customers.set(customer_id, {
      customer_id,
      name: `Person ${i}`,
      email: `p${i}@example.com`,
      line_id: `L${2000 + i}`,
    });
    lines.set(`L${2000 + i}`, {
      line_id: `L${2000 + i}`,
      customer_id,
      number: `555-01${10 + i}`,
      status: "Active",
      plan: i % 2 ? "Basic" : "Premium",
      roaming: i % 3 === 0,
      used_gb: i / 2,
    });
    for (const k of [1, 2])
      bills.set(`B${3000 + i * 10 + k}`, {
        bill_id: `B${3000 + i * 10 + k}`,
        customer_id,
        status: k === 1 ? "Paid" : i % 4 === 0 ? "Overdue" : "Issued",
        total: 20 + i,
      });
  }
  const phone: Phone = {
    airplane: false,
    sim: "active",
    data: true,
    roaming: false,
    mode: "5g",
    wifi: false,
    vpn: false,
    apn: "correct",
    apnReset: false,
    saver: false,
    abroad: false,
  };
  const made: System = { phone, customers, lines, bills, line: lines.get("L2001") as Line };
  for (let n = faults?.int(1, 3) ?? 0; n > 0; n--) {
    const fault = (faults as Random).pick(FAULTS);
    Object.assign(made.phone, fault.phone);
    Object.assign(made.line, fault.line);
  }
  return made;
}

/** What a helper at a telephone does: looks up, checks, mends what is wrong, checks again. */
function* session(
  given: System,
  random: Random,
  length?: number,
): Generator<readonly [tool: string, args: JsonObject]> {
  const { phone, line } = given;
  const id = random.chance(0.6) ? 1 : random.int(1, 24);
  yield ["get_customer", { customer_id: `C${1000 + id}` }];
  if (random.chance(0.6)) yield ["get_line", { line_id: `L${2000 + id}` }];
  if (random.chance(0.4)) yield ["list_bills", { customer_id: `C${1000 + id}` }];
  const checks = [
    "check_status_bar",
    "check_network_status",
    "check_sim_status",
    "run_speed_test",
    "check_apn_settings",
  ];
  const more = ["check_data_saver", "check_wifi_status"];
  for (const tool of random.shuffle([...checks, ...more]).slice(0, random.int(2, 4))) yield [tool, {}];
  const mend: (readonly [string, JsonObject])[] = [];
  if (line.status === "Suspended") mend.push(["resume_line", { line_id: line.line_id }], ["restart_phone", {}]);
  if (phone.airplane) mend.push(["toggle_airplane_mode", {}]);
  if (phone.sim === "missing") mend.push(["reseat_sim_card", {}]);
  if (!phone.data) mend.push(["toggle_mobile_data", {}]);
  if (phone.mode !== "5g") mend.push(["set_network_mode", { mode: random.pick(["5g", "4g"]) }]);
  if (phone.vpn) mend.push(["disconnect_vpn", {}]);
  if (phone.apn === "incorrect") mend.push(["reset_apn_settings", {}], ["restart_phone", {}]);
  if (phone.saver) mend.push(["toggle_data_saver", {}]);
  if (phone.abroad) mend.push(["toggle_roaming", {}], ["enable_roaming", { line_id: line.line_id }]);
  const idle: (readonly [string, JsonObject])[] = [
    ["toggle_wifi", {}],
    ["disconnect_vpn", {}],
    ["set_network_mode", { mode: random.pick(["5g", "4g", "3g"]) }],
    ["toggle_airplane_mode", {}],
    ["pay_bill", { bill_id: `B${3000 + id * 10 + random.int(1, 2)}` }],
  ];
  for (let n = length ?? random.int(0, 2); n > 0; n--) mend.push(random.pick(idle));
  for (const step of mend) {
    yield step;
    while (random.chance(0.55)) yield [random.pick([...checks, ...checks, ...more]), {}];
  }
  yield [random.pick(["run_speed_test", "check_network_status", "check_status_bar"]), {}];
}

/** The phone with those who help with it. */
export const phoneService: Service<System> = {
  name: "phone",
  usual: () => system(undefined),
  found: system,
  call: (given, tool, args) => (TOOLS[tool] as (typeof TOOLS)[string])(given, args),
  plan: session,
};

/**
 * Sessions with phones of our own making, set otherwise for each of `tasks` tasks, and the service behind them:
 * reads, toggles, refusals.
 */

export function phoneSessions(seed: number, n: number, tasks: number): ObservedTrace[] {
  return recorded(phoneService, { seed, n, tasks, starts: 900 });
}

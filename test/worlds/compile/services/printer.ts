import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { Refusal, recorded, type Service } from "../service.ts";

type Tray = "upper" | "lower";
type Right = "scan" | "colour" | "duplex";

interface Staff {
  staff_id: string;
  name: string;
  department: string;
  quota: number;
  blocked: boolean;
}

/** An office printer, found otherwise by every session, and the accounts of those who print. */
interface Printer {
  power: boolean;
  sleeping: boolean;
  jam: "none" | "feeder" | "output";
  door: "closed" | "open";
  toner: number;
  sheets: Record<Tray, number>;
  readonly rights: Record<Right, boolean>;
  quality: "draft" | "normal" | "best";
  network: "wired" | "wireless" | "none";
  address: "automatic" | "fixed";
  resetting: boolean;
  queue: number;
  printed: number;
  tries: number;
  readonly staff: Map<string, Staff>;
}

const CODE = "2580";
const shown = (row: object): Json => JSON.parse(JSON.stringify(row)) as Json;
const yesNo = (yes: boolean): string => (yes ? "yes" : "no");

function reachable(printer: Printer): boolean {
  return (
    printer.power && printer.network !== "none" && (printer.network === "wired" || printer.address === "automatic")
  );
}

function state(printer: Printer): string {
  if (!printer.power) return "off";
  if (printer.jam !== "none") return "jammed";
  if (printer.door === "open") return "open";
  return printer.sleeping ? "asleep" : "ready";
}

function panel(printer: Printer): string {
  const lamps = [
    `State ${state(printer)}`,
    ...(printer.toner < 15 ? ["Toner low"] : []),
    ...(printer.sheets.upper === 0 ? ["Paper"] : []),
    ...(reachable(printer) ? ["Online"] : []),
    ...(printer.queue > 0 ? ["Jobs"] : []),
  ];
  return `Panel: ${lamps.join(" | ")}`;
}

const supplies = ({ toner, sheets }: Printer): Json => ({ toner, trays: { ...sheets }, low: toner < 15 });

function person(printer: Printer, id: Json | undefined): Staff {
  const row = printer.staff.get(String(id));
  if (!row) throw new Refusal(`No staff member ${String(id)}`);
  return row;
}

function on(printer: Printer): void {
  if (!printer.power) throw new Refusal("The printer is off.");
}

/** Tools that only look. */
const READS: Record<string, (printer: Printer, args: JsonObject) => Json> = {
  look_at_panel: panel,
  check_supplies: supplies,
  check_paper_path: ({ jam, door }) =>
    jam === "none" ? `The paper path is free.\nDoor: ${door}` : `Paper is stuck at the ${jam}.\nDoor: ${door}`,
  check_network: (printer) =>
    [
      `Connection: ${printer.network}`,
      `Address: ${printer.address}`,
      `Reachable: ${yesNo(reachable(printer))}`,
      `Restart needed: ${yesNo(printer.resetting)}`,
    ].join("\n"),
  check_right: ({ rights }, { right }) => `${String(right)} is ${rights[right as Right] ? "enabled" : "disabled"}.`,
  count_pages: ({ printed, queue }) => ({ printed, waiting: queue }),
  show_quality: ({ quality }) => `Quality: ${quality}`,
  try_scan: (printer) => {
    if (state(printer) !== "ready" && state(printer) !== "asleep") return "The scan failed: the printer is not ready.";
    if (!printer.rights.scan) return "The scan failed: scanning is disabled.";
    return reachable(printer) ? "The scan was sent." : "The scan failed: no network.";
  },
  get_staff: (printer, { staff_id }) => shown(person(printer, staff_id)),
};

const WRITES: Record<string, (printer: Printer, args: JsonObject) => Json> = {
  press_power: (printer) => {
    printer.power = !printer.power;
    printer.sleeping = false;
    if (printer.power && printer.resetting) {
      printer.address = "automatic";
      printer.resetting = false;
    }
    return `The printer is now ${printer.power ? "on" : "off"}.\n${panel(printer)}`;
  },
  wake: (printer) => {
    on(printer);
    printer.sleeping = false;
    return panel(printer);
  },
  open_door: (printer) => {
    printer.door = "open";
    return "The door is open.";
  },
  close_door: (printer) => {
    printer.door = "closed";
    return `The door is closed.\n${panel(printer)}`;
  },
  remove_paper: (printer) => {
    if (printer.door === "closed") throw new Refusal("The door is closed.");
    if (printer.jam === "none") return "There was nothing to remove.";
    printer.jam = "none";
    return "The stuck paper was removed.";
  },
  change_toner: (printer) => {
    if (printer.door === "closed") throw new Refusal("The door is closed.");
    printer.toner = 100;
    return supplies(printer);
  },
  fill_tray: (printer, { tray, sheets }) => {
    const filled = printer.sheets[tray as Tray] + Number(sheets);
    if (filled > 500) throw new Refusal("The tray does not hold that many sheets.");
    printer.sheets[tray as Tray] = filled;
    return supplies(printer);
  },
  set_quality: (printer, { quality }) => {
    printer.quality = quality as Printer["quality"];
    return `Quality set to ${String(quality)}.`;
  },
  enable_right: (printer, { right, code }) => {
    if (printer.tries === 0) throw new Refusal("Too many wrong codes.");
    if (code !== CODE) {
      printer.tries--;
      throw new Refusal(`Wrong code, ${printer.tries} tries left.`);
    }
    printer.tries = 3;
    printer.rights[right as Right] = true;
    return `${String(right)} is now enabled.`;
  },
  connect: (printer, { to }) => {
    printer.network = to as Printer["network"];
    return `Connected: ${String(to)}\nReachable: ${yesNo(reachable(printer))}`;
  },
  reset_address: (printer) => {
    printer.resetting = true;
    return "The address is reset when the printer is next switched on.";
  },
  print_test_page: (printer) => {
    on(printer);
    if (state(printer) === "jammed" || state(printer) === "open") {
      printer.queue++;
      throw new Refusal("The page waits: the printer is not ready.");
    }
    if (printer.sheets.upper === 0) throw new Refusal("No paper in the upper tray.");
    printer.sleeping = false;
    printer.sheets.upper -= 1;
    printer.printed += 1;
    return { printed: printer.printed, quality: printer.quality, paper: printer.sheets.upper };
  },
  clear_queue: (printer) => {
    const cleared = printer.queue;
    printer.queue = 0;
    return `${cleared} jobs were cleared.`;
  },
  unblock_staff: (printer, { staff_id }) => {
    const row = person(printer, staff_id);
    if (!row.blocked) throw new Refusal(`${row.staff_id} is not blocked`);
    row.blocked = false;
    return shown(row);
  },
  raise_quota: (printer, { staff_id, by }) => {
    const row = person(printer, staff_id);
    row.quota += Number(by);
    return shown(row);
  },
};

function printerOf(random: Random): Printer {
  const staff: Printer["staff"] = new Map();
  for (let i = 0; i < 24; i++) {
    const staff_id = `S${200 + i}`;
    staff.set(staff_id, {
      staff_id,
      name: `Person ${i}`,
      department: ["sales", "law", "design"][i % 3] as string,
      quota: 100 + i * 10,
      blocked: i < 3 ? random.chance(0.5) : i % 5 === 0,
    });
  }
  return {
    power: random.chance(0.85),
    sleeping: random.chance(0.3),
    jam: random.pick(["none", "none", "feeder", "output"] as const),
    door: random.chance(0.8) ? "closed" : "open",
    toner: random.pick([5, 12, 40, 90]),
    sheets: { upper: random.pick([0, 3, 120]), lower: random.pick([0, 200]) },
    rights: { scan: random.chance(0.5), colour: random.chance(0.5), duplex: random.chance(0.5) },
    quality: random.pick(["draft", "normal", "best"] as const),
    network: random.pick(["wired", "wireless", "none"] as const),
    address: random.pick(["automatic", "fixed"] as const),
    resetting: false,
    queue: random.pick([0, 0, 2, 5]),
    printed: random.int(10, 60),
    tries: random.pick([3, 3, 2, 0]),
    staff,
  };
}

const RIGHTS: readonly Right[] = ["scan", "colour", "duplex"];
const LOOKS: readonly (readonly [string, JsonObject])[] = [
  ...[
    "look_at_panel",
    "check_supplies",
    "check_paper_path",
    "check_network",
    "count_pages",
    "show_quality",
    "try_scan",
  ].map((tool) => [tool, {}] as const),
  ...RIGHTS.map((right) => ["check_right", { right }] as const),
];

/** What a helper does about a printer: looks, mends what is wrong, looks again. */
function* session(
  printer: Printer,
  random: Random,
  length?: number,
): Generator<readonly [tool: string, args: JsonObject]> {
  const id = `S${random.chance(0.6) ? random.int(200, 202) : random.int(200, 223)}`;
  yield ["get_staff", { staff_id: id }];
  for (const look of random.shuffle([...LOOKS]).slice(0, random.int(3, 5))) yield look;
  const mend: (readonly [string, JsonObject])[] = [];
  if (!printer.power) mend.push(["press_power", {}]);
  if (printer.jam !== "none") mend.push(["open_door", {}], ["remove_paper", {}], ["close_door", {}]);
  if (printer.toner < 15) mend.push(["open_door", {}], ["change_toner", {}], ["close_door", {}]);
  if (printer.sheets.upper < 5) mend.push(["fill_tray", { tray: "upper", sheets: random.pick([50, 100, 450]) }]);
  if (printer.network === "none") mend.push(["connect", { to: random.pick(["wired", "wireless"]) }]);
  if (printer.address === "fixed") mend.push(["reset_address", {}], ["press_power", {}], ["press_power", {}]);
  if (!printer.rights.scan) mend.push(["enable_right", { right: "scan", code: random.pick([CODE, CODE, "0000"]) }]);
  if (printer.queue > 0) mend.push(["clear_queue", {}]);
  if (printer.staff.get(id)?.blocked) mend.push(["unblock_staff", { staff_id: id }]);
  const idle: readonly (readonly [string, JsonObject])[] = [
    ["wake", {}],
    ["set_quality", { quality: random.pick(["draft", "normal", "best"]) }],
    ["fill_tray", { tray: random.pick(["upper", "lower"]), sheets: random.pick([50, 100]) }],
    ["print_test_page", {}],
    ["print_test_page", {}],
    ["enable_right", { right: random.pick(RIGHTS), code: random.pick([CODE, "1111"]) }],
    ["connect", { to: random.pick(["wired", "wireless", "none"]) }],
    ["raise_quota", { staff_id: id, by: random.pick([10, 50]) }],
    ["unblock_staff", { staff_id: `S${random.int(200, 205)}` }],
    ["press_power", {}],
  ];
  for (let n = length ?? random.int(1, 3); n > 0; n--) mend.splice(random.int(0, mend.length), 0, random.pick(idle));
  for (const step of mend) {
    yield step;
    while (random.chance(0.55)) yield random.pick(LOOKS);
  }
  yield ["look_at_panel", {}];
}

/** A printer as it is set up. */
function usual(): Printer {
  return {
    ...printerOf(new Random(1)),
    power: true,
    sleeping: true,
    jam: "none",
    door: "closed",
    toner: 90,
    sheets: { upper: 120, lower: 200 },
    rights: { scan: true, colour: false, duplex: false },
    quality: "normal",
    network: "wired",
    address: "automatic",
    queue: 0,
    printed: 10,
    tries: 3,
  };
}

/** The printer with those who look after it. */
export const printerService: Service<Printer> = {
  name: "printer",
  usual,
  found: printerOf,
  call: (printer, tool, args) => (READS[tool] ?? (WRITES[tool] as (typeof WRITES)[string]))(printer, args),
  plan: session,
};

/**
 * Sessions with printers of our own making, set otherwise for each of `tasks` tasks: switches, counters, refusals
 * that count, what stands at a restart, and rows that sessions find otherwise.
 */

export function printerSessions(seed: number, n: number, tasks: number): ObservedTrace[] {
  return recorded(printerService, { seed, n, tasks, starts: 700 });
}

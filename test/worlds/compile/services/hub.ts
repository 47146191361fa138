import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { Refusal, recorded, type Service } from "../service.ts";

type App = "camera" | "speaker" | "doorbell";
type Permission = "storage" | "microphone";

/** A home's hub, found otherwise by every session: switches, counters, what apps may do, and an account with its provider. */
interface Hub {
  lock: "engaged" | "open";
  battery: number;
  armed: boolean;
  attempts: number;
  heating: boolean;
  target: number;
  mode: "eco" | "comfort";
  online: boolean;
  firmware: "1.2" | "1.3";
  pending: boolean;
  entries: number;
  readonly apps: Record<App, Record<Permission, boolean>>;
  readonly accounts: Map<string, { account_id: string; owner: string; status: "active" | "lapsed"; plan: string }>;
}

const PIN = "4711";
const OWN = "A100";
const may = (yes: boolean): string => (yes ? "allowed" : "denied");
const shown = (row: object): Json => JSON.parse(JSON.stringify(row)) as Json;

function warnings(hub: Hub): number {
  return [hub.battery < 40, !hub.online, hub.firmware === "1.2"].filter(Boolean).length;
}

function summary(hub: Hub): string {
  return `The hub is ${hub.online ? "online" : "offline"} and the alarm is ${hub.armed ? "armed" : "off"}. There are ${warnings(hub)} warnings.`;
}

function recording(hub: Hub): string {
  if (!hub.online) return "Recording does not work: the hub is offline.";
  if (hub.accounts.get(OWN)?.status !== "active") return "Recording does not work: no subscription.";
  const { storage, microphone } = hub.apps.camera;
  return storage && microphone ? "Recording works." : "Recording does not work: a permission is missing.";
}

const heated = ({ heating, target, mode }: Hub): Json => ({
  heating: { on: heating, target, mode },
  heats: heating && target > 17,
});

function account(hub: Hub, id: Json | undefined) {
  const row = hub.accounts.get(String(id));
  if (!row) throw new Refusal(`Account ${String(id)} not found`);
  return row;
}

function permit(hub: Hub, { app, permission }: JsonObject, yes: boolean): string {
  if (hub.pending) throw new Refusal("Permissions cannot be changed while an update is pending.");
  hub.apps[app as App][permission as Permission] = yes;
  return `${String(app)}: ${String(permission)} is now ${may(yes)}.`;
}

function pinned(hub: Hub, { pin }: JsonObject): void {
  if (hub.attempts === 0) throw new Refusal("The keypad is locked.");
  if (pin === PIN) {
    hub.attempts = 3;
    return;
  }
  hub.attempts--;
  throw new Refusal("Wrong PIN.");
}

/** Tools that only look; all others write, and are counted in the hub's log. */
const READS: Record<string, (hub: Hub, args: JsonObject) => Json> = {
  read_lock: ({ lock, battery }) => ({ ok: true, lock: { state: lock, battery } }),
  read_heating: heated,
  read_keypad: ({ attempts }) => `You have ${attempts} of 3 attempts left.`,
  hub_status: summary,
  read_log: ({ entries }) => ({ entries }),
  check_app: ({ apps }, { app }) => {
    const { storage, microphone } = apps[app as App];
    return `Storage: ${may(storage)}\nMicrophone: ${may(microphone)}`;
  },
  check_firmware: ({ firmware, pending }) => `Version: ${firmware}\nUpdate pending: ${pending ? "yes" : "no"}`,
  test_recording: recording,
  get_account: (hub, { account_id }) => shown(account(hub, account_id)),
};

const WRITES: Record<string, (hub: Hub, args: JsonObject) => Json> = {
  switch_lock: (hub) => {
    if (hub.battery < 30) throw new Refusal("The battery is too low to move the lock.");
    hub.lock = hub.lock === "open" ? "engaged" : "open";
    hub.battery -= 1;
    return { ok: true, lock: { state: hub.lock, battery: hub.battery } };
  },
  charge_lock: (hub) => {
    hub.battery = 100;
    return "Charged.";
  },
  arm_alarm: (hub, args) => {
    pinned(hub, args);
    hub.armed = true;
    return summary(hub);
  },
  disarm_alarm: (hub, args) => {
    pinned(hub, args);
    hub.armed = false;
    return summary(hub);
  },
  switch_heating: (hub) => {
    hub.heating = !hub.heating;
    return `Heating is now ${hub.heating ? "ON" : "OFF"}.`;
  },
  change_target: (hub, { by }) => {
    const target = hub.target + Number(by);
    if (target > 25) throw new Refusal("The target cannot be above 25.");
    hub.target = target;
    return heated(hub);
  },
  set_heating_mode: (hub, { mode }) => {
    hub.mode = mode as Hub["mode"];
    if (mode === "eco") hub.target = Math.min(hub.target, 19);
    return heated(hub);
  },
  allow_app: (hub, args) => permit(hub, args, true),
  deny_app: (hub, args) => permit(hub, args, false),
  update_firmware: (hub) => {
    if (hub.firmware === "1.3") throw new Refusal("The firmware is up to date.");
    hub.pending = true;
    return "The update is applied at the next restart.";
  },
  restart_hub: (hub) => {
    if (hub.pending) hub.firmware = "1.3";
    hub.pending = false;
    hub.online = true;
    hub.attempts = 3;
    return `Restarted. ${summary(hub)}`;
  },
  resume_subscription: (hub, { account_id }) => {
    const row = account(hub, account_id);
    if (row.status === "active") throw new Refusal(`Account ${row.account_id} is active already`);
    row.status = "active";
    return shown(row);
  },
};

function hubOf(random: Random): Hub {
  const accounts: Hub["accounts"] = new Map();
  for (let i = 0; i < 20; i++) {
    const account_id = `A${100 + i}`;
    const lapsed = i === 0 ? random.chance(0.4) : i % 4 === 0;
    accounts.set(account_id, {
      account_id,
      owner: `Owner ${i}`,
      status: lapsed ? "lapsed" : "active",
      plan: i % 2 ? "basic" : "plus",
    });
  }
  const app = () => ({ storage: random.chance(0.6), microphone: random.chance(0.6) });
  return {
    lock: random.pick(["engaged", "open"] as const),
    battery: random.pick([25, 35, 60, 80]),
    armed: random.chance(0.3),
    attempts: random.pick([3, 3, 3, 1, 0]),
    heating: random.chance(0.5),
    target: random.int(17, 23),
    mode: random.pick(["eco", "comfort"] as const),
    online: random.chance(0.6),
    firmware: random.pick(["1.2", "1.3"] as const),
    pending: false,
    entries: random.int(3, 12),
    apps: { camera: app(), speaker: app(), doorbell: app() },
    accounts,
  };
}

const APPS: readonly App[] = ["camera", "speaker", "doorbell"];
const LOOKS: readonly (readonly [string, JsonObject])[] = [
  ...["read_lock", "read_heating", "read_keypad", "hub_status", "read_log", "check_firmware", "test_recording"].map(
    (tool) => [tool, {}] as const,
  ),
  ...APPS.map((app) => ["check_app", { app }] as const),
];

/** What a helper does about a home: looks, mends what is wrong, looks again. */
function* session(random: Random, length?: number): Generator<readonly [tool: string, args: JsonObject]> {
  yield ["get_account", { account_id: random.chance(0.7) ? OWN : `A${random.int(100, 119)}` }];
  for (const look of random.shuffle([...LOOKS]).slice(0, random.int(3, 6))) yield look;
  const acts: readonly (readonly [string, JsonObject])[] = [
    ["switch_lock", {}],
    ["charge_lock", {}],
    ["arm_alarm", { pin: random.pick([PIN, PIN, "1234"]) }],
    ["disarm_alarm", { pin: random.pick([PIN, "1234"]) }],
    ["switch_heating", {}],
    ["change_target", { by: random.pick([1, 2, -1]) }],
    ["set_heating_mode", { mode: random.pick(["eco", "comfort"]) }],
    ["allow_app", { app: random.pick(APPS), permission: random.pick(["storage", "microphone"]) }],
    ["deny_app", { app: random.pick(APPS), permission: random.pick(["storage", "microphone"]) }],
    ["update_firmware", {}],
    ["restart_hub", {}],
    ["resume_subscription", { account_id: OWN }],
  ];
  for (let n = length ?? random.int(2, 5); n > 0; n--) {
    yield random.pick(acts);
    while (random.chance(0.6)) yield random.pick(LOOKS);
  }
}

/** A hub as it is sold. */
function usual(): Hub {
  return {
    ...hubOf(new Random(1)),
    lock: "engaged",
    battery: 80,
    armed: false,
    attempts: 3,
    heating: false,
    target: 19,
    mode: "eco",
    online: true,
    firmware: "1.2",
    entries: 0,
    apps: {
      camera: { storage: false, microphone: false },
      speaker: { storage: false, microphone: true },
      doorbell: { storage: true, microphone: true },
    },
  };
}

/** The hub with its users. */
export const hubService: Service<Hub> = {
  name: "hub",
  usual,
  found: hubOf,
  call: (hub, tool, args) => {
    const read = READS[tool];
    if (read) return read(hub, args);
    const value = (WRITES[tool] as (typeof WRITES)[string])(hub, args);
    hub.entries++;
    return value;
  },
  plan: (_, random, length) => session(random, length),
};

/**
 * Sessions with hubs of our own making, set otherwise for each of `tasks` tasks: reads by choice of app, switches,
 * counters, refusals, and answers made of several readings.
 */

export function hubSessions(seed: number, n: number, tasks: number): ObservedTrace[] {
  return recorded(hubService, { seed, n, tasks, starts: 500 });
}

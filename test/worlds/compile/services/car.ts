import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { Refusal, recorded, type Service } from "../service.ts";

type Seat = "left" | "right";
type Source = "radio" | "bluetooth" | "usb";
type Place = "home" | "work" | "airport";

/** What a car's screen is set to, and the phones it knows. */
interface Car {
  engine: boolean;
  driving: boolean;
  volume: number;
  muted: boolean;
  source: Source;
  preset: number;
  phone: string | null;
  to: Place | null;
  readonly degrees: { driver: number; passenger: number };
  sync: boolean;
  fan: number;
  eco: boolean;
  readonly seats: Record<Seat, number>;
  warnings: number;
  acknowledged: boolean;
  range: number;
  valet: boolean;
  night: boolean;
  readonly phones: Map<string, { phone_id: string; owner: string; paired: boolean }>;
}

/** What an act answers with: a sentence, the part of the state that it touched, or nothing. */
export type Style = "sentence" | "object" | "nothing";

interface Done {
  readonly words: string;
  readonly state: Json;
}

const PIN = "8642";
const MINUTES = { home: 25, work: 40, airport: 55 } as const;
const onOff = (on: boolean): string => (on ? "on" : "off");
const shown = (row: object): Json => JSON.parse(JSON.stringify(row)) as Json;

const audio = ({ source, preset, volume, muted, phone }: Car): string =>
  [
    `Source: ${source}`,
    `Playing: ${source === "radio" ? `preset ${preset}` : source === "bluetooth" ? (phone ?? "nothing") : "stick"}`,
    `Volume: ${muted ? "muted" : volume}`,
  ].join("\n");

const climate = ({ degrees, sync, fan, engine }: Car): Json => ({
  driver: degrees.driver,
  passenger: degrees.passenger,
  sync,
  fan: engine ? fan : 0,
});

function home(car: Car): string {
  const marks = [
    ...(car.engine ? ["Engine"] : []),
    ...(car.phone !== null ? ["Phone"] : []),
    ...(car.to !== null ? ["Route"] : []),
    ...(car.muted ? ["Muted"] : []),
    ...(car.warnings > 0 && !car.acknowledged ? ["Warning"] : []),
    ...(car.eco ? ["Eco"] : []),
    car.night ? "Night" : "Day",
  ];
  return `Home: ${marks.join(" | ")}`;
}

const trip = ({ range, to, eco }: Car): Json => ({
  range: eco ? range + 30 : range,
  destination: to,
  minutes: to === null ? null : MINUTES[to],
});

function phoneOf(car: Car, id: Json | undefined) {
  const row = car.phones.get(String(id));
  if (!row) throw new Refusal(`Phone ${String(id)} is not known`);
  return row;
}

function open(car: Car): void {
  if (car.valet) throw new Refusal("Valet mode is on.");
}

/** Tools that only look. */
const READS: Record<string, (car: Car, args: JsonObject) => Json> = {
  show_home: home,
  show_audio: audio,
  show_climate: climate,
  show_trip: trip,
  check_seat: ({ seats }, { seat }) => `Seat heating is at level ${seats[seat as Seat]}.`,
  show_warnings: ({ warnings, acknowledged }) =>
    warnings === 0
      ? "There are no warnings."
      : `There are ${warnings} warnings. They are ${acknowledged ? "acknowledged" : "new"}.`,
  play_test_sound: ({ muted, volume, source, phone }) =>
    muted || volume === 0
      ? "Nothing is heard."
      : source === "bluetooth" && phone === null
        ? "Nothing is connected."
        : volume > 20
          ? "The sound is loud."
          : "The sound is heard.",
  get_phone: (car, { phone_id }) => shown(phoneOf(car, phone_id)),
};

const WRITES: Record<string, (car: Car, args: JsonObject) => Done> = {
  press_start: (car) => {
    if (car.driving) throw new Refusal("The car is moving.");
    car.engine = !car.engine;
    if (car.engine) car.acknowledged = false;
    else car.seats.left = car.seats.right = 0;
    return { words: `The engine is ${onOff(car.engine)}.`, state: { engine: car.engine } };
  },
  change_volume: (car, { by }) => {
    car.volume = Math.max(0, Math.min(30, car.volume + Number(by)));
    car.muted = false;
    return { words: `Volume ${car.volume}.`, state: { volume: car.volume } };
  },
  mute: (car) => {
    car.muted = !car.muted;
    return { words: car.muted ? "Sound off." : "Sound on.", state: { muted: car.muted } };
  },
  next_source: (car) => {
    car.source =
      car.source === "radio"
        ? car.phone !== null
          ? "bluetooth"
          : "usb"
        : car.source === "bluetooth"
          ? "usb"
          : "radio";
    return { words: audio(car), state: { source: car.source } };
  },
  set_preset: (car, { preset }) => {
    if (car.source !== "radio") throw new Refusal("Presets are for the radio.");
    car.preset = Number(preset);
    return { words: `Preset ${car.preset} is playing.`, state: { preset: car.preset } };
  },
  connect_phone: (car, { phone_id }) => {
    const row = phoneOf(car, phone_id);
    if (!row.paired) throw new Refusal("This phone must be paired first.");
    car.phone = row.phone_id;
    return { words: `${row.owner}'s phone is connected.`, state: shown(row) };
  },
  disconnect_phone: (car) => {
    if (car.phone === null) throw new Refusal("No phone is connected.");
    car.phone = null;
    if (car.source === "bluetooth") car.source = "radio";
    return { words: "The phone is disconnected.", state: { source: car.source } };
  },
  pair_phone: (car, { phone_id }) => {
    open(car);
    const row = phoneOf(car, phone_id);
    if (row.paired) throw new Refusal(`${row.phone_id} is paired already`);
    row.paired = true;
    return { words: `${row.phone_id} is paired.`, state: shown(row) };
  },
  navigate: (car, { to }) => {
    open(car);
    if (car.driving) throw new Refusal("Destinations cannot be entered while driving.");
    car.to = to as Place;
    return { words: `${MINUTES[car.to]} minutes to ${car.to}.`, state: trip(car) };
  },
  stop_navigation: (car) => {
    if (car.to === null) throw new Refusal("No route is active.");
    car.to = null;
    return { words: "The route is cancelled.", state: trip(car) };
  },
  set_temperature: (car, { zone, degrees }) => {
    if (zone === "passenger") car.sync = false;
    car.degrees[zone as "driver" | "passenger"] = Number(degrees);
    if (car.sync) car.degrees.passenger = car.degrees.driver;
    return { words: `The ${String(zone)}'s side is set to ${String(degrees)}.`, state: climate(car) };
  },
  toggle_sync: (car) => {
    car.sync = !car.sync;
    if (car.sync) car.degrees.passenger = car.degrees.driver;
    return { words: `Sync is ${onOff(car.sync)}.`, state: climate(car) };
  },
  toggle_eco: (car) => {
    open(car);
    car.eco = !car.eco;
    if (car.eco) car.fan = Math.min(car.fan, 2);
    return { words: `Eco is ${onOff(car.eco)}.`, state: { eco: car.eco, fan: car.fan } };
  },
  press_seat_heating: (car, { seat }) => {
    if (!car.engine) throw new Refusal("Start the engine first.");
    const level = car.seats[seat as Seat];
    car.seats[seat as Seat] = level === 0 ? 3 : level - 1;
    return { words: `Level ${car.seats[seat as Seat]}.`, state: { level: car.seats[seat as Seat] } };
  },
  acknowledge: (car) => {
    car.acknowledged = true;
    return { words: "Acknowledged.", state: { open: 0 } };
  },
  valet_mode: (car, { pin }) => {
    if (pin !== PIN) throw new Refusal("Wrong PIN.");
    car.valet = !car.valet;
    return { words: `Valet mode is ${onOff(car.valet)}.`, state: { valet: car.valet } };
  },
  switch_display: (car) => {
    car.night = !car.night;
    return { words: home(car), state: { night: car.night } };
  },
};

function phones(random: Random): Car["phones"] {
  const out: Car["phones"] = new Map();
  for (let i = 0; i < 12; i++) {
    const phone_id = `PH${300 + i}`;
    out.set(phone_id, { phone_id, owner: `Driver ${i}`, paired: i < 2 ? random.chance(0.6) : i % 3 === 0 });
  }
  return out;
}

/** A car as it leaves the works. */
function usual(): Car {
  return {
    engine: false,
    driving: false,
    volume: 12,
    muted: false,
    source: "radio",
    preset: 1,
    phone: null,
    to: null,
    degrees: { driver: 21, passenger: 21 },
    sync: true,
    fan: 3,
    eco: false,
    seats: { left: 0, right: 0 },
    warnings: 1,
    acknowledged: false,
    range: 420,
    valet: false,
    night: false,
    phones: phones(new Random(1)),
  };
}

function carOf(random: Random): Car {
  const engine = random.chance(0.6);
  return {
    engine,
    driving: engine && random.chance(0.3),
    volume: random.pick([0, 6, 12, 19, 27]),
    muted: random.chance(0.3),
    source: random.pick(["radio", "radio", "usb"] as const),
    preset: random.int(1, 5),
    phone: random.chance(0.4) ? "PH303" : null,
    to: random.pick([null, null, "home", "work"] as const),
    degrees: { driver: random.int(18, 24), passenger: random.int(18, 24) },
    sync: false,
    fan: random.int(0, 4),
    eco: random.chance(0.3),
    seats: { left: engine ? random.int(0, 3) : 0, right: engine ? random.int(0, 3) : 0 },
    warnings: random.pick([0, 1, 2]),
    acknowledged: random.chance(0.3),
    range: random.pick([60, 180, 420]),
    valet: random.chance(0.2),
    night: random.chance(0.5),
    phones: phones(random),
  };
}

const SEATS: readonly Seat[] = ["left", "right"];
const LOOKS: readonly (readonly [string, JsonObject])[] = [
  ...["show_home", "show_audio", "show_climate", "show_trip", "show_warnings", "play_test_sound"].map(
    (tool) => [tool, {}] as const,
  ),
  ...SEATS.map((seat) => ["check_seat", { seat }] as const),
];

function acts(random: Random): readonly (readonly [string, JsonObject])[] {
  const phone = `PH${random.chance(0.5) ? 303 : random.int(300, 311)}`;
  return [
    ["press_start", {}],
    ["change_volume", { by: random.pick([-5, 3, 5]) }],
    ["mute", {}],
    ["next_source", {}],
    ["set_preset", { preset: random.int(1, 5) }],
    ["connect_phone", { phone_id: phone }],
    ["disconnect_phone", {}],
    ["pair_phone", { phone_id: phone }],
    ["navigate", { to: random.pick(["home", "work", "airport"]) }],
    ["stop_navigation", {}],
    ["set_temperature", { zone: random.pick(["driver", "passenger"]), degrees: random.int(18, 24) }],
    ["toggle_sync", {}],
    ["toggle_eco", {}],
    ["press_seat_heating", { seat: random.pick(SEATS) }],
    ["acknowledge", {}],
    ["valet_mode", { pin: random.pick([PIN, PIN, "0000"]) }],
    ["switch_display", {}],
  ];
}

/** What a helper does in a car: looks, changes a few things, looks again; `length` acts at most. */
function* plan(random: Random, length: number): Generator<readonly [tool: string, args: JsonObject]> {
  if (random.chance(0.5)) yield ["get_phone", { phone_id: `PH${random.int(300, 311)}` }];
  for (const look of random.shuffle([...LOOKS]).slice(0, random.int(2, 5))) yield look;
  for (let n = random.int(Math.ceil(length / 2), length); n > 0; n--) {
    yield random.pick(acts(random));
    while (random.chance(0.6)) yield random.pick(LOOKS);
  }
}

/** A car's screen whose acts answer in one style: toggles, cycles, limits, two zones in step, and what shuts other things. */
export function carService(style: Style = "sentence"): Service<Car> {
  return {
    name: `car-${style}`,
    usual,
    found: carOf,
    call: (car, tool, args) => {
      const read = READS[tool];
      if (read) return read(car, args);
      const { words, state } = (WRITES[tool] as (typeof WRITES)[string])(car, args);
      return style === "sentence" ? words : style === "object" ? { done: true, state } : "OK";
    },
    plan: (_, random, length = 4) => plan(random, length),
  };
}

/** Sessions with cars of our own making, set otherwise for each of `tasks` tasks. */
export function carSessions(seed: number, n: number, tasks: number, style: Style = "sentence"): ObservedTrace[] {
  return recorded(carService(style), { seed, n, tasks, starts: 300 });
}

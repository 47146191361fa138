import { deskExport, deskLiveTraces, deskTraces } from "../test/helpers/desk-traces.ts";
import { NOTED, recordMemorySessions } from "../test/helpers/memory-sessions.ts";
import { recorded, type Service, twoParts } from "../test/worlds/compile/service.ts";
import { carService, carSessions } from "../test/worlds/compile/services/car.ts";
import { ferrySessions } from "../test/worlds/compile/services/ferry.ts";
import { ferryExport } from "../test/worlds/compile/services/ferry-line.ts";
import { hubService, hubSessions } from "../test/worlds/compile/services/hub.ts";
import { phoneService, phoneSessions } from "../test/worlds/compile/services/phone.ts";
import { printerService, printerSessions } from "../test/worlds/compile/services/printer.ts";
import { recordedTools } from "../test/worlds/samples/desk/help.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { type CompileOptions, compile } from "../worlds/compile/index.ts";
import { measureFidelity, type SetupCalls } from "../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { FidelityTable } from "./fidelity-table.ts";

/** What is compiled, and what is replayed on it. */
export interface Measured {
  readonly train: readonly ObservedTrace[];
  readonly unseen: readonly ObservedTrace[];
  readonly setup?: SetupCalls;
  readonly options?: Omit<CompileOptions, "name">;
}

/** The figures of some rounds added up, as a table. */
export function lines(title: string, rounds: readonly Measured[], tools = true): string[] {
  const table = new FidelityTable();
  let milliseconds = 0;
  for (const { train, unseen, setup, options = {} } of rounds) {
    const started = performance.now();
    const compiled = compile(train, { name: "measured", ...options });
    milliseconds += performance.now() - started;
    table.add(measureFidelity(compiled, unseen, train, setup));
  }
  const took = (milliseconds / rounds.length).toFixed(0);
  return table.lines(`${title}, ${rounds.length} rounds, compile ${took} ms`, tools);
}

/** Seeds of the rounds. */
export const SEEDS = [1, 2, 3, 4, 5];

/** The desk sample, recorded sessions compiled, random valid sessions against a live desk replayed. */
export function desk(): string[] {
  const tools = recordedTools() as ToolDefinition[];
  const train = deskTraces();
  return lines(
    "desk sample, live against compiled",
    SEEDS.map((seed) => ({ train, unseen: deskLiveTraces(seed, 100), options: { tools } })),
  );
}

/** The published memory server: random valid sessions against the live server, some compiled, others replayed. */
export async function memory(): Promise<string[]> {
  const out: string[] = [];
  for (const [title, noted] of [
    ["on an empty graph", []],
    ["on a graph that is there", NOTED],
  ] as const) {
    const rounds: Measured[] = [];
    for (const seed of SEEDS) {
      const { traces, tools } = await recordMemorySessions(seed, 60, noted);
      const unseen = await recordMemorySessions(seed + 100, 60, noted);
      rounds.push({ train: traces, unseen: unseen.traces, options: { tools } });
    }
    out.push(...lines(`official memory server ${title}, live against compiled`, rounds));
  }
  return out;
}

/** Four kinds of things without a key whose every session starts otherwise: sessions of the same tasks, and of tasks never seen. */
export function readings(): string[] {
  const TASKS = 60;
  const elsewhere = (traces: ObservedTrace[]) => traces.map((trace) => ({ ...trace, group: `unseen ${trace.id}` }));
  return [
    ["a phone and its line", phoneSessions],
    ["a home's hub", hubSessions],
    ["an office printer", printerSessions],
    ["a car's screen", carSessions],
  ].flatMap(([name, sessions]) => {
    const make = sessions as typeof phoneSessions;
    const rounds = (of: (traces: ObservedTrace[]) => ObservedTrace[]) =>
      SEEDS.map((seed) => ({ train: make(seed, 300, TASKS), unseen: of(make(seed + 100, 100, TASKS)) }));
    return [
      ...lines(
        `state-heavy service (${name}), same tasks`,
        rounds((traces) => traces),
      ),
      ...lines(`state-heavy service (${name}), tasks never seen`, rounds(elsewhere), false),
    ];
  });
}

/** Acts of a session of two parts, about. */
const ACTS = 5;

/**
 * The same things, fresh: calls that set the stage, whose answers nobody observed, then calls that are scored. Compiled
 * from sessions that all began so, and from sessions of tasks that each began otherwise, where the start is not known.
 */
export function fresh(): string[] {
  const made =
    <State>(service: Service<State>) =>
    (tasks: number): Measured[] =>
      SEEDS.slice(0, tasks === 0 ? SEEDS.length : 2).map((seed) => {
        const { traces: unseen, setup } = twoParts(service, seed + 100, 100, ACTS);
        return { train: recorded(service, { seed, n: 300, tasks, starts: 900, length: ACTS }), unseen, setup };
      });
  return [
    ["a phone and its line", made(phoneService)] as const,
    ["a home's hub", made(hubService)] as const,
    ["an office printer", made(printerService)] as const,
    ["a car's screen", made(carService())] as const,
    ["a car's screen that answers in objects", made(carService("object"))] as const,
  ].flatMap(([name, rounds]) => {
    return [
      ...lines(`state-heavy service (${name}), set up and probed, from a known start`, rounds(0), false),
      ...lines(
        `state-heavy service (${name}), set up and probed, from a start that sessions do not share`,
        rounds(60),
        false,
      ),
    ];
  });
}

/** Sessions of the ferry line that are some, and all: so many that they show most of its rows. */
const SOME_CROSSINGS = 60;
const ALL_CROSSINGS = 300;

/** What a database export is worth: some recordings of the desk and of a ferry line, with the database and without, beside all of them. */
export function records(): string[] {
  const tools = recordedTools() as ToolDefinition[];
  const all = deskTraces();
  const third = all.slice(0, Math.floor(all.length / 3));
  const rounds = (train: readonly ObservedTrace[], given: object) =>
    SEEDS.map((seed) => ({ train, unseen: deskLiveTraces(seed, 60), options: { tools, ...given } }));
  return [
    ...lines("desk, a third of its recordings", rounds(third, {}), false),
    ...lines("desk, a third of its recordings and its database", rounds(third, { records: deskExport() }), false),
    ...lines("desk, all of its recordings", rounds(all, {}), false),
    ...ferry("some sessions", SOME_CROSSINGS, {}, false),
    ...ferry("some sessions and its database as it is kept", SOME_CROSSINGS, { records: ferryExport() }, true),
    ...ferry("all sessions", ALL_CROSSINGS, {}, false),
  ];
}

function ferry(title: string, n: number, options: Measured["options"], tools: boolean): string[] {
  const rounds = SEEDS.map((seed) => ({
    train: ferrySessions(seed, n),
    unseen: ferrySessions(seed + 100, 60),
    ...(options ? { options } : {}),
  }));
  return lines(`ferry line, ${title}`, rounds, tools);
}

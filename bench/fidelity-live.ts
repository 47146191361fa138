import { deskExport, deskLiveTraces, deskTraces } from "../test/helpers/desk-traces.ts";
import { NOTED, recordMemorySessions } from "../test/helpers/memory-sessions.ts";
import { hubSessions } from "../test/worlds/compile/hub.ts";
import { phoneSessions } from "../test/worlds/compile/phone.ts";
import { printerSessions } from "../test/worlds/compile/printer.ts";
import { recordedTools } from "../test/worlds/samples/desk/help.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { type CompileOptions, compile } from "../worlds/compile/index.ts";
import { measureFidelity } from "../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { FidelityTable } from "./fidelity-table.ts";

interface Measured {
  readonly train: readonly ObservedTrace[];
  readonly unseen: readonly ObservedTrace[];
  readonly options?: Omit<CompileOptions, "name">;
}

function lines(title: string, rounds: readonly Measured[], tools = true): string[] {
  const table = new FidelityTable();
  let milliseconds = 0;
  for (const { train, unseen, options = {} } of rounds) {
    const started = performance.now();
    const compiled = compile(train, { name: "measured", ...options });
    milliseconds += performance.now() - started;
    table.add(measureFidelity(compiled, unseen, train));
  }
  const took = (milliseconds / rounds.length).toFixed(0);
  return table.lines(`${title}, ${rounds.length} rounds, compile ${took} ms`, tools);
}

const SEEDS = [1, 2, 3, 4, 5];

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

/** Things without a key whose every session starts otherwise, of three different kinds: sessions of the same tasks, and of tasks never seen. */
export function readings(): string[] {
  const TASKS = 60;
  const elsewhere = (traces: ObservedTrace[]) => traces.map((trace) => ({ ...trace, group: `unseen ${trace.id}` }));
  return [
    ["a phone and its line", phoneSessions],
    ["a home's hub", hubSessions],
    ["an office printer", printerSessions],
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

/** What a database export is worth: a third of the desk's recordings, with its whole database and without, beside all recordings. */
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
  ];
}

import { energyExport, energyProbes, energySessions } from "../test/worlds/compile/energy-sessions.ts";
import type { CompileOptions } from "../worlds/compile/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { lines, type Measured, SEEDS } from "./fidelity-live.ts";

const TASKS = 60;
const ROUNDS = SEEDS.slice(0, 3);

/** Two agents on every task. */
const train = (seed: number): ObservedTrace[] =>
  (["careful", "hasty"] as const).flatMap((agent, i) => energySessions(agent, seed * 10 + i, 2 * TASKS, TASKS));

/** A third agent, on tasks from `first` on. */
const another = (first: number): Measured[] =>
  ROUNDS.map((seed) => ({ train: train(seed), unseen: energySessions("testing", seed + 100, TASKS, TASKS, first) }));

/** Sessions that begin where the records are as exported. */
const probed = (options: Omit<CompileOptions, "name">): Measured[] =>
  ROUNDS.map((seed) => {
    const rows = energyProbes(seed + 200, 150);
    return {
      train: train(seed),
      unseen: rows.map(({ probes }, i) => ({ id: `probe-${i}`, calls: probes })),
      setup: new Map(rows.map(({ setup }, i) => [`probe-${i}`, setup])),
      options,
    };
  });

/** Keyed records, and a thing without a key whose readings rest on them: another agent on the same tasks and on tasks never seen, and sessions from where nothing is wrong, with the records as an export and without. */
export function mixed(): string[] {
  const title = "records and readings (an energy supplier and a home's gateway)";
  return [
    ...lines(`${title}, same tasks, another agent`, another(0)),
    ...lines(`${title}, tasks never seen`, another(TASKS), false),
    ...lines(`${title}, set up and probed`, probed({}), false),
    ...lines(`${title}, set up and probed, with its export`, probed({ records: energyExport() }), false),
  ];
}

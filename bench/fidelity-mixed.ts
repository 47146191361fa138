import { bankExport, bankProbes, bankSessions } from "../test/worlds/compile/bank/bank-sessions.ts";
import { energyExport, energyProbes, energySessions } from "../test/worlds/compile/energy/energy-sessions.ts";
import type { CompileOptions } from "../worlds/compile/index.ts";
import type { Json } from "../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../worlds/observation.ts";
import { lines, type Measured, SEEDS } from "./fidelity-live.ts";

const ROUNDS = SEEDS.slice(0, 3);

type Agents<Agent> = (agent: Agent, seed: number, n: number, tasks: number, first?: number) => ObservedTrace[];

/** Keyed records, and a thing without a key whose readings rest on them. */
interface Service {
  readonly title: string;
  /** Runs of the two agents that the world is compiled from: so many tasks, so many runs of each agent on a task. */
  readonly train: (seed: number, tasks: number, runs: number) => ObservedTrace[];
  /** A third agent, once on every task from `first` on. */
  readonly another: (seed: number, tasks: number, first: number) => ObservedTrace[];
  readonly records: () => Record<string, Json>;
  readonly probes: (seed: number, n: number) => { setup: ObservedCall[]; probes: ObservedCall[] }[];
}

function agents<Agent>(sessions: Agents<Agent>, two: readonly [Agent, Agent], third: Agent) {
  return {
    train: (seed: number, tasks: number, runs: number) =>
      two.flatMap((agent, i) => sessions(agent, seed * 10 + i, runs * tasks, tasks)),
    another: (seed: number, tasks: number, first: number) => sessions(third, seed + 100, tasks, tasks, first),
  };
}

const ENERGY: Service = {
  title: "records and readings (an energy supplier and a home's gateway)",
  ...agents(energySessions, ["careful", "hasty"], "testing"),
  records: energyExport,
  probes: energyProbes,
};
const BANK: Service = {
  title: "records and readings (a bank and its app on a phone)",
  ...agents(bankSessions, ["thorough", "brisk"], "stepwise"),
  records: bankExport,
  probes: bankProbes,
};

/** How much a world is compiled from. */
interface Size {
  readonly tasks: number;
  readonly runs: number;
}
const MANY: Size = { tasks: 60, runs: 2 };
const FEW: Size = { tasks: 30, runs: 1 };

const another = ({ train, another: third }: Service, { tasks, runs }: Size, first = 0): Measured[] =>
  ROUNDS.map((seed) => ({ train: train(seed, tasks, runs), unseen: third(seed, tasks, first) }));

/** Sessions that begin where the records are as exported. */
const probed = ({ train, probes }: Service, options: Omit<CompileOptions, "name">): Measured[] =>
  ROUNDS.map((seed) => {
    const rows = probes(seed + 200, 150);
    return {
      train: train(seed, MANY.tasks, MANY.runs),
      unseen: rows.map(({ probes: calls }, i) => ({ id: `probe-${i}`, calls })),
      setup: new Map(rows.map(({ setup }, i) => [`probe-${i}`, setup])),
      options,
    };
  });

/** Two such services: another agent on the same tasks, on fewer, on unseen ones and where nothing is wrong, with an export and without. */
export function mixed(): string[] {
  return [ENERGY, BANK].flatMap((service) => [
    ...lines(`${service.title}, same tasks, another agent`, another(service, MANY)),
    ...lines(`${service.title}, half the tasks with half the sessions`, another(service, FEW), false),
    ...lines(`${service.title}, tasks never seen`, another(service, MANY, MANY.tasks), false),
    ...lines(`${service.title}, set up and probed`, probed(service, {}), false),
    ...lines(
      `${service.title}, set up and probed, with its export`,
      probed(service, { records: service.records() }),
      false,
    ),
  ]);
}

import type { JsonObject } from "../../json.ts";
import { withStart } from "../../starts.ts";
import { keepsCallRules } from "../call-rules.ts";
import { callable } from "../callable.ts";
import type { Kit } from "../kit.ts";
import { random } from "../random.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { ScriptError } from "../script.ts";
import { playNothing } from "../trial.ts";
import { UserByRule } from "../user/reply.ts";
import { type GradeEnv, gradeMade } from "./grade.ts";
import { collaterals, mutatedScripts, PART } from "./mutants.ts";
import { playRule } from "./rule-agent.ts";
import { playLoosely, playVariant, references, reviewKit, sameOutcome, saying } from "./variation.ts";
import { declining, elsewhere, type Most, partial, REFUSAL, scriptsOfOthers, unrelated } from "./wrong-ways.ts";

/** An agent that cannot have done what was asked, or that does without knowing, by name. */
export const WRONG_AGENTS = [
  "nothing",
  "declines",
  "unrelated call",
  "another task's script",
  "another row",
  "another value",
  "half the script",
  "collateral write",
] as const;
/** Agents of which it is told how many tasks they meet: a rule may be right, and a walker lucky. */
export const TOLD_AGENTS = ["declines by class", "rule", "walker"] as const;

type Agent = (typeof WRONG_AGENTS)[number] | (typeof TOLD_AGENTS)[number];

/** How many tasks of a set an agent meets, of those on which it could be tried; `met` lists their places in the set. */
export interface Separation {
  readonly agent: Agent;
  readonly tasks: number;
  readonly trials: number;
  readonly met: readonly number[];
}

const ALL: Most = { unrelated: Number.POSITIVE_INFINITY, rows: 4, others: Number.POSITIVE_INFINITY };
const WALKS = 3;
const STEPS = 6;

/**
 * Tries a set with agents that should meet none of its tasks, and with a rule and a random walker. A task counts as met
 * where any trial of the agent meets it. Trials that end as a right one does are left out. The same set gives the same.
 */
export function separation(tasks: readonly Task[], drawn: GradeEnv): Separation[] {
  const tallies = new Map<Agent, { tasks: number; trials: number; met: number[] }>(
    [...WRONG_AGENTS, ...TOLD_AGENTS].map((agent) => [agent, { tasks: 0, trials: 0, met: [] }]),
  );
  tasks.forEach((task, place) => {
    const env = withStart(drawn, task);
    for (const [agent, trials] of triedOn(task, env, tasks)) {
      const tally = tallies.get(agent)!;
      if (trials.length > 0) tally.tasks += 1;
      tally.trials += trials.length;
      if (trials.some((trial) => gradeMade(task, { right: false, trial }, env).end === "met")) tally.met.push(place);
    }
  });
  return [...tallies].map(([agent, tally]) => ({ agent, ...tally }));
}

function triedOn(task: Task, env: GradeEnv, all: readonly Task[]): [Agent, readonly FinishedTrial[]][] {
  const kit = reviewKit(env);
  const rng = random(`separation ${task.id}`);
  const rights = referencesOf(kit, task);
  if (rights === undefined) return [];
  const wrong = (trials: readonly { readonly trial: FinishedTrial }[]) => trials.map(({ trial }) => trial);
  const turns = [task.request, ...task.turns];
  return [
    ["nothing", [playNothing(turns.length)]],
    ["declines", wrong(declining(task))],
    ["unrelated call", wrong(unrelated(kit, task, rights, rng, ALL, all))],
    ["another task's script", wrong(scriptsOfOthers(kit, task, rights, rng, ALL, all))],
    ["another row", wrong(elsewhere(kit, task, rights, rng, ALL))],
    ["another value", otherValues(kit, task, rights, rng)],
    [
      "half the script",
      wrong(
        partial(kit, task).filter(
          ({ trial }) =>
            !(sameOutcome(task, trial, rights) && keepsCallRules(task, trial, kit)) && trial.calls.length > 0,
        ),
      ),
    ],
    ["collateral write", wrong(collaterals(kit, task, rights, rng))],
    ["declines by class", [{ calls: [], answers: saying(task, REFUSAL, "refused"), diff: [] }]],
    ["rule", [playRule(kit.fork(), turns, new UserByRule(task))]],
    ["walker", Array.from({ length: WALKS }, () => walked(kit, task, rng, all))],
  ];
}

/** The whole script with another value of one argument of a change, as for another person: only what does not end right. */
function otherValues(kit: Kit, task: Task, rights: Rights, rng: ReturnType<typeof random>): FinishedTrial[] {
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  return mutatedScripts(kit, task, rng)
    .filter(({ name }) => name === "another argument" || name === PART)
    .filter(({ detail }) => writes.has(detail.slice(0, detail.lastIndexOf("."))))
    .map(({ calls }) => playVariant(kit, task, calls))
    .filter((trial) => !(sameOutcome(task, trial, rights) && keepsCallRules(task, trial, kit)));
}

type Rights = readonly [FinishedTrial, ...FinishedTrial[]];

function referencesOf(kit: Kit, task: Task): Rights | undefined {
  try {
    return references(kit, task);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return undefined;
  }
}

/** Calls picked at random of all that can be made, after which the agent says that it is done. */
function walked(kit: Kit, task: Task, rng: ReturnType<typeof random>, all: readonly Task[]): FinishedTrial {
  const known = [...callable(kit, all)].flatMap(([tool, calls]) => calls.map((args) => ({ tool, args })));
  const world = kit.fork();
  const steps = Array.from({ length: known.length === 0 ? 0 : 1 + rng.below(STEPS) }, () => rng.pick(known));
  const calls = playLoosely(world, steps as { tool: string; args: JsonObject }[]);
  return { calls, answers: saying(task, "Done."), diff: world.diff() };
}

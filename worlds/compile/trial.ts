import type { Step } from "../behaviour/schema.ts";
import type { Session } from "./observations.ts";
import type { ProgramWorld } from "./programs/compile.ts";
import { type Judge, utility, worthless } from "./utility.ts";

type Make = (sessions: readonly Session[]) => ProgramWorld | undefined;

/** Worlds made of most sessions, judged on those that are held out: which is made of all is that with the best utility. */
export class Trial {
  private readonly judge: Judge;
  private readonly held: readonly Session[];
  /** The utility of the best world so far. */
  worth: number;
  private chosen: { readonly make: Make; readonly silent: ReadonlySet<string> } | undefined;

  constructor(judge: Judge, held: readonly Session[], worth: number) {
    this.judge = judge;
    this.held = held;
    this.worth = worth;
  }

  /** Takes a way to make worlds if it beats those before it, with the tools silenced that answer wrongly too often. Says whether it made one. */
  against(make: Make, train: readonly Session[]): boolean {
    const tried = make(train);
    if (!tried) return false;
    const told = this.judge.worth(tried, this.held);
    const silent = worthless(told);
    const quieter = utility(this.judge.worth(silenced(tried, silent), this.held));
    const worth = Math.max(utility(told), quieter);
    if (worth <= this.worth) return true;
    this.worth = worth;
    this.chosen = { make, silent: quieter > utility(told) ? silent : new Set() };
    return true;
  }

  /** The chosen world made of all sessions; undefined where none was better than the first. */
  best(sessions: readonly Session[]): ProgramWorld | undefined {
    const world = this.chosen?.make(sessions);
    return world && this.chosen ? silenced(world, this.chosen.silent) : undefined;
  }
}

/** A world of programs in which some tools do what they do and nobody knows what they answer. */
function silenced(world: ProgramWorld, tools: ReadonlySet<string>): ProgramWorld {
  const behaviours = { ...world.bundle.behaviours };
  for (const tool of tools) {
    const kept = behaviours[tool];
    if (!kept) continue;
    const steps = kept.behaviour.steps.map(
      (step): Step =>
        step.op === "answer"
          ? { op: "answer", expr: "unknown()" }
          : step.op === "refuse"
            ? { ...step, template: "{string(unknown())}" }
            : step,
    );
    behaviours[tool] = { ...kept, behaviour: { v: 1, steps } };
  }
  return { ...world, bundle: { ...world.bundle, behaviours } };
}

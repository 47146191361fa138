import type { BaseState, Bundle } from "../../worlds/bundle.ts";
import { audit } from "../../worlds/draw/index.ts";
import { rekeyTask } from "../../worlds/tasks/rekey.ts";
import type { Task } from "../../worlds/tasks/schema.ts";
import type { ComputeTask } from "../compute.ts";

interface World {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

/** Audits a drawn state: rows that contradict the observed ones, and rows that look made up. */
export const auditState: ComputeTask<World, ReturnType<typeof audit>> = {
  name: "audit_state",
  run: ({ bundle, base }) => audit(bundle, base),
};

interface RekeyInput extends World {
  /** The world that the keys were made on, where it is kept. */
  readonly before: World | undefined;
  readonly tasks: readonly Task[];
}

/** Recomputes the keys of tasks from the world served now. */
export const rekeyTasks: ComputeTask<RekeyInput, ReturnType<typeof rekeyTask>[]> = {
  name: "rekey_tasks",
  run: ({ bundle, base, before, tasks }) => tasks.map((task) => rekeyTask(task, { bundle, base }, before)),
};

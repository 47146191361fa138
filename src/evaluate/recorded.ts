import { createReadStream } from "node:fs";
import { AppError } from "../../chapters/errors.ts";
import {
  armsOf,
  compareRecorded,
  countsOf,
  type RecordedArm,
} from "../../chapters/runs/compare/recorded/compare-recorded.ts";
import { readRecorded } from "../../chapters/runs/compare/recorded/read-recorded.ts";
import { clusteredInterval } from "../../chapters/statistics/clustered.ts";
import type { FoundFile } from "./files.ts";

/** How one agent did by the rewards that files hold. */
export interface RecordedRates {
  readonly name: string;
  readonly met: number;
  readonly valid: number;
  /** The mean reward, 0..1, where some rewards lie between: then the bounds are of it. */
  readonly reward?: number;
  /** Bounds of the met rate over tasks at 95 %, 0..1. */
  readonly low: number;
  readonly high: number;
  /** How it compares with the agent that met most; absent for that one. */
  readonly verdict?: string;
}

/** The agents of recorded results, and the files that hold none. */
export interface RecordedArms {
  readonly arms: readonly RecordedArm[];
  readonly without: readonly string[];
}

/** Reads the results of files, an arm for each agent. A file that cannot be read throws AppError, named. */
export async function recordedArms(files: readonly Pick<FoundFile, "path" | "name">[]): Promise<RecordedArms> {
  const read = [];
  const without = [];
  for (const { path, name } of files) {
    const all = await readRecorded(createReadStream(path)).catch((error: unknown) => {
      throw error instanceof AppError ? new AppError(error.code, error.reason, { names: [name] }) : error;
    });
    if (all.length === 0) without.push(name);
    for (const results of all) read.push({ file: name, results });
  }
  return { arms: armsOf(read), without };
}

/** The agents of recorded results, the best first, each beside the best; empty where fewer than two ran a task in common. */
export function recordedRates(arms: readonly RecordedArm[]): RecordedRates[] {
  const counted = arms
    .map((arm) => ({ arm, ...countsOf(arm) }))
    .filter(({ valid }) => valid > 0)
    .sort((x, y) => rateOf(y) - rateOf(x) || (x.arm.name < y.arm.name ? -1 : 1));
  const [best, ...others] = counted;
  const meets = others.some(({ tasks }) => [...tasks.keys()].some((id) => best?.tasks.has(id)));
  if (!best || !meets) return [];
  return counted.map(({ arm, met, valid, reward, tasks }) => {
    const { low, high } = clusteredInterval([...tasks.values()]);
    const rates = { name: arm.name, met, valid, ...(reward === undefined ? {} : { reward }), low, high };
    return arm === best.arm ? rates : { ...rates, verdict: compareRecorded(best.arm, arm).verdict };
  });
}

function rateOf({ met, valid, reward }: { met: number; valid: number; reward?: number }): number {
  return reward ?? met / valid;
}

import type { AnyJob } from "./runner.ts";

/** Every kind of job that this service runs. */
export const jobDefinitions: readonly AnyJob[] = [];

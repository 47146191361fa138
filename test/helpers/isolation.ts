import { DEFAULT_ISOLATION } from "../../src/agents/isolation/settings.ts";

/** Agents that write to folders of this machine, or whose processes a test looks for, run without a sandbox. */
export const OPEN_AGENTS = { config: { isolation: { ...DEFAULT_ISOLATION, mode: "none" as const } } };

import type { BaseState, Bundle, ToolBehaviour, ToolDefinition } from "../../bundle.ts";
import { volatilityOf } from "../../floor/index.ts";
import { setOwn } from "../../json.ts";
import { renderingOf } from "../models.ts";
import type { Call, Session } from "../observations.ts";
import { emit, type Programs } from "./emit.ts";
import { footprintsOf } from "./footprints.ts";
import { learn } from "./index.ts";

/** Sessions that programs are learnt from, at most: spread evenly over all of them. */
const SESSIONS = 240;
/** Calls of them, at most. */
const CALLS = 3_000;

/** A world made of learnt programs alone. */
export interface ProgramWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly programs: Programs;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
}

/** Compiles a world whose tools are learnt programs over tables and cells of their own. Tools that cannot be said so are gaps. */
export function compilePrograms(
  all: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  name: string,
): ProgramWorld {
  const learnt = learn(spread(all), tools);
  const volatility = volatilityOf(all);
  const isGenerated = (tool: string, path: string) => volatility.kind(tool, path) === "generated";
  const programs = emit(learnt, learnt.kinds, learnt.texts, isGenerated);
  const behaviours: Record<string, ToolBehaviour> = {};
  const gaps: Bundle["gaps"] = [];
  for (const { name: tool } of tools) {
    const fitted = programs.tools.get(tool);
    const calls = byTool.get(tool) ?? [];
    if (!fitted) {
      gaps.push({
        tool,
        reason: calls.length === 0 ? "never observed" : "no program says what its calls do",
        n: calls.length,
      });
      continue;
    }
    setOwn(behaviours, tool, {
      effect: fitted.effect,
      behaviour: fitted.behaviour,
      rendering: { ...renderingOf(calls), wrap: [] },
      volatile: [...(programs.volatile.get(tool) ?? [])],
      support: { seen: calls.length, reproduced: 0 },
    });
  }
  const base: BaseState = { tables: structuredClone(programs.rows), drawn: {}, unknown: programs.unknown };
  if (programs.starts.size > 0) base.starts = Object.fromEntries(programs.starts);
  const footprints = footprintsOf(learnt, programs, tools, new Set(byTool.keys()));
  const now = Math.max(0, ...all.map(({ at }) => at));
  return {
    bundle: {
      v: 1,
      name,
      tools: [...tools],
      tables: [...programs.tables],
      now,
      behaviours,
      exceptions: [],
      gaps,
      footprints,
    },
    base,
    programs,
  };
}

/** Every so manieth session, so that what is learnt from costs no more however much there is. */
export function spread(all: readonly Session[]): readonly Session[] {
  const calls = all.reduce((sum, session) => sum + session.calls.length, 0);
  const share = Math.min(1, SESSIONS / all.length, CALLS / Math.max(1, calls));
  if (share === 1) return all;
  const n = Math.max(1, Math.floor(all.length * share));
  return Array.from({ length: n }, (_, i) => all[Math.floor((i * all.length) / n)] as Session);
}

import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { random } from "../../../worlds/tasks/random.ts";

const COLOURS = ["red", "green", "blue"];

/** A lamp without keys: its level and colour, whose start the task decides. */
export function lampTraces(tasks: number, trials: number): ObservedTrace[] {
  const out: ObservedTrace[] = [];
  for (let task = 0; task < tasks; task++)
    for (let trial = 0; trial < trials; trial++) {
      const start = random(`start ${task}`);
      let level = start.below(10) * 10;
      let colour = start.pick(COLOURS);
      const rng = random(`steps ${task} ${trial}`);
      const plan = random(`plan ${task}`);
      const wanted = Array.from({ length: 4 }, () => ({ level: plan.below(12) * 10, colour: plan.pick(COLOURS) }));
      const call = (tool: string, args: JsonObject): { value: Json; isError: boolean } => {
        if (tool === "dim") {
          if (Number(args.level) > 100) return { value: "Error: the level is too high", isError: true };
          level = Number(args.level);
          return { value: { level }, isError: false };
        }
        if (tool === "tint") {
          colour = String(args.colour);
          return { value: { colour, level }, isError: false };
        }
        return { value: tool === "get_level" ? { level } : { level, colour, hot: level > 60 }, isError: false };
      };
      const calls = wanted.flatMap((goal): { tool: string; args: JsonObject }[] => [
        ...(rng.below(2) ? [{ tool: rng.pick(["get_level", "get_lamp"]), args: {} }] : []),
        rng.below(2) ? { tool: "dim", args: { level: goal.level } } : { tool: "tint", args: { colour: goal.colour } },
        { tool: "get_lamp", args: {} },
      ]);
      out.push({
        id: `task ${task} trial ${trial}`,
        group: `task ${task}`,
        startedAt: 1_750_000_000 + out.length * 60,
        calls: calls.map(({ tool, args }) => {
          const { value, isError } = call(tool, args);
          return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError };
        }),
      });
    }
  return out;
}

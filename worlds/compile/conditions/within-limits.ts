import { Behaviour } from "../../behaviour/schema.ts";
import { type FittedTool, recordedOnly } from "../fit/fit-tool.ts";

const WHY = "what explains its calls is longer than a behaviour may be: only recorded ones are answered";

/** The candidates that a bundle can hold, read back as it will be; of a tool without any its recorded answers, with the reason. */
export function withinLimits(
  candidates: ReadonlyMap<string, readonly FittedTool[]>,
): Map<string, readonly FittedTool[]> {
  return new Map(
    [...candidates].map(([tool, list]) => {
      const fit = list.filter(({ behaviour }) => Behaviour.safeParse(behaviour).success);
      if (fit.length === list.length) return [tool, list];
      const why = (each: FittedTool) => (each.how === "recorded" ? { ...each, why: WHY } : each);
      return [tool, fit.length > 0 ? fit.map(why) : [why(recordedOnly(list[0]?.effect ?? "read"))]];
    }),
  );
}

import type { Demand } from "../../worlds/tasks/demand.ts";
import type { Ctx } from "../context.ts";
import { readPreferences } from "../organization/preferences.ts";
import { CorpusItem } from "../records/evidence/corpus.ts";
import { everyValue, type ValueDoc } from "./axes.ts";

/**
 * How much each accepted use case is asked for, by its weight and under each of its names. Weights of what only the public
 * corpus shows count where the org lets public demand shape its datasets.
 */
export async function useCaseDemand(ctx: Ctx): Promise<Demand[]> {
  const { corpus } = await readPreferences(ctx);
  const publicDemand = corpus?.public_demand ?? false;
  return (await everyValue(ctx, "use_case")).flatMap((row) => {
    const { status, weight = 0, value, spellings } = row;
    if (status !== "accepted" || weight <= 0 || (!publicDemand && isPublic(row))) return [];
    return [value, ...spellings].map((useCase) => ({ useCase, weight }));
  });
}

/** Whether nothing of the org's own shows a value. */
function isPublic({ cites }: ValueDoc): boolean {
  return cites.length > 0 && cites.every((id) => id.startsWith(`${CorpusItem.prefix}_`));
}

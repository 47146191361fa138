import type { Ctx } from "../../../chapters/context.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { differing, versionsOf } from "../../../chapters/findings/pages/versions.ts";
import { confidenceBands } from "../../../chapters/organization/confidence.ts";
import { playerName } from "../../../chapters/records/runs/runs.ts";
import { compareGroups } from "../../../chapters/runs/compare/compare.ts";
import { findGroup, groupData } from "../../../chapters/runs/groups/group-data.ts";
import type { ConsoleRoute } from "../route.ts";
import { csvFile } from "./csv.ts";

/** The tasks of a comparison as a file: those that both ran under the same terms, in their order. */
export const comparisonFile: ConsoleRoute = csvFile(
  "/compare",
  "comparison",
  [
    ...["before", "after", "sandbox", "task", "number", "family", "request"],
    ...["met_before", "valid_before", "met_after", "valid_after", "points", "causes_before", "causes_after"],
  ],
  async ({ ctx, query }) => {
    const groups = await Promise.all([groupData(ctx, query.get("a") ?? ""), groupData(ctx, query.get("b") ?? "")]);
    const { tasks, a, b } = compareGroups(...groups, await confidenceBands(ctx));
    const causes = (of: (typeof tasks)[number]["causes"]["a"]) => of.map(({ cause }) => cause).join(", ");
    const rows = tasks.map((task) => [
      ...[playerName(a), playerName(b), task.label, task.task, task.index, task.family, task.request],
      ...[task.a.met, task.a.valid, task.b.met, task.b.valid, Math.round(1000 * task.delta) / 10],
      ...[causes(task.causes.a), causes(task.causes.b)],
    ]);
    return { rows, next: undefined };
  },
);

/**
 * A comparison with what its two versions differ in after what flipped. It stands on the org's own page alone: commands and
 * addresses are no part of what is frozen, shared or sent.
 */
export async function withDifferences(ctx: Ctx, doc: PageDoc, a: string, b: string): Promise<PageDoc> {
  const [before, after] = await Promise.all([findGroup(ctx, a), findGroup(ctx, b)]);
  const found = await versionsOf(ctx, [before.player, after.player]);
  if (found === undefined || before.player.version === after.player.version) return doc;
  const [facts, flips] = [doc.sections.slice(0, 2), doc.sections.slice(2)];
  return { ...doc, sections: [...facts, differing(found.versions), ...flips] };
}

import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import { confidenceBands } from "../organization/confidence.ts";
import { FileAnswer } from "../reply.ts";
import { compareGroups } from "./compare.ts";
import { comparisonMarkdown } from "./compare-markdown.ts";
import { groupData } from "./group-data.ts";

/** Two groups side by side, paired by task, as a Markdown file with the same as data. `main` names the arm that is told first. */
export async function compareRuns(
  ctx: Ctx,
  input: { readonly a: string; readonly b: string; readonly main?: "a" | "b" | undefined },
) {
  if (input.a === input.b) throw badField("b", "name another group than a");
  const [first, second] = input.main === "b" ? [input.b, input.a] : [input.a, input.b];
  const [a, b, bands] = await Promise.all([groupData(ctx, first), groupData(ctx, second), confidenceBands(ctx)]);
  const comparison = compareGroups(a, b, bands);
  return new FileAnswer(`compare-${first}-${second}.md`, "text/markdown", comparisonMarkdown(comparison), {
    ...comparison,
    org: ctx.org.tag,
    status: { a: a.status, b: b.status },
  });
}

import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { orgRef, recordId } from "../../fields.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { FileAnswer } from "../../reply.ts";
import { groupData } from "../groups/group-data.ts";
import { compareGroups } from "./compare.ts";
import { comparisonMarkdown } from "./compare-markdown.ts";

/** What `compare_runs` takes. */
export const CompareRunsInput = z.object({
  ...orgRef,
  a: recordId("first run group, usually the version before"),
  b: recordId("second run group, usually the new version"),
  format: z.enum(["markdown", "json"]).optional().describe("The file's form; Markdown when absent."),
  difference: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("The difference of rates, 0 to 1, to plan for; 0.05 when absent."),
  main: z.enum(["a", "b"]).optional().describe("Which one is told first, as a; a when absent."),
});

/** Two groups side by side, paired by task, as a Markdown or JSON file with the same as data. `main` names the arm that is told first. */
export async function compareRuns(ctx: Ctx, input: z.output<typeof CompareRunsInput>) {
  if (input.a === input.b) throw badField("b", "name another group than a");
  const [first, second] = input.main === "b" ? [input.b, input.a] : [input.a, input.b];
  const [a, b, bands] = await Promise.all([groupData(ctx, first), groupData(ctx, second), confidenceBands(ctx)]);
  const comparison = compareGroups(a, b, bands, input.difference);
  const data = { ...comparison, org: ctx.org.tag, status: { a: a.status, b: b.status } };
  const name = `compare-${first}-${second}`;
  return input.format === "json"
    ? new FileAnswer(`${name}.json`, "application/json", JSON.stringify(data), data)
    : new FileAnswer(`${name}.md`, "text/markdown", comparisonMarkdown(comparison), data);
}

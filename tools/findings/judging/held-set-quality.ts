import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { count } from "../../../chapters/fields.ts";
import { groupRef, SetView } from "../../../chapters/findings/judging/fields.ts";
import { CheckedTask, heldSetQuality, Term } from "../../../chapters/findings/judging/held-set-quality.ts";
import { SetCheck } from "../../../chapters/findings/judging/set-checks.ts";
import { Tier } from "../../../chapters/tier.ts";
import { shaped } from "../../kernel/operation.ts";

/** A held set's quality. */
export const heldSetQualityOperations = [
  shaped({
    name: "held_set_quality",
    title: "A held set's quality",
    description:
      "Says how good a held set still is: how many of its tasks stand as frozen, are certified, reject wrong trials, separate agents and end alike when repeated. From stored reviews and trials; nothing runs.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/held-sets/{gid}/quality",
    input: z.object({
      ...groupRef,
      format: z.enum(["json", "md"]).optional().describe("`md` answers a Markdown file, how it was graded first."),
    }),
    output: z.object({
      org: z.string(),
      set: SetView,
      tier_sentence: z.string(),
      line: z.string(),
      terms: z.array(Term).describe("A term that could be measured on no task is absent."),
      unmeasured: z.array(z.object({ term: SetCheck, tasks: count, whole: z.boolean(), reason: z.string() })),
      losses_ranked: z
        .array(z.object({ term: SetCheck, tasks: count, of: count, which: z.array(z.string()), mend: z.string() }))
        .describe("What cost most tasks, first."),
      tasks: z.array(CheckedTask),
      model_calls: count,
      tier: Tier,
    }),
    verdict: ({ line }) => line,
    counts: ({ terms }) => terms.map(({ term, value, n, tier, how }) => ({ name: term, value, of: n, tier, how })),
    next: ({ losses_ranked: [worst] }) =>
      worst ? `${countOf(worst.tasks, "task is", "tasks are")} lost to ${worst.term}: ${worst.mend}` : undefined,
    handle: heldSetQuality,
  }),
];

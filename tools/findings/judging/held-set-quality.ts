import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { groupRef } from "../../../chapters/findings/judging/fields.ts";
import { HeldSetQuality, heldSetQuality } from "../../../chapters/findings/judging/held-set-quality.ts";
import { shaped } from "../../kernel/operation.ts";

/** A held set's quality. */
export const heldSetQualityOperations = [
  shaped({
    name: "held_set_quality",
    title: "Read a held set's quality",
    description:
      "Says how good a held set still is: how many of its tasks stand as frozen, are certified, reject wrong trials, separate agents and end alike when repeated. From stored reviews and trials; nothing runs.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/held-sets/{gid}/quality",
    input: z.object({
      ...groupRef,
      format: z.enum(["json", "md"]).optional().describe("`md` answers a Markdown file, how it was graded first."),
    }),
    output: HeldSetQuality,
    verdict: ({ line }) => line,
    counts: ({ terms }) => terms.map(({ term, value, n, tier, how }) => ({ name: term, value, of: n, tier, how })),
    next: ({ losses_ranked: [worst] }) =>
      worst ? `${countOf(worst.tasks, "task is", "tasks are")} lost to ${worst.term}: ${worst.mend}` : undefined,
    handle: heldSetQuality,
  }),
];

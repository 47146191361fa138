import { z } from "zod";
import { count } from "../../../chapters/fields.ts";
import { getRubric, RubricInput } from "../../../chapters/findings/judging/rubric.ts";
import { CHECK_KINDS, ShownAgreement } from "../../../chapters/findings/judging/scorers.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Criterion = z.object({
  kind: z.enum(CHECK_KINDS),
  criterion: z.string().optional().describe("The words of a judged criterion."),
  decides: z.string(),
  tasks: count.describe("Tasks that carry it."),
  of: count,
  from: z
    .array(z.object({ task: z.string(), environment: z.string(), index: count }))
    .describe("At most 50 of the tasks."),
  written_by: Tier.describe("Who wrote those tasks, the weakest tier of them."),
  tier: Tier.describe("How it is decided."),
  judge: z.object({ model: z.string().nullable(), source: z.enum(["scorer", "org", "default"]) }).optional(),
  agreement: ShownAgreement.optional(),
});

/** What an agent is held to. */
export const rubric = [
  operation({
    name: "rubric_get",
    title: "Read the rubric",
    description:
      "Answers what one persona's tasks of one job are held to, from the checks of the certified tasks. Left out, persona and job are those with most tasks; `personas` lists them all.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/rubric",
    input: RubricInput,
    output: z.object({
      org: z.string(),
      persona: z.string().nullable(),
      use_case: z.string().nullable(),
      tasks: count,
      trace_checks: z.array(Criterion),
      output_checks: z.array(Criterion),
      personas: z.array(
        z.object({ persona: z.string(), use_cases: z.array(z.object({ use_case: z.string(), tasks: count })) }),
      ),
      tier: Tier,
    }),
    handle: getRubric,
  }),
];

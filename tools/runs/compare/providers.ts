import { z } from "zod";
import { count, orgRef, recordId } from "../../../chapters/fields.ts";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { pageInput } from "../../../chapters/page.ts";
import {
  CompareInput,
  compareProviders,
  getComparison,
  listComparisons,
  listProviders,
  pinId,
} from "../../../chapters/runs/compare/providers.ts";
import { Ends } from "../../../chapters/runs/trials/rates.ts";
import { confidenceClause } from "../../../chapters/statistics/bands.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const audience = z
  .enum(["customer", "staff"])
  .optional()
  .describe("`staff` also names the models; only for the service's own operators.");

/** A pin's difference from the base in a few words. */
function standing({
  difference,
  confidence,
  words,
  worse,
  cannot_tell: untold,
}: {
  readonly difference: number;
  readonly confidence: number;
  readonly words: string;
  readonly worse?: "base" | "pin" | undefined;
  readonly cannot_tell?: { readonly reason: string } | undefined;
}): string {
  if (untold !== undefined) return `against the base: cannot tell, ${untold.reason}`;
  const sure = confidenceClause(confidence);
  if (worse === undefined || words === "no difference shown")
    return `against the base: no difference shown${sure === "" ? "" : `, ${sure}`}`;
  const points = `${(100 * Math.abs(difference)).toFixed(1)} points`;
  return `against the base: ${points} ${worse === "pin" ? "less" : "more"} met, ${words}, ${sure}`;
}

/** Models side by side on the same tasks. */
export const providers = [
  operation({
    name: "providers_get",
    title: "List provider pins",
    description:
      "Lists the models the react harness can be run with as pins, with whether the provider's key is held and the price known. Use the ids in compare_providers.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/providers",
    input: z.object({ ...orgRef, audience }),
    output: z.object({
      org: z.string(),
      harness: z.literal("react"),
      pins: z.array(
        z.object({
          id: z.string(),
          label: z.string(),
          provider: z.string(),
          key: z.object({ name: z.string(), set: z.boolean() }),
          priced: z.boolean(),
          priced_as_of: z.string().optional(),
          model: z.string().optional(),
        }),
      ),
    }),
    handle: listProviders,
  }),
  operation({
    name: "compare_providers",
    title: "Compare providers",
    description:
      "Starts the react harness once per pin on the same tasks of an environment, a run group each, and answers the comparison to read with provider_comparison.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/runs/providers",
    input: CompareInput,
    output: z.object({
      org: z.string(),
      comparison: z.string(),
      environment: z.string(),
      groups: z.array(z.object({ pin: z.string(), label: z.string(), group: z.string() })),
      poll: z.string(),
    }),
    handle: compareProviders,
  }),
  operation({
    name: "comparisons_list",
    title: "List provider comparisons",
    description: "Lists provider comparisons, newest first, with their pins, tasks and how each stands.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/comparisons",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      org: z.string(),
      comparisons: z.array(
        z.object({
          id: z.string(),
          created_at: z.number(),
          by: z.string(),
          environment: z.string(),
          label: z.string(),
          pins: z.array(z.string()),
          tasks: count,
          trials: count,
          status: z.string(),
        }),
      ),
      next: z.string().optional(),
    }),
    handle: listComparisons,
  }),
  shaped({
    name: "provider_comparison",
    title: "Read a provider comparison",
    description:
      "Answers one provider comparison: per pin its trials by end, met of valid with the interval, cost, latency; per task a cell per pin. `base` names the pin that the others are compared with.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/comparisons/{pcid}",
    input: z.object({
      ...orgRef,
      pcid: recordId("provider comparison"),
      base: pinId.optional().describe("The first when absent."),
      audience,
    }),
    output: z.object({
      org: z.string(),
      id: z.string(),
      environment: z.string(),
      label: z.string(),
      base: z.string(),
      pins: z.array(
        z.object({
          pin: z.string(),
          label: z.string(),
          model: z.string().optional(),
          group: z.string(),
          status: GroupStatusSchema,
          ends: Ends,
          met: count,
          valid: count,
          interval: z.object({ low: z.number(), high: z.number() }).describe("95 %, over tasks."),
          against_base: z
            .object({
              difference: z.number().describe("Mean over tasks of this pin's rate less the base's."),
              p: z.number(),
              confidence: z.number(),
              words: z.enum(["no difference shown", "leaning", "shown"]),
              worse: z.enum(["base", "pin"]).optional(),
              tasks: count.describe("Tasks that both ran under the same terms."),
              verdict: z.string().describe("In it a is the base and b this pin."),
              cannot_tell: z.object({ reason: z.string(), way_out: z.string() }).optional(),
            })
            .optional()
            .describe("The exact paired permutation test against the base pin; absent on the base itself."),
          cost_usd: z.number(),
          cost_per_met_usd: z.number().optional(),
          ms_p50: z.number().optional(),
          ms_p95: z.number().optional(),
        }),
      ),
      tasks: z.array(
        z.object({
          task: z.string(),
          index: count,
          family: z.string(),
          cells: z.array(z.object({ pin: z.string(), met: count, valid: count })),
        }),
      ),
      tier: Tier,
    }),
    verdict: ({ pins, base }) =>
      [...pins]
        .sort((a, b) => Number(b.pin === base) - Number(a.pin === base))
        .map(({ label, met, valid, cost_usd, status, against_base: against }) =>
          valid === 0
            ? `${label}: no valid trial yet (${status})`
            : `${label}: ${met} of ${valid} met for $${cost_usd.toFixed(4)}${against === undefined ? "" : ` (${standing(against)})`}`,
        )
        .join("; "),
    counts: ({ pins }) =>
      pins.map(({ label, met, valid }) => ({
        name: `${label} met`,
        value: met,
        of: valid,
        tier: "deterministic" as const,
        how: "checks on stored trials, of valid ones",
      })),
    next: ({ pins }) => (pins[1] ? `compare_runs with a ${pins[0]?.group} and b ${pins[1].group}` : undefined),
    handle: getComparison,
  }),
];

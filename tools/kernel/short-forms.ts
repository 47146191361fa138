import type { z } from "zod";
import { OnlineTermsInput } from "../../chapters/records/online/online.ts";
import { RunBundle, RunFinding } from "../../chapters/records/runs/run-bundle.ts";
import { Behaviour } from "../../worlds/behaviour/schema.ts";
import { Check } from "../../worlds/tasks/schema.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Schemas of which a list shows the outline alone: they are large, stand in several tools, and are copied from another
 * tool's answer where they are sent at all. What is taken stays the whole schema; `except` names the tool that shows it.
 */
const SHORT = new Map<z.ZodType, { readonly form: Schema; readonly except?: string }>([
  [Behaviour, { form: { type: "object", description: "Steps as JSON, as surface_representation shows them." } }],
  [
    Check,
    {
      form: {
        type: "object",
        properties: { kind: { enum: Check.options.map((option) => option.shape.kind.value) } },
        required: ["kind"],
        description: "A check as environment_task_checks shows it.",
      },
      except: "environment_tasks_post",
    },
  ],
  [OnlineTermsInput, { form: { type: "object" }, except: "schedules_post" }],
  [RunBundle.shape.meta, { form: { type: "object" } }],
  [RunBundle.shape.trials.element, { form: { type: "object", description: "As run_reexport makes it." } }],
  [RunFinding, { form: { type: "object", description: "As run_reexport makes it." } }],
]);

/** The outline of a schema in the list of a tool; undefined where the list shows it whole. */
export function shortForm(schema: z.core.$ZodType, tool: string): Schema | undefined {
  const short = SHORT.get(schema as z.ZodType);
  return short === undefined || short.except === tool ? undefined : short.form;
}

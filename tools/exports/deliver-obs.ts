import { z } from "zod";
import { deliverObs, ObsInput, Sent } from "../../chapters/exports/deliver-obs.ts";
import { shaped } from "../kernel/operation.ts";
import { counts, facts, said } from "./finding.ts";

/** Write a finding to the observability vendor. */
export const deliverObsOperations = [
  shaped({
    name: "deliver_obs",
    title: "Write a finding to the observability vendor",
    description:
      "Writes what a run group showed as an event, a notebook and an experiment at the observability vendor. A dry run, the default, answers the payloads; else it needs the channel on, the org's obs_write credential and a member's confirm.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    statuses: [200],
    answer: "file",
    route: "POST /v0/orgs/{orgtag}/deliveries/obs",
    input: ObsInput,
    output: z.object({
      ...facts,
      dry_run: z.boolean(),
      sent: z.array(Sent),
      payloads: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
      log: z.array(z.string()).optional().describe("Lines of the delivery log."),
      error: z.string().optional().describe("Why some or all were not sent."),
      reason: z.string().optional(),
      retry_after: z.number().optional(),
      import_file: z.object({ tool: z.literal("deliver_obs"), format: z.literal("zip") }).optional(),
    }),
    verdict: (answer) => {
      const written = answer.sent.filter(({ already }) => !already).length;
      const how = answer.dry_run
        ? "Not sent (dry run)"
        : answer.error === undefined
          ? `Wrote ${written} of ${answer.sent.length}, the others stood there`
          : `Wrote ${written}, then ${answer.error}`;
      return `${how}: ${said(answer)}.`;
    },
    counts,
    next: ({ dry_run, error }) =>
      error === "no_write_credential"
        ? "deliver_obs with format zip answers the file to import"
        : dry_run
          ? "deliver_obs with dry_run false and a confirm sends it"
          : "delivery_log lists what was sent",
    handle: deliverObs,
  }),
];

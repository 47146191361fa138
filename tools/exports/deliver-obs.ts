import { z } from "zod";
import { deliverObs, ObsKind } from "../../chapters/exports/deliver-obs.ts";
import { orgRef } from "../../chapters/fields.ts";
import { shaped } from "../kernel/operation.ts";
import { confirm, consoleUrl, counts, facts, said, which } from "./finding.ts";

const reference = z.record(z.string(), z.string());

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
    input: z.object({
      ...orgRef,
      ...which,
      bug: z
        .string()
        .regex(/^[\w.:/-]{1,100}$/)
        .optional()
        .describe("The name of the bug that it tells of, as a tag."),
      kinds: z.array(ObsKind).min(1).max(3).optional().describe("What to write; all three when absent."),
      dry_run: z.boolean().optional().describe("Answer what would be written, and write nothing; true when absent."),
      confirm,
      console: consoleUrl,
      format: z.enum(["json", "zip"]).optional().describe("zip answers the payloads as a file to import."),
    }),
    output: z.object({
      ...facts,
      dry_run: z.boolean(),
      sent: z.array(
        z.object({
          kind: ObsKind,
          reference,
          already: z.boolean().describe("It stood there from an earlier send and was left."),
        }),
      ),
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

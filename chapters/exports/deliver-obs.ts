import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { orgRef } from "../fields.ts";
import type { Finding } from "../findings/render/finding.ts";
import { type ObsPayloads, obsPayloads } from "../findings/render/obs.ts";
import { OBS_WRITE, obsWriteKey } from "../organization/obs-write.ts";
import type { ObsWriteKey, ObsWritten } from "../ports/vendors.ts";
import { FileAnswer } from "../reply.ts";
import { type OneSend, sendOnce, sendSignal } from "../send-once.ts";
import { type ZipFile, zipped } from "../zip.ts";
import { deliveredFinding, findingFacts, openChannel } from "./delivered-finding.ts";
import { useConfirm } from "./delivery/delivery-confirm.ts";
import { confirm, consoleUrl, which } from "./fields.ts";

/** What a finding is written as at the observability vendor. */
export const ObsKind = z.enum(["event", "notebook", "experiment"]);
type ObsKind = z.infer<typeof ObsKind>;

/** What `deliver_obs` takes. */
export const ObsInput = z.object({
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
});
export type ObsInput = z.output<typeof ObsInput>;

const reference = z.record(z.string(), z.string());

/** One thing that stands at the vendor now. `already`: it was written by an earlier send and was left as it is. */
export const Sent = z.object({
  kind: ObsKind,
  reference,
  already: z.boolean().describe("It stood there from an earlier send and was left."),
});
export type Sent = z.infer<typeof Sent>;

/**
 * A finding as an event, a notebook and an experiment at the observability vendor; a dry run, the default, answers what
 * would be written. A real send needs the channel on, the org's own credential for writing and a member's confirm. Each
 * kind is written once for its two groups; where one fails, those before it stand and are told, and the rest can be sent
 * again. Without the credential nothing is sent, and the answer says where the import file is.
 */
export async function deliverObs(ctx: Ctx, input: ObsInput) {
  const finding = await deliveredFinding(ctx, input, "obs");
  const kinds = ObsKind.options.filter((kind) => input.kinds === undefined || input.kinds.includes(kind));
  const payloads = payloadsOf(finding, input.bug);
  const facts = findingFacts(finding);
  const chosen = Object.fromEntries(kinds.map((kind) => [kind, payloads[kind]]));
  if (input.format === "zip") return importFile(ctx, finding, kinds, payloads, facts);
  if (input.dry_run !== false) return { ...facts, dry_run: true, sent: [], payloads: chosen };

  const key = await obsWriteKey(ctx);
  if (!key)
    return {
      ...facts,
      dry_run: false,
      sent: [],
      error: "no_write_credential" as const,
      reason: `The org has left no credential named ${OBS_WRITE} (an admin does with delivery_put), and the one for reading is never written with. The same call with format zip answers the file to import.`,
      import_file: { tool: "deliver_obs" as const, format: "zip" as const },
    };
  await openChannel(ctx, "obs");
  const { member } = await useConfirm(ctx, input.confirm, {
    channel: "obs",
    group: input.group,
    target: undefined,
  });
  const sent: Sent[] = [];
  const log: string[] = [];
  let refusal: AppError | undefined;
  for (const kind of kinds) {
    try {
      const one = sendOf(finding, kind, input);
      const line = { by: member, target: key.site, says: { kind } };
      const made = await sendOnce(ctx, one, line, () => write(ctx, key, finding, kind, payloads));
      sent.push({ kind, reference: made.reference, already: made.already });
      if (made.log !== undefined) log.push(made.log);
    } catch (error) {
      if (!(error instanceof AppError) || sent.length === 0) throw error;
      refusal = error;
      break;
    }
  }
  await auditAct(ctx, "delivered", { channel: "obs", group: input.group, member, sent: sent.length });
  return { ...facts, dry_run: false, sent, log, ...(refusal ? refusalOf(refusal) : {}) };
}

function refusalOf({ code, reason, details }: AppError): {
  error: ErrorCode;
  reason: string;
  retry_after?: number;
} {
  return {
    error: code,
    reason: `${reason} What is in sent stands; a new confirm sends the rest.`,
    ...(details.retryAfter === undefined ? {} : { retry_after: details.retryAfter }),
  };
}

/** The payloads, named by the bug that they tell of where one is given. */
function payloadsOf(finding: Finding, bug: string | undefined): ObsPayloads {
  const made = obsPayloads(finding);
  if (bug === undefined) return made;
  const { event, experiment } = made;
  return {
    ...made,
    event: { ...event, tags: [...event.tags, `bug:${bug}`] },
    experiment: { ...experiment, metadata: { ...experiment.metadata, bug } },
  };
}

function sendOf({ main, tested }: Finding, kind: ObsKind, { group, bug = "" }: ObsInput): OneSend {
  return { channel: "obs", group, key: [kind, main.group, tested.group, bug] };
}

async function write(ctx: Ctx, key: ObsWriteKey, finding: Finding, kind: ObsKind, payloads: ObsPayloads) {
  const { obsWrite } = ctx.vendors;
  const signal = sendSignal();
  const written = (): Promise<ObsWritten> => {
    if (kind === "event") return obsWrite.event(key, payloads.event, signal);
    if (kind === "notebook") return obsWrite.notebook(key, payloads.notebook, signal);
    return obsWrite.experiment(key, { ...payloads.experiment, ...projectOf(finding) }, signal);
  };
  const { id, url } = await written();
  return { id, ...(url === undefined ? {} : { url }) };
}

/** The project that the org's experiments are in, and the dataset that these groups played. */
function projectOf({ org }: Finding) {
  return { project: org, dataset: `${org}/findings` };
}

/** Each payload as the body of its call, and the place of the experiment, for sending by hand. */
function importFile(
  ctx: Ctx,
  finding: Finding,
  kinds: readonly ObsKind[],
  payloads: ObsPayloads,
  facts: ReturnType<typeof findingFacts>,
): FileAnswer {
  const bodies = {
    event: payloads.event,
    notebook: payloads.notebook,
    experiment: { data: { type: "experiments", attributes: payloads.experiment }, ...projectOf(finding) },
  };
  const files = kinds.map(
    (kind): ZipFile => ({ name: `${kind}.json`, content: `${JSON.stringify(bodies[kind], null, 1)}\n` }),
  );
  const data = { ...facts, dry_run: true, sent: [] };
  return new FileAnswer(`finding-${finding.tested.group}.zip`, "application/zip", zipped(files, ctx.now()), data);
}

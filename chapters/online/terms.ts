import { mayChange } from "../../worlds/shown-effects.ts";
import { loadBundle } from "../blobs.ts";
import type { Ctx } from "../context.ts";
import { badField, conflict } from "../errors.ts";
import { ALERTS_GROUP, useConfirm } from "../exports/delivery/delivery-confirm.ts";
import { TOLD_BY_RULE } from "../findings/modes/shows-failure.ts";
import { offeredModel } from "../models/spend.ts";
import { chatInstall } from "../organization/chat.ts";
import { judgeOf } from "../organization/judge.ts";
import type { Doc } from "../record.ts";
import { FeedbackNote } from "../records/evidence/feedback.ts";
import { FailureMode } from "../records/findings/findings.ts";
import type { OnlineTerms, OnlineTermsInput, TraceCheck } from "../records/online/online.ts";
import type { RootCause } from "../records/runs/runs.ts";
import { surfaceNamed } from "../sandboxes/surfaces/surfaces.ts";
import type { Judge } from "./judge-trace.ts";

/** The kinds of schedules that judge traces as they come. */
const ONLINE = ["evaluate", "alert"] as const;

/** Whether schedules of a kind judge traces as they come. */
export function isOnline(kind: string): kind is (typeof ONLINE)[number] {
  return (ONLINE as readonly string[]).includes(kind);
}

const OF_ALERTS = ["threshold", "change", "window_hours", "min_traces", "chat"] as const;
const DETECTORS = [...TOLD_BY_RULE].join(", ");

/** The terms of a new schedule as they are kept. What cannot be judged or told is refused, with the way out. */
export async function keptTerms(
  ctx: Ctx,
  {
    kind,
    surface,
    terms,
  }: { readonly kind: string; readonly surface: string; readonly terms?: OnlineTermsInput | undefined },
): Promise<OnlineTerms | undefined> {
  if (!isOnline(kind)) {
    if (terms !== undefined) throw badField("terms", "belongs to schedules of kind evaluate and alert");
    return undefined;
  }
  if (terms === undefined) throw badField("terms", 'is needed: name checks or detectors, such as detectors: ["loop"]');
  if (terms.checks === undefined && terms.detectors === undefined)
    throw badField("terms.checks", `is needed, or detectors: one of ${DETECTORS}, or a failure mode's id`);
  if (kind === "evaluate") {
    const extra = OF_ALERTS.find((name) => terms[name] !== undefined);
    if (extra !== undefined) throw badField(`terms.${extra}`, "belongs to schedules of kind alert");
  } else if ((terms.threshold === undefined) === (terms.change === undefined))
    throw badField("terms.threshold", "name either threshold or change: what the alert is given for");
  for (const judge of await judgesOf(ctx, terms, surface))
    if ("check" in judge ? judge.check.kind === "judged" : judge.reader === "model")
      offeredModel(ctx, "check" in judge ? judge.model : undefined);
  const { chat, ...kept } = terms;
  if (chat === undefined) return kept;
  const install = await chatInstall(ctx);
  if (!install) throw conflict("No chat workspace is connected; chat_post connects one.");
  await useConfirm(ctx, chat.confirm, { channel: "chat", group: ALERTS_GROUP, target: chat.channel });
  return { ...kept, chat: { channel: chat.channel, team: install.team_id } };
}

/** The checks and detectors of some terms, each with a name of its own. A detector that does not exist is refused. */
export async function judgesOf(ctx: Ctx, terms: OnlineTerms | OnlineTermsInput, surface: string): Promise<Judge[]> {
  const judges: Judge[] = [];
  const names = new Set<string>();
  const nameOf = (wanted: string) => {
    let name = wanted;
    for (let n = 2; names.has(name); n++) name = `${wanted} (${n})`;
    names.add(name);
    return name;
  };
  for (const check of terms.checks ?? []) {
    const model = check.kind === "judged" ? await judgeOf(ctx, check.criterion) : undefined;
    judges.push({ name: nameOf(checkName(check)), check, ...(model === undefined ? {} : { model }) });
  }
  const reader = terms.reader ?? "rule";
  let writes: readonly string[] | undefined;
  for (const [i, detector] of (terms.detectors ?? []).entries()) {
    const { behaviour, tool, report } = await detectorOf(ctx, detector, `terms.detectors.${i}`);
    if (reader === "rule" && !TOLD_BY_RULE.has(behaviour))
      throw badField(`terms.detectors.${i}`, `no rule tells ${behaviour}: say reader model`);
    writes ??= await writingTools(ctx, surface);
    judges.push({ name: nameOf(detector), detector: { behaviour, tool, writes, report }, reader });
  }
  return judges;
}

const NAME = 150;

function checkName(check: TraceCheck): string {
  return check.kind === "judged" ? `judged: ${check.criterion.slice(0, NAME)}` : check.kind;
}

async function detectorOf(ctx: Ctx, name: string, path: string) {
  if (TOLD_BY_RULE.has(name as RootCause)) {
    const behaviour = name as RootCause;
    return { behaviour, tool: undefined, report: behaviour.replaceAll("_", " ") };
  }
  const mode: Doc<typeof FailureMode> | undefined = await ctx.store.records.get(FailureMode, name);
  if (!mode || mode.visibility === "staff")
    throw badField(path, `is no detector: name one of ${DETECTORS}, or the id of a failure mode of this org`);
  if (mode.behaviour === undefined)
    throw badField(path, "is a failure mode without a behaviour: say which one it is first (failure_modes_patch)");
  const note = await ctx.store.records.get(FeedbackNote, mode.note);
  return { behaviour: mode.behaviour, tool: mode.target?.tool, report: note?.text ?? mode.title };
}

/** The tools that change something, as the surface serves them now; none is known before it was built. */
async function writingTools(ctx: Ctx, name: string): Promise<string[]> {
  const surface = await surfaceNamed(ctx, name);
  if (surface?.bundle === undefined) return [];
  const { bundle } = await loadBundle(ctx, surface.bundle);
  return bundle.tools.map(({ name }) => name).filter((tool) => mayChange(bundle, tool));
}

import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { changePreferences, readPreferences, type VersionLabel } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import { Agent } from "../../records/agents/agents.ts";
import { MAIN_LABEL } from "../../records/organization/organization.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { BundleRecord } from "../../records/sandboxes/sandboxes.ts";

const MOST = 500;

/** What people call agent versions, newest label first. */
export async function getVersionLabels(ctx: Ctx) {
  return answer(ctx, (await readPreferences(ctx)).version_labels);
}

/** What `version_labels_put` takes. */
export const PutInput = z.object({
  ...orgRef,
  version: z.string().min(1).max(200),
  label: z.string().trim().min(1).max(40).nullable().describe("At most 40 characters; null clears it."),
  ...byField,
});
export type PutInput = z.output<typeof PutInput>;

/** Labels a version, in place of its label before, or clears it with null. Labelling one main takes main from any other. */
export async function putVersionLabel(ctx: Ctx, input: PutInput) {
  const { version } = input;
  // However it is written, it marks the one main version.
  const label = input.label?.toLowerCase() === MAIN_LABEL ? MAIN_LABEL : input.label;
  const by = actor(ctx, input.by);
  let had = false;
  const doc = await changePreferences(ctx, ({ version_labels: was, ...rest }) => {
    had = (was ?? []).some((row) => row.version === version);
    const others = (was ?? []).filter(
      (row) => row.version !== version && !(label === MAIN_LABEL && row.label === MAIN_LABEL),
    );
    if (label === null) return { ...rest, version_labels: others };
    if (others.length >= MOST) throw conflict(`An org keeps ${MOST} labels at most; clear some first.`);
    return { ...rest, version_labels: [{ version, label, by, at: ctx.now() }, ...others] };
  });
  if (label !== null || had)
    await auditAct(ctx, label === null ? "version_label_cleared" : "version_label_set", {}, by);
  const known = label === null ? {} : await knownOf(ctx, version);
  return { ...answer(ctx, doc.version_labels), version, label, cleared: label === null && had, ...known };
}

const UNKNOWN =
  "No run, agent or surface of the org has this version yet: the label waits for one that is called exactly so.";

/** Whether the org has an agent version or a surface version of this name. */
async function knownOf(ctx: Ctx, version: string) {
  for await (const { versions } of everyRow((page) => ctx.store.records.list(Agent, page)))
    if (versions.some((each) => each.version === version)) return { known: true };
  for await (const { player } of everyRow((page) => ctx.store.records.list(RunGroup, page)))
    if (player.version === version) return { known: true };
  if (await ctx.store.records.get(BundleRecord, version)) return { known: true };
  return { known: false, note: UNKNOWN };
}

function answer(ctx: Ctx, all: readonly VersionLabel[] | undefined) {
  const labels = [...(all ?? [])];
  const main = labels.find(({ label }) => label === MAIN_LABEL);
  return {
    org: ctx.org.tag,
    labels,
    by_version: Object.fromEntries(labels.map(({ version, label }) => [version, label])),
    main_label: MAIN_LABEL,
    main_version: main?.version ?? null,
    tier: "human" as const,
  };
}

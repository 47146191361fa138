import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { changePreferences, readPreferences, type VersionLabel } from "./preferences.ts";

/** The label that one version at most has: the one that others are compared with. */
export const MAIN_LABEL = "main";
const MOST = 500;

/** What people call agent versions, newest label first. */
export async function getVersionLabels(ctx: Ctx) {
  return answer(ctx, (await readPreferences(ctx)).version_labels);
}

interface PutInput {
  readonly version: string;
  readonly label: string | null;
  readonly by?: string | undefined;
}

/** Labels a version, in place of its label before, or clears it with null. Labelling one main takes main from any other. */
export async function putVersionLabel(ctx: Ctx, input: PutInput) {
  const { version, label } = input;
  const by = actor(ctx, input.by);
  const doc = await changePreferences(ctx, ({ version_labels: was, ...rest }) => {
    const others = (was ?? []).filter(
      (row) => row.version !== version && !(label === MAIN_LABEL && row.label === MAIN_LABEL),
    );
    if (label === null) return { ...rest, version_labels: others };
    if (others.length >= MOST) throw new AppError("conflict", `An org keeps ${MOST} labels at most; clear some first.`);
    return { ...rest, version_labels: [{ version, label, by, at: ctx.now() }, ...others] };
  });
  await auditAct(ctx, label === null ? "version_label_cleared" : "version_label_set", {}, by);
  return { ...answer(ctx, doc.version_labels), version, label, cleared: label === null };
}

function answer(ctx: Ctx, labels: readonly VersionLabel[] | undefined) {
  return { org: ctx.org.tag, labels: [...(labels ?? [])], main_label: MAIN_LABEL, tier: "human" as const };
}

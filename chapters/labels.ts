import type { Ctx } from "./context.ts";
import { badField } from "./errors.ts";
import { everyRow } from "./page.ts";
import type { RecordKind } from "./record.ts";
import { FailureMode } from "./records/findings/findings.ts";
import { Member } from "./records/organization/organization.ts";
import { Environment } from "./records/sandboxes/sandboxes.ts";
import { Worldplan } from "./records/sandboxes/worldplan.ts";
import { Schedule, Source } from "./records/sources/sources.ts";

/** Kinds of records that people know by a label, by what a refusal calls them. Agents and surfaces are found by name anyhow. */
const LABELLED: Readonly<Record<string, { readonly kind: RecordKind; readonly labels: readonly string[] }>> = {
  environment: { kind: Environment, labels: ["label"] },
  sandbox: { kind: Environment, labels: ["label"] },
  "failure mode": { kind: FailureMode, labels: ["title"] },
  member: { kind: Member, labels: ["email", "name"] },
  schedule: { kind: Schedule, labels: ["label"] },
  source: { kind: Source, labels: ["label"] },
  worldplan: { kind: Worldplan, labels: ["label"] },
};

/** What such records are called in refusals. */
export const labelledKinds: readonly string[] = Object.keys(LABELLED);

/**
 * The id of the record that is called so; the text itself where it is an id or nothing is. Of several the one that is not
 * retired counts; where that is not one alone the field is refused with their ids.
 */
export async function idOfLabel(ctx: Ctx, what: string, { field, text }: { field: string; text: string }) {
  const { kind, labels } = LABELLED[what] ?? {};
  if (!kind || !labels || text.startsWith(`${kind.prefix}_`)) return text;
  // An address is one in whatever case.
  const isCalled = (label: string, value: unknown) =>
    label === "email" ? String(value).toLowerCase() === text.toLowerCase() : value === text;
  const found: { readonly id: string; readonly retired: boolean }[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(kind, page))) {
    const doc = row as { readonly id: string; readonly [member: string]: unknown };
    if (!labels.some((label) => isCalled(label, doc[label]))) continue;
    if (ctx.caller.kind !== "operator" && kind.staffOnly?.(row)) continue;
    found.push({ id: doc.id, retired: (doc.retired_at ?? undefined) !== undefined });
  }
  const live = found.filter(({ retired }) => !retired);
  const [one, ...more] = live.length > 0 ? live : found;
  if (more.length === 0) return one?.id ?? text;
  const ids = [one, ...more].map((each) => each?.id).slice(0, 5);
  throw badField(field, `is the label of ${more.length + 1}: give the id of one, as ${ids.join(", ")}`);
}

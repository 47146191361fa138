import type { ServiceCtx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { KINDS } from "../../kinds.ts";
import { everyRow } from "../../page.ts";
import type { Doc, RecordKind } from "../../record.ts";
import { SEALING_CHECK, type SealingKeys } from "../../sealing-keys.ts";

/** Passes over all records; work under way can write a secret back as it was while one runs. */
const PASSES = 5;

/**
 * Seals every secret of every org anew under a new key and forgets the keys before. A kill on the way loses nothing:
 * every key that a secret may be under is held until all are under the newest, and the act can be run again. While
 * secrets keep being written back as they were, no key is forgotten and it is a `conflict`.
 */
export async function rotateSealingKey(ctx: ServiceCtx) {
  await ctx.keys.add();
  let resealed = 0;
  let unreadable = 0;
  for (let pass = 1; pass <= PASSES; pass++) {
    const found = await resealAll(ctx);
    resealed += found.resealed;
    unreadable = found.unreadable;
    if (found.resealed === 0) break;
    if (pass === PASSES)
      throw conflict(
        "Secrets are being written under the keys before; none of those was forgotten. Rotate again when less is under way.",
      );
  }
  await resealCheck(ctx);
  await ctx.keys.dropOlder();
  await ctx.service.audit.append(ctx.now(), ctx.caller.name, "sealing_key_rotated", { resealed, unreadable });
  return {
    resealed,
    unreadable,
    note:
      unreadable === 0
        ? "Every secret is under the new key; the keys before are forgotten."
        : "Some secrets were under keys that this workspace no longer has: they have to be given again.",
  };
}

async function resealCheck({ service, keys }: ServiceCtx): Promise<void> {
  const sealed = await service.setting(SEALING_CHECK);
  if (sealed !== undefined) await service.putSetting(SEALING_CHECK, keys.sealer.seal(keys.sealer.open(sealed)));
}

async function resealAll(ctx: ServiceCtx) {
  const count = { resealed: 0, unreadable: 0 };
  for await (const org of everyRow((page) => ctx.service.orgs(page))) {
    const { records } = ctx.service.forOrg(org.id);
    for (const kind of KINDS)
      for await (const doc of everyRow((page) => records.list(kind, page))) {
        ctx.signal.throwIfAborted();
        if (!holdsSealed(ctx.keys, doc)) continue;
        await records.update(kind, String(doc.id), (now) => resealed(ctx.keys, now, count) as Doc<RecordKind>);
      }
  }
  return count;
}

function holdsSealed(keys: SealingKeys, value: unknown): boolean {
  if (typeof value === "string") return keys.isSealed(value) && !keys.isNewest(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member) => holdsSealed(keys, member));
}

function resealed(keys: SealingKeys, value: unknown, count: { resealed: number; unreadable: number }): unknown {
  if (typeof value === "string") {
    if (!keys.isSealed(value) || keys.isNewest(value)) return value;
    try {
      const again = keys.sealer.seal(keys.sealer.open(value));
      count.resealed += 1;
      return again;
    } catch {
      count.unreadable += 1;
      return value;
    }
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => resealed(keys, member, count));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resealed(keys, member, count)]));
}

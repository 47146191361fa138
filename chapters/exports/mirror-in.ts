import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { AppError, badField, conflict, forbidden, orNotFound, tooLarge } from "../errors.ts";
import { orgRef } from "../fields.ts";
import { everyRow } from "../page.ts";
import { idOfValue } from "../record.ts";
import { MirrorRefusal } from "../records/exports/exports.ts";
import { BundleRecord } from "../records/sandboxes/sandboxes.ts";
import { entryKinds } from "./entries.ts";
import { memberId, memberKind } from "./fields.ts";

/** A member that was not taken in, at the digest it had. */
export const RefusedMember = z.object({ sha256: z.string(), reason: z.string() });

/** Most seconds that `mirror_in_get` looks for what is held when asked to wait; without, it answers after a tenth of that. */
export const WAIT_S = 20;

/**
 * What this org holds, `<kind>/<id>` to SHA-256, for a sender to compare with its own, and what was refused at which
 * digest. Looking takes time in a large org: what was not reached is `pending`, and a sender may send it all the same.
 */
export async function mirrorContents(ctx: Ctx, input: { readonly wait?: string | undefined }) {
  allowed(ctx);
  const until = performance.now() + (input.wait === "1" ? WAIT_S : WAIT_S / 10) * 1000;
  const held: Record<string, string> = {};
  const pending: string[] = [];
  for (const kind of entryKinds()) {
    for await (const head of kind.heads(ctx.store)) {
      if (performance.now() > until || ctx.signal.aborted) {
        pending.push(kind.name);
        break;
      }
      held[`${kind.name}/${head.id}`] = head.sha256;
    }
  }
  const refused: Record<string, z.infer<typeof RefusedMember>> = {};
  for await (const row of everyRow((page) => ctx.store.records.list(MirrorRefusal, page)))
    refused[`${row.member_kind}/${row.member}`] = { sha256: row.sha256, reason: row.reason };
  return {
    org: ctx.org.tag,
    filled_at: ctx.now(),
    filling: pending.length > 0,
    pending,
    held,
    refused,
    tier: "deterministic" as const,
  };
}

/** What `mirror_in_post` takes. */
export const AdmitInput = z.object({
  ...orgRef,
  kind: memberKind,
  id: memberId,
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("SHA-256 of the bytes, lower-case hexadecimal."),
  bundle: z.string().max(60).optional().describe("The bundle it belongs to, which must be here."),
  replace: z.enum(["1"]).optional().describe("Put it in place of one that differs here."),
  content: z.string().optional().describe("The bytes as base64, where no raw body can be sent."),
});
export type AdmitInput = z.output<typeof AdmitInput>;

/** Largest member taken, bytes. */
const MAX_MEMBER_BYTES = 256 * 1024 * 1024;

/**
 * Takes one member of a round in: `stored` when it is new, `same` when it is there, `replaced` when it differs and
 * `replace=1`. One that differs, or is none of its kind, is refused and noted at its digest.
 */
export async function admitEntry(ctx: Ctx, input: AdmitInput) {
  const kind = orNotFound(
    entryKinds().find((one) => one.name === input.kind),
    "kind of member",
  );
  allowed(ctx);
  const bytes = await bodyOf(ctx, input.content);
  if (sha256(bytes) !== input.sha256) throw badField("sha256", "is not the digest of the bytes that came");
  if (input.bundle !== undefined && !(await ctx.store.records.raw(BundleRecord.kind, input.bundle)))
    throw conflict("The bundle this member belongs to is not here yet; send it first.", { by: "mirror_in_get" });
  const before = await kind.bytes(ctx.store, input.id);
  const noted = { kind: MirrorRefusal, id: idOfValue(MirrorRefusal, input.kind, input.id) };
  if (before && sha256(before) === input.sha256) {
    await ctx.store.records.delete(noted.kind, noted.id);
    return { result: "same" as const };
  }
  try {
    if (before && input.replace !== "1")
      throw conflict("Another version of this member is here; it is replaced only with replace=1.");
    await kind.put(ctx.store, input.id, bytes);
  } catch (error) {
    if (error instanceof AppError) await note(ctx, input, error.reason, noted.id);
    throw error;
  }
  await ctx.store.records.delete(noted.kind, noted.id);
  if (before) await auditAct(ctx, "mirror_replaced", { kind: input.kind, id: input.id });
  return { result: before ? ("replaced" as const) : ("stored" as const) };
}

/** Only those that the operator listed may fill an org from elsewhere: an org by id, or a token by id. */
function allowed(ctx: Ctx): void {
  const { mirrorFrom } = ctx.settings;
  if (ctx.caller.kind === "operator" || [ctx.org.id, ctx.caller.token].some((id) => id && mirrorFrom.includes(id)))
    return;
  throw forbidden(
    "This credential is not on the list of those that may mirror into this workspace; the operator can add its token id or org id to SVC_MIRROR_FROM.",
  );
}

async function bodyOf(ctx: Ctx, content: string | undefined): Promise<Uint8Array> {
  if (content !== undefined) {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(content)) throw badField("content", "is not base64");
    return Buffer.from(content, "base64");
  }
  if (!ctx.body) throw badField("content", "is needed where there is no raw body");
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of ctx.body.bytes) {
    size += part.byteLength;
    if (size > MAX_MEMBER_BYTES) throw tooLarge("A member has at most 256 MB.");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function note(ctx: Ctx, input: AdmitInput, reason: string, id: string): Promise<void> {
  const row = { id, created_at: ctx.now(), by: ctx.caller.name, member_kind: input.kind, member: input.id };
  await ctx.store.records.put(MirrorRefusal, { ...row, sha256: input.sha256, reason });
}

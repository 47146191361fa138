import type { Ctx } from "./context.ts";
import { AppError, conflict } from "./errors.ts";
import type { Channel } from "./exports/delivery/delivery-channels.ts";
import { CONFIRM_SECONDS } from "./exports/delivery/delivery-confirm.ts";
import { type Doc, idOfValue } from "./record.ts";
import { SentOnce } from "./records/exports/exports.ts";

type Reference = Readonly<Record<string, string>>;

/** What is sent at most once over a channel; `key` names it beside the channel. */
export interface OneSend {
  readonly channel: Channel;
  readonly group: string;
  readonly key: readonly string[];
}

/** How a send stands in the delivery log: who asked for it, where it went, and what its line says beside the reference. */
export interface SendLine {
  readonly by: string;
  readonly target: string | null;
  readonly says?: Reference;
}

/** How a send went. */
export interface SentResult {
  readonly reference: Reference;
  /** It was sent before. */
  readonly already: boolean;
  /** Its line of the delivery log, where this call made it. */
  readonly log?: string;
}

/** How long a vendor may take to answer a send, milliseconds. It does not end with the caller: what was sent is written down. */
const SEND_MS = 60_000;

/** The bound of a send in time; one that began is not broken off when its caller goes away. */
export function sendSignal(): AbortSignal {
  return AbortSignal.timeout(SEND_MS);
}

/** What the receiver calls what was sent; undefined when it was not sent, or not known to have been. */
export async function sentBefore(ctx: Ctx, send: OneSend): Promise<Reference | undefined> {
  const known = await ctx.store.records.get(SentOnce, idOf(send));
  if (known?.reference) await logged(ctx, known);
  return known?.reference;
}

/**
 * Sends, unless that was done: `already` then. Of two at once one sends, and the other is a conflict until that is done.
 * A send that fails can be made again. One line of the delivery log tells of a send, whoever ends between the two: the
 * next who asks writes it.
 */
export async function sendOnce(
  ctx: Ctx,
  send: OneSend,
  { by, target, says = {} }: SendLine,
  make: () => Promise<Reference>,
): Promise<SentResult> {
  const id = idOf(send);
  const { channel, group } = send;
  const { records } = ctx.store;
  const log = { id: ctx.id("dl"), by, target, says: { ...says } };
  const mark = { id, created_at: ctx.now(), by: ctx.caller.name, channel, group, log };
  if (!(await records.insert(SentOnce, mark))) {
    const known = await records.get(SentOnce, id);
    if (known?.reference) {
      await logged(ctx, known);
      return { reference: known.reference, already: true };
    }
    let taken = false;
    await records.update(SentOnce, id, (doc) => {
      // Its sender is gone: no confirm lives this long, so whoever is here was asked anew.
      taken = doc.reference === undefined && doc.created_at + CONFIRM_SECONDS <= ctx.now();
      return taken ? mark : doc;
    });
    if (!taken) throw conflict("This is being sent already; look again in a moment.");
  }
  let reference: Reference;
  try {
    reference = { ...(await make()) };
  } catch (error) {
    await records.delete(SentOnce, id);
    throw error;
  }
  // It is sent: where this cannot be written down, the mark stays in the way of a second one.
  const sent = { ...mark, reference };
  await records.put(SentOnce, sent);
  await logged(ctx, sent);
  return { reference, already: false, log: log.id };
}

/** Writes the line of a send, once. */
async function logged(ctx: Ctx, { channel, group, reference = {}, log }: Doc<typeof SentOnce>): Promise<void> {
  if (!log) return;
  const { id, by, target, says } = log;
  try {
    await ctx.store.deliveries.append({
      id,
      at: ctx.now(),
      by,
      channel,
      group,
      target,
      reference: { ...says, ...reference },
    });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "conflict")) throw error;
  }
}

function idOf({ channel, key }: OneSend): string {
  return idOfValue(SentOnce, channel, ...key);
}

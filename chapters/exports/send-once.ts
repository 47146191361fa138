import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { Channel } from "../organization/delivery-channels.ts";
import { CONFIRM_SECONDS } from "../organization/delivery-confirm.ts";
import { idOfValue } from "../record.ts";
import { SentOnce } from "./schema.ts";

type Reference = Readonly<Record<string, string>>;

/** What is sent at most once over a channel; `key` names it beside the channel. */
export interface OneSend {
  readonly channel: Channel;
  readonly group: string;
  readonly key: readonly string[];
}

/** How long a vendor may take to answer a send, milliseconds. It does not end with the caller: what was sent is written down. */
const SEND_MS = 60_000;

/** The bound of a send in time; one that began is not broken off when its caller goes away. */
export function sendSignal(): AbortSignal {
  return AbortSignal.timeout(SEND_MS);
}

/** What the receiver calls what was sent; undefined when it was not sent, or not known to have been. */
export async function sentBefore(ctx: Ctx, send: OneSend): Promise<Reference | undefined> {
  return (await ctx.store.records.get(SentOnce, idOf(send)))?.reference;
}

/**
 * Sends, unless that was done: `already` then. Of two at once one sends, and the other is a conflict until that is done.
 * A send that fails can be made again.
 */
export async function sendOnce(
  ctx: Ctx,
  send: OneSend,
  make: () => Promise<Reference>,
): Promise<{ readonly reference: Reference; readonly already: boolean }> {
  const id = idOf(send);
  const { channel, group } = send;
  const { records } = ctx.store;
  const mark = { id, created_at: ctx.now(), by: ctx.caller.name, channel, group };
  if (!(await records.insert(SentOnce, mark))) {
    const known = await records.get(SentOnce, id);
    if (known?.reference) return { reference: known.reference, already: true };
    let taken = false;
    await records.update(SentOnce, id, (doc) => {
      // Its sender is gone: no confirm lives this long, so whoever is here was asked anew.
      taken = doc.reference === undefined && doc.created_at + CONFIRM_SECONDS <= ctx.now();
      return taken ? mark : doc;
    });
    if (!taken) throw new AppError("conflict", "This is being sent already; look again in a moment.");
  }
  let reference: Reference;
  try {
    reference = { ...(await make()) };
  } catch (error) {
    await records.delete(SentOnce, id);
    throw error;
  }
  // It is sent: where this cannot be written down, the mark stays in the way of a second one.
  await records.put(SentOnce, { ...mark, reference });
  return { reference, already: false };
}

function idOf({ channel, key }: OneSend): string {
  return idOfValue(SentOnce, channel, ...key);
}

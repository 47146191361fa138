import { createHmac } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { secretKey } from "../../organization/secrets.ts";
import { findGroup } from "../../runs/groups/group-data.ts";

const DAY = 86_400;

/**
 * Counts one open of what was sent of a group. The same member, or nobody known, counts once per day (UTC) and channel.
 * Of the member only a hash under the org's own key is kept.
 */
export async function countOpen(
  ctx: Ctx,
  input: { readonly group: string; readonly via: string; readonly member?: string | undefined },
) {
  const { id: group } = await findGroup(ctx, input.group);
  const member = input.member === undefined ? undefined : hashed(await secretKey(ctx, "opens_key"), input.member);
  const day = Math.floor(ctx.now() / DAY);
  const counted = await ctx.store.opens.count({ group, via: input.via, day, member });
  return { org: ctx.org.tag, counted };
}

/** How often what was sent of a group was opened, by channel. Counts only, never who. */
export async function getOpens(ctx: Ctx, input: { readonly group: string }) {
  const { id: group } = await findGroup(ctx, input.group);
  const { byVia, members, anonymous } = await ctx.store.opens.tally(group);
  const opens = byVia.reduce((sum, row) => sum + row.opens, 0);
  return {
    org: ctx.org.tag,
    group,
    opens,
    members,
    anonymous,
    by_via: Object.fromEntries(byVia.map((row) => [row.via, row.opens])),
    line: lineOf(opens, members, anonymous),
    tier: "deterministic" as const,
  };
}

function lineOf(opens: number, members: number, anonymous: number): string {
  if (opens === 0) return "Not opened yet.";
  const times = opens === 1 ? "once" : `${opens} times`;
  const people = `${members} ${members === 1 ? "member" : "members"}`;
  const others = anonymous === 0 ? "" : `, and ${anonymous} ${anonymous === 1 ? "open" : "opens"} by nobody known`;
  return `Opened ${times}, counted once per member, day and channel: ${people}${others}.`;
}

function hashed(key: string, member: string): string {
  return createHmac("sha256", Buffer.from(key, "hex")).update(member.trim().toLowerCase()).digest("hex");
}

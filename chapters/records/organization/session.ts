import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

const ofMember = { ...recordBase, member: z.string(), expires_at: z.number() };

/** Leave for one member to sign in, once. Its id is the hash of what the link holds. */
export const MemberInvite = recordKind({
  kind: "member_invite",
  prefix: "mi",
  schema: z.object({
    ...ofMember,
    /** Only a browser on the service's own machine may use it. */
    loopback: z.boolean().optional(),
  }),
  fields: ["member"],
  copy: { staysBehind: "a credential of this workspace; a member is invited anew where they are needed" },
  scope: "admin",
});

/** A member who is signed in. Its id is the hash of what their browser holds. */
export const MemberSession = recordKind({
  kind: "member_session",
  prefix: "mse",
  schema: z.object({
    ...ofMember,
    /** When it was last used, as far as that is written down. */
    seen_at: z.number(),
    /** When the visit before this one ended: of this session, else of another of the member's. Absent on a first visit. */
    left_at: z.number().optional(),
    /** How many sends were asked for in it: each form to send names the one it is for. */
    sends: z.number().int(),
  }),
  fields: ["member"],
  copy: { staysBehind: "a credential of this workspace" },
  scope: "admin",
});

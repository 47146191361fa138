import { z } from "zod";
import { recordBase, recordKind } from "../record.ts";

/** What a member may do in the console: `admin` also manages members, tokens and settings. */
export const MemberRole = z.enum(["member", "admin"]);
export type MemberRole = z.infer<typeof MemberRole>;

/** A person of the org. Their email is unique in it and never changes. */
export const Member = recordKind({
  kind: "member",
  prefix: "mb",
  schema: z.object({
    ...recordBase,
    email: z.string(),
    name: z.string(),
    role: MemberRole,
    title: z.string().optional(),
    email_opt_out: z.boolean(),
    updated_at: z.number().optional(),
  }),
  scope: "admin",
});

/** Which member has an email address. Its id is made of the address, so that two writers cannot both add it. */
export const MemberEmail = recordKind({
  kind: "member_email",
  prefix: "me",
  schema: z.object({ ...recordBase, member: z.string() }),
  copy: { staysBehind: "made again when the member it names is added" },
  scope: "admin",
});

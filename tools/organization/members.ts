import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import {
  AddedMember,
  AddInput,
  addMember,
  ChangeInput,
  changeMember,
  listMembers,
  MemberView,
  mid,
  removeMember,
} from "../../chapters/organization/members.ts";
import { pageInput } from "../../chapters/page.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import { operation } from "../kernel/operation.ts";

const ofMember = { from: "record", kind: Member, param: "mid" } as const;

/** People of an org: list, add, change, remove. */
export const members = [
  operation({
    name: "members_list",
    title: "List members",
    description: "Lists the people of the org with role, title and whether they opted out of email, newest first.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/members",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({ members: z.array(MemberView), next: z.string().optional() }),
    handle: listMembers,
  }),
  operation({
    name: "members_post",
    title: "Add a member",
    description:
      "Adds a person to the org by email address, as viewer (who only looks), member or admin. Answers the member and the one-time link that signs them in to the console, shown this once: hand it to them alone.",
    scope: "admin",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/members",
    input: AddInput,
    output: AddedMember,
    handle: addMember,
  }),
  operation({
    name: "members_patch",
    title: "Change a member",
    description: "Changes a member's name, role, title or email choice; what is not given stays. Answers the member.",
    scope: "admin",
    route: "PATCH /v0/members/{mid}",
    orgResolution: ofMember,
    input: ChangeInput,
    output: MemberView,
    handle: changeMember,
  }),
  operation({
    name: "members_delete",
    title: "Remove a member",
    description:
      "Removes a person from the org at once; their console sessions end. What they did stays in the records under their name.",
    scope: "admin",
    route: "DELETE /v0/members/{mid}",
    orgResolution: ofMember,
    input: z.object({ mid }),
    output: z.object({ deleted: z.string() }),
    handle: removeMember,
  }),
];

import { html } from "htm/preact";
import type { z } from "zod";
import { conflict } from "../../chapters/errors.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import { INVITE_SECONDS, type InviteLink, inviteMember } from "../../chapters/organization/invites.ts";
import type { AddedMember, MemberView } from "../../chapters/organization/members.ts";
import { type Activity, readActivity } from "../../chapters/organization/sign-ins.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import { breakable, table } from "../pages/html.ts";
import { more, pageOf } from "./findings.ts";
import { block, choice, folded, postForm, shownOnce, textField } from "./forms.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type View, type Visit } from "./visit.ts";

interface Members {
  readonly members: readonly z.infer<typeof MemberView>[];
  readonly next?: string;
}

const ROLES = [
  { value: "viewer", text: "viewer" },
  { value: "member", text: "member" },
  { value: "admin", text: "admin" },
];

/** The people of the org, for its admins. */
export const memberPages: readonly ConsoleRoute[] = [
  shows("/members", (visit) => members(visit)),
  does("/members", async (visit) => {
    const args = { email: needed(visit, "email"), name: needed(visit, "name"), role: field(visit, "role") ?? "member" };
    const { name, invite } = await visit.call<z.infer<typeof AddedMember>>("members_post", args);
    return members(visit, linkFor(name, invite));
  }),
  does("/members/:mid/invite", async (visit) => {
    visit.needsAdmin();
    const link = await inviteMember(visit.ctx, visit.param("mid"));
    return members(visit, linkFor("that member", link));
  }),
  does("/members/:mid/role", async (visit) => {
    notSelf(visit);
    await visit.call("members_patch", { mid: visit.param("mid"), role: needed(visit, "role") });
    return { to: "/console/members" };
  }),
  does("/members/:mid/remove", async (visit) => {
    notSelf(visit);
    await visit.call("members_delete", { mid: visit.param("mid") });
    return { to: "/console/members" };
  }),
];

async function members(visit: Visit, told: unknown = null): Promise<View> {
  const { members: rows, next } = await visit.call<Members>("members_list", pageOf(visit));
  const { of: activity, newest } = await readActivity(visit.ctx);
  const all = next === undefined && !visit.query.has("cursor");
  const doc: PageDoc = {
    ...{ v: 1, title: "Members", made_at: visit.ctx.now(), sections: [] },
    // Of one page of several the sentence would tell a part as if it were all.
    ...(all ? { verdict: verdictOf(rows, activity) } : {}),
  };
  const place = (id: string) => `/members/${encodeURIComponent(id)}`;
  const list = table(
    "The people of this org. A new link ends the links before; removing somebody ends their sessions.",
    [{ name: "Name" }, { name: "Change" }, { name: "Role" }, { name: "Signed in (UTC)" }, { name: "Last here (UTC)" }],
    rows.map(({ id, name, email, role }) => {
      const self = id === visit.member.id;
      return [
        html`${name}${self && " (you)"}<br /><span class="soft">${breakable(email)}</span>`,
        [
          postForm(visit, `${place(id)}/invite`, "Make a sign-in link", null, {
            plain: true,
            name: `Link for ${name}`,
          }),
          !self && [
            postForm(visit, `${place(id)}/role`, "Change role", choice("role", "Role", ROLES, role), {
              plain: true,
              row: true,
              name: `Role of ${name}`,
            }),
            postForm(visit, `${place(id)}/remove`, "Remove", null, {
              removes: `${name} is signed out everywhere and can come back by a new invitation alone.`,
              name: `Remove ${name}`,
            }),
          ],
        ],
        role,
        ...hereCells(activity.get(id)),
      ];
    }),
  );
  const add = postForm(
    visit,
    "/members",
    "Add and make a link",
    [
      textField("name", "Name", { required: true, size: 24 }),
      textField("email", "Email", { type: "email", required: true, size: 28 }),
      choice("role", "Role", ROLES, "member"),
    ],
    { row: true },
  );
  const lead = html`
    <p class="ways"><a href="/console/tokens">Tokens for programs</a></p>
    <p>A <b>viewer</b> looks at everything and changes nothing. A <b>member</b> reads everything and works with it: starts runs, reviews and labels, sets the budget, writes reports. An <b>admin</b> also adds and removes people and tokens, connects sources and chat, and retires tasks.</p>
  `;
  const named = new Map(
    (
      await visit.ctx.store.records.getMany(
        Member,
        newest.map(({ member }) => member),
      )
    ).map((each) => [each.id, each.name]),
  );
  const signIns =
    newest.length > 0 &&
    folded(
      `Sign-ins: the newest ${newest.length}`,
      table(
        "From the org's audit chain.",
        [{ name: "At (UTC)" }, { name: "Who" }],
        newest.map(({ at, member }) => [minuteOf(at), named.get(member) ?? `${cut(member, 40)}, removed since`]),
      ),
    );
  return { doc, lead, forms: [told as never, list, more("/members", next), block("Add a member", add), signIns] };
}

function verdictOf(rows: Members["members"], activity: ReadonlyMap<string, Activity>): PageDoc["verdict"] {
  const roles = ROLES.toReversed().flatMap(({ value, text }) => {
    const n = rows.filter(({ role }) => role === value).length;
    return n === 0 ? [] : [counted(n, text)];
  });
  const never = rows.filter(({ id }) => activity.get(id)?.signed_in === undefined).length;
  return {
    text: `${roles.join(", ")}${never === 0 ? "" : `; ${never} ${never === 1 ? "has" : "have"} not signed in yet`}.`,
    tone: never === 0 ? "plain" : "warn",
    tier: "deterministic",
    how: "A sign-in is kept in the org's audit chain.",
  };
}

/** When a member signed in last, and when they were last here. */
function hereCells({ signed_in, seen, sessions, invited_until }: Activity = { sessions: 0 }): string[] {
  const waits = invited_until === undefined ? "" : `; a link waits until ${minuteOf(invited_until)}`;
  return [
    signed_in === undefined ? `not yet${waits}` : minuteOf(signed_in),
    seen === undefined
      ? signed_in === undefined
        ? ""
        : `signed out${waits}`
      : `${minuteOf(seen)}${sessions > 1 ? `, in ${sessions} browsers` : ""}`,
  ];
}

function linkFor(name: string, { url }: InviteLink) {
  const days = INVITE_SECONDS / 86_400;
  return shownOnce(`This link signs ${name} in, once, within ${days} days. Hand it to them alone.`, url);
}

/** Nobody takes the org's last way in from themselves by a slip. */
function notSelf(visit: Visit): void {
  visit.needsAdmin();
  if (visit.param("mid") === visit.member.id)
    throw conflict("This is you. Another admin can change your role or remove you.");
}

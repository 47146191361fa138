import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { minuteOf } from "../../chapters/findings/pages/words.ts";
import { inviteMember } from "../../chapters/organization/invites.ts";
import { endSessionsOf } from "../../chapters/organization/sessions.ts";
import { block, postForm, shownOnce, textField, tick } from "./forms.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type View, type Visit } from "./visit.ts";

/** What a member sets for themselves. */
export const youPages: readonly ConsoleRoute[] = [
  shows("/you", async (visit) => you(visit)),
  does("/you", async (visit) => {
    const email_opt_out = field(visit, "mail") !== "yes";
    await visit.callForSelf("members_patch", { mid: visit.member.id, email_opt_out });
    return { to: "/console/you?saved=mail" };
  }),
  does("/you/name", async (visit) => {
    await visit.callForSelf("members_patch", { mid: visit.member.id, name: needed(visit, "name") });
    return { to: "/console/you?saved=name" };
  }),
  does("/you/link", async (visit) => {
    const { url } = await inviteMember(visit.ctx, visit.member.id);
    return you(visit, shownOnce("Open this link on the other device. It signs you in there, once.", url));
  }),
  does("/you/sign-out-everywhere", async ({ ctx, member }) => {
    await endSessionsOf(ctx, member.id);
    return { to: "/console/signed-out" };
  }),
];

const ROLE_WORDS = {
  viewer: "A viewer looks at everything and changes nothing.",
  member: "A member reads everything and works with it.",
  admin: "An admin also adds and removes people and tokens, connects sources and chat, and retires tasks.",
} as const;

function nameField(value: string): ComponentChildren {
  return textField("name", "What others see beside what you did", { value, required: true });
}

function you(visit: Visit, told: ComponentChildren = null): View {
  const { member, session, org, ctx } = visit;
  const doc: PageDoc = {
    v: 1,
    title: "You",
    made_at: ctx.now(),
    verdict: {
      text: `You are ${member.name}, ${member.role === "admin" ? "an admin" : `a ${member.role}`} of ${org.tag}.`,
      tone: "plain",
      tier: "deterministic",
      how: ROLE_WORDS[member.role],
    },
    sections: [
      {
        show: "facts",
        facts: [
          { name: "Name", value: member.name },
          { name: "Email", value: member.email },
          { name: "Org", value: org.tag },
          { name: "Role", value: member.role },
          { name: "Signed in until", value: `${minuteOf(session.expires_at)} UTC`, how: "sooner when it is not used" },
        ],
      },
    ],
  };
  return {
    doc,
    forms: [
      visit.query.has("saved") && html`<p role="status" class="verdict is-good">Saved.</p>`,
      told,
      block(
        "Name",
        postForm(visit, "/you/name", "Change the name", nameField(member.name), { plain: true, own: true }),
      ),
      block(
        "Mail",
        html`<p>It is the weekly mail, and a mail for each incident that an alert begins or ends, where the org sends these by mail.</p>`,
        postForm(visit, "/you", "Save", tick("mail", "Send me mail", !member.email_opt_out), { own: true }),
      ),
      block(
        "Programs",
        member.role === "admin"
          ? html`<p>Programs and coding agents sign in with <a href="/console/tokens">tokens</a>, not as you.</p>`
          : html`<p>Programs and coding agents sign in with tokens, which an admin of your org makes.</p>`,
      ),
      block(
        "Other devices",
        html`<p>A link of your own signs you in on one other device, once.</p>`,
        postForm(visit, "/you/link", "Make a sign-in link", null, { own: true }),
        postForm(visit, "/you/sign-out-everywhere", "Sign out everywhere", null, {
          own: true,
          removes: "It ends your sessions in every browser, this one too; a new link signs you in again.",
        }),
      ),
    ],
  };
}

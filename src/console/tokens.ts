import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { z } from "zod";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { counted, minuteOf } from "../../chapters/findings/pages/words.ts";
import type { TokenView } from "../../chapters/organization/tokens.ts";
import { table } from "../pages/html.ts";
import { more, pageOf } from "./findings.ts";
import { block, choice, postForm, shownOnce, textField } from "./forms.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type View, type Visit } from "./visit.ts";

type Token = z.infer<typeof TokenView>;

const SCOPES = [
  { value: "read", text: "read: look at everything" },
  { value: "push", text: "push: also send evidence and start runs" },
  { value: "admin", text: "admin: also members, tokens and settings" },
];

/** Tokens by which programs call the service for the org, for its admins. */
export const tokenPages: readonly ConsoleRoute[] = [
  shows("/tokens", (visit) => tokens(visit)),
  does("/tokens", async (visit) => {
    const days = field(visit, "expires_in_days");
    const { token } = await visit.call<{ token: string }>("org_tokens_post", {
      name: needed(visit, "name"),
      scope: needed(visit, "scope"),
      ...(days === undefined ? {} : { expires_in_days: Number(days) }),
    });
    return tokens(visit, shownOnce("A program sends this token as Authorization: Bearer.", token));
  }),
  does("/tokens/:tid/revoke", async (visit) => {
    await visit.call("org_tokens_delete", { tid: visit.param("tid") });
    return { to: "/console/tokens" };
  }),
];

async function tokens(visit: Visit, told: ComponentChildren = null): Promise<View> {
  const { tokens: rows, next } = await visit.call<{ tokens: Token[]; next?: string }>("org_tokens_list", pageOf(visit));
  const now = visit.ctx.now();
  const works = rows.filter(({ revoked_at, expires_at = Infinity }) => revoked_at === undefined && expires_at > now);
  const n = (of: (row: Token) => boolean) => works.filter(of).length;
  const unused = n(({ last_used_at }) => last_used_at === undefined);
  const doc: PageDoc = {
    ...{ v: 1, title: "Tokens", made_at: now, sections: [] },
    // Of one page of several the sentence would tell a part as if it were all.
    ...(rows.length === 0 || next !== undefined || visit.query.has("cursor")
      ? {}
      : {
          verdict: {
            text: `${counted(works.length, "token")} ${works.length === 1 ? "works" : "work"}: ${n(({ scope }) => scope === "admin")} of scope admin, ${n(({ scope }) => scope === "push")} push, ${n(({ scope }) => scope === "read")} read.`,
            ...{ tone: "plain", tier: "deterministic" },
            how: `${n(({ expires_at }) => expires_at === undefined)} never expire; ${unused} ${unused === 1 ? "was" : "were"} never used.`,
          },
        }),
  };
  const list =
    rows.length > 0 &&
    table(
      "Tokens of this org, newest first. Times are UTC.",
      [
        { name: "Name" },
        { name: "State" },
        { name: "Scope" },
        { name: "Begins with" },
        { name: "Made" },
        { name: "Last used" },
        { name: "Expires" },
      ],
      rows.map((row) => [
        row.name,
        row.revoked_at !== undefined
          ? "revoked"
          : row.expires_at !== undefined && row.expires_at <= now
            ? "expired"
            : postForm(visit, `/tokens/${encodeURIComponent(row.id)}/revoke`, "Revoke", null, {
                removes: `What holds ${row.name} is refused from then on; a revoked token never works again.`,
                name: `Revoke ${row.name}`,
              }),
        row.scope,
        row.prefix,
        `${minuteOf(row.created_at)} by ${row.created_by}`,
        row.last_used_at === undefined ? "never" : minuteOf(row.last_used_at),
        row.expires_at === undefined ? "never" : minuteOf(row.expires_at),
      ]),
    );
  const mint = postForm(visit, "/tokens", "Make the token", [
    textField("name", "What will hold it", { required: true }),
    choice("scope", "What it may do", SCOPES),
    textField("expires_in_days", "Days until it expires (empty: never)", { size: 6 }),
  ]);
  return {
    doc,
    forms: [
      told,
      list || html`<p>No token yet: programs and coding agents call the service with one.</p>`,
      more("/tokens", next),
      block("Make a token", mint),
    ],
  };
}

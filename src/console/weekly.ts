import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { badField } from "../../chapters/errors.ts";
import { WEEKLY_GROUP } from "../../chapters/exports/delivery/delivery-confirm.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { weeklyPage } from "../../chapters/findings/pages/weekly.ts";
import { cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import { headline } from "../../chapters/findings/render/sentences.ts";
import { type OrgFinding, orgFinding } from "../../chapters/findings/reports/org-finding.ts";
import { countsBefore, weeklyFacts } from "../../chapters/findings/weekly/weekly-facts.ts";
import { isoWeek, lastCompleteWeek, weekBounds } from "../../chapters/iso-week.ts";
import { idOfValue } from "../../chapters/record.ts";
import { ReportWeek } from "../../chapters/records/findings/report.ts";
import { playerName } from "../../chapters/records/runs/runs.ts";
import { table } from "../pages/html.ts";
import { block, choice, folded, hidden, postForm, textField } from "./forms.ts";
import { CONSOLE } from "./frame.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type View, type Visit } from "./visit.ts";

interface Half {
  readonly on: boolean;
  readonly by: string | null;
  readonly at: number | null;
}
interface Settings {
  readonly delivery: Half & {
    readonly channel: string | null;
    readonly email: Half & { readonly finding: { readonly a: string; readonly b: string } | null };
  };
  readonly slack_installed: boolean;
}
interface Groups {
  readonly groups: readonly {
    readonly group: string;
    readonly player: { readonly name: string; readonly version: string | null };
    readonly counts: { readonly met: number; readonly failed: number };
    readonly created_at: number;
  }[];
}

const BY_RULE = "rule";
const PAGE = "/delivery/weekly/page";

/** Whether the weekly page goes out by itself, where to, and which comparison it is about. */
export const weeklyPages: readonly ConsoleRoute[] = [
  shows("/delivery/weekly", weekly),
  shows(PAGE, weekPage),
  does(PAGE, async (visit) => {
    const { id } = await visit.call<{ id: string }>("weekly_report", { by: visit.member.name });
    return { to: `${CONSOLE}/reports/${encodeURIComponent(id)}` };
  }),
  does("/delivery/weekly/chat", async (visit) => {
    const on = needed(visit, "on") === "yes";
    const channel = on ? field(visit, "channel") : undefined;
    const args = { on, by: visit.member.name, ...(channel === undefined ? {} : { channel }) };
    // Only a post that leaves the service needs a member's leave.
    const leave =
      channel === undefined
        ? {}
        : {
            confirm: await visit.confirm({
              member: visit.member.id,
              channel: "chat",
              group: WEEKLY_GROUP,
              target: channel,
            }),
          };
    await visit.call("reports_weekly_delivery_put", { ...args, ...leave });
    return { to: "/console/delivery/weekly" };
  }),
  does("/delivery/weekly/mail", async (visit) => {
    const on = needed(visit, "on") === "yes";
    await visit.call("reports_weekly_delivery_put", { email: { on }, by: visit.member.name });
    return { to: "/console/delivery/weekly" };
  }),
  does("/delivery/weekly/finding", async (visit) => {
    const { delivery } = await visit.call<Settings>("reports_weekly_delivery_get");
    await visit.call("reports_weekly_delivery_put", {
      email: { on: delivery.email.on, finding: chosen(visit) },
      by: visit.member.name,
    });
    return { to: "/console/delivery/weekly" };
  }),
];

function chosen(visit: Visit): { readonly a: string; readonly b: string } | null {
  const [a, b] = [needed(visit, "a"), needed(visit, "b")];
  if (a === BY_RULE && b === BY_RULE) return null;
  if (a === BY_RULE || b === BY_RULE) throw badField(a === BY_RULE ? "a" : "b", "name both groups, or neither");
  return { a, b };
}

/** A week as it would be told now; only the form of the last complete one writes it, and sends it where that is on. */
async function weekPage(visit: Visit): Promise<View> {
  const { ctx } = visit;
  const last = lastCompleteWeek(ctx.now());
  const week = weekInAddress(visit) ?? last;
  const [facts, written, { delivery, slack_installed: chat }] = await Promise.all([
    weeklyFacts(ctx, week),
    ctx.store.records.get(ReportWeek, idOfValue(ReportWeek, week)),
    visit.call<Settings>("reports_weekly_delivery_get"),
  ]);
  const goes = waysOf(delivery, chat);
  const report = written && `${CONSOLE}/reports/${encodeURIComponent(written.report)}`;
  const kept =
    report === undefined
      ? week === isoWeek(ctx.now())
        ? "This week goes on: this is what it comes to so far."
        : "It has not been written yet: this is what it would say now."
      : html`It was written before: <a href=${report}>the report</a>. This is what it would say now.`;
  const writes =
    week === last &&
    html`Writing it keeps it among the reports${report === undefined ? "" : ", in place of the one before"}${goes.length === 0 ? "; it goes out nowhere." : ` and sends it ${goes.join(" and ")}, once for the week.`}`;
  return {
    doc: weeklyPage(facts, await countsBefore(ctx, facts), ctx.now()),
    lead: html`
      <div id="write">
        <p>${kept} ${writes} <a href="${CONSOLE}/delivery/weekly">Where it goes</a></p>
        ${week === last && postForm(visit, PAGE, `Write the page of ${week}`, null, { plain: true })}
        ${weeksAround(week, ctx.now())}
      </div>
    `,
  };
}

/** The week that the address names, one that has begun. */
function weekInAddress({ ctx, query }: Visit): string | undefined {
  const week = query.get("week");
  if (week === null) return undefined;
  const real = /^\d{4}-W\d{2}$/.test(week) && isoWeek(weekBounds(week).from) === week;
  if (!real || weekBounds(week).from > ctx.now())
    throw badField("week", "name a week that has begun, such as 2026-W47");
  return week;
}

/** The ways to the week before and the one after, as far as there is one. */
function weeksAround(week: string, now: number): ComponentChildren {
  const { from, to } = weekBounds(week);
  const way = (at: number, rel: "prev" | "next", text: string) =>
    html`<a rel=${rel} href="${CONSOLE}${PAGE}?${new URLSearchParams({ week: isoWeek(at) })}">${text}</a>`;
  return html`
    <p class="ways">
      ${way(from - 1, "prev", "The week before")} ${to <= now && way(to, "next", isoWeek(to) === isoWeek(now) ? "This week so far" : "The week after")}
    </p>
  `;
}

/** Where the weekly page goes by itself, in words. */
function waysOf({ on, channel, email }: Settings["delivery"], chat: boolean): string[] {
  return [
    ...(on ? [chat ? `to ${channel ?? "chat"}` : "as a shared link"] : []),
    ...(email.on ? ["by mail, to each member who takes it"] : []),
  ];
}

async function weekly(visit: Visit): Promise<View> {
  const week = lastCompleteWeek(visit.ctx.now());
  const [{ delivery, slack_installed: chat }, { groups }, now, facts] = await Promise.all([
    visit.call<Settings>("reports_weekly_delivery_get"),
    visit.call<Groups>("run_groups_list", { limit: 50 }),
    orgFinding(visit.ctx),
    weeklyFacts(visit.ctx, week),
  ]);
  const { email } = delivery;
  const goes = waysOf(delivery, chat);
  const doc: PageDoc = {
    v: 1,
    title: "Weekly page",
    made_at: visit.ctx.now(),
    verdict: {
      text:
        goes.length === 0
          ? "Nobody gets the weekly page yet: chat and mail are off."
          : `The weekly page goes out ${goes.join(" and ")}.`,
      tone: "plain",
      tier: "deterministic",
      how: `It sums up the last whole week, Monday to Sunday${goes.length === 0 ? "" : ", and goes out once for each"}.`,
    },
    sections: [],
  };
  const { verdict } = weeklyPage(facts, await countsBefore(visit.ctx, facts), visit.ctx.now());
  const lead = [
    html`<p class="ways">${!chat && html`<a href="${CONSOLE}/delivery">Connect chat</a> `}<a href="${CONSOLE}${PAGE}">See the page of ${week}</a></p>`,
    verdict !== undefined && block(`What the page of ${week} says`, html`<blockquote>${verdict.text}</blockquote>`),
    block(
      "Where it goes",
      table(
        "Each way is turned on and off by itself.",
        [{ name: "Way" }, { name: "Now" }, { name: "Switch" }, { name: "What that means", wide: true }],
        [
          [
            "Chat",
            delivery.on
              ? html`<span class="good">${chat ? `on, ${cut(delivery.channel ?? "", 40)}` : "on, as a link"}</span>`
              : "off",
            chatForm(visit, delivery, chat),
            chat
              ? "Turning it on is your leave for a link to the page to be posted there every week."
              : "No chat tool is connected: until one is, the page can be shared by a link and is posted nowhere.",
          ],
          [
            "Mail",
            email.on ? html`<span class="good">on</span>` : "off",
            mailForm(visit, email),
            "Each member says under You whether they take it.",
          ],
        ],
      ),
    ),
  ];
  return { doc, lead, forms: findingForm(visit, email, groups, now) };
}

function chatForm(visit: Visit, { on, channel }: Settings["delivery"], chat: boolean): ComponentChild {
  const place = "/delivery/weekly/chat";
  if (on) return postForm(visit, place, "Turn the post off", hidden("on", "no"), { plain: true });
  const named =
    chat && textField("channel", "Channel id at the chat tool", { value: channel ?? "", required: true, size: 16 });
  const button = chat ? "Turn the post on" : "Share it by a link each week";
  return postForm(visit, place, button, [hidden("on", "yes"), named || null], { plain: !chat });
}

function mailForm(visit: Visit, { on }: Half): ComponentChild {
  const button = on ? "Turn the mail off" : "Turn the mail on";
  return postForm(visit, "/delivery/weekly/mail", button, hidden("on", on ? "no" : "yes"), { plain: true });
}

function findingForm(
  visit: Visit,
  { finding }: Settings["delivery"]["email"],
  groups: Groups["groups"],
  { finding: now, why }: OrgFinding,
): ComponentChildren {
  const options = [
    { value: BY_RULE, text: "chosen by itself" },
    ...groups.map(({ group, player, counts, created_at: at }) => ({
      value: group,
      text: `${cut(playerName(player), 60)}, ${counts.met} of ${counts.met + counts.failed} met, ${minuteOf(at)}`,
    })),
  ];
  return block(
    "What it is about",
    html`
      <p>${now === undefined ? `It is about no comparison now. ${why}` : `Now it is about ${cut(playerName(now.tested), 60)} against ${cut(playerName(now.main), 60)}: ${headline(now, (text) => cut(text, 60))}`}</p>
      <p class="soft">Chosen by itself, it is your main agent's newest run of another version against the version labelled main. What you save here stands in its place, on the home page too.</p>
    `,
    folded(
      "Choose another comparison",
      postForm(visit, "/delivery/weekly/finding", "Save", [
        choice("a", "The version before", options, finding?.a ?? BY_RULE),
        choice("b", "The new version", options, finding?.b ?? BY_RULE),
      ]),
    ),
  );
}

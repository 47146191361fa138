import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { AppError, badField, conflict } from "../../chapters/errors.ts";
import { deliveredFinding } from "../../chapters/exports/delivered-finding.ts";
import { Channel, type ChannelRow } from "../../chapters/exports/delivery/delivery-channels.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import type { Finding } from "../../chapters/findings/render/finding.ts";
import { newestComparison } from "../../chapters/findings/reports/newest-comparison.ts";
import { takeSend } from "../../chapters/organization/sessions.ts";
import type { DeliveryRow } from "../../chapters/ports/store.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import { playerName, RunGroup } from "../../chapters/records/runs/runs.ts";
import { findGroups } from "../../chapters/runs/groups/find-groups.ts";
import { findGroup, groupState } from "../../chapters/runs/groups/group-data.ts";
import { table } from "../pages/html.ts";

import { block, choice, getForm, hidden, postForm, textField } from "./forms.ts";
import { type Chosen, previewOf } from "./preview.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type View, type Visit } from "./visit.ts";
import { connectForms, connectPages, remedyLink } from "./work/connect.ts";

interface Delivery {
  readonly channels: readonly ChannelRow[];
  readonly finding: Finding | null;
  readonly why: string;
}
interface Log {
  readonly log: readonly DeliveryRow[];
}
/** What a send answers, whatever the channel. */
interface Sent {
  readonly log?: string | readonly string[];
  readonly error?: string;
  readonly reason?: string;
}

const NAMES: Readonly<Record<Channel, string>> = {
  chat: "Chat message",
  pr_comment: "Pull-request comment",
  obs: "Observability",
  email: "Mail",
  download: "File",
};
/** Channels that a member sends over from here; mail goes out with the weekly page, and a file is only fetched. */
const SENDABLE: ReadonlySet<Channel> = new Set(["chat", "pr_comment", "obs"]);

/** Newest runs that are looked at for one to compare with. */
const LOOKED_AT = 50;

/** How findings reach people: what is on, what would be sent, a member's confirm, and what was sent. */
export const deliveryPages: readonly ConsoleRoute[] = [
  ...connectPages,
  shows("/delivery", overview),
  shows("/delivery/download/file", file),
  shows("/delivery/:channel", preview),
  does("/delivery/:channel/switch", async (visit) => {
    const target = field(visit, "target");
    const args = { channel: channelOf(visit), on: needed(visit, "on") === "yes", by: visit.member.name };
    await visit.call("delivery_put", { ...args, ...(target === undefined ? {} : { target }) });
    return { to: "/console/delivery" };
  }),
  does("/delivery/:channel/send", send),
];

async function overview(visit: Visit): Promise<View> {
  const [delivery, { log }] = await Promise.all([
    visit.call<Delivery>("delivery_get"),
    visit.call<Log>("delivery_log", { limit: 30 }),
  ]);
  const asked = chosenBy(visit);
  const without = asked && (await withoutOther(visit, asked));
  const own = asked ?? ownFinding(delivery);
  const newest = own === undefined ? await newestOf(visit) : undefined;
  const chosen = without === undefined ? (own ?? newest?.chosen) : undefined;
  const names = await memberNames(visit, log);
  const just = visit.query.get("sent");
  const sent = just === null ? undefined : log.find(({ id }) => id === just);
  const doc: PageDoc = {
    v: 1,
    title: "Delivery",
    made_at: visit.ctx.now(),
    verdict: {
      text:
        sent !== undefined
          ? `Sent to ${sent.target ?? NAMES[sent.channel as Channel]}.`
          : without !== undefined
            ? without.why
            : chosen === undefined
              ? "There is no finding to send yet."
              : standing(delivery.channels, log),
      tone: sent === undefined ? "plain" : "good",
      tier: "deterministic",
      how:
        without !== undefined
          ? "What is sent is a comparison of two runs."
          : chosen === undefined
            ? `${delivery.why} Compare two runs, and send that.`
            : visit.query.has("group")
              ? "The delivery log below has every send."
              : `Nothing is sent before you have seen it and confirmed it. ${newest?.why ?? delivery.why}`,
    },
    sections: [logSection(log, names)],
  };
  const shown = (channel: Channel) => (SENDABLE.has(channel) ? chosen : ownFinding(delivery));
  return {
    doc,
    lead: [without?.form, channelTable(visit, delivery.channels, shown), connectForms(visit, delivery.channels)],
    forms: weeklyLink(),
  };
}

/** How many channels could send and do, and what went out last. */
function standing(channels: readonly ChannelRow[], [last]: Log["log"]): string {
  const on = channels.filter((row) => row.on).length;
  const ready = channels.filter(({ state }) => state === "ready").length;
  const sent =
    last === undefined
      ? "nothing was sent yet"
      : `the last send went to ${last.target ?? NAMES[last.channel as Channel]} on ${minuteOf(last.at)} UTC`;
  return `${on} of ${channels.length} channels ${on === 1 ? "is" : "are"} on, ${ready} could send; ${sent}.`;
}

/** Why a run that was asked for alone cannot be sent, and the form that chooses what it is compared with; undefined where it can. */
async function withoutOther({ ctx }: Visit, { group, against }: Chosen) {
  if (against !== undefined) return undefined;
  const tested = await findGroup(ctx, group);
  const { status } = await groupState(ctx, tested);
  if (status !== "landed" && status !== "partial")
    return { why: "This run has not landed yet: it can be sent when it has.", form: null };
  try {
    await deliveredFinding(ctx, { group }, "chat");
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "conflict")) throw error;
  }
  const on = new Set(tested.runs.map(({ environment }) => environment));
  const { groups } = await findGroups(ctx, { limit: LOOKED_AT, status: "landed" });
  const docs = await ctx.store.records.getMany(
    RunGroup,
    groups.map((row) => row.group),
  );
  const others = docs.filter(({ id, runs }) => id !== group && runs.some(({ environment }) => on.has(environment)));
  if (others.length === 0)
    return {
      why: "No other run on these tasks has landed yet, so there is nothing to compare this one with.",
      form: null,
    };
  const options = others.map((row) => ({
    value: row.id,
    text: `${cut(playerName(row.player), 60)}, ${minuteOf(row.created_at)}`,
  }));
  return {
    why: "Choose the run that this one is compared with.",
    form: getForm("/delivery", "Use it", [choice("against", "Compared with", options), hidden("group", group)]),
  };
}

/** The newest comparison of two versions of one agent, which can be sent where the org has no finding of its own. */
async function newestOf({ ctx }: Visit): Promise<{ readonly chosen: Chosen; readonly why: string } | undefined> {
  const { finding, why } = await newestComparison(ctx);
  return finding && { chosen: { group: finding.tested.group, against: finding.main.group }, why };
}

/** Each channel in one row: how it stands, what it would send, and its switch. */
function channelTable(
  visit: Visit,
  rows: readonly ChannelRow[],
  shown: (channel: Channel) => Chosen | undefined,
): ComponentChildren {
  return block(
    "Channels",
    table(
      "What each channel is set to, whether it could send now, and what it would show.",
      [
        { name: "Channel" },
        { name: "Set" },
        { name: "State" },
        { name: "Switch" },
        { name: "What it would show" },
        { name: "Why", wide: true },
        { name: "Last send (UTC)" },
      ],
      rows.map((row) => [
        `${NAMES[row.channel]}`,
        row.on ? "on" : "off",
        html`<span class=${row.state === "ready" ? "good" : "soft"}>${row.state.replaceAll("_", " ")}</span>`,
        channelSwitch(visit, row),
        previewLink(visit, row.channel, shown(row.channel)),
        html`${row.reason}${row.target !== null && ` To ${row.target}.`}${remedyLink(row)}`,
        row.last_send === null ? "never" : minuteOf(row.last_send.at),
      ]),
    ),
  );
}

/** The way to what a channel would show: it is made by what sends it, which is not for who may only look. */
function previewLink({ member }: Visit, channel: Channel, chosen: Chosen | undefined): ComponentChildren {
  if (chosen === undefined) return "nothing yet";
  if (member.role === "viewer" && SENDABLE.has(channel)) return "";
  const asked = new URLSearchParams({ ...chosen });
  return html`<a href="/console/delivery/${channel}?${asked}">${NAMES[channel].toLowerCase()} preview</a>`;
}

/** The names of those who sent; a member who is gone keeps their id. */
async function memberNames({ ctx }: Visit, log: Log["log"]): Promise<ReadonlyMap<string, string>> {
  const known = await ctx.store.records.getMany(Member, [...new Set(log.map(({ by }) => by))]);
  return new Map(known.map(({ id, name }) => [id, name]));
}

function logSection(log: Log["log"], names: ReadonlyMap<string, string>): PageDoc["sections"][number] {
  if (log.length === 0) return { show: "text", heading: "Delivery log", paragraphs: ["Nothing was sent yet."] };
  return {
    show: "table",
    heading: "Delivery log",
    caption: "Sends, newest first; lines are added and never changed.",
    tier: "deterministic",
    columns: [
      { name: "When (UTC)" },
      { name: "Channel" },
      { name: "To" },
      { name: "Of" },
      { name: "By" },
      { name: "The receiver's name for it", kind: "wide" },
    ],
    rows: log.map((line) => [
      minuteOf(line.at),
      NAMES[line.channel as Channel] ?? line.channel,
      line.target ?? "",
      { text: line.group, link: { page: "group", id: line.group } },
      cut(names.get(line.by) ?? line.by, 60),
      cut(Object.values(line.reference).join(", "), 200),
    ]),
  };
}

function channelSwitch(visit: Visit, { channel, on, state, target }: ChannelRow): ComponentChildren {
  const place = `/delivery/${channel}/switch`;
  if (on)
    return postForm(visit, place, "Turn off", hidden("on", "no"), { plain: true, name: `Turn off: ${NAMES[channel]}` });
  if (state !== "ready") return "";
  const to = channel === "chat" ? textField("target", "Channel id at the chat tool", { value: target ?? "" }) : null;
  return postForm(visit, place, "Turn on", [hidden("on", "yes"), to], { name: `Turn on: ${NAMES[channel]}` });
}

function weeklyLink(): ComponentChildren {
  const link = html`<a href="/console/delivery/weekly">Whether it goes out by itself, and where to</a>`;
  const alerts = html`<a href="/console/delivery/alerts">Alerts: who is told when too many traces fail</a>`;
  return [block("Weekly page", html`<p>${link}</p>`), block("Alerts", html`<p>${alerts}</p>`)];
}

async function preview(visit: Visit): Promise<View> {
  const channel = channelOf(visit);
  const delivery = await visit.call<Delivery>("delivery_get");
  const own = ownFinding(delivery);
  // Mail and file show the org's own finding, whatever was looked at before.
  const chosen = SENDABLE.has(channel) ? (chosenBy(visit) ?? own) : own;
  const row = delivery.channels.find((each) => each.channel === channel);
  if (chosen === undefined || row === undefined) throw conflict(`There is nothing to send. ${delivery.why}`);
  if ((await withoutOther(visit, chosen)) !== undefined)
    return { to: `/console/delivery?${new URLSearchParams({ group: chosen.group })}` };
  const shown = await previewOf(visit, channel, chosen);
  const doc: PageDoc = {
    v: 1,
    title: `${NAMES[channel]}: preview`,
    made_at: visit.ctx.now(),
    verdict: {
      text: previewWords(row),
      tone: row.state === "ready" ? "plain" : "warn",
      tier: "deterministic",
      how: `Below is what ${row.target ?? "its receivers"} would see, made by the very call that sends it; nothing was sent.`,
    },
    sections: [],
  };
  const { group, against } = chosen;
  const finding =
    against === undefined
      ? `groups/${encodeURIComponent(group)}`
      : `compare?${new URLSearchParams({ a: against, b: group })}`;
  // Mail and file have the org's own finding alone: without one there is nothing to look at.
  const others = delivery.channels.filter(
    (each) =>
      each.channel !== channel && (SENDABLE.has(each.channel) ? visit.member.role !== "viewer" : own !== undefined),
  );
  const lead = html`
    <p class="ways">
      <a href="/console/${finding}">What it is made of</a>
      ${others.map((each) => html` <a href="/console/delivery/${each.channel}?${new URLSearchParams({ ...chosen })}">as ${NAMES[each.channel].toLowerCase()}</a>`)}
    </p>
  `;
  const look = html`<div aria-label="Preview" role="region">${shown}</div>`;
  return { doc, lead, forms: [look, confirmForm(visit, row, chosen)] };
}

/** Whether a channel could send what is shown, and what went out over it last. */
function previewWords({ channel, on, state, reason, target, last_send: last }: ChannelRow): string {
  const before = last === null ? "nothing went out over it yet" : `it last sent on ${minuteOf(last.at)} UTC`;
  if (state !== "ready") return `${NAMES[channel]} cannot be sent now: ${reason}`;
  if (!on) return `${NAMES[channel]} is off; ${before}.`;
  return `${NAMES[channel]} can be sent${target === null ? "" : ` to ${target}`}; ${before}.`;
}

function confirmForm(visit: Visit, row: ChannelRow, chosen: Chosen): ComponentChildren {
  const { channel, on, state, target, last_send: last } = row;
  if (channel === "download") return html`<p><a href="/console/delivery/download/file">Fetch the file</a></p>`;
  if (!SENDABLE.has(channel))
    return html`
      <p>Mail goes out with the <a href="/console/delivery/weekly">weekly page</a>, to the members who take it.</p>
    `;
  if (state !== "ready") return block("Send", html`<p>Until then, the text above can be copied.${remedyLink(row)}</p>`);
  if (!on) return html`<p>This channel is off. Turn it on under Delivery first.</p>`;
  const to = target === null ? "" : ` to ${target}`;
  return block(
    "Confirm",
    last?.group === chosen.group &&
      html`<p>This group's finding went out over this channel on ${minuteOf(last.at)} UTC. Sending sends it again.</p>`,
    html`<p>What stands above goes out${to}, once, as sent by you.</p>`,
    postForm(visit, `/delivery/${channel}/send`, `Send${to}`, [
      hidden("sends", String(visit.session.sends)),
      ...Object.entries(chosen).map(([name, value]) => hidden(name, value)),
      ...(target === null ? [] : [hidden("target", target)]),
    ]),
  );
}

/** Sends what the form's page showed: the form's own leave first, then a confirm for this member, then the send. */
async function send(visit: Visit): Promise<View> {
  const channel = channelOf(visit);
  if (!SENDABLE.has(channel)) throw badField("channel", "is not sent over from here");
  const group = needed(visit, "group");
  const against = field(visit, "against");
  const target = channel === "chat" ? needed(visit, "target") : undefined;
  await takeSend(visit.ctx, visit.session.id, Number(needed(visit, "sends")));
  const chosen = { group, ...(against === undefined ? {} : { against }) };
  const sent = await sendOver(visit, channel, chosen, target);
  if (sent.error !== undefined) throw conflict(sent.reason ?? "It was not sent.");
  const [line] = [sent.log ?? []].flat();
  return { to: `/console/delivery${line === undefined ? "" : `?${new URLSearchParams({ sent: line })}`}` };
}

async function sendOver(visit: Visit, channel: Channel, chosen: Chosen, target: string | undefined): Promise<Sent> {
  const { group, ...rest } = chosen;
  if (channel === "pr_comment") return visit.call<Sent>("comment_on_pr", { gid: group, ...rest });
  const leave = { member: visit.member.id, channel, group, ...(target === undefined ? {} : { target }) };
  const confirm = await visit.confirm(leave);
  return channel === "chat"
    ? visit.call<Sent>("deliver_chat", { ...chosen, channel: target, confirm })
    : visit.call<Sent>("deliver_obs", { ...chosen, dry_run: false, confirm });
}

async function file(visit: Visit): Promise<View> {
  const args = { channel: "download" };
  const { preview: made, why } = await visit.call<{ preview: Record<string, string> | null; why: string }>(
    "delivery_preview",
    args,
  );
  if (made === null) throw conflict(`There is nothing to fetch. ${why}`);
  const { name = "finding.md", type = "text/markdown", content = "" } = made;
  return { file: { name, type, content } };
}

function channelOf(visit: Visit): Channel {
  const parsed = Channel.safeParse(visit.param("channel"));
  if (!parsed.success) throw new AppError("not_found", "No such channel.");
  return parsed.data;
}

function chosenBy({ query }: Visit): Chosen | undefined {
  const [group, against] = [query.get("group"), query.get("against")];
  if (group === null) return undefined;
  return { group, ...(against === null ? {} : { against }) };
}

function ownFinding({ finding }: Delivery): Chosen | undefined {
  return finding === null ? undefined : { group: finding.tested.group, against: finding.main.group };
}

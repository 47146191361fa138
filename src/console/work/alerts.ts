import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { ScheduleView } from "../../../chapters/automation/schedules/schedules.ts";
import { badField } from "../../../chapters/errors.ts";
import { ALERTS_GROUP } from "../../../chapters/exports/delivery/delivery-confirm.ts";
import { TOLD_BY_RULE } from "../../../chapters/findings/modes/shows-failure.ts";
import type { PageDoc, PageSection } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf, percent } from "../../../chapters/findings/pages/words.ts";
import { type LookBack, lookBack } from "../../../chapters/online/look-back.ts";
import { isOnline } from "../../../chapters/online/terms.ts";
import type { Doc } from "../../../chapters/record.ts";
import { Incident } from "../../../chapters/records/online/online.ts";
import { table } from "../../pages/html.ts";
import { block, choice, folded, getForm, postForm, textField, tick } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { textOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PLACE = "/delivery/alerts";
const LOOKED_AT = 200;
const INCIDENTS = 20;
/** Newest traces of a system that rules look at before somebody makes an alert of them. */
const NEWEST = 100;
const HUNDRED = 100;

/** Production traces that are judged as they come, and who is told when too many fail. */
export const alertPages: readonly ConsoleRoute[] = [
  shows(PLACE, alerts),
  does(PLACE, async (visit) => {
    const detectors = visit.form.getAll("detector");
    if (detectors.length === 0) throw badField("detector", "tick one failure at least");
    const channel = field(visit, "channel");
    const leave = { member: visit.member.id, channel: "chat", group: ALERTS_GROUP, target: channel };
    await visit.call("schedules_post", {
      kind: "alert",
      surface: needed(visit, "surface"),
      label: needed(visit, "label"),
      terms: {
        detectors,
        threshold: amount(visit, "threshold") / HUNDRED,
        window_hours: amount(visit, "hours"),
        ...(channel === undefined ? {} : { chat: { channel, confirm: await visit.confirm(leave) } }),
      },
      by: visit.member.name,
    });
    return { to: CONSOLE + PLACE };
  }),
  does(`${PLACE}/:sid/end`, async (visit) => {
    await visit.call("schedules_delete", { sid: visit.param("sid") });
    return { to: CONSOLE + PLACE };
  }),
];

function amount(visit: Visit, name: string): number {
  const value = Number(needed(visit, name));
  if (!Number.isFinite(value) || value < 0) throw badField(name, "give a number that is not negative");
  return value;
}

async function alerts(visit: Visit): Promise<View> {
  const [{ schedules }, incidents] = await Promise.all([
    visit.call<{ schedules: readonly ScheduleView[] }>("schedules_list", { limit: LOOKED_AT }),
    visit.ctx.store.records.list(Incident, { limit: INCIDENTS }),
  ]);
  const own = schedules.filter(({ kind }) => isOnline(kind));
  const labels = new Map(own.map((row) => [row.id, labelOf(row)]));
  const { surfaces } = await visit.call<Surfaces>("surfaces_list", { limit: LOOKED_AT });
  const look = textOf(visit, "look") ?? (own.length === 0 ? surfaces[0]?.name : undefined);
  const known = surfaces.some(({ name }) => name === look) ? look : undefined;
  const seen = known === undefined ? undefined : { surface: known, ...(await lookBack(visit.ctx, known, NEWEST)) };
  const doc: PageDoc = {
    v: 1,
    title: "Alerts",
    made_at: visit.ctx.now(),
    verdict: verdictOf(own, seen),
    sections: [
      ...(incidents.items.length === 0 ? [] : [incidentTable(incidents.items, labels)]),
      ...(seen === undefined || seen.traces === 0 ? [] : [foundTable(seen)]),
    ],
  };
  const lead = [
    html`<p class="ways"><a href="${CONSOLE}/delivery">Delivery</a> <a href="${CONSOLE}/traces">Traces</a></p>`,
    own.length > 0 && alertTable(visit, own),
  ];
  return { doc, lead, forms: newForms(visit, surfaces, { own: own.length, seen }) };
}

interface Surfaces {
  readonly surfaces: readonly { readonly name: string }[];
}
type Seen = LookBack & { readonly surface: string };

const labelOf = ({ label, surface, kind }: ScheduleView) => cut(label ?? `${kind} of ${surface}`, 80);

function verdictOf(own: readonly ScheduleView[], seen: Seen | undefined): NonNullable<PageDoc["verdict"]> {
  const tier = "deterministic";
  const how =
    "An incident opens when the whole 95 % interval of the share that failed lies above what is allowed, and closes when the share no longer does.";
  if (own.length === 0) {
    const found =
      seen === undefined || seen.traces === 0
        ? ""
        : ` Rules find a failure in ${seen.failed} of the newest ${counted(seen.traces, "trace")} of ${cut(seen.surface, 60)}.`;
    return { text: `No traces are judged as they come.${found}`, tone: "plain", tier, how };
  }
  const open = own.filter(({ online }) => online?.incident);
  const [first] = open;
  if (first !== undefined)
    return {
      text: `${counted(open.length, "incident")} open: ${labelOf(first)}. ${first.online?.incident?.message[0] ?? ""}`,
      tone: "bad",
      tier,
      how,
    };
  const sum = (of: "judged" | "failed") => own.reduce((all, { online }) => all + (online?.window[of] ?? 0), 0);
  return {
    text: `No incident is open: ${sum("failed")} of ${counted(sum("judged"), "judged trace")} failed lately.`,
    tone: "plain",
    tier,
    how,
  };
}

function alertTable(visit: Visit, own: readonly ScheduleView[]): ComponentChild {
  return table(
    "What is judged as traces come; failed of judged ones in the time that it looks back.",
    [
      { name: "Alert" },
      { name: "Failed lately", n: true },
      { name: "Stands" },
      { name: "Of" },
      { name: "Told", wide: true },
      { name: "End" },
    ],
    own.map((row) => {
      const { window, stopped, incident } = row.online ?? {
        window: { judged: 0, failed: 0 },
        stopped: null,
        incident: null,
      };
      const blocked = row.fire_blocked ?? stopped;
      return [
        labelOf(row),
        `${window.failed} of ${window.judged}`,
        html`${incident ? html`<span class="bad">open since ${minuteOf(incident.opened_at)}</span>` : "quiet"}${blocked !== null && html`<br /><span class="warn">${cut(blocked, 200)}</span>`}`,
        html`<a href="${CONSOLE}/surfaces">${cut(row.surface, 60)}</a>`,
        receiversOf(row),
        postForm(visit, `${PLACE}/${encodeURIComponent(row.id)}/end`, "End", null, {
          name: `End ${labelOf(row)}`,
          removes: "Traces are no longer judged by it, and nobody is told. What it found stays.",
        }),
      ];
    }),
  );
}

function receiversOf({ kind, terms }: ScheduleView): string {
  if (kind !== "alert") return "nobody: it only judges";
  const { chat, threshold } = (terms ?? {}) as {
    readonly chat?: { readonly channel: string };
    readonly threshold?: number;
  };
  const to = chat === undefined ? "members who take mail" : `members who take mail, and ${chat.channel}`;
  return `${to}${threshold === undefined ? "" : `, above ${percent(threshold)}`}`;
}

function incidentTable(incidents: readonly Doc<typeof Incident>[], labels: ReadonlyMap<string, string>): PageSection {
  return {
    show: "table",
    heading: "Incidents",
    caption: `The newest ${incidents.length}, with what was told when each opened.`,
    tier: "deterministic",
    columns: [
      { name: "Opened (UTC)" },
      { name: "Closed (UTC)" },
      { name: "Alert" },
      { name: "What was told", kind: "wide" },
      { name: "Sent" },
    ],
    rows: incidents.map(({ opened_at, closed_at, schedule, message, sent }) => [
      minuteOf(opened_at),
      closed_at === undefined ? { text: "open", tone: "bad" as const } : minuteOf(closed_at),
      labels.get(schedule) ?? "ended since",
      cut(message.join(" "), 400),
      sent.length === 0 ? "to nobody" : sent.map(({ channel, state }) => `${channel}: ${state}`).join(", "),
    ]),
  };
}

/** What an alert would have been told: of each rule, how many of the newest traces show its failure, and the newest of them. */
function foundTable({ surface, traces, found }: Seen): PageSection {
  const rows = [...found].sort(([, a], [, b]) => b.length - a.length);
  return {
    show: "table",
    heading: `What rules find in ${cut(surface, 60)}`,
    caption: `Of the newest ${counted(traces, "trace")}, those that show each failure; a number opens the newest of them.`,
    tier: "deterministic",
    columns: [{ name: "Failure" }, { name: "Traces", kind: "number" }, { name: "Share", kind: "number" }],
    rows: rows.map(([name, ids]) => {
      const [newest] = ids;
      return [
        inWords(name),
        newest === undefined ? 0 : { text: String(ids.length), link: { page: "trace" as const, id: newest } },
        percent(ids.length / traces),
      ];
    }),
  };
}

function newForms(
  visit: Visit,
  surfaces: Surfaces["surfaces"],
  { own, seen }: { readonly own: number; readonly seen: Seen | undefined },
): ComponentChild {
  const options = surfaces.map(({ name }) => ({ value: name, text: cut(name, 60) }));
  if (options.length === 0)
    return html`<p>Alerts are of a system, and none is known yet: <a href="${CONSOLE}/surfaces">systems</a>.</p>`;
  const look =
    (own > 0 || options.length > 1) &&
    getForm(PLACE, `Look at its newest ${NEWEST} traces`, choice("look", "System", options, seen?.surface), {
      row: true,
    });
  const form = [
    html`<p>Each trace that comes in is read by rules. Members who take mail are told once when an incident opens and once when it closes; a chat channel too, where one is named.</p>`,
    postForm(visit, PLACE, "Watch it", [
      html`<div class="columns">
        ${textField("label", "Name", { required: true, size: 24 })}
        ${choice("surface", "System", options, seen?.surface)}
        ${textField("threshold", "Percent that may fail", { type: "number", value: "5", required: true, size: 6 })}
        ${textField("hours", "Hours looked back", { type: "number", value: "24", required: true, size: 6 })}
        ${textField("channel", "Channel id at the chat tool (may be empty)", { size: 16 })}
      </div>`,
      html`<div role="group" aria-label="Failures"><p class="soft">Failures that count: tick one at least.</p>${[...TOLD_BY_RULE].map((name) => tick("detector", inWords(name), false, name))}</div>`,
    ]),
  ];
  const heading = "Tell people when too many traces fail";
  return [look, own === 0 ? block(heading, ...form) : folded(heading, ...form)];
}

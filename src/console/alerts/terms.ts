import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { ScheduleView } from "../../../chapters/automation/schedules/schedules.ts";
import { badField } from "../../../chapters/errors.ts";
import { ALERTS_GROUP } from "../../../chapters/exports/delivery/delivery-confirm.ts";
import { TOLD_BY_RULE } from "../../../chapters/findings/modes/shows-failure.ts";
import { counted, cut, inWords, percent } from "../../../chapters/findings/pages/words.ts";
import { daysOfAlert } from "../../../chapters/online/tried-alert.ts";
import type { OnlineTerms, TraceCheck } from "../../../chapters/records/online/online.ts";
import { CAUSE_WORDS } from "../../../chapters/runs/compare/compare-verdict.ts";
import { table } from "../../pages/html.ts";
import { choice, postForm, textField, tick } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { field, needed, type Visit } from "../visit.ts";

/** Where alerts stand below the console's address. */
export const PLACE = "/delivery/alerts";
export const HUNDRED = 100;
const DAY_HOURS = 24;
/** Newest traces that an alert is tried on before it is made. */
const TRIED = 500;

/** The failures that the form has a box for. */
const BY_RULE: ReadonlySet<string> = TOLD_BY_RULE;
/** What can be watched beside the failures that rules find, each by a field of its own. */
const MOST_CALLS = "most_calls";
const MUST_CALL = "must_call";
const MUST_NOT_CALL = "must_not_call";
const ANSWER = "answer";
const CRITERION = "criterion";
/** How an answer may come out, in words. */
const ANSWERS = [
  { value: "", text: "as it may" },
  { value: "answered", text: "with what was asked for" },
  { value: "said_no_data", text: "that there is no such data" },
  { value: "refused", text: "that it cannot be done" },
] as const;

/** The check that each field of the form asks for, those that were filled in. */
function checksOf(visit: Visit): TraceCheck[] {
  const [tool, other, criterion] = [field(visit, MUST_CALL), field(visit, MUST_NOT_CALL), field(visit, CRITERION)];
  const answer = ANSWERS.map(({ value }) => value).find((value) => value !== "" && value === field(visit, ANSWER));
  return [
    ...(field(visit, MOST_CALLS) === undefined ? [] : [{ kind: "max_calls" as const, n: amount(visit, MOST_CALLS) }]),
    ...(tool === undefined ? [] : [{ kind: "calls_required" as const, calls: [{ tool }] }]),
    ...(other === undefined ? [] : [{ kind: "calls_forbidden" as const, calls: [{ tool: other }] }]),
    ...(answer === undefined || answer === "" ? [] : [{ kind: "answer_class" as const, class: answer }]),
    ...(criterion === undefined ? [] : [{ kind: "judged" as const, criterion }]),
  ];
}

/** The field of the form that asks for a check, with what stands in it; undefined of a check that no field asks for. */
function fieldOf(check: TraceCheck): readonly [name: string, value: string] | undefined {
  if (check.kind === "max_calls") return [MOST_CALLS, String(check.n)];
  if (check.kind === "judged") return [CRITERION, check.criterion];
  if (check.kind === "answer_class") return check.class === "none" ? undefined : [ANSWER, check.class];
  if (check.kind !== "calls_required" && check.kind !== "calls_forbidden") return undefined;
  const [call, ...others] = check.calls;
  if (call === undefined || others.length > 0 || (call.args ?? []).length > 0) return undefined;
  return [check.kind === "calls_required" ? MUST_CALL : MUST_NOT_CALL, call.tool];
}

/** The checks that fields of the form ask for, and the others: of two for one field it has the first. */
function byField(checks: readonly TraceCheck[]) {
  const fields = new Map<string, string>();
  const others = checks.filter((check) => {
    const [name, value] = fieldOf(check) ?? [];
    if (name === undefined || value === undefined || fields.has(name)) return true;
    fields.set(name, value);
    return false;
  });
  return { fields, others };
}
const ALLOWED = [
  { value: "threshold", text: "more than so many percent fail" },
  { value: "change", text: "so many points more fail than in the time before" },
] as const;

/** The alert that a form asks for, as `schedules_post` takes it. */
export async function asked(visit: Visit) {
  const detectors = visit.form.getAll("detector");
  const checks = checksOf(visit);
  if (detectors.length === 0 && checks.length === 0) throw badField("detector", NOTHING);
  const channel = field(visit, "channel");
  const leave = { member: visit.member.id, channel: "chat", group: ALERTS_GROUP, target: channel };
  const by = field(visit, "by") === "change" ? "change" : "threshold";
  return {
    surface: needed(visit, "surface"),
    label: needed(visit, "label"),
    terms: {
      ...(detectors.length === 0 ? {} : { detectors }),
      ...(checks.length === 0 ? {} : { checks }),
      ...filterOf(visit),
      [by]: amount(visit, "threshold") / HUNDRED,
      window_hours: amount(visit, "hours"),
      ...(channel === undefined ? {} : { chat: { channel, confirm: await visit.confirm(leave) } }),
    },
  };
}

const NOTHING = "tick one failure at least, or fill in what else must hold";

/** Which traces are judged, where not all are. */
function filterOf(visit: Visit): Pick<OnlineTerms, "filter"> {
  const [tool, version] = [field(visit, "tool"), field(visit, "version")];
  if (tool === undefined && version === undefined) return {};
  return {
    filter: {
      ...(tool === undefined ? {} : { tool }),
      ...(version === undefined ? {} : { agent_version: version }),
    },
  };
}

/** New terms with those of before that the form has no field for, such as what an answer must say. */
export function withUnasked(given: Awaited<ReturnType<typeof asked>>["terms"], { terms }: ScheduleView) {
  const {
    checks = [],
    detectors = [],
    filter,
    threshold,
    change,
    window_hours,
    chat,
    ...others
  } = (terms ?? {}) as OnlineTerms;
  const { tool, agent_version, ...filters } = filter ?? {};
  const allChecks = [...(given.checks ?? []), ...byField(checks).others];
  const allDetectors = [...(given.detectors ?? []), ...detectors.filter((name) => !BY_RULE.has(name))];
  const allFilters = { ...filters, ...given.filter };
  return {
    ...others,
    ...given,
    ...(allChecks.length === 0 ? {} : { checks: allChecks }),
    ...(allDetectors.length === 0 ? {} : { detectors: allDetectors }),
    ...(Object.keys(allFilters).length === 0 ? {} : { filter: allFilters }),
  };
}

/** The fields of the form that an alert was made by. */
export function fieldsOf({ label, surface, terms }: ScheduleView): URLSearchParams {
  const { detectors = [], checks = [], filter, threshold, change, window_hours, chat } = (terms ?? {}) as OnlineTerms;
  const fields = new URLSearchParams(detectors.map((name) => ["detector", name]));
  const given = {
    ...{
      label,
      surface,
      tool: filter?.tool,
      version: filter?.agent_version,
      by: change === undefined ? undefined : "change",
      channel: chat?.channel,
    },
    threshold: String(Number((HUNDRED * (change ?? threshold ?? 0)).toFixed(4))),
    hours: String(window_hours ?? DAY_HOURS),
    ...Object.fromEntries(byField(checks).fields),
  };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) fields.set(name, value);
  return fields;
}

/** What an alert would have told of the newest traces of its system, day by day. Nobody is told. */
export async function wouldTell(visit: Visit): Promise<ComponentChild> {
  const surface = needed(visit, "surface");
  const hours = amount(visit, "hours");
  const detectors = visit.form.getAll("detector");
  // A criterion is decided by a model, which is asked of nothing that is only tried.
  const checks = checksOf(visit).filter(({ kind }) => kind !== "judged");
  const judged = field(visit, CRITERION) !== undefined;
  if (detectors.length === 0 && checks.length === 0)
    throw badField("detector", judged ? "a criterion alone is not tried: a model decides it" : NOTHING);
  const byRise = field(visit, "by") === "change";
  const terms: OnlineTerms = {
    ...(detectors.length === 0 ? {} : { detectors }),
    ...(checks.length === 0 ? {} : { checks }),
    ...filterOf(visit),
    ...(byRise ? {} : { threshold: amount(visit, "threshold") / HUNDRED }),
    ...(byRise ? { change: amount(visit, "threshold") / HUNDRED } : {}),
    window_hours: hours,
  };
  const days = await daysOfAlert(visit.ctx, surface, terms, TRIED);
  const rows = days.map(({ day, judged, bad, opens }) => [
    day,
    `${bad} of ${judged}`,
    judged === 0 ? "" : percent(bad / judged),
    opens ? html`<span class="bad">would have told</span>` : "quiet",
  ]);
  const told = days.filter(({ opens }) => opens).length;
  return html`
    <section role="status">
      <h2>What it would have told</h2>
      <p class="verdict is-${told > 0 ? "warn" : "plain"}">
        ${days.length === 0 ? `No trace of ${cut(surface, 60)} says when it started, so nothing can be tried.` : `It would have told on ${told} of ${counted(days.length, "day")} with traces. Nobody was told now, and nothing is kept.`}${judged ? " The criterion was left out: a model decides it, and none was asked." : ""}
      </p>
      ${rows.length > 0 && table(`Of the newest ${TRIED} traces, at the end of each day: failed of those that started in the ${counted(hours, "hour")} before.`, [{ name: "Day (UTC)" }, { name: "Failed", n: true }, { name: "Share", n: true }, { name: "The alert" }], rows)}
    </section>
  `;
}

function amount(visit: Visit, name: string): number {
  const value = Number(needed(visit, name));
  if (!Number.isFinite(value) || value < 0) throw badField(name, "give a number that is not negative");
  return value;
}

/** The form of an alert, filled in; its second button only says what it would have told. */
export function alertForm(
  visit: Visit,
  place: string,
  button: string,
  surfaces: readonly { readonly name: string }[],
  from: URLSearchParams,
): ComponentChild {
  const given = (name: string, or = "") => from.get(name) ?? or;
  const ticked = new Set(from.getAll("detector"));
  return postForm(visit, place, button, [
    html`<div class="columns">
      ${textField("label", "Name", { required: true, size: 24, value: given("label") })}
      ${choice(
        "surface",
        "System",
        surfaces.map(({ name }) => ({ value: name, text: cut(name, 60) })),
        given("surface"),
      )}
      ${choice("by", "Tells when", ALLOWED, given("by", "threshold"))}
      ${textField("threshold", "Percent, or points", { type: "number", value: given("threshold", "5"), required: true, size: 6 })}
      ${textField("hours", "Hours looked back", { type: "number", value: given("hours", String(DAY_HOURS)), required: true, size: 6 })}
      ${textField("version", "Only of the agent's version (may be empty)", { value: given("version"), size: 10 })}
      ${textField("tool", "Only traces that call the tool (may be empty)", { value: given("tool"), size: 16 })}
      ${textField("channel", "Channel id at the chat tool (may be empty)", { size: 16, value: given("channel") })}
    </div>`,
    html`<div role="group" aria-label="Failures"><p class="soft">Failures that count: tick one at least, or fill in below what must hold.</p>${[...TOLD_BY_RULE].map((name) => tick("detector", `${inWords(name)}: it ${CAUSE_WORDS[name]}`, ticked.has(name), name))}</div>`,
    html`<p class="soft">What must hold of a trace besides; each may be empty.</p>`,
    html`<div class="columns">
      ${textField(MOST_CALLS, "Calls at most", { type: "number", value: given(MOST_CALLS), size: 6 })}
      ${textField(MUST_CALL, "It calls the tool", { value: given(MUST_CALL), size: 16 })}
      ${textField(MUST_NOT_CALL, "It does not call the tool", { value: given(MUST_NOT_CALL), size: 16 })}
      ${choice(ANSWER, "Its answer is", ANSWERS, given(ANSWER))}
      ${textField(CRITERION, "A criterion that a model decides, which costs", { value: given(CRITERION), size: 30 })}
    </div>`,
    html`<button type="submit" class="plain" formaction="${CONSOLE}${PLACE}/try">See what it would have told</button> `,
  ]);
}

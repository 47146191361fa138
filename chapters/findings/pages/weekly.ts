import { countOf } from "../../count-of.ts";
import { playerName } from "../../records/runs/runs.ts";
import type { Tier } from "../../tier.ts";
import { weakestTier } from "../../tier.ts";
import { inert } from "../render/inert.ts";
import { basis, headline } from "../render/sentences.ts";
import type { WeekCounts, WeeklyFacts, WeeklyGroup } from "../weekly/weekly-facts.ts";
import { GROUP_COLUMNS, groupCells } from "./group-cells.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageSection, Tone } from "./page-doc.ts";
import { paidTable } from "./paid-jobs.ts";
import { counted, cut, dollars, metOf } from "./words.ts";

const MICRO = 1_000_000;
const DAY = 86_400;
const NAME = 60;
const LISTED = 100;
const PLOTTED = 20;

/** A week as a page, by rule, each count beside the week before: what changed, what ran, which failures are new, what it cost. */
export function weeklyPage(facts: WeeklyFacts, before: WeekCounts, madeAt: number): PageDoc {
  const { week, from, to, findings, groups, example } = facts;
  const [first] = findings;
  const tier = weeklyTier(facts);
  return {
    v: 1,
    title: `The week ${week}`,
    made_at: madeAt,
    verdict: {
      text: first ? headline(first, name) : `${landed(facts)}${yetSpent(facts)}.`,
      tone: first ? toneOf(first) : "plain",
      tier: first?.tier ?? tier,
      how: `${first ? `${basis(first)} ` : ""}The week is ${day(from)} to ${day(to - 1)} (UTC); what ended in it is counted.`,
    },
    ...(example || findings.some((finding) => finding.example) ? { invented: true } : {}),
    sections: [
      ...numbers(facts, before, tier),
      ...findings.map((finding) => change(finding)),
      ...(groups.length === 0 ? [] : [rates(groups, tier), runs(groups, tier)]),
      ...(facts.newModes.length === 0 ? [] : [newModes(facts)]),
      ...(facts.modeChanges.length === 0 ? [] : [changedModesSection(facts)]),
      spend(facts),
      ...(facts.jobs.length === 0 ? [] : [paid(facts)]),
    ],
  };
}

/** The week's headline lines for channels: counts with their tier, names in them inert. */
export function weeklyLines(facts: WeeklyFacts): string[] {
  const { findings, newModes: modes, modeChanges: moved, notes } = facts;
  const safe = (text: string) => inert(text, 40);
  const fixed = new Set(moved.filter(({ status }) => status === "fixed").map(({ mode }) => mode.id)).size;
  const negative = notes.filter(({ polarity }) => polarity === "negative").length;
  return [
    `${landed(facts)} (tier ${weeklyTier(facts)}).`,
    ...findings
      .slice(0, 3)
      .map((finding) => `${headline(finding, safe)} (tier ${finding.tier}, n = ${counted(finding.n, "task")})`),
    `${counted(modes.length, "new failure mode")}, ${fixed} fixed (tier ${modesTier(facts)}).`,
    `${counted(notes.length, "note")} of people, ${negative} negative (tier human).`,
    `${dollars(spentUsd(facts))} spent on ${counted(paidCalls(facts), "model call")} (tier deterministic).`,
  ];
}

/** What graded the week's trials, the weakest of all. */
export function weeklyTier({ groups }: WeeklyFacts): Tier {
  return weakestTier(groups.map(({ group }) => group.tier)) ?? "deterministic";
}

/** Of valid trials of the week's groups, how many were met. */
export function weeklyTrials({ groups }: WeekCounts): {
  readonly met: number;
  readonly valid: number;
} {
  const sum = (of: "met" | "valid") => groups.reduce((total, group) => total + group[of], 0);
  return { met: sum("met"), valid: sum("valid") };
}

/** US dollars that the week's model calls cost. */
export function spentUsd({ spent }: WeekCounts): number {
  return spent.reduce((sum, row) => sum + row.micro_usd, 0) / MICRO;
}

/** How failure modes were found, the weakest of all. */
export function modesTier({ newModes: modes, modeChanges: moved }: WeeklyFacts): Tier {
  return weakestTier([...modes, ...moved.map(({ mode }) => mode)].map(({ tier }) => tier)) ?? "deterministic";
}

/** Reservations of money; what settles one is a line of its own. */
function paidCalls({ spent }: WeeklyFacts): number {
  return spent.filter(({ note }) => !note.endsWith(", settled")).length;
}

function landed(facts: WeeklyFacts): string {
  const { met, valid } = weeklyTrials(facts);
  const groups = counted(facts.groups.length, "run");
  return facts.groups.length === 0 ? "No run ended" : `${groups} ended: ${met} of ${valid} valid trials met`;
}

/** What was spent in a week in which no run ended, and on what. */
function yetSpent(facts: WeeklyFacts): string {
  const { groups, jobs } = facts;
  if (groups.length > 0 || jobs.length === 0) return "";
  return `, yet ${counted(jobs.length, "job")} spent ${dollars(spentUsd(facts))}, named below`;
}

function name(text: string): string {
  return cut(text, NAME);
}

function day(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

function toneOf({ words, difference }: WeeklyFacts["findings"][number]): Tone {
  if (words === "no difference shown" || difference === 0) return "plain";
  return difference < 0 ? "bad" : "good";
}

/** Each count of the week, with what it was the week before; none where both are nothing. */
function numbers(facts: WeeklyFacts, before: WeekCounts, tier: Tier): PageSection[] {
  const { groups, modeChanges: moved, notes, spent } = facts;
  const sum = (of: "infra" | "invalid") => groups.reduce((total, group) => total + group[of], 0);
  const polarity = (of: string) => notes.filter((note) => note.polarity === of).length;
  const [uncounted, said] = [sum("infra") + sum("invalid"), polarity("negative") + polarity("positive")];
  const counts: readonly [name: string, of: (each: WeekCounts) => Cell, tier: Tier, more: string][] = [
    ["Runs that ended", ({ groups }) => groups.length, "deterministic", ""],
    [
      "Met of valid trials",
      (each) => trialsText(each),
      tier,
      uncounted === 0 ? "" : `not counted: ${sum("infra")} infra, ${sum("invalid")} invalid`,
    ],
    [
      "New failure modes",
      ({ newModes }) => newModes.length,
      modesTier(facts),
      moved.length === 0 ? "" : `${countOf(moved.length, "change")} of status`,
    ],
    [
      "Notes of people",
      ({ notes }) => notes.length,
      "human",
      said === 0 ? "" : `${polarity("negative")} negative, ${polarity("positive")} positive`,
    ],
    ["Evidence received", ({ evidence }) => evidence, "deterministic", ""],
    [
      "Spent on model calls",
      (each) => dollars(spentUsd(each)),
      "deterministic",
      spent.length === 0 ? "" : `${counted(paidCalls(facts), "call")} of ${counted(facts.jobs.length, "job")}`,
    ],
  ];
  const told = counts
    .filter(([, of]) => [of(facts), of(before)].some((value) => !NOTHING.has(value)))
    .map(([name, of, tier, more]) => ({
      name,
      value: of(facts),
      tier,
      how: [`the week before: ${of(before)}`, more].filter(Boolean).join("; "),
    }));
  return told.length === 0 ? [] : [{ show: "facts", facts: told }];
}

/** Values of a count that counted nothing. */
const NOTHING: ReadonlySet<Cell> = new Set([0, "none", dollars(0)]);

function trialsText(counts: WeekCounts): string {
  const { met, valid } = weeklyTrials(counts);
  return valid === 0 ? "none" : `${met} of ${valid}`;
}

function change(finding: WeeklyFacts["findings"][number]): PageSection {
  const { main, tested, tasks, tasks_total: total, tier } = finding;
  const heading = `${playerName(tested, name)} against ${playerName(main, name)}`;
  if (tasks.length === 0)
    return {
      show: "text",
      heading,
      paragraphs: [`${headline(finding, name)} No task changed sides. ${basis(finding)}`],
    };
  return {
    show: "table",
    heading,
    caption: `${headline(finding, name)} Tasks that changed sides, largest change first. ${basis(finding)}`,
    tier,
    columns: [
      { name: "Request", kind: "wide" },
      { name: "Before", kind: "number" },
      { name: "Now", kind: "number" },
      { name: "Family" },
      { name: "Root causes" },
    ],
    rows: tasks.map((task): Cell[] => [
      cut(task.request, 240),
      metOf(task.main),
      metOf(task.tested),
      task.family,
      task.causes.map(({ cause, trials }) => `${cause} (${trials})`).join(", "),
    ]),
    of: total,
  };
}

function rates(groups: readonly WeeklyGroup[], tier: Tier): PageSection {
  return {
    show: "rates",
    heading: "Rates",
    caption: `Met of valid trials with the 95 % interval over tasks, ${groups.length > PLOTTED ? `the newest ${PLOTTED} of ${groups.length} run groups` : "per run group"}, newest first.`,
    tier,
    rows: groups.slice(0, PLOTTED).map(({ group, met, valid, low, high }) => ({
      name: `${playerName(group.player, name)} (n ${valid})`,
      ...(valid === 0 ? {} : { rate: met / valid }),
      low,
      high,
      n: valid,
    })),
  };
}

function runs(groups: readonly WeeklyGroup[], tier: Tier): PageSection {
  return {
    show: "table",
    heading: "Runs",
    caption: "Runs that ended in the week, newest first; trials that the set-up broke do not count in the rate.",
    tier,
    columns: [...GROUP_COLUMNS, { name: "Started by" }, { name: "Ended" }],
    ...listed(
      groups,
      ({ group, ended, ...counts }) => [
        ...groupCells({ id: group.id, agent: playerName(group.player, name), on: group.runs, ...counts }),
        group.trigger,
        day(ended),
      ],
      LISTED,
    ),
  };
}

function newModes(facts: WeeklyFacts): PageSection {
  const { newModes: modes } = facts;
  const heading = "New failure modes";
  if (modes.length === 0) return { show: "text", heading, paragraphs: ["No failure mode was recorded in the week."] };
  return {
    show: "table",
    heading,
    caption: `Ways in which an agent fails that were recorded in the week (n = ${modes.length}), with how they stand now.`,
    tier: modesTier(facts),
    columns: [
      { name: "Failure mode", kind: "wide" },
      { name: "Behaviour" },
      { name: "Status" },
      { name: "Tasks", kind: "number" },
      { name: "Tier" },
    ],
    ...listed(
      modes,
      ({ title, behaviour, status, tasks, tier }) => [
        cut(title, 200),
        behaviour ?? "not said",
        status,
        tasks.length,
        tier,
      ],
      LISTED,
    ),
  };
}

function changedModesSection(facts: WeeklyFacts): PageSection {
  return {
    show: "table",
    heading: "Failure modes that moved",
    caption: "Each status that a failure mode took in the week.",
    tier: modesTier(facts),
    columns: [{ name: "Failure mode", kind: "wide" }, { name: "Became" }, { name: "On" }],
    ...listed(
      facts.modeChanges,
      ({ mode, status, at }) => [
        cut(mode.title, 200),
        { text: status, tone: status === "fixed" ? "good" : status === "reproduced" ? "bad" : "plain" },
        day(at),
      ],
      LISTED,
    ),
  };
}

function paid({ jobs }: WeeklyFacts): PageSection {
  const caption = `What was paid for in the week, the most first: ${counted(jobs.length, "job")}.`;
  return paidTable(jobs, { heading: "What was paid for", caption, tier: "deterministic" });
}

function spend(facts: WeeklyFacts): PageSection {
  const heading = "Spend";
  if (facts.spent.length === 0)
    return { show: "text", heading, paragraphs: ["No model call was paid for in the week."] };
  const days = [...Map.groupBy(facts.spent, (row) => `${day(row.at)} ${row.kind}`)].map(([key, rows]) => ({
    day: key.slice(0, 10),
    part: key.slice(11),
    value: rows.reduce((sum, row) => sum + row.micro_usd, 0) / MICRO,
  }));
  const part = days[0]?.part ?? "";
  const kinds = new Set(days.map((each) => each.part)).size;
  // A day on which nothing was spent is a day of the week too.
  for (let at = facts.from; at < facts.to; at += DAY)
    if (!days.some((each) => each.day === day(at))) days.push({ day: day(at), part, value: 0 });
  return {
    show: "days",
    heading,
    caption: `US dollars per UTC day${kinds > 1 ? " and kind of work" : ""}: ${dollars(spentUsd(facts))} in all.`,
    tier: "deterministic",
    unit: "US dollars",
    days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
  };
}

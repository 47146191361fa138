import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { findTrial } from "../../../chapters/findings/pages/trial.ts";
import { counted, cut, inWords } from "../../../chapters/findings/pages/words.ts";
import { trialSteps } from "../../../chapters/findings/viewer/steps.ts";
import { everyRow } from "../../../chapters/page.ts";
import { CalibrationSet } from "../../../chapters/records/findings/findings.ts";
import type { TrialRow } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { groupData } from "../../../chapters/runs/groups/group-data.ts";
import { trialTree } from "../../../chapters/runs/trials/trace-run.ts";
import { describeCheck } from "../../../chapters/sandboxes/tasks/checks.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { buttonsForm, choice, getForm, hidden, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PLACE = "/calibrate";
/** Trials of each verdict that one sitting asks about: a person reads the two of them in a quarter of an hour. */
export const OF_EACH = 10;
/** Of so many trials, one sitting, kappa is told: of fewer it says nothing that holds. */
export const LEAST = 2 * OF_EACH;

/** A check that decided a trial; `ref` is `<run>/<task>/<try>/<place of the check, from 0>`. */
interface Item {
  readonly ref: string;
  readonly row: TrialRow;
  readonly check: number;
  /** What its set is of: the criterion of a judged check, the kind of any other. */
  readonly criterion: string;
  readonly verdict: "met" | "not_met";
}

/** Trials one after another, each with the question of one check, whose verdict is not shown. */
export const calibratePages: readonly ConsoleRoute[] = [
  shows(PLACE, ask),
  does(PLACE, async (visit) => {
    const said = (visit.form.get("said") ?? "").split(/\r?\n/).filter(Boolean);
    const verdict = field(visit, "verdict");
    if (verdict === "save") return keep(visit, said);
    const note = (field(visit, "note") ?? "").replaceAll(/\s+/g, " ");
    const next = verdict === undefined ? said : [...said, `${needed(visit, "ref")} ${verdict} ${note}`];
    return ask(visit, next);
  }),
];

async function ask(visit: Visit, said: readonly string[] = []): Promise<View> {
  const from = (name: string) => field(visit, name) ?? visit.query.get(name) ?? "";
  const [gid, criterion] = [from("group"), from("check")];
  const { runs } = await groupData(visit.ctx, gid);
  const all = await decidedChecks(
    visit,
    runs.flatMap(({ trials }) => trials),
  );
  const criteria = [...new Set(all.map((item) => item.criterion))].sort();
  const page = { v: 1 as const, title: "Label trials for a check", made_at: visit.ctx.now(), sections: [] };
  if (criteria.length === 0) return { doc: page, lead: html`<p>No check decided anything here.</p>` };
  const kept = await labelledFor(visit, criteria);
  if (!criteria.includes(criterion)) {
    const few = criteria.filter((value) => (kept.get(value)?.size ?? 0) < LEAST);
    const text = `${few.length} of ${counted(criteria.length, "check")} of this run ${few.length === 1 ? "has" : "have"} too few labels.`;
    const options = criteria.map((value) => ({
      value,
      text: `${cut(inWords(value), 100)}: ${counted(kept.get(value)?.size ?? 0, "label")}`,
    }));
    return {
      doc: { ...page, verdict: { text, tone: few.length === 0 ? "plain" : "warn", tier: "human", how: HOW } },
      lead: getForm(PLACE, "Label", [hidden("group", gid), choice("check", "Check", options)]),
    };
  }
  const known = kept.get(criterion) ?? new Set();
  const items = sitting(all, criterion, known);
  const done = new Set(said.map((each) => each.split(" ", 1)[0]));
  const item = items.find(({ ref }) => !done.has(ref));
  const labelled = said.filter((each) => / (met|not_met) /.test(`${each} `)).length;
  const doc: PageDoc = { ...page, verdict: progressOf(criterion, known.size, labelled) };
  const carried = [hidden("group", gid), hidden("check", criterion), hidden("said", said.join("\n"))];
  const button = (key: string, verdict: string, text: string) =>
    html`<button type="submit" name="verdict" value=${verdict} data-key=${key} class="plain">${text}</button>${" "}`;
  const save = labelled > 0 && button("e", "save", `Save ${labelled} ${labelled === 1 ? "label" : "labels"}`);
  const form = (children: ComponentChild[]) => buttonsForm(visit, PLACE, [carried, children]);
  if (item === undefined)
    return {
      doc,
      lead: [
        html`<p>${items.length === 0 ? "Every trial that this check decided was labelled before." : "These were all."}</p>`,
        labelled > 0 && html`<section data-island="keys">${form([save])}</section>`,
      ],
    };
  const { planned, run, row } = await findTrial(visit.ctx, `${item.row.run}/${item.row.task}/${item.row.n}`);
  const task = await visit.ctx.store.records.get(TaskRecord, row.task);
  const check = task?.task.checks[item.check];
  const { exchanges } = await trialTree(visit.ctx, run, row);
  return {
    doc: {
      ...doc,
      sections: [
        {
          show: "timeline",
          heading: "What happened",
          caption: "The request, every call with the world's answer and what it changed, and what the agent said.",
          tier: "deterministic",
          steps: trialSteps(row, planned.request, exchanges, []).map((step, i) => ({ ...step, n: i + 1 })),
        },
      ],
    },
    lead: html`
      <p class="soft">Trial ${done.size + 1} of ${items.length}; what the check decided is not shown. Keys: m met, n not met, s skip${labelled > 0 && ", e save"}.</p>
      <section aria-label="Label" data-island="keys">
        <p class="verdict is-plain">${check === undefined ? `Is ${criterion} met?` : describeCheck(check, task?.task)}</p>
        ${form([
          hidden("ref", item.ref),
          textField("note", "Note (may be empty)"),
          button("m", "met", "Met"),
          button("n", "not_met", "Not met"),
          button("s", "skip", "Skip"),
          save,
        ])}
        ${task && html`<details><summary>All that the task expects</summary><ul>${task.task.checks.map((each) => html`<li>${describeCheck(each, task.task)}</li>`)}</ul></details>`}
      </section>
    `,
  };
}

/** What every check decided of these trials. */
async function decidedChecks({ ctx }: Visit, rows: readonly TrialRow[]): Promise<Item[]> {
  const judged = rows.filter(({ checks }) => checks.some(({ kind }) => kind === "judged"));
  const docs = await ctx.store.records.getMany(TaskRecord, [...new Set(judged.map(({ task }) => task))]);
  const checksOf = new Map(docs.map(({ id, task }) => [id, task.checks]));
  return rows.flatMap((row) =>
    row.checks.flatMap(({ kind, verdict }, check): Item[] => {
      if (verdict === "not_decided") return [];
      const own = checksOf.get(row.task)?.[check];
      const criterion = own?.kind === "judged" ? own.criterion : kind;
      return [{ ref: `${row.run}/${row.task}/${row.n}/${check}`, row, check, criterion, verdict }];
    }),
  );
}

const HOW = `A check needs ${LEAST} labelled trials, of any runs, before its agreement with people beyond chance is told.`;

/** How many labels a check has, of those that it needs. */
function progressOf(criterion: string, kept: number, labelled: number): NonNullable<PageDoc["verdict"]> {
  const made = kept + labelled;
  const name = cut(inWords(criterion), 100);
  const unsaved = labelled === 0 ? "" : `, ${labelled} of them not saved yet`;
  return {
    text:
      made < LEAST
        ? `“${name}” has ${made} of the ${LEAST} labels that it needs${unsaved}.`
        : `“${name}” has ${made} labels${unsaved}: enough to tell how far it agrees with people.`,
    tone: made < LEAST ? "warn" : "plain",
    tier: "human",
    how: HOW,
  };
}

/** The trials that sets hold labels of already, by criterion. */
async function labelledFor({ ctx }: Visit, criteria: readonly string[]): Promise<ReadonlyMap<string, Set<string>>> {
  const known = new Map<string, Set<string>>(criteria.map((criterion) => [criterion, new Set()]));
  for await (const { criterion, items, retired } of everyRow((page) =>
    ctx.store.records.list(CalibrationSet, { ...page, where: { criterion: criteria } }),
  ))
    for (const { id } of retired === undefined ? items : []) known.get(criterion)?.add(id);
  return known;
}

/** The trials of one sitting: as many of each verdict, in an order that says nothing of it; none that a set holds already. */
function sitting(all: readonly Item[], criterion: string, known: ReadonlySet<string>): Item[] {
  const mixed = all
    .filter((item) => item.criterion === criterion && !known.has(item.ref))
    .map((item) => ({ item, place: digestOf(item.ref) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const left = { met: OF_EACH, not_met: OF_EACH };
  return mixed.flatMap(({ item }) => (left[item.verdict]-- > 0 ? [item] : []));
}

async function keep(visit: Visit, said: readonly string[]): Promise<View> {
  const criterion = needed(visit, "check");
  const items = said.flatMap((each) => {
    const [, ref = "", human = "", note = ""] = /^(\S+) (\S+) ?(.*)$/.exec(each) ?? [];
    if (human === "skip") return [];
    const [run = "", task = "", n = "", check = ""] = ref.split("/");
    if (!/^[1-9]\d{0,5}$/.test(n) || !/^\d{1,4}$/.test(check)) throw badField("said", "names no trial");
    const trial = { run, task, n: Number(n), check: Number(check) };
    return [{ id: ref, human, trial, ...(note === "" ? {} : { note }) }];
  });
  if (items.length === 0) throw badField("said", "label at least one trial before you save");
  const { id } = await visit.call<{ id: string }>("calibration_post", {
    name: `${criterion.replaceAll("_", " ")}, labelled by ${visit.member.name}`,
    criterion,
    human: visit.member.name,
    items,
  });
  return { to: `${CONSOLE}/calibrations/${encodeURIComponent(id)}` };
}

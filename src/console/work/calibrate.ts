import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import type { PageSection } from "../../../chapters/findings/pages/page-doc.ts";
import { findTrial } from "../../../chapters/findings/pages/trial.ts";
import { counted, cut, minuteOf, percent } from "../../../chapters/findings/pages/words.ts";
import { trialSteps } from "../../../chapters/findings/viewer/steps.ts";
import { everyRow } from "../../../chapters/page.ts";
import { CalibrationSet } from "../../../chapters/records/findings/findings.ts";
import type { TrialRow } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { groupData } from "../../../chapters/runs/groups/group-data.ts";
import { trialTree } from "../../../chapters/runs/trials/trace-run.ts";
import { describeCheck } from "../../../chapters/sandboxes/tasks/checks.ts";
import type { Tier } from "../../../chapters/tier.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { table } from "../../pages/html.ts";
import { block, choice, getForm, hidden, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PLACE = "/calibrate";
const SETS = "/calibrations";
/** Trials of each verdict that one sitting asks about: a person reads the two of them in a quarter of an hour. */
const OF_EACH = 10;

/** A check that decided a trial; `ref` is `<run>/<task>/<try>/<place of the check, from 0>`. */
interface Item {
  readonly ref: string;
  readonly row: TrialRow;
  readonly check: number;
  /** What its set is of: the criterion of a judged check, the kind of any other. */
  readonly criterion: string;
  readonly verdict: "met" | "not_met";
}

interface SetRow {
  readonly id: string;
  readonly name: string;
  readonly criterion: string;
  readonly human: string;
  readonly n: number;
  readonly agreement: { readonly agreed: number; readonly n: number; readonly low: number; readonly high: number };
  readonly kappa: { readonly kappa: number | null; readonly reason: string | null };
  readonly disagreements: { readonly judge_lenient: number; readonly judge_strict: number };
  readonly created_at: number;
}
interface SetView extends SetRow {
  readonly tier: Tier;
  readonly items: readonly {
    readonly id: string;
    readonly judge: string;
    readonly human: string;
    readonly note?: string;
    readonly trial?: { readonly run: string; readonly task: string; readonly n: number };
  }[];
}

/** Trials one after another, each with the question of one check, whose verdict is not shown; and what came of it. */
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
  shows(SETS, sets),
  shows(`${SETS}/:cid`, set),
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
  const doc = { v: 1 as const, title: "Label trials for a check", made_at: visit.ctx.now(), sections: [] };
  if (criteria.length === 0) return { doc, lead: html`<p>No check decided anything here.</p>` };
  if (!criteria.includes(criterion)) {
    const options = criteria.map((value) => ({ value, text: cut(value.replaceAll("_", " "), 100) }));
    return { doc, lead: getForm(PLACE, "Label", [hidden("group", gid), choice("check", "Check", options)]) };
  }
  const items = await sitting(visit, all, criterion);
  const done = new Set(said.map((each) => each.split(" ", 1)[0]));
  const item = items.find(({ ref }) => !done.has(ref));
  const labelled = said.filter((each) => / (met|not_met) /.test(`${each} `)).length;
  const carried = [hidden("group", gid), hidden("check", criterion), hidden("said", said.join("\n"))];
  const button = (key: string, verdict: string, text: string) =>
    html`<button type="submit" name="verdict" value=${verdict} data-key=${key} class="plain">${text}</button>${" "}`;
  const save = labelled > 0 && button("e", "save", `Save ${labelled} ${labelled === 1 ? "label" : "labels"}`);
  const form = (children: ComponentChild[]) =>
    html`<form method="post" action=${CONSOLE + PLACE}>${hidden("token", visit.token)}${carried}${children}</form>`;
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
      <p class="soft">Trial ${done.size + 1} of ${items.length}; what the check decided is not shown. Keys: m met, n not met, s skip, e save.</p>
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

/** The trials of one sitting: as many of each verdict, in an order that says nothing of it; none that a set holds already. */
async function sitting({ ctx }: Visit, all: readonly Item[], criterion: string): Promise<Item[]> {
  const known = new Set<string>();
  for await (const { items } of everyRow((page) =>
    ctx.store.records.list(CalibrationSet, { ...page, where: { criterion } }),
  ))
    for (const { id } of items) known.add(id);
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
  const { id } = await visit.call<SetRow>("calibration_post", {
    name: `${criterion.replaceAll("_", " ")}, labelled by ${visit.member.name}`,
    criterion,
    human: visit.member.name,
    items,
  });
  return { to: `${CONSOLE}${SETS}/${encodeURIComponent(id)}` };
}

const agreed = ({ agreement }: SetRow) =>
  `${agreement.agreed} of ${agreement.n} (${percent(agreement.low)} to ${percent(agreement.high)})`;

async function sets(visit: Visit): Promise<View> {
  const { sets: rows } = await visit.call<{ sets: readonly SetRow[] }>("calibration_list");
  return {
    doc: { v: 1, title: "Labelled trials", made_at: visit.ctx.now(), sections: [] },
    lead:
      rows.length === 0
        ? html`<p>Nobody has labelled a trial yet. Open a run under <a href="${CONSOLE}/groups">Runs</a> and choose a check to label.</p>`
        : [
            html`<p>To label more, open a run under <a href="${CONSOLE}/groups">Runs</a> and choose a check.</p>`,
            table(
              "How often a check and a person said the same of a trial, with the interval at 95 %, and what each met alone; the newest first.",
              [
                { name: "Set", wide: true },
                { name: "Check" },
                { name: "Labelled by" },
                { name: "The same" },
                { name: "Kappa", n: true },
                { name: "Check alone met", n: true },
                { name: "Person alone met", n: true },
                { name: "Made (UTC)" },
              ],
              rows.map((row) => [
                html`<a href="${CONSOLE}${SETS}/${encodeURIComponent(row.id)}">${cut(row.name, 100)}</a>`,
                cut(row.criterion.replaceAll("_", " "), 100),
                row.human,
                agreed(row),
                row.kappa.kappa?.toFixed(2) ?? "no value",
                row.disagreements.judge_lenient,
                row.disagreements.judge_strict,
                minuteOf(row.created_at),
              ]),
            ),
          ],
  };
}

async function set(visit: Visit): Promise<View> {
  const found = await visit.call<SetView>("calibration_get", { cid: visit.param("cid") });
  const { items } = found;
  const { apart = [], alike = [] } = Object.groupBy(items, ({ judge, human }) => (judge === human ? "alike" : "apart"));
  const tasks = await visit.ctx.store.records.getMany(TaskRecord, [
    ...new Set(items.flatMap(({ trial }) => trial?.task ?? [])),
  ]);
  const requests = new Map(tasks.map(({ id, task }) => [id, task.request]));
  const check = found.criterion.replaceAll("_", " ");
  return {
    doc: {
      v: 1,
      title: cut(found.name, 100),
      made_at: visit.ctx.now(),
      verdict: {
        text: `The check and ${cut(found.human, 60)} said the same of ${agreed(found)}.`,
        tone: "plain",
        tier: found.tier,
        how: `What the check “${cut(check, 200)}” decided of ${counted(items.length, "trial")}, beside what a person said who did not see it; the interval is at 95\u00a0%.`,
      },
      sections: [matrix(found), ratesOfSet(found)],
    },
    forms: [
      apart.length > 0 && block("Where they differ", itemTable(apart, requests)),
      alike.length > 0 && block("Where they say the same", itemTable(alike, requests)),
      html`<p class="ways"><a href=${CONSOLE + SETS}>All labelled trials</a></p>`,
    ],
  };
}

const VERDICTS = ["met", "not_met"];
const said = (items: SetView["items"], judge: string, human: string) =>
  items.filter((item) => item.judge === judge && item.human === human).length;

/** What the check decided against what the person said, as counts. */
function matrix({ items, human, tier }: SetView): PageSection {
  const named = (who: string) => VERDICTS.map((verdict) => `${who}: ${verdict.replace("_", " ")}`);
  return {
    show: "heat",
    heading: "Check against person",
    caption:
      "Trials by what each of the two said: the same from the upper left to the lower right, apart in the other two.",
    tier,
    rows: named("check"),
    columns: named(cut(human, 20)),
    cells: VERDICTS.flatMap((judge, row) =>
      VERDICTS.map((person, column) => ({ row, column, n: said(items, judge, person) })),
    ),
  };
}

/** How far each verdict of the check can be trusted, and agreement beyond chance. */
function ratesOfSet({ items, kappa, tier }: SetView): PageSection {
  const trusted = (verdict: string) => {
    const all = items.filter(({ judge }) => judge === verdict).length;
    return all === 0 ? "never said" : `${said(items, verdict, verdict)} of ${all}`;
  };
  return {
    show: "facts",
    facts: [
      { name: "Where it said met, so did the person", value: trusted("met"), tier },
      { name: "Where it said not met, so did the person", value: trusted("not_met"), tier },
      {
        name: "Beyond chance (Cohen's kappa)",
        value: kappa.kappa?.toFixed(2) ?? "no value",
        how: kappa.reason ?? "1 is always the same, 0 no more than chance",
      },
    ],
  };
}

function itemTable(items: SetView["items"], requests: ReadonlyMap<string, string>): ComponentChild {
  return table(
    `${counted(items.length, "trial")}; each opens with every step.`,
    [
      { name: "Trial", wide: true },
      { name: "Try", n: true },
      { name: "Check" },
      { name: "Person" },
      { name: "Note", wide: true },
    ],
    items.map(({ id, judge, human, note = "", trial }) => [
      trial === undefined
        ? cut(id, 60)
        : html`<a href=${pathOf({ page: "trial", id: `${trial.run}/${trial.task}/${trial.n}` })}>${cut(requests.get(trial.task) ?? trial.task, 160)}</a>`,
      trial?.n ?? "",
      judge.replace("_", " "),
      human.replace("_", " "),
      cut(note, 300),
    ]),
  );
}

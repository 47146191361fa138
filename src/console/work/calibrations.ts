import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import { agreementOf, type CalibrationDoc, kappaOf, tierOfSet } from "../../../chapters/findings/judging/agreement.ts";
import type { PageDoc, PageSection } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf, percent } from "../../../chapters/findings/pages/words.ts";
import { CalibrationSet } from "../../../chapters/records/findings/findings.ts";
import { Run } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { type Tier, weakestTier } from "../../../chapters/tier.ts";
import { table } from "../../pages/html.ts";
import { block, folded, formRow, getForm, hidden } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { csvFile, csvLink } from "../lists/csv.ts";
import { oneOf } from "../lists/query.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { LEAST } from "./calibrate.ts";

const SETS = "/calibrations";

type Items = CalibrationDoc["items"];
interface SetView {
  readonly id: string;
  readonly name: string;
  readonly criterion: string;
  readonly human: string;
  readonly tier: Tier;
  readonly items: Items;
}

/** What came of labelling trials: how far each check and a person said the same. */
export const calibrationPages: readonly ConsoleRoute[] = [
  shows(SETS, sets),
  csvFile(
    `${SETS}/:cid`,
    "labels-of-a-check",
    ["check", "run", "task", "number", "try", "request", "check_said", "person_said", "person", "note"],
    async (visit) => {
      const found = await visit.call<SetView>("calibration_get", { cid: visit.param("cid") });
      const tasks = await tasksOf(visit, found.items);
      const rows = asked(visit, found.items).map(({ judge, human, note, trial }) => {
        const { index, task } = tasks.get(trial?.task ?? "") ?? {};
        return [
          ...[found.criterion, trial?.run, trial?.task, index, trial?.n, task?.request],
          ...[judge, human, found.human, note],
        ];
      });
      return { rows, next: undefined };
    },
  ),
  shows(`${SETS}/:cid`, set),
];

function agreed(items: Items): string {
  const { agreed, n, low, high } = agreementOf(items);
  return `${agreed} of ${n} (${percent(low)} to ${percent(high)})`;
}

/** Of how many trials of one set both said the same. */
function sameOf(items: Items): string {
  const { agreed, n, share } = agreementOf(items);
  return `${agreed} of ${counted(n, "trial")} (${percent(share)})`;
}

function kappaText(items: Items): string {
  return items.length < LEAST ? `label ${LEAST - items.length} more` : (kappaOf(items).kappa?.toFixed(2) ?? "no value");
}

/** Kappa's bands in words, as Landis and Koch (1977) name them. */
const KAPPA_WORDS = [
  [0.8, "almost perfect"],
  [0.6, "substantial"],
  [0.4, "moderate"],
  [0.2, "fair"],
  [0, "slight"],
] as const;

/** How much of the agreement is beyond chance, in a word; undefined where kappa has no value. */
function kappaWord(kappa: number | null): string | undefined {
  if (kappa === null) return undefined;
  return KAPPA_WORDS.find(([from]) => kappa > from)?.[1] ?? "none beyond chance";
}

/** F1 of the check's verdict, the person's taken for right: the harmonic mean of precision and recall; undefined where neither said it. */
function f1Of(items: Items, verdict: string): number | undefined {
  const both = withVerdicts(items, verdict, verdict).length;
  const either = items.filter(({ judge, human }) => judge === verdict || human === verdict).length;
  return either === 0 ? undefined : (2 * both) / (both + either);
}

/** The tasks of a set's trials by id. */
async function tasksOf({ ctx }: Visit, items: Items) {
  const ids = new Set(items.flatMap(({ trial }) => trial?.task ?? []));
  return new Map((await ctx.store.records.getMany(TaskRecord, [...ids])).map((task) => [task.id, task]));
}

/** The trials that an address narrows a set to: those of one verdict each, else all. */
function asked(visit: Visit, items: Items): Items {
  const [judge, human] = [oneOf(visit, "judge", VERDICTS), oneOf(visit, "human", VERDICTS)];
  return judge === undefined || human === undefined ? items : withVerdicts(items, judge, human);
}

/** Where more trials of the same run are labelled for a check; null where a set holds none of a run here. */
async function labelMore({ ctx }: Visit, { criterion, items }: Pick<SetView, "criterion" | "items">, plain = true) {
  const from = items.find(({ trial }) => trial !== undefined)?.trial?.run;
  const run = from === undefined ? undefined : await ctx.store.records.get(Run, from);
  if (run === undefined) return null;
  const name = `Label trials for ${criterion.replaceAll("_", " ")}`;
  return getForm("/calibrate", "Label", [hidden("group", run.group), hidden("check", criterion)], { name, plain });
}

/** Every check that a person labelled trials for: its sets together, since each sitting keeps one of its own. */
async function sets(visit: Visit): Promise<View> {
  const listed = await visit.call<{ sets: readonly { readonly id: string }[] }>("calibration_list");
  const docs = await visit.ctx.store.records.getMany(
    CalibrationSet,
    listed.sets.map(({ id }) => id),
  );
  const checks = byCheck(docs);
  const rows = await Promise.all(checks.map((of) => checkRow(visit, of)));
  const tier = weakestTier(checks.flat().map(tierOfSet)) ?? "human";
  const counts = checks.map((of) => ({
    name: checkName(of),
    labels: together(of).length,
  }));
  return {
    doc: {
      v: 1,
      title: "Checks against people",
      made_at: visit.ctx.now(),
      ...(rows.length === 0 ? {} : { verdict: enough(counts, tier) }),
      sections: [],
    },
    lead: [
      html`<p>What a check decided of trials, beside what a person said who did not see it. Another check is labelled from the page of a run, under <a href="${CONSOLE}/groups">Runs</a>.</p>`,
      rows.length === 0
        ? html`<p>Nobody has labelled a trial yet.</p>`
        : table(
            "Of how many trials both said the same, with the interval at 95 %, and Cohen's kappa, the agreement beyond chance.",
            [
              { name: "Check" },
              { name: "The same" },
              { name: "Kappa", n: true },
              { name: "Label" },
              { name: "Labelled by" },
              { name: "Each set (UTC), the same" },
            ],
            rows,
          ),
    ],
  };
}

type Sets = readonly [CalibrationDoc, ...CalibrationDoc[]];

/** The sets that are not retired of each check and person, newest first. */
function byCheck(docs: readonly CalibrationDoc[]): readonly Sets[] {
  const newest = docs.filter(({ retired }) => retired === undefined).sort((a, b) => b.created_at - a.created_at);
  const checks = Map.groupBy(newest, ({ criterion, human, judge, illustrative }) =>
    JSON.stringify([criterion, human, judge.model, illustrative]),
  );
  return [...checks.values()] as [CalibrationDoc, ...CalibrationDoc[]][];
}

/** How many checks a person began to label, of the newest 100 sets, and not often enough. */
export async function checksShort({ store }: Ctx): Promise<number> {
  const { items } = await store.records.list(CalibrationSet, { limit: 100 });
  return byCheck(items).filter((of) => together(of).length < LEAST).length;
}

const checkName = ([{ criterion }]: Sets) => cut(criterion.replaceAll("_", " "), 100);
/** The trials of a check's sets, each once. */
const together = (of: readonly CalibrationDoc[]): CalibrationDoc["items"] => [
  ...new Map(of.flatMap(({ items }) => items).map((item) => [item.id, item])).values(),
];

/** How many checks have labels enough, and what the others lack. */
function enough(counts: readonly { readonly name: string; readonly labels: number }[], tier: Tier): PageDoc["verdict"] {
  const short = counts.filter(({ labels }) => labels < LEAST);
  const full = counts.length - short.length;
  const lack = short.slice(0, 3).map(({ name, labels }) => `${name} needs ${LEAST - labels} more`);
  const others = short.length > lack.length ? `, and ${short.length - lack.length} more checks need some` : "";
  return {
    text: `${full} of ${counted(counts.length, "check")} ${full === 1 ? "has" : "have"} enough labels${lack.length === 0 ? "" : `; ${lack.join(", ")}${others}`}.`,
    tone: short.length === 0 ? "plain" : "warn",
    tier,
    how: `A check needs ${LEAST} labelled trials before its agreement beyond chance is told.`,
  };
}

async function checkRow(visit: Visit, of: Sets): Promise<ComponentChild[]> {
  const [{ criterion, human, illustrative }] = of;
  const items = together(of);
  const place = ({ id }: CalibrationDoc) => `${CONSOLE}${SETS}/${encodeURIComponent(id)}`;
  const link = (each: CalibrationDoc) => html`<a href=${place(each)}>${minuteOf(each.created_at)}</a>`;
  return [
    html`<a href=${place(of[0])}>${checkName(of)}</a>${illustrative && " (an illustration)"}`,
    agreed(items),
    items.length < LEAST ? `${LEAST - items.length} more` : kappaText(items),
    await labelMore(visit, { criterion, items }, items.length >= LEAST),
    cut(human, 40),
    html`<ul class="plain">${of.map((each) => html`<li class="t">${link(each)}: ${sameOf(each.items)}</li>`)}</ul>`,
  ];
}

async function set(visit: Visit): Promise<View> {
  const found = await visit.call<SetView>("calibration_get", { cid: visit.param("cid") });
  const { items } = found;
  const { apart = [], alike = [] } = Object.groupBy(items, ({ judge, human }) => (judge === human ? "alike" : "apart"));
  const requests = new Map([...(await tasksOf(visit, items))].map(([id, { task }]) => [id, task.request]));
  const check = found.criterion.replaceAll("_", " ");
  const [judge, human] = [oneOf(visit, "judge", VERDICTS), oneOf(visit, "human", VERDICTS)];
  const narrowed = judge !== undefined && human !== undefined;
  const file = html`<p>${csvLink(`${SETS}/${encodeURIComponent(found.id)}`, visit, false)}</p>`;
  return {
    doc: {
      v: 1,
      title: `Check “${cut(check, 100)}” against ${cut(found.human, 60)}`,
      made_at: visit.ctx.now(),
      verdict: {
        text: `The check and ${cut(found.human, 60)} said the same of ${agreed(items)}.`,
        tone: "plain",
        tier: found.tier,
        how: `What the check “${cut(check, 200)}” decided of ${counted(items.length, "trial")}, beside what a person said who did not see it; the interval is at 95\u00a0%.`,
      },
      sections: [matrix(found), ratesOfSet(found)],
    },
    lead: formRow(await labelMore(visit, found), html`<a href=${CONSOLE + SETS}>All checks with labels</a>`),
    forms: narrowed
      ? block(
          `Check: ${inWords(judge)}, person: ${inWords(human)}`,
          itemTable(asked(visit, items), requests),
          file,
          html`<p><a href=${pathOf({ page: "calibration", id: found.id })}>All trials of this set</a></p>`,
        )
      : [
          apart.length > 0 && block("Where they differ", itemTable(apart, requests)),
          alike.length > 0 &&
            folded(`Where they say the same: ${counted(alike.length, "trial")}`, itemTable(alike, requests)),
          file,
        ],
  };
}

const VERDICTS = ["met", "not_met"] as const;
const inWords = (verdict: string) => verdict.replace("_", " ");
const withVerdicts = (items: Items, judge: string, human: string) =>
  items.filter((item) => item.judge === judge && item.human === human);

/** What the check decided against what the person said, as counts. */
function matrix({ id, items, human, tier }: SetView): PageSection {
  const named = (who: string) => VERDICTS.map((verdict) => `${who}: ${inWords(verdict)}`);
  return {
    show: "heat",
    heading: "Check against person",
    caption:
      "Trials by what each of the two said: the same from the upper left to the lower right, apart in the other two.",
    tier,
    rows: named("check"),
    columns: named(cut(human, 20)),
    cells: VERDICTS.flatMap((judge, row) =>
      VERDICTS.map((person, column) => {
        const n = withVerdicts(items, judge, person).length;
        const against = new URLSearchParams({ judge, human: person }).toString();
        return { row, column, n, ...(n === 0 ? {} : { link: { page: "calibration" as const, id, against } }) };
      }),
    ),
  };
}

/** How far each verdict of the check can be trusted, and agreement beyond chance. */
function ratesOfSet({ items, tier }: SetView): PageSection {
  const trusted = (verdict: string) => {
    const all = items.filter(({ judge }) => judge === verdict).length;
    return all === 0 ? "never said" : `${withVerdicts(items, verdict, verdict).length} of ${all}`;
  };
  const f1 = (verdict: string) => f1Of(items, verdict)?.toFixed(2) ?? "never said";
  const { kappa, reason } = kappaOf(items);
  const word = items.length < LEAST ? undefined : kappaWord(kappa);
  return {
    show: "facts",
    facts: [
      { name: "Where it said met, so did the person", value: trusted("met"), tier },
      { name: "Where it said not met, so did the person", value: trusted("not_met"), tier },
      { name: "F1 of met", value: f1("met"), how: "1 is every one found and none too many, 0 none found", tier },
      { name: "F1 of not met", value: f1("not_met"), how: "the same of what it failed", tier },
      {
        name: "Beyond chance (Cohen's kappa)",
        value: word === undefined ? kappaText(items) : `${kappaText(items)}, ${word}`,
        how:
          items.length < LEAST
            ? `it is told from ${LEAST} trials on`
            : (reason ?? "1 is always the same, 0 no more than chance; words of Landis and Koch"),
      },
    ],
  };
}

function itemTable(items: Items, requests: ReadonlyMap<string, string>): ComponentChild {
  return table(
    `${counted(items.length, "trial")}; each opens with every step.`,
    [
      { name: "Trial", wide: true },
      { name: "Check" },
      { name: "Person" },
      { name: "Note", wide: true },
      { name: "Try", n: true },
    ],
    items.map(({ id, judge, human, note = "", trial }) => [
      trial === undefined
        ? cut(id, 60)
        : html`<a href=${pathOf({ page: "trial", id: `${trial.run}/${trial.task}/${trial.n}` })}>${cut(requests.get(trial.task) ?? trial.task, 160)}</a>`,
      html`<span class="t">${inWords(judge)}</span>`,
      html`<span class="t">${inWords(human)}</span>`,
      cut(note, 300),
      trial?.n ?? "",
    ]),
  );
}

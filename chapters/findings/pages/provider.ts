import type { Ctx } from "../../context.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import type { Comparison } from "../../runs/compare/compare-types.ts";
import { getComparison } from "../../runs/compare/providers.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { confidenceClause } from "../../statistics/bands.ts";
import { type Tier, weakestTier } from "../../tier.ts";
import { invented } from "../modes/invented.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageSection } from "./page-doc.ts";
import { asTheyAre, counted, cut, dollars, metOf, percent, points, seconds, type Wording } from "./words.ts";

type ProviderComparison = Awaited<ReturnType<typeof getComparison>>;
type PinRow = ProviderComparison["pins"][number];
type TaskRow = ProviderComparison["tasks"][number];

/** Which tasks are told: all, those that models did not meet alike, or those that some model failed. */
export const MODEL_TASKS = ["differ", "failed"] as const;
export type ModelTasks = (typeof MODEL_TASKS)[number];

/**
 * Models side by side on the same tasks, as a page: who met most, whether that is shown, and what it cost. The others are
 * held against the pin that is named, else against the one that met most. Not found: 404.
 */
export async function providerPage(
  ctx: Ctx,
  id: string,
  wording: Wording = asTheyAre,
  { only, base }: { readonly only?: ModelTasks | undefined; readonly base?: string | undefined } = {},
): Promise<PageDoc> {
  const told = await getComparison(ctx, { pcid: id, base });
  const groups = await Promise.all(told.pins.map(async ({ group }) => groupData(ctx, group)));
  const best = bestOf(told.pins);
  const bands = await confidenceBands(ctx);
  const heldAgainst = (pin: PinRow | undefined) => {
    const held = pin && groups[told.pins.indexOf(pin)];
    return groups.map((data) => (held === undefined || data === held ? undefined : compareGroups(data, held, bands)));
  };
  const against = heldAgainst(best);
  const named = base === undefined ? undefined : told.pins.find(({ pin }) => pin === told.base && pin === base);
  const tier = weakestTier(groups.map(({ group }) => group.tier)) ?? told.tier;
  return {
    v: 1,
    title: `Models compared on ${told.label}`,
    made_at: ctx.now(),
    verdict: { ...verdictOf(told, best, against), tier },
    ...((await invented(ctx, groups)) ? { invented: true } : {}),
    sections:
      told.pins.length === 0
        ? [{ show: "text", paragraphs: ["No model was started."] }]
        : [
            rates(told, tier),
            pinTable(told, { best, named }, named ? heldAgainst(named) : against, tier),
            taskTable(told, groups, tier, wording, only),
          ],
  };
}

function rateOf({ met, valid }: PinRow): number | undefined {
  return valid === 0 ? undefined : met / valid;
}

/** The pin that met the largest share, the cheaper one on a tie. */
function bestOf(pins: readonly PinRow[]): PinRow | undefined {
  return pins
    .filter((pin) => pin.valid > 0)
    .sort((x, y) => (rateOf(y) ?? 0) - (rateOf(x) ?? 0) || x.cost_usd - y.cost_usd)[0];
}

function verdictOf(
  { pins, tasks }: ProviderComparison,
  best: PinRow | undefined,
  against: readonly (Comparison | undefined)[],
): { text: string; tone: "plain" | "good"; how: string } {
  if (best === undefined)
    return { text: "No model has a valid trial yet.", tone: "plain", how: `${counted(pins.length, "model")}.` };
  if (best.met === 0)
    return { text: "No model met a task.", tone: "plain", how: `Over ${counted(tasks.length, "task")}.` };
  if (pins.length > 1 && pins.every((pin) => rateOf(pin) === rateOf(best)))
    return {
      text: `All ${pins.length} models met the same share: ${percent(best.met / best.valid)} (${pins.map(({ met, valid }) => `${met} of ${valid}`).join(", ")}).`,
      tone: "plain",
      how: `Over ${counted(tasks.length, "task")}.`,
    };
  const compared = against.flatMap((each) => each ?? []);
  const shown = compared.filter((each) => each.words === "shown" && each.worse === "a").length;
  return {
    text: `${best.label} met most: ${best.met} of ${best.valid} (${percent(best.met / best.valid)}); shown to be better than ${shown} of the ${counted(compared.length, "other")}.`,
    tone: compared.length > 0 && shown === compared.length ? "good" : "plain",
    how: `Each other model is compared with it by an exact paired permutation test over ${counted(tasks.length, "task")}; the best of several is flattered by chance.`,
  };
}

function rates({ pins }: ProviderComparison, tier: Tier): PageSection {
  return {
    show: "rates",
    heading: "Rates",
    caption: "Met of valid trials per model, with the 95 % interval over tasks.",
    tier,
    rows: pins.map((pin) => {
      const rate = rateOf(pin);
      return {
        name: `${cut(pin.label, 60)} (n ${pin.valid})`,
        ...(rate === undefined ? {} : { rate }),
        low: pin.interval.low,
        high: pin.interval.high,
        n: pin.valid,
      };
    }),
  };
}

function pinTable(
  { pins }: ProviderComparison,
  { best, named }: { readonly best: PinRow | undefined; readonly named: PinRow | undefined },
  against: readonly (Comparison | undefined)[],
  tier: Tier,
): PageSection {
  const base = named ?? best;
  const whom = named === undefined ? "the best" : cut(named.label, 60);
  return {
    show: "table",
    heading: "Models",
    caption: `Per model: trials, cost as it was written down, time a trial took, and how it stands against ${whom}, which opens their comparison.`,
    tier,
    columns: [
      { name: "Model" },
      { name: "Met", kind: "number" },
      { name: `Against ${whom}`, kind: "wide" },
      { name: "Status" },
      { name: "Infra", kind: "number" },
      { name: "Invalid", kind: "number" },
      { name: "Cost", kind: "number" },
      { name: "Cost a met trial", kind: "number" },
      { name: "Median time", kind: "number" },
      { name: "95 % took", kind: "number" },
    ],
    rows: pins.map((pin, i): Cell[] => [
      { text: cut(pin.label, 60), link: { page: "group", id: pin.group } },
      { ...metOf(pin), link: { page: "trials", id: pin.group } },
      pin === base || base === undefined
        ? named !== undefined
          ? "the others are held against it"
          : (best?.met ?? 0) > 0
            ? "met most"
            : ""
        : { text: stands(against[i]), link: { page: "compare", id: base.group, against: pin.group } },
      pin.status,
      ended(pin, "infra"),
      ended(pin, "invalid"),
      dollars(pin.cost_usd),
      pin.cost_per_met_usd === undefined ? "none met" : dollars(pin.cost_per_met_usd),
      pin.ms_p50 === undefined ? "not measured" : seconds(pin.ms_p50),
      pin.ms_p95 === undefined ? "not measured" : seconds(pin.ms_p95),
    ]),
  };
}

/** How many trials of a model ended so that they do not count, which opens them. */
function ended({ ends, group }: PinRow, end: "infra" | "invalid"): Cell {
  return ends[end] === 0 ? "" : { text: String(ends[end]), link: { page: "trials", id: group, against: `end=${end}` } };
}

/** One model's difference from the best, with how sure it is. */
function stands(comparison: Comparison | undefined): string {
  if (comparison === undefined || comparison.tasks.length === 0) return "not compared";
  const { difference, words, confidence, tasks, cannot_tell: untold } = comparison;
  if (untold !== undefined) return `cannot tell: ${untold.reason}`;
  const sure = [confidenceClause(confidence), `n = ${counted(tasks.length, "task")}`].filter(Boolean).join(", ");
  return `${points(-difference)} points, ${words} (${sure})`;
}

function taskTable(
  { pins, tasks, environment }: ProviderComparison,
  groups: readonly GroupData[],
  tier: Tier,
  wording: Wording,
  only: ModelTasks | undefined,
): PageSection {
  const requests = requestsOf(groups);
  const trials = groups.map(({ runs }) =>
    Map.groupBy(
      runs.flatMap((run) => run.trials),
      ({ task }) => task,
    ),
  );
  const told = shownTasks(tasks, only);
  return {
    show: "table",
    heading: "Tasks",
    caption: `${only === undefined ? "Every task" : only === "differ" ? "Tasks that the models did not meet alike" : "Tasks that some model failed"}: met of valid trials per model, the largest difference first. A request opens every run of its task; a count opens its first trial that failed, else its first.`,
    tier,
    columns: [
      { name: "No.", kind: "number" },
      { name: "Request", kind: "wide" },
      ...pins.map(({ label }) => ({ name: cut(label, 60), kind: "number" as const })),
      { name: "Family" },
    ],
    ...listed(told, ({ task, index, family, cells }) => [
      index,
      {
        text: cut(wording(requests.get(task) ?? ""), 240) || "no request",
        link: { page: "task", id: `${environment}/${task}` },
      },
      ...pins.map(({ pin }, i): Cell => {
        const tries = (trials[i]?.get(task) ?? []).toSorted((x, y) => x.n - y.n);
        const opened = tries.find(({ end }) => end === "failed") ?? tries[0];
        const link = opened && { page: "trial" as const, id: `${opened.run}/${task}/${opened.n}` };
        return { ...metOf(cells.find((each) => each.pin === pin) ?? { met: 0, valid: 0 }), ...(link && { link }) };
      }),
      family,
    ]),
  };
}

/** The tasks that are asked for, the largest difference first. */
function shownTasks(tasks: readonly TaskRow[], only: ModelTasks | undefined): readonly TaskRow[] {
  return tasks
    .filter((task) => only === undefined || (only === "differ" ? spread(task) > 0 : someFailed(task)))
    .sort((x, y) => spread(y) - spread(x) || x.index - y.index);
}

function requestsOf(groups: readonly GroupData[]): ReadonlyMap<string, string> {
  const tasks = groups.flatMap(({ runs }) => runs).flatMap(({ run }) => run.tasks);
  return new Map(tasks.map(({ id, request }) => [id, request]));
}

/** The tasks of a comparison that are asked for with their requests, and what each model met of them. Not found: 404. */
export async function modelTasks(ctx: Ctx, id: string, only: ModelTasks | undefined) {
  const told = await getComparison(ctx, { pcid: id });
  const requests = requestsOf(await Promise.all(told.pins.map(({ group }) => groupData(ctx, group))));
  const tasks = shownTasks(told.tasks, only).map((task) => ({ ...task, request: requests.get(task.task) ?? "" }));
  return { environment: told.environment, pins: told.pins, tasks };
}

/** How far the model that met a task most is from the one that met it least, 0 to 1. */
function spread({ cells }: TaskRow): number {
  const rates = cells.filter(({ valid }) => valid > 0).map(({ met, valid }) => met / valid);
  return rates.length === 0 ? 0 : Math.max(...rates) - Math.min(...rates);
}

function someFailed({ cells }: TaskRow): boolean {
  return cells.some(({ met, valid }) => met < valid);
}

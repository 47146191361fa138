import type { z } from "zod";
import type { Ctx } from "../../context.ts";
import { BundleRecord, type TaskStatus } from "../../records/sandboxes/sandboxes.ts";
import { environmentRealism } from "../../sandboxes/authoring/realism.ts";
import { type EnvironmentDoc, findEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { findSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { whyFewCount } from "../../sandboxes/tasks/few-tasks.ts";
import { REVIEW_CHECKS, verdictCounts } from "../../sandboxes/tasks/suite.ts";
import { environmentTasks, statusCounts, type TaskDoc, verifierHealth } from "../../sandboxes/tasks/task-records.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageSection, Tone } from "./page-doc.ts";
import { asTheyAre, counted, cut, percent, type Wording } from "./words.ts";

/** Reasons that are told at most. */
const REASONS = 20;

const TONE: Readonly<Record<z.infer<typeof TaskStatus>, Tone>> = {
  certified: "good",
  draft: "plain",
  held: "warn",
  refused: "bad",
  retired: "plain",
};

/** Which tasks the table tells; all of them where nothing is said. */
export interface PacketTasks {
  readonly status?: z.infer<typeof TaskStatus> | undefined;
  readonly family?: string | undefined;
  /** Words that all occur in the request or the reason, in any letter case. */
  readonly q?: string | undefined;
  /** The first task that is shown, from 0 of those that fit, and how many are shown at most; after the first the page is of them alone. */
  readonly from?: number | undefined;
  readonly most?: number | undefined;
  /** How the newest run that played a task did on it, by task; nothing is told of it where none is given. */
  readonly newest?: ReadonlyMap<string, Cell> | undefined;
}

/** The tasks that are not certified, in words: "; 17 held, 1 refused". */
function notCertified(counts: ReturnType<typeof statusCounts>): string {
  const said = (["held", "refused", "draft"] as const).filter((status) => counts[status] > 0);
  return said.length === 0 ? "" : `; ${said.map((status) => `${counts[status]} ${status}`).join(", ")}`;
}

/** A sandbox as a person judges it: what was drawn, how its tasks were proven, and every task. Not found: 404. */
export async function packetPage(
  ctx: Ctx,
  environment: string,
  told: Wording = asTheyAre,
  only: PacketTasks = {},
): Promise<PageDoc> {
  const found = await findEnvironment(ctx, environment);
  const [tasks, surface, bundle, { realism }] = await Promise.all([
    environmentTasks(ctx, found.id),
    findSurface(ctx, found.surface),
    ctx.store.records.get(BundleRecord, found.bundle),
    environmentRealism(ctx, { env_id: found.id }),
  ]);
  const counts = statusCounts(tasks);
  const standing = tasks.length - counts.retired;
  // Of those that it names alone: others that were tried stand in the table.
  const health = verifierHealth(tasks.filter(({ status }) => status === "certified"));
  // What is narrowed or turned over is a list: the rest of the page is told once, on its first page.
  const whole = only.status === undefined && only.family === undefined && only.q === undefined && !only.from;
  const measured = (bundle?.fidelity?.all.calls ?? 0) > 0;
  return {
    v: 1,
    title: `${found.label}: ${surface.name}`,
    made_at: ctx.now(),
    verdict: {
      text: `${counts.certified} of ${counted(standing, "task")} ${counts.certified === 1 ? "is" : "are"} certified${health === undefined ? "" : `; their checks reject ${health.rejected} of ${health.mutants} wrong trials and spare ${health.spared} of ${health.equals} equal ones`}${notCertified(counts)}.`,
      tone:
        counts.certified === 0
          ? "bad"
          : health && health.rejected < health.mutants
            ? "warn"
            : counts.certified < standing
              ? "plain"
              : "good",
      tier: "deterministic",
      how: `A task counts once review has proven its checks.${measured ? "" : " How its world answers was not measured."}`,
    },
    ...((await inventedSurfaces(ctx, [surface.id])) ? { invented: true } : {}),
    sections: [
      ...(whole ? [...answers(bundle, surface.id, tasks), ...few(found, tasks), drawn(found, bundle, realism)] : []),
      ...(tasks.length === 0 ? [] : [taskTable(tasks, told, only)]),
      ...(whole && tasks.length > 0 ? [...reasons(tasks, told), verdicts(tasks), byFamily(tasks)] : []),
    ],
  };
}

type Realism = Awaited<ReturnType<typeof environmentRealism>>["realism"];
type Bundle = z.infer<typeof BundleRecord.schema>;

/** How the world of a sandbox answers beside a plain recording, and how many tasks are held and mostly why, with the way to more. */
function answers(bundle: Bundle | undefined, surface: string, tasks: readonly TaskDoc[]): PageSection[] {
  const held = tasks.filter(({ status }) => status === "held");
  const [most] = [...Map.groupBy(held, ({ reason }) => reason ?? "no reason was given")].sort(
    ([, x], [, y]) => y.length - x.length,
  );
  const all = bundle?.fidelity?.all;
  const share = (alike: number) => percent(alike / (all?.calls ?? 1));
  const facts: Extract<PageSection, { show: "facts" }>["facts"] = [
    ...(all === undefined || all.calls === 0
      ? []
      : [
          {
            name: "Calls answered as observed",
            value: { text: share(all.identical_volatile), link: { page: "fidelity" as const, id: surface } },
            tier: "deterministic" as const,
            how: `of ${counted(all.calls, "call")} that it was not compiled from; a plain recording: ${share(all.recording.identical_volatile)}`,
          },
        ]),
    ...(most === undefined
      ? []
      : [
          {
            name: "Tasks held",
            value: { text: `${held.length}: why`, place: "reasons" },
            how: `${most[1].length} of them: ${cut(most[0], 160)}`,
          },
        ]),
  ];
  return facts.length === 0 ? [] : [{ show: "facts", facts }];
}

/** Why fewer tasks count than an interval needs, where the evidence gave no more. */
function few({ lost }: EnvironmentDoc, tasks: readonly TaskDoc[]): PageSection[] {
  const why = whyFewCount(tasks, lost);
  return why === undefined ? [] : [{ show: "text", heading: "Why there are few", paragraphs: [why] }];
}

function byFamily(tasks: readonly TaskDoc[]): PageSection {
  const families = [...Map.groupBy(tasks, ({ task }) => task.family)].sort(([x], [y]) => (x < y ? -1 : 1));
  const of = (rows: readonly TaskDoc[], ...status: readonly string[]) =>
    rows.filter((row) => status.includes(row.status)).length;
  return {
    show: "shares",
    heading: "Tasks by family",
    place: "families",
    caption: "Tasks that passed review and count, that wait, and that were refused, per family.",
    tier: "deterministic",
    outcomes: [
      { name: "certified", tone: "good" },
      { name: "waiting", tone: "warn" },
      { name: "refused", tone: "bad" },
      { name: "retired", tone: "plain" },
    ],
    rows: families.map(([family, rows]) => ({
      name: `${family} (n ${rows.length})`,
      counts: [of(rows, "certified"), of(rows, "draft", "held"), of(rows, "refused"), of(rows, "retired")],
    })),
  };
}

function verdicts(tasks: readonly TaskDoc[]): PageSection {
  const proves = new Map(REVIEW_CHECKS.map(({ name, proves: what }) => [name, what]));
  return {
    show: "table",
    heading: "What review proved",
    place: "review",
    caption:
      "Every task was tried in fresh forks: with its own script, with every wrong trial that could be made of it, and with equal ones. The first four verdicts must pass before it counts.",
    tier: "deterministic",
    columns: [
      { name: "Verdict" },
      { name: "What it proves", kind: "wide" },
      { name: "Passed", kind: "number" },
      { name: "Failed", kind: "number" },
    ],
    rows: verdictCounts(tasks).map(({ name, passed, failed }) => [name, proves.get(name) ?? "", passed, failed]),
  };
}

/** Why tasks do not count, each reason once. */
function reasons(tasks: readonly TaskDoc[], told: Wording): PageSection[] {
  const waiting = tasks.filter(({ status, reason }) => status !== "certified" && reason !== undefined);
  const rows = [...Map.groupBy(waiting, ({ status, reason = "" }) => `${status}\n${reason}`).values()];
  if (rows.length === 0) return [];
  return [
    {
      show: "table",
      heading: `Why ${waiting.length} of the tasks ${waiting.length === 1 ? "does" : "do"} not count`,
      place: "reasons",
      caption: "Each reason once, with the numbers of its tasks, the most frequent first.",
      tier: "deterministic",
      columns: [{ name: "Stands" }, { name: "Tasks", kind: "number" }, { name: "Why", kind: "wide" }, { name: "No." }],
      ...listed(
        rows.sort((x, y) => y.length - x.length),
        (of) => {
          const [{ status, reason = "" }] = of as [TaskDoc];
          const numbers = of.map(({ index }) => index).sort((x, y) => x - y);
          return [{ text: status, tone: TONE[status] }, of.length, cut(told(reason), 240), cut(numbers.join(", "), 80)];
        },
        REASONS,
      ),
    },
  ];
}

/** The tasks that a search finds, in their order. */
export function fittingTasks(tasks: readonly TaskDoc[], { status, family, q }: PacketTasks): readonly TaskDoc[] {
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter(
    (row) =>
      (status ?? row.status) === row.status &&
      (family ?? row.task.family) === row.task.family &&
      words.every((word) => `${row.task.request}\n${row.reason ?? ""}`.toLowerCase().includes(word)),
  );
}

function taskTable(tasks: readonly TaskDoc[], told: Wording, only: PacketTasks): PageSection {
  const fit = fittingTasks(tasks, only);
  const { from = 0, most = fit.length, newest = new Map<string, Cell>() } = only;
  const shown = fit.slice(from, from + most);
  const which =
    shown.length === tasks.length
      ? "Every task"
      : shown.length === 0
        ? `None of ${counted(tasks.length, "task")}`
        : `${from + 1} to ${from + shown.length} of ${fit.length === tasks.length ? counted(fit.length, "task") : `the ${fit.length} that fit, of ${counted(tasks.length, "task")}`}`;
  return {
    show: "table",
    heading: "Tasks",
    caption: `${which}, with how each stands; one opens with its checks, proofs and reason.`,
    tier: "deterministic",
    columns: [
      { name: "No.", kind: "number" },
      { name: "Request", kind: "wide" },
      { name: "Stands" },
      ...(newest.size === 0 ? [] : [{ name: "Newest run", kind: "number" as const }]),
      { name: "Why it does not count", kind: "wide" },
      { name: "Family" },
      { name: "Wrong trials rejected", kind: "number" },
    ],
    ...listed(shown, ({ id, environment, index, task, status, reason, health }) => [
      index,
      { text: cut(told(task.request), 240), link: { page: "task", id: `${environment}/${id}` } },
      { text: status, tone: TONE[status] },
      ...(newest.size === 0 ? [] : [newest.get(id) ?? ""]),
      status === "certified" ? "" : cut(told(reason ?? ""), 160),
      task.family,
      health === undefined ? "not tried" : `${health.rejected} of ${health.mutants}`,
    ]),
  };
}

/** Tables of a world in their order: the compiler's own, of answers by what was asked, are none of the system's and stand last. */
export function tablesInOrder(rows: EnvironmentDoc["rows"]): string[] {
  const isAsked = (name: string) => Number(name.startsWith("asked_"));
  return Object.keys(rows).sort((a, b) => isAsked(a) - isAsked(b) || (a < b ? -1 : 1));
}

/** The drawn state: rows per table, which open, how it was drawn, and whether people tell drawn rows apart. */
function drawn(
  { id, rows, hypothesis, seed, revision }: EnvironmentDoc,
  bundle: Bundle | undefined,
  realism: Realism,
): PageSection {
  const { told, verdict, raters } = realism;
  const apart =
    verdict === "too_few"
      ? "so few ratings of drawn rows that nothing can be said"
      : `people recognise ${percent(told.n / told.of)} of drawn rows (${percent(told.low)} to ${percent(told.high)}; at 50 % nobody can tell them apart)`;
  const tools =
    bundle === undefined
      ? ""
      : ` ${counted(bundle.tools, "tool")}, ${counted(bundle.exceptions, "recorded answer")}, ${counted(bundle.gaps.length, "gap")}.`;
  return {
    show: "table",
    heading: "The world",
    caption: `Rows per table: seen in the evidence, or drawn to fit it; a table opens with its rows. Drawn as ${hypothesis}, seed ${cut(seed, 40)}, revision ${revision}.${tools} ${counted(told.of, "rating")} by ${counted(raters, "person", "people")}: ${apart}.`,
    tier: "deterministic",
    columns: [{ name: "Table" }, { name: "Observed", kind: "number" }, { name: "Drawn", kind: "number" }],
    ...listed(tablesInOrder(rows), (name) => {
      const { rows: n = 0, drawn: made = 0 } = rows[name] ?? {};
      return [{ text: cut(name, 80), link: { page: "world", id, against: name } }, n - made, made];
    }),
  };
}

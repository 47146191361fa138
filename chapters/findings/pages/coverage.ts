import type { Ctx } from "../../context.ts";
import { coverageMatrix, getSituations } from "../../ontology/matrices.ts";
import { everyRow } from "../../page.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { listed } from "./listed.ts";
import type { PageDoc, PageSection } from "./page-doc.ts";
import { counted, cut } from "./words.ts";

/** Personas and jobs in the map, those with gaps first and then those with the most tasks; the table beside it has more. */
const MAPPED = { personas: 24, jobs: 12 };
/** Tools that no task needs, which are listed; the most called are first. */
const TOOLS = 20;
/** What a gap weighs beside tasks: a map that leaves things out leaves no gap out for them. */
const FIRST = 1_000_000;

type Matrix = Awaited<ReturnType<typeof coverageMatrix>>;

/** Which jobs of which personas certified tasks cover, as a page: the gaps first. */
export async function coveragePage(ctx: Ctx): Promise<PageDoc> {
  const [matrix, { situations, tasks }] = [await coverageMatrix(ctx), await getSituations(ctx)];
  const surfaces: string[] = [];
  for await (const { id, retired_at } of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (retired_at === undefined) surfaces.push(id);
  const { gaps, cells, tier, untested_tools: untested } = matrix;
  const needed =
    untested.length === 0
      ? ""
      : ` ${counted(untested.length, "tool")} that traces call ${untested.length === 1 ? "is" : "are"} in no task.`;
  const marked = cells.filter((cell) => cell.marked).length;
  const held = cells.filter(({ tasks }) => tasks > 0).length;
  return {
    v: 1,
    title: "Coverage",
    made_at: ctx.now(),
    verdict: {
      text:
        marked === 0
          ? `${counted(tasks, "certified task")} in ${counted(cells.length, "cell")}; nobody has marked what a persona's jobs are.${needed}`
          : `${held} of ${counted(cells.length, "cell")} ${held === 1 ? "holds" : "hold"} certified tasks; ${counted(gaps.length, "gap")}.${needed}`,
      tone: gaps.length + untested.length > 0 ? "warn" : marked === 0 ? "plain" : "good",
      tier,
      how: `A cell is a job of a persona; a gap is one that a person marked and no task covers. n = ${counted(tasks, "certified task")} of the org's live environments.`,
    },
    ...((await inventedSurfaces(ctx, surfaces)) ? { invented: true } : {}),
    sections: [
      ...gapTable(matrix),
      ...toolTable(matrix),
      ...map(matrix),
      ...cellTable(matrix),
      situationTable(situations),
    ],
  };
}

function gapTable({ gaps, tier }: Matrix): PageSection[] {
  if (gaps.length === 0) return [];
  return [
    {
      show: "table",
      heading: "Gaps",
      caption: "Jobs that a person marked as a persona's, and that no certified task covers.",
      tier,
      columns: [{ name: "Persona" }, { name: "Job" }, { name: "Act" }],
      ...listed(gaps, ({ persona, job }) => [
        cut(persona, 80),
        cut(job, 80),
        { text: "Write tasks", link: { page: "cell", id: persona, against: job } },
      ]),
    },
  ];
}

/** What production does and no task asks for: it stands without anybody marking anything. */
function toolTable({ untested_tools: all, tier }: Matrix): PageSection[] {
  if (all.length === 0) return [];
  return [
    {
      show: "table",
      heading: "Tools that no task needs",
      caption:
        "Tools that traces call and no certified task needs, the most called first; each opens the traces that call it.",
      tier,
      columns: [{ name: "Tool" }, { name: "Calls in traces", kind: "number" }],
      ...listed(all, ({ tool, calls }) => [{ text: cut(tool, 80), link: { page: "traces", id: tool } }, calls], TOOLS),
    },
  ];
}

function map({ personas, jobs, cells, outside, tier }: Matrix): PageSection[] {
  if (cells.length === 0)
    return [{ show: "text", heading: "Persona by job", paragraphs: ["There is no certified task and no marked job."] }];
  const weight = (key: "persona" | "job", name: string) =>
    cells.reduce((sum, cell) => (cell[key] === name ? sum + (cell.gap ? FIRST : cell.tasks) : sum), 0);
  const first = (names: readonly string[], key: "persona" | "job", most: number) =>
    [...names].sort((x, y) => weight(key, y) - weight(key, x) || (x < y ? -1 : 1)).slice(0, most);
  const rows = first(personas, "persona", MAPPED.personas);
  const columns = first(jobs, "job", MAPPED.jobs);
  const left = [
    ...(rows.length < personas.length ? [`${rows.length} of ${personas.length} personas`] : []),
    ...(columns.length < jobs.length ? [`${columns.length} of ${jobs.length} jobs`] : []),
  ];
  return [
    {
      show: "heat",
      heading: "Persona by job",
      caption: `Certified tasks per persona and job; a gap is a marked job without one.${left.length === 0 ? "" : ` Shown: ${left.join(", ")}, those with gaps first, then those with the most tasks.`}${outside === 0 ? "" : ` ${counted(outside, "task")} of dismissed values ${outside === 1 ? "is" : "are"} left out.`}`,
      tier,
      rows,
      columns,
      cells: cells.flatMap(({ persona, job, tasks, gap }) => {
        const [row, column] = [rows.indexOf(persona), columns.indexOf(job)];
        return row < 0 || column < 0
          ? []
          : [{ row, column, n: tasks, ...(gap ? { gap } : {}), link: { page: "cell", id: persona, against: job } }];
      }),
    },
  ];
}

function cellTable({ cells, tier }: Matrix): PageSection[] {
  if (cells.length === 0) return [];
  return [
    {
      show: "table",
      heading: `Cells: ${cells.length}`,
      place: "cells",
      caption: "Every cell that holds a task or is marked, the most tasks first, with the checks its tasks hold.",
      tier,
      columns: [
        { name: "Persona" },
        { name: "Job" },
        { name: "Tasks", kind: "number" },
        { name: "Checks", kind: "number" },
        { name: "Marked" },
      ],
      ...listed(
        [...cells].sort((x, y) => y.tasks - x.tasks),
        ({ persona, job, tasks, checks, marked, gap }) => [
          cut(persona, 80),
          { text: cut(job, 80), link: { page: "cell" as const, id: persona, against: job } },
          tasks,
          checks,
          gap ? { text: "gap", tone: "warn" as const } : marked ? "yes" : "",
        ],
      ),
    },
  ];
}

function situationTable(all: Awaited<ReturnType<typeof getSituations>>["situations"]): PageSection {
  if (all.length === 0)
    return { show: "text", heading: "Situations", paragraphs: ["No certified task names a whole situation."] };
  return {
    show: "table",
    heading: `Situations: ${all.length}`,
    place: "situations",
    caption: "Use case, persona and data condition that certified tasks stand in, the most tasks first.",
    tier: "deterministic",
    columns: [
      { name: "Use case" },
      { name: "Persona" },
      { name: "Data" },
      { name: "Tasks", kind: "number" },
      { name: "Evidence records", kind: "number" },
    ],
    ...listed(all, (row) => [
      cut(row.use_case, 80),
      cut(row.persona, 80),
      row.data_condition,
      row.tasks,
      row.evidence ?? "not cited",
    ]),
  };
}

import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { timeOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a row that is not there makes no line.
type Body = any;

/** How many rows of an answer are told; of the rest, how many there are. */
const MOST_ROWS = 8;
const REQUEST = 90;

/** The rows of an answer that a question about it is after, the worst first, a line each. */
export function rowLines(tool: string, body: Body): string[] {
  const rows = ROWS[tool]?.(body) ?? [];
  const more = rows.length - MOST_ROWS;
  return [...rows.slice(0, MOST_ROWS), ...(more > 0 ? [`and ${more} more`] : [])].map((row) => `- ${row}`);
}

const ROWS: Readonly<Record<string, (body: Body) => string[]>> = {
  compare_runs: ({ flips = [], worse, a, b }) =>
    [...flips]
      .sort((x: Body, y: Body) => (worse === "a" ? y.delta - x.delta : x.delta - y.delta))
      .map(({ request, family, delta, causes }: Body) => {
        const lost = delta < 0 ? causes.b : causes.a;
        return `${delta < 0 ? "broke" : "mended"} in ${(b.name === a.name ? b.version : b.name) ?? b.group}: ${of(request, family)}${why(lost)}`;
      }),
  run_group: ({ tasks = [] }) =>
    tasks
      .filter(({ ends }: Body) => ends.failed > 0)
      .sort((x: Body, y: Body) => y.ends.failed - x.ends.failed)
      .map(({ request, family, root_causes: causes }: Body) => `failed: ${of(request, family)}${why(causes)}`),
  run_group_levels: ({ failures = [] }) =>
    failures.map(({ cause, trials, advice }: Body) => `${cause} (${countOf(trials, "trial")}): ${advice}`),
  environment_fidelity: ({ fidelity }) =>
    (Object.entries(fidelity?.tools ?? {}) as [string, Body][])
      .map(([name, counts]) => ({ name, ...counts, missed: counts.calls - counts.identical_volatile }))
      .filter(({ missed }) => missed > 0)
      .sort((x, y) => y.missed - x.missed)
      .map(
        ({ name, calls, identical_volatile: same, not_served, wrong_answer }) =>
          `${name}: ${same} of ${countOf(calls, "call")} as observed, ${not_served} not served, ${wrong_answer} wrong`,
      ),
  coverage_matrix: ({ cells = [] }) =>
    cells
      .filter(({ tasks, marked }: Body) => marked && tasks === 0)
      .map(({ persona, job }: Body) => `untested: ${job}, asked by ${persona}`),
  failure_modes: ({ failure_modes: modes = [] }) =>
    modes.map(
      ({ title, status, cites = [], reported = [] }: Body) =>
        `"${cut(String(title), REQUEST)}": ${status}, shown by ${countOf(cites.length + reported.length, "record")}`,
    ),
  agents_list: ({ agents = [] }) =>
    agents
      .filter(({ versions = [] }: Body) => versions.length > 0)
      .map(({ name, versions }: Body) => `${name}: ${versions.map(({ version }: Body) => version).join(", ")}`),
  schedules_list: ({ schedules = [] }: Body) =>
    schedules.map(
      ({ kind, cadence, anchor, surface, start_at: next, fire_blocked: blocked }: Body) =>
        `${kind} of ${surface ?? "the org"}: ${cadence ?? ""} by ${String(anchor).replaceAll("_", " ")}${next ? `, next at ${timeOf(next)}` : ""}${blocked ? `; blocked: ${blocked}` : ""}`,
    ),
  evidence_list: ({ evidence = [] }) =>
    evidence.map(
      ({ surface, kind, line, data_access: access }: Body) =>
        `${surface ?? "no surface"}, ${String(kind).replaceAll("_", " ")}: ${line ?? ""} Data access: ${access}.`,
    ),
  reports_list: ({ reports = [] }) =>
    reports.map(
      ({ title, made_at: at, made_by: by, shared, opens }: Body) =>
        `"${cut(String(title), REQUEST)}", made ${timeOf(at)} by ${by}: ${shared ? `shared by a link, opened ${countOf(opens, "time")}` : "not shared, members alone see it"}`,
    ),
  spend_summary: ({ days = [] }) => days.map(({ day, usd }: Body) => `${day}: ${Number(usd).toFixed(2)} USD`),
  org_changes_get: ({ lines = [] }) =>
    lines.map(
      ({ at, change, about }: Body) =>
        `${new Date(at * 1000).toISOString().slice(0, 16)}Z: ${String(change).replaceAll("_", " ")}, ${about?.kind ?? "org"} ${about?.id ?? ""}`,
    ),
};

function of(request: unknown, family: unknown): string {
  return `"${cut(String(request ?? ""), REQUEST)}" (${String(family).replaceAll("_", " ")})`;
}

function why(causes: readonly Body[] = []): string {
  const names = causes.map((cause) => (typeof cause === "string" ? cause : cause.cause)).filter(Boolean);
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}

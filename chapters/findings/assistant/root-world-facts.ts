import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { type Ask, bodyOf, timeOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
/** How many environments a question that names none is answered for. */
const MOST = 6;

/** An environment as people call it. */
export interface NamedEnvironment {
  readonly id: string;
  readonly label: string;
}

/** The environments that a question names by their label or surface, else all of the org, the newest first. */
export async function environmentsFor(ask: Ask, text: string): Promise<readonly NamedEnvironment[]> {
  return (await environmentsIn(ask, text)).environments;
}

async function environmentsIn(ask: Ask, text: string) {
  const listed = await bodyOf(ask, "surfaces_list");
  const all = ((listed?.surfaces ?? []) as Body[])
    .flatMap((surface) => (surface.environments ?? []).map((row: Body) => ({ ...row, surface: surface.name })))
    .sort((x: Body, y: Body) => (y.created_at ?? 0) - (x.created_at ?? 0));
  const labelled = all.filter(({ label }) => says(text, label));
  const named = labelled.length > 0 ? labelled : all.filter(({ surface }) => says(text, surface));
  const asked: NamedEnvironment[] = (named.length > 0 ? named : all).map(({ id, label }) => ({
    id,
    label: label ?? id,
  }));
  return { environments: asked.slice(0, MOST), more: Math.max(0, asked.length - MOST), named: named.length > 0 };
}

/** Whether a text has a name in it, whatever stands between the name's words. */
function says(text: string, name: unknown): boolean {
  const flat = (words: string) =>
    ` ${words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const wanted = flat(String(name ?? ""));
  return wanted.trim() !== "" && flat(text).includes(wanted);
}

/** How faithfully the worlds answer, by environment; where a tool is asked for, the tool that is answered worst. */
export async function fidelity(ask: Ask, text: string): Promise<string[]> {
  const told: string[] = [];
  const tools: { name: string; label: string; calls: number; same: number; not_served: number; wrong: number }[] = [];
  for (const { id, label } of await environmentsFor(ask, text)) {
    const { status, body, verdict } = await ask("environment_fidelity", { env_id: id });
    if (status >= 300 || verdict === undefined) continue;
    const { all, tools: by = {} } = (body as Body).fidelity ?? {};
    const beside = all?.recording && ` A plain recording answers ${all.recording.identical_volatile} of ${all.calls}.`;
    told.push(`${label}: ${verdict}${beside ?? ""}`);
    for (const [name, row] of Object.entries(by) as [string, Body][])
      tools.push({
        name,
        label,
        calls: row.calls,
        same: row.identical_volatile,
        not_served: row.not_served,
        wrong: row.wrong_answer,
      });
  }
  if (told.length === 0) return [];
  const best = /\b(best|most (faithful\w*|accurate\w*|exact\w*))\b/i.test(text);
  const share = ({ same, calls }: { same: number; calls: number }) => same / calls;
  const sorted = tools
    .filter(({ calls, same }) => calls > 0 && (best || same < calls))
    .sort((x, y) => (best ? share(y) - share(x) : share(x) - share(y)) || y.calls - x.calls);
  const [top, ...rest] = sorted.map(
    ({ name, label, calls, same, not_served: gaps, wrong }) =>
      `${name} of ${label}: ${same} of ${countOf(calls, "call")} as observed, ${gaps} not served, ${wrong} wrong`,
  );
  const rows = rest.slice(0, SHOWN).map((row) => `- ${row}`);
  const more = rest.length > SHOWN ? [`- and ${countOf(rest.length - SHOWN, "more tool")}`] : [];
  if (top === undefined) return told;
  return /\b(tools?|functions?)\b/i.test(text)
    ? [`${best ? "Best" : "Worst"} is ${top}.`, ...rows, ...more, ...told.map((line) => `- ${line}`)]
    : [...told, `- ${top}`, ...rows, ...more];
}

/** The tools that worlds offer, by environment. */
export async function toolsOffered(ask: Ask, text: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, label } of await environmentsFor(ask, text)) {
    const listed = await bodyOf(ask, "environment_tools", { env_id: id });
    if (listed?.tools) {
      const names = listed.tools.map(({ name }: Body) => name);
      lines.push(`${label} offers ${countOf(names.length, "tool")}: ${cut(names.join(", "), 600)}.`);
    }
  }
  return lines;
}

/** How many tasks there are and what became of them, in all or in the environments that are named. */
export async function taskCounts(ask: Ask, text: string): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { draft, certified, held, refused, retired } = status.tasks;
  const all = draft + certified + held + refused;
  const rows: string[] = [];
  const { environments, more, named } = await environmentsIn(ask, text);
  for (const { id, label } of environments) {
    const counts = (await bodyOf(ask, "environment_get", { env_id: id }))?.counts;
    if (counts) rows.push(`${label}: ${wordsOf(counts)}`);
  }
  const line = `${all} tasks in ${countOf(status.environments, "environment")}, ${certified} of them certified; ${held} held, ${refused} refused, ${draft} not reviewed${retired > 0 ? `, and ${retired} more retired` : ""}.`;
  // Where some environments are named, what is true of all comes after them.
  const rest = more > 0 ? [`- and ${countOf(more, "more environment")}`] : [];
  if (named && rows.length > 0 && rows.length < status.environments) return [...rows, ...rest, `- in all: ${line}`];
  return [line, ...(rows.length > 1 ? rows.map((row) => `- ${row}`) : []), ...rest];
}

/** What the tasks of each environment are of: families and how many, the most first. */
export async function taskKinds(ask: Ask, text: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, label } of await environmentsFor(ask, text)) {
    const tasks: Body[] = (await bodyOf(ask, "environment_tasks", { env_id: id }))?.tasks ?? [];
    const families = new Map<string, Body[]>();
    for (const task of tasks) families.set(task.family, [...(families.get(task.family) ?? []), task]);
    const sorted = [...families].sort((a, b) => b[1].length - a[1].length);
    if (sorted.length === 0) continue;
    lines.push(
      `${label} has ${countOf(tasks.length, "task")} of ${countOf(sorted.length, "family", "families")}: ${sorted.map(([family, of]) => `${family.replaceAll("_", " ")} ${of.length}`).join(", ")}.`,
      ...sorted
        .slice(0, SHOWN)
        .map(([family, [first]]) => `- ${family.replaceAll("_", " ")}, such as "${cut(first.request, 110)}"`),
    );
  }
  return lines;
}

function wordsOf({ draft, certified, held, refused }: Body): string {
  return `${countOf(draft + certified + held + refused, "task")}, ${certified} of them certified; ${held} held, ${refused} refused, ${draft} not reviewed`;
}

/** When each surface's world was compiled last and from how many traces, the newest first. */
export async function compiledAt(ask: Ask): Promise<string[]> {
  const surfaces: Body[] = (await bodyOf(ask, "surfaces_list"))?.surfaces ?? [];
  const bundles: Body[] = (await bodyOf(ask, "bundles_list", { limit: 100 }))?.bundles ?? [];
  const rows: { at: number; line: string }[] = [];
  for (const { name, bundle, versions = [] } of surfaces) {
    const at = Math.max(0, ...versions.map((v: Body) => v.created_at));
    let traces = 0;
    for (const eid of bundles.find(({ id }) => id === bundle)?.evidence ?? [])
      traces += (await bodyOf(ask, "evidence_get", { eid, summary: true }))?.tools_of ?? 0;
    const from = traces === 0 ? "" : `, from ${countOf(traces, "trace")}`;
    const line = `${name} was compiled last at ${timeOf(at)}${from}; ${countOf(versions.length, "version")} in all.`;
    if (versions.length > 0) rows.push({ at, line });
  }
  return rows.sort((x, y) => y.at - x.at).map(({ line }, i) => `${i > 0 ? "- " : ""}${line}`);
}

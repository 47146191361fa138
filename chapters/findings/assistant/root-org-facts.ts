import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { newestEvidence } from "./root-store-facts.ts";
import { type Ask, bodyOf, subjectGroup, timeOf } from "./root-subject.ts";
import { environmentsFor } from "./root-world-facts.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;

/** The first lines, and how many more there are. */
const firstOf = (lines: readonly string[], where = ""): string[] => [
  ...lines.slice(0, SHOWN),
  ...(lines.length > SHOWN ? [`- and ${lines.length - SHOWN} more${where}`] : []),
];

/** The agents of the org with their versions; the harnesses that come with the service are none. */
export async function agents(ask: Ask): Promise<string[]> {
  const listed = await bodyOf(ask, "agents_list");
  if (!listed?.agents) return [];
  const own: Body[] = listed.agents.filter(({ versions = [] }: Body) => versions.length > 0);
  const rows = own.map(({ name, kind, versions, primary }) => {
    const named = versions.map(({ version }: Body) => version).join(", ");
    return `- ${name} (${kind}${primary ? ", primary" : ""}): ${countOf(versions.length, "version")}, ${named}`;
  });
  const names = own.map(({ name }) => name).join(", ");
  return [
    `${countOf(own.length, "connected agent")}${own.length > 0 ? `: ${cut(names, 200)}` : ""}.`,
    ...firstOf(rows),
  ];
}

/** Who added each agent and its versions, and when; of the agent that is named alone. */
export async function makers(ask: Ask, text: string): Promise<string[]> {
  const listed = await bodyOf(ask, "agents_list");
  if (!listed?.agents) return [];
  const own: Body[] = listed.agents.filter(({ versions = [] }: Body) => versions.length > 0);
  const named = own.filter(({ name }) => text.toLowerCase().includes(String(name).toLowerCase()));
  const rows = (named.length > 0 ? named : own).map(
    ({ name, by, created_at: at, versions }) =>
      `${name} was added by ${by ?? "an unknown caller"}, ${timeOf(at)}; ${versions.map((of: Body) => `version ${of.version} by ${of.by ?? "an unknown caller"}`).join(", ")}.`,
  );
  const [first, ...rest] = rows;
  return first === undefined ? ["No agent is connected yet."] : [first, ...firstOf(rest.map((row) => `- ${row}`))];
}

/** What is recorded of the versions of agents: how each is run, by which model, and which carries a label such as main. */
export async function versions(ask: Ask): Promise<string[]> {
  const listed = await bodyOf(ask, "agents_list");
  const labels = (await bodyOf(ask, "version_labels_get"))?.by_version ?? {};
  const all: Body[] = (listed?.agents ?? []).flatMap(({ name, versions: own = [] }: Body) =>
    own.map((version: Body) => ({ ...version, name })),
  );
  const newest = all.sort((x, y) => y.created_at - x.created_at);
  const rows = newest.map(({ name, version, kind, command, url, model, created_at: at }) => {
    const run = cut(String(url ?? (command ?? []).join(" ")), 120);
    const tags: Body[] = labels[version] ?? [];
    const labelled = tags.length > 0 ? `; labelled ${tags.map((tag) => tag.label ?? tag).join(", ")}` : "";
    return `- ${name} ${version}, since ${timeOf(at)}: ${model ?? `no model on record; ${kind} ${run}`}${labelled}`;
  });
  if (rows.length === 0) return [];
  const main =
    Object.keys(labels).length === 0 ? "none is labelled as the one in production" : "labels stand beside them";
  return [
    `${countOf(rows.length, "agent version")}; ${main}, and a model is on record where the agent's maker named one.`,
    ...firstOf(rows),
  ];
}

/** What is recorded of one thing that users want, by the traces that want it; what no certified task is of where that is asked. */
export async function useCases(ask: Ask, text: string): Promise<string[]> {
  const fields: Body[] = (await bodyOf(ask, "dimensions_get"))?.dimensions ?? [];
  const seen: Body[] = fields.find(({ field }) => field === "use_case")?.values ?? [];
  const situations: Body[] = (await bodyOf(ask, "org_scenarios_get"))?.situations ?? [];
  const tested = new Set(situations.map(({ use_case: of }) => of));
  const sorted = [...seen].sort((x, y) => (y.traces ?? 0) - (x.traces ?? 0));
  const untested = sorted.filter(({ value }) => !tested.has(value));
  if (sorted.length === 0) return [];
  const wanted = /\b(no|not|never|without|missing|un\w+ed)\b/i.test(text) ? untested : sorted;
  const rows = wanted.map(({ value, traces = 0 }) => `- ${value}: ${countOf(traces, "trace")}`);
  return [
    wanted === untested
      ? `${untested.length} of ${countOf(sorted.length, "use case")} seen in traces ${untested.length === 1 ? "has" : "have"} no task of that name.`
      : `${countOf(sorted.length, "use case")} seen in traces, the most frequent first; ${tested.size} are those of tasks.`,
    ...firstOf(rows, "; dimensions_get lists them"),
  ];
}

/** What the systems hold by their compiled ontology: objects with their keys and rows, and who refers to whom. */
export async function objects(ask: Ask): Promise<string[]> {
  const read = await bodyOf(ask, "ontology_get");
  const nodes: Body[] = read?.nodes ?? [];
  const held = nodes.filter(({ kind }) => kind === "object");
  if (held.length === 0) return [];
  return [
    `${read.surface} has ${countOf(held.length, "object")}: ${held.map(({ label, name }) => label ?? name).join(", ")}.`,
    ...firstOf(
      held.map(({ id, name, key = [], rows }: Body) => {
        const fields = nodes.filter((node) => node.kind === "field" && String(node.id).startsWith(`${id}/`));
        return `- ${name}: ${countOf(rows ?? 0, "row")}, key ${key.join(", ") || "unknown"}; ${cut(fields.map((field) => field.name).join(", "), 160)}`;
      }),
    ),
  ];
}

/** What the worlds of environments begin with: how many rows of which table. */
export async function firstState(ask: Ask, text: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, label } of await environmentsFor(ask, text)) {
    const rows = Object.entries((await bodyOf(ask, "environment_get", { env_id: id }))?.rows ?? {}) as [string, Body][];
    if (rows.length === 0) continue;
    const told = rows.map(([table, n]) => `${table} ${n.rows}${n.drawn > 0 ? ` (${n.drawn} of them drawn)` : ""}`);
    lines.push(`${label} begins with ${countOf(rows.length, "table")} of rows: ${told.join(", ")}.`);
  }
  return lines.length === 0 ? [] : [...lines, "- environment_world_table reads the rows of one table"];
}

/** The environments of the org, the newest first. */
export async function environments(ask: Ask, text: string): Promise<string[]> {
  const all = await environmentsFor(ask, text);
  if (all.length === 0) return ["There is no environment yet: pipeline_post makes one from traces."];
  const rows: string[] = [];
  for (const { id, label } of all) {
    const { tasks, state } = (await bodyOf(ask, "environment_get", { env_id: id })) ?? {};
    rows.push(`- ${label} (${id}): ${countOf(tasks ?? 0, "task")}, ${state}`);
  }
  return [
    `${countOf(all.length, "environment")}: ${all.map(({ label }) => label).join(", ")}. A trial gets a world of its own; worlds_post opens one.`,
    ...rows,
  ];
}

/** One task by its number or place, of the newest environment. */
export async function numberedTask(ask: Ask, text: string): Promise<string[]> {
  const [environment] = await environmentsFor(ask, text);
  const tasks: Body[] =
    (environment && (await bodyOf(ask, "environment_tasks", { env_id: environment.id }))?.tasks) ?? [];
  if (!environment || tasks.length === 0) return [];
  // Other numbers are those of versions and worlds.
  const index = Number(/\b(?:task|number|no\.?) ?#?(\d+)/i.exec(text)?.[1]);
  const named = tasks.find((task) => task.index === index);
  const place = /\blast\b/i.test(text)
    ? -1
    : ["first", "second", "third"].findIndex((word) => new RegExp(`\\b${word}\\b`, "i").test(text));
  const task = Number.isNaN(index) ? tasks.at(place) : named;
  if (!task) return [`${environment.label} has no task ${index}: its tasks are numbered 0 to ${tasks.at(-1).index}.`];
  return [
    `Task ${task.index} of ${environment.label} (${task.status}, ${String(task.family).replaceAll("_", " ")}) asks: "${cut(task.request, 300)}"`,
    ...task.checks.map(({ kind, decides }: Body) => `- ${kind}: ${decides}`),
  ];
}

/** The tasks that ended now so, now otherwise under the same version, by the newest run. */
export async function flaky(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const group = subject && (await bodyOf(ask, "run_group", { gid: subject.group }));
  if (!subject || !group) return [];
  const tried = group.tasks.filter(({ ends }: Body) => ends.met + ends.failed > 1);
  if (tried.length === 0)
    return [
      `The run of ${subject.who} tried each task once, which cannot tell: start_run with trials=3 can.`,
      ...subject.note,
    ];
  const both = tried.filter(({ ends }: Body) => ends.met > 0 && ends.failed > 0);
  return [
    `${both.length} of ${countOf(tried.length, "task")} that ${subject.who} tried more than once ended both ways.`,
    ...firstOf(
      both.map(
        ({ index, request, ends }: Body) =>
          `- task ${index}, "${cut(request, 90)}": met ${ends.met} of ${ends.met + ends.failed}`,
      ),
    ),
    ...subject.note,
  ];
}

/** What is connected to pull from, and when each was last asked. */
export async function sources(ask: Ask): Promise<string[]> {
  const listed = await bodyOf(ask, "sources_list");
  if (!listed?.sources) return [];
  const rows: Body[] = listed.sources;
  const told = rows.map(
    ({ id, kind, cadence, consent, last_pull: pulled }) =>
      `- ${kind} (${id}, ${cadence}), consent ${consent}: ${pulled ? `${pulled.outcome} at ${timeOf(pulled.at)}` : "not pulled yet"}`,
  );
  return rows.length === 0
    ? [
        "No source is connected, so nothing is pulled or imported by itself: evidence came by push alone.",
        ...(await newestEvidence(ask)).map((line) => `- ${line}`),
      ]
    : [`${countOf(rows.length, "source")} connected.`, ...firstOf(told)];
}

/** Whether the code host is connected, and what it covers. */
export async function codeHost(ask: Ask): Promise<string[]> {
  const read = await bodyOf(ask, "vcs_installation_get");
  if (!read) return [];
  if (read.installation === null)
    return [
      `No code host is connected, and no repository is covered${read.app?.set === false ? `: whoever runs the service sets ${read.app.env} first` : ": vcs_installations_post connects it"}.`,
    ];
  const covered: Body[] = (await bodyOf(ask, "vcs_repositories"))?.repositories ?? [];
  return [
    `The code host is connected and covers ${countOf(covered.length, "repository", "repositories")}.`,
    ...firstOf(covered.map(({ name, full_name: full }) => `- ${full ?? name}`)),
  ];
}

/** The named ways in which agents fail, with their state. */
export async function failureModes(ask: Ask, text: string): Promise<string[]> {
  const listed = await bodyOf(ask, "failure_modes");
  if (!listed?.failure_modes) return [];
  const closed = /^(fixed|retired)$/;
  const all: Body[] = listed.failure_modes;
  const rows = /\bopen\b|\bunresolved\b|\bstill\b/i.test(text) ? all.filter(({ status }) => !closed.test(status)) : all;
  const open = all.filter(({ status }) => !closed.test(status)).length;
  return [
    `${countOf(all.length, "failure mode")}${all.length > 0 ? `, ${open} of them open` : ""}.`,
    ...firstOf(rows.map(({ title, status, by }) => `- "${cut(String(title), 90)}": ${status}, reported by ${by}`)),
  ];
}

import type { ToolRead } from "./root-tools.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is no subject.
type Body = any;
export type Ask = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolRead>;

/** How far back the group that a question is about is looked for. */
const LOOKED_AT = 100;

/** A run group that a question is about. `note` says which newer one is passed over, and why. */
export interface Subject {
  readonly group: string;
  readonly run: string;
  readonly who: string;
  readonly row: Body;
  readonly note: string[];
}

/**
 * The run group that a question names by its agent and version, else the newest: of those that have a verdict on a
 * world of this org, where there are any. A group that was stopped or holds results from elsewhere says little.
 */
export async function subjectGroup(ask: Ask, text: string): Promise<Subject | undefined> {
  const [first] = await subjects(ask, text);
  return first;
}

/** That group, and the one that it is compared with: another agent or version on the same worlds, else the one before. */
export async function subjectPair(ask: Ask, text: string): Promise<readonly [Subject, Subject] | undefined> {
  const [newest, ...older] = await subjects(ask, text);
  if (newest === undefined) return undefined;
  const same = older.filter(({ row }) => worlds(row).some((id) => worlds(newest.row).includes(id)));
  const before = same.find(({ who }) => who !== newest.who) ?? same[0] ?? older[0];
  return before === undefined ? undefined : [before, newest];
}

/** The newest run group with a verdict of each agent version and harness, on each set of worlds. */
export async function newestByPlayer(ask: Ask, text: string): Promise<Subject[]> {
  const newest = new Map<string, Subject>();
  for (const subject of await subjects(ask, text)) {
    const of = `${subject.who} ${worlds(subject.row).sort().join()}`;
    if (subject.row.selection === undefined || subject.row.selection === "full")
      if (!newest.has(of)) newest.set(of, subject);
  }
  return [...newest.values()];
}

/** The newest landed run group of each agent version and harness on each set of worlds, also where no trial has a verdict. */
export async function newestLanded(ask: Ask, text: string): Promise<{ who: string; counts: Body }[]> {
  const { groups: landed } = await landedGroups(ask, text);
  // The list begins with the newest: read backwards, the newest of each is set last.
  const newest = landed
    .toReversed()
    .map((row) => [`${whoOf(row)} ${worlds(row).sort().join()}`, { who: whoOf(row), counts: row.counts }] as const);
  return [...new Map(newest).values()];
}

/** The newest run groups, whatever became of them. */
export async function storedGroups(ask: Ask): Promise<Body[]> {
  return (await bodyOf(ask, "run_groups_list", { limit: LOOKED_AT }))?.groups ?? [];
}

/**
 * Every landed run group with its counts, the newest first: those of the agent or version that a question names, else all.
 * `more` says that older ones are not among them.
 */
export async function landedGroups(ask: Ask, text: string): Promise<{ groups: Body[]; more: boolean }> {
  const { groups = [], next } = (await bodyOf(ask, "run_groups_list", { limit: LOOKED_AT })) ?? {};
  const landed: Body[] = groups.filter(({ status, counts }: Body) => status === "landed" && counts !== undefined);
  const named = landed.filter((row) => isNamed(row, text));
  return { groups: named.length > 0 ? named : landed, more: next !== undefined && next !== null };
}

async function subjects(ask: Ask, text: string): Promise<Subject[]> {
  const { status, body } = await ask("run_groups_list", { limit: LOOKED_AT });
  if (status >= 300) return [];
  const groups: Body[] = (body as Body).groups;
  const told = groups.filter(hasVerdict);
  const own = told.filter((row) => worlds(row).every((id) => id.startsWith("env_")));
  const among = [own, told, groups].find((rows) => rows.length > 0) ?? [];
  const named = among.filter((row) => isNamed(row, text));
  const [newest] = groups;
  const missing = versionsIn(text).filter(
    (version) => !groups.some(({ player }) => isVersion(player?.version, version)),
  );
  const unknown = missing.length === 0 ? [] : [`- no run is stored of version ${missing.join(" or ")}`];
  const chosen = named.length > 0 ? [...named, ...among.filter((row) => !named.includes(row))] : among;
  return chosen.map((row) => ({
    group: row.group,
    run: row.environments[0]?.run ?? "",
    who: whoOf(row),
    row,
    note:
      named.length > 0 || row.group === newest.group || hasVerdict(newest)
        ? unknown
        : [`The newest group, ${newest.group} of ${whoOf(newest)}, is ${newest.status} without a verdict.`, ...unknown],
  }));
}

/** The agent or harness of a group with its version, as people call it. */
export function whoOf({ player, group }: Body): string {
  return [player?.name ?? player?.harness, player?.version].filter(Boolean).join(" ") || group;
}

function hasVerdict({ counts, status }: Body): boolean {
  return status === "landed" && (counts === undefined || counts.met + counts.failed > 0);
}

function worlds({ environments = [] }: Body): string[] {
  return environments.map(({ environment }: Body) => String(environment));
}

/** Whether a text says the version of a group, or its agent or harness by name: a name is often a word of another meaning. */
function isNamed({ player }: Body, text: string): boolean {
  const [name, version] = [player?.name ?? player?.harness, player?.version].map((word) =>
    String(word ?? "").toLowerCase(),
  ) as [string, string];
  const said = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}._-]+/gu, " ")} `.replace(/[.] /g, " ");
  // What `evaluate` connects is labelled by its number and the digest of its command, which nobody says.
  const labels = version === "" ? [] : [version, version.replace(/\.[0-9a-f]{8}$/, "")];
  const versions = labels.flatMap((label) => [`version ${label}`, `v${label}`, `${name} ${label}`]);
  const kinds = ["agent", "harness", "player", "based", "baseline", ...(player?.harness ? ["run", "run the"] : [])];
  const names = name === "" ? [] : kinds.flatMap((kind) => [`${name} ${kind}`, `${name}-${kind}`, `${kind} ${name}`]);
  const whole = name.includes(" ") && version === "" ? [name] : [];
  return [...versions, ...names, ...whole].some((words) => said.includes(` ${words} `));
}

/** The versions that a text names by their number. */
function versionsIn(text: string): string[] {
  return [...text.toLowerCase().matchAll(/\b(?:v|versions? )(\d[\w.]*)/g)].map(([, version]) =>
    version!.replace(/[.]$/, ""),
  );
}

/** Whether a version's label is the one that is named; what `evaluate` connects has a digest behind its number. */
function isVersion(label: unknown, named: string): boolean {
  const known = String(label ?? "").toLowerCase();
  return [known, known.replace(/\.[0-9a-f]{8}$/, ""), known.replace(/^v/, "")].includes(named);
}

/** What a tool answers, where it does not refuse. */
export async function bodyOf(
  ask: Ask,
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Body | undefined> {
  const { status, body } = await ask(tool, args);
  return status < 300 ? body : undefined;
}

/** A time as people read it. */
export function timeOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

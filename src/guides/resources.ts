import { tooLarge } from "../../chapters/errors.ts";
import { cut } from "../../chapters/findings/pages/words.ts";
import { playerName } from "../../chapters/records/runs/runs.ts";
import { escapeText } from "../../chapters/text/markdown.ts";
import type { Outcome } from "../../tools/kernel/call.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { countLine, shape } from "../../tools/kernel/shaped.ts";
import { upTo } from "../mcp/tool-result.ts";
import { docPages } from "./docs.ts";
import type { Ask, Value } from "./values.ts";

/** What one operation answers, at an address. */
export interface Readable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `svc://…` with `{variable}` segments; without any it is a resource of its own. */
  readonly address: string;
  readonly mimeType: "text/markdown" | "application/json";
  readonly tool: string;
  readonly args: (variables: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>;
  /** What completes each variable. */
  readonly values: Readonly<Record<string, Value>>;
}

/** What clients want to read. Each is answered by its tool's own handler for the same caller. */
export const READABLES: readonly Readable[] = [
  {
    name: "status",
    title: "Where the org stands",
    description: "What the org has now, and what to do next.",
    address: "svc://status",
    mimeType: "text/markdown",
    tool: "org_status",
    args: () => ({}),
    values: {},
  },
  {
    name: "failure-modes",
    title: "Failure modes",
    description: "The named ways in which the org's agents fail.",
    address: "svc://failure-modes",
    mimeType: "text/markdown",
    tool: "failure_modes",
    args: () => ({}),
    values: {},
  },
  {
    name: "run-group",
    title: "A run group's verdict",
    description: "Met of valid trials with intervals, per task and family, with root causes.",
    address: "svc://groups/{group}",
    mimeType: "text/markdown",
    tool: "run_group",
    args: ({ group }) => ({ gid: group }),
    values: { group: "group" },
  },
  {
    name: "comparison",
    title: "Two run groups compared",
    description: "The verdict paired by task: what got better, what broke and why, how sure that is.",
    address: "svc://comparisons/{before}/{after}",
    mimeType: "text/markdown",
    tool: "compare_runs",
    args: ({ before, after }) => ({ a: before, b: after }),
    values: { before: "group", after: "group" },
  },
  {
    name: "trial",
    title: "A trial's timeline",
    description: "The request, each call with its answer class, the world's difference and each check's verdict.",
    address: "svc://runs/{run}/trials/{trial}",
    mimeType: "application/json",
    tool: "run_trace",
    args: ({ run, trial }) => ({ rid: run, trial }),
    values: { run: "run", trial: "trial" },
  },
  {
    name: "fidelity",
    title: "How faithful an environment's world is",
    description: "Per tool, how the world answers calls that it was not compiled from, with a plain recording beside.",
    address: "svc://environments/{environment}/fidelity",
    mimeType: "text/markdown",
    tool: "environment_fidelity",
    args: ({ environment }) => ({ env_id: environment }),
    values: { environment: "environment" },
  },
];

/** Where the documentation is. */
export const DOCS = "svc://docs/";

/** A resource as listed. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly mimeType: string;
}

/** The pages of the documentation as resources. */
export function docResources(): ListedResource[] {
  return docPages().map(({ name, title }) => ({ uri: DOCS + name, name, title, mimeType: "text/markdown" }));
}

/** How many run groups and environments a list names; the templates reach all of them. */
const NEWEST = 20;

// biome-ignore lint/suspicious/noExplicitAny: answers of two tools; a field that is not there makes no line.
type Body = any;

/** What an org has of its own: the newest run groups and environments, where their addresses are offered. */
export async function orgResources(ask: Ask, offered: ReadonlySet<string>): Promise<ListedResource[]> {
  const rows = async (name: string, tool: string, of: (body: Body) => ListedResource[]) => {
    if (!offered.has(name)) return [];
    const outcome = await ask(tool, { limit: NEWEST });
    return outcome.kind === "json" ? of(outcome.body) : [];
  };
  const [groups, environments] = await Promise.all([
    rows("run-group", "run_groups_list", (body) =>
      body.groups.map(({ group, player, status, environments: on }: Body) => ({
        uri: `svc://groups/${encodeURIComponent(group)}`,
        name: group,
        title: cut(`${playerName(player)} on ${on.map(({ label }: Body) => label).join(", ")}: ${status}`, 120),
        mimeType: "text/markdown",
      })),
    ),
    rows("fidelity", "sandboxes_list", (body) =>
      body.sandboxes.map(({ id, label }: Body) => ({
        uri: `svc://environments/${encodeURIComponent(id)}/fidelity`,
        name: id,
        title: cut(`Fidelity of ${label}`, 120),
        mimeType: "text/markdown",
      })),
    ),
  ]);
  return [...groups, ...environments];
}

/** The variables of an address that this one is of; undefined when it is of another. */
export function variablesOf({ address }: Pick<Readable, "address">, uri: string): Record<string, string> | undefined {
  const [wanted, given] = [address.split("/"), uri.split("/")];
  if (wanted.length !== given.length) return undefined;
  const variables: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given[i]) return undefined;
    if (name === undefined) continue;
    const value = decoded(given[i] ?? "");
    if (value === undefined || value === "") return undefined;
    variables[name] = value;
  }
  return variables;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The longest text of a resource, bytes; what is larger is read over REST. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What an operation answered as a text of its resource's type. Throws `too_large`. */
export async function textOf({ mimeType }: Readable, op: AnyOperation, outcome: Outcome): Promise<string> {
  const whole =
    outcome.kind === "file"
      ? outcome.file.content
      : mimeType === "application/json" || !op.shape
        ? JSON.stringify(outcome.body)
        : markdownOf(op, outcome.status, outcome.body);
  const text = (await upTo(whole, MOST_BYTES))?.toString("utf8");
  if (text === undefined) throw tooLarge("This is too large for a resource. Ask for it over REST.");
  return text;
}

/** A shaped answer for people and models: the verdict, the counts with how each was made, then the data. */
function markdownOf(op: AnyOperation, status: number, body: unknown): string {
  const { verdict, counts, next } = shape(op, status, body).structured;
  return [
    `# ${op.title}`,
    "",
    `**${escapeText(verdict, 2_000)}**`,
    "",
    ...counts.map((count) => `- ${escapeText(countLine(count), 400)}`),
    ...(next === undefined ? [] : ["", `Next: ${escapeText(next, 600)}`]),
    "",
    "```json",
    // Every line of it begins with a brace, a bracket, a quote or a space: nothing in it closes the fence.
    JSON.stringify(body, null, 1),
    "```",
    "",
  ].join("\n");
}

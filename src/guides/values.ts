import type { Outcome } from "../../tools/kernel/call.ts";

/** Asks an operation as the caller. Throws AppError as it refuses. */
export type Ask = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome>;

/** What the values of an argument are taken from. */
export type Value = "agent" | "surface" | "environment" | "group" | "run" | "trial" | "failure_mode";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there makes no value.
type Body = any;

interface Listed {
  readonly tool: string;
  /** Undefined where another argument has to stand first. */
  readonly args: (given: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>> | undefined;
  readonly of: (body: Body) => readonly string[];
}

/** The newest of each, which people want most, and no more than one page of a list. */
const page = () => ({ limit: 200 });

const SOURCES: Readonly<Record<Value, Listed>> = {
  agent: {
    tool: "agents_list",
    args: page,
    of: ({ agents }) => agents.flatMap((agent: Body) => (typeof agent.id === "string" ? [agent.name] : [])),
  },
  surface: {
    tool: "surfaces_list",
    args: page,
    of: ({ surfaces }) => surfaces.map((surface: Body) => surface.name),
  },
  environment: {
    tool: "sandboxes_list",
    args: page,
    of: ({ sandboxes }) => sandboxes.map((sandbox: Body) => sandbox.id),
  },
  group: {
    tool: "run_groups_list",
    args: page,
    of: ({ groups }) => groups.map((group: Body) => group.group),
  },
  run: { tool: "runs_list", args: page, of: ({ runs }) => runs.map((run: Body) => run.id) },
  trial: {
    tool: "run_get",
    args: ({ run }) => (run === undefined ? undefined : { rid: run }),
    // Those that failed first: they are what one looks for.
    of: ({ trials }) =>
      [...trials]
        .sort((a: Body, b: Body) => Number(b.end === "failed") - Number(a.end === "failed"))
        .map((each: Body) => each.trial),
  },
  failure_mode: {
    tool: "failure_modes",
    args: page,
    of: ({ failure_modes: modes }) => modes.map((mode: Body) => mode.id).reverse(),
  },
};

/** Values for an argument that hold what was typed, those that begin with it first. */
export async function valuesOf(
  ask: Ask,
  value: Value,
  typed: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { tool, args, of } = SOURCES[value];
  const asked = args(given);
  if (!asked) return [];
  const outcome = await ask(tool, asked);
  const body = outcome.kind === "file" ? outcome.file.data : outcome.body;
  return fitting([...new Set(of(body))], typed);
}

/** Of these the ones that hold what was typed, those that begin with it first. */
function fitting(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  const holds = values.filter((value) => value.toLowerCase().includes(wanted));
  return [...holds.filter(begins), ...holds.filter((value) => !begins(value))];
}

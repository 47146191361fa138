import type { Task } from "../../../worlds/tasks/schema.ts";
import type { Situation, TaskSelection } from "../tasks/task-selection.ts";

/** A value of an axis. */
export interface AxisValue {
  readonly axis: string;
  readonly value: string;
}

/** So many values are named where one is not known. */
const NAMED = 20;
/** Who asks, and how, is written as it was asked for. */
const WRITTEN_AS_ASKED = new Set(["persona", "register"]);

/** An axis and its value as they are said: `use_case "refund"`. */
export const nameValue = ({ axis, value }: AxisValue) => `${axis} ${JSON.stringify(value)}`;

/** The values that cells have, by axis. */
export function valuesOf(cells: readonly Situation[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const cell of cells)
    for (const [axis, value] of Object.entries(cell)) values[axis] = [...new Set([...(values[axis] ?? []), value])];
  return values;
}

/** The values that tasks have, by axis. */
export function valuesIn(tasks: readonly Task[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>();
  for (const { family, cell } of tasks)
    for (const [axis, value] of Object.entries({ family, ...cell }))
      values.set(axis, (values.get(axis) ?? new Set()).add(value));
  return values;
}

/** The values asked for that no task has. */
export function unmetOf(
  {
    selection = {},
    situations = [],
  }: {
    readonly selection?: Readonly<TaskSelection> | undefined;
    readonly situations?: readonly Situation[] | undefined;
  },
  has: ReadonlyMap<string, ReadonlySet<string>>,
): AxisValue[] {
  const asked = [selection, valuesOf(situations)].flatMap((one) =>
    Object.entries(one).flatMap(([axis, values]) => (values ?? []).map((value) => ({ axis, value }))),
  );
  const unmet = asked.filter(({ axis, value }) => !WRITTEN_AS_ASKED.has(axis) && has.get(axis)?.has(value) !== true);
  return [...new Map(unmet.map((one) => [nameValue(one), one])).values()];
}

/** Why a generation wrote nothing where tasks can be written: which values no task has, and which there are instead. */
export function whyNoneHas(
  narrowedBy: readonly string[],
  unmet: readonly AxisValue[],
  has: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const asked = `No task fits what was asked (${narrowedBy.join(", ")})`;
  if (unmet.length === 0) return `${asked}: tasks have each value, and none has all of them. Ask for fewer at once.`;
  const told = unmet.map((one) => {
    const instead = [...(has.get(one.axis) ?? [])].filter((value) => value !== "").sort();
    const more = instead.length - NAMED;
    const named = instead.slice(0, NAMED).map((value) => JSON.stringify(value));
    return `none has ${nameValue(one)}; there are ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  });
  return `${asked}: ${told.join(". ")}.`;
}

import { countOf } from "../../count-of.ts";
import { playerName } from "../../records/runs/runs.ts";
import { confidenceClause } from "../../statistics/bands.ts";
import type { Finding, FindingArm, FindingTask } from "./finding.ts";

/** Makes other people's text fit for one channel. */
export type Escape = (text: string) => string;

/** What stands on every rendering of stand-in data. */
export const EXAMPLE_NOTE = "Invented example data: no traces of a real agent are behind this.";

/** Characters of a name where a headline has to fit a short line: its figure stands after up to two names. */
export const SHORT_NAME = 20;

/** One line: which arm met less, by how much, and how sure that is. */
export function headline(finding: Finding, safe: Escape): string {
  const { main, tested, n, difference, words, cannot_tell: untold } = finding;
  const [m, t] = [playerName(main, safe), playerName(tested, safe)];
  if (untold !== undefined) return `Cannot tell ${t} (b) from ${m} (a): ${safe(untold.reason)}.`;
  if (n === 0) return `Cannot tell ${t} from ${m}: no task was run by both under the same terms.`;
  if (words === "no difference shown" || difference === 0) return `No difference shown between ${t} and ${m}.`;
  const less = difference < 0 ? [t, m] : [m, t];
  const met = `${less[0]} meets ${points(difference)} points less than ${less[1]}`;
  return words === "shown" ? `${met}.` : `Leaning: ${met}.`;
}

/** Met of valid with its interval, and what stands beside. */
export function armCounts({ met, valid, infra, invalid, low, high, lost }: FindingArm): string {
  const beside = [infra > 0 ? `${infra} infra` : "", invalid > 0 ? `${invalid} invalid` : ""].filter(Boolean);
  const interval = valid === 0 ? "" : ` (95 % interval ${percent(low)} to ${percent(high)} %)`;
  const without =
    lost === undefined || lost.trials === 0
      ? ""
      : `, without a verdict ${lost.trials} of ${lost.planned} trials (${percent(lost.low)} to ${percent(lost.high)} % with these failed or met)`;
  return `${met} of ${valid} met${interval}${beside.length === 0 ? "" : `, not counted: ${beside.join(", ")}`}${without}`;
}

/** How the finding was made: its tier, its n and its test. */
export function basis({ n, confidence, words, p, refused, tier, cannot_tell: untold }: Finding): string {
  const apart = refused === 0 ? "" : ` ${refused} ${refused === 1 ? "task was" : "tasks were"} not compared.`;
  if (untold !== undefined)
    return `Tier ${tier}, n = ${countOf(n, "task")}: counted from stored trials; no confidence; the comparison itself says what to do.${apart}`;
  const sure = confidenceClause(confidence);
  return `Tier ${tier}, n = ${countOf(n, "task")}: counted from stored trials; exact paired permutation test, p ${p.toPrecision(2)}, ${sure === "" ? `not decided: ${words}` : `${sure} (${words})`}.${apart}`;
}

/** Root causes of the arm that met less; empty where nothing failed. */
export function causeLine({ causes }: Pick<Finding, "causes">): string {
  return causes.map(({ cause, trials }) => `${cause} (${trials})`).join(", ");
}

/** A task's place and outcome per arm, without its request. */
export function taskCounts({ family, main, tested, causes }: FindingTask): string {
  const why = causes.length === 0 ? "" : `; ${causeLine({ causes })}`;
  return `${family}: main ${main.met} of ${main.valid}, tested ${tested.met} of ${tested.valid}${why}`;
}

/** How many changed tasks are not told one by one; empty when all are. */
export function moreTasks({ tasks, tasks_total: total }: Finding): string {
  const more = total - tasks.length;
  return more === 0 ? "" : `and ${more} more ${more === 1 ? "task" : "tasks"}`;
}

function points(difference: number): string {
  return (100 * Math.abs(difference)).toFixed(1);
}

function percent(part: number): string {
  return (100 * part).toFixed(1);
}

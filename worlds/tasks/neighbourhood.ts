import type { BaseState } from "../bundle.ts";
import type { Answered, OutOfFold } from "../compile/out-of-fold.ts";
import type { Certificate, Task } from "./schema.ts";

/** How a world answers where a task goes. */
export type Neighbourhood = NonNullable<Certificate["neighbourhood"]>;

/** What must be answered rightly, 0..1: the lower 95 % bound of it, and the share of every tool. */
const RIGHT = 0.9;
/** Fewer answered calls cannot bear that bound out, though all are right: 1.96² × 0.9 / 0.1 is 34.6. */
const FEWEST = 35;
const Z = 1.96;

/** The lower 95 % bound of a share (Wilson), 0 without any. */
function lowerBound(hits: number, n: number): number {
  if (n === 0) return 0;
  const p = hits / n;
  const z2 = (Z * Z) / n;
  return (p + z2 / 2 - Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n))) / (1 + z2);
}

/**
 * How held-out sessions were answered by the tools of a task, and whether the world is too poor for it. What counts is
 * what was answered: a gap is no wrong answer, and a script that meets one is refused elsewhere. Sessions of tasks that
 * the world knew others of count where the task begins as one recorded task did, those of tasks it did not know where it
 * begins as none did, and both where it begins as all of them did, since they went over the same rows. Where it begins as
 * one recorded task of which no other session was held out, its own sessions tell: what they asked again was answered as
 * before or not (of a task that is made of other sessions, what was answered of tasks that the world did not know). Tools
 * of which no answer was wrong hold nothing: the figures tell of how many calls. Else the world is too poor where one of
 * them was answered rightly in less than 90 %, or where the lower bound of right answers is under 90 %: of these tools,
 * or, since one wrong answer needs some fifty right ones beside it, of all tools. Undefined where nothing was measured.
 * Pure.
 */
export function neighbourhood(
  task: Pick<Task, "script" | "alternatives" | "start">,
  base: BaseState,
  outOfFold: OutOfFold | undefined,
): Neighbourhood | undefined {
  if (outOfFold === undefined) return undefined;
  const tools = [
    ...new Set([task.script, ...(task.alternatives ?? [])].flatMap(({ calls }) => calls.map(({ tool }) => tool))),
  ].sort();
  const { known, unknown, again = {} } = outOfFold;
  const kinds = base.recorded === undefined ? [unknown] : base.recorded.task === undefined ? [known, unknown] : [known];
  const instead =
    base.recorded?.task === undefined ? {} : task.start === undefined ? unknown : { ...unknown, ...again };
  const own = tools.map((tool) => {
    const counts = summed(kinds.map((kind) => kind[tool] ?? NONE));
    return { tool, ...(counts.calls === 0 ? (instead[tool] ?? NONE) : counts) };
  });
  const bad = own.find(({ right, wrong }) => wrong > 0 && right / (right + wrong) < RIGHT);
  const all = summed(kinds.flatMap((kind) => Object.values(kind)));
  const either = summed([known, unknown].flatMap((kind) => Object.values(kind)));
  const near = bounded("tools", summed(own));
  const ways = [
    near,
    // Of sessions that are not of its kind only where those of its kind are too few to bear anything out.
    bounded("world", all.right + all.wrong < FEWEST ? either : all),
  ] as const;
  const measured = task.start === undefined || own.every(({ right }) => right > 0);
  const clean = near.right > 0 && near.wrong === 0 && measured;
  const way = clean ? near : (ways.find(({ lower }) => lower >= RIGHT) ?? ways[1]);
  const { right, wrong, lower } = way;
  const poor = wrong > 0 && lower < RIGHT;
  return {
    tools,
    ...way,
    ...(bad
      ? { poor: `${bad.tool} was answered rightly in ${bad.right} of ${bad.right + bad.wrong}` }
      : poor
        ? {
            poor: `${way.over === "tools" ? "its tools were" : "the tools of its world were"} answered rightly in ${right} of ${right + wrong}, at least ${percent(lower)} of all`,
          }
        : {}),
  };
}

function bounded(over: Neighbourhood["over"], counts: Answered) {
  const { right, wrong } = counts;
  return { over, ...counts, lower: Math.floor(lowerBound(right, right + wrong) * 1000) / 1000 };
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

const NONE: Answered = { calls: 0, right: 0, wrong: 0 };

function summed(counts: readonly Answered[]): Answered {
  return counts.reduce(
    (sum, { calls, right, wrong }) => ({
      calls: sum.calls + calls,
      right: sum.right + right,
      wrong: sum.wrong + wrong,
    }),
    NONE,
  );
}

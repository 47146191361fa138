import { countOf } from "../../count-of.ts";
import { rootCauses } from "./root-run-facts.ts";
import { type Ask, bodyOf, subjectPair } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

/**
 * What the newer of two versions fails that the other met, by kind of task and by cause; what nobody is charged with
 * stands apart. Why the newest run failed, where there are no two.
 */
export async function broke(ask: Ask, text: string): Promise<string[]> {
  const pair = await subjectPair(ask, text);
  const compared = pair && (await bodyOf(ask, "compare_runs", { a: pair[0].group, b: pair[1].group, format: "json" }));
  if (!pair || !compared?.flips) return rootCauses(ask, text);
  const [before, newest] = pair;
  const flips: Body[] = compared.flips;
  const lost = flips.filter(({ delta }) => delta < 0);
  const gained = flips.length - lost.length;
  const { met, valid, infra, invalid } = compared.b;
  const causes = counted(lost.flatMap(({ causes: of }) => nameOf(of.b[0])));
  const kinds = counted(lost.flatMap(({ family }) => [String(family).replaceAll("_", " ")]));
  const tasks = `${countOf(lost.length, "task")} that ${before.who} met`;
  return [
    lost.length === 0
      ? `Nothing broke: ${newest.who} failed no task that ${before.who} met; it failed ${valid - met} of ${countOf(valid, "trial")}.`
      : `${newest.who} broke ${tasks}${causes[0] === undefined ? "" : `, most by ${causes[0][0]} (${causes[0][1]} of ${lost.length})`}: ${listed(kinds)}.`,
    ...(causes.length > 1 ? [`- causes: ${listed(causes)}`] : []),
    `- ${newest.who} failed ${valid - met} of ${countOf(valid, "trial")} in all, ${countOf(gained, "task")} got fixed`,
    ...(await rootCauses(ask, newest.who)).filter((line) => line.startsWith("- ")),
    `- apart from these ${infra} ended infra (nobody's fault who is measured) and ${invalid} invalid (the task's or the world's)`,
    ...newest.note,
  ];
}

function nameOf(cause: Body): string[] {
  const name = typeof cause === "string" ? cause : cause?.cause;
  return name === undefined ? [] : [String(name)];
}

/** How often each is there, the most frequent first. */
function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((x, y) => y[1] - x[1]);
}

function listed(counts: readonly [string, number][]): string {
  return counts.map(([name, n]) => `${name} ${n}`).join(", ");
}

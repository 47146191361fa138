import type { Arm, ComparedTask, Comparison } from "../../chapters/runs/compare/compare-types.ts";
import { meanReward } from "../../chapters/runs/compare/compare-verdict.ts";
import type { Gate } from "./compare-gate.ts";

/**
 * A comparison as JUnit XML: one case that is the gate, and one a task. A task fails where b met less of it than a; the
 * gate alone says whether the whole is a regression. Tasks that were not compared are skipped, with the reason.
 */
export function comparisonJunit(found: Comparison, gate: Gate): string {
  const worse = found.tasks.filter(({ delta }) => delta < 0);
  const shown = gate.code === 1;
  const cases = [
    testcase("gate", "verdict", gateBody(found, gate)),
    ...found.tasks.map((task) => testcase(task.label, `${task.index} ${task.family}`, taskBody(task, shown))),
    ...found.refused.map(({ label, index, reason }) =>
      testcase(label, `${index}`, `<skipped message="${attribute(reason)}"/>`),
    ),
  ];
  const failures = (shown ? 1 : 0) + (shown ? worse.length : 0);
  const skipped = found.refused.length + (gate.code === 2 ? 1 : 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite name="compare ${attribute(found.a.group)} ${attribute(found.b.group)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}">`,
    ...cases,
    "</testsuite></testsuites>",
    "",
  ].join("\n");
}

function testcase(suite: string, name: string, body: string): string {
  const open = `<testcase classname="${attribute(suite)}" name="${attribute(name)}"`;
  return body === "" ? `${open}/>` : `${open}>${body}</testcase>`;
}

function gateBody(found: Comparison, gate: Gate): string {
  const told = found.verdict.startsWith(gate.sentence) ? found.verdict : `${gate.sentence} ${found.verdict}`;
  const message = attribute(told);
  if (gate.code === 1) return `<failure message="${message}"/>`;
  return gate.code === 2 ? `<skipped message="${message}"/>` : `<system-out>${message}</system-out>`;
}

/** A task that got worse is a failure only where the whole is shown to have: single tasks go either way by chance. */
function taskBody(task: ComparedTask, shown: boolean): string {
  const counts = `a met ${share(task.a)}, b ${share(task.b)}`;
  if (task.delta >= 0) return "";
  const causes = task.causes.b.map(({ cause, trials }) => `${cause} (${trials})`).join(", ");
  const message = attribute(causes === "" ? counts : `${counts}; ${causes}`);
  return shown ? `<failure message="${message}"/>` : `<system-out>${message}</system-out>`;
}

function share(arm: Arm): string {
  const counts = `${arm.met} of ${arm.valid}`;
  return arm.rewards === undefined ? counts : `${counts} (mean reward ${meanReward(arm)})`;
}

/** Text as it may stand in XML: characters that XML does not know are left out. */
function attribute(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

import { type ComponentChild, h } from "preact";
import {
  type AgentRun,
  type Compared,
  confidenceText,
  counted,
  type EvaluationReport,
  earlierText,
  type MeasuredFidelity,
  percent,
} from "../evaluate/report.ts";
import { page, table } from "./html.ts";

/** An evaluation as a page of its own: the verdict first, then what it stands on. Reads as well without style. */
export function evaluationPage(report: EvaluationReport): string {
  const made = new Date(report.made_at * 1000).toISOString().slice(0, 16).replace("T", " ");
  return page(report.title, [
    h("h1", null, report.title),
    h(
      "p",
      { class: "soft" },
      `Made ${made} UTC. Every number below was computed by code from stored records (tier: deterministic).`,
    ),
    report.comparison && verdict(report.comparison),
    h("h2", null, "Runs"),
    ratesPlot(report.runs),
    runsTable(report.runs),
    report.comparison && flips(report.comparison),
    h("h2", null, "Tasks"),
    ...tasks(report),
    h("h2", null, "The world"),
    ...world(report),
  ]);
}

function verdict(compared: Compared): ComponentChild {
  const causes = compared.causes.map(({ cause, trials }) => `${cause} in ${counted(trials, "trial")}`).join(", ");
  return h(
    "section",
    null,
    h("p", { class: "verdict" }, compared.verdict),
    h(
      "p",
      null,
      `Here a is ${compared.before} and b is ${compared.after}. Confidence ${confidenceText(compared.confidence)} of 100 (${compared.words}): exact paired permutation test over ${compared.tasks} tasks that both ran under the same terms; ${compared.refused} refused.`,
    ),
    causes === "" ? null : h("p", null, `Root causes of what broke: ${causes}.`),
  );
}

function runsTable(runs: readonly AgentRun[]): ComponentChild {
  return table(
    "Met of valid trials, with the 95 % Wilson interval; infra and invalid trials stand beside and are not counted.",
    [
      { name: "Agent" },
      { name: "Met", n: true },
      { name: "Valid", n: true },
      { name: "Rate", n: true },
      { name: "Interval", n: true },
      { name: "Infra", n: true },
      { name: "Invalid", n: true },
    ],
    runs.map((run) => [
      run.name,
      run.met,
      run.valid,
      percent(run.met, run.valid),
      `${(100 * run.low).toFixed(0)} to ${(100 * run.high).toFixed(0)} %`,
      run.infra,
      run.invalid,
    ]),
  );
}

const PLOT = { width: 480, left: 130, right: 24, row: 30, name: 17 };

function shortened(name: string): string {
  return name.length <= PLOT.name ? name : `${name.slice(0, PLOT.name - 1)}…`;
}

/** Rates as points with their intervals, on one axis from 0 to 100 %. */
function ratesPlot(runs: readonly AgentRun[]): ComponentChild {
  const height = runs.length * PLOT.row + 30;
  const x = (share: number) => PLOT.left + share * (PLOT.width - PLOT.left - PLOT.right);
  const label = runs.map((run) => `${run.name} ${percent(run.met, run.valid)}`).join("; ");
  const plot = h(
    "svg",
    {
      viewBox: `0 0 ${PLOT.width} ${height}`,
      width: PLOT.width,
      height,
      role: "img",
      "aria-label": `Met rate per agent: ${label}`,
    },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      h("line", { x1: x(share), x2: x(share), y1: 4, y2: height - 24, stroke: "var(--line)" }),
      h("text", { x: x(share), y: height - 8, "text-anchor": "middle" }, `${share * 100} %`),
    ]),
    ...runs.flatMap((run, i) => {
      const y = i * PLOT.row + 18;
      return [
        h("text", { x: PLOT.left - 12, y: y + 4, "text-anchor": "end" }, shortened(run.name)),
        h("line", { x1: x(run.low), x2: x(run.high), y1: y, y2: y, stroke: "var(--mark)", "stroke-width": 3 }),
        ...(run.valid === 0 ? [] : [h("circle", { cx: x(run.met / run.valid), cy: y, r: 6, fill: "var(--mark)" })]),
      ];
    }),
  );
  return h("div", { class: "scroll" }, plot);
}

function flips(compared: Compared): ComponentChild {
  return h(
    "section",
    null,
    h("h2", null, "What changed, task by task"),
    compared.flips.length === 0
      ? h("p", null, "No task changed sides.")
      : table(
          `Tasks whose outcome differs between ${compared.before} and ${compared.after}.`,
          [
            { name: "Request", wide: true },
            { name: "Family" },
            { name: compared.before },
            { name: compared.after },
            { name: "Root cause" },
          ],
          compared.flips.map((flip) => [
            flip.request,
            flip.family,
            outcome(flip.before),
            outcome(flip.after),
            flip.cause ?? "",
          ]),
        ),
  );
}

function outcome(word: string): ComponentChild {
  return h("span", { class: word === "met" ? "good" : "bad" }, word);
}

function tasks({ tasks: counts }: EvaluationReport): ComponentChild[] {
  const { health } = counts;
  return [
    h(
      "p",
      null,
      `${counts.certified} of ${counts.written} written tasks passed review and count; refused: ${counts.refused}.`,
    ),
    ...(health === undefined
      ? []
      : [
          h(
            "p",
            null,
            `On them, ${health.rejected} of ${health.mutants} wrong trials were rejected and ${health.spared} of ${health.equals} equal ones spared.`,
          ),
        ]),
    table(
      "Certified tasks per family.",
      [{ name: "Family" }, { name: "Tasks", n: true }],
      Object.entries(counts.families).map(([family, n]) => [family, n]),
    ),
  ];
}

function world(report: EvaluationReport): ComponentChild[] {
  const { bundle } = report;
  return [
    h(
      "p",
      null,
      `Compiled from ${counted(report.files.length, "file")}: ${counted(bundle.tools, "tool")}, ${counted(bundle.exceptions, "recorded exception")}, ${counted(bundle.gaps.length, "gap")}.${bundle.set_aside === 0 ? "" : ` Set aside, as of an older form of the system: ${counted(bundle.set_aside, "trace")}.`}${bundle.earlier === 0 ? "" : ` It was ${earlierText(bundle.earlier)}.`}`,
    ),
    table(
      "Files read.",
      [
        { name: "File" },
        { name: "Format" },
        { name: "Traces", n: true },
        { name: "Calls", n: true },
        { name: "Refused", n: true },
      ],
      report.files.map((file) => [file.name, file.format, file.traces, file.calls, file.refused]),
    ),
    table(
      "Rows of the initial state.",
      [{ name: "Table" }, { name: "Rows", n: true }],
      Object.entries(bundle.rows).map(([name, n]) => [name, n]),
    ),
    ...[report.heldOut, report.live].map((measured) => (measured === undefined ? null : fidelity(measured))),
  ];
}

function fidelity(measured: MeasuredFidelity): ComponentChild {
  const row = (name: string, counts: MeasuredFidelity["counts"]) => [
    name,
    counts.calls,
    percent(counts.identical_volatile, counts.calls),
    counts.not_served,
    counts.wrong_success,
  ];
  return table(
    `Answers beside ${measured.against}: ${measured.sessions} sessions that were not used to compile.`,
    [
      { name: "Tool" },
      { name: "Calls", n: true },
      { name: "As observed", n: true },
      { name: "Not served", n: true },
      { name: "Wrong success", n: true },
    ],
    [row("all", measured.counts), ...Object.entries(measured.tools).map(([name, counts]) => row(name, counts))],
  );
}

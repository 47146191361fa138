import { OUTCOMES } from "../../chapters/findings/pages/fidelity.ts";
import type { Cell, PageDoc, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { wrongSides } from "../../chapters/findings/viewer/tool.ts";
import {
  type AgentRun,
  type Compared,
  confidenceText,
  counted,
  type EvaluationReport,
  earlierText,
  type MeasuredFidelity,
  percent,
  setAsideText,
} from "../evaluate/report.ts";
import { lossesText } from "../evaluate/send-evidence.ts";
import { trialSections } from "./evaluation-trials.ts";
import { renderPage } from "./render.ts";

const tier = "deterministic";

type Headline = NonNullable<PageDoc["verdict"]>;

/** An evaluation as a page of its own: the verdict first, then what it stands on. Reads as well without style. */
export function evaluationPage(report: EvaluationReport): Promise<string> {
  return renderPage(evaluationDoc(report));
}

/** The same as data. */
export function evaluationDoc(report: EvaluationReport): PageDoc {
  const { comparison, runs } = report;
  return {
    v: 1,
    title: report.title,
    made_at: report.made_at,
    verdict: warned(report, comparison === undefined ? without(report) : verdict(comparison)),
    ...(report.invented ? { invented: true } : {}),
    sections: [
      ...(comparison === undefined ? [] : trialSections(comparison)),
      ...(runs.length === 0 ? [] : [ratesPlot(runs), runsTable(runs)]),
      ...tasks(report),
      ...world(report),
      ...(report.proposed === undefined ? [] : [proposed(report.proposed)]),
      ...[report.heldOut, report.live].flatMap((measured) => (measured === undefined ? [] : fidelity(measured))),
    ],
  };
}

/** A headline says first what makes it worth less. */
function warned({ warnings }: EvaluationReport, headline: Headline): Headline {
  const { text, tone, ...rest } = headline;
  if (warnings.length === 0) return headline;
  const told = warnings.map((warning) => `Warning: ${warning.text}`).join(" ");
  return { text: `${text} ${told}`, tone: tone === "bad" ? tone : "warn", ...rest };
}

function verdict(compared: Compared): Headline {
  const causes = compared.causes.map(({ cause, trials }) => `${cause} in ${counted(trials, "trial")}`).join(", ");
  // The verdict says a letter where a name could be markup.
  const lettered = (arm: "a" | "b") =>
    compared.verdict.includes(arm === "a" ? compared.before : compared.after) ? "" : ` (${arm})`;
  return {
    text: compared.verdict,
    tone:
      compared.words === "no difference shown" || compared.worse === undefined
        ? "plain"
        : compared.worse === "b"
          ? "bad"
          : "good",
    tier,
    how: `The change is from ${compared.before}${lettered("a")} to ${compared.after}${lettered("b")}. Confidence ${confidenceText(compared.confidence)} of 100 (${compared.words}): exact paired permutation test over ${compared.tasks} tasks that both ran under the same terms; ${compared.refused} refused.${causes === "" ? "" : ` Root causes of what broke: ${causes}.`}`,
  };
}

/** What stands first where nothing was compared. */
function without({ tasks: { certified, written }, runs }: EvaluationReport): Headline {
  return {
    text: `${certified} of ${written} tasks are certified, and ${counted(runs.length, "player")} ran them; nothing was compared.`,
    tone: "plain",
    tier,
    how: "Name two agents to have them compared.",
  };
}

function ratesPlot(runs: readonly AgentRun[]): PageSection {
  return {
    show: "rates",
    heading: "Runs",
    caption:
      "Met of valid trials per agent with the 95 % interval over tasks, beside harnesses that must meet all and none.",
    tier,
    rows: runs.map(({ name, met, valid, low, high }) => ({
      name: `${name} (n ${valid})`,
      ...(valid === 0 ? {} : { rate: met / valid }),
      low,
      high,
      n: valid,
    })),
  };
}

function runsTable(runs: readonly AgentRun[]): PageSection {
  return {
    show: "table",
    caption: "Met of valid trials, with the 95 % interval over tasks; infra and invalid trials are not counted.",
    tier,
    columns: [
      { name: "Agent" },
      { name: "Met", kind: "number" },
      { name: "Valid", kind: "number" },
      { name: "Rate", kind: "number" },
      { name: "Interval", kind: "number" },
      { name: "Infra", kind: "number" },
      { name: "Invalid", kind: "number" },
    ],
    rows: runs.map((run) => [
      run.name,
      run.met,
      run.valid,
      percent(run.met, run.valid),
      `${(100 * run.low).toFixed(0)} to ${(100 * run.high).toFixed(0)} %`,
      run.infra,
      run.invalid,
    ]),
  };
}

function tasks({ tasks: { certified, written, refused, health, families } }: EvaluationReport): PageSection[] {
  return [
    {
      show: "text",
      heading: "Tasks",
      paragraphs: [
        `${certified} of ${written} written tasks passed review and count; refused: ${refused}.`,
        ...(health === undefined
          ? []
          : [
              `On them, ${health.rejected} of ${health.mutants} wrong trials were rejected and ${health.spared} of ${health.equals} equal ones spared.`,
            ]),
      ],
    },
    {
      show: "table",
      caption: "Certified tasks per family.",
      tier,
      columns: [{ name: "Family" }, { name: "Tasks", kind: "number" }],
      rows: Object.entries(families),
    },
  ];
}

/** What a model proposed, tool by tool, and what replay took of it. */
function proposed({ model, usd, tier, reason, tools, note }: NonNullable<EvaluationReport["proposed"]>): PageSection {
  return {
    show: "table",
    caption:
      `Programs proposed by ${model} for $${usd.toFixed(4)}. ${note ?? ""} ${note === reason ? "" : reason}`.trim(),
    tier,
    columns: [{ name: "Tool" }, { name: "What replay says" }],
    rows: tools.map((one) => [one.tool, one.reason]),
  };
}

function world({ bundle, files }: EvaluationReport): PageSection[] {
  const { tools, exceptions, gaps, set_aside, changed_tools, earlier, rows } = bundle;
  return [
    {
      show: "text",
      heading: "The world",
      paragraphs: [
        `Compiled from ${counted(files.length, "file")}: ${counted(tools, "tool")}, ${counted(exceptions, "recorded exception")}, ${counted(gaps.length, "tool")} never served.${set_aside === 0 ? "" : ` Of these, ${setAsideText(set_aside, changed_tools)}.`}${earlier === 0 ? "" : ` It was ${earlierText(earlier)}.`}`,
      ],
    },
    {
      show: "table",
      caption: "Files read.",
      tier,
      columns: [
        { name: "File" },
        { name: "Format" },
        { name: "Traces", kind: "number" },
        { name: "Calls", kind: "number" },
        { name: "Refused", kind: "number" },
        { name: "Not kept" },
      ],
      rows: files.map((file) => [
        ...[file.name, file.format, file.traces, file.calls, file.refused],
        lossesText(file.losses).replace("not kept: ", ""),
      ]),
    },
    {
      show: "table",
      caption: "Rows of the initial state.",
      tier,
      columns: [{ name: "Table" }, { name: "Rows", kind: "number" }],
      rows: Object.entries(rows),
    },
  ];
}

/** How a world answered, tool by tool: a tool leads to its wrong answers, which are folded until they are asked for. */
function fidelity({ against, sessions, counts: all, tools, opened = {} }: MeasuredFidelity): PageSection[] {
  const places = new Map(Object.keys(opened).map((tool, i) => [tool, `wrong-${i + 1}`]));
  const row = (name: Cell, counts: MeasuredFidelity["counts"]): Cell[] => [
    name,
    counts.calls,
    counts.identical_volatile,
    counts.wrong_success,
    counts.calls - counts.identical_volatile - counts.wrong_success - counts.not_served,
    counts.not_served,
  ];
  const named = (tool: string): Cell => {
    const place = places.get(tool);
    return place === undefined ? tool : { text: tool, place };
  };
  return [
    {
      show: "table",
      caption: `Answers beside ${against}: ${sessions} sessions that were not used to compile. ${OUTCOMES}${places.size === 0 ? "" : " A tool leads to its calls that were answered otherwise."}`,
      tier,
      columns: [
        { name: "Tool" },
        { name: "Calls", kind: "number" },
        { name: "As observed", kind: "number" },
        { name: "Wrong success", kind: "number" },
        { name: "Wrong refusal", kind: "number" },
        { name: "Not served", kind: "number" },
      ],
      rows: [row("all", all), ...Object.entries(tools).map(([name, counts]) => row(named(name), counts))],
    },
    ...Object.entries(opened).map(
      ([tool, calls]): PageSection => ({
        ...wrongSides(tool, calls),
        heading: `${tool}: calls that were not answered as observed`,
        place: places.get(tool),
      }),
    ),
  ];
}

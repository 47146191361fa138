import type { Cell, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { cut } from "../../chapters/findings/pages/words.ts";
import { answerRows, callRows, changeRows, marked } from "../../chapters/findings/viewer/pair.ts";
import { type Compared, counted, type FlippedTrial, type ListedTrial, type OpenedPair } from "../evaluate/report.ts";

const tier = "deterministic";
/** Trials that one table lists. */
const LISTED = 200;

type Arms = Pick<Compared, "before" | "after">;
type Sections = readonly PageSection[];

/**
 * What a comparison stands on: the tasks that changed sides, failures by root cause, what each check decided. Names in the
 * tables lead to the trials behind them, which are folded until they are asked for.
 */
export function trialSections(compared: Compared): PageSection[] {
  const { flips, opened = { trials: [], pairs: [] } } = compared;
  const pairs = [
    ...flips.flatMap(({ opened: pair, ...flip }) => (pair ? [{ ...flip, opened: pair }] : [])),
    ...opened.pairs,
  ];
  const places = new Map(pairs.map(({ task, opened: { n } }, i) => [`${task} ${n}`, anchorOf(i)]));
  const shown = new Map(pairs.map(({ task }, i) => [task, anchorOf(i)]));
  const request = ({ task, n, request: text }: ListedTrial): Cell => {
    const place = places.get(`${task} ${n}`);
    return place === undefined ? cut(text, 300) : { text: cut(text, 300), place };
  };
  return [
    flipTable(compared, shown),
    ...causes(compared, opened.trials, request),
    ...checks(compared, opened.trials, request),
    ...pairs.map((pair, i) => sideBySide(compared, pair, i)),
  ];
}

function anchorOf(pair: number): string {
  return `trials-${pair + 1}`;
}

function flipTable(compared: Compared, shown: ReadonlyMap<string, string>): PageSection {
  const heading = "What changed, task by task";
  if (compared.flips.length === 0) return { show: "text", heading, paragraphs: ["No task changed sides."] };
  return {
    show: "table",
    heading,
    caption: `Tasks whose outcome differs between ${compared.before} and ${compared.after}; a request that is a link opens both trials below.`,
    tier,
    columns: [
      { name: "Request", kind: "wide" },
      { name: compared.before },
      { name: compared.after },
      { name: "Family" },
      { name: "Root cause" },
    ],
    rows: compared.flips.map(({ task, request, before, after, family, cause }) => {
      const place = shown.get(task);
      return [
        place === undefined ? request : { text: request, place },
        outcome(before),
        outcome(after),
        family,
        cause ?? "",
      ];
    }),
  };
}

function outcome(word: string): Cell {
  return { text: word, tone: word === "met" ? "good" : "bad" };
}

/** A table with a number for each version; the first cell of a row leads to what it counts. */
function byArm(heading: string, caption: string, first: string, arms: Arms, rows: Cell[][]): PageSection {
  const columns = [
    { name: first },
    { name: arms.before, kind: "number" as const },
    { name: arms.after, kind: "number" as const },
  ];
  return { show: "table", heading, caption, tier, columns, rows };
}

/** The trials that did not end met by why, each cause with its trials folded below the table. */
function causes(arms: Arms, trials: readonly ListedTrial[], request: (of: ListedTrial) => Cell): Sections {
  const failed = trials.filter(({ end }) => end !== "met");
  if (failed.length === 0) return [];
  const byCause = [...Map.groupBy(failed, ({ end, root_cause, cause }) => root_cause ?? cause ?? end)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const count = (own: readonly ListedTrial[], arm: ListedTrial["arm"]) => own.filter((each) => each.arm === arm).length;
  return [
    byArm(
      "Root causes",
      "Trials that were not met, by why; a cause leads to its trials.",
      "Root cause",
      arms,
      byCause.map(([cause, own], i) => [
        { text: cause.replaceAll("_", " "), place: `cause-${i + 1}` },
        count(own, "before"),
        count(own, "after"),
      ]),
    ),
    ...byCause.map(
      ([cause, own], i): PageSection => ({
        show: "table",
        heading: `${cause.replaceAll("_", " ")}: ${counted(own.length, "trial")}`,
        place: `cause-${i + 1}`,
        caption: `Trials that were not met; root cause: ${cause.replaceAll("_", " ")}. A request that is a link opens the trial beside the other version's.`,
        tier,
        columns: [
          { name: "Request", kind: "wide" },
          { name: "Agent" },
          { name: "Try", kind: "number" },
          { name: "Failed checks", kind: "wide" },
        ],
        rows: own.slice(0, LISTED).map((each) => [
          request(each),
          arms[each.arm],
          each.n,
          each.checks
            .filter(({ verdict }) => verdict !== "met")
            .map(({ kind, reason }) => `${kind}: ${cut(reason, 300)}`)
            .join("; "),
        ]),
        of: own.length,
      }),
    ),
  ];
}

const RANK = { not_met: 0, not_decided: 1, met: 2 } as const;

/** What each kind of check decided of both runs, with its decisions folded below the table, those against a trial first. */
function checks(arms: Arms, trials: readonly ListedTrial[], request: (of: ListedTrial) => Cell): Sections {
  const decided = trials.flatMap((trial) => trial.checks.map((check) => ({ trial, check })));
  if (decided.length === 0) return [];
  const byKind = [...Map.groupBy(decided, ({ check }) => check.kind)].sort(([a], [b]) => (a < b ? -1 : 1));
  const count = (own: typeof decided, arm: ListedTrial["arm"]) => {
    const of = own.filter(({ trial }) => trial.arm === arm);
    return `${of.filter(({ check }) => check.verdict === "met").length} of ${of.length}`;
  };
  return [
    byArm(
      "Checks",
      "How often each kind of check was met; a check leads to what it decided.",
      "Check",
      arms,
      byKind.map(([kind, own], i) => [
        { text: kind, place: `check-${i + 1}` },
        count(own, "before"),
        count(own, "after"),
      ]),
    ),
    ...byKind.map(([kind, own], i): PageSection => {
      const ranked = own.toSorted((a, b) => RANK[a.check.verdict] - RANK[b.check.verdict]);
      return {
        show: "table",
        heading: `What ${kind} decided`,
        place: `check-${i + 1}`,
        caption: `What ${kind} decided of each trial, and why; trials that did not meet it stand first.`,
        tier,
        columns: [
          { name: "Request", kind: "wide" },
          { name: "Agent" },
          { name: "Try", kind: "number" },
          { name: "Verdict" },
          { name: "Why", kind: "wide" },
        ],
        rows: ranked.slice(0, LISTED).map(({ trial, check: { verdict, reason } }) => [
          request(trial),
          arms[trial.arm],
          trial.n,
          {
            text: verdict.replace("_", " "),
            tone: verdict === "met" ? "good" : verdict === "not_met" ? "bad" : "warn",
          },
          cut(reason, 400),
        ]),
        of: own.length,
      };
    }),
  ];
}

/** Two trials of a task side by side: their calls, what they said, what they changed, and what the checks decided. */
function sideBySide(
  { before, after }: Arms,
  { request, opened: trials }: { readonly request: string; readonly opened: OpenedPair },
  i: number,
): PageSection {
  const names = { a: before, b: after };
  const calls = marked(callRows(trials.before.calls, trials.after.calls, names));
  const said = answerRows(trials.before.answers, trials.after.answers);
  const decided = (of: FlippedTrial) =>
    of.checks.map(({ kind, verdict, reason }) => `${kind} ${verdict.replace("_", " ")}: ${reason}`).join("; ");
  const verdictOf = (arm: string, of: FlippedTrial) =>
    `${arm} ended ${of.end}${of.root_cause === null ? "" : ` (${of.root_cause})`}: ${decided(of)}.`;
  return {
    show: "sides",
    place: anchorOf(i),
    heading: `${i + 1}. ${request}`,
    caption: `${verdictOf(before, trials.before)} ${verdictOf(after, trials.after)}`,
    tier,
    ...names,
    rows: [
      ...calls,
      ...(calls.some(({ first }) => first) ? said : marked(said)),
      ...changeRows(trials.before.diff, trials.after.diff, names),
    ],
  };
}

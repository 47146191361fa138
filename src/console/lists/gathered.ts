import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { failedTrials, NEWEST as RUNS } from "../../../chapters/findings/modes/mode-trials.ts";
import { counted, cut, inWords, percent } from "../../../chapters/findings/pages/words.ts";
import type { ModeDoc } from "../../../chapters/modes/record-modes.ts";
import { lookBack } from "../../../chapters/online/look-back.ts";
import { playerName, Run } from "../../../chapters/records/runs/runs.ts";
import { table } from "../../pages/html.ts";
import { block, choice, getForm, hidden, postForm } from "../forms.ts";
import { pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";
import { textOf } from "./query.ts";

/** Newest traces of a system that rules read, and runs of a cause that are linked. */
export const LOOKED_AT = 100;
const LINKED = 4;

type Known = Pick<ModeDoc, "id" | "title" | "behaviour" | "status">;

/** What failed, gathered without anybody's word: root causes of the newest runs, and what rules find in the newest traces. */
export async function gathered(visit: Visit, modes: readonly Known[]): Promise<ComponentChild> {
  return [await causesOfRuns(visit, modes), await foundByRules(visit, modes)];
}

/** The mode that is of a behaviour already, else the form that makes one. */
function madeOf(visit: Visit, modes: readonly Known[], behaviour: string): ComponentChild {
  const mode = modes.find((each) => each.behaviour === behaviour && each.status !== "retired");
  if (mode !== undefined) return html`<a href=${pathOf({ page: "mode", id: mode.id })}>${cut(mode.title, 60)}</a>`;
  return postForm(visit, "/failure-modes/made", "Make it a failure mode", hidden("behaviour", behaviour), {
    plain: true,
    name: `Make a failure mode of ${inWords(behaviour)}`,
  });
}

/** Root causes of agents' failed trials in the newest runs, the most frequent first; each opens in the runs that have it. */
async function causesOfRuns(visit: Visit, modes: readonly Known[]): Promise<ComponentChild> {
  const withCause: { readonly run: string; readonly cause: string }[] = [];
  for await (const { run, root_cause: cause } of failedTrials(visit.ctx, RUNS))
    if (cause) withCause.push({ run, cause });
  if (withCause.length === 0) return null;
  const ids = [...new Set(withCause.map(({ run }) => run))];
  const runs = new Map((await visit.ctx.store.records.getMany(Run, ids)).map((run) => [run.id, run]));
  const causes = [...Map.groupBy(withCause, ({ cause }) => cause)].sort(([, a], [, b]) => b.length - a.length);
  return block(
    "What failed in the newest runs",
    table(
      `${counted(withCause.length, "failed trial")} of agents among the newest ${RUNS} runs by root cause, the most frequent first; a run opens its trials of the cause.`,
      [
        { name: "Root cause" },
        { name: "Trials", n: true },
        { name: "Share", n: true },
        { name: "In runs", wide: true },
        { name: "Failure mode" },
      ],
      causes.map(([cause, of]) => {
        const groups = [...Map.groupBy(of, ({ run }) => runs.get(run)?.group ?? "")].filter(([group]) => group !== "");
        return [
          inWords(cause),
          of.length,
          percent(of.length / withCause.length),
          html`${groups.slice(0, LINKED).map(([group, trials], i) => {
            const player = runs.get(trials[0]?.run ?? "")?.player;
            const against = new URLSearchParams({ cause }).toString();
            return html`${i > 0 && ", "}<a href=${pathOf({ page: "trials", id: group, against })}>${cut(player ? playerName(player) : "a run", 40)}: ${trials.length}</a>`;
          })}${groups.length > LINKED && `, and ${groups.length - LINKED} more`}`,
          madeOf(visit, modes, cause),
        ];
      }),
    ),
  );
}

/** What rules find in the newest traces of a system, each with the traces that show it. */
async function foundByRules(visit: Visit, modes: readonly Known[]): Promise<ComponentChild> {
  const { surfaces } = await visit.call<{ surfaces: readonly { readonly name: string }[] }>("surfaces_list", {
    limit: 200,
  });
  const asked = textOf(visit, "system", 200);
  const system = surfaces.find(({ name }) => name === asked)?.name ?? surfaces[0]?.name;
  if (system === undefined) return null;
  const { traces, failed, found } = await lookBack(visit.ctx, system, LOOKED_AT);
  const rows = [...found].filter(([, ids]) => ids.length > 0).sort(([, a], [, b]) => b.length - a.length);
  const other =
    surfaces.length > 1 &&
    getForm(
      "/failure-modes",
      "Look at it",
      choice(
        "system",
        "System",
        surfaces.map(({ name }) => ({ value: name, text: cut(name, 60) })),
        system,
      ),
      { row: true },
    );
  if (traces === 0 && surfaces.length === 1) return null;
  return block(
    `What rules find in traces of ${cut(system, 60)}`,
    rows.length === 0
      ? html`<p>${traces === 0 ? "No trace of it is stored." : `Rules find no failure in its newest ${counted(traces, "trace")}.`}</p>`
      : table(
          `Rules find a failure in ${failed} of its newest ${counted(traces, "trace")}; a number opens those traces.`,
          [{ name: "Failure" }, { name: "Traces", n: true }, { name: "Share", n: true }, { name: "Failure mode" }],
          rows.map(([rule, ids]) => [
            inWords(rule),
            html`<a href=${showingPath(rule, system)}>${ids.length}</a>`,
            percent(ids.length / traces),
            madeOf(visit, modes, rule),
          ]),
        ),
    other,
  );
}

/** The list of the newest traces of a system in which a rule finds a failure. */
export function showingPath(rule: string, system: string): string {
  return pathOf({ page: "showing", id: rule, against: system });
}

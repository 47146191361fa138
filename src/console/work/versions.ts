import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badRequest, notFound } from "../../../chapters/errors.ts";
import { type AgentDoc, findVersion } from "../../../chapters/find-agent.ts";
import { agentPage, type VersionRow } from "../../../chapters/findings/pages/agents.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { differing, startedShort } from "../../../chapters/findings/pages/versions.ts";
import {
  counted,
  cut,
  dollars,
  minuteOf,
  points,
  seconds,
  tokensText,
} from "../../../chapters/findings/pages/words.ts";
import { table } from "../../pages/html.ts";
import { block, choice, folded, getForm, hidden, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { metCell } from "../lists/groups.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

/** Versions that are shown beside each other at most. */
const MOST = 4;
/** Versions that an agent's page lists, newest first. */
const LISTED = 100;

/** What versions of an agent differ in, and the labels that they are known by. */
export const versionPages: readonly ConsoleRoute[] = [
  shows("/agents/:aid/versions", versionsCompared),
  does("/agents/:aid/label", async (visit) => {
    const [aid, version] = [visit.param("aid"), needed(visit, "version")];
    const { agent } = await agentPage(visit.ctx, aid);
    findVersion(agent, version);
    const label = field(visit, "label") ?? null;
    await visit.call("version_labels_put", { version, label, by: visit.member.name });
    return { to: pathOf({ page: "agent", id: aid }) };
  }),
  does("/agents/:aid/primary", async (visit) => {
    const aid = visit.param("aid");
    await visit.call("agent_primary", { aid, by: visit.member.name });
    return { to: pathOf({ page: "agent", id: aid }) };
  }),
  does("/agents/:aid/changes", async (visit) => {
    const [aid, version] = [visit.param("aid"), needed(visit, "version")];
    await visit.call("agent_version_changes_post", { aid, version });
    const v = visit.form.getAll("v").map((each) => ["v", each]);
    return { to: `${CONSOLE}/agents/${encodeURIComponent(aid)}/versions?${new URLSearchParams(v)}` };
  }),
];

const rateOf = ({ counts: { met, failed } }: NonNullable<VersionRow["run"]>) => met / (met + failed);

/** Met of the newest run of a version, as the list of runs shows it. */
function rateCell({ run }: VersionRow): ComponentChild {
  return run === undefined ? "not run" : metCell(run.group, run.counts);
}

function changeCell({ run, before }: Pick<VersionRow, "run" | "before">): ComponentChild {
  if (run === undefined || before === undefined) return "";
  const change = rateOf(run) - rateOf(before);
  const tone = change < 0 ? "bad" : change > 0 ? "good" : undefined;
  const href = pathOf({ page: "compare", id: before.group, against: run.group });
  return html`<a class=${tone} href=${href}>${points(change)} points</a>`;
}

function tookCells({ took }: VersionRow): string[] {
  return [
    took?.ms === undefined ? "" : seconds(took.ms.p50),
    took?.tokens === undefined ? "" : tokensText(took.tokens),
    took?.usd === undefined ? "" : dollars(took.usd.mean),
  ];
}

const TOOK = [
  { name: "Median time", n: true },
  { name: "Tokens a trial", n: true },
  { name: "Cost a trial", n: true },
];

/** An agent's versions, newest first; where it has more than one, some can be ticked and laid beside each other. */
export function versionList(agent: AgentDoc, all: readonly VersionRow[]): ComponentChild {
  const several = all.length > 1;
  const rows = all.slice(0, LISTED);
  const more = all.length > LISTED ? ` The newest ${LISTED} of ${all.length}.` : "";
  const list = table(
    `Newest first, each with its newest run. A version never changes; a retired one starts no run.${several ? ` Tick two to ${MOST} to see what they differ in and how they did.` : ""}${more}`,
    [
      { name: "Pick", pick: true },
      { name: "Version" },
      { name: "Label" },
      { name: "What changed", wide: true },
      { name: "Newest run", n: true },
      { name: "Change", n: true },
      ...TOOK,
      { name: "Stands" },
      { name: "Made (UTC)" },
      { name: "By" },
      { name: "Started by", wide: true },
    ],
    rows.map((row) => {
      const { version, label = "" } = row;
      const name = cut(version.version, 60);
      const pick = html`<input type="checkbox" name="v" value=${version.version} aria-label="Pick version ${name}" />`;
      return [
        several ? pick : "",
        name,
        label === "" ? "" : html`<span class="badge">${cut(label, 40)}</span>`,
        cut(version.notes ?? version.changes?.line ?? "", 300),
        rateCell(row),
        changeCell(row),
        ...tookCells(row),
        version.retired_at === undefined ? "" : "retired",
        minuteOf(version.created_at),
        cut(version.by, 40),
        startedShort(version),
      ];
    }),
  );
  const place = `/agents/${encodeURIComponent(agent.id)}/versions`;
  return block("Versions", several ? getForm(place, "Compare the ticked", list) : list);
}

/** Gives a version a name that people know it by, and makes the agent the one that is spoken of first. */
export function labelForms(visit: Visit, { id, primary, retired_at, versions }: AgentDoc): ComponentChild {
  const options = versions.map(({ version }) => ({ value: version, text: cut(version, 60) })).toReversed();
  const place = `/agents/${encodeURIComponent(id)}`;
  return folded(
    "Label a version",
    html`<p>The version labelled “main” is what others are held against, on the first page and in what is sent. A label stands in place of the one before; without any it is taken away.</p>`,
    postForm(
      visit,
      `${place}/label`,
      "Label it",
      [
        choice("version", "Version", options),
        textField("label", "Label (empty: none)", { size: 20, offered: ["main"] }),
      ],
      { row: true },
    ),
    !primary &&
      retired_at === undefined &&
      postForm(visit, `${place}/primary`, "Make it the primary agent", null, { plain: true }),
  );
}

/** Some versions of an agent: what they differ in, how each did in its newest run, and the ways to compare those. */
async function versionsCompared(visit: Visit): Promise<View> {
  const { agent, versions } = await agentPage(visit.ctx, visit.param("aid"));
  const asked = [...new Set(visit.query.getAll("v"))];
  if (asked.length < 2 || asked.length > MOST)
    throw badRequest(
      `Tick two to ${MOST} versions to compare them: ${asked.length === 0 ? "none was" : asked.length === 1 ? "one was" : `${asked.length} were`} ticked.`,
    );
  // Oldest first: a change is told from the one before to the one after.
  const rows = versions.toReversed().filter(({ version }) => asked.includes(version.version));
  if (rows.length < asked.length) throw notFound("agent version");
  const name = (row: VersionRow) => cut(row.version.version, 40);
  const [first] = rows;
  const ran = rows.filter(({ run }) => run !== undefined);
  const doc: PageDoc = {
    v: 1,
    title: `${cut(agent.name, 60)}: versions ${rows.map(name).join(", ")}`,
    made_at: visit.ctx.now(),
    verdict: {
      text:
        ran.length === 0
          ? "None of them has run yet."
          : `${ran.map((row) => `${name(row)} met ${metWords(row)}`).join(", ")}.`,
      tone: "plain",
      tier: "deterministic",
      how: "Of the newest run of each; whether a change can be chance, the comparison of two runs says.",
    },
    sections: [differing(rows.map(({ version }) => version))],
  };
  const path = `${CONSOLE}/agents/${encodeURIComponent(agent.id)}`;
  const runs = rows.flatMap(({ run }) => run?.group ?? []);
  const together = runs.length < 2 ? undefined : new URLSearchParams(runs.map((group) => ["g", group]));
  const lead = html`
    <p class="ways">
      ${together && html`<a class="button" href="${CONSOLE}/groups/compare?${together}">Compare their newest runs</a> `}
      <a href=${path}>The agent</a> <a href="${CONSOLE}/start?${new URLSearchParams({ player: `agent:${agent.id}` })}">Run it</a>
    </p>
  `;
  const did = table(
    `Their newest runs, oldest version first; the change is against ${first === undefined ? "the first" : name(first)}, and opens the two runs task by task.`,
    [
      { name: "Version" },
      { name: "Newest run", n: true },
      { name: "Change", n: true },
      ...TOOK,
      { name: "On", wide: true },
    ],
    rows.map((row) => [
      name(row),
      rateCell(row),
      row === first ? "" : changeCell({ run: row.run, before: first?.run }),
      ...tookCells(row),
      cut(row.run?.environments.map(({ label }) => label).join(", ") ?? "", 120),
    ]),
  );
  const unread = rows.filter(({ version: { changes, origin } }) => changes === undefined && origin?.sha !== undefined);
  const read = unread.map(({ version: { version } }) =>
    postForm(
      visit,
      `/agents/${encodeURIComponent(agent.id)}/changes`,
      `Read what files ${cut(version, 40)} changed`,
      [hidden("version", version), rows.map((row) => hidden("v", row.version.version))],
      { plain: true },
    ),
  );
  return { doc, lead, below: block("How they did", did), forms: read };
}

function metWords({ run }: VersionRow): string {
  const { met = 0, failed = 0 } = run?.counts ?? {};
  return `${met} of ${counted(met + failed, "valid trial")}`;
}

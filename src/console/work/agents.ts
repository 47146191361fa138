import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { AppError, badField } from "../../../chapters/errors.ts";
import type { AgentDoc } from "../../../chapters/find-agent.ts";
import { agentPage, agentsPage } from "../../../chapters/findings/pages/agents.ts";
import { cut } from "../../../chapters/findings/pages/words.ts";
import { readTrend } from "../../../chapters/runs/groups/trend.ts";
import { block, choice, folded, hidden, longField, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { rateChart } from "../home/trends.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { labelForms, versionList } from "./versions.ts";

const PLACE = "/agents";
const KINDS = [
  { value: "command", text: "a command on the machine of the service" },
  { value: "http", text: "an HTTP endpoint" },
  { value: "repository", text: "a Git repository" },
];
const ADAPTERS = [
  { value: "", text: "the trial contract's JSON (svc)" },
  { value: "openai-chat", text: "OpenAI chat completions" },
  { value: "text", text: "plain text" },
];

/** Agents that are tried: connected, given versions, retired and restored. */
export const agentPages: readonly ConsoleRoute[] = [
  shows(PLACE, agents),
  does(PLACE, async (visit) => {
    const kind = needed(visit, "kind");
    const { agent } = await byForm(
      visit.call<{ agent: { id: string } }>("agents_post", {
        kind,
        name: needed(visit, "name"),
        ...target(visit, kind),
        ...given(visit, "version", "model"),
        by: visit.member.name,
      }),
    );
    return { to: pathOf({ page: "agent", id: agent.id }) };
  }),
  shows(`${PLACE}/:aid`, agent),
  does(`${PLACE}/:aid/versions`, async (visit) => {
    const aid = visit.param("aid");
    const { agent: found } = await agentPage(visit.ctx, aid);
    await byForm(
      visit.call("agent_versions_post", {
        aid,
        ...target(visit, found.agent_kind),
        ...given(visit, "version", "notes"),
        by: visit.member.name,
      }),
    );
    return { to: pathOf({ page: "agent", id: aid }) };
  }),
  does(`${PLACE}/:aid/retire`, async (visit) => {
    const [aid, version] = [visit.param("aid"), field(visit, "version")];
    const change = { aid, retired: needed(visit, "retired") === "yes", by: visit.member.name };
    if (version === undefined) await visit.call("agent_retire", change);
    else await visit.call("agent_version_patch", { ...change, version });
    return { to: pathOf({ page: "agent", id: aid }) };
  }),
  does(`${PLACE}/:aid/smoke`, async (visit) => {
    const { job } = await visit.call<{ job: string }>("smoke_agent", { aid: visit.param("aid") });
    return { to: `${CONSOLE}/jobs/${encodeURIComponent(job)}` };
  }),
];

/** What the form calls fields of the operations. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["command", "start"],
  ["url", "start"],
  ["env", "values"],
  ["headers", "values"],
]);

/** What a call answers; its refusal names fields as the form does. */
async function byForm<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof AppError) || error.details.fields === undefined) throw error;
    const fields = error.details.fields.map(({ path, message }) => {
      const [name = ""] = path.split(".");
      return { path: FIELDS.get(name) ?? name, message };
    });
    throw new AppError(error.code, error.reason, { ...error.details, fields });
  }
}

/** Fields that were filled in, by their names. */
function given(visit: Visit, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = field(visit, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** How a version is reached, of what the form has for its kind. */
function target(visit: Visit, kind: string): Record<string, unknown> {
  const values = pairs(visit, "values", kind === "http" ? ":" : "=");
  const named = values === undefined ? {} : { [kind === "http" ? "headers" : "env"]: values };
  const start = field(visit, "start");
  const adapter = given(visit, "adapter");
  if (kind === "http") return { ...(start === undefined ? {} : { url: start }), ...adapter, ...named };
  if (kind === "command") return { ...(start === undefined ? {} : { command: start }), ...adapter, ...named };
  return {
    ...(start === undefined ? {} : { url: start }),
    ...given(visit, "ref", "setup", "run"),
    ...adapter,
    ...named,
  };
}

/** Lines of a name and a value, by their names. */
function pairs(visit: Visit, name: string, between: string): Record<string, string> | undefined {
  const lines = (field(visit, name) ?? "").split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(between);
      if (at < 1) throw badField(name, `write NAME${between}VALUE on each line`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

async function agents(visit: Visit): Promise<View> {
  const doc = await agentsPage(visit.ctx);
  const { commandsAllowed } = visit.ctx.settings;
  return {
    doc,
    lead: html`<p class="ways"><a href="${CONSOLE}/start">Run one</a> <a href="${CONSOLE}/trends">How versions did over time</a></p>`,
    forms: folded(
      "Connect an agent",
      html`<p>Each trial starts the agent and gives it a request and the address of the tools of a fake world. What the agent did is read from that world.</p>`,
      !commandsAllowed &&
        html`<p class="warn">Commands are off on this service: a command or a repository can be connected, and not started.</p>`,
      postForm(visit, PLACE, "Connect it", [
        html`<div class="columns">${textField("name", "Name", { required: true, size: 24 })} ${choice("kind", "What it is", KINDS)} ${textField("version", "Version (empty: 1)", { size: 12 })} ${textField("model", "Model (for the record)", { size: 20 })}</div>`,
        textField("start", "Command, address of the endpoint, or address of the repository", {
          required: true,
          size: 60,
        }),
        optionFields("command"),
      ]),
    ),
  };
}

/** Fields that most agents leave empty. */
function optionFields(kind: string): ComponentChild {
  return html`
    <details>
      <summary>More of it</summary>
      ${choice("adapter", "What it reads and writes", ADAPTERS)}
      ${textField("ref", "Of a repository: branch, tag or commit", { size: 24 })}
      ${textField("setup", "Of a repository: what sets a checkout up", { size: 40 })}
      ${textField("run", "Of a repository: what starts the agent (empty: it is read from the repository)", { size: 40 })}
      ${longField("values", kind === "http" ? "Headers, NAME:VALUE a line; sealed, and never shown" : "Environment, NAME=VALUE a line (of an endpoint: headers, NAME:VALUE); sealed, and never shown", { rows: 3, required: false, code: true })}
    </details>
  `;
}

async function agent(visit: Visit): Promise<View> {
  const { doc, agent: found, versions } = await agentPage(visit.ctx, visit.param("aid"));
  const place = `${PLACE}/${encodeURIComponent(found.id)}`;
  const player = new URLSearchParams({ player: `agent:${found.id}` });
  const lead = html`
    <p class="ways">
      ${found.retired_at === undefined && html`<a class="button" href="${CONSOLE}/start?${player}">Run it</a> `}<a href="${CONSOLE}/groups?${new URLSearchParams({ q: found.name })}">All of its runs</a> <a href="${CONSOLE}${PLACE}">All agents</a>
    </p>
  `;
  const trend = await readTrend(visit.ctx, undefined, undefined, found.id);
  const series = trend.shown === undefined ? "" : `?${new URLSearchParams({ of: trend.shown.key })}`;
  const over =
    trend.points.length > 1 &&
    block(
      "Over versions",
      rateChart(trend),
      html`<p><a href="${CONSOLE}/trends${series}">Cost, latency, steps and errors over time</a></p>`,
    );
  return {
    doc,
    lead: [lead, versionList(found, versions), over],
    forms: [
      versionForm(visit, found, place),
      labelForms(visit, found),
      smokeForm(visit, found, place),
      retireForms(visit, found, place),
    ],
  };
}

function versionForm(visit: Visit, { agent_kind: kind, retired_at }: AgentDoc, place: string): ComponentChild {
  if (retired_at !== undefined) return null;
  const label =
    kind === "http"
      ? "Address (empty: as before)"
      : kind === "repository"
        ? "Address of the repository (empty: as before)"
        : "Command (empty: as before)";
  return folded(
    "Add a version",
    html`<p>What is left empty stays as in the newest version. Run both on the same tasks, then compare them.</p>`,
    postForm(visit, `${place}/versions`, "Add it", [
      html`<div class="columns">${textField("version", "Version (empty: the next number)", { size: 16 })} ${textField("notes", "What changed", { size: 40 })}</div>`,
      kind !== "surface" && textField("start", label, { size: 60 }),
      kind !== "surface" && optionFields(kind),
    ]),
  );
}

function smokeForm(visit: Visit, { retired_at }: AgentDoc, place: string): ComponentChild {
  if (retired_at !== undefined) return null;
  return folded(
    "Try it once",
    html`<p>One trial of its newest version in a small built-in world, which counts in no rate: whether it starts, calls tools and answers.</p>`,
    postForm(visit, `${place}/smoke`, "Try it", null, { plain: true }),
  );
}

function retireForms(visit: Visit, { retired_at, versions }: AgentDoc, place: string): ComponentChild {
  const gone = versions.filter((row) => row.retired_at !== undefined);
  const kept = versions.filter((row) => row.retired_at === undefined);
  const of = (rows: AgentDoc["versions"]) =>
    rows.map(({ version }) => ({ value: version, text: cut(version, 60) })).toReversed();
  if (retired_at !== undefined)
    return postForm(visit, `${place}/retire`, "Restore the agent", hidden("retired", "no"), { plain: true });
  return folded(
    "Retire",
    kept.length > 1 &&
      postForm(
        visit,
        `${place}/retire`,
        "Retire the version",
        [hidden("retired", "yes"), choice("version", "Version", of(kept))],
        { row: true, plain: true },
      ),
    gone.length > 0 &&
      postForm(
        visit,
        `${place}/retire`,
        "Restore the version",
        [hidden("retired", "no"), choice("version", "Version", of(gone))],
        { row: true, plain: true },
      ),
    postForm(visit, `${place}/retire`, "Retire the agent", hidden("retired", "yes"), {
      removes: "It starts no run and leaves the lists; what it ran stays, and it can be restored here.",
    }),
  );
}

import type { Ctx } from "../../context.ts";
import type { AgentDoc, VersionDoc } from "../../find-agent.ts";
import { Agent } from "../../records/agents/agents.ts";
import type { Player } from "../../records/runs/runs.ts";
import type { PageSection } from "./page-doc.ts";
import { cut, minuteOf } from "./words.ts";

/** Changed files that are named of each area. */
const FILES = 12;
/** What two versions differ in is told under this heading. */
const DIFFERS = "What differs between the versions";

/** What starts a version, as it was given: values of its environment are sealed and named alone. */
export function startedBy({ target }: VersionDoc): string {
  switch (target.kind) {
    case "command":
      return target.command.join(" ");
    case "http":
      return target.url;
    case "repository":
      return `${target.url} at ${target.sha.slice(0, 12)}`;
    case "surface":
      return `the tools of ${target.surface}, driven by ${target.harness}`;
  }
}

/** The same with folders of the machine left out: what versions differ in stands at the end of a path. */
export function startedShort(version: VersionDoc): string {
  return cut(startedBy(version).replace(/(^|\s|=)(?:\/[^\s/]+)+\/(?=[^\s/]+)/g, "$1…/"), 160);
}

/** What is known of a version that can differ from another, by name; what is not known of it is empty. */
function traitsOf(version: VersionDoc): readonly (readonly [string, string])[] {
  const { target, origin, changes, notes, created_at, by } = version;
  const isFrom = target.kind === "repository";
  return [
    ["What changed", notes ?? ""],
    ["Made (UTC)", `${minuteOf(created_at)}, by ${by}`],
    ["Started by", startedBy(version)],
    ["Starts with", isFrom ? (target.command ?? []).join(" ") : ""],
    ["Set up by", isFrom ? (target.setup ?? "") : ""],
    ["Branch or tag", origin?.ref ?? (isFrom ? target.ref : "")],
    ["Commit", origin?.sha ?? (isFrom ? target.sha : "")],
    ["Model", target.kind === "surface" ? (target.model ?? "") : ""],
    ["Reads and writes", "adapter" in target ? target.adapter : ""],
    ["Environment, by name", "env" in target ? target.env.join(", ") : ""],
    ["Headers, by name", target.kind === "http" ? target.headers.join(", ") : ""],
    ["Changed files", changes?.line ?? ""],
    ...Object.entries(changes?.areas ?? {}).map(([area, names]) => [`Changed ${area}`, namesOf(names)] as const),
  ];
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, FILES).join(", ");
  return names.length > FILES ? `${shown} and ${names.length - FILES} more` : shown;
}

/** Versions of an agent in a table, a column each: what was said to have changed, and every trait that is not the same in all. */
export function differing(versions: readonly VersionDoc[]): PageSection {
  const heading = DIFFERS;
  const all = versions.map((version) => new Map(traitsOf(version)));
  const names = [...new Set(all.flatMap((traits) => [...traits.keys()]))];
  const rows = names.flatMap((name) => {
    const values = all.map((traits) => traits.get(name) ?? "");
    return new Set(values).size === 1 ? [] : [[name, ...values.map((value) => cut(value, 600))]];
  });
  const own = rows.filter(([name]) => name !== "Made (UTC)");
  if (own.length === 0)
    return {
      show: "text",
      heading,
      paragraphs: ["Nothing that is known here: they are started alike, and nobody noted what changed."],
    };
  return {
    show: "table",
    heading,
    caption: "What was noted of each, and what of its start, its commit and its files is not the same.",
    tier: "deterministic",
    columns: [{ name: "What" }, ...versions.map(({ version }) => ({ name: cut(version, 40), kind: "wide" as const }))],
    rows,
  };
}

/** The versions that two players are, where both are of one agent that is still known and are not the same one. */
export async function versionsOf(
  ctx: Ctx,
  players: readonly Pick<Player, "agent" | "version">[],
): Promise<{ readonly agent: AgentDoc; readonly versions: readonly VersionDoc[] } | undefined> {
  const [id] = new Set(players.map(({ agent }) => agent));
  if (typeof id !== "string" || players.some(({ agent }) => agent !== id)) return undefined;
  const agent = await ctx.store.records.get(Agent, id);
  const versions = players.flatMap(({ version }) => agent?.versions.find((row) => row.version === version) ?? []);
  if (agent === undefined || versions.length < players.length) return undefined;
  return { agent, versions };
}

import { escapePattern } from "../../../worlds/pattern.ts";
import { type Ask, bodyOf } from "./root-subject.ts";
import type { ReadTools } from "./root-tools.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a name that is not there is no name.
type Body = any;

/**
 * What a question is near to by what its names are names of: no known question has the names of an org's own surfaces,
 * environments, agents and versions. Undefined where it names none.
 */
export async function nearestByNames(ask: Ask, tools: ReadTools, text: string): Promise<ReadTools | undefined> {
  const names = await ownNames(ask);
  // Of two names the longer is meant: an agent is often called after its surface.
  const longest = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => escapePattern(name));
  const named = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longest.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const plain = (words: string) => words.replace(named, (name) => names.get(name.toLowerCase())!);
  if (names.size === 0 || plain(text) === text) return undefined;
  return { ...tools, nearest: (question, around) => tools.nearest(plain(question), around && plain(around)) };
}

/** The names of what the org holds, by the word of known questions for it. */
async function ownNames(ask: Ask): Promise<Map<string, string>> {
  const surfaces: Body[] = (await bodyOf(ask, "surfaces_list"))?.surfaces ?? [];
  const agents: Body[] = (await bodyOf(ask, "agents_list"))?.agents ?? [];
  const found = [
    ...surfaces.flatMap(({ name, environments = [] }) => [
      [name, "world"],
      ...environments.map(({ label }: Body) => [label, "environment"]),
    ]),
    ...agents.flatMap(({ name, versions = [] }) =>
      versions.flatMap(({ version }: Body) => [
        [name, "agent"],
        // What `evaluate` connects has a digest behind its number, which nobody says.
        ...[version, version.replace(/\.[0-9a-f]{8}$/, "")].map((label) => [`${name} ${label}`, "version"]),
      ]),
    ),
  ];
  return new Map(found.filter(([name]) => name).map(([name, word]) => [String(name).toLowerCase(), word]));
}

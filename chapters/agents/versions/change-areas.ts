import { countOf } from "../../count-of.ts";
import type { VcsCompare } from "../../ports/vendors.ts";
import { ChangeArea, type VersionChanges } from "../../records/agents/version.ts";

/** Names that are kept of a version's changed files; the counts are of all. */
const MOST_NAMES = 1_000;

/** Which area a path belongs to: the first rule that fits. Declared, so that the same path is always in the same area. */
const TABLE: readonly (readonly [RegExp, ChangeArea])[] = [
  [/(^|\/)(tests?|__tests__|spec|fixtures|docs?|examples?)\/|\.(test|spec)\.\w+$|(^|\/)test_\w+\.py$/i, "other"],
  [/(^|\/)(skills?|prompts?|instructions?)\/|(^|\/)(SKILL|AGENTS|CLAUDE|GEMINI)\.md$|\.prompt(\.\w+)?$/i, "skills"],
  [/(^|\/)[\w.-]*(handlers?|services?|clients?|executors?|resolvers?)(\/|\.\w+$)/i, "handlers"],
  [
    /(^|\/)(server|index|main|app|__init__|__main__|registry|register|registration|routes?)\.\w+$|(^|\/)(package\.json|pyproject\.toml|server\.json|mcp\.json|manifest\.json)$/i,
    "registration",
  ],
  [/(^|\/)[\w.-]*(tools?|schemas?|toolsnaps|__toolsnaps__)(\/|\.\w+$)/i, "tools"],
];

/** The area of a changed file, by its path alone. */
export function areaOf(path: string): ChangeArea {
  return TABLE.find(([rule]) => rule.test(path))?.[1] ?? "other";
}

/** What lies between where two commits parted and the second, by area: file names and counts only. Deterministic. */
export function changesOf(compare: VcsCompare, head: string, reader: VersionChanges["reader"]): VersionChanges {
  const { base, files } = compare;
  const areas = Object.fromEntries(ChangeArea.options.map((area) => [area, [] as string[]])) as Record<
    ChangeArea,
    string[]
  >;
  const statuses: Record<string, number> = {};
  for (const { name, status } of files) {
    areas[areaOf(name)].push(name);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const counted = ChangeArea.options.map((area) => [area, areas[area].length] as const);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const told = counted.filter(([, n]) => n > 0).map(([area, n]) => `${n} of ${area}`);
  const line =
    files.length === 0
      ? "No file differs from where it parted from its base."
      : `${countOf(files.length, "file differs", "files differ")} from where it parted from its base (${told.join(", ")}): ${countOf(additions, "line")} added, ${deletions} removed.`;
  return {
    base,
    head,
    files: files.length,
    names: files.map(({ name }) => name).slice(0, MOST_NAMES),
    areas: Object.fromEntries(ChangeArea.options.map((area) => [area, areas[area].slice(0, MOST_NAMES)])) as Record<
      ChangeArea,
      string[]
    >,
    by_area: Object.fromEntries(counted) as Record<ChangeArea, number>,
    statuses,
    additions,
    deletions,
    reader,
    tier: "deterministic",
    line,
  };
}

/** Whether a changed file lies at or under one of these paths; with no paths every file does. */
export function touches(files: VcsCompare["files"], paths: readonly string[]): boolean {
  const under = (name: string, path: string) => {
    const folder = path.replace(/^\.?\/+|\/+$/g, "");
    return folder === "" || name === folder || name.startsWith(`${folder}/`);
  };
  return files.some(({ name }) => paths.length === 0 || paths.some((path) => under(name, path)));
}

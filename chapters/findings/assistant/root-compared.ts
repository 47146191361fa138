import type { Ask } from "./root-subject.ts";
import { storedGroups, whoOf } from "./root-subject.ts";

/** What tells how agents and versions stand to each other. */
const COMPARES: ReadonlySet<string> = new Set([
  "compare_runs",
  "ranking",
  "run_group",
  "surface_progress",
  "provider_comparison",
  "versions",
]);

const BETTER = "(?:better|best|worse|worst|stronger|cheaper|faster|slower|safer|smarter)";
/** How a question sets two side by side. */
const PAIRS: readonly RegExp[] = [
  new RegExp(`\\b(?:which|what|who)\\b.*\\b${BETTER}\\b.*?[,:;-] *(.+?) or (.+)`),
  new RegExp(`^(?:is|are|was|does|do|did) (.+?) (?:\\w+ )?${BETTER} (?:\\w+ )*?than (.+)`),
  /^(?:please |can you |could you )*compare (.+?) (?:with|to|against|and|versus|vs\.?) (.+)/,
  /^(.+?) (?:vs\.?|versus) (.+)/,
  /^(.+?) or (.+?)[,;:?] *(?:which|what|who)\b/,
];
/** What follows a name and is none of it. */
const AFTER = /[,;?!]|\.(?!\d)| (?:for|in|on|at|with|by|as|than|from|of|when|since|if|that|who|which)\b.*/g;
/** Words by which people say which of their own they mean. */
const OWN = new Set(
  "a an the my our your its their this that these those it them one ones two both all each other others another any some new newer newest old older oldest latest last previous current present first second third next before after now former recent most agent agents bot bots assistant version versions release change run runs group groups trial trials result results score scores model prompt candidate baseline main branch production better worse way time today yesterday week month year expected much many i we you he she there what which test tests task tasks number".split(
    " ",
  ),
);

/** Why a comparison cannot be told: a name in it that no run is stored of, with those there are; none where all may be meant. */
export async function unknownCompared(ask: Ask, name: string, text: string): Promise<string[]> {
  const named = COMPARES.has(name) ? namedIn(text.trim().toLowerCase()) : [];
  if (named.length === 0) return [];
  const groups = await storedGroups(ask);
  const known = new Set(groups.flatMap((group) => wordsOf(`${whoOf(group)} ${group.player?.harness ?? ""}`)));
  const unknown = named.filter((each) => {
    const words = wordsOf(each);
    // The number at its end says which one of a name is meant.
    return (
      !words.some((word) => known.has(word)) || !words.slice(-1).every((word) => known.has(word) || !/^\d/.test(word))
    );
  });
  if (unknown.length === 0) return [];
  const there = [...new Set(groups.map(whoOf))];
  return [
    `That cannot be told: no run is stored of ${unknown.join(" or ")}.`,
    there.length === 0 ? "- no run is stored yet" : `- runs are stored of ${there.join(", ")}`,
  ];
}

/** What a comparison names by other words than those by which people mean their own. */
function namedIn(text: string): string[] {
  const found = PAIRS.map((pattern) => pattern.exec(text)).find(Boolean);
  return (found?.slice(1) ?? [])
    .map((part) => part.replace(AFTER, "").trim())
    .map((part) => part.replace(/^(?:(?:the|my|our|an?) )+/, ""))
    .filter((part) => wordsOf(part).some((word) => !OWN.has(word)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

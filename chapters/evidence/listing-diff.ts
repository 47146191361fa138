import { isDeepStrictEqual } from "node:util";
import type { ToolDefinition } from "../../worlds/bundle.ts";
import { countOf, named } from "../count-of.ts";
import type { ListingDiff } from "../records/evidence/listing-diff.ts";

/** How the last of these listings, given from old to new, differs from the others together; undefined where it does not. */
export function diffListings(listings: readonly (readonly ToolDefinition[])[]): ListingDiff | undefined {
  const newest = byName(listings.slice(-1));
  const earlier = byName(listings.slice(0, -1));
  if (earlier.size === 0) return undefined;
  const only_earlier = [...earlier.keys()].filter((name) => !newest.has(name)).sort();
  const only_newest = [...newest.keys()].filter((name) => !earlier.has(name)).sort();
  const changed = [...newest]
    .flatMap(([tool, definition]) => {
      const parts = differing(definition, earlier.get(tool));
      return parts.length === 0 ? [] : [{ tool, parts }];
    })
    .sort((a, b) => (a.tool < b.tool ? -1 : 1));
  if (only_earlier.length + only_newest.length + changed.length === 0) return undefined;
  return { listings: listings.length, only_earlier, only_newest, changed };
}

const byName = (listings: readonly (readonly ToolDefinition[])[]) =>
  new Map(listings.flat().map((tool) => [tool.name, tool]));

const PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations", "http"] as const;

function differing(after: ToolDefinition, before: ToolDefinition | undefined): string[] {
  return before === undefined ? [] : PARTS.filter((part) => !isDeepStrictEqual(after[part], before[part]));
}

/** What a person has to know of the difference, and what to do where a listing was meant to replace another. */
export function listingWords({ listings, only_earlier, only_newest, changed }: ListingDiff): string {
  const parts = [
    ...(only_earlier.length === 0
      ? []
      : [`${countOf(only_earlier.length, "tool")} only in an earlier one, still served (${named(only_earlier)})`]),
    ...(only_newest.length === 0 ? [] : [`${countOf(only_newest.length, "tool")} only in the newest`]),
    ...(changed.length === 0
      ? []
      : [
          `${countOf(changed.length, "tool")} changed, served as in the newest (${named(changed.map((one) => `${one.tool}: ${one.parts.join(", ")}`))})`,
        ]),
  ];
  return `${countOf(listings, "tool listing")} stand on this surface: ${parts.join("; ")}. If the newest replaces the others, say so with evidence_assign (superseded_by).`;
}

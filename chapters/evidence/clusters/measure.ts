import type { FacetCluster } from "../../records/evidence/facet.ts";
import type { Column } from "./columns.ts";
import { distance, type Profile } from "./profiles.ts";

/** What tells a group from the rest: a value that is more frequent in it than over all traces. Shares are 0..1. */
type Describing = FacetCluster["describes"][number];

/** A group of traces, measured. `exemplars` are positions of the traces nearest its medoid, at most three. */
export interface Cluster extends Omit<FacetCluster, "exemplars"> {
  readonly share: number;
  readonly cohesion: number;
  readonly exemplars: readonly number[];
  readonly positions: Int32Array;
}

const EXEMPLARS = 3;
const DESCRIBING = 5;

/** Measures a group of combinations around its medoid; `all` are those of every trace. */
export function measured(
  columns: readonly Column[],
  members: readonly Profile[],
  medoid: Profile,
  all: readonly Profile[],
): Omit<Cluster, "label"> {
  const size = tracesOf(members);
  const total = tracesOf(all);
  const near = members
    .map((profile) => ({ profile, far: distance(profile.codes, medoid.codes) }))
    .sort((a, b) => a.far - b.far || a.profile.positions[0]! - b.profile.positions[0]!);
  const spread = near.reduce((sum, { profile, far }) => sum + far * profile.positions.length, 0);
  const exemplars: number[] = [];
  for (const { profile } of near) {
    if (exemplars.length === EXEMPLARS) break;
    exemplars.push(...profile.positions.slice(0, EXEMPLARS - exemplars.length));
  }
  const describes = columns
    .flatMap(({ field, values }, column): Describing[] => {
      const code = medoid.codes[column] ?? 0;
      if (code === 0) return [];
      const having = (profiles: readonly Profile[]) => tracesOf(profiles.filter(({ codes }) => codes[column] === code));
      return [{ field, value: values[code - 1]!, share: having(members) / size, share_of_all: having(all) / total }];
    })
    .sort((a, b) => b.share - b.share_of_all - (a.share - a.share_of_all) || (a.field < b.field ? -1 : 1));
  return {
    size,
    share: size / total,
    cohesion: 1 - spread / size,
    exemplars,
    medoid: Object.fromEntries(
      columns.flatMap(({ field, values }, column) => {
        const code = medoid.codes[column] ?? 0;
        return code === 0 ? [] : [[field, values[code - 1]!] as const];
      }),
    ),
    describes: describes.filter(({ share, share_of_all: usual }) => share > usual).slice(0, DESCRIBING),
    positions: Int32Array.from(members.flatMap(({ positions }) => positions)).sort(),
  };
}

/** The combination whose traces the group's others differ least from; the first of equals. */
export function medoidOf(members: readonly Profile[]): Profile {
  let best = members[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const one of members) {
    const cost = members.reduce((sum, { codes, positions }) => sum + distance(codes, one.codes) * positions.length, 0);
    if (cost < least) {
      least = cost;
      best = one;
    }
  }
  return best;
}

function tracesOf(profiles: readonly Profile[]): number {
  return profiles.reduce((sum, { positions }) => sum + positions.length, 0);
}

/** Names for groups by what tells each from the rest, no two alike. */
export function labelled(clusters: readonly Omit<Cluster, "label">[]): Cluster[] {
  const taken = new Set<string>();
  return clusters.map((cluster, i) => {
    const named = cluster.describes.slice(0, 2).map(({ field, value }) => `${field.replaceAll("_", " ")}: ${value}`);
    const base = (named.length === 0 ? `group ${i + 1}` : named.join(", ")).slice(0, 180);
    const label = taken.has(base) ? `${base} (${i + 1})` : base;
    taken.add(label);
    return { ...cluster, label };
  });
}

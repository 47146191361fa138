import type { ComputeTask } from "../../compute.ts";
import type { Column } from "./columns.ts";
import { type Cluster, labelled, measured, medoidOf } from "./measure.ts";
import { medoidsOf, nearest } from "./medoids.ts";
import { type Profile, profilesOf } from "./profiles.ts";

interface Induce {
  readonly columns: readonly Column[];
  readonly seed: string;
  /** How many groups; found out when absent. */
  readonly k?: number | undefined;
}

/** Groups traces by their attributes, the largest group first. The same attributes and seed give the same groups. */
export const induceClusters: ComputeTask<Induce, Cluster[]> = {
  name: "induce_clusters",
  run({ columns, seed, k }) {
    const all = profilesOf(columns);
    const medoids = medoidsOf(all, seed, k);
    const groups = medoids.map((): Profile[] => []);
    for (const profile of all) groups[nearest(profile.codes, medoids)]!.push(profile);
    const clusters = medoids.flatMap((medoid, i) => {
      const members = groups[i]!;
      return members.length === 0 ? [] : [measured(columns, members, medoid, all)];
    });
    return labelled(clusters.sort((a, b) => b.size - a.size || a.exemplars[0]! - b.exemplars[0]!));
  },
};

interface Measure {
  readonly columns: readonly Column[];
  /** Groups as somebody made them, by position. */
  readonly groups: readonly { readonly label: string; readonly positions: readonly number[] }[];
}

/** Measures groups that somebody made; one whose traces have none of the attributes is undefined. */
export const measureClusters: ComputeTask<Measure, (Cluster | undefined)[]> = {
  name: "measure_clusters",
  run({ columns, groups }) {
    const all = profilesOf(columns);
    return groups.map(({ label, positions }) => {
      const inIt = new Set(positions);
      const members = all.flatMap(({ codes, positions: having }): Profile[] => {
        const own = having.filter((position) => inIt.has(position));
        return own.length === 0 ? [] : [{ codes, positions: own }];
      });
      return members.length === 0 ? undefined : { ...measured(columns, members, medoidOf(members), all), label };
    });
  },
};

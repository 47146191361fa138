import { chapter } from "../kernel/chapter.ts";
import { connections } from "./connections.ts";
import { connectors } from "./connectors.ts";
import { labels } from "./labels.ts";
import { obs } from "./obs.ts";
import { rotations } from "./rotations.ts";
import { schedules } from "./schedules.ts";
import { sources } from "./sources.ts";

/** Where evidence comes from, and when it is fetched. */
export const sourcesChapter = chapter({
  name: "sources",
  title: "Sources",
  description: "Where evidence is pulled from and when: sources, schedules, connectors, and the connections of worlds.",
  operations: [...connectors, ...rotations, ...schedules, ...obs, ...sources, ...labels, ...connections],
});

import { schedules } from "../automation/schedules/schedules.ts";
import { chapter } from "../kernel/chapter.ts";
import { connections } from "./connections.ts";
import { connectors } from "./connectors.ts";
import { labels } from "./labels.ts";
import { obsConnect } from "./obs-connect.ts";
import { obsOauth } from "./obs-oauth.ts";
import { rotations } from "./rotations.ts";
import { sources } from "./sources.ts";

/** Where evidence comes from, and when it is fetched. */
export const sourcesChapter = chapter({
  name: "sources",
  title: "Sources",
  description: "Where evidence is pulled from and when: sources, schedules, connectors, and the connections of worlds.",
  operations: [
    ...connectors,
    ...rotations,
    ...schedules,
    ...obsOauth,
    ...obsConnect,
    ...sources,
    ...labels,
    ...connections,
  ],
});

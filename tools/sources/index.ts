import { chapter } from "../kernel/chapter.ts";
import { connections } from "./connections.ts";

export const sourcesChapter = chapter({
  name: "sources",
  title: "Sources",
  description: "Where evidence is pulled from and when: sources, schedules, connectors, and the connections of worlds.",
  operations: [...connections],
});

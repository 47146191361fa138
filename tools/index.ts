import { agentsChapter } from "./agents/index.ts";
import { evidenceChapter } from "./evidence/index.ts";
import { exportsChapter } from "./exports/index.ts";
import { findingsChapter } from "./findings/index.ts";
import type { Chapter } from "./kernel/chapter.ts";
import { ontologyChapter } from "./ontology/index.ts";
import { organizationChapter } from "./organization/index.ts";
import { runsChapter } from "./runs/index.ts";
import { sandboxesChapter } from "./sandboxes/index.ts";
import { sourcesChapter } from "./sources/index.ts";

/** The chapters, in the order clients see them. An operation stands here once it does its work. */
export const chapters: readonly Chapter[] = [
  organizationChapter,
  sourcesChapter,
  evidenceChapter,
  ontologyChapter,
  sandboxesChapter,
  agentsChapter,
  runsChapter,
  findingsChapter,
  exportsChapter,
];

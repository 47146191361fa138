import { agentsChapter } from "./agents/index.ts";
import type { Chapter } from "./kernel/chapter.ts";
import { organization } from "./organization/index.ts";
import { runsChapter } from "./runs/index.ts";

/** The chapters, in the order clients see them. An operation stands here once it does its work. */
export const chapters: readonly Chapter[] = [organization, agentsChapter, runsChapter];

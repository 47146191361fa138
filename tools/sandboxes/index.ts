import { chapter } from "../kernel/chapter.ts";
import { answerShapes } from "./answer-shapes.ts";
import { audits } from "./audit.ts";
import { authoring } from "./authoring.ts";
import { bench } from "./bench.ts";
import { bundles } from "./bundles.ts";
import { criteria } from "./criteria.ts";
import { doors } from "./doors.ts";
import { environments } from "./environments.ts";
import { realism } from "./realism.ts";
import { redraws } from "./redraw.ts";
import { review } from "./review.ts";
import { revisions } from "./revisions.ts";
import { sandboxes } from "./sandboxes.ts";
import { scripts } from "./scripts.ts";
import { servedRepos } from "./served-repos.ts";
import { surfaceLife } from "./surface-life.ts";
import { surfaces } from "./surfaces.ts";
import { tasks } from "./tasks.ts";
import { worldplans } from "./worldplans.ts";
import { worlds } from "./worlds.ts";

/** Everything that agents are tried in. */
export const sandboxesChapter = chapter({
  name: "sandboxes",
  title: "Sandboxes",
  description:
    "Compiled surfaces, drawn environments with reviewed tasks, and running worlds that agents are tried in.",
  operations: [
    ...surfaces,
    ...surfaceLife,
    ...bundles,
    ...sandboxes,
    ...environments,
    ...criteria,
    ...tasks,
    ...review,
    ...authoring,
    ...revisions,
    ...redraws,
    ...scripts,
    ...audits,
    ...realism,
    ...answerShapes,
    ...worlds,
    ...doors,
    ...servedRepos,
    ...worldplans,
    ...bench,
  ],
});

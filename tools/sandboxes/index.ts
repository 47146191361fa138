import { chapter } from "../kernel/chapter.ts";
import { answerShapes } from "./authoring/answer-shapes.ts";
import { audits } from "./authoring/audit.ts";
import { realism } from "./authoring/realism.ts";
import { authoring } from "./authoring.ts";
import { bench } from "./bench/bench.ts";
import { doors } from "./doors/doors.ts";
import { environments } from "./environments/environments.ts";
import { redraws } from "./environments/redraw.ts";
import { revisions } from "./environments/revisions.ts";
import { worldplans } from "./plans/worldplans.ts";
import { review } from "./review/review.ts";
import { servedRepos } from "./served-repos/served-repos.ts";
import { surfaceLife } from "./surface-life.ts";
import { bundles } from "./surfaces/bundles.ts";
import { surfaces } from "./surfaces/surfaces.ts";
import { criteria } from "./tasks/criteria.ts";
import { scripts } from "./tasks/scripts.ts";
import { tasks } from "./tasks/tasks.ts";
import { sandboxes } from "./worlds/sandboxes.ts";
import { worlds } from "./worlds/worlds.ts";

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

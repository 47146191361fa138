import { progress } from "../automation/progress/progress.ts";
import { chapter } from "../kernel/chapter.ts";
import { answerShapes } from "./authoring/answer-shapes.ts";
import { audits } from "./authoring/audit.ts";
import { authorEnvironment } from "./authoring/author-environment.ts";
import { realism } from "./authoring/realism.ts";
import { bench } from "./bench/bench.ts";
import { doors } from "./doors/doors.ts";
import { doorsApi } from "./doors/doors-api.ts";
import { environments } from "./environments/environments.ts";
import { generateEnvironments } from "./environments/generate-environments.ts";
import { redraws } from "./environments/redraw.ts";
import { rekey } from "./environments/rekey.ts";
import { reserve } from "./environments/reserve.ts";
import { revisions } from "./environments/revisions.ts";
import { planFromSurface } from "./plans/plan-from-surface.ts";
import { worldplans } from "./plans/worldplans.ts";
import { rereview } from "./review/rereview.ts";
import { review } from "./review/review.ts";
import { servedRepos } from "./served-repos/served-repos.ts";
import { axes } from "./surfaces/axes.ts";
import { bundles } from "./surfaces/bundles.ts";
import { fidelityOperations } from "./surfaces/fidelity.ts";
import { listSurfacesOperations } from "./surfaces/list-surfaces.ts";
import { listedSurfaces } from "./surfaces/listed-surfaces.ts";
import { rebuild } from "./surfaces/rebuild.ts";
import { representation } from "./surfaces/representation.ts";
import { supersede } from "./surfaces/supersede.ts";
import { surfaces } from "./surfaces/surfaces.ts";
import { corrections } from "./tasks/corrections.ts";
import { criteria } from "./tasks/criteria.ts";
import { scripts } from "./tasks/scripts.ts";
import { tasks } from "./tasks/tasks.ts";
import { sandboxes } from "./worlds/sandboxes.ts";
import { worldTokens } from "./worlds/world-tokens.ts";
import { worlds } from "./worlds/worlds.ts";

/** Everything that agents are tried in. */
export const sandboxesChapter = chapter({
  name: "sandboxes",
  title: "Sandboxes",
  description:
    "Compiled surfaces, drawn environments with reviewed tasks, and running worlds that agents are tried in.",
  operations: [
    ...listSurfacesOperations,
    ...listedSurfaces,
    ...representation,
    ...surfaces,
    ...progress,
    ...rebuild,
    ...supersede,
    ...bundles,
    ...axes,
    ...sandboxes,
    ...environments,
    ...fidelityOperations,
    ...generateEnvironments,
    ...criteria,
    ...tasks,
    ...review,
    ...rereview,
    ...corrections,
    ...authorEnvironment,
    ...rekey,
    ...reserve,
    ...revisions,
    ...redraws,
    ...scripts,
    ...audits,
    ...realism,
    ...answerShapes,
    ...worlds,
    ...worldTokens,
    ...doorsApi,
    ...doors,
    ...servedRepos,
    ...planFromSurface,
    ...worldplans,
    ...bench,
  ],
});

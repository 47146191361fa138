import { chapter } from "../kernel/chapter.ts";
import { archive } from "./archive.ts";
import { commentOnPrOperations } from "./comment-on-pr.ts";
import { datasets } from "./datasets.ts";
import { deliverChatOperations } from "./deliver-chat.ts";
import { deliverObsOperations } from "./deliver-obs.ts";
import { mirror } from "./mirror.ts";
import { mirrorIn } from "./mirror-in.ts";
import { mirrorOut } from "./mirror-out.ts";
import { obsFiles } from "./obs-files.ts";
import { publishDatasetsOperations } from "./publish-datasets.ts";
import { reexport } from "./reexport-run.ts";
import { worlds } from "./worlds.ts";

/** What leaves the service: sends, files and copies. */
export const exportsChapter = chapter({
  name: "exports",
  title: "Exports",
  description:
    "What leaves the workspace: archives and mirrors of an org, datasets, and findings delivered to other tools.",
  operations: [
    ...datasets,
    ...publishDatasetsOperations,
    ...worlds,
    ...obsFiles,
    ...deliverChatOperations,
    ...deliverObsOperations,
    ...commentOnPrOperations,
    ...reexport,
    ...mirror,
    ...mirrorOut,
    ...mirrorIn,
    ...archive,
  ],
});

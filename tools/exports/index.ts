import { chapter } from "../kernel/chapter.ts";
import { archive } from "./archive.ts";
import { deliveries } from "./deliveries.ts";
import { files } from "./files.ts";
import { mirror } from "./mirror.ts";
import { reexport } from "./reexport.ts";

/** What leaves the service: sends, files and copies. */
export const exportsChapter = chapter({
  name: "exports",
  title: "Exports",
  description:
    "What leaves the workspace: archives and mirrors of an org, datasets, and findings delivered to other tools.",
  operations: [...files, ...deliveries, ...reexport, ...mirror, ...archive],
});

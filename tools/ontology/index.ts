import { chapter } from "../kernel/chapter.ts";
import { coverage } from "./coverage.ts";
import { dimensions } from "./dimensions/dimensions.ts";
import { graphs } from "./graphs.ts";
import { personas } from "./personas/personas.ts";
import { readings } from "./readings.ts";
import { versions } from "./versions.ts";

/** What the systems are that agents talk to, and along which axes their use differs. */
export const ontologyChapter = chapter({
  name: "ontology",
  title: "Ontology",
  description:
    "The graph of the systems that agents talk to, compiled from evidence and kept per surface version, and the axes along which their use differs.",
  operations: [...graphs, ...versions, ...dimensions, ...readings, ...personas, ...coverage],
});

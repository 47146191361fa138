import { readiness } from "../automation/progress/readiness.ts";
import { chapter } from "../kernel/chapter.ts";
import { compile } from "./compile.ts";
import { derive } from "./derive.ts";
import { dimensions } from "./dimensions/dimensions.ts";
import { valueActs } from "./dimensions/value-actions.ts";
import { matrices } from "./matrices.ts";
import { personas } from "./personas/personas.ts";
import { personasFromDocumentOperations } from "./personas/personas-from-document.ts";
import { pins } from "./pins.ts";
import { read } from "./read.ts";
import { restore } from "./restore.ts";
import { versions } from "./versions.ts";

/** What the systems are that agents talk to, and along which axes their use differs. */
export const ontologyChapter = chapter({
  name: "ontology",
  title: "Ontology",
  description:
    "The graph of the systems that agents talk to, compiled from evidence and kept per surface version, and the axes along which their use differs.",
  operations: [
    ...read,
    ...compile,
    ...pins,
    ...restore,
    ...versions,
    ...dimensions,
    ...valueActs,
    ...derive,
    ...personasFromDocumentOperations,
    ...personas,
    ...matrices,
    ...readiness,
  ],
});

import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { Started } from "../../chapters/job.ts";
import { startCompile } from "../../chapters/ontology/compile.ts";
import { surfaceField } from "../../chapters/ontology/fields.ts";
import { operation } from "../kernel/operation.ts";

/** Compile a surface's ontology. */
export const compile = [
  operation({
    name: "ontology_compile",
    title: "Compile a surface's ontology",
    description:
      "Starts compiling a surface's graph from its tool listings and traces; unchanged inputs answer the revision that stands. `redraw` reads names anew.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/ontology/compile",
    input: z.object({
      ...orgRef,
      ...surfaceField,
      force: z.boolean().optional().describe("Compile although the inputs are unchanged."),
      redraw: z.boolean().optional().describe("Read names anew, and let go what was read before."),
    }),
    output: Started.extend({ surface: z.string(), note: z.string() }),
    handle: startCompile,
  }),
];

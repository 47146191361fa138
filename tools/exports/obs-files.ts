import { z } from "zod";
import { ExportSet, exportObs, exportObsExperiment, exportObsJudges } from "../../chapters/exports/obs-files.ts";
import { orgField, recordId } from "../../chapters/fields.ts";
import { operation } from "../kernel/operation.ts";

const environment = recordId("environment; every one when absent").optional();

/** Export tasks for the observability vendor; export a run group for the observability vendor; export judge definitions. */
export const obsFiles = [
  operation({
    name: "export_obs",
    title: "Export tasks for the observability vendor",
    description:
      "Answers a set of the org's certified tasks as datasets the observability vendor imports: per environment the body that makes the dataset and its records as CSV.",
    scope: "read",
    effect: "read",
    route: "POST /v0/exports/obs",
    answer: "file",
    input: z.object({
      ...orgField,
      set: ExportSet.describe("How many tasks, drawn evenly over families."),
      environment,
    }),
    output: z.object({ datasets: z.number().int(), records: z.number().int() }),
    handle: exportObs,
  }),
  operation({
    name: "export_obs_experiment",
    title: "Export a run group for the observability vendor",
    description:
      "Answers one landed run group as experiments of the observability vendor: per environment the body that makes the experiment, and its trials as spans with a metric per check.",
    scope: "read",
    effect: "read",
    route: "POST /v0/exports/obs-experiment",
    answer: "file",
    input: z.object({ ...orgField, group: recordId("run group") }),
    output: z.object({ experiments: z.number().int() }),
    handle: exportObsExperiment,
  }),
  operation({
    name: "export_obs_judges",
    title: "Export judge definitions",
    description:
      "Answers judge definitions that mirror what the tasks' checks decide, one per kind of check, for tools that know only judges. A judge is a model's reading; the check itself decides by code.",
    scope: "read",
    effect: "read",
    route: "POST /v0/exports/obs-judges",
    answer: "file",
    input: z.object({ ...orgField, environment }),
    output: z.object({ judges: z.number().int() }),
    handle: exportObsJudges,
  }),
];

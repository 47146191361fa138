import { z } from "zod";
import { listDatasets } from "../../chapters/exports/datasets.ts";
import { ExportSet, exportObs, exportObsExperiment, exportObsJudges } from "../../chapters/exports/obs-files.ts";
import { publishDatasets } from "../../chapters/exports/publish-datasets.ts";
import { exportWorlds, WorldsExport } from "../../chapters/exports/worlds.ts";
import { Tier } from "../../chapters/tier.ts";
import { orgField, orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const environment = recordId("environment; every one when absent").optional();

/** Tasks, worlds and results as files for other tools. */
export const files = [
  operation({
    name: "datasets_get",
    title: "List datasets",
    description:
      "Lists the datasets a run can be started over, one per environment, under the names external tools hold them by, with how many certified tasks each has by family. Narrow them with a field (family, tier or a dimension) and its value.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/datasets",
    input: z.object({
      ...orgRef,
      field: z.string().min(1).max(100).optional().describe("`family`, `tier` or a dimension of the tasks."),
      value: z.string().max(200).optional().describe("The value it must have; any when absent."),
    }),
    output: z.object({
      org: z.string(),
      datasets: z.array(
        z.object({
          name: z.string(),
          environment: z.string(),
          surface: z.string(),
          revision: z.number().int(),
          tasks: z.number().int().describe("Certified tasks."),
          families: z.record(z.string(), z.number().int()),
        }),
      ),
      tier: Tier,
    }),
    handle: listDatasets,
  }),
  operation({
    name: "datasets_publish",
    title: "Publish the datasets",
    description:
      "Sends every environment to the org's connected tracing tool as a dataset of the name that datasets_get lists, an item per certified task. Doing it again changes only what changed.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/datasets/publish",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      source: z.string().describe("The source whose tool they went to."),
      datasets: z.array(
        z.object({
          name: z.string(),
          environment: z.string(),
          items: z.number().int().describe("Items that stand there now."),
          archived: z.number().int(),
          failed: z.number().int().describe("Items that were not sent."),
          error: z.string().optional(),
          reason: z.string().optional(),
        }),
      ),
      items: z.number().int(),
      archived: z.number().int(),
      failed: z.number().int(),
      retry_after: z.number().optional().describe("Seconds after which the rest can be sent."),
      tier: Tier,
    }),
    handle: publishDatasets,
  }),
  operation({
    name: "org_export",
    title: "Export the org's worlds",
    description:
      "Answers every world of the org as a file: its tools, its rows and its certified tasks of one tier, as lines of JSON or as a zip with a folder per environment. Narrow it to one environment, or to what a run group played.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/export",
    answer: "file",
    input: WorldsExport.extend(orgRef),
    output: z.object({
      org: z.string(),
      tier: Tier,
      environments: z.number().int(),
      tasks: z.number().int(),
    }),
    handle: exportWorlds,
  }),
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

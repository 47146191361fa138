import { z } from "zod";
import { recordId } from "../../../chapters/fields.ts";
import { Worldplan } from "../../../chapters/records/sandboxes/worldplan.ts";
import { exportBench } from "../../../chapters/sandboxes/bench/bench.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Worldplans as benchmark datasets. */
export const bench = [
  operation({
    name: "worldplan_bench",
    title: "Export a benchmark",
    description:
      "Answers a plan's certified tasks as a benchmark dataset: a zip with one directory per task in Harbor's task format, each with its world and a verifier (not run in Harbor yet).",
    scope: "read",
    answer: "file",
    route: "GET /v0/worldplans/{wid}/bench",
    orgResolution: { from: "record", kind: Worldplan, param: "wid" },
    input: z.object({
      wid: recordId("worldplan"),
      tier: Tier.optional().describe("The weakest tier a task may be of; `deterministic` when absent."),
    }),
    output: z.object({ worldplan: z.string(), tasks: z.number().int(), tier: Tier }),
    handle: exportBench,
  }),
];

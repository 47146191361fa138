import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Diagnosis, RunFinding } from "./run-bundle.ts";
import { RootCause } from "./runs.ts";

/** What stands out in a run's stored tries, read once. The newest is what is read; none is ever changed. */
export const RunAnalysis = recordKind({
  kind: "run_analysis",
  prefix: "ra",
  schema: z.object({
    ...recordBase,
    group: z.string(),
    run: z.string(),
    findings: z.array(RunFinding),
    diagnosis: Diagnosis,
    /** Root causes that came out otherwise than the grading said, by task and n. */
    causes: z.record(z.string(), RootCause),
  }),
  fields: ["group", "run"],
});

import { z } from "zod";
import { AttributeSelection } from "../../chapters/records/evidence/attribute.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { Worldplan } from "../../chapters/records/sandboxes/worldplan.ts";
import { startCoverage } from "../../chapters/sandboxes/environments/cover-evidence.ts";
import { startEvidencePlan } from "../../chapters/sandboxes/plans/plan-from-evidence.ts";
import { recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";

const reach = { from: "record", kind: Evidence, param: "eid" } as const;
const eid = recordId("evidence");
const augment = z.boolean().optional().describe("Whether rows may be drawn beside the observed ones; off when absent.");
const tasks = (when: number) =>
  z.number().int().min(1).max(500).optional().describe(`How many tasks; ${when} when absent.`);

/** Worlds minted from what was read of traces. */
export const worldplans = [
  operation({
    name: "worldplan_post",
    title: "Mint a worldplan from a selection",
    description:
      "Mints a plan from the traces of one evidence record that a selection leaves (five at least): a world of their surface with reviewed tasks mined from them alone. Its tasks come when the job has landed; read them with worldplan_get.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence/{eid}/worldplan",
    reach,
    input: z.object({
      eid,
      selection: AttributeSelection.optional().describe("Values by field; every trace when absent."),
      label: z.string().min(1).max(200).optional(),
      augment,
      count: tasks(30),
    }),
    output: Worldplan.schema.extend({
      job: z.string(),
      job_status: z.string(),
      deduplicated: Started.shape.deduplicated,
      poll: Started.shape.poll,
    }),
    handle: startEvidencePlan,
  }),
  operation({
    name: "worldplan_coverage",
    title: "Mint worldplans that cover a record",
    description:
      "Starts minting up to k plans that cover the attributes of one evidence record: its traces are grouped, and each group of five or more becomes a plan as of worldplan_post. The job's result names them.",
    scope: "push",
    effect: "start",
    route: "POST /v0/evidence/{eid}/worldplans/coverage",
    reach,
    input: z.object({
      eid,
      k: z.number().int().min(1).max(20).optional().describe("How many groups; 5 when absent."),
      augment,
      count: tasks(10),
    }),
    output: Started.extend({ evidence_id: z.string(), k: z.number().int() }),
    handle: startCoverage,
  }),
];

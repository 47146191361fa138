import { recordId } from "../fields.ts";
import { Evidence } from "../records/evidence/evidence.ts";

/** The org is that of the evidence which the path names. */
export const reach = { from: "record", kind: Evidence, param: "eid" } as const;

/** The evidence of a route. */
export const eid = recordId("evidence");

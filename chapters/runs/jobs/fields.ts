import { recordId } from "../../fields.ts";

/** The org is that of the job which the path names. */
export const ofJob = { from: "record", kind: "job", param: "job_id" } as const;

/** The job of a route. */
export const jobRef = { job_id: recordId("job") };

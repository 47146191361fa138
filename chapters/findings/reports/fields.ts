import { orgRef, recordId } from "../../fields.ts";

/** A report of a route. */
export const reportRef = { ...orgRef, report_id: recordId("report") };

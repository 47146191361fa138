import { orgRef, recordId } from "../../kernel/fields.ts";

/** A report of a route. */
export const reportRef = { ...orgRef, report_id: recordId("report") };

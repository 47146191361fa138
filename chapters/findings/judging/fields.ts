import { z } from "zod";
import { orgRef, recordId } from "../../fields.ts";
import { HeldSet } from "../../records/findings/findings.ts";

/** The group that a held set was picked out of. */
export const groupRef = { ...orgRef, gid: recordId("run group that the held set was picked out of") };

/** A held set as it is answered. */
export const SetView = HeldSet.schema.extend({ tasks: z.number().int() });

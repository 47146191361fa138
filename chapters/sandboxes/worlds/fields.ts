import { z } from "zod";
import { WorldRecord } from "../../records/sandboxes/sandboxes.ts";

/** What people call a token. */
export const label = z.string().min(1).max(200).optional();

/** How long a token is good for, in days. */
export const expiresInDays = z.number().positive().max(3650).optional().describe("Of the token; it stays when absent.");

/** The org is that of the world which the path names. */
export const ofWorld = { from: "record", kind: WorldRecord, param: "world" } as const;

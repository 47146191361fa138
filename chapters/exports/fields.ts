import { z } from "zod";

/** The kind of a record that a mirror copies. */
export const memberKind = z.string().min(1).max(60).describe("A kind of member, as mirror_get lists them in `order`.");

/** The id of a record that a mirror copies. */
export const memberId = z.string().min(1).max(400).describe("The member's id, as listed.");

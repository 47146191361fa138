import { z } from "zod";
import { recordId, words } from "../fields.ts";

/** The kind of a record that a mirror copies. */
export const memberKind = z.string().min(1).max(60).describe("A kind of member, as mirror_get lists them in `order`.");

/** The id of a record that a mirror copies. */
export const memberId = z.string().min(1).max(400).describe("The member's id, as listed.");

/** The group that a finding is compared with. */
export const against = words(200)
  .describe("A run group to compare with; the main version's newest one when absent.")
  .optional();

/** Whether what identifies people is taken out. */
export const redact = z
  .boolean()
  .optional()
  .describe("False leaves in what identifies people; for a signed-in member or an admin.");

/** Which finding is sent. */
export const which = {
  group: recordId("run group whose finding is sent"),
  against,
  main: z
    .enum(["group", "against"])
    .optional()
    .describe("Which of the two is told as the main one; against when absent."),
  redact,
};

/** The leave to send. */
export const confirm = z
  .string()
  .max(200)
  .optional()
  .describe("A member's leave for this send, from delivery_confirm.");

/** Where links of a finding lead. */
export const consoleUrl = z
  .string()
  .regex(/^https?:\/\/[^\s@?#]{1,300}$/)
  .optional()
  .describe("The console's address, such as https://host/console; this service's by default.");

import { classOf } from "../../../worlds/tasks/checks/answer-class.ts";
import type { FinalAnswerClass } from "../../records/evidence/evidence.ts";

/** Where an answer turns to another part of what was asked. */
const ASIDE =
  /(?<=[.!?]\s+)(?:(?:however|but|unfortunately),? )?(?:as (?:for|to)|regarding|concerning|with (?:regard|respect) to|when it comes to)\b/i;

/**
 * How a final answer ended, by the phrase rule that grading uses too: `none` without one, `answered` where an answer
 * both claims success and declines, or gives a figure and declines another part of what was asked.
 */
export function finalAnswerClass(answer: string | null): FinalAnswerClass {
  if (answer === null) return "none";
  const said = classOf(answer) ?? "answered";
  if (said !== "refused" && said !== "said_no_data") return said;
  const at = answer.search(ASIDE);
  const before = at < 0 ? "" : answer.slice(0, at);
  return /\d/.test(before) && classOf(before) === "answered" ? "answered" : said;
}

import { classOf } from "../../worlds/tasks/checks/answer-class.ts";
import type { FinalAnswerClass } from "./schema.ts";

/** How a final answer ended, by the phrase rule that grading uses too: `none` without one, `answered` where an answer both claims success and declines. */
export function finalAnswerClass(answer: string | null): FinalAnswerClass {
  return answer === null ? "none" : (classOf(answer) ?? "answered");
}

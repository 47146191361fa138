import type { FinalAnswerClass } from "./schema.ts";

const REFUSED =
  /\b(?:I(?:'m| am) (?:not able|unable|not allowed|not permitted)|I (?:can(?:no|')t|won't|will not|must decline|have to decline)|(?:is|are) not (?:allowed|permitted|eligible)|against (?:our|the) policy|transferred to a human|transfer you to a human)\b/i;
const NO_DATA =
  /\b(?:(?:could(?: not|n't)|can(?:no|')t|was unable to|did(?: not|n't)|were unable to) (?:find|locate)|no (?:matching )?(?:results?|records?|matches|data|entries|items|flights?|orders?|products?) (?:were |was |are |is )?(?:found|available|match)|(?:there (?:is|are)|I have|I found) no (?:such |matching )?\w+|does(?: not|n't) exist|not found)\b/i;

/** How a final answer ended, by phrase rule: `none` without one; a statement that nothing was found goes before a refusal. */
export function finalAnswerClass(answer: string | null): FinalAnswerClass {
  if (answer === null || answer.trim() === "") return "none";
  if (NO_DATA.test(answer)) return "said_no_data";
  return REFUSED.test(answer) ? "refused" : "answered";
}

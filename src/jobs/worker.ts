import { answerRequests } from "./answer-requests.ts";
import { computeTasks } from "./compute-tasks.ts";

/** Runs one task in this thread, of those that take a while. */
export default answerRequests(computeTasks);

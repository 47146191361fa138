import { answerRequests } from "./answer-requests.ts";
import { briefTasks } from "./brief-tasks.ts";

/** Runs one brief task in this thread. */
export default answerRequests(briefTasks);

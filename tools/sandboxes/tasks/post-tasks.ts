import { z } from "zod";
import { StatusCounts } from "../../../chapters/sandboxes/fields.ts";
import { PostInput, postTasks } from "../../../chapters/sandboxes/tasks/post-tasks.ts";
import { operation } from "../../kernel/operation.ts";
import { TaskView } from "./task-view.ts";

export const added = [
  operation({
    name: "environment_tasks_post",
    title: "Add tasks",
    description:
      "Use it to add a task of your own: in `stated` the request in plain words with what is right, of which script and checks are written; in `tasks` whole ones. All pass the usual review, or nothing is stored and each is named with the verdict that it failed and why.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks",
    deferrable: true,
    input: PostInput,
    output: z.object({ environment: z.string(), tasks: z.array(TaskView), counts: StatusCounts }),
    handle: postTasks,
  }),
];

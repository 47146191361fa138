import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import {
  AuthorRequest,
  startRegenerate,
  startRevoice,
} from "../../../chapters/sandboxes/authoring/author-environment.ts";
import { envRef, modelField, seedField, someTasks, WorkOnTasks, whyField } from "../../../chapters/sandboxes/fields.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { operation } from "../../kernel/operation.ts";

/** Write refused tasks again; voice requests anew. */
export const authorEnvironment = [
  operation({
    name: "environment_review_regenerate",
    title: "Write refused tasks again",
    description:
      "Starts writing other tasks by rule in the place of refused ones, of the same family, that pass review. A person's own tasks are replaced only where named; a revision keeps what was.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/regenerate",
    input: AuthorRequest,
    output: WorkOnTasks,
    handle: startRegenerate,
  }),
  operation({
    name: "environment_revoice",
    title: "Voice requests anew",
    description:
      "Starts saying tasks' requests in another register or persona, scripts and checks untouched. Requests in a user's own words stay; one revision keeps the words before.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/revoice",
    input: z.object({
      ...envRef,
      ...someTasks("every one"),
      register: z.enum(REGISTERS).optional().describe("Another than each has now, in turn, when absent."),
      persona: z.string().min(1).max(200).optional().describe("The one each has now when absent."),
      ...seedField,
      ...modelField,
      ...whyField,
      ...byField,
    }),
    output: WorkOnTasks,
    handle: startRevoice,
  }),
];

import { z } from "zod";
import { Started } from "../../../chapters/job.ts";
import { RereviewRequest, startRereview } from "../../../chapters/sandboxes/review/rereview.ts";
import { operation } from "../../kernel/operation.ts";

/** Review held tasks again. */
export const rereview = [
  operation({
    name: "environment_review_rereview",
    title: "Review held tasks again",
    description:
      "Starts a review of the held tasks named, or of all that are held, on the world served now. What passes is certified again; what does not is refused with the reason.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/rereview",
    input: RereviewRequest,
    output: Started.extend({
      environment: z.string(),
      surface: z.string(),
      rereviewed: z.array(z.number().int()).describe("The held tasks that are reviewed, by index."),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startRereview,
  }),
];

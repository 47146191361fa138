import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { getJudge, JudgeView, PutInput, putJudge } from "../../chapters/organization/judge.ts";
import { operation } from "../kernel/operation.ts";

/** The model that decides judged checks. */
export const judge = [
  operation({
    name: "judge_get",
    title: "Read which judge is set",
    description:
      "Tells which model decides judged checks and where that comes from (the org, or the default), each judged scorer's model, who chose what, and the exact strings an admin may choose.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/judge",
    input: z.object(orgRef),
    output: z.object({ org: z.string(), judge: JudgeView }),
    handle: getJudge,
  }),
  operation({
    name: "judge_put",
    title: "Choose the judge",
    description:
      "Chooses the model that decides judged checks, for the org or for one scorer, from the next run on; null returns it to the default. Only strings that judge_get offers are taken.",
    scope: "admin",
    route: "PUT /v0/orgs/{orgtag}/judge",
    input: PutInput,
    output: z.object({ org: z.string(), judge: JudgeView, cleared: z.boolean() }),
    handle: putJudge,
  }),
];

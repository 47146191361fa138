import { z } from "zod";
import { count, orgRef } from "../../../chapters/fields.ts";
import { AgreementShare } from "../../../chapters/findings/judging/agreement.ts";
import {
  getCalibration,
  listCalibration,
  PatchInput,
  PostInput,
  patchCalibration,
  postCalibration,
  setRef,
} from "../../../chapters/findings/judging/calibration.ts";
import { pageInput } from "../../../chapters/page.ts";
import { CalibrationSet, CalibrationVerdict } from "../../../chapters/records/findings/findings.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Share = AgreementShare.describe("A share of items with Wilson's interval, 95 %.");

const Summary = CalibrationSet.schema.omit({ items: true, retired: true, rubric: true, label: true }).extend({
  label: z.string(),
  rubric: z.string().nullable(),
  n: count.describe("Labelled items."),
  agreement: Share,
  kappa: z
    .object({
      kappa: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      n: count,
      reason: z.string().nullable(),
    })
    .describe("Cohen's kappa with its interval, 95 %; null where chance alone agrees wholly."),
  disagreements: z.object({
    n: count,
    of: count,
    judge_lenient: count.describe("The judge met what the person did not."),
    judge_strict: count,
    items: z
      .array(z.object({ id: z.string(), judge: CalibrationVerdict, human: CalibrationVerdict }))
      .describe("At most 100."),
  }),
  drift: z
    .object({
      since: z.string().describe("The earlier set of the same criterion and judge."),
      before: z.number(),
      now: z.number(),
      difference: z.number(),
      low: z.number(),
      high: z.number(),
      words: z.string(),
    })
    .nullable()
    .describe("How agreement moved since that set, with Newcombe's interval, 95 %; null without one."),
  repeatability: Share.nullable().describe(
    "Items that the judge decided alike each time; null where none was decided twice.",
  ),
  retired: z.object({ reason: z.string(), by: z.string(), at: z.number() }).nullable(),
  tier: Tier,
});
const Whole = Summary.extend({ items: CalibrationSet.schema.shape.items });

/** How well judges agree with people. */
export const calibration = [
  operation({
    name: "calibration_list",
    title: "List calibration sets",
    description:
      "Read it before trusting a judged criterion: lists the sets in which a judge's verdicts stand beside a person's labels: agreement, kappa with its interval, drift, repeatability and disagreements.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/calibration",
    input: z.object({ ...orgRef, ...pageInput, retired: z.boolean().optional().describe("Also the retired ones.") }),
    output: z.object({ org: z.string(), sets: z.array(Summary), next: z.string().optional() }),
    handle: listCalibration,
  }),
  operation({
    name: "calibration_post",
    title: "Add a calibration set",
    description:
      "Stores a judge's verdicts beside a person's labels of the same items, whole or not at all, and answers how well they agree. An item gives the judge's verdict or names the stored trial that holds it.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/calibration",
    input: PostInput,
    output: Summary,
    handle: postCalibration,
  }),
  operation({
    name: "calibration_get",
    title: "Read a calibration set",
    description: "Answers one calibration set with every labelled item: the judge's verdicts beside the person's.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/calibration/{cid}",
    input: z.object(setRef),
    output: Whole,
    handle: getCalibration,
  }),
  operation({
    name: "calibration_patch",
    title: "Retire a calibration set",
    description:
      "Takes a set off the panel with the reason, or puts it back with `retired: null`. Nothing else of it can be changed.",
    scope: "push",
    route: "PATCH /v0/orgs/{orgtag}/calibration/{cid}",
    input: PatchInput,
    output: Whole,
    handle: patchCalibration,
  }),
];

import { z } from "zod";
import { byField, recordId } from "../../../chapters/fields.ts";
import { Worldplan } from "../../../chapters/records/sandboxes/worldplan.ts";
import {
  deleteWorldplan,
  getWorldplan,
  ListInput,
  listWorldplans,
  patchWorldplan,
} from "../../../chapters/sandboxes/plans/worldplans.ts";
import { Task } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

const owned = { owned: z.boolean().describe("Whether a person rewrote it: it is never generated again.") };

const PlanView = Worldplan.schema.extend(owned);

const planRef = { wid: recordId("worldplan") };

const { request, turns, script, checks } = Task.shape;
const reach = { from: "record", kind: Worldplan, param: "wid" } as const;

/** Minted worlds with tasks, as artifacts. */
export const worldplans = [
  operation({
    name: "worldplans_list",
    title: "List worldplans",
    description: "Lists plans, newest first, with their tasks in counts and whether a person owns them.",
    scope: "read",
    route: "GET /v0/worldplans",
    input: ListInput,
    output: z.object({
      worldplans: z.array(
        Worldplan.schema
          .omit({ tasks: true })
          .extend({ tasks: z.number().int(), certified: z.number().int(), ...owned }),
      ),
      total: z.number().int(),
      next: z.string().optional(),
    }),
    handle: listWorldplans,
  }),
  operation({
    name: "worldplan_get",
    title: "Get a worldplan",
    description: "Answers one plan whole: what its world is made of, and its tasks with scripts and checks.",
    scope: "read",
    route: "GET /v0/worldplans/{wid}",
    orgResolution: reach,
    input: z.object(planRef),
    output: PlanView,
    handle: getWorldplan,
  }),
  operation({
    name: "worldplan_patch",
    title: "Edit a worldplan",
    description:
      "Names a plan anew, or makes its tasks those listed, each as it stands or rewritten; what is not listed is dropped. Rewritten tasks pass review, or nothing is changed and each failing one is named.",
    scope: "push",
    route: "PATCH /v0/worldplans/{wid}",
    orgResolution: reach,
    input: z.object({
      ...planRef,
      label: z.string().min(1).max(200).optional(),
      tasks: z
        .array(
          z.object({
            index: z.number().int().min(0).describe("The task's index in the plan."),
            request: request.optional(),
            turns: turns.optional(),
            script: script.optional(),
            checks: checks.optional(),
          }),
        )
        .min(1)
        .max(500)
        .optional(),
      ...byField,
    }),
    output: PlanView,
    handle: patchWorldplan,
  }),
  operation({
    name: "worldplan_delete",
    title: "Delete a worldplan",
    description: "Deletes a plan. The environment that it was generated on, and its runs, stay.",
    scope: "push",
    route: "DELETE /v0/worldplans/{wid}",
    orgResolution: reach,
    input: z.object(planRef),
    output: z.object({ deleted: z.string() }),
    handle: deleteWorldplan,
  }),
];

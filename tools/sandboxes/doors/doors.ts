import { z } from "zod";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { Door, DoorTally } from "../../../chapters/records/sandboxes/doors.ts";
import { doorTally, listDoors, openDoor, resetDoor, revokeDoor } from "../../../chapters/sandboxes/doors/doors.ts";
import { urls } from "../../../chapters/sandboxes/doors/fields.ts";
import { operation } from "../../kernel/operation.ts";

const tier = z.literal("deterministic");

/** A door as it is answered. */
export const DoorView = Door.schema.omit({ id: true, starts: true, api: true, tally: true }).extend({
  tid: z.string(),
  live: z.boolean(),
  ...urls,
  reset_url: z.string().optional(),
  requests: z.number().int(),
});

const sandboxRef = { ...orgRef, sid: recordId("sandbox") };

const doorRef = { ...sandboxRef, tid: recordId("door") };

const label = z.string().min(1).max(200).optional();

/** HTTP mocks of an org's API on public addresses. */
export const doors = [
  operation({
    name: "sandbox_door_post",
    title: "Open a door",
    description:
      "Opens another door to a sandbox drawn from an HTTP API: a public URL with a world of its own, as drawn, so that two clients never meet.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/sandboxes/{sid}/door",
    input: z.object({
      ...sandboxRef,
      label,
      version: z.string().min(1).max(100).optional().describe("What version of the client it is for, in words."),
      quota_limit: z.number().int().min(1).max(1_000_000).optional().describe("Requests a minute before a 429."),
      ...byField,
    }),
    output: z.object({ door: DoorView }),
    handle: openDoor,
  }),
  operation({
    name: "sandbox_door_get",
    title: "List a sandbox's doors",
    description: "Lists the doors of a sandbox, oldest first, revoked ones included with when that was.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/sandboxes/{sid}/door",
    input: z.object(sandboxRef),
    output: z.object({ doors: z.array(DoorView) }),
    handle: listDoors,
  }),
  operation({
    name: "sandbox_door_delete",
    title: "Revoke a door",
    description:
      "Revokes a door at once and for good: its address then answers like one that never was. Its tally stays readable.",
    scope: "push",
    route: "DELETE /v0/orgs/{orgtag}/sandboxes/{sid}/door/{tid}",
    input: z.object({ ...doorRef, ...byField }),
    output: z.object({ door: DoorView }),
    handle: revokeDoor,
  }),
  operation({
    name: "sandbox_door_reset",
    title: "Reset a door",
    description: "Puts a door's world back to its drawn state, as a POST to the door's own /_svc/reset does.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/sandboxes/{sid}/door/{tid}/reset",
    input: z.object(doorRef),
    output: z.object({ tid: z.string(), world: z.string(), reset: z.literal(true), digest: z.string() }),
    handle: resetDoor,
  }),
  operation({
    name: "sandbox_door_tally",
    title: "Count what a door took",
    description:
      "Counts what a door was asked: by route template and status, requests no route takes by method, what the limit refused, and resets. Holds no body, query, path or id.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/sandboxes/{sid}/door/{tid}/tally",
    input: z.object(doorRef),
    output: DoorTally.extend({ tid: z.string(), requests: z.number().int(), tier }),
    handle: doorTally,
  }),
];

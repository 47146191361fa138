import { z } from "zod";
import { Door, DoorTally, HttpGrammarRecord } from "../../../chapters/records/sandboxes/doors.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { doorTally, listDoors, openDoor, resetDoor, revokeDoor } from "../../../chapters/sandboxes/doors/doors.ts";
import { getApiDoors, postApiDoor } from "../../../chapters/sandboxes/doors/doors-api.ts";
import { byField, orgRef, recordId } from "../../kernel/fields.ts";
import { operation } from "../../kernel/operation.ts";

const tier = z.literal("deterministic");
const urls = {
  base_url: z.string().optional().describe("Where a client's upstream is pointed; cut short for read-only callers."),
  gaps_url: z.string().optional().describe("Lists by route what no evidence answered."),
};
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
    name: "apidoor_post",
    title: "Serve an API door",
    description:
      "Compiles the org's HTTP API from held captures (HAR, recorded exchanges) and its newest OpenAPI document, and serves it at a public URL over a stateful world. Where evidence is silent it answers 501.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/apidoor",
    statuses: [200],
    input: z.object({
      ...orgRef,
      bundle_id: recordId("bundle").optional().describe("Serves this compiled API again instead of compiling."),
      capture: recordId("evidence").optional().describe("The capture to compile; every one that stands when absent."),
      grammar: z
        .array(z.string().regex(/^(?:[A-Z]+ +)?\/[^\s?#]{0,500}$/))
        .max(500)
        .optional()
        .describe("Route templates that stand before learned ones, such as `/orders/{order_id}`."),
      description_overrides: z
        .record(z.string(), z.string().min(1).max(2048))
        .optional()
        .describe("Descriptions by tool name, in place of those compiled."),
      quota_limit: z.number().int().min(1).max(1_000_000).optional().describe("Requests a minute before a 429."),
      ...byField,
    }),
    output: z.object({
      org: z.string(),
      id: z.string().describe("The sandbox that the door opens on."),
      bundle_id: z.string(),
      world: z.string(),
      token_id: z.string().describe("The door's id."),
      base_url: urls.base_url,
      recompiled: z.boolean(),
      reused_token: z.boolean().describe("Whether the door stood already and keeps its address."),
      tool_names: z.array(z.string()),
      census: HttpGrammarRecord.schema.shape.census.extend({ tier }),
      compile: z.object({
        tables: z.record(z.string(), z.number().int()),
        routes: z.number().int(),
        exceptions: z.number().int(),
        conflicts: z.number().int(),
        gaps: BundleRecord.schema.shape.gaps,
        tier,
      }),
      note: z.string(),
    }),
    handle: postApiDoor,
  }),
  operation({
    name: "apidoor_get",
    title: "List API doors",
    description:
      "Lists every open door by the API version it serves: per world the base URL to point a client's upstream at, and the URL that lists what it could not answer.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/apidoor",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      doors: z.array(
        z.object({
          bundle_id: z.string(),
          worlds_served: z.number().int(),
          worlds: z.array(
            z.object({
              world: z.string(),
              token_id: z.string(),
              sandbox: z.string(),
              label: z.string().optional(),
              version: z.string().optional(),
              quota_limit: z.number().int().optional(),
              ...urls,
            }),
          ),
        }),
      ),
    }),
    handle: getApiDoors,
  }),
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
    effect: "read",
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
    effect: "delete",
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
    title: "A door's tally",
    description:
      "Counts what a door was asked: by route template and status, requests no route takes by method, what the limit refused, and resets. Holds no body, query, path or id.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/sandboxes/{sid}/door/{tid}/tally",
    input: z.object(doorRef),
    output: DoorTally.extend({ tid: z.string(), requests: z.number().int(), tier }),
    handle: doorTally,
  }),
];

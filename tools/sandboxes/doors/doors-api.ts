import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { HttpGrammarRecord } from "../../../chapters/records/sandboxes/doors.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { ApiDoorInput, ApiDoorRow, getApiDoors, postApiDoor } from "../../../chapters/sandboxes/doors/doors-api.ts";
import { urls } from "../../../chapters/sandboxes/doors/fields.ts";
import { operation } from "../../kernel/operation.ts";

const tier = z.literal("deterministic");

/** Serve an API door; list API doors. */
export const doorsApi = [
  operation({
    name: "apidoor_post",
    title: "Serve an API door",
    description:
      "Compiles the org's HTTP API from held captures (HAR, recorded exchanges) and its newest OpenAPI document, and serves it at a public URL over a stateful world. Where evidence is silent it answers 501.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/apidoor",
    statuses: [200],
    input: ApiDoorInput,
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
        replay: HttpGrammarRecord.schema.shape.replay.describe(
          "Of the captures' own exchanges, replayed in their order: how many are answered as they were, and how many otherwise; the rest is a 501. Requests that no capture holds may fare worse.",
        ),
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
    route: "GET /v0/orgs/{orgtag}/apidoor",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      doors: z.array(
        z.object({
          bundle_id: z.string(),
          worlds_served: z.number().int(),
          worlds: z.array(ApiDoorRow),
        }),
      ),
    }),
    handle: getApiDoors,
  }),
];

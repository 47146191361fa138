import { z } from "zod";
import { byField, orgRef, words } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { Rotation } from "../../chapters/records/sources/sources.ts";
import { Link, listRotations, rotateLinks } from "../../chapters/sources/rotations.ts";
import { operation } from "../kernel/operation.ts";

/** Turning over the links by which agents reach the org's worlds. */
export const rotations = [
  operation({
    name: "connections_rotations_get",
    title: "List rotations",
    description:
      "Lists when the org's connector links were turned over, newest first: by whom, how many worlds and links. Never a token.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/connections/rotations",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      org: z.string(),
      rotations: z.array(Rotation.schema),
      note: z.string(),
      next: z.string().optional(),
    }),
    handle: listRotations,
  }),
  operation({
    name: "connections_rotate_post",
    title: "Turn over every connector link",
    description:
      "Turns over every live connector link of the org at once: each token of a world that stands gets a successor, shown this once, and is refused from its next request on. Use it when a link has leaked.",
    scope: "push",
    effect: "update",
    hints: { destructive: true, idempotent: false },
    route: "POST /v0/orgs/{orgtag}/connections/rotations",
    input: z.object({
      ...orgRef,
      via: words(60).optional().describe("What it was asked through, for the record; `api` when absent."),
      ...byField,
    }),
    output: z.object({
      org: z.string(),
      public_url: z.string().nullable(),
      rotated: z.number().int(),
      rotation: Rotation.schema,
      links: z.array(Link),
      note: z.string(),
    }),
    handle: rotateLinks,
  }),
];

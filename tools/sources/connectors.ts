import { z } from "zod";
import { byField, orgRef } from "../../chapters/fields.ts";
import { ConnectorTier } from "../../chapters/records/sources/sources.ts";
import { ConnectorCategory } from "../../chapters/sources/connector-catalog.ts";
import {
  ConnectorInput,
  ConnectorPatch,
  ConnectorView,
  listConnectors,
  patchConnector,
  upsertConnectors,
} from "../../chapters/sources/connectors.ts";
import { operation } from "../kernel/operation.ts";

/** The catalog of tool servers that agents commonly use, and what this org measured of them. */
export const connectors = [
  operation({
    name: "connectors_get",
    title: "List the connector catalog",
    description:
      "Lists the tool servers that agents commonly use, by category: class, version, regression rate, inherited eval set, and whether each can be promoted. This is a catalogue: for MCP links of worlds use connections.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/connectors",
    input: z.object({ ...orgRef, retired: z.boolean().optional().describe("Whether to list retired rows too.") }),
    output: z.object({
      org: z.string(),
      categories: z.array(ConnectorCategory.partial({ eval_set: true }).extend({ connectors: z.number().int() })),
      connectors: z.array(ConnectorView),
      counts: z.record(z.string(), z.number().int()),
      promotion_tier: ConnectorTier.describe("The class that a promoted connector moves to."),
      tier: z.literal("deterministic").describe("How the counts and `promote` were made."),
    }),
    handle: listConnectors,
  }),
  operation({
    name: "connectors_post",
    title: "Add connectors",
    description:
      "Adds rows to this org's connector catalog, or writes over those of the same id. A new version marks a rerun due; a measured regression rate clears that.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/connectors",
    input: z.object({ ...orgRef, connectors: z.array(ConnectorInput).min(1).max(500), ...byField }),
    output: z.object({
      org: z.string(),
      connectors: z.array(ConnectorView),
      created: z.number().int(),
      updated: z.number().int(),
      unchanged: z.number().int(),
      by: z.string(),
    }),
    handle: upsertConnectors,
  }),
  operation({
    name: "connector_patch",
    title: "Change a connector",
    description:
      "Changes one row of this org's connector catalog: its class, a new version (marks a rerun due), a measured regression rate (clears that), or retires and restores it.",
    scope: "push",
    route: "PATCH /v0/orgs/{orgtag}/connectors/{cid}",
    input: ConnectorPatch,
    output: ConnectorView,
    handle: patchConnector,
  }),
];

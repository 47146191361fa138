import { z } from "zod";
import { FacetInput, fileFacets, getFacets, listFacets } from "../../../chapters/evidence/attributes/facets.ts";
import { orgField, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { FacetSpace } from "../../../chapters/records/evidence/facet.ts";
import { operation } from "../../kernel/operation.ts";

const SpaceView = FacetSpace.schema.extend({ org: z.string() });

/** Groups that traces fall into. */
export const facets = [
  operation({
    name: "facets_post",
    title: "Group traces",
    description:
      "Groups the traces of one evidence record by their attributes, or measures the groups you give in clusters: size, cohesion, exemplars, telling values. Needs attributes: evidence_extract or evidence_attributes_post.",
    scope: "push",
    effect: "create",
    route: "POST /v0/facets",
    input: FacetInput,
    output: SpaceView,
    handle: fileFacets,
  }),
  operation({
    name: "facets_list",
    title: "List groupings",
    description: "Lists the org's groupings of traces, newest first, each with its groups' labels and sizes.",
    scope: "read",
    route: "GET /v0/facets",
    input: z.object({ ...orgField, evidence: z.string().min(1).max(200).optional(), ...pageInput }),
    output: z.object({
      org: z.string(),
      facets: z.array(
        FacetSpace.schema.extend({ clusters: z.array(z.object({ label: z.string(), size: z.number().int() })) }),
      ),
      next: z.string().optional(),
    }),
    handle: listFacets,
  }),
  operation({
    name: "facets_get",
    title: "Read a grouping",
    description: "Reads one grouping of traces with every group's measures.",
    scope: "read",
    route: "GET /v0/facets/{fid}",
    orgResolution: { from: "record", kind: FacetSpace, param: "fid" },
    input: z.object({ fid: recordId("grouping") }),
    output: SpaceView,
    handle: getFacets,
  }),
];

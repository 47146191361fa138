import { z } from "zod";
import { byField, orgRef, recordId } from "../../chapters/fields.ts";
import { OfSurface, RevisionView } from "../../chapters/ontology/fields.ts";
import { RestoreOntologyInput, restoreOntology, undoRevision } from "../../chapters/ontology/restore.ts";
import { whyField } from "../../chapters/sandboxes/fields.ts";
import { operation } from "../kernel/operation.ts";

/** Restore an earlier ontology; undo an ontology revision. */
export const restore = [
  operation({
    name: "ontology_restore",
    title: "Restore an earlier ontology",
    description:
      "Makes an earlier revision of a surface's graph stand, as a new revision; the one before when none is named. `expected_revision` refuses when another stands.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/ontology/restore",
    input: RestoreOntologyInput,
    output: OfSurface,
    handle: restoreOntology,
  }),
  operation({
    name: "ontology_revision_restore",
    title: "Undo an ontology revision",
    description:
      "Undoes the revision that stands: the graph it replaced stands again, as a revision of its own. 409 where it was undone already, where nothing stood before it, or where a later one stands.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/ontology/revisions/{rev}/restore",
    input: z.object({ ...orgRef, rev: recordId("ontology revision"), ...byField, ...whyField }),
    output: z.object({ error: z.null(), revision: RevisionView }),
    handle: undoRevision,
  }),
];

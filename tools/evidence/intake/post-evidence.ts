import { z } from "zod";
import { postEvidence, postFields } from "../../../chapters/evidence/intake/post-evidence.ts";
import { EvidenceView } from "../../../chapters/evidence/view.ts";
import { orgField } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Send evidence. */
export const postEvidenceOperations = [
  operation({
    name: "evidence_post",
    title: "Send evidence",
    description:
      "Stores what is known of how an agent is used: traces of its sessions (most known formats, found out by itself), tool listings, OpenAPI documents, HTTP archives, documents, database exports, as text or JSON in content. Answers what was taken, refused (with line and reason) and lost; next: pipeline_post.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence",
    body: "stream",
    statuses: [201, 200, 400, 413, 429, 503],
    input: z.object({ ...orgField, ...postFields }),
    output: EvidenceView,
    handle: postEvidence,
  }),
];

import { z } from "zod";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { StatusCounts, seedField } from "../../../chapters/sandboxes/fields.ts";
import { deleteSandbox, getSandbox, listSandboxes, mintSandbox } from "../../../chapters/sandboxes/worlds/sandboxes.ts";
import { operation } from "../../kernel/operation.ts";
import { Realism } from "../authoring/realism.ts";
import { DoorView } from "../doors/doors.ts";

const { hypothesis, rows } = Environment.schema.shape;
const SandboxView = z.object({
  id: z.string(),
  label: z.string(),
  surface: z.string(),
  hypothesis,
  seed: z.string(),
  rows,
  tasks: z.number().int(),
  revision: z.number().int(),
  created_at: z.number(),
  by: z.string(),
  representation: z.object({
    bundle: z.string(),
    digest: z.string().nullable(),
    evidence: z.number().int(),
    tools: z.number().int(),
    exceptions: z.number().int(),
    gaps: z.number().int(),
  }),
});
const sandboxRef = { sid: recordId("sandbox") };
const reach = { from: "record", kind: Environment, param: "sid" } as const;

/** Fake worlds drawn from named representations. */
export const sandboxes = [
  operation({
    name: "sandboxes_list",
    title: "List sandboxes",
    description:
      "Lists fake worlds, newest first, each with the representation that produced it, and the hypotheses that may be minted now on each surface. A sandbox's id is that of its environment.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/sandboxes",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      hypotheses: z.array(z.object({ hypothesis, holds: z.string() })),
      mint: z.array(
        z.object({
          surface: z.string(),
          bundle: z.string(),
          hypotheses: z.array(z.object({ hypothesis, available: z.boolean(), missing: z.string().optional() })),
        }),
      ),
      realism: Realism,
      sandboxes: z.array(SandboxView),
      next: z.string().optional(),
    }),
    handle: listSandboxes,
  }),
  operation({
    name: "sandboxes_post",
    title: "Mint a sandbox",
    description:
      "Starts drawing one fake world from a named representation of a surface: `observed` rows alone, `fitted` rows beside them, a database `export` alone, or `declared` behaviours. The job's result names it.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/sandboxes",
    input: z.object({
      ...orgRef,
      hypothesis,
      surface: z.string().min(1).max(200).optional().describe("The surface's name or id; `main` when absent."),
      label: z.string().min(1).max(200).optional(),
      ...seedField,
    }),
    output: Started.extend({ hypothesis, surface: z.string(), seed: z.string(), note: z.string() }),
    handle: mintSandbox,
  }),
  operation({
    name: "sandbox_get",
    title: "Get a sandbox",
    description:
      "Answers one fake world: what it was drawn from, rows per table, tasks by status, the worlds and HTTP doors that callers made of it with their addresses, and how many runs it has had.",
    scope: "read",
    route: "GET /v0/sandboxes/{sid}",
    orgResolution: reach,
    input: z.object(sandboxRef),
    output: SandboxView.extend({
      retired: z.boolean(),
      counts: StatusCounts,
      worlds: z.array(
        z.object({
          world: z.string(),
          label: z.string().optional(),
          created_at: z.number(),
          by: z.string(),
          live: z.boolean(),
          url: z.string(),
        }),
      ),
      doors: z.array(DoorView).describe("HTTP doors, oldest first, revoked ones too."),
      runs: z.number().int(),
    }),
    handle: getSandbox,
  }),
  operation({
    name: "sandbox_delete",
    title: "Delete a sandbox",
    description:
      "Removes a fake world for good with its tasks, revisions, scripts and tokens; its runs stay. environment_retire takes it off the lists and keeps it.",
    scope: "push",
    route: "DELETE /v0/sandboxes/{sid}",
    deferrable: true,
    orgResolution: reach,
    input: z.object({ ...sandboxRef, ...byField }),
    output: z.object({
      deleted: z.string(),
      by: z.string(),
      worlds_ended: z.number().int(),
      runs_kept: z.number().int(),
    }),
    handle: deleteSandbox,
  }),
];

import { z } from "zod";
import {
  addVersion,
  MarkVersionInput,
  setVersionRetired,
  VersionInput,
} from "../../../chapters/agents/versions/versions.ts";
import { AgentView, VersionView } from "../../../chapters/agents/views.ts";
import { operation } from "../../kernel/operation.ts";

/** Versions of an agent: immutable, retired and restored. */
export const versions = [
  operation({
    name: "agent_versions_post",
    title: "Add an agent version",
    description:
      "Records a new version of an agent under a label, of a repository at a ref; what is not given stays as in the newest version. Run both versions on the same tasks, then compare_runs.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions",
    input: VersionInput,
    output: z.object({ agent: AgentView, version: VersionView }),
    handle: addVersion,
  }),
  operation({
    name: "agent_version_patch",
    title: "Retire or restore an agent version",
    description: "Retires a version, so that no run starts with it, or restores it. What it ran stays.",
    scope: "push",
    route: "PATCH /v0/orgs/{orgtag}/agents/{aid}/versions/{version}",
    input: MarkVersionInput,
    output: VersionView,
    handle: setVersionRetired,
  }),
];

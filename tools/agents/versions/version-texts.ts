import { z } from "zod";
import { putSkills, putToolTexts, TextsInput } from "../../../chapters/agents/versions/version-texts.ts";
import { TextsView } from "../../../chapters/agents/views.ts";
import { operation } from "../../kernel/operation.ts";

const kept = { agent: z.string(), version: z.string(), same: z.boolean() };

/** Keep a version's skills; keep a version's tool texts. */
export const versionTexts = [
  operation({
    name: "agent_version_skills",
    title: "Keep a version's skills",
    description:
      "Keeps the texts of a version's skills (prompts, instructions) by digest, and answers how they differ from those of the version before: added, removed, changed.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/skills",
    input: TextsInput,
    output: z.object({ ...kept, skills: TextsView }),
    handle: putSkills,
  }),
  operation({
    name: "agent_version_tool_texts",
    title: "Keep a version's tool texts",
    description:
      "Keeps what a version's tools are described as, by digest, and answers how the texts differ from those of the version before: added, removed, changed.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/tool-texts",
    input: TextsInput,
    output: z.object({ ...kept, tool_texts: TextsView }),
    handle: putToolTexts,
  }),
];

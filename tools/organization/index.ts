import { chapter } from "../kernel/chapter.ts";
import { chat } from "./chat.ts";
import { confidence } from "./confidence.ts";
import { delivery } from "./delivery.ts";
import { identity } from "./identity.ts";
import { judge } from "./judge.ts";
import { members } from "./members.ts";
import { orgLife } from "./org-life.ts";
import { spend } from "./spend.ts";
import { status } from "./status.ts";
import { tokens } from "./tokens.ts";
import { versionLabels } from "./version-labels.ts";

/** The org itself: who may do what in it, and what it may spend. */
export const organizationChapter = chapter({
  name: "organization",
  title: "Organization",
  description:
    "Who is calling, orgs, tokens and members, delivery channels, spend and budget, judge and confidence settings.",
  operations: [
    ...identity,
    ...status,
    ...orgLife,
    ...tokens,
    ...members,
    ...delivery,
    ...spend,
    ...judge,
    ...confidence,
    ...versionLabels,
    ...chat,
  ],
});

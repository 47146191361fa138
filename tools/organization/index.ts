import { opens } from "../automation/delivery/opens.ts";
import { status } from "../automation/organization/status.ts";
import { versionLabels } from "../automation/organization/version-labels.ts";
import { delivery } from "../exports/delivery/delivery.ts";
import { chapter } from "../kernel/chapter.ts";
import { spend } from "./budget.ts";
import { chat } from "./chat.ts";
import { confidence } from "./confidence.ts";
import { identity } from "./identity.ts";
import { judge } from "./judge.ts";
import { members } from "./members.ts";
import { orgLife } from "./org-lifecycle.ts";
import { tokens } from "./tokens.ts";

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
    ...opens,
    ...spend,
    ...judge,
    ...confidence,
    ...versionLabels,
    ...chat,
  ],
});

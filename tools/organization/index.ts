import { chapter } from "../kernel/chapter.ts";
import { identity } from "./identity.ts";
import { tokens } from "./tokens.ts";

export const organization = chapter({
  name: "organization",
  title: "Organization",
  description:
    "Who is calling, orgs, tokens and members, delivery channels, spend and budget, judge and confidence settings.",
  operations: [...identity, ...tokens],
});

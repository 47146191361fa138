import type { RootCause } from "../../records/runs/runs.ts";

/** How people say each root cause, the more telling words first. A report is read by the first that it holds, in this order. */
const SAID_AS: Readonly<Record<RootCause, readonly RegExp[]>> = {
  false_no_data: [
    /\bfalse[ _-]no[ _-]data\b/i,
    /\b(?:said|says|saying|claim(?:s|ed)?|told (?:me|us|them|the user)|answer(?:s|ed)|replie[sd])\b[^.!?]{0,60}\b(?:no|not any|nothing|none|could ?n[o']t find|did ?n[o']t find|does ?n[o']t exist|not found)\b/i,
    /\b(?:could ?n[o']t|can ?n[o']t|did ?n[o']t|unable to|failed to) find\b/i,
    /\bno (?:data|results?|records?|match(?:es)?)\b/i,
  ],
  unverified_write: [
    /\bunverified[ _-]write\b/i,
    /\bwithout (?:first )?(?:checking|verifying|reading|looking(?: up| at)?|confirming)\b/i,
    /\bdid ?n[o']t (?:check|verify|read|look up|confirm)\b/i,
  ],
  over_refusal: [/\bover[ _-]refus\w*/i, /\brefus(?:ed|es|ing|al)\b/i, /\bdeclin(?:ed|es|ing)\b/i],
  policy_breach: [
    /\bpolicy[ _-]breach\b/i,
    /\b(?:against|violat\w*|broke|breach\w*)\b[^.!?]{0,30}\b(?:policy|rules?)\b/i,
    /\bshould (?:have|not have) (?:refused|been allowed)\b/i,
    /\bnot allowed\b/i,
  ],
  extra_write: [
    /\bextra[ _-]write\b/i,
    /\b(?:twice|two times|double|duplicate[ds]?)\b/i,
    /\balso (?:changed|cancell?ed|deleted|updated|booked|charged|sent)\b/i,
  ],
  padded_answer: [
    /\bpadded[ _-]answer\b/i,
    /\b(?:listed|dumped|sprayed|gave|returned) (?:everything|every \w+|all (?:of )?the|unrelated|irrelevant)\b/i,
    /\b(?:padded|unrelated|irrelevant) (?:rows?|values?|answers?|lists?|items?)\b/i,
  ],
  invented_value: [
    /\binvented[ _-]value\b/i,
    /\b(?:made up|makes up|invent(?:ed|s)|hallucinat\w+|fabricat\w+)\b/i,
    /\b(?:in no (?:system|record|document|table|database)|not in (?:any|the|our) (?:system|records?|database)|nowhere in)\b/i,
  ],
  tool_error_unhandled: [
    /\btool[ _-]error[ _-]unhandled\b/i,
    /\bignor(?:ed|es|ing)\b[^.!?]{0,20}\berrors?\b/i,
    /\bafter (?:an?|the) errors?\b/i,
  ],
  wrong_tool: [/\bwrong[ _-]tool\b/i],
  wrong_argument: [
    /\bwrong[ _-]argument\b/i,
    /\bwrong (?:\w+ )?(?:id|order|customer|account|row|item|date|filter|argument|parameter|booking|user|record|amount|price|total|quantity|address|name|time|number)\b/i,
  ],
  missing_call: [
    /\bmissing[ _-]call\b/i,
    /\b(?:forgot|forgets|skipped|skips|left out)\b/i,
    /\bonly did (?:half|part|one)\b/i,
  ],
  loop: [/\bloop(?:s|ed|ing)?\b/i, /\b(?:over and over|again and again|kept calling|keeps calling)\b/i],
  flood: [/\bflood(?:s|ed|ing)?\b/i, /\b(?:too much|endless) (?:output|text|log)\b/i],
  timeout: [/\btim(?:ed|es|e)[ -]?out\b/i, /\btook too long\b/i, /\bhung\b/i],
  crash: [/\bcrash(?:ed|es|ing)?\b/i, /\bstack ?trace\b/i],
  stopped_early: [
    /\bstopped[ _-]early\b/i,
    /\b(?:gave up|stopped (?:halfway|midway)|cut off|never answered|no answer)\b/i,
  ],
  format: [/\b(?:wrong|bad|broken|invalid) (?:format|json|markdown)\b/i],
  other: [],
};

/** The root cause that a report speaks of, and the words by which it was told; none where no rule knows its words. */
export function behaviourIn(text: string): { readonly behaviour: RootCause; readonly words: string } | undefined {
  for (const [behaviour, patterns] of Object.entries(SAID_AS) as [RootCause, readonly RegExp[]][])
    for (const pattern of patterns) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) return { behaviour, words: found.trim() };
    }
  return undefined;
}

const PRAISE =
  /\b(?:thanks|thank you|great|perfect|excellent|awesome|wonderful|well done|good job|love(?:d|s)? it|works? (?:well|fine|great))\b/i;
const COMPLAINT =
  /\b(?:not?|never|nothing|none|but|however|yet|except|although|wrong\w*|bad\w*|fail\w*|error\w*|bug\w*|broken?|missing|instead|only|without|should)\b|n[o']t\b/i;

/** Whether a report only praises: it tells of no failure. */
export function isPraise(text: string): boolean {
  return PRAISE.test(text) && !COMPLAINT.test(text) && behaviourIn(text) === undefined;
}

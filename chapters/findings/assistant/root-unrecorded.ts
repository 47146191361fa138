/** What no record of an org can tell, and the words of a question that ask for it. */
const UNRECORDED: readonly (readonly [words: RegExp, why: string])[] = [
  [
    /\b(?:next|coming|following) (?:day|week|month|quarter|year)\b|\b(?:will|going to)\b[^,.;]*\b(?:tomorrow|in (?:a|an|two|three|\d+) (?:day|week|month|year)s?)\b/,
    "what is recorded has happened, and nothing is forecast from it",
  ],
  [
    /\b(?:competitors?|rivals?|competition|other (?:companies|vendors|organi[sz]ations)|(?:the|our) (?:industry|market))\b/,
    "only this org's own agents, systems and runs are recorded",
  ],
  [
    /\b(?:customers|clients|users|people|subscribers) (?:have |who )?(?:cancell?ed|left|churned|quit|sued|switched|unsubscribed)(?: us)?(?= (?:because|over|due|after|since)\b|\W*$)|\b(?:how many|number of|what share of) (?:of (?:our|the) |\w+ )?(?:customers|clients|users|people|subscribers)\b[^,.;]*\b(?:los[et]|losing|cost us|driven? away|drove away|scared? (?:off|away))\b/,
    "of people who use the agent their recorded sessions alone are known",
  ],
  [
    /\bhow much (?:\w+ )?(?:revenue|turnover|profits?)\b|\bhow much money\b[^,.;]*\b(?:los[et]|losing)\b/,
    "of money only what models cost is recorded",
  ],
];
/** What tells of times to come. */
const PLANS: ReadonlySet<string> = new Set(["schedules_list", "schedules_get", "power"]);

/** Why what a question asks for is in no record; undefined where nothing says so. `name` is what would answer it. */
export function whyUnrecorded(text: string, name: string): string | undefined {
  const said = text.toLowerCase();
  const found = UNRECORDED.flatMap(([words, why]) => {
    const [part] = words.exec(said) ?? [];
    return part === undefined ? [] : [`That cannot be told ("${part}"): ${why}.`];
  });
  return PLANS.has(name) ? undefined : found[0];
}

/** What is asked to be done to the agent itself, which is nobody's but its makers'. */
const OF_AGENT =
  /^(?:please |can you |could you |i want you to )*(?:fix|repair|improve|rewrite|refactor|debug|optimi[sz]e|deploy|ship|patch|tune|fine-?tune|train|roll back|change|edit|write)\b(?! the wrong)[^,;:]*\b(?:agents?|prompts?|code|bugs?|versions?|regressions?|models?|scripts?|repo(?:sitory)?|bot)\b/;
/** What of it is kept here and can be changed. */
const KEPT = /\b(?:name|notes?|label|command|url|task|tasks|judge|budget|settings?)\b/;

/** Why a wish cannot be done by any operation; undefined where one may do it. */
export function whyNotDone(text: string): string | undefined {
  const said = text.trim().toLowerCase();
  return OF_AGENT.test(said) && !KEPT.test(said)
    ? "That cannot be done here: the agent's code, prompt and deployment are its makers' own, and no operation changes them. Ask why it fails, or which tasks broke, for what to change."
    : undefined;
}

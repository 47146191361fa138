import { contentWords } from "../../text/stems.ts";
import { ASKS, EXISTS, FAILS, FAKE, type Kind, ORG_KINDS, TRACES } from "./root-org-kinds.ts";
import { SHIP } from "./root-run-facts.ts";

const TOOL = /\b(tools?|functions?|operations?|endpoints?)\b/i;
const RUN = /\b(runs?|trials?|evaluations?|experiments?)\b/i;
const TASKS = /\b(tasks?|test cases?|cases)\b/i;
const OFTEN = /\b(most|least|often|frequent\w*|how many|how much|rates?|count\w*|times|top|popular|usage)\b/i;
const OFTEN_OR_FAILS = new RegExp(`${OFTEN.source}|${FAILS.source}`, "i");
const UNTESTED = /\b(never|not|no|without|missing)\b|un(tested|covered|used|exercised)/i;
const LOST = /\b(fail\w*|never (met|meet|pass\w*|solve\w*|succeed\w*)|not (met|pass\w*|solve\w*)|hardest|worst)\b/i;

/** What became another, or holds of one and not of the other: `but not the second`, `but version 2 did not`. */
const CHANGED =
  /\b(chang\w*|flip\w*|differ\w*)\b|\bbut( (in|by|with|the|my|our|agent|version|run|v?\d[\w.]*|new(er)?|old(er)?|other|second|first|last|latest|one))*( [\w.-]+( (agent|version|v?\d[\w.]*))*)?( (did|does|do|is|was|are|were|has|have|can|could))? (not|only)\b/i;

const AGENT = /\b(agents?|versions?|bots?|assistants?)\b/i;
/** Spend of what the summary does not tell: of runs alone, of a week or month before this one, or of a month by its name. */
const OTHER_SPEND =
  /\b(runs?|trials?|evaluations?|experiments?)\b|\b(last|previous) (week|month|quarter|year)s?\b|\b(january|february|march|april|june|july|august|september|october|november|december)\b|\b(in|since|for|of|during|last|until|from) may\b/i;
/** What is asked of how well an imitation imitates. */
const GOOD =
  /\b(faithful\w*|fidelity|good|well|trust\w*|rel(y|iable)|accura\w*|realis\w*|real|close\w*|correct\w*|exact\w*|believe|depend|(bad|poor|wrong)(ly)?|least|worst|best|can ?not|can't|gaps?|missing)\b/i;

/** The kinds of questions, the narrower ones first. */
const KINDS: readonly Kind[] = [
  ...ORG_KINDS,
  {
    asks: [/\bchecks?\b|\bcriteri(a|on)\b/i, LOST],
    not: /\b(why|proven|review\w*|certif\w*|tasks?)\b/i,
    fact: "failedChecks",
  },
  {
    asks: [
      /\bwhen\b|\bhow (old|recent)\b/i,
      /\b(compiled?|built|rebuilt|made)\b/i,
      /\b(worlds?|surfaces?|bundles?|systems?)\b/i,
    ],
    fact: "compiledAt",
  },
  {
    asks: [
      /\bagents?\b/i,
      /\b(never|not|without)( (yet|been|ever|a|any|being))* (run|runs|ran|tested|tried|evaluated)\b|\bunrun\b/i,
      /^(which|what|are|is|do|how many|list|show)\b/i,
    ],
    not: TOOL,
    fact: "unrunAgents",
  },
  {
    asks: [
      /\b(trials?|runs?)\b/i,
      /\bcrash\w*|\binfra\w*|\binvalid\b|\bnot (the|my|our|an|its) agent'?s? fault|\bgaps?\b/i,
    ],
    fact: "uncharged",
  },
  { asks: [/\b(approv\w*|consent|sign-?off)\b/i, /\b(wait\w*|pending|need\w*|held|open)\b/i], fact: "jobs" },
  { asks: [FAKE, GOOD], not: /\b(tasks?|agents?|runs?|checks?|how (do|can|should) (i|we))\b/i, fact: "fidelity" },
  {
    asks: [TOOL, /\b(what|which|list|show)\b/i, /\b(have|has|offers?|there|available|provides?|of the|in the)\b/i],
    not: /\b(test\w*|cover\w*|fail\w*|errors?|most|least|often|calls?|called|us(e[ds]?|ing)|agent|traces?|answer\w*|return\w*)\b/i,
    fact: "toolsOffered",
  },
  {
    asks: [/\bjobs?\b/i, /\b(fail\w*|broke\w*|errors?|died|crash\w*|stopped|ended|wrong|success\w*)\b/i],
    not: /\b(personas?|tasks?|customers?|users?|cover\w*)\b/i,
    fact: "brokenJobs",
  },
  {
    asks: [
      /\b(traces?|evidence|sessions?|files?|uploads?|push\w*|items?)\b/i,
      /\b(refus\w*|reject\w*|declin\w*|discard\w*|skipp\w*|left out|secrets?)\b/i,
    ],
    not: /\b(tasks?|agents?|customers?|orders?|refunds?)\b/i,
    fact: "refusedEvidence",
  },
  {
    asks: [
      /^(show|find|list|give|are there|is there|which|what|search|do (any|we have))\b/i,
      /\b(traces?|sessions?|recordings?|conversations?)\b/i,
      /\b(where|with|about|mention\w*|contain\w*|in which|that say)\b/i,
    ],
    not: /\b(tasks?|how many|final answers?|most|personal|pii|secrets?)\b|\bwhich tools?\b/i,
    free: true,
    fact: "tracesWith",
  },
  {
    asks: [
      TASKS,
      /\b(no|any|none of the|all|every|either|both) (of (my|our|the) )?(agents?|versions?)\b|\b(nobody|no one|none)\b/i,
      /\b(fail\w*|never|not|met|meets?|pass\w*|solve\w*|succe\w*|hardest|worst)\b/i,
    ],
    not: /\b(better|worse|compare\w*)\b/i,
    fact: "neverMet",
  },
  {
    asks: [AGENT, /\b(best|worst|top|strongest|weakest|leads?|leading|winner|rank\w*|highest|lowest)\b/i],
    not: /\b(at|tools?|famil\w*|kinds?|tasks?|than|why)\b/i,
    fact: "ranking",
  },
  {
    asks: [
      /\b(calls?|steps?)\b/i,
      RUN,
      /\b(average|mean|median|typical\w*|per|each|a|one|every) (trial|run|evaluation)\b/i,
    ],
    not: /\b(which|errors?|fail\w*|refus\w*|cost\w*|tokens?|long)\b/i,
    fact: "callsOfRun",
  },
  { asks: [TOOL, UNTESTED, /test|cover|task|check|exercis/i], not: /\bworlds?\b|simulat/i, fact: "untestedTools" },
  {
    asks: [
      /\b(tools?|functions?|operations?|endpoints?|[a-z]+(_[a-z]+)+)\b/i,
      /\b(call\w*|us(e[ds]?|ing|age)|invoke\w*|return\w*|answer\w*|fail\w*|errors?)\b/i,
      OFTEN_OR_FAILS,
    ],
    not: /\bworlds?\b|simulat|\bfake\b|\bmock\b|\btasks?\b|\bwhy\b/i,
    fact: "toolUse",
  },
  { asks: [TRACES, FAILS, OFTEN], not: /\b(why|causes?|reasons?|refused?|how do)\b/i, fact: "toolUse" },
  {
    asks: [/\bhow many (more )?(trials|tasks|tries|runs|tests)\b/i, /\b(need\w*|enough|takes?|show|detect|see)\b/i],
    fact: "power",
  },
  {
    asks: [
      /^(what|where|which|at what|in what|on what)\b/i,
      /\b(good|well|bad(ly)?|strong\w*|weak\w*|strengths?|struggl\w*|excel\w*)\b/i,
      AGENT,
    ],
    not: /\b(better|worse|tools?|than|why|checks?)\b/i,
    fact: "families",
  },
  {
    asks: [/\bfamil(y|ies)\b|\b(kinds?|types?|categor\w*) of (tasks?|requests?)\b/i],
    not: /\bhow many\b/i,
    fact: "families",
  },
  {
    asks: [TASKS, /\b(about|mention\w*|involv\w*|concern\w*|deal\w* with|contain\w*)\b/i],
    free: true,
    fact: "tasksAbout",
  },
  {
    asks: [
      ASKS,
      /\b(models?|llms?|command|url|production|live|deployed|labelled|configured?)\b/i,
      /\b(agents?|versions?|bots?)\b/i,
    ],
    not: /\b(better|worse|fail\w*|runs?|cost\w*|judg\w*|how (do|can|should)|many|score\w*)\b/i,
    fact: "versions",
  },
  {
    asks: [ASKS, /\b(agents|bots)\b|\bwhich (agent|bot)\b|\bversions\b(?=.*\bagent\b)/i],
    not: /\bhow many agents\b|\b(never|differ\w*|chang\w*|best|worst|fail\w*|runs?|ran|tested|compar\w*|better|worse|wrong)\b/i,
    fact: "agents",
  },
  {
    asks: [/\bhow many\b|\bnumber of\b/i, /\b(environments?|surfaces?|agents|run groups)\b/i],
    not: TASKS,
    fact: "records",
  },
  {
    asks: [TASKS, /\b(certif\w*|prove[dn]?|review\w*|verified|validated)\b/i, /^(are|is|how many|do|have|has|did)\b/i],
    not: /\b(fail\w*|met|pass\w*|solve\w*|trials?|why|by whom|who|refus\w*|reject\w*)\b/i,
    fact: "taskCounts",
  },
  {
    asks: [TASKS, /\bhow many\b|\bnumber of\b|\bare there\b|\bany\b/i],
    not: /\b(fail\w*|met|pass\w*|solve\w*|trials?|chang\w*)\b/i,
    fact: "taskCounts",
  },
  {
    asks: [/\bjobs?\b/i, /\b(run|running|stuck|queue\w*|wait\w*|held|hang\w*|going|open|left|active)\b/i],
    not: /\bhow (do|can|would) (i|we)\b/i,
    fact: "jobs",
  },
  { asks: [TRACES, /\b(personal|pii|gdpr|privacy|private|sensitive|anonym\w*)\b/i], fact: "privacy" },
  {
    asks: [/\b(average|mean|typical\w*|median|per (trace|session))\b/i, /\bcalls?\b/i, TRACES],
    not: RUN,
    fact: "callsOfTraces",
  },
  {
    asks: [
      /\bwhen\b|\bhow (old|recent)\b|\bwho\b|\b(latest|newest|today|yesterday|lately|recently|new|last|this (week|month))\b/i,
      /\b(traces?|evidence|sessions?|recordings?|logs?|data|files?|anything|something)\b/i,
      /push|sent|send|upload|stor|arriv|came|come|added|\bold\b|recent|latest|newest/i,
    ],
    not: FAILS,
    fact: "newestEvidence",
  },
  {
    asks: [
      /\b(costs?|spend|spent|spending|bill|money|pa(y|id)|charged)\b/i,
      /\b(month|week|so far|total|in all|altogether|ever)\b/i,
    ],
    not: OTHER_SPEND,
    fact: "spendOf",
  },
  { asks: [/\b(costs?|spend|spent|expensive|price|pay|paid|money|tokens)\b/i, RUN], fact: "costOfRun" },
  {
    asks: [/\bhow long\b|\bhow (fast|slow)\b|\bduration\b|\bhow much time\b|\bwhen (did|was|were|is)\b/i, RUN],
    fact: "timeOfRun",
  },
  {
    asks: [TASKS, LOST],
    not: /\bwhy\b|\bchang\w*\b|\bbetween\b|\breview\b|\bnobody\b|\bno one\b|\bbut\b|\bonly\b/i,
    fact: "failedTasks",
  },
  { asks: [/\bwhy\b|\bwhat went wrong\b/i, /\btrial\b/i, FAILS], fact: "failedTrial" },
  {
    asks: [
      /\bhow (many|much)\b/i,
      /\b(trials?|tests?|tasks?)\b/i,
      /\b(fail\w*|met|meets?|pass\w*|succe\w*|solve\w*|lost)\b/i,
    ],
    not: /\b(more|nobody|no one|both|never|always|chang\w*|need\w*)\b/i,
    fact: "trialsEnded",
  },
  {
    asks: [
      AGENT,
      /\b(last|latest|newest|most recent(ly)?|recently)\b/i,
      /\b(test\w*|run|runs|ran|evaluat\w*|tried)\b/i,
      /^(which|what|who)\b/i,
    ],
    not: /\b(fail\w*|broke\w*|better|worse|since|score\w*|cost\w*|did|differ\w*)\b/i,
    fact: "trialsEnded",
  },
  {
    asks: [FAILS, /\bnew(ly)?\b/i, /\b(versions?|runs?|agents?)\b/i],
    not: /\bwhy\b|\btools?\b/i,
    fact: "verdictOnPair",
  },
  {
    asks: [/\b(fix|improve|repair|work on|tackle)\b/i, /\b(first|next|most)\b/i],
    not: /\bworlds?\b/i,
    fact: "rootCauses",
  },
  {
    asks: [/\b(reasons?|causes?|why|(kinds?|types?|sorts?) of)\b/i, FAILS],
    not: /\b(world|review|schedule|job|push|refused|traces?)\b/i,
    fact: "rootCauses",
  },
  {
    asks: [TASKS, CHANGED, /\b(agents?|versions?|runs?)\b/i],
    not: /\b(why|review|edit\w*|surface|world)\b/i,
    fact: "verdictOnPair",
  },
  {
    asks: [/\b(differ\w*|chang\w*)\b/i, /\b(agents?|versions?)\b/i, /\b(between|two|both|from|since|latest|new)\b/i],
    not: /\b(why|worlds?|surface|files?|code|prompts?|models?|when|who|how (do|can))\b/i,
    fact: "verdictOnPair",
  },
  {
    asks: [SHIP, /\b(version|agent|change|it|this|candidate)\b/i],
    fact: "verdictOnPair",
  },
  {
    asks: [
      /\b(better|worse|regress\w*|improve[ds]?|improvement|broke|deteriorat\w*)\b/i,
      /\b(agents?|versions?|runs?|change|before|previous|since|last)\b/i,
    ],
    not: /\b(tools?|worlds?|famil\w*|over (versions|time)|surface|how (do|can|should) (i|we))\b/i,
    fact: "verdictOnPair",
  },
  {
    asks: [/\b(what|where)\b.*\b(next|start|begin|to do)\b/i, /\b(i|we|do|now)\b/i],
    not: /\bwhen\b|\bschedul/i,
    fact: "nextStep",
  },
  {
    asks: [
      /\bwho\b|\bhow many (people|members|users|colleagues)\b/i,
      /\b(access|members?|people|users?|team|log ?in|sign ?in|else|admins?|owners?|rights|permissions?|roles?|workspace|org|invited|colleagues?)\b/i,
    ],
    fact: "members",
  },
];

/** Words that any question about this work may have: whose, which, when and how many of what. */
const USUAL =
  /^(agents?|versions?|runs?|ran|trials?|tasks?|tests?|traces?|sessions?|tools?|calls?|called|environments?|worlds?|systems?|surfaces?|orgs?|workspaces?|evidence|records?|recorded|results?|last|latest|newest|recent|most|least|often|common|average|first|second|third|one|two|both|older?|new(er)?|before|previous|since|between|now|right|so|far|today|ever|still|already|currently|total|altogether|number|rate|share|\d+|no|not|never|always|every|all|each|other|than|there|are|is|say|tell|told|look|looks?|compared?|set|kinds?|types?|go|going|happen(ed|s)?|really|please|same|use[ds]?|using|yet|parts?|apis?|models?|takes?|took|need(s|ed)?|see|show|get|got|want|points?|differences?|change[ds]?|scored?|fail(s|ed)?|met|certified|refused|review(ed)?|organi[sz]ations?)$/;

/** How many of a question's words a kind of question may leave unexplained: what it does not know, it may not answer. */
const UNEXPLAINED = 0.34;

/** Whether a kind of question accounts for what a text says, but for a name or so. */
function explains({ asks, free }: Kind, text: string): boolean {
  if (free) return true;
  const words = contentWords(text);
  const left = contentWords(
    asks.reduce((rest, words) => rest.replaceAll(new RegExp(`(?:${words.source})\\w*`, "gi"), " "), text),
  );
  return left.filter((word) => !USUAL.test(word) && !EXISTS.test(word)).length <= UNEXPLAINED * words.length;
}

/** Asks for advice, or what a word means: no record holds that. */
const ADVICE = /\bshould (i|we|it|my)\b|^what (is|are) an? [a-z ]+\?$/i;
/** Asks what a word means, or how two differ. */
const MEANING =
  /^what does .* mean\b|^(what is|what's) meant by\b|^(what is|what's|explain) the difference between an? \w+( \w+)? and an? /i;

/** The fact that the first kind of question that a text is of is told by; undefined where it is of none. */
export function kindOf(text: string): string | undefined {
  return KINDS.find(
    (kind) => kind.asks.every((words) => words.test(text)) && !kind.not?.test(text) && explains(kind, text),
  )?.fact;
}

/** Whether a text asks what words mean: no record holds that. */
export function asksMeaning(text: string): boolean {
  return MEANING.test(text);
}

/** Whether a text asks for advice: no record holds that. */
export function asksAdvice(text: string): boolean {
  return ADVICE.test(text);
}

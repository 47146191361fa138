/** A question of a kind that no tool's verdict line answers by itself: what its words hold, and how it is told. */
export interface Kind {
  /** All of these. */
  readonly asks: readonly RegExp[];
  readonly not?: RegExp;
  /** It takes any words: they are what is looked for. */
  readonly free?: true;
  /** The fact that it is told by. */
  readonly fact: string;
}

/** That something did not go well. */
export const FAILS = /\b(fail\w*|errors?|break\w*|broken|wrong|refused?)\b/i;
/** What was recorded, and is read as evidence. */
export const TRACES = /\b(traces?|evidence|sessions?|recordings?|logs?|data)\b/i;
/** What imitates a system. */
export const FAKE = /\b(fake|simulat\w*|mock\w*|imitat\w*|emulat\w*|stand-?ins?|compiled)\b|\bworlds?\b/i;
/** That something is there, or how it came to be: it says nothing of what is asked about it. */
export const EXISTS =
  /\b(regist\w*|connect\w*|have|there|got|known?|defined?|set ?up|exist\w*|available|configur\w*|stored|record\w*|hook\w*( up)?|link\w*|install\w*|cover\w*|own|primary|main|default)\b/i;
/** How a question begins that asks to be told something. */
export const ASKS = /^(which|what|where|when|who|list|show|name|give|tell|do|does|did|is|are|has|have|can|how)\b/i;

/** Questions about what the org has: where its evidence comes from, what users want, what worlds hold; the narrower ones first. */
export const ORG_KINDS: readonly Kind[] = [
  {
    asks: [ASKS, /\b(github|gitlab|bitbucket|code ?hosts?|repos?|repositor(y|ies))\b/i, EXISTS],
    not: /\bhow (do|can|should)\b|\bserved\b|\b(run|fail|task)\w*/i,
    fact: "codeHost",
  },
  {
    asks: [
      ASKS,
      /\b(imports?|integrations?|connectors?|sources?|feeds?|pull(s|ed|ing)?|sync\w*|langfuse|langsmith|braintrust|phoenix|datadog)\b/i,
      /\b(work\w*|connect\w*|last|status|state|running|still|active|healthy|broken|fail\w*|there|have|set ?up|new|when)\b/i,
    ],
    not: /\bhow (do|can|should)\b|\bpull requests?\b|\btasks?\b/i,
    fact: "sources",
  },
  { asks: [TRACES, /\b(come|came|get|got|are) from\b|\borigins?\b/i], not: FAILS, fact: "sources" },
  {
    asks: [
      /\b(use ?cases?|situations?|intents?|topics?|(kinds?|types?|sorts?) of (requests?|questions?|users?|customers?)( do ((our|my|the) )?(users?|customers?|people) \w+)?|what (do|are|did) (our |my |the )?(users?|customers?|people) (ask|want|need)\w*)\b/i,
      ASKS,
    ],
    not: /\b(fail\w*|met|pass\w*|best|worst|personas?)\b/i,
    fact: "useCases",
  },
  {
    asks: [
      ASKS,
      /\b((business|domain|data) )?(objects?|entit(y|ies)|ontolog\w*|data model|concepts?|fields?|columns?)\b/i,
    ],
    not: /\b(chang\w*|versions?|fail\w*|tests?)\b/i,
    fact: "objects",
  },
  {
    asks: [
      /\b(starting|start(s|ed)?|initial|first|begin\w*|contents?|contain\w*|hold\w*|rows?|in the)\b/i,
      /\b(database|data|state|tables?|rows?)\b/i,
      FAKE,
    ],
    not: /\b(tasks?|tools?|chang\w*|how (do|can|well|good)|correct\w*|wrong)\b/i,
    fact: "firstState",
  },
  {
    asks: [/^(is|are|do) (there|we|you|i)\b|^(which|what|list|show)\b/i, /\b(environments?|sandbox(es)?)\b/i],
    not: /\b(tools?|tasks?|faithful\w*|fail\w*|tested|should|rows?|best|worst)\b/i,
    fact: "environments",
  },
  {
    asks: [/\btask\b/i, /\b(first|second|third|last|number \d+|no\.? ?\d+|task #?\d+)\b/i],
    not: /\b(fail\w*|run|chang\w*|add|remove|why)\b/i,
    fact: "numberedTask",
  },
  {
    asks: [
      /\b(flak(y|iness)|(in)?consistent\w*|(un)?stable|stability|reproducib\w*|vary|varies|varied|deterministic|sometimes)\b/i,
    ],
    not: /\b(world|tools?|checks?|judge)\b/i,
    fact: "flaky",
  },
  {
    asks: [
      /\b(nois[ey]|chance|luck\w*|significan\w*|random\w*|real|sure|certain\w*|confiden\w*|trust\w*)\b/i,
      /\b(difference|gap|better|worse|change|improvement|regression|drop|verdict|comparison)\b/i,
    ],
    not: /\b(world|simulat\w*|how many)\b/i,
    fact: "verdictOnPair",
  },
  {
    asks: [ASKS, /\bfailure modes?\b|\bknown (failures?|problems?|issues?|weaknesses)\b/i],
    not: /\b(why|how (do|can)|common|often|most)\b/i,
    free: true,
    fact: "failureModes",
  },
];

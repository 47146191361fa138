/** A word of this service with what it means, and the names that it is asked for by. */
export interface Term {
  readonly names: readonly string[];
  readonly text: string;
  /** Whether it is a status, an end, a cause or a kind: what is said of a trial, a task or a job, and asked about before these. */
  readonly value?: boolean;
  /** Whether it is the service's own and the same in every org, so that who asks what it is asks for no record. */
  readonly own?: boolean;
}

/** How a question asks for a word: the part that names it, and how much of that has to be words with a meaning here. */
interface MeaningQuestion {
  readonly of: string;
  readonly all?: boolean;
  readonly several?: boolean;
  /** Whether the word stands in the text before. */
  readonly before?: boolean;
  /** Whether it has to be the service's own. */
  readonly own?: boolean;
}

/** The words that a question asks the meaning of: the terms that are told, and the stated words that name no term. */
export interface SoughtWords {
  readonly terms: readonly Term[];
  readonly others: readonly string[];
}

type Form = readonly [pattern: RegExp, how?: Omit<MeaningQuestion, "of">];
const IT = "(?:it|this|that|these|those|they)";
/** The forms of questions for a word's meaning; what a pattern keeps names the word, where it keeps nothing all does. */
const FORMS: readonly Form[] = [
  [/\bdifferences?\b.*?\b(?:between|from|of)\b(.*)|\bdistinction between (.*)/, { several: true }],
  [
    /\bhow (?:is|are|do|does) (.*)\b(?:differ|relate)(?:s|d|nt|ent)?\b(.*)|\b(?:is|are) (.*)\bthe same (?:thing )?(?:as|like)\b(.*)/,
    { several: true },
  ],
  [/\bwhat (?:does|do|did) (?:it|you|we|they|people|one) mean(?: here)?(?: (?:by|with|that|when|if))? (.+)/],
  [
    /\bwhat (?:does|do|did) (?!it\b|this\b|that\b|these\b|those\b|you\b|we\b)(.+?) (?:mean|stand for|signify|refer to)\b/,
  ],
  [/\b(?:meant|means?|understood) by (.+)|\b(?:meaning|definition) of (.+)|\bwhat means? (.+)/],
  [/\bwhat (?:does|do) (?!it\b|this\b|that\b|my\b|our\b)(.+?) (?:measure|express|indicate)\b|\bmeasured by (.+)/],
  [/[.,:;!?…] ?meaning$/, { before: true }],
  [/\bdefine (.+)|\bhow (?:is|are|do you|do we) (.+) defined\b/],
  [/\bwhat (?:do|would) (?:you|we|they|people|i) (?:call|understand by|consider) (.+)/],
  [/(?:^|[.,:;!?] )what (?:counts?|qualifies) as (.+)/],
  [/^(.*)\bwhen (?:is|are) an? (.+)/, { all: true }],
  [
    new RegExp(
      `(?:\\bwhat(?:'s|s| is| are| does| do)? ${IT}\\b(?: mean\\b.*)?\\W*$|\\bwhat (?:is|does|do) ${IT} (?:\\w+ )?(?:mean|say|tell|supposed to)|\\bhow (?:should|do|must|can|am) i (?:to )?(?:read|understand|interpret) ${IT}|\\bwants? (?:this|that|the) (?:word )?to say\\b|\\bwhat (?:does|do) (?:this|that) \\w+ mean\\b)`,
    ),
    { before: true },
  ],
  [/\bwhat(?:'s|s| is| are) (?:an? |the )?(.+?) (?:good|there|used|needed|meant) for\b/, { all: true }],
  [
    /\bwhat (?:does |do )?(?:an? |the |this )?(.+?) (?:number|figure|value|percentage)s? (?:tells?|says?|means?|expresse?s?|stands? for)\b/,
    { all: true },
  ],
  // What a record says of itself, and then a question about it.
  [
    /\b(?:says?|reads?|shows?|marked(?: as)?|status(?: is)?|ended?(?: as)?|called) ["“'„]?([a-z_ ^-]+?)["”'“]?[,.;:!] .*\b(?:why|what|how|should|who|whose|is (?:that|this|it))\b/,
    { all: true },
  ],
  [/\bwhy (?:does|do|did) (?:it|(?:the|a|my|our) \w+|\w+) (?:say|show|tell|read|end as) (.+)/, { all: true }],
  [/\bexplain (?:to me )?(?:me )?(?:what )?(.+?)(?: (?:is|are|means?))?$/, { all: true }],
  [/\bwhy (?:is|are) there (.+?) (?:behind|beside|next to|after|under) /, { all: true }],
  [/\bwhat (?:does|do) (?!.*\b(?:last|newest|my|our|this|that|these|those)\b)(.+?) tell (?:me|us|one|you)$/],
  [/^(?:and |so |but )?what(?:'s|s| is| are) (.+)/, { all: true }],
  [/\bwhat (an? .+?) (?:is|are|means?)$/, { all: true }],
  [/^(.+) (?:vs\.?|versus|or) (.+)$/, { all: true }],
];
/** Words beside a term that say nothing of which it is. */
const BESIDE = new Set(
  "a an the and or of by over from is are as me us here exactly actually really please word words term terms status value score figure number ending end kind called mean means meant in this that for on with your these two three both one thing things when if it say says".split(
    " ",
  ),
);
const QUOTED = /["“„`]([^"”“„`]+)["”“`]|(?<!\w)'([^']+)'(?!\w)/g;
/** What is one record, and what stands alone and is done or going on: "what is held", "what's running". */
const OF_RECORDS = /\b(?:the(?! (?:term|word)\b)|my|our|your|last|newest)\b|^\W*(?:[a-z]+(?:ed|ing)|held|met)\W*$/;
/** Where a word stands that is asked about. */
const PLACE = / (?:in|on|at|beside|next to|under) (?:the|a|an|my|our|your) .*$/;
/** How a part begins that asks for a word wherever that stands. */
const INDEFINITE = /^(?:an? |some )/;
/** What a text has named before. */
const LEANS = /\b(?:it|this|that|these|those|them)\b/;
const NONE: SoughtWords = { terms: [], others: [] };
const CODE = /\b[a-z]+(?:[_^][a-z]+)+\b/g;

/** Finds the words whose meaning a question asks for. */
export class Meanings {
  readonly #byName = new Map<string, Term[]>();
  readonly #longest: number;

  constructor(terms: readonly Term[]) {
    for (const term of terms)
      for (const name of new Set(term.names.map(plain)))
        this.#byName.set(name, [...(this.#byName.get(name) ?? []), term]);
    this.#longest = Math.max(...[...this.#byName.keys()].map((name) => name.split(" ").length));
  }

  /** What is asked about, each once and in the order it is named; none where no word's meaning is asked for. */
  sought(question: string): SoughtWords {
    const text = question.trim().toLowerCase().replaceAll("’", "'");
    const found = meaningQuestions(text).map((asked) => this.#asked(text, asked));
    return found.find(({ terms }) => terms.length > 0) ?? found.find(({ others }) => others.length > 0) ?? NONE;
  }

  #asked(text: string, asked: MeaningQuestion): SoughtWords {
    const quoted = [...text.matchAll(QUOTED)].map(([, double, single]) => double ?? single!).join(", ");
    const quotes = this.#named(quoted);
    if (!asked.all && quotes.names.length > 0) return { terms: this.#told(quoted, asked), others: [] };
    if (!asked.all && quotes.others.length > 0) return { terms: [], others: quotes.others };
    const { names, others } = this.#named(asked.of);
    if (asked.own && !this.#isOwn(asked.of)) return NONE;
    if (asked.all) {
      if (others.length > 0)
        return INDEFINITE.test(asked.of) ? { terms: this.#of(names).filter(({ value }) => value), others } : NONE;
      return !this.#isOwn(asked.of) && OF_RECORDS.test(asked.of)
        ? NONE
        : { terms: this.#told(asked.of, asked), others };
    }
    const leans = asked.several && names.length < 2 && LEANS.test(asked.of);
    if (!asked.before && names.length > 0 && !leans)
      return others.length > names.length
        ? { terms: [], others }
        : { terms: this.#told(asked.of, asked), others: others.filter((word) => isPredicateOf(word, names, asked.of)) };
    // "That" is a word of the text around; in a sentence a task or a trial is no word that is asked about.
    const around = asked.before || leans;
    if (!around && others.length > 0) return { terms: [], others };
    return {
      terms: this.#told(text, { ...asked, before: true }),
      others: asked.before ? this.#named(before(text)).others : [],
    };
  }

  /** Whether all that a part names is the service's own. */
  #isOwn(part: string): boolean {
    return this.#named(part).names.every((name) => this.#byName.get(name)!.every(({ own }) => own));
  }

  #told(part: string, { several, before }: MeaningQuestion): Term[] {
    const { names } = this.#named(part);
    const values = names.filter((name) => this.#byName.get(name)!.some(({ value }) => value));
    const least = several ? 2 : 1;
    if (names.length < least) return [];
    return this.#of(values.length >= least ? values : before && !several ? [] : names);
  }

  #of(names: readonly string[]): Term[] {
    return [...new Set(names.flatMap((name) => this.#byName.get(name)!))];
  }

  /** The names of terms in a text, the longest that fit, and the words that are in none. */
  #named(text: string): { names: string[]; others: string[] } {
    const words = plain(text).split(" ");
    const names = new Set<string>();
    const others: string[] = [];
    for (let at = 0; at < words.length; ) {
      let n = Math.min(this.#longest, words.length - at);
      while (n > 0 && !this.#byName.has(words.slice(at, at + n).join(" "))) n -= 1;
      if (n > 0) names.add(words.slice(at, at + n).join(" "));
      else if (words[at] !== "" && !BESIDE.has(words[at]!)) others.push(words[at]!);
      at += Math.max(1, n);
    }
    return { names: [...names], others };
  }
}

/** Whether a text asks for the meaning of one word, known or not: no record tells that. */
export function asksForWord(question: string): boolean {
  const [asked] = meaningQuestions(question.trim().toLowerCase().replaceAll("’", "'"));
  if (asked === undefined || asked.several || asked.before) return false;
  return !asked.all || /^an? [\w-]+(?: [\w-]+)?$/.test(asked.of);
}

/** What a question may ask to be explained, the likeliest first; none where its form is another, a word of code by itself is one. */
function meaningQuestions(text: string): MeaningQuestion[] {
  const bare = text.replace(/[\s?!.]+$/, "").replace(/ (?:to (?:me|us)|exactly|actually|really|precisely)\b/g, "");
  const asked = FORMS.flatMap(([pattern, how]): MeaningQuestion[] => {
    const found = pattern.exec(bare);
    if (found === null) return [];
    const of = found.slice(1).filter(Boolean).join(" ").trim();
    // What is asked in the next clause is another question.
    const named = how?.all ? of.split(/[,;:?!]/)[0]! : how ? of : of.replace(PLACE, "");
    const anywhere = how?.all ? [{ of: named.replace(PLACE, ""), ...how, own: !INDEFINITE.test(named) }] : [];
    return [...anywhere, { of: named || bare, ...how }];
  });
  return asked.length === 0 && bare.match(CODE)?.[0] === bare ? [{ of: bare, all: true }] : asked;
}

/** Whether a word is said of a term, before it or after "is": a stale task, a task is stale; of what a term is, it is not. */
function isPredicateOf(word: string, names: readonly string[], part: string): boolean {
  return new RegExp(`\\b(?:is|are|was|were) (?:\\w+ )*?${word}|\\b${word}\\w* (?:${names.join("|")})`).test(part);
}

/** What stands before the clause that asks what it means. */
function before(text: string): string {
  return text.replace(/(?:^|[.,;:!?…])[^.,;:!?…]+\W*$/, "");
}

/** Words in lower case and the singular; one of code by its parts. */
function plain(text: string): string {
  return (text.toLowerCase().match(/[a-z0-9^]+/g) ?? [])
    .map((word) => word.replace(/sses$/, "ss"))
    .map((word) => (/(?:ss|us|is|was|does)$/.test(word) || word.length < 4 ? word : word.replace(/s$/, "")))
    .join(" ");
}

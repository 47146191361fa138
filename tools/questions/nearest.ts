import { stem } from "../../chapters/text/stems.ts";
import { CONCEPTS } from "./concepts.ts";
import { Letters, Likeness, unit, type Vector } from "./likeness.ts";
import { asksForWord } from "./meaning.ts";
import { Spelling } from "./spelling.ts";

/** What a question can be answered by; `texts` are questions that it answers. */
export interface Answerer {
  readonly name: string;
  /** A page is told by what it says. */
  readonly kind: "fact" | "read" | "act" | "page";
  readonly texts: readonly string[];
  /** What it says of itself. */
  readonly description?: { readonly title?: string; readonly about?: string; readonly hints?: string };
  /** How much more it is asked for than most. */
  readonly usual?: number;
  /** How much more it is asked for by what it tells. */
  readonly fits?: (question: string) => number;
}

export interface Near<A extends Answerer = Answerer> {
  readonly answerer: A;
  /** How near the question is to it; compares with those of other questions too. */
  readonly score: number;
}

/** What a feature weighs: a concept, a word that means one, any other word, two words side by side, the form of the question. */
const WEIGHT = { concept: 1, known: 0.33, other: 0.82, pair: 0.35, form: 0.97, unknown: 1.65, subject: 2.47 } as const;
/** How little what one word means counts of several concepts; how much rarity tells; how soon a word counts as had often. */
const POWER = { shared: 0.47, rarity: 0.81, often: 0.29, share: 0.2 } as const;
/** How much the second nearest known question adds to the nearest, and the share that all that is known has. */
const ADDED = { second: 0.15, share: 2.26 } as const;
/** How much an answerer counts for each concept of the question that nothing known of it has. */
const LACKING = 0.65;
/** How much of a situation's words counts that is not known of an answerer: a situation says more than is asked. */
const AROUND = 0.4;
/** How much the clause that asks counts by itself, for a situation that says nothing of it. */
const ALONE = 0.8;
/** How much an answerer counts that is known to remove what a question wants removed, or other things alone. */
const HEAD = { same: 1.6, other: 0.7 } as const;
/** What is to be removed; of what it is says which one. */
const REMOVED = /^(?:please )?(?:delete|remove|erase) (?:the |our |my |your |this |that |all |an? )*(\w+)/i;
/** Of a question of more concepts than these, each that is lacking counts less, but for what is done. */
const MANY = 2;
/** How often a word counts that stands in its title, in its description, and among the words it is searched by. */
const DESCRIBED = { title: 1.68, about: 0.51, hints: 0.54 } as const;
/** The more of a question is known the surer it is one of ours, however long it is: the weight that counts once, and what all add. */
const [TYPICAL, BASE] = [25, 10] as const;
/** How much an answerer counts that is not of the kind the question's form asks for, and an act of another verb. */
const OTHER = { kind: 0.42, verb: 0.36 } as const;

/** What a question is about weighs the same however many answerers share it. */
const SUBJECTS = new Set(
  "run trial task agent tool call trace world environment source tracer obs cost budget duration when why judge schedule people access key chat mail report share export check review persona usecase job repo model label feedback golden transcript pr backup flaky privacy uncovered object row fail pass rate make remove edit stop hide undo upload rename"
    .split(" ")
    .map((concept) => `@${concept}`),
);
const VERBS = ["@make", "@remove", "@edit", "@stop", "@hide", "@undo", "@upload", "@rename"];

/** Words that say nothing of what is wanted; the form of a question is counted apart. */
const EMPTY = new Set(
  "a able about actually all almost already also although an and any anything anyway apart april are around as ask asking at august away basically be because been bit bring but by can clearly considering could couple curious dear december did do does doing done else entire especially etc even ever every everyone exactly fact february finally folks for friday from general generally get getting give given gives gonna got guess guys had has have hear hello here hey hi honestly however i idea if in instead interested into is it its january july june just kindly later let like lot lots many march maybe me meanwhile might mine monday much must my myself nice november obviously october of okay on once one only or others otherwise ought our ours overall particular perhaps platform please possible possibly practically presenting presumably pretty probably put quarter question quick quickly quite rather really regarding roughly said saturday say saying seem seems september several shall should show simply so some somehow something somewhere soon sort specific specifically sprint stakeholder stakeholders stuff such sunday suppose sure system talk talking tell than thank thanks that the their them then there these they thing things this those though thought through thursday to told too took toward towards tuesday understand upon us useful various very wanna want wants was way ways we we're wednesday were what whatever whenever whether which while whole whose will wish with wonder wondering would yes yet you your".split(
    " ",
  ),
);
const HOW_TO =
  /(\b(?:how|where) (?:(?:do|can|could|should|would|must) (?:i|we|one|you)|(?:i|we|one) (?:do|can|could|should|must))\b|\bhow to\b|\bhow\W*$|\b(?:which|what|what's|what is) (?:the )?(?:command|call|operation|button|way)\b(?= (?:\w+ )?(?:for|to|do|can|that|starts?|makes?|sets?|does))|\bwhat (?:do|must|should) (?:i|we) (?:do|have to do|set up|need to do) (?:so|to|if|when|for)\b|\bwhat (?:do|must|should) (?:i|we) (?:call|type|run|enter|press|click|use) to\b|\bwhat (?:can|do|must|should) (?:i|we) (?:have to |need to )?do\W*$|\bwhat (?:do|must|should) (?:i|we) (?:call|type|run|enter|press|click|use) (?:so that|if|for|when)\b|^(?:can|could) (?:i|we|you)\b)(?! (?:see|know|find|tell (?:if|whether|which|what|how|when|who)|check|look|view|list|read|measure|trust|rely)\b)/;
/** The forms of questions that tell kinds of answers apart. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ["?howto", HOW_TO],
  ["?count", /\bhow many\b|\bnumber of\b|\bcount\b|\btotal\b/],
  ["?why", /\bwhy\b/],
  ["?when", /\bwhen\b|\bhow (old|recent|fresh)\b/],
  ["?numbered", /\b(task|test|case|number|no) \d+\b|\b(first|second|third|last) (task|test|case)\b/],
  ["?who", /\bwho\b/],
  ["?where", /\bwhere\b/],
  ["?how", /\bhow (good|well|is|are|did|does)\b/],
  ["?yes", /^(is|are|was|were|do|does|did|has|have|can|could|will)\b/],
  ["?which", /^(which|what|list|show)\b/],
];
/** What is put into quotes is meant as it stands. */
const QUOTES = /["“”„]|(?<!\w)'|'(?!\w)/g;
/** What is to be left out is not asked for. */
const WITHOUT = /\bwithout \w+ing\b[^,.;:?!]*/i;
/** The form of a question that asks to be told something. */
const ASKS =
  /^(what|which|who|where|when|why|how|is|are|was|were|do|does|did|has|have|show|list|see|give|tell|compare)\b|\?$/;
/** Who is to be told of something, and of what, by another than this assistant. */
const TELLS = /\b(?:tell|inform|notify) (?!me\b|us\b|you\b)((?:\w+ ){0,3}\w+) (?:about|of|that) ([^,.;:?!]+)/i;
/** What is to be handed to whom, or put where: who gets it says which act it is, and what it is little. */
const SENDS = /^(?:please )?(send|post|mail|email|forward|publish) (.+?) ((?:to|in|into|on) .+)$/i;
const ADDRESS = /\S+@\S+\.\w+/g;
/** How a text begins that says what is to be done. */
const COMMANDS =
  /^(please )?(make|add|create|set|change|delete|remove|mark|switch|turn|start|stop|register|connect|link|put|take|use|limit|raise|allow|repeat|evaluate|run|write|generate|draw|mint|open|close|revoke|reset|rename|retire|hide|restore|upload|send|push|import|load|store|save|record|label|tag|file|keep|accept|confirm|dismiss|reject|merge|undo|revert|export|download|share|publish|post|schedule|abort|cancel|kill|invite|fix|repair|approve|restart|rerun|re-run|retry|mail|email|forward|comment|give (?!me|us)|tell (?!me|us)|try|review|rate|edit|update|replace|copy|freeze|pick|rotate|renew|build|compile|rebuild|redraw|mirror|back up|resume|finish|onboard|probe|disable|enable|get rid|i need|(?:i|we)(?:'d| would)? (?:want|like|wish))\b/;

/** The concepts of what a text wants removed, else its stem. */
function removedIn(text: string): string[] {
  const found = [...features(REMOVED.exec(text)?.[1] ?? "").keys()].filter((feature) => !feature.startsWith("?"));
  const concepts = found.filter((feature) => feature.startsWith("@"));
  return concepts.length > 0 ? concepts : found;
}

/** How much an answerer counts by what its known questions remove. */
function headFits(head: readonly string[], known: readonly ReadonlySet<string>[], left: number | undefined): number {
  if (head.length === 0) return 1;
  return known.some((removed, i) => i !== left && head.some((each) => removed.has(each))) ? HEAD.same : HEAD.other;
}

interface KnownQuestion {
  readonly name: string;
  readonly text: number;
}
interface Known {
  readonly texts: readonly Vector[];
  /** What each is to remove. */
  readonly removed: readonly ReadonlySet<string>[];
  /** The place of its first known question among all. */
  readonly from: number;
  /** How often it has a feature: in a known question once, in its description less. */
  readonly bag: ReadonlyMap<string, number>;
  readonly verbs: ReadonlySet<string>;
}

/** Whether a text asks for the way to do something, or says to do it. */
export function asksToAct(text: string): boolean {
  const form = text.trim().toLowerCase();
  return HOW_TO.test(form) || COMMANDS.test(form);
}

/** Finds what a question is answered by: by the questions that are known, their words weighed by concept and rarity. */
export class NearestQuestions<A extends Answerer = Answerer> {
  readonly #answerers: readonly A[];
  readonly #known: readonly Known[];
  readonly #rarity: ReadonlyMap<string, number>;
  readonly #unknown: number;
  readonly #spelling: Spelling;
  readonly #words: Likeness;
  readonly #letters: Letters;

  constructor(answerers: readonly A[]) {
    this.#answerers = answerers;
    const read = answerers.map(({ texts, description }) => {
      const vectors = texts.map(features);
      const bag = new Map<string, number>();
      const add = (vector: Vector, weight: number) => {
        for (const word of vector.keys()) bag.set(word, (bag.get(word) ?? 0) + weight);
      };
      for (const vector of vectors) add(vector, 1);
      for (const [of, text] of Object.entries(description ?? {}))
        add(features(text), DESCRIBED[of as keyof typeof DESCRIBED]);
      return { texts: vectors, bag, removed: texts.map((text) => new Set(removedIn(text))) };
    });
    const said = answerers.flatMap(({ texts }) => texts);
    this.#letters = new Letters(said);
    this.#spelling = new Spelling(
      new Set([...said.flatMap(words), ...Object.values(CONCEPTS).flatMap(words), ...EMPTY]),
    );
    const among = new Map<string, number>();
    for (const { bag } of read) for (const word of bag.keys()) among.set(word, (among.get(word) ?? 0) + 1);
    const all = answerers.length;
    this.#rarity = new Map(
      [...among].map(([word, n]) => [
        word,
        SUBJECTS.has(word) ? WEIGHT.subject : Math.log(1 + all / n) ** POWER.rarity,
      ]),
    );
    this.#unknown = Math.log(1 + all) ** POWER.rarity;
    let from = 0;
    this.#known = read.map(({ texts, bag, removed }) => {
      from += texts.length;
      const verbs = new Set(VERBS.filter((verb) => texts.some((vector) => vector.has(verb))));
      return { texts, bag, removed, verbs, from: from - texts.length };
    });
    this.#words = new Likeness(read.flatMap(({ texts }) => texts.map((vector) => this.#unit(vector))));
  }

  /**
   * What is nearest, the nearest first; `without` leaves out one known question of an answerer, to measure with it;
   * `around` is what was asked just before.
   */
  nearest(text: string, without?: KnownQuestion, around = ""): Near<A>[] {
    const question = this.#spelled(
      text.replace(QUOTES, "").replace(WITHOUT, "").replace(ADDRESS, "a person").replace(TELLS, "send $2 to $1").trim(),
    );
    const [, sends, what = "", whom] = SENDS.exec(question) ?? [];
    const [clause, own] = sends === undefined ? clauses(question) : [`${sends} ${whom}`, what];
    const situation = [own, this.#spelled(around)].filter(Boolean).join(" ");
    const whole = this.#scores(clause, situation, without);
    const alone = situation === "" || LEANS.test(clause) ? whole : this.#scores(clause, "", without);
    return this.#answerers
      .map((answerer, i) => ({
        answerer,
        score: Math.max(whole[i]!, ALONE * alone[i]!) * (answerer.fits?.(text) ?? 1),
      }))
      .sort((a, b) => b.score - a.score);
  }

  /** How near the clause that asks is to each answerer, in their order, by what the situation says too. */
  #scores(clause: string, situation: string, without: KnownQuestion | undefined): number[] {
    const asked = features(clause);
    const verbs = verbsIn(asked).length > 0 ? verbsIn(asked) : verbsIn(features(situation));
    const around = new Set<string>();
    for (const [feature, weight] of features(situation))
      if (!asked.has(feature) && !feature.startsWith("?")) {
        asked.set(feature, weight);
        around.add(feature);
      }
    const form = clause.toLowerCase();
    const concepts = [...asked.keys()].filter((word) => word.startsWith("@") && asked.get(word)! >= WEIGHT.concept);
    const acts = asksToAct(clause);
    const word = asksForWord(clause);
    const removed = removedIn(clause);
    const asks = !acts && ASKS.test(form);
    const byWords = this.#words.with(this.#unit(asked));
    const byLetters = this.#letters.with(`${clause} ${situation}`);
    const weighed = [...asked].map(([of, weight]) => [of, this.#weigh(of, weight)] as const);
    return this.#answerers.map((answerer, i) => {
      const known = this.#known[i]!;
      const { kind, name, usual = 1 } = answerer;
      const left = without?.name === name ? without.text : undefined;
      const [first, second] = highestTwo(byWords, known, left);
      const [letters] = highestTwo(byLetters, known, left);
      const otherKind = word || (kind === "act" ? asks : acts && kind !== "page");
      const otherVerb = kind === "act" && verbs.length > 0 && !verbs.some((verb) => known.verbs.has(verb));
      const { share, weight } = shared(weighed, around, known, left);
      const near = first + ADDED.second * second + ADDED.share * share;
      const lacking = concepts
        .filter((concept) => !known.bag.has(concept))
        .reduce((sum, concept) => sum + (VERBS.includes(concept) ? 1 : Math.min(1, MANY / concepts.length)), 0);
      const other =
        LACKING ** lacking * share ** POWER.share * (otherKind ? OTHER.kind : 1) * (otherVerb ? OTHER.verb : 1);
      const head = headFits(removed, known.removed, left);
      const sure = (1 + letters) * ((BASE + weight) / TYPICAL);
      return near * usual * other * head * sure;
    });
  }

  #spelled(text: string): string {
    return text.replace(/[a-z]+/gi, (word) => {
      const known = this.#spelling.meant(word.toLowerCase());
      return known === word.toLowerCase() ? word : known;
    });
  }

  #weigh(word: string, weight: number): number {
    const rarity = this.#rarity.get(word);
    if (rarity !== undefined) return weight * rarity;
    return word.includes("+") ? 0 : WEIGHT.unknown * this.#unknown;
  }

  #unit(vector: Vector): Vector {
    return unit(new Map([...vector].map(([word, weight]) => [word, this.#weigh(word, weight)])));
  }
}

/** How like the two likest known questions of an answerer are. */
function highestTwo(like: Float64Array, { from, texts }: Known, left: number | undefined): [number, number] {
  let [first, second] = [0, 0];
  for (let j = 0; j < texts.length; j++) {
    const value = j === left ? 0 : like[from + j]!;
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return [first, second];
}

/** What a question and what is known of an answerer have in common: its weight, and its share, more of what is had often. */
function shared(
  asked: readonly (readonly [word: string, weight: number])[],
  around: ReadonlySet<string>,
  { bag, texts }: Known,
  left: number | undefined,
) {
  const often = (Math.max(1, texts.length - (left === undefined ? 0 : 1)) / 5) ** POWER.often;
  let [sum, all, common] = [0, 0, 0];
  for (const [word, weight] of asked) {
    const n = (bag.get(word) ?? 0) - (left !== undefined && texts[left]!.has(word) ? 1 : 0);
    all += n <= 0 && around.has(word) ? AROUND * weight : weight;
    if (n <= 0) continue;
    sum += weight * (n / (n + often));
    common += weight;
  }
  return { share: all === 0 ? 0 : sum / all, weight: common };
}

/** By the stems of a phrase, the concepts that it means. */
const PHRASES: ReadonlyMap<string, readonly string[]> = phrases();
const LONGEST = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(" ").length));

function phrases(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const [concept, texts] of Object.entries(CONCEPTS))
    for (const text of texts.split("|")) {
      const phrase = words(text).map(stem).join(" ");
      all.set(phrase, [...new Set([...(all.get(phrase) ?? []), concept])]);
    }
  return all;
}

function words(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/\b(what|who|where|when|how|that|it)'s\b/g, "$1 is")
    .replace(/\bcan't\b|\bcannot\b/g, "can not")
    .replace(/n't\b/g, " not")
    .replace(/'(s|ve|re|d|ll|m)\b/g, "");
  return plain.match(/[a-z0-9]+(?:_[a-z0-9]+)*/g) ?? [];
}

/** How the clause of a text begins that asks for something. */
const ASKING =
  /^((and|but|so|then|now) )?(how\W*$|(how|where|what|which|who|when|why|can|could|is there|are there|do|does|did|is|are|should) (do|can|could|should|would|must|to|i|we|one|you|it|a|an|any|the|there|is|are|was|were|does|did|call|command|tool)\b)/i;

/** A clause that cannot be told by itself: what it is about stands in the situation. */
const LEANS =
  /\b(it|its|that|this|them|these|those|there|here|ones?|so|such|then)\b|\bdo\W*$|\bwhat do (i|we) (call|run)\b/i;

/** The clause of a text that asks for something, and the situation around it; all where the text is one clause. */
function clauses(text: string): [string, string] {
  const parts = text.split(/(?<=[.!?;:,])\s+(?=\w)/);
  const at = parts.length < 2 ? -1 : parts.findLastIndex((part) => ASKING.test(part));
  return at < 0 ? [text, ""] : [parts[at]!, parts.filter((_, i) => i !== at).join(" ")];
}

function verbsIn(features: Vector): string[] {
  return VERBS.filter((verb) => features.has(verb));
}

/** What a text has of concepts, words, neighbours and forms of questions, each with its weight before rarity. */
function features(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const add = (feature: string, weight: number) => found.set(feature, Math.max(found.get(feature) ?? 0, weight));
  const plain = words(text);
  const whole = plain.join(" ");
  for (const [form, pattern] of FORMS) if (pattern.test(whole)) add(form, WEIGHT.form);
  const roots = plain.map(stem);
  let before: string | undefined;
  let told = 0;
  for (const [at, word] of plain.entries()) {
    // What a longer phrase means is not meant by its words: the most recent is not the most.
    for (let n = Math.min(LONGEST, roots.length - at); n > 0 && at + n > told; n -= 1) {
      const concepts = PHRASES.get(roots.slice(at, at + n).join(" ")) ?? [];
      for (const concept of concepts) add(`@${concept}`, WEIGHT.concept / concepts.length ** POWER.shared);
      if (concepts.length > 0) told = at + n;
    }
    const root = roots[at]!;
    // A number, or the name of a tool or a record, is what is asked about, not what is asked.
    if (/\d|_/.test(word) || EMPTY.has(word)) continue;
    const means = PHRASES.get(root);
    add(root, means ? WEIGHT.known : WEIGHT.other);
    const one = means?.[0] ?? root;
    if (before !== undefined) add([before, one].sort().join("+"), WEIGHT.pair);
    before = one;
  }
  return found;
}

import { stem } from "../../chapters/text/stems.ts";
import { CONCEPTS } from "./concepts.ts";

/** What a question can be answered by. `texts` are questions that it answers; `about` says in its own words what it does. */
export interface Answerer {
  readonly name: string;
  readonly kind: "fact" | "read" | "act";
  readonly texts: readonly string[];
  readonly about: string;
}

export interface Near<A extends Answerer = Answerer> {
  readonly answerer: A;
  /** How near the question is to it; compares with those of other questions too. */
  readonly score: number;
}

/** What a feature weighs: a concept, a word that means one, any other word, two words side by side, the form of the question. */
const WEIGHT = { concept: 1, known: 0.4, other: 0.8, pair: 0.4, form: 0.7, unknown: 0.7 } as const;
/** How little what one word means counts of several concepts; how much rarity tells. */
const SHARED = 0.5;
const RARITY = 0.7;
/** What the nearest question is added to: the second nearest, the description, and how many of its questions have each feature. */
const ADDED = { second: 0.15, about: 0.5, all: 1 } as const;
/** How much an answerer counts that is not of the kind the question's form asks for, and an act of another verb. */
const OTHER = { kind: 0.55, verb: 0.6 } as const;

/** What a question is about weighs the same however many answerers share it. */
const SUBJECTS = new Set(
  "run trial task agent tool call trace world environment source tracer obs cost budget duration when why judge schedule people access key chat mail report share export check review persona usecase job repo model label feedback golden transcript pr backup flaky privacy uncovered object row fail pass rate make remove edit stop hide undo upload"
    .split(" ")
    .map((concept) => `@${concept}`),
);
const SUBJECT = 2.5;
const VERBS = ["@make", "@remove", "@edit", "@stop", "@hide", "@undo", "@upload"];

/** Words that say nothing of what is wanted; the form of a question is counted apart. */
const EMPTY = new Set(
  "a about all an and any anything are as at be been but by can could did do does doing done ever every for from get give had has have here i if in into is it its just let like me mine my of on one or our ours please shall should show so some something tell than that the their them then there these they thing things this those to us was we were what which will with would you your".split(
    " ",
  ),
);
const HOW_TO =
  /(\bhow (do|can|could|should|would) (i|we|one|you)\b|\bhow to\b|^(can|could) (i|we|you)\b)(?! (see|know|find|tell|check|look|view|list|compare|read|measure|trust|rely)\b)/;
/** The forms of questions that tell kinds of answers apart. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ["?howto", HOW_TO],
  ["?count", /\bhow many\b|\bnumber of\b|\bcount\b|\btotal\b/],
  ["?why", /\bwhy\b/],
  ["?when", /\bwhen\b|\bhow (old|recent|fresh)\b/],
  ["?who", /\bwho\b/],
  ["?where", /\bwhere\b/],
  ["?how", /\bhow (good|well|is|are|did|does)\b/],
  ["?yes", /^(is|are|was|were|do|does|did|has|have|can|could|will)\b/],
  ["?which", /^(which|what|list|show)\b/],
];
const ASKS =
  /^(what|which|who|where|when|why|is|are|was|were|do|does|did|has|have|show|list|see|give|tell|compare)\b|\?$/;
/** How a text begins that says what is to be done. */
const COMMANDS =
  /^(please )?(make|add|create|set|change|delete|remove|mark|switch|turn|start|stop|register|connect|link|put|take|use|limit|raise|allow|repeat|evaluate|run|write|generate|draw|mint|open|close|revoke|reset|rename|retire|hide|restore|upload|send|push|import|load|store|save|record|label|tag|file|keep|accept|confirm|dismiss|reject|merge|undo|revert|export|download|share|publish|post|schedule|abort|cancel|kill|invite|try|review|rate|edit|update|replace|copy|freeze|pick|rotate|renew|build|compile|rebuild|redraw|mirror|back up|resume|finish|onboard|probe|disable|enable|get rid|i need|i want to)\b/;

interface KnownQuestion {
  readonly name: string;
  readonly text: number;
}
type Vector = ReadonlyMap<string, number>;
interface Known {
  readonly raw: readonly Vector[];
  readonly texts: readonly Vector[];
  readonly about: Vector;
  /** How many of its questions have a feature. */
  readonly pooled: ReadonlyMap<string, number>;
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

  constructor(answerers: readonly A[]) {
    this.#answerers = answerers;
    const read = answerers.map(({ texts, about }) => ({ raw: texts.map(features), about: features(about) }));
    const among = new Map<string, number>();
    for (const { raw, about } of read)
      for (const word of new Set([...raw, about].flatMap((vector) => [...vector.keys()])))
        among.set(word, (among.get(word) ?? 0) + 1);
    const all = answerers.length;
    this.#rarity = new Map(
      [...among].map(([word, n]) => [word, SUBJECTS.has(word) ? SUBJECT : Math.log(1 + all / n) ** RARITY]),
    );
    this.#unknown = Math.log(1 + all) ** RARITY;
    this.#known = read.map(({ raw, about }) => {
      const pooled = new Map<string, number>();
      for (const vector of raw) for (const word of vector.keys()) pooled.set(word, (pooled.get(word) ?? 0) + 1);
      return {
        raw,
        texts: raw.map((vector) => this.#unit(vector)),
        about: this.#unit(about),
        pooled,
        verbs: new Set(VERBS.filter((verb) => pooled.has(verb))),
      };
    });
  }

  /**
   * What is nearest, the nearest first. `searched` says how near each is by other means, 0 to 1; `without` leaves out one known
   * question of an answerer, to measure with it.
   */
  nearest(
    question: string,
    { searched, without }: { readonly searched?: ReadonlyMap<string, number>; readonly without?: KnownQuestion } = {},
  ): Near<A>[] {
    const asked = features(question);
    const unit = this.#unit(asked);
    const verbs = VERBS.filter((verb) => asked.has(verb));
    const acts = asksToAct(question);
    const asks = !acts && ASKS.test(question.trim().toLowerCase());
    return this.#answerers
      .map((answerer, i) => {
        const known = this.#known[i]!;
        const left = without?.name === answerer.name ? without.text : undefined;
        let [first, second] = [0, 0];
        for (const [j, vector] of known.texts.entries()) {
          if (j === left) continue;
          const near = dot(unit, vector);
          if (near > first) [first, second] = [near, first];
          else if (near > second) second = near;
        }
        const act = answerer.kind === "act";
        const otherKind = act ? asks : acts;
        const otherVerb =
          act && verbs.length > 0 && known.verbs.size > 0 && !verbs.some((verb) => known.verbs.has(verb));
        const score =
          first +
          ADDED.second * second +
          ADDED.about * dot(unit, known.about) +
          ADDED.all * this.#share(asked, known, left) +
          (searched?.get(answerer.name) ?? 0);
        return { answerer, score: score * (otherKind ? OTHER.kind : 1) * (otherVerb ? OTHER.verb : 1) };
      })
      .sort((a, b) => b.score - a.score);
  }

  /** How much of a question its known questions have, more where many of them do. */
  #share(asked: Vector, { pooled, raw }: Known, left: number | undefined): number {
    const many = (Math.max(1, raw.length - (left === undefined ? 0 : 1)) / 5) ** 0.3;
    let [shared, all] = [0, 0];
    for (const [word, weight] of asked) {
      const weighs = this.#weigh(word, weight);
      const n = (pooled.get(word) ?? 0) - (left !== undefined && raw[left]!.has(word) ? 1 : 0);
      all += weighs;
      if (n > 0) shared += weighs * (n / (n + many));
    }
    return all === 0 ? 0 : shared / all;
  }

  #weigh(word: string, weight: number): number {
    const rarity = this.#rarity.get(word);
    return rarity === undefined ? WEIGHT.unknown * this.#unknown : weight * rarity;
  }

  #unit(vector: Vector): Vector {
    const weighed = [...vector].map(([word, weight]) => [word, this.#weigh(word, weight)] as const);
    const length = Math.hypot(...weighed.map(([, weight]) => weight)) || 1;
    return new Map(weighed.map(([word, weight]) => [word, weight / length]));
  }
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
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

/** What a text has of concepts, words, neighbours and forms of questions, each with its weight before rarity. */
function features(text: string): Vector {
  const found = new Map<string, number>();
  const add = (feature: string, weight: number) => found.set(feature, Math.max(found.get(feature) ?? 0, weight));
  const plain = words(text);
  const whole = plain.join(" ");
  for (const [form, pattern] of FORMS) if (pattern.test(whole)) add(form, WEIGHT.form);
  const roots = plain.map(stem);
  let before: string | undefined;
  for (const [at, word] of plain.entries()) {
    for (let n = Math.min(LONGEST, roots.length - at); n > 0; n -= 1) {
      const concepts = PHRASES.get(roots.slice(at, at + n).join(" ")) ?? [];
      for (const concept of concepts) add(`@${concept}`, WEIGHT.concept / concepts.length ** SHARED);
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

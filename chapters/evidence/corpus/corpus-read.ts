import { z } from "zod";
import { evidence, pass } from "../../models/pass.ts";

/** Use cases of personal agents, set by hand, with the words that a request of each is known by. The first that fits counts. */
const USE_CASES: readonly (readonly [name: string, words: RegExp])[] = [
  ["scheduling", /\b(?:calendar|meeting|appointment|schedule|remind(?:er)?s?|availability)\b/i],
  ["email", /\b(?:e-?mails?|inbox|reply|unsubscribe)\b/i],
  ["travel", /\b(?:flights?|hotels?|trips?|itinerary|book(?:ing)? a (?:flight|room|table)|visa)\b/i],
  ["shopping", /\b(?:order(?:s|ed)?|buy|refunds?|returns?|deliver(?:y|ed)|price|discount)\b/i],
  ["finance", /\b(?:invoices?|budget|expenses?|bank|payments?|tax(?:es)?|subscription)\b/i],
  ["research", /\b(?:summar(?:y|ize|ise)|research|compare|sources?|papers?|articles?)\b/i],
  ["documents", /\b(?:files?|documents?|spreadsheets?|pdfs?|slides?|notes?)\b/i],
  ["software", /\b(?:code|bugs?|deploy|repository|pull request|script|api)\b/i],
  ["home", /\b(?:lights?|thermostat|groceries|recipes?|cleaning|smart home)\b/i],
  ["support", /\b(?:account|password|cancel|upgrade|not working|help me with)\b/i],
];

/** The hand-set use case that a request reads as, by its words; null where none does. */
export function useCaseOf(text: string): string | null {
  return USE_CASES.find(([, words]) => words.test(text))?.[0] ?? null;
}

interface Item {
  readonly id: string;
  readonly text: string;
}

const Cluster = z.object({
  label: z.string().min(1).max(60).describe("snake_case, two words at most"),
  profile: z.string().min(1).max(300).describe("One sentence that says what these requests share."),
  items: z.array(z.string()).min(1).describe("Ids of the requests."),
});
type Cluster = z.infer<typeof Cluster>;

/** Requests grouped into use cases and into ways of phrasing them. */
export const corpusPass = pass<readonly Item[], { use_cases: Cluster[]; registers: Cluster[] }>({
  name: "corpus_derive",
  version: "2026-11-1",
  output: z.object({ use_cases: z.array(Cluster).max(40), registers: z.array(Cluster).max(12) }),
  maxOutputTokens: 4_000,
  prompt: (items) => ({
    system:
      "You group short requests that people make to personal agents: once by what they want done (use_cases), once by how they phrase it (registers). Put a request where it fits best and leave out what fits nowhere. Cite each request by its id.",
    user: evidence(items.map(({ id, text }) => `${id}: ${text.replaceAll("\n", " ")}`).join("\n")),
  }),
  check: (answer, items) => {
    const known = new Set(items.map(({ id }) => id));
    const cited = [...answer.use_cases, ...answer.registers].flatMap((cluster) => cluster.items);
    return cited.every((id) => known.has(id)) ? undefined : "an id is cited that was not given.";
  },
  rule: (items) => ({ use_cases: byUseCase(items), registers: byForm(items) }),
});

/** Requests that a word must be shared by before it makes a use case of its own. */
const SHARED_BY = 3;
const COMMON = new Set(
  "about after again agent also because been before could does doing done every find from have into just know like make many more most need only other over please should some that their them then there these they thing this those want what when where which while will with without would your".split(
    " ",
  ),
);

/** The hand-set use cases by their words; what is left by the rarest word that enough requests share. */
function byUseCase(items: readonly Item[]): Cluster[] {
  const groups = Map.groupBy(items, ({ text }) => useCaseOf(text));
  const named = [...groups].flatMap(([name, of]) =>
    name === null ? [] : [cluster(name, `Requests about ${name}.`, of)],
  );
  const rest = groups.get(null) ?? [];
  const words = new Map<string, Item[]>();
  for (const item of rest)
    for (const word of new Set(item.text.toLowerCase().match(/\p{L}{4,}/gu) ?? []))
      if (!COMMON.has(word)) words.set(word, [...(words.get(word) ?? []), item]);
  const taken = new Set<string>();
  const shared = [...words]
    .filter(([, of]) => of.length >= SHARED_BY)
    .sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .flatMap(([word, of]) => {
      const free = of.filter(({ id }) => !taken.has(id));
      if (free.length < SHARED_BY) return [];
      for (const { id } of free) taken.add(id);
      return [cluster(word, `Requests that speak of "${word}".`, free)];
    });
  return [...named, ...shared];
}

const FORMS: readonly (readonly [name: string, profile: string, fits: (text: string) => boolean])[] = [
  ["question", "Asks a question.", (text) => /\?\s*$/.test(text)],
  [
    "polite",
    "Asks with please, thanks or could you.",
    (text) => /\b(?:please|thanks?|could you|would you)\b/i.test(text),
  ],
  ["terse", "Six words or fewer, no sentence.", (text) => text.trim().split(/\s+/).length <= 6],
  ["story", "Tells what happened before it asks.", (text) => (text.match(/[.!?](?:\s|$)/g)?.length ?? 0) >= 3],
  ["instruction", "Says what to do.", () => true],
];

/** How a request is phrased, by its form. */
export function registerOf(text: string): string {
  return FORMS.find(([, , fits]) => fits(text))?.[0] ?? "instruction";
}

function byForm(items: readonly Item[]): Cluster[] {
  const groups = Map.groupBy(items, ({ text }) => registerOf(text));
  return FORMS.flatMap(([name, profile]) => {
    const of = groups.get(name);
    return of ? [cluster(name, profile, of)] : [];
  });
}

function cluster(label: string, profile: string, items: readonly Item[]): Cluster {
  return { label, profile, items: items.map(({ id }) => id) };
}

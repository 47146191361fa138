import { expect, it } from "vitest";
import { FACTS } from "../../../chapters/findings/assistant/root-facts.ts";
import { isNear } from "../../../chapters/findings/assistant/root-tools.ts";
import { documented } from "../../../src/guides/documented.ts";
import { answerersOf, readTools } from "../../../src/mcp/read-tools.ts";
import { operatorChapter } from "../../../src/operator/operations.ts";
import { chapters } from "../../../tools/index.ts";
import { Registry } from "../../../tools/kernel/registry.ts";
import { DOCUMENT_QUESTIONS } from "../../../tools/questions/documents.ts";
import { FACT_NAMES, OPERATION_QUESTIONS, questionsOf } from "../../../tools/questions/index.ts";
import { NearestQuestions } from "../../../tools/questions/nearest.ts";

/** Questions of other things, as people try them. */
const ELSEWHERE = [
  "what's the weather in Berlin?",
  "write me a poem about agents",
  "who won the match yesterday?",
  "how do I bake bread?",
  "what is the best restaurant in town?",
  "tell me a story about a dragon",
  "translate hello into Spanish",
  "how many people live in China?",
  "what is 17 times 23?",
  "which movie should I watch tonight?",
  "how do I get to the airport?",
  "what is the exchange rate of the euro?",
  "who wrote Hamlet?",
  "can you book a table for two?",
  "how do I lose weight?",
  "what is the news today?",
  "set an alarm for six",
  "what is your favourite colour?",
  "how do I remove a stain from a shirt?",
  "when is Easter this year?",
  "how long does it take to fly to New York?",
  "which phone should I buy?",
  "how do I write a cover letter?",
  "what is the time in Tokyo?",
  "explain quantum physics to me",
  "how do I change a tyre?",
  "what is a black hole?",
  "do you love me?",
  "how much does a tesla cost?",
  "is there life on Mars?",
  "who is the tallest man alive?",
  "how do I delete my facebook account?",
  "what should I cook for dinner?",
  "which language is hardest to learn?",
  "why is the sky blue?",
  "draw me a picture of a cat",
  "play some music",
  "fix my printer",
  "what is the best way to invest money?",
  "when does the next train leave?",
];

/** More of them: half far off, half of what other services keep. */
const OTHER_SERVICES = [
  "how tall is the Eiffel tower",
  "what should I wear to a wedding",
  "recommend me a good book about history",
  "who invented the telephone",
  "how do I grow tomatoes on a balcony",
  "what does my horoscope say for today",
  "how many calories are in a banana",
  "can you help me with my maths homework",
  "what is the best recipe for pancakes",
  "which football team won last night",
  "how do I get rid of ants in the kitchen",
  "what time does the supermarket close",
  "who is the president of Brazil",
  "how long should I boil an egg",
  "is it going to rain tomorrow",
  "what is the speed of light",
  "why do cats purr",
  "when was the French revolution",
  "how much does a litre of milk cost",
  "who painted the Mona Lisa",
  "which car is the most reliable",
  "what is the meaning of life",
  "how do I tie a tie",
  "sing me a song",
  "where can I buy cheap shoes",
  "how far is it to the moon",
  "should I learn the piano or the guitar",
  "what is the population of Canada",
  "how old is the pyramid of Giza",
  "what is a good name for a dog",
  "how many visitors did our website have yesterday",
  "what is our churn rate this quarter",
  "which sales rep closed the most deals",
  "how many tickets are open in jira",
  "what is the cpu usage of the web servers",
  "who is on holiday next week",
  "how much revenue did we make last month",
  "which products sell best in Germany",
  "when does our contract with the landlord end",
  "how many employees work in the Berlin office",
  "what is the click rate of the newsletter",
  "which invoices are overdue",
  "what is the status of my parcel",
  "is my flight on time",
  "how many followers do we have on instagram",
  "which candidates did we interview this week",
  "what is the stock price of our competitor",
  "when is the next team lunch",
  "how do I reset my email password",
  "how many units are left in the warehouse",
  "what is the conversion rate of the landing page",
  "which meeting rooms are free this afternoon",
  "who approved my vacation request",
  "how much tax do we have to pay this year",
  "which lawyers reviewed the lease",
  "what was the attendance at the last conference",
  "how many patients did the clinic see",
  "which kubernetes pods are crashing",
  "what is the grade of my exam",
  "how many students passed the final exam",
];

/** More of them, most with a word that this service has too, in another meaning. */
const OTHER_MEANINGS = [
  "restart the production database",
  "pay of labellers",
  "scale the web tier to five replicas",
  "deploy the new frontend build to staging",
  "reboot the build server",
  "what is the salary of the data annotators",
  "rotate the tires of my car",
  "book a trial lesson at the gym",
  "which court trial starts on Monday",
  "find me a travel agent in Rome",
  "cheapest flights to Lisbon",
  "real estate agent near me",
  "how do I run a marathon in under four hours",
  "what is a good running shoe",
  "world cup final score",
  "how do I become a secret agent",
  "members of the task force in the old movie",
  "fix the failing unit tests in our billing repo",
  "write a python function that reverses a list",
  "generate a logo for my company",
  "train a neural network on images",
  "fine-tune llama on my laptop",
  "open a ticket with the network team",
  "provision a new kubernetes cluster",
  "flush the redis cache",
  "renew the TLS certificate of our website",
  "who is on call this weekend",
  "approve my expense report",
  "schedule a meeting with Anna at 3",
  "order more printer paper",
  "translate this page into French",
  "turn this table into a pie chart",
  "what's the gdp of Norway",
  "how do vaccines work",
  "summarise the news about openai",
  "when was the company founded",
  "what is our office wifi password",
  "what's the refund policy of Amazon",
  "cancel my order 4312",
  "where is my package",
  "how many customers churned in May",
  "update the address of customer 4711",
  "refund the last payment",
  "patch the operating system",
  "merge my two bank accounts",
  "compare iphone and android",
  "is it safe to eat raw eggs",
  "which version of windows should I install",
  "review my resume",
  "score of last night's game",
  "measure the distance between Paris and Lyon",
  "the trace elements in drinking water",
  "coverage of my health insurance",
  "how faithful is my husband",
  "session times of the cinema",
  "is the judge in the murder case elected",
  "release date of the next iPhone",
  "how do I trace my ancestors",
  "budget of the city of Berlin",
  "who reported the earthquake",
  "world record for the long jump",
  "environmental impact of cotton",
  "run my dishwasher at night",
];

const answerers = answerersOf(new Registry(chapters));
const all = new NearestQuestions(answerers);
const org = { id: "o", tag: "acme" };
const notCalled = () => {
  throw new Error("nothing is called here");
};
const tools = readTools(new Registry(chapters), notCalled, { kind: "org", name: "reader", scope: "read", org }, org);
/** Whether a question is answered: what is told from records has to be nearer than what is only named; or from the documentation. */
const isAnswered = (text: string): boolean => isNear(tools.nearest(text));
const operations = new Registry([...chapters, operatorChapter]).operations
  .map(({ op }) => op.name)
  .filter((name) => !name.startsWith("root_"));

it("has questions for every operation and every fact, and for nothing else", () => {
  expect(operations.filter((name) => questionsOf(name).length === 0)).toEqual([]);
  expect(Object.keys(OPERATION_QUESTIONS).filter((name) => !operations.includes(name))).toEqual([]);
  expect([...FACT_NAMES].sort()).toEqual(Object.keys(FACTS).sort());
  // A page, or a question of docs/limits.md that is no more there would be asked for in vain.
  const names = new Set(documented().flatMap(({ name }) => [name, name]));
  expect(Object.keys(DOCUMENT_QUESTIONS).filter((key) => !names.has(key))).toEqual([]);
});

it("puts the same question to one answerer alone", () => {
  const texts = answerers.flatMap((answerer) => answerer.texts);
  expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual([]);
});

it.each([
  ["fact", 0.77],
  ["page", 0.4],
])("finds a %s by its other questions", (kind, least) => {
  const found = answerers
    .filter((answerer) => answerer.kind === kind)
    .flatMap(({ name, texts }) =>
      texts.map((text, i) => all.nearest(text, { name, text: i })[0]?.answerer.name === name),
    );
  expect(found.filter(Boolean).length / found.length).toBeGreaterThanOrEqual(least);
});

it.each([
  ["of other things", ELSEWHERE],
  ["of what other services keep", OTHER_SERVICES],
  ["with words in another meaning", OTHER_MEANINGS],
])("is near to few questions %s", (_, questions) => {
  const taken = questions.filter((text) => isAnswered(text));
  expect(taken.length / questions.length, taken.join("\n")).toBeLessThanOrEqual(0.05);
});

it.each([
  ["how many sandboxes do we have", "environments"],
  ["Tell the Teams channel about the newest comparison.", "deliver_chat"],
  ["Please delete the report of the rule agent.", "Can I delete a run, a report or an upload?"],
  ["pass rates per version", "ranking"],
  ["Our tracing tool is Langfuse, what do I have to do so that its traces arrive by themselves?", "sources_post"],
  ["wich taks did teh agnet fial", "failedTasks"],
  [
    "The review of last quarter is over and Anna has moved to another company, how do I lock her out?",
    "members_delete",
  ],
  ["Delete all my runs", "Can I delete a run, a report or an upload?"],
  [
    "We have a call with the customer on Thursday, so can you tell me how much the last evaluation cost us?",
    "costOfRun",
  ],
])("takes by all that it says: %s", (text, name) => {
  expect(all.nearest(text)[0]!.answerer.name).toBe(name);
  expect(isAnswered(text)).toBe(true);
});

it.each([
  ["I'd like to limit what models may cost to 20 dollars a day, how?", "budget_put"],
  ["where do I set a budget per day?", "budget_put"],
  ["How I can connect an agent of mine that is running under an http address?", "agents_post"],
  ["which command starts a new run?", "start_run"],
  ["Where can we register our agent?", "agents_post"],
  ["I want our CTO to see the comparison, she has no account and does not want one.", "reports_share"],
  ["How can I share the report with my boss without adding her as a member?", "reports_share"],
  ["How do I get my own agent's traces into this thing?", "evidence_post"],
  ["Where do I put the recordings of my own bot so that you have them?", "evidence_post"],
  ["What must I do to get the conversations of our own bot in here?", "evidence_post"],
  ["How do I hand a colleague a token that can only look and not change anything?", "org_tokens_post"],
  ["How do I give my boss a token with which he may look but not touch?", "org_tokens_post"],
  ["How can I pass a coworker an access key without write rights?", "org_tokens_post"],
  ["I need something on one page for my boss about how the agent is doing.", "reports_post"],
  ["Make me a one-pager about the agent for management", "reports_post"],
  ["I want a single page for my director that shows how the bot does", "reports_post"],
  ["Turn the most frequent failure into a regression test.", "failure_modes_post"],
  ["Add a regression test for the failure that happens most", "failure_modes_post"],
  ["I want the top failure to become a permanent test", "failure_modes_post"],
])("takes for something to do, not for a question of the records: %s", (text, name) => {
  expect(all.nearest(text)[0]!.answerer.name).toBe(name);
  expect(isAnswered(text)).toBe(true);
});

const cost = { name: "cost", kind: "fact", texts: ["what did the last run cost"] } as const;
const failed = { name: "failed", kind: "fact", texts: ["which tasks failed"] } as const;
const list = { name: "agents_list", kind: "read", texts: ["list my agents"] } as const;
const add = { name: "agents_post", kind: "act", texts: ["how do I connect my agent"] } as const;
const remove = { name: "agents_delete", kind: "act", texts: ["how do I delete an agent"] } as const;
const near = new NearestQuestions([cost, failed, list, add, remove]);
const nearest = (text: string) => near.nearest(text)[0]!.answerer.name;

it.each([
  ["How expensive was the newest evaluation?", "cost"],
  ["Which test cases did it get wrong?", "failed"],
  ["What bots are there?", "agents_list"],
  ["How can I get rid of a bot?", "agents_delete"],
  ["Can I hook up an assistant?", "agents_post"],
])("knows other words for the same: %s", (text, name) => {
  expect(nearest(text)).toBe(name);
});

it("is near to nothing where a question says other things, and leaves a known question out to measure", () => {
  expect(near.nearest("Tell me a joke")[0]!.score).toBe(0);
  const known = "which tasks failed";
  const [with_, without] = [near.nearest(known), near.nearest(known, { name: "failed", text: 0 })];
  expect(with_[0]!.answerer.name).toBe("failed");
  expect(without.find(({ answerer }) => answerer.name === "failed")!.score).toBe(0);
});

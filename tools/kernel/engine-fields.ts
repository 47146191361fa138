import { z } from "zod";
import { Declarations } from "../../worlds/declare.ts";
import {
  AllowedChange,
  ArgPredicate,
  CallPattern,
  Check,
  Fact,
  OtherValues,
  Script,
  Shown,
  SimulatedUser,
  Task,
  UserFact,
} from "../../worlds/tasks/schema.ts";

type Fields = Readonly<Record<string, z.ZodType>>;
type Words<T extends Fields> = { readonly [K in keyof T]?: string };

/** Says what fields mean to those who fill them in; the engine that declares them has no surface to say it on. */
function describe<T extends Fields>(fields: T, words: Words<T>): void {
  for (const [name, description] of Object.entries(words))
    z.globalRegistry.add(fields[name] as T[string], { description });
}

/** The fields of one kind of check. */
function checkFields<K extends Check["kind"]>(kind: K) {
  const found = Check.options.find(({ shape }) => shape.kind.value === kind);
  return found?.shape as Extract<(typeof Check.options)[number]["shape"], { readonly kind: z.ZodLiteral<K> }>;
}

describe(Fact.shape, { kind: "How its value is compared.", aliases: "Other spellings that count." });
describe(ArgPredicate.shape, { path: "Path in the arguments; `[*]` is any element of a list." });
describe(CallPattern.shape, { args: "What its arguments must hold, all of it." });
describe(OtherValues.shape, {
  path: "The column.",
  of: "What a list in it is first reduced to.",
  except: "Values that may be said.",
});
describe(Shown.shape, {
  named: "Ways to name the row, each by values together.",
  facts: "What the reading shows of it.",
  absent_from: "A table without the row: an answer with all of its keys shows that too.",
});
describe(checkFields("answer_includes"), { facts: "What the answer must say.", ordered: "In this order." });
describe(checkFields("answer_excludes"), {
  facts: "What the answer must not say.",
  others: "Nor any other value of this column.",
});
describe(checkFields("answer_class"), { or: "Other classes that are as right." });
describe(checkFields("asks"), { about: "Words for what the agent must ask about." });
describe(checkFields("calls_required"), {
  any: "One of the calls is enough.",
  done: "A call that was refused does not count.",
  shown: "Met as well by any other reading that shows this.",
});
describe(checkFields("state"), {
  changes: "All that may differ at the end.",
  alternatives: "Other ends that are as right, each whole.",
});
describe(checkFields("max_calls"), { n: "Calls at most." });
describe(checkFields("judged"), { criterion: "What a judge decides, in words." });
describe(AllowedChange.shape, {
  key: "Of the row; absent where it is generated.",
  fields: "By path, the value at the end.",
  gone: "Paths that are absent at the end.",
  any: "Paths whose value is free.",
  as: "A name for the added row, for `links`.",
  links: "By path, the `as` of the row whose key it holds.",
  required: "Whether it must be made, or may be.",
});
describe(Script.shape, {
  calls: 'Arguments may use earlier results: `$1.path`, or `$1~"word"` of a text.',
  answer: "The final answer to the user.",
  questions: "What is asked of the user first, one a turn.",
});
describe(UserFact.shape, { names: "What people call it.", says: "The user's own words for it." });
describe(SimulatedUser.shape, {
  knows: "Told when asked for; whatever is not here the user does not know.",
  adds: "What the user says unasked, in order, one a turn.",
  confirms: "Says no when asked whether to go on; yes when absent.",
  most: "Replies after which the user goes; when absent, 4 more than it has to tell.",
});
describe(Task.shape, {
  id: "Made from the task's content.",
  cell: "Its value on each dimension.",
  start: "Group of recorded sessions it starts as; the drawn state when absent.",
  rests_on: "The recorded sessions that it was read off.",
  voice: "How the user speaks.",
  user: "Who answers the agent's questions; nobody when absent.",
  alternatives: "Other scripts that are as right.",
  tier: "Who wrote it: a person, code or a model.",
});
describe(Task.shape.voice.shape, {
  register: "Tone, such as plain or polite.",
  lead: "What is said before the request.",
});
describe(Task.shape.rests_on.unwrap().shape, {
  runs: "How many sessions.",
  rewarded: "Whether their source rewarded them.",
  agreed: "Arguments all gave alike that no word of the user's says.",
});
describe(Declarations.shape, {
  added_tools: "Tools that were not recorded.",
  redeclared_tools: "Tools that behave in another way.",
  removed_tools: "Names of tools to take away.",
  description_overrides: "New descriptions, by tool.",
  schema_overrides: "New input schemas, by tool; the function stays.",
});
describe(Declarations.shape.added_tools.unwrap().element.shape, {
  input_schema: "JSON Schema of its arguments.",
  behaviour: "How it answers, as behaviour language or as JSON.",
});

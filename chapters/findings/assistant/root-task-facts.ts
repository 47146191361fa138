import { countOf } from "../../count-of.ts";
import { contentWords } from "../../text/stems.ts";
import { cut } from "../pages/words.ts";
import { type Ask, bodyOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
/** Words that any question about tasks may have: they name no topic. */
const USUAL =
  /^(tasks?|tests?|test(ed|ing)|cases?|scenarios?|requests?|agents?|bots?|versions?|runs?|trials?|tr(y|ies)|checks?|check(ed|ing)|tools?|functions?|calls?|called|works?|works|used?|uses|using|kinds?|types?|sorts?|wrong|right|fail\w*|pass\w*|met|meet|solve\w*|miss\w*|most|least|newest|last|latest|recent|first|second|new|old|other|all|every|always|never|not|no|anywhere|really|cover\w*|about|mention\w*|involv\w*|concern\w*|deal\w*|contain\w*|touch\w*|exercis\w*|happen\w*|number|total|examples?|list|find|see|what|when|customers?|users?|person|people|wants?|two|three|once|things?|v?\d+)$/;

/** The words of a question that may name what tasks are about. */
export function topicIn(text: string): string[] {
  return contentWords(text).filter((word) => word.length > 2 && !USUAL.test(word));
}

/** The tasks that have all of the words that any task has; by how words begin, so that cancelling and cancel_order are one. */
export function aboutTopic<T>(tasks: readonly T[], words: readonly string[]) {
  const texts = tasks.map((task: Body) =>
    JSON.stringify([task.request, task.tools, task.cell, task.family]).toLowerCase(),
  );
  const begins = (word: string) => word.slice(0, 6).replace(/(?<=...)(s|ing?)$/, "");
  const known = words.filter((word) => texts.some((text) => text.includes(begins(word))));
  const found = tasks.filter((_, i) => known.length > 0 && known.every((word) => texts[i]!.includes(begins(word))));
  return { known, unknown: words.filter((word) => !known.includes(word)), found };
}

/** The tasks whose request, tools or use case have the words that a question names. */
export async function tasksAbout(ask: Ask, text: string): Promise<string[]> {
  const words = topicIn(text);
  const surfaces = await bodyOf(ask, "surfaces_list");
  const ids: string[] = (surfaces?.surfaces ?? []).flatMap(({ environments = [] }: Body) =>
    environments.map(({ id }: Body) => id),
  );
  if (words.length === 0 || ids.length === 0) return [];
  const all: Body[] = [];
  for (const env_id of ids) all.push(...((await bodyOf(ask, "environment_tasks", { env_id }))?.tasks ?? []));
  const { known, unknown, found } = aboutTopic(all, words);
  const of = (known.length > 0 ? known : words).join(" and ");
  return [
    `${found.length} of ${countOf(all.length, "task")} ${found.length === 1 ? "is" : "are"} about ${of}, by the words of request, tools and use case.`,
    ...(known.length > 0 && unknown.length > 0
      ? [`- no task has ${unknown.map((word) => `"${word}"`).join(" or ")}`]
      : []),
    ...found.slice(0, SHOWN).map(({ index, request, status }) => `- task ${index} (${status}): "${cut(request, 90)}"`),
    ...(found.length > SHOWN ? [`- and ${found.length - SHOWN} more`] : []),
  ];
}

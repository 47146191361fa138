import type { ObservedTrace } from "../../observation.ts";
import { isCertain } from "../acts/chain.ts";
import { recordedIn, scalarsOf } from "../acts/recorded.ts";
import { askableValuesIn, isReading, shownBy } from "../acts/recorded-reads.ts";
import type { Draft } from "../draft.ts";
import { factOf } from "../kinds.ts";
import type { Kit, KitOf } from "../kit.ts";
import { label } from "../leaves.ts";
import type { Random } from "../random.ts";
import { mustCall } from "../seen.ts";
import { ask, isClear, type Voice } from "../words/phrases.ts";
import { beginnings } from "./beginnings.ts";
import { MOST_OTHERS, whatOf } from "./questions.ts";
import { saysNone } from "./refusals.ts";

/** Readings that found nothing where their session began, asked for in the words in which what they find elsewhere is asked for. */
export function* asksForAbsent(
  kits: KitOf,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  const calls = recordedIn(traces).sessions.flat();
  const reads = isReading(kits("").kit);
  const found = calls.flatMap(({ tool, ok, value }) => (ok && reads(tool) ? [{ tool, answer: value }] : []));
  const shown = shownBy(kits("").kit, found);
  for (const { kit, start, sessions } of beginnings(kits, traces, rng))
    for (const session of recordedIn(sessions).sessions) {
      const acted = session.findIndex(({ tool }) => !reads(tool));
      for (const { tool, args, ok } of acted < 0 ? session : session.slice(0, acted)) {
        const named = scalarsOf(args).map(({ value }) => value);
        const answer = ok || named.length === 0 ? undefined : kit.fork().call(tool, args);
        if (answer === undefined || !isCertain(answer) || !saysNone(answer)) continue;
        const [asked] = found.flatMap((one) => (one.tool === tool ? askableValuesIn(kit, tool, one.answer) : []));
        const reading = { calls: [{ tool, args }], results: [], answer: answer.value, tool, args };
        const what = asked && whatOf(kit, reading, asked.leaf.path);
        const voice = voices();
        if (asked === undefined || what === undefined || !isClear(voice, what)) continue;
        // A reading that shows elsewhere what was named tells as well that it is not there.
        const lists = found.filter(
          (one) => one.tool !== tool && scalarsOf(one.answer).some(({ value }) => named.includes(value)),
        );
        const others = shown.get(`${tool}\n${asked.leaf.generic}`) ?? [];
        const field = label(asked.leaf.generic);
        const draft: Draft = {
          family: "no_data",
          operation: tool,
          object: field,
          condition: "absent",
          difficulty: "easy",
          useCase: `ask for an unknown ${field}`,
          words: "templated",
          voice,
          request: ask(voice, what, rng),
          script: { calls: [{ tool, args }], answer: "I could not find it: there is none.", class: "said_no_data" },
          checks: [
            { kind: "answer_class", class: "said_no_data" },
            {
              kind: "calls_required",
              calls: [
                ...mustCall(tool, args).calls,
                ...[...new Set(lists.map((one) => one.tool))].map((name) => ({ tool: name })),
              ],
              any: true,
            },
            {
              kind: "answer_excludes",
              facts: others.slice(0, MOST_OTHERS).map((value) => factOf(value, asked.leaf.name)),
            },
            { kind: "no_state_change" },
          ],
        };
        yield { draft: start === undefined ? draft : { ...draft, start }, kit };
      }
    }
}

import type { JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { recordedIn } from "../acts/recorded.ts";
import { type Attempt, attempt, keyParams, outcome } from "../attempts.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import type { Random } from "../random.ts";
import { argumentLabel, noun, type Voice, want } from "../words/phrases.ts";
import { forbidden, policyFor } from "../words/policy.ts";
import { readingOf, triedWrites, writeRequestOf } from "./write.ts";

/**
 * A change that the world's own rules refuse: the right act is to decline. First what the real system was seen to
 * refuse, then what the documents forbid, then what is refused whatever else is asked with it.
 */
export function* guardedWrite(
  kit: Kit,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const lifted = liftedRefusals(traces);
  const lasts = ({ view, answer }: Attempt) => !lifted.has(`${view.name}\n${answer.text}`);
  for (const refused of recordedRefusals(kit).filter(lasts)) {
    const draft = declined(kit, refused, voices(), rng);
    if (draft) yield draft;
  }
  yield* againstPolicy(kit, voices, rng);
  const tried = [...triedWrites(kit)]
    .map(([tool, { changed, refused }]) => [tool, { changed, refused: refused.filter(lasts) }] as const)
    .filter(([, t]) => t.refused.length > 0 && t.changed.length > 0);
  for (let round = 0; round < 40; round += 1) {
    for (const [tool, { changed, refused }] of tried) {
      const succeeded = new Set(changed.map((a) => a.anchor.key));
      const shape = JSON.stringify(changed[0]?.from);
      const fitting = refused.filter((a) => !succeeded.has(a.anchor.key) && JSON.stringify(a.from) === shape);
      const chosen = fitting[round];
      if (!chosen) continue;
      const [keyed] = keyParams(kit, chosen.view).filter((k) => k.param.name === chosen.keyParam);
      if (!keyed || !refusedWhatever(kit, chosen, rng.fork(`${tool} ${chosen.anchor.key}`))) continue;
      const draft = declined(kit, chosen, voices(), rng);
      if (draft) yield draft;
    }
  }
}

/**
 * Refusals, by tool and words, after which a session had the tool do its work: an agent may lift them (log in, open
 * the day), so that declining is not the right end.
 */
function liftedRefusals(traces: readonly ObservedTrace[]): ReadonlySet<string> {
  const lifted = new Set<string>();
  for (const calls of recordedIn(traces).sessions) {
    const refused = new Map<string, Set<string>>();
    for (const { tool, ok, value, args } of calls) {
      const name = `${tool}\n${JSON.stringify(args)}`;
      const before = refused.get(name) ?? new Set<string>();
      refused.set(name, before);
      if (!ok) before.add(typeof value === "string" ? value : JSON.stringify(value));
      else for (const answer of before) lifted.add(`${tool}\n${answer}`);
    }
  }
  return lifted;
}

/** Changes that the world would make and the documents forbid on such a row: the right act is to read it and to decline. */
function* againstPolicy(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const policy = policyFor(kit);
  for (const [tool, { changed }] of triedWrites(kit))
    for (const one of changed) {
      const { table, key, row } = one.anchor;
      const guard = forbidden(policy, tool, table, row);
      const reading = guard && readingOf(kit, table, key);
      const wish = reading && writeRequestOf(kit, one, rng, true);
      if (!guard || !wish) continue;
      const look = { tool: reading.binding.tool, args: reading.args };
      const args = Object.entries(reading.args).map(([path, value]) => ({ path, op: "equals" as const, value }));
      const voice = voices();
      yield {
        family: "guarded_write",
        operation: tool,
        object: table,
        condition: "contradictory",
        difficulty: "hard",
        useCase: argumentLabel(tool),
        voice,
        request: want(voice, wish.act, rng),
        script: { calls: [look], answer: `I'm sorry, but I can't do that: ${guard.sentence}`, class: "refused" },
        checks: [
          { kind: "no_state_change" },
          { kind: "answer_class", class: "refused" },
          { kind: "calls_required", calls: [{ tool: look.tool, args }] },
        ],
      };
    }
}

function declined(kit: Kit, refused: Attempt, voice: Voice, rng: Random): Draft | undefined {
  const wish = writeRequestOf(kit, refused, rng);
  if (!wish) return undefined;
  return {
    family: "guarded_write",
    operation: refused.view.name,
    object: refused.anchor.table,
    condition: "contradictory",
    difficulty: wish.calls.length > 1 ? "hard" : "medium",
    useCase: argumentLabel(refused.view.name),
    voice,
    request: want(voice, wish.act, rng),
    script: {
      calls: wish.calls,
      answer: `I'm sorry, but I can't do that: the ${noun(refused.anchor.table)} does not allow it.`,
      class: "refused",
    },
    checks: [{ kind: "no_state_change" }, { kind: "answer_class", class: "refused" }],
  };
}

/** A refusal with two figures finds fault with the sum that was asked for, which an agent may put right. */
const SLIP = /\d.*\D\d/;

/** Writes that the real system was seen to refuse for what it holds, and that the drawn world refuses in the same words. */
function recordedRefusals(kit: Kit): Attempt[] {
  const seen = new Set<string>();
  return kit.bundle.exceptions.flatMap((recorded) => {
    const view = kit.tools.find(({ name, effect }) => name === recorded.tool && effect === "write");
    if (
      !view ||
      !/^(?:refused|error:(?:insufficient|not_allowed|conflict|invalid_state|failed))$/.test(recorded.answer_class)
    )
      return [];
    const words = String(recorded.answer);
    if (SLIP.test(words) && /\b(?:but|expected|instead|got)\b/.test(words)) return [];
    const args = recorded.args as JsonObject;
    for (const { param, table } of keyParams(kit, view)) {
      const anchor = kit.anchors.get(table)?.find(({ key }) => key === args[param.name]);
      // Of several refusals of one thing in the same words one is enough.
      const name = `${view.name} ${anchor?.key} ${words}`;
      if (!anchor || seen.has(name)) continue;
      const answer = kit.fork().call(view.name, args);
      if (outcome(answer) !== "refused") continue;
      seen.add(name);
      return [{ view, anchor, keyParam: param.name, args, from: {}, answer, outcome: "refused" as const }];
    }
    return [];
  });
}

function refusedWhatever(kit: Kit, one: Attempt, rng: Random): boolean {
  const reason = one.answer.text;
  const [keyed] = keyParams(kit, one.view).filter((k) => k.param.name === one.keyParam);
  if (!keyed || !readingOf(kit, one.anchor.table, one.anchor.key)) return false;
  for (let i = 0; i < 12; i += 1) {
    const again = attempt(kit, one.view, keyed.param, one.anchor, rng, one.from);
    if (
      again &&
      (again.outcome === "changed" ||
        again.outcome === "gap" ||
        (again.outcome === "refused" && again.answer.text !== reason))
    )
      return false;
  }
  return true;
}

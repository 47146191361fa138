import { featuresOf } from "../effects.ts";
import { completed } from "../flag-sets.ts";
import type { Setting } from "../knowledge.ts";
import { changesBy, type ResponsePart, type ToolModel, variableOf } from "../steps.ts";
import { applied, type Rule } from "./rules.ts";

/** A rule that is wrong in more than this share of its uses is no rule. */
const WRONG = 0.1;
/** Rules dropped at a time: what the worst ones made of the readings may be all that is wrong with the others. */
const AT_ONCE = 2;

/** How often a rule was put to use and proved wrong. */
type Uses = Map<Rule, { n: number; wrong: number }>;

function ruleFor(
  rules: readonly Rule[],
  features: ReadonlyMap<string, string>,
): { readonly rule: Rule; readonly value: string } | undefined {
  for (const rule of rules) {
    const value = applied([rule], features);
    if (value !== undefined) return { rule, value };
  }
  return undefined;
}

/**
 * The same conducts without the rules that fail in use: every session is followed knowing no more than a world does,
 * and what a rule says is held against what the session says next. A rule may be right of what it was found from and
 * wrong where it stands in for another.
 */
export function crossValidated(setting: Setting): Pick<Setting, "conducts" | "changes"> {
  const uses: Uses = new Map();
  const judge = (rule: Rule | undefined, right: boolean) => {
    if (!rule) return;
    const held = uses.get(rule) ?? { n: 0, wrong: 0 };
    uses.set(rule, { n: held.n + 1, wrong: held.wrong + (right ? 0 : 1) });
  };
  const { events, conducts, changes, common, groups, tracked } = setting;
  for (const [s, session] of events.sessions.entries()) {
    let now = new Map([...common, ...(tracked.starts.get(groups[s] as number) ?? [])]);
    const setBy = new Map<string, Rule>();
    for (const event of session) {
      now = completed(now, events.composites);
      const features = featuresOf(event, now);
      const conduct = conducts.get(event.tool);
      const { answer } = event;
      if (conduct && answer) {
        const held = conduct.formIn.some(({ register }) => features.has(register));
        const form = conduct.forms.length > 1 && !held ? ruleFor(conduct.form, features) : undefined;
        judge(form?.rule, form?.value === answer.form.id);
        for (const item of answer.items) {
          const said = conduct.items.get(answer.form.id)?.find(({ label }) => label === item.label);
          const told =
            said && (said.effect === undefined || said.effect === "keep") ? ruleFor(said.rules, features) : undefined;
          const held = said && variableOf(said, event.call.args);
          if (told && (held === undefined || !now.has(held))) judge(told.rule, told.value === item.value);
        }
      }
      const moved = tracked.reads.has(event.tool) ? [] : changesBy(event, conduct, changes.get(event.tool));
      for (const [register, rules] of moved) {
        const set = ruleFor(rules, features);
        if (set) {
          now.set(register, set.value);
          setBy.set(register, set.rule);
        } else {
          now.delete(register);
          setBy.delete(register);
        }
      }
      for (const [register, value] of event.shown) {
        const held = now.get(register);
        if (held !== undefined) judge(setBy.get(register), held === value);
        if (held !== value) setBy.delete(register);
      }
    }
  }
  const failed = new Set(
    [...uses]
      .filter(([, { n, wrong }]) => wrong > n * WRONG)
      .sort(([, a], [, b]) => b.wrong - a.wrong)
      .slice(0, AT_ONCE)
      .map(([rule]) => rule),
  );
  const stand = (rules: readonly Rule[]) => rules.filter((rule) => !failed.has(rule));
  const standing = (of: ReadonlyMap<string, readonly Rule[]>) =>
    new Map([...of].map(([register, rules]) => [register, stand(rules)] as const));
  const saidOf = (responsePart: ResponsePart): ResponsePart => ({
    ...responsePart,
    effect:
      responsePart.effect === undefined || responsePart.effect === "keep"
        ? responsePart.effect
        : stand(responsePart.effect),
    rules: stand(responsePart.rules),
    after: stand(responsePart.after),
  });
  return {
    conducts: new Map(
      [...conducts].map(([tool, conduct]): [string, ToolModel] => [
        tool,
        {
          ...conduct,
          form: stand(conduct.form),
          items: new Map([...conduct.items].map(([form, items]) => [form, items.map(saidOf)] as const)),
          changes: standing(conduct.changes),
          refusals: new Map([...conduct.refusals].map(([form, of]) => [form, standing(of)] as const)),
        },
      ]),
    ),
    changes: new Map([...changes].map(([tool, of]) => [tool, standing(of)] as const)),
  };
}

import type { JsonObject } from "../../json.ts";
import { byText } from "../values.ts";
import { featuresOf, type Tracked } from "./effects.ts";
import { commonest } from "./estimate-state.ts";
import type { Event, Events } from "./events.ts";
import { completed } from "./flag-sets.ts";
import { type OwnRows, ownColumn } from "./own-rows.ts";
import { applied, type Rule } from "./rules/rules.ts";
import { changesBy, FORM_PRIOR, formOf, priorOf, type ResponsePart, type ToolModel, variableOf } from "./steps.ts";

/** The share of sessions that must start alike for a reading to be what every session starts with. */
const COMMON = 0.98;
const ENOUGH = 5;

/** Readings that (nearly) every session starts with. */
export function commonStates({ lasting, known }: Tracked): Map<string, string> {
  const starts = known.flatMap(([first]) => (first ? [first.before] : []));
  return new Map([...commonest(starts)].filter(([register]) => lasting.has(register)));
}

/** By group, the readings that its sessions agree to start with, where not every session does. */
export function startStates(
  names: readonly string[],
  { starts }: Tracked,
  common: ReadonlyMap<string, string>,
  rows?: OwnRows,
): Map<string, JsonObject> {
  const out = new Map<string, JsonObject>();
  for (const [group, readings] of starts) {
    const name = names[group] as string;
    const keys = [...(rows?.ids.get(name) ?? [])].map(([table, key]) => [ownColumn(table), key] as const);
    const own = [...readings]
      .filter(([register, value]) => common.get(register) !== value)
      .concat(keys as [string, string][]);
    if (own.length > 0) out.set(names[group] as string, Object.fromEntries(own.sort(([a], [b]) => byText(a, b))));
  }
  return out;
}

/** What sessions are followed with: events, what tools do, and what a world knows at the start. */
export interface Setting {
  readonly events: Events;
  readonly conducts: ReadonlyMap<string, ToolModel>;
  readonly changes: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
  readonly common: ReadonlyMap<string, string>;
  readonly groups: readonly number[];
  readonly tracked: Tracked;
}

/** A call as a world meets it that knows what training says of the start and nothing that later answers tell. */
interface Met {
  readonly event: Event;
  readonly group: number;
  readonly model: ToolModel | undefined;
  readonly features: ReadonlyMap<string, string>;
  /** The readings as the call leaves them. */
  readonly after: ReadonlyMap<string, string>;
}

function* walkSessions(
  { events, conducts, changes, common, groups, tracked }: Setting,
  starts: Tracked["starts"] = tracked.starts,
): Generator<Met> {
  for (const [s, session] of events.sessions.entries()) {
    const group = groups[s] as number;
    let now = new Map([...common, ...(starts.get(group) ?? [])]);
    for (const event of session) {
      const model = conducts.get(event.tool);
      now = completed(now, events.composites);
      const features = featuresOf(event, now);
      const next = afterCall(event, now, features, changesBy(event, model, changes.get(event.tool)), tracked.reads);
      yield { event, group, model, features, after: featuresOf(event, completed(next, events.composites)) };
      now = next;
    }
  }
}

/** How often what follows from other readings must have been right where the reading itself was not. */
const OFTENER = 2;

/** The tool models, with rules before stored values where rules were right more often. */
export function withPrecedence(setting: Setting): Map<string, ToolModel> {
  const scores = new Map<string, { held: number; ruled: number }>();
  for (const { event, model, features } of walkSessions(setting)) {
    const { answer, call } = event;
    for (const item of model && answer ? answer.items : []) {
      const said = model?.items.get(answer?.form.id ?? "")?.find(({ label }) => label === item.label);
      if (said?.effect !== "keep" || said.rules.length === 0) continue;
      const held = features.get(variableOf(said, call.args) ?? "");
      const ruled = applied(said.rules, features);
      if (held === undefined || ruled === undefined || held === ruled) continue;
      const id = `${event.tool}\n${item.label}`;
      const score = scores.get(id) ?? { held: 0, ruled: 0 };
      if (held === item.value) score.held++;
      if (ruled === item.value) score.ruled++;
      scores.set(id, score);
    }
  }
  return new Map(
    [...setting.conducts].map(([tool, conduct]) => {
      const trusted = (responsePart: ResponsePart): ResponsePart => {
        const { held, ruled } = scores.get(`${tool}\n${responsePart.label}`) ?? { held: 0, ruled: 0 };
        return ruled >= OFTENER && ruled > held ? { ...responsePart, ruled: true } : responsePart;
      };
      const items = new Map([...conduct.items].map(([form, of]) => [form, of.map(trusted)] as const));
      return [tool, { ...conduct, items }] as const;
    }),
  );
}

/**
 * What a tool says where the readings it rests on are unknown, and where nearly every session that knew as little heard
 * the same: that it was called at all may tell. By tool, then by form or value.
 */
export function findDefaults(setting: Setting): Map<string, Map<string, string>> {
  const heard = new Map<string, Map<string, Map<string, Set<number>>>>();
  const hear = (tool: string, name: string, value: string, session: number) => {
    const byName = heard.get(tool) ?? new Map<string, Map<string, Set<number>>>();
    const values = byName.get(name) ?? new Map<string, Set<number>>();
    values.set(value, (values.get(value) ?? new Set()).add(session));
    heard.set(tool, byName.set(name, values));
  };
  // A session of a kind that nobody saw knows only what all start with: it is to hear the same.
  for (const { event, group, model, features, after } of [
    ...walkSessions(setting),
    ...walkSessions(setting, new Map()),
  ]) {
    const { answer, tool, call } = event;
    if (!model || !answer) continue;
    const form = formOf(model, features, call.args);
    if (form === undefined) hear(tool, FORM_PRIOR, answer.form.id, group);
    const said = model.items.get(answer.form.id) ?? [];
    for (const item of answer.items) {
      const of = said.find(({ label }) => label === item.label);
      if (of && responseValue(of, features, call.args, after) === undefined)
        hear(tool, priorOf(answer.form.id, item.label), item.value, group);
    }
  }
  return new Map(
    [...heard].map(([tool, byName]) => {
      const priors = new Map<string, string>();
      for (const [name, values] of byName) {
        const total = [...values.values()].reduce((sum, of) => sum + of.size, 0);
        for (const [value, of] of values) if (of.size >= ENOUGH && of.size >= total * COMMON) priors.set(name, value);
      }
      return [tool, priors] as const;
    }),
  );
}

function responseValue(
  responsePart: ResponsePart,
  features: ReadonlyMap<string, string>,
  args: JsonObject,
  after: ReadonlyMap<string, string>,
): string | undefined {
  const { effect, rules } = responsePart;
  const register = variableOf(responsePart, args);
  const held =
    register === undefined || effect === undefined
      ? undefined
      : effect === "keep"
        ? features.get(register)
        : applied(effect, features);
  const ruled = responsePart.ruled ? applied(rules, features) : undefined;
  return ruled ?? held ?? applied(rules, features) ?? applied(responsePart.after, after);
}

/** The readings that a world would know after a call. */
function afterCall(
  event: Event,
  now: ReadonlyMap<string, string>,
  features: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, readonly Rule[]>,
  reads: ReadonlySet<string>,
): Map<string, string> {
  const out = new Map(now);
  if (reads.has(event.tool)) return out;
  for (const [register, rules] of changes) {
    const value = applied(rules, features);
    if (value === undefined) out.delete(register);
    else out.set(register, value);
  }
  return out;
}

import { effectByName, namedWriter } from "../compile/effects.ts";
import type { Session } from "../compile/observations.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "./effects.ts";
import { idLike, leavesOf, timeForm } from "./leaves.ts";

/** How a part of an answer comes about where the state alone does not determine it. */
export type Kind = "generated" | "clock";

/** Which parts of which tools' answers are generated ids or readings of a clock. */
export interface Volatility {
  kind(tool: string, path: string): Kind | undefined;
  /** Every such part, as `tool path`, for a person. */
  readonly generated: readonly string[];
  readonly clocks: readonly string[];
}

/** Sights of one part of a tool's answers. */
interface PartCounts {
  n: number;
  times: number;
  ids: number;
  /** Values without letters: amounts and counts look like that too. */
  bare: number;
  /** Fresh values that a later call of their session was asked with. */
  used: number;
  /** Values that were new to their session, with the sessions. */
  readonly fresh: Map<string | number, Set<number>>;
  readonly sessions: Set<number>;
  /** How often the same question, asked again in its session, answered the same here, and how often otherwise. */
  again: number;
  renewed: number;
}

/** Fewer sessions or values than these show nothing. */
const LEAST_SESSIONS = 3;
const LEAST_VALUES = 4;
/** Share of fresh values that two sessions may share by chance; of clocks, whose steps are coarse, more. */
const SHARED = 0.02;
const SHARED_CLOCK = 0.1;
/** Share of a part's values that have to look like ids, or like times. */
const LIKE = 0.8;
/** Share of a part's fresh values without letters that later calls name: an amount is hardly ever asked with. */
const USED = 0.1;

/** Every way to explain a service asks it of the same sessions. */
const decided = new WeakMap<readonly Session[], Volatility>();

const id = (tool: string, path: string) => `${tool}\n${path}`;

/**
 * Decides from evidence which parts of answers are volatile. A generated id is new to its session when it is first
 * shown, looks like an id also without what the question says (`charts/visits_2025-01-03.png` of visits on that day does
 * not), and is (nearly) never shown by two sessions: ids that a counter or a fixed sequence gives are the same in every
 * session and are therefore not volatile. Without letters it has to be asked with later, or it may be an amount; of a
 * tool that is named as a reading or seen to change nothing, a repeated question has to show a new one.
 * A clock is the same for values that are moments in time. A part that a repeated question answers alike was there
 * before, and was not generated.
 */
export function volatilityOf(sessions: readonly Session[]): Volatility {
  const volatility = decided.get(sessions) ?? decide(sessions);
  decided.set(sessions, volatility);
  return volatility;
}

function decide(sessions: readonly Session[]): Volatility {
  const sights = new Map<string, PartCounts>();
  for (const [s, session] of sessions.entries()) readSession(session, s, sights);
  const reads = readOnlyTools(sessions);
  const generated = new Set<string>();
  const clocks = new Set<string>();
  for (const [part, seen] of sights) {
    if (!isKnown(seen)) continue;
    const shared = [...seen.fresh.values()].filter((in_) => in_.size > 1).length / seen.fresh.size;
    if (seen.times >= LIKE * seen.n) {
      if (shared <= SHARED_CLOCK && !part.endsWith(ANY)) clocks.add(part);
    } else if (seen.ids >= LIKE * seen.n && shared <= SHARED && seen.again <= seen.renewed) {
      const own = seen.bare < LIKE * seen.n || seen.used >= USED * seen.fresh.size;
      // A reading whose question nobody repeats may show what each session's customer had all along.
      const looked = seen.renewed === 0 && reads(part.slice(0, part.indexOf("\n")));
      if (own && !looked) generated.add(part);
    }
  }
  // Of a text whose words are known to be nothing else, also a word that is too rare to tell is generated.
  for (const [part, seen] of sights)
    if (!part.endsWith(ANY) && isKnown(seen) && !generated.has(part)) generated.delete(anyWord(part) ?? "");
  const told = (parts: ReadonlySet<string>) => [...parts].map((part) => part.replace("\n", " ")).sort();
  return volatilityIn(told(generated), told(clocks));
}

/** Which parts are volatile, of lists of them as they are told. */
export function volatilityIn(generated: readonly string[], clocks: readonly string[]): Volatility {
  const [ids, times] = [new Set(generated), new Set(clocks)];
  const kind = (tool: string, path: string): Kind | undefined => {
    const part = `${tool} ${path}`;
    if (ids.has(part)) return "generated";
    if (times.has(part)) return "clock";
    return ids.has(anyWord(part) ?? "") ? "generated" : undefined;
  };
  return { kind, generated, clocks };
}

/** The part that the words of a text are together, whichever word each follows. */
const ANY = "~*";

function anyWord(part: string): string | undefined {
  const at = part.indexOf("~");
  return at < 0 ? undefined : `${part.slice(0, at)}${ANY}`;
}

function isKnown({ sessions, fresh }: PartCounts): boolean {
  return sessions.size >= LEAST_SESSIONS && fresh.size >= LEAST_VALUES;
}

/** Whether a tool reads: by its name, or, where that says nothing, as what it was called between shows. */
function readOnlyTools(sessions: readonly Session[]): (tool: string) => boolean {
  let pure: ((tool: string) => boolean) | undefined;
  return (tool) => {
    if (effectByName(tool) === "read" || namedWriter(tool)) return effectByName(tool) === "read";
    pure ??= effectsOf(sessions, (s, c) => canonicalJson(sessions[s]?.calls[c]?.value ?? null)).pure;
    return pure(tool);
  };
}

/** A value without the words of a question that stand in it; shorter words than these may stand there by chance. */
const LEAST_CHARS = 3;

function without(value: string | number, words: readonly string[]): string | number {
  return typeof value === "number" ? value : words.reduce((rest, word) => rest.replaceAll(word, ""), value);
}

function noCounts(): PartCounts {
  return { n: 0, times: 0, ids: 0, bare: 0, used: 0, fresh: new Map(), sessions: new Set(), again: 0, renewed: 0 };
}

function readSession(session: Session, s: number, sights: Map<string, PartCounts>): void {
  const seen = new Set<string | number>();
  const firsts = new Map<string, Map<string, string | number>>();
  const shownBy = new Map<string | number, Set<PartCounts>>();
  for (const { tool, args, value, ok } of session.calls) {
    const asked = new Set([...leavesOf(args)].map((leaf) => leaf.value));
    for (const one of asked) {
      seen.add(one);
      for (const entry of shownBy.get(one) ?? []) entry.used++;
      shownBy.delete(one);
    }
    const words = [...asked].map(String).filter((word) => word.length >= LEAST_CHARS);
    words.sort((a, b) => b.length - a.length);
    const question = `${tool}\n${canonicalJson(args)}`;
    const before = firsts.get(question);
    const now = new Map<string, string | number>();
    const shown: (string | number)[] = [];
    for (const leaf of ok ? leavesOf(value) : []) {
      shown.push(leaf.value);
      if (!now.has(leaf.path)) now.set(leaf.path, leaf.value);
      const part = id(tool, leaf.path);
      for (const one of [part, anyWord(part)]) {
        if (one === undefined) continue;
        const entry = sights.get(one) ?? noCounts();
        sights.set(one, entry);
        entry.n++;
        if (timeForm(leaf.value) !== undefined) entry.times++;
        if (idLike(leaf.value) && idLike(without(leaf.value, words))) entry.ids++;
        if (typeof leaf.value === "number" || !/[A-Za-z]/.test(leaf.value)) entry.bare++;
        if (seen.has(leaf.value)) continue;
        entry.sessions.add(s);
        const by = shownBy.get(leaf.value);
        if (by) by.add(entry);
        else shownBy.set(leaf.value, new Set([entry]));
        const where = entry.fresh.get(leaf.value);
        if (where) where.add(s);
        else entry.fresh.set(leaf.value, new Set([s]));
      }
    }
    if (before)
      for (const [path, value_] of now) {
        const entry = sights.get(id(tool, path));
        const was = before.get(path);
        if (!entry || was === undefined) continue;
        if (was === value_) entry.again++;
        else entry.renewed++;
      }
    else if (ok) firsts.set(question, now);
    for (const one of shown) seen.add(one);
  }
}

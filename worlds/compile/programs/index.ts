import type { ToolDefinition } from "../../bundle.ts";
import { declaredEffect, namedWriter } from "../effects.ts";
import type { Session } from "../observations.ts";
import { findWriters, type Learnt, learnEffects, ROUNDS } from "./effects.ts";
import type { TextForms } from "./emit.ts";
import { computedLeaves, findComputed } from "./expressions/computed.ts";
import { readJoinedLists } from "./expressions/joined-lists.ts";
import { findReaders } from "./expressions/readers.ts";
import { readSwitches } from "./expressions/switches.ts";
import { findFunctions, without } from "./functions.ts";
import { readRendered } from "./rendered/index.ts";
import { Kinds } from "./state/kinds.ts";
import { findKeyed, findLayout } from "./state/layout.ts";
import { findListed } from "./state/listed.ts";
import { findPointers } from "./state/pointers.ts";
import { withRefusals } from "./state/unmarked-refusals.ts";
import { findTells } from "./tells.ts";

/** Learns a service: where its answers show its state, what its tools do to it, and what sessions start with. */
export function learn(
  all: readonly Session[],
  tools: readonly ToolDefinition[],
): Learnt & { kinds: Kinds; texts: TextForms } {
  const { sessions: lists, between } = readJoinedLists(all);
  const { sessions: records, rendered } = readRendered(lists);
  const switched = readSwitches(records, findReaders(records, tools));
  const sessions = withRefusals(switched.sessions, new Set(rendered.keys()));
  const texts = { records: new Map([...rendered, ...switched.forms]), between };
  const kinds = new Kinds(sessions);
  const declared = new Map(tools.map((tool) => [tool.name, declaredEffect(tool)]));
  const writes = (tool: string): boolean => declared.get(tool) !== "read" && namedWriter(tool);
  const named = findReaders(sessions, tools);
  const keyed = { ...findKeyed(sessions), functions: findFunctions(sessions, kinds) };
  const writers = findWriters(sessions, findLayout(sessions, named, keyed, false), named, kinds);
  const rows = { ...keyed, functions: without(keyed.functions, writers) };
  // What is named as a write is no reading of anything, though nothing showed what it changed.
  const spoken = new Set(
    sessions.flatMap(({ calls }) => calls.filter(({ ok, tool }) => ok && writes(tool)).map(({ tool }) => tool)),
  );
  const readers = new Set(
    sessions
      .flatMap(({ calls }) => calls.map(({ tool }) => tool))
      .filter((tool) => named.has(tool) || rows.functions.tools.has(tool) || !(writers.has(tool) || spoken.has(tool))),
  );
  const plain = findLayout(sessions, readers, rows, true);
  const begun = learnEffects(sessions, plain, readers, kinds, 2);
  const pointers = findPointers(begun);
  const points = pointers.paths.length > 0;
  const layout = points ? findLayout(sessions, readers, rows, true, pointers) : plain;
  const first = points ? learnEffects(sessions, layout, readers, kinds, 2) : begun;
  const told = findTells(first);
  const refused = told.tells.size === 0 ? first : learnEffects(sessions, { ...layout, ...told }, readers, kinds, 2);
  const listed = findListed(refused);
  const stored = listed.size === 0 ? refused : learnEffects(sessions, { ...refused.layout, listed }, readers, kinds, 2);
  const computed = findComputed(stored);
  if (computed.size === 0)
    return { ...learnEffects(sessions, stored.layout, readers, kinds, ROUNDS, stored), kinds, texts };
  const derived = new Set([...layout.derived, ...computedLeaves(stored, computed)]);
  return { ...learnEffects(sessions, { ...stored.layout, derived, computed }, readers, kinds), kinds, texts };
}

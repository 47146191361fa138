import { titleOf } from "../../modes/record-modes.ts";
import type { RootCause } from "../../records/runs/runs.ts";
import { behaviourIn } from "../modes/behaviours.ts";

/** What a report of a failure says, as far as its words are plain. */
export interface ReadReport {
  readonly title: string;
  readonly behaviour?: RootCause | undefined;
  /** The words of the report by which the behaviour was told. */
  readonly behaviour_words: readonly string[];
  /** The tool that it is of: one that was given, or one whose name the text says. */
  readonly tool?: string | undefined;
  /** Ids of traces and sessions that the text names. */
  readonly named: readonly string[];
}

/** Ids as services write them: ours, UUIDs, the hexadecimal ids of traces, and what follows the word session or trace. */
const IDS = [
  /\btr_[0-9a-z]{10,40}\b/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b[0-9a-f]{32}\b/gi,
  /\b(?:session|trace)(?:[ _-]?id)?[ :=#]+([\w.:-]*\d[\w.:-]*)/gi,
];
const MOST_IDS = 50;

/** Reads a report by rule. `given` are the tools that the reporter named, `served` those that the org's sandboxes serve. */
export function readReport(text: string, given: readonly string[], served: readonly string[]): ReadReport {
  const found = behaviourIn(text);
  const said = given[0] ?? served.find((tool) => saysTool(text, tool));
  const ids = IDS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => (match[1] ?? match[0]).replace(/[.:,-]+$/, "")),
  );
  return {
    title: titleOf(text),
    behaviour: found?.behaviour,
    behaviour_words: found ? [found.words] : [],
    tool: said,
    named: [...new Set(ids)].slice(0, MOST_IDS),
  };
}

/** A tool is named by its own name alone: a name of one plain word could be any word. */
function saysTool(text: string, tool: string): boolean {
  if (!/[_.-]|[a-z][A-Z]/.test(tool)) return false;
  const at = text.indexOf(tool);
  const edge = (character: string | undefined) => character === undefined || !/[\w]/.test(character);
  return at >= 0 && edge(text[at - 1]) && edge(text[at + tool.length]);
}

import type { ObservedTrace } from "../../observation.ts";
import { stems } from "../checks/words.ts";
import { leaves } from "../leaves.ts";
import type { Script } from "../schema.ts";

type Calls = Script["calls"];

/** What a task asks for and requires. */
interface RequestAndScript {
  readonly words: readonly string[];
  /** The script, with as few calls as its checks need. */
  readonly calls: Calls;
  /** What the sessions that were replayed did. */
  readonly runs: readonly Calls[];
  /** The tools that change something. */
  readonly writes: readonly string[];
  /** Whether other sessions were asked in the same words for other acts. */
  readonly otherwise: boolean;
}

/**
 * Why a request asks for more than its task requires, or for something else, as far as sessions show it: the same words
 * stood for other acts, every session made a change that no check needs, or the words name a tool that the script lacks.
 */
export function asksOtherwise({ words, calls, runs, writes, otherwise }: RequestAndScript): string | undefined {
  if (otherwise) return "the same words were asked for other acts";
  const times = (of: Calls, tool: string) => of.filter((call) => call.tool === tool).length;
  const unneeded = writes.find((tool) => runs.every((run) => times(run, tool) > times(calls, tool)));
  if (unneeded !== undefined) return `${unneeded} was called in every session and no check needs it`;
  const said = new Set(
    words
      .join(" ")
      .toLowerCase()
      .match(/[\p{L}]+/gu) ?? [],
  );
  const isSaid = (stem: string) => [...said].some((word) => word.startsWith(stem));
  const named = writes.find((tool) => {
    const own = stems(tool.split(/[./:]/).at(-1) ?? tool);
    return times(calls, tool) === 0 && own.length > 0 && own.every((stem) => stem.length > 2 && isSaid(stem));
  });
  return named && `the request names ${named}, which no check needs`;
}

/** Fewer other tasks in the same words show nothing. */
const SEVERAL = 2;

/**
 * The names of groups whose words others were asked in for other acts: half of these or more changed something by a tool
 * of their own and left out one of its.
 */
export function ambiguousRequests(
  groups: ReadonlyMap<string, readonly ObservedTrace[]>,
  writes: ReadonlySet<string>,
): ReadonlySet<string> {
  const named = namesIn([...groups.values()].flat());
  const read = [...groups].map(([name, traces]) => ({
    name,
    wording: wordingOf(traces[0]?.request ?? "", named),
    acts: changingTools(traces, writes),
  }));
  const alike = Map.groupBy(read, ({ wording }) => wording);
  return new Set(
    read.flatMap(({ name, wording, acts }) => {
      const others = (alike.get(wording) ?? []).filter((other) => other.name !== name);
      const apart = others.filter((other) => lacks(acts, other.acts) && lacks(other.acts, acts));
      return others.length >= SEVERAL && apart.length * 2 >= others.length ? [name] : [];
    }),
  );
}

const lacks = (some: ReadonlySet<string>, others: ReadonlySet<string>) => [...others].some((tool) => !some.has(tool));

/** The tools by which most sessions changed something. */
function changingTools(traces: readonly ObservedTrace[], writes: ReadonlySet<string>): Set<string> {
  const made = traces.map(
    ({ calls }) => new Set(calls.flatMap(({ tool, isError }) => (!isError && writes.has(tool) ? [tool] : []))),
  );
  const all = new Set(made.flatMap((tools) => [...tools]));
  return new Set([...all].filter((tool) => made.filter((tools) => tools.has(tool)).length * 2 > made.length));
}

/** Arguments of more words are prose: what it says is no name. */
const NAME_WORDS = 2;

function namesIn(traces: readonly ObservedTrace[]): ReadonlySet<string> {
  return new Set(
    traces.flatMap(({ calls }) =>
      calls.flatMap(({ args }) =>
        leaves(args, 200).flatMap(({ value }) => {
          const words =
            String(value)
              .toLowerCase()
              .match(/\p{L}+/gu) ?? [];
          return words.length > NAME_WORDS ? [] : words;
        }),
      ),
    ),
  );
}

/** A request without what it names: quoted texts, codes and paths, and words that calls are made with. */
function wordingOf(request: string, named: ReadonlySet<string>): string {
  return request
    .toLowerCase()
    .replace(/(?<!\p{L})'[^']*'|"[^"]*"/gu, " ")
    .split(/\s+/)
    .map((token) => token.replace(/^[^\p{L}\d/@#]+|[^\p{L}\d]+$/gu, ""))
    .filter((token) => /^[\p{L}'-]+$/u.test(token) && !named.has(token))
    .join(" ");
}

import { isObject } from "../../../../worlds/json.ts";
import { unprocessable } from "../../../errors.ts";
import { detectFormat } from "../../../evidence/formats/index.ts";
import { inflated } from "../../../evidence/reading/bytes.ts";
import { contained } from "../../../evidence/reading/containers.ts";
import { itemOf, openSource, type Source } from "../../../evidence/reading/source.ts";
import { RunBundle } from "../../../records/runs/run-bundle.ts";
import { inspectResults } from "../../import/inspect-results.ts";
import { type ForeignResults, type Raw, rawList, rawObject } from "../../import/raw-results.ts";
import { tau2Results } from "../../import/tau2-results.ts";
import { agentdojoResults, tauBenchResults } from "../../import/trial-list-results.ts";

/** Results of one agent as a file holds them. */
export interface RecordedResults {
  readonly format: "tau2" | "tau-bench" | "inspect" | "agentdojo" | "bundle";
  /** A bundle's name for its environment is its own; other files are told apart by their domain. */
  readonly results: ForeignResults;
}

/** The formats that hold how trials ended, by their names. */
export const RECORDED_FORMATS: ReadonlySet<string> = new Set(["tau2", "tau-bench", "inspect", "agentdojo"]);

/** What only tells how a trial went: nothing is compared by it, and it is most of a file. */
const TRANSCRIPT = ["messages", "events", "store", "attachments", "traj"];

/**
 * The verdicts that a results file came with, read as a stream: one entry for each agent in it, none where it holds no
 * verdicts. Throws AppError: malformed.
 */
export async function readRecorded(bytes: AsyncIterable<Uint8Array>): Promise<RecordedResults[]> {
  return (await resultsIn(bytes)).filter(({ results }) => results.trials.length > 0);
}

async function resultsIn(bytes: AsyncIterable<Uint8Array>): Promise<RecordedResults[]> {
  const content = await contained(inflated(bytes), undefined);
  const source = await openSource(content.bytes, content.type);
  const only = source.sample.items[0]?.value;
  const bundle = isObject(only) && only.meta !== undefined && only.trials !== undefined ? only : undefined;
  if (bundle) return [{ format: "bundle", results: bundleResults(bundle) }];
  const format = detectFormat(source.sample, "traces")?.format.name;
  if (format === "tau2") {
    const { items, header } = await light(source, "simulations");
    return [{ format, results: tau2Results({ ...header, simulations: items }) }];
  }
  if (format === "inspect") {
    const { items, header } = await light(source, "samples");
    return [{ format, results: inspectResults({ ...header, samples: items }) }];
  }
  if (format === "tau-bench") return [{ format, results: tauBenchResults((await light(source, "")).items) }];
  if (format === "agentdojo") {
    const { items } = await light(source, "");
    const byAgent = Map.groupBy(items, (one) => `${String(one.pipeline_name)}\n${String(one.suite_name)}`);
    return [...byAgent.values()].map((runs) => ({ format, results: agentdojoResults(runs) }));
  }
  return [];
}

/** The items without their transcripts, and what the file says beside them; a whole file on one line is taken apart. */
async function light(source: Source, member: string): Promise<{ items: Raw[]; header: Raw }> {
  const items: Raw[] = [];
  let header: Raw = {};
  for await (const piece of source.pieces()) {
    const item = itemOf(piece, source.sample.shape, () => {});
    const value = rawObject(item?.value);
    const { [member]: within, ...rest } = value;
    if (Array.isArray(within)) {
      header = { ...header, ...rest };
      items.push(...rawList(within).map((one) => withoutTranscript(rawObject(one))));
    } else items.push(withoutTranscript(value));
  }
  return { items, header: { ...header, ...source.header } };
}

function withoutTranscript(item: Raw): Raw {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) if (!TRANSCRIPT.includes(key)) kept[key] = value;
  return kept;
}

/** A run of this service: its own terms hold, and its verdicts are taken as they are. */
function bundleResults(given: Raw): ForeignResults {
  const read = RunBundle.partial().safeParse(given);
  const { meta, trials } = read.success ? read.data : {};
  if (!meta || !trials) throw unprocessable("The file looks like a run bundle and is none that can be read.");
  const tasks = new Map(meta.tasks.map((task) => [task.id, task]));
  const { player, tier, terms, created_at } = meta;
  return {
    domain: meta.label,
    agent: player.name,
    model: player.version,
    tier,
    terms: { base: terms.base, tools: terms.tools, limits: terms.limits ?? String(meta.timeout_seconds) },
    created_at,
    trials: trials.map(({ task, n, end, cause, checks, ms, usd }) => ({
      task,
      trial: n,
      asks: tasks.get(task)?.digest ?? null,
      checkedBy: tasks.get(task)?.checks ?? null,
      end,
      cause,
      checks,
      ms,
      usd,
      hasMessages: true,
    })),
  };
}

import { existsSync } from "node:fs";
import { named } from "../../chapters/count-of.ts";
import { AppError, badRequest } from "../../chapters/errors.ts";
import { comparisonMarkdown } from "../../chapters/runs/compare/compare-markdown.ts";
import type { Comparison } from "../../chapters/runs/compare/compare-types.ts";
import {
  compareRecorded,
  type RecordedArm,
  type RecordedComparison,
} from "../../chapters/runs/compare/recorded/compare-recorded.ts";
import type { GroupStatus } from "../../chapters/runs/groups/group-status.ts";
import { planSentence } from "../../chapters/runs/start/plan.ts";
import { DEFAULT_BANDS } from "../../chapters/statistics/bands.ts";
import { UsageError } from "../cli/arguments.ts";
import { refusalOf, withTools } from "../cli/connect.ts";
import type { Env } from "../cli/environment.ts";
import { writeOut } from "../cli/output.ts";
import { type FoundFile, findFiles } from "../evaluate/files.ts";
import { withPipesRead } from "../evaluate/pipes.ts";
import { recordedArms } from "../evaluate/recorded.ts";
import { type Gate, gateOf } from "./compare-gate.ts";
import { comparisonJunit } from "./compare-junit.ts";

/** A comparison as the service answers it, with how its groups stood. */
type Compared = Comparison & { readonly status: { readonly a: GroupStatus; readonly b: GroupStatus } };

/** What `svc compare` is asked for beside the two groups; files are paths. */
export interface CompareOptions {
  readonly gate?: boolean;
  readonly difference?: number;
  readonly junit?: string;
  readonly markdown?: string;
  readonly json?: boolean;
}

/**
 * `svc compare A B`, of two run groups or of two files or folders of recorded results: prints the verdict and what
 * showing a difference takes, and writes the reports asked for. With `gate` the exit status is the gate's, and 2 too
 * when the comparison could not be had; without it 0.
 */
export async function compareCommand(
  env: () => Promise<Env>,
  a: string,
  b: string,
  options: CompareOptions,
): Promise<number> {
  try {
    const found: Compared | RecordedComparison = isFile(a, b)
      ? await comparedFiles(a, b, options.difference)
      : await compared(await env(), a, b, options.difference);
    const gate = gateOf(found);
    if (options.markdown !== undefined) writeOut(options.markdown, markdown(found, gate));
    if (options.junit !== undefined) writeOut(options.junit, comparisonJunit(found, gate));
    const lines = [
      ...(isRecorded(found) ? ofPairing(found, a, b) : []),
      found.verdict,
      ...(found.plan ? [planSentence(found.plan)] : []),
      ...(options.gate && !found.verdict.startsWith(gate.sentence) ? [gate.sentence] : []),
    ];
    process.stdout.write(options.json ? `${JSON.stringify({ ...found, gate })}\n` : `${lines.join("\n")}\n`);
    return options.gate ? gate.code : 0;
  } catch (error) {
    if (!options.gate) throw error;
    // Whatever went wrong, a gate that could not look has not seen a regression, nor that there is none.
    const told = error instanceof AppError ? error.reason : error instanceof Error ? error.message : String(error);
    const names =
      error instanceof AppError ? (error.details.names ?? []).map((name) => ` ${JSON.stringify(name)}`) : [];
    process.stderr.write(`svc: ${told}${names.join("")}\n`);
    const sentence = "Cannot tell: there was nothing to compare.";
    process.stdout.write(options.json ? `${JSON.stringify({ gate: { code: 2, sentence } })}\n` : `${sentence}\n`);
    return 2;
  }
}

/** Whether files or folders are meant, as either word tells: ids of run groups are no paths that are there. */
function isFile(a: string, b: string): boolean {
  return [a, b].some((path) => existsSync(path) || /[/\\]|\.(?:json|jsonl|eval|gz)$/i.test(path));
}

/** Recorded results of two agents. Nothing is asked of a service. */
async function comparedFiles(a: string, b: string, difference: number | undefined): Promise<RecordedComparison> {
  return withPipesRead([a, b], async ([of = a, to = b]) => {
    // Both are looked for before either is read: one that is not there is told first.
    const [ofA, ofB] = [findFiles([of]).files, findFiles([to]).files];
    const [left, right] = [await armOf(a, ofA), await armOf(b, ofB)];
    const found = compareRecorded(left.arm, right.arm, DEFAULT_BANDS, difference);
    const without = [...left.without, ...right.without];
    const leftOut = without.length === 0 ? [] : [`Left out, for they hold no verdicts: ${named(without)}.`];
    return { ...found, notes: [...leftOut, ...found.notes] };
  }).catch((error: unknown) => {
    // No service was asked: what is refused is a file, and that has a status of its own.
    throw error instanceof AppError ? new UsageError(error.reason, error.details.names) : error;
  });
}

/** The one agent of a side, and the files of its folder that hold no verdicts. */
async function armOf(path: string, files: readonly FoundFile[]): Promise<{ arm: RecordedArm; without: string[] }> {
  const { arms, without } = await recordedArms(files);
  const [arm, ...more] = arms;
  if (arm && more.length === 0) return { arm, without: [...without] };
  if (!arm)
    throw new UsageError(
      "This holds no verdicts that can be compared. These do: results of tau2 and tau-bench, Inspect logs, AgentDojo runs, and run bundles (run_reexport).",
      [path],
    );
  throw new UsageError(
    "Each side is one agent, and this one holds results of several. Name the file or folder of one; svc evaluate tells them all.",
    [path, ...[arm, ...more].map((one) => one?.name ?? "")],
  );
}

function isRecorded(found: Compared | RecordedComparison): found is RecordedComparison {
  return "notes" in found;
}

/** What a reader must know of the pairing, and which side is `a` and which `b` where that is said of one of them. */
function ofPairing(found: RecordedComparison, a: string, b: string): string[] {
  const lines = [...found.notes, ...unpaired(found)];
  const sides = `a is ${a} (${found.a.name}), b is ${b} (${found.b.name}).`;
  return lines.some((line) => /\bOnly [ab]\b|\b(?:of|in) [ab]\b/.test(line)) ? [sides, ...lines] : lines;
}

/** What was not compared, by the reason. */
function unpaired({ refused }: Comparison): string[] {
  return [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, of]) => {
    const names = of.map(({ task }) => task.replace(/^[^:]*:[^:]*:/, ""));
    return `Not compared, ${of.length === 1 ? "1 task" : `${of.length} tasks`}: ${reason} (${named(names)})`;
  });
}

async function compared(env: Env, a: string, b: string, difference: number | undefined): Promise<Compared> {
  return withTools(env, "", async ({ call }) => {
    const args = {
      a,
      b,
      ...(difference === undefined ? {} : { difference }),
      ...(env.SVC_ORG ? { orgtag: env.SVC_ORG } : {}),
    };
    const { text, isError, structured } = await call("compare_runs", args);
    if (isError) throw badRequest(refusalOf({ text }));
    const answer = (structured as { body?: Compared } | undefined)?.body;
    if (!answer) throw badRequest("The service gave no answer that could be read.");
    return answer;
  });
}

function markdown(found: Comparison, gate: Gate): string {
  return `**Gate: ${gate.sentence}**\n\n${comparisonMarkdown(found)}`;
}

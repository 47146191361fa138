import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { unprocessable } from "../../chapters/errors.ts";
import { RECORDED_FORMATS } from "../../chapters/runs/compare/recorded/read-recorded.ts";
import { print, say } from "../cli/output.ts";
import { readConfig } from "../config.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import { evaluationPage } from "../pages/evaluation.ts";
import { requireCommands } from "./agent-commands.ts";
import { type Api, localApi } from "./api.ts";
import { compare } from "./compare.ts";
import { type FoundFile, findFiles, folderName, type Skipped, skippedTexts } from "./files.ts";
import { measureLive } from "./live.ts";
import { nextSteps } from "./next-steps.ts";
import { type EvaluateOptions, type NamedAgent, readOptions } from "./options.ts";
import { withPipesRead } from "./pipes.ts";
import { Stages } from "./progress.ts";
import { readFiles, seenText } from "./read-files.ts";
import { type RecordedRates, recordedArms, recordedRates } from "./recorded.ts";
import { type AgentRun, type EvaluationReport, percent, type ReadFile, recordedLines, verdictLines } from "./report.ts";
import { requireRoom } from "./room.ts";
import { type Sample, sample } from "./sample.ts";
import { build, connect, describeBundle, describeTasks, type Playing, runAgent, withWrongAnswers } from "./stages.ts";
import { UNRELIABLE, warningsOf } from "./warnings.ts";

/** `svc evaluate`: from trace files to a verdict and a page. Exit status 0 when finished, 3 where the verdict is unreliable. */
export async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  return withPipesRead(options.files, (files) => evaluateFiles({ ...options, files }));
}

async function evaluateFiles(options: EvaluateOptions): Promise<number> {
  const found = findFiles(options.files);
  requireCommands(options.agents);
  requireFolder(options.outDir);
  const config = readConfig(
    options.dataDir === undefined ? process.env : { ...process.env, SVC_DATA_DIR: resolve(options.dataDir) },
  );
  const clusterNode = new ClusterNode(config);
  try {
    const { org } = await localApi(clusterNode, "").call<{ org: string }>("whoami", {});
    const api = { ...localApi(clusterNode, org), requireRoom: () => requireRoom(config.dataDir) };
    const report = await evaluate(api, options, found);
    const page = await writePage(options.outDir, report);
    process.stdout.write(
      options.json
        ? `${JSON.stringify(report, told)}\n`
        : `${[...verdictLines(report), `page        ${page}`, "Next:", ...report.next.map((step) => `  ${step}`)].join("\n")}\n`,
    );
    return report.warnings.some(({ serious }) => serious) ? UNRELIABLE : 0;
  } catch (error) {
    // Whatever fails on a full disk fails by it.
    requireRoom(config.dataDir);
    throw error;
  } finally {
    await clusterNode.leave();
  }
}

/** Makes the folder of the page, before anything that takes long is done for it. */
function requireFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

/** Trials are in the page, and in the store that a program asks by run_trace. */
function told(key: string, value: unknown): unknown {
  return key === "opened" ? undefined : value;
}

async function writePage(folder: string, report: EvaluationReport): Promise<string> {
  const page = resolve(folder, "evaluation.html");
  writeFileSync(page, await evaluationPage(report));
  return page;
}

async function evaluate(
  api: Api,
  options: EvaluateOptions,
  found: ReturnType<typeof findFiles>,
): Promise<EvaluationReport> {
  const shown = found.files.length === 0 ? sample() : undefined;
  const { files } = shown === undefined ? found : findFiles(shown.files);
  const surface = options.surface ?? shown?.surface ?? folderName(options.files[0] ?? "");
  const progress = new Stages();
  const given = await progress.stage(
    "read",
    (tell) => readFiles(api, surface, files, shown === undefined ? undefined : "synthetic", tell),
    (all) => seenText(all.files, [...found.skipped, ...all.skipped]),
  );
  const { files: read } = given;
  const skipped: Skipped[] = [...found.skipped, ...given.skipped];
  for (const note of given.notes) say(`svc: ${note}`);
  for (const text of skippedTexts(skipped)) say(`svc: skipped ${text}`);
  if (read.every(({ traces }) => traces === 0))
    throw unprocessable(
      `The files hold no traces of an agent's sessions, so there is nothing to build: ${seenText(read, skipped)}. Send sessions with their tool calls and results; docs/formats.md lists what can be read.`,
    );
  const recorded = await recordedOf(found.files, read);
  // Told before the world is built, which takes a while.
  if (!options.json) print(...recordedLines(recorded));
  const built = await progress.stage(
    "build",
    (tell) => build(api, surface, tell, options),
    ({ environment }) => (environment === undefined ? "world; no task" : `world, environment, tasks and their review`),
  );
  const described = await describeBundle(api, built.bundle, read);
  const { bundle } = described;
  const { again, note, environment: drawn } = built;
  const { heldOut: measured } = described;
  const heldOut = measured && drawn !== undefined ? await withWrongAnswers(api, drawn, measured) : measured;
  const live =
    shown === undefined || drawn === undefined
      ? undefined
      : await progress.stage(
          "compare with the live desk",
          (tell) =>
            measureLive(api, { environment: drawn, surface }, (done, total) => tell("session", { done, total })),
          ({ counts }) => `${percent(counts.identical_volatile, counts.calls)} of ${counts.calls} calls answered alike`,
        );
  const written = await describeTasks(api, drawn);
  const { environment } = written;
  const tasks = {
    ...written.tasks,
    ...(again === undefined ? {} : { again }),
    ...(note === undefined || (again !== undefined && written.tasks.certified > 0) ? {} : { note }),
  };
  // Without a task there is nothing to play; the report says why, and what would help.
  const none = { all: [], compared: [] };
  const runs = drawn === undefined || tasks.certified === 0 ? none : await runAll(api, drawn, options, shown, progress);
  const [before, after] = runs.compared;
  const comparison =
    before && after
      ? await progress.stage(
          "compare",
          () => compare(api, before, after),
          ({ verdict }) => verdict,
        )
      : undefined;
  const judged = { files: read, skipped, bundle, tasks, runs: runs.all, ...(heldOut === undefined ? {} : { heldOut }) };
  return {
    title: `Evaluation of ${surface}`,
    made_at: Math.round(Date.now() / 1000),
    ...(shown === undefined ? {} : { invented: true }),
    files: read,
    ...(skipped.length === 0 ? {} : { skipped }),
    ...(recorded.length === 0 ? {} : { recorded }),
    surface,
    bundle,
    ...(environment === undefined ? {} : { environment }),
    ...(built.proposed === undefined ? {} : { proposed: built.proposed }),
    ...(heldOut === undefined ? {} : { heldOut }),
    ...(live === undefined ? {} : { live }),
    tasks,
    runs: runs.all,
    ...(comparison === undefined ? {} : { comparison }),
    warnings: warningsOf(judged),
    next: nextSteps({ surface, compared: runs.compared, dataDir: options.dataDir, ...judged }),
    seconds: progress.seconds,
  };
}

/** The agents whose rewards the files hold. What cannot be compared is no reason to end: its traces were read. */
async function recordedOf(files: readonly FoundFile[], read: readonly ReadFile[]): Promise<RecordedRates[]> {
  const held = new Set(read.filter(({ format }) => RECORDED_FORMATS.has(format)).map(({ name }) => name));
  const arms = recordedArms(files.filter(({ name }) => held.has(name)));
  return arms.then(
    (found) => recordedRates(found.arms),
    (error: unknown) => {
      say(`svc: the files' own rewards were not compared: ${Object(error).reason ?? error}`);
      return [];
    },
  );
}

/** The harnesses that every environment is tried with: one that must meet every task, one that must meet none, one that tries. */
const HARNESSES = ["reference", "null", "rule"] as const;

/** Runs the harnesses and the agents, one after the other. The last two agents are what is compared; without agents, nothing is. */
async function runAll(
  api: Api,
  environment: string,
  options: EvaluateOptions,
  shown: Sample | undefined,
  progress: Stages,
) {
  const agents =
    options.agents.length > 0 ? await connectNamed(api, options.agents) : shown ? await connectSample(api, shown) : [];
  const playing: { name: string; by: Playing }[] = [
    ...HARNESSES.map((harness) => ({ name: harness, by: { harness } })),
    ...agents,
  ];
  const limits = { trials: options.trials, timeout_seconds: options.timeoutSeconds };
  const all: AgentRun[] = [];
  for (const { name, by } of playing) {
    const done = await progress.stage(
      `run ${name}`,
      (tell) => runAgent(api, environment, name, by, limits, tell),
      ({ met, valid }) => `met ${met} of ${valid}`,
    );
    all.push(done);
  }
  return { all, compared: agents.length >= 2 ? all.slice(-2) : [] };
}

async function connectNamed(api: Api, agents: readonly NamedAgent[]): Promise<{ name: string; by: Playing }[]> {
  const connected = [];
  for (const agent of agents) connected.push({ name: agent.name, by: await connect(api, agent.name, agent) });
  return connected;
}

async function connectSample(api: Api, shown: Sample): Promise<{ name: string; by: Playing }[]> {
  const connected = [];
  for (const { version, ...agent } of shown.agent.versions) {
    connected.push({ name: agent.name, by: await connect(api, shown.agent.name, agent, version) });
  }
  return connected;
}

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Answer,
  type AppOptions,
  type Invoke,
  invoker,
  startApp,
  type TestApp,
  type TestOrg,
} from "../../helpers/app.ts";

const SAMPLE = new URL("../../../worlds/samples/desk/", import.meta.url);

/** Recorded sessions of the order desk: every n-th, so that all kinds of request are among them. */
export function deskTraces(every: number): unknown[] {
  const lines = readFileSync(new URL("traces.jsonl", SAMPLE), "utf8").trimEnd().split("\n");
  return lines.filter((_, i) => i % every === 0).map((line) => JSON.parse(line));
}

/** The desk's tools listing. */
export function deskTools(): unknown {
  return JSON.parse(readFileSync(new URL("tools.json", SAMPLE), "utf8"));
}

/** The answer of a call that must succeed. */
export async function ok(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  if (got.status >= 400) throw new Error(`${got.status}: ${JSON.stringify(got.body)}`);
  return got;
}

// biome-ignore lint/suspicious/noExplicitAny: a job's view; tests read fields of many.
type JobBody = any;

/** Polls a job until it has ended, and answers how it stands then. */
export async function ended(invoke: Invoke, job: string, as?: string): Promise<JobBody> {
  for (let i = 0; i < 1_200; i++) {
    const { body } = await ok(invoke("job_status", { job_id: job }, as));
    if (body.ended_at !== null) return body;
    await sleep(50);
  }
  throw new Error(`job ${job} did not end`);
}

/** Sends desk sessions and the tools listing as evidence of a surface, and runs its pipeline; answers the job's result. */
export async function buildDesk(invoke: Invoke, surface: string, every: number, as?: string): Promise<JobBody> {
  await ok(invoke("evidence_post", { surface, content: deskTraces(every) }, as));
  await ok(invoke("evidence_post", { surface, content: deskTools() }, as));
  const { body } = await ok(invoke("pipeline_post", { surface }, as));
  const job = await ended(invoke, body.job, as);
  if (job.status !== "landed") throw new Error(`the pipeline ended ${job.status}: ${job.note}`);
  return job.result;
}

/** One running service with an org per surface; `beforeAll` and `afterAll` of a test file start and end it. */
export class SharedApp {
  #app: TestApp | undefined;
  readonly #options: AppOptions;

  constructor(options: AppOptions = {}) {
    this.#options = options;
  }

  get app(): TestApp {
    if (!this.#app) throw new Error("the app has not been started");
    return this.#app;
  }

  start = async (): Promise<void> => {
    this.#app = await startApp(this.#options);
  };

  close = async (): Promise<void> => {
    await this.#app?.close();
  };

  /** The org of one surface, and calls over that surface with its admin token unless told otherwise. */
  async on(surface: "mcp" | "rest"): Promise<{ app: TestApp; org: TestOrg; invoke: Invoke }> {
    const org = await this.app.org(`over-${surface}`);
    return { app: this.app, org, invoke: invoker(this.app, surface, org) };
  }
}

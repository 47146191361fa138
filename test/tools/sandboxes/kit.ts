import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  type Answer,
  type AppOptions,
  type Invoke,
  onBoth,
  startApp,
  type TestApp,
  type TestOrg,
} from "../../helpers/app.ts";
import { lengtheningPauses } from "../../helpers/run/pauses.ts";
import { type ShopOrg, shopIn } from "../runs/kit.ts";

const SAMPLE = new URL("../../../worlds/samples/desk/", import.meta.url);

/**
 * Recorded sessions of the order desk: every n-th, so that all kinds of request are among them. Compiling every one, 12th
 * or 24th as `desk` with its listing, sent by `sendDesk`, is done once for all tests of a run.
 */
export function deskTraces(every: number): unknown[] {
  return deskLines(every)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

/** The same as they stand in their file. Evidence is known by its bytes: what is sent so is compiled once for all tests. */
export function deskLines(every: number): string {
  const lines = read("traces.jsonl").trimEnd().split("\n");
  return lines
    .filter((_, i) => i % every === 0)
    .map((line) => `${line}\n`)
    .join("");
}

/** The desk's tools listing. */
export function deskTools(): unknown {
  return JSON.parse(read("tools.json"));
}

const read = (name: string) => readFileSync(new URL(name, SAMPLE), "utf8");

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
  for (const pause = lengtheningPauses(); ; await pause()) {
    const { body } = await ok(invoke("job_status", { job_id: job }, as));
    if (body.ended_at !== null) return body;
  }
}

/** Sends desk sessions and the tools listing as evidence of a surface. */
export async function sendDesk(invoke: Invoke, surface: string, every: number, as?: string): Promise<void> {
  for (const content of [deskLines(every), read("tools.json")])
    await ok(invoke("evidence_post", { surface, content }, as));
}

/** Sends them, and runs the surface's pipeline; answers the job's result. */
export async function buildDesk(invoke: Invoke, surface: string, every: number, as?: string): Promise<JobBody> {
  await sendDesk(invoke, surface, every, as);
  const { body } = await ok(invoke("pipeline_post", { surface }, as));
  const job = await ended(invoke, body.job, as);
  if (job.status !== "landed") throw new Error(`the pipeline ended ${job.status}: ${job.note}`);
  return job.result;
}

/** One running service for the tests of a file. */
export interface SharedApp {
  readonly app: TestApp;
  /** An org, and calls over MCP and REST (`onBoth`) with its admin token unless told otherwise; they hold once tests run. */
  over(): OrgOver;
}

export interface OrgOver {
  readonly org: TestOrg;
  readonly invoke: Invoke;
  store(): ReturnType<TestApp["service"]["store"]["forOrg"]>;
}

/** Starts a service before the tests of a file, and ends it after them. */
export function sharedApp(options: AppOptions = {}): SharedApp {
  let started: TestApp | undefined;
  beforeAll(async () => {
    started = await startApp(options);
  });
  afterAll(() => started?.close());
  const shared = {
    get app(): TestApp {
      if (!started) throw new Error("the app has not been started");
      return started;
    },
    over(): OrgOver {
      const org = {} as TestOrg;
      let call: Invoke;
      beforeAll(async () => {
        Object.assign(org, await shared.app.org());
        call = onBoth(shared.app, org);
      });
      return { org, invoke: (...args) => call(...args), store: () => shared.app.service.store.forOrg(org.id) };
    },
  };
  return shared;
}

export interface FreshShop extends OrgOver {
  readonly made: ShopOrg & { readonly label: string };
  /** Calls about the shop's environment. */
  readonly on: Invoke;
}

/** A shop of so many certified tasks, another one before each test; its label starts with the name. */
export function shopEachTest(shared: SharedApp, tasks: number, name: string): FreshShop {
  const over = shared.over();
  const made = {} as FreshShop["made"];
  let n = 0;
  beforeEach(async () => {
    const label = `${name} ${++n}`;
    Object.assign(made, { label }, await shopIn(shared.app.service, over.org.id, tasks, label));
  });
  return { ...over, made, on: (tool, args, as) => over.invoke(tool, { env_id: made.environment, ...args }, as) };
}

import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../chapters/errors.ts";
import type { ToolsClient } from "../commands/tools-client.ts";
import { refusalOf, withTools } from "./connect.ts";
import type { Env } from "./environment.ts";
import { print, printJson, progress } from "./output.ts";

/** How `svc watch` follows: `timeout` in seconds, for ever when absent. */
export interface WatchOptions {
  readonly timeout?: number;
  readonly json?: boolean;
}

interface Watched {
  readonly kind: string;
  readonly status: string;
  readonly done: number;
  readonly total: number | null;
  readonly message: string | null;
}

const FIRST_MS = 200;
const LONGEST_MS = 2_000;
/** A job as it may end. */
const ENDED = new Set(["landed", "partial", "failed", "stopped", "cancelled"]);
/** How the command ends: as the job did, or with the job not at its end. */
const LANDED = 0;
const NOT_LANDED = 1;
const NOT_ENDED = 3;

/**
 * `svc watch JOB|GROUP`: follows a job, a run or a run group until it ends, and prints how it ended; of a run group its
 * rates too. 0 when it landed, 1 when it ended otherwise, 3 when it is held or did not end in time.
 */
export async function watchCommand(env: Env, id: string, { timeout, json = false }: WatchOptions): Promise<number> {
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout * 1000;
  return withTools(env, "", async ({ call }) => {
    const shown = progress("asking");
    try {
      for (let pause = FIRST_MS; ; pause = Math.min(LONGEST_MS, pause * 1.5)) {
        const { text, body } = await asked(call, "job_status", { job_id: id });
        const job = body as Watched;
        if (ENDED.has(job.status) || job.status === "held" || Date.now() >= until) {
          shown.end();
          const rates = job.kind === "run_group" && ENDED.has(job.status) ? await ratesOf(env, call, id) : undefined;
          if (json) printJson(rates === undefined ? job : { ...job, group: rates.body });
          else print(firstLine(text), ...(rates === undefined ? [] : [firstLine(rates.text)]));
          if (!ENDED.has(job.status)) return NOT_ENDED;
          return job.status === "landed" ? LANDED : NOT_LANDED;
        }
        shown.tell(far(job));
        await sleep(Math.min(pause, Math.max(0, until - Date.now())));
      }
    } finally {
      shown.end();
    }
  });
}

function ratesOf(env: Env, call: ToolsClient["call"], gid: string) {
  return asked(call, "run_group", { gid, ...(env.SVC_ORG ? { orgtag: env.SVC_ORG } : {}) });
}

async function asked(call: ToolsClient["call"], tool: string, args: Record<string, unknown>) {
  const answer = await call(tool, args);
  if (answer.isError)
    throw new AppError("not_found", `${refusalOf(answer)} See what there is: svc call jobs_list live=true`);
  return { text: answer.text, body: (answer.structured as { body?: unknown } | undefined)?.body };
}

function far({ status, done, total, message }: Watched): string {
  const work = [total === null ? "" : `${done} of ${total}`, message ?? ""].filter(Boolean).join(" ");
  return [status, work].filter(Boolean).join(", ");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

import { setTimeout as sleep } from "node:timers/promises";
import type { PgBoss } from "pg-boss";
import type { Log } from "../../../chapters/context.ts";
import type { JobHands, JobQueue, WaitingJob } from "./port.ts";

/** Where pg-boss keeps its tables: apart from the store's own. */
const SCHEMA = "svc_queue";
/** How often rows are looked through that no message led to, milliseconds: after a killed worker, a cut connection. */
const SWEEP_MS = 3_000;
/** How often a worker asks for messages where notifications do not come through, and where they do, seconds. */
const POLL_S = 2;
const BACKSTOP_S = 30;
/** The longest a message is held while its worker has no room for another, seconds; pg-boss takes less than a day. */
const HELD_S = 23 * 3600;
/** A message whose worker is silent for so long is given to another, seconds. */
const SILENT_S = 30;
/** How long to wait before the queue is tried again when it could not be begun, milliseconds. */
const AGAIN_MS = 2_000;

/** A process's part in the shared queue. */
export interface SharedQueueOptions {
  readonly url: string;
  /** The kinds of jobs; each has a queue of its own. */
  readonly kinds: readonly string[];
  readonly log: Log;
}

/**
 * The queue of several servers over one PostgreSQL: a message of pg-boss names a row, its notification wakes a worker,
 * and the worker that takes the row by its lease runs it. A worker holds one message of a kind at a time and only while
 * it has room, so that those with room get the others.
 */
export function sharedQueue({ url, kinds, log }: SharedQueueOptions): JobQueue {
  const sending = new Set<Promise<unknown>>();
  let hands: JobHands | undefined;
  let sweep: NodeJS.Timeout | undefined;
  let closed = false;
  let stands = false;
  let boss: Promise<PgBoss | undefined> | undefined;

  const open = async (): Promise<PgBoss> => {
    const { PgBoss } = await import("pg-boss");
    const made = new PgBoss({
      connectionString: url,
      application_name: "proving-ground-queue",
      schema: SCHEMA,
      max: 3,
      schedule: false,
      supervise: hands !== undefined,
      superviseIntervalSeconds: SILENT_S,
      useListenNotify: hands !== undefined,
    });
    made.on("error", (err) => log.error({ err }, "the job queue met an error"));
    try {
      await made.start();
      await makeQueues(made);
      return made;
    } catch (error) {
      // It is tried again with connections of its own.
      await made.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
  };
  const makeQueues = async (made: PgBoss): Promise<void> => {
    const there = new Set((await made.getQueues()).map(({ name }) => name));
    for (const kind of kinds) {
      if (there.has(kind)) continue;
      // One message at most waits for a row. Rows count attempts: a message is given again as often as it takes.
      await made.createQueue(kind, {
        policy: "short",
        notify: true,
        retryLimit: 1_000,
        retryDelay: 1,
        expireInSeconds: HELD_S,
        heartbeatSeconds: SILENT_S,
        deleteAfterSeconds: 3_600,
      });
    }
  };
  /** The queue once it stands; undefined when this process ended before it did. */
  const ready = () => {
    boss ??= (async () => {
      while (!closed) {
        try {
          const made = await open();
          stands = true;
          return made;
        } catch (err) {
          log.error({ err }, "the job queue could not be begun");
          await sleep(AGAIN_MS, undefined, { ref: false });
        }
      }
      return undefined;
    })();
    return boss;
  };
  const work = async (taker: JobHands) => {
    const queue = await ready();
    for (const kind of kinds) {
      if (!queue || closed) return;
      const options = { pollingIntervalSeconds: POLL_S, notifyPollingIntervalSeconds: BACKSTOP_S };
      const id: string = await queue.work<WaitingJob>(kind, options, async ([message]) => {
        if (message) await taker.offer(message.data);
        // There is room again: it asks for the next one at once.
        queue.notifyWorker(id);
      });
    }
  };
  const send = async ({ org, id, kind }: WaitingJob) => {
    try {
      await (await ready())?.send(kind, { org, id, kind }, { singletonKey: `${org}/${id}` });
    } catch (err) {
      log.warn({ err, job: id }, "a job could not be announced; it is found by looking");
    }
  };
  return {
    announce(job) {
      const sent = send(job);
      sending.add(sent);
      void sent.finally(() => sending.delete(sent));
    },
    begin(given) {
      hands = given;
      sweep = setInterval(() => void given.look(), SWEEP_MS).unref();
      void given.look();
      work(given).catch((err: unknown) => log.error({ err }, "the job queue could not be worked"));
    },
    freed() {},
    async close() {
      clearInterval(sweep);
      // What waits for a queue that does not stand yet is not waited for: rows are found by looking.
      if (stands) await Promise.all(sending);
      closed = true;
      await (await boss)?.stop({ graceful: false });
    },
  };
}

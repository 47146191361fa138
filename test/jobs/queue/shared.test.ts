import { expect, test } from "vitest";
import { sharedQueue } from "../../../src/jobs/queue/shared.ts";
import { silent } from "../kit.ts";

test("a queue whose database cannot be reached closes although something was announced", async () => {
  const errors: unknown[] = [];
  const log = { ...silent, error: (fields: object) => void errors.push(fields) };
  const queue = sharedQueue({ url: "postgres://svc@127.0.0.1:1/none", kinds: ["work"], log });
  queue.announce({ org: "org_1", id: "job_1", kind: "work" });
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  await queue.close();
});

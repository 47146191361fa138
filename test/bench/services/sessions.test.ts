import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ASIDE } from "../../../bench/services/aside/index.ts";
import { INVENTED } from "../../../bench/services/index.ts";
import { sessionsOf, writeService } from "../../../bench/services/sessions.ts";
import { readTools, readTraces } from "../../../src/fidelity/traces.ts";

describe.each([...INVENTED, ...ASIDE].map((service) => [service.name, service] as const))(
  "sessions of the invented service %s",
  (_, service) => {
    const splits = sessionsOf(service);
    const tasks = (split: keyof typeof splits) => new Set(splits[split].map(({ task }) => task));
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "services-"));
      writeService(folder, service);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it("are the same each time they are made", () => {
      expect(sessionsOf(service)).toEqual(splits);
    });

    it("keep new tasks out of training, and repeat trained ones by another agent", () => {
      const trained = tasks("train/sessions");
      expect([...tasks("test/new-tasks")].filter((task) => trained.has(task))).toEqual([]);
      expect([...tasks("test/same-tasks")].filter((task) => !trained.has(task))).toEqual([]);
      const ids = Object.entries(splits).flatMap(([split, sessions]) =>
        split === "train-small/sessions" ? [] : sessions.map(({ id }) => id),
      );
      expect(new Set(ids).size).toBe(ids.length);
      expect(splits["train-small/sessions"].every((session) => splits["train/sessions"].includes(session))).toBe(true);
    });

    it("use every tool, and are refused at times", () => {
      const turns = splits["train/sessions"].flatMap((session) => session.turns);
      expect(new Set(turns.map(({ tool }) => tool))).toEqual(new Set(service.tools.map(({ name }) => name)));
      const refused = turns.filter(({ refused }) => refused);
      expect(refused.length).toBeGreaterThan(turns.length / 50);
      expect(refused.length).toBeLessThan(turns.length / 2);
    });

    it("are read back from what is written with every call, task and listing", async () => {
      const own = join(folder, service.name);
      expect(readdirSync(join(own, "test")).sort()).toEqual(["new-tasks.jsonl", "same-tasks.jsonl"]);
      const { traces } = await readTraces([join(own, "train")], () => {});
      const calls = traces.reduce((sum, { calls }) => sum + calls.length, 0);
      expect(calls).toBe(splits["train/sessions"].reduce((sum, { turns }) => sum + turns.length, 0));
      expect(new Set(traces.map(({ group }) => group)).size).toBe(tasks("train/sessions").size);
      expect((await readTools(join(own, "tools.json"))).map(({ name }) => name).sort()).toEqual(
        service.tools.map(({ name }) => name).sort(),
      );
    });
  },
);

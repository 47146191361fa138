import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isLive } from "../../src/cli/output.ts";
import { findFiles } from "../../src/evaluate/files.ts";
import { nextSteps } from "../../src/evaluate/next-steps.ts";
import { farText } from "../../src/evaluate/progress.ts";
import { Estimate, remainingText } from "../../src/jobs/estimate.ts";

describe("an estimate of what is left", () => {
  it("is what was done carried on, and none where too little was done to tell", () => {
    const estimate = new Estimate();
    expect(estimate.remaining({ done: 0, total: 60 }, 0)).toBeUndefined();
    expect(estimate.remaining({ done: 5, total: 60 }, 2_000)).toBeUndefined();
    expect(estimate.remaining({ done: 20, total: 60 }, 10_000)).toBe(20_000);
    expect(estimate.remaining({ done: 60, total: 60 }, 30_000)).toBeUndefined();
  });

  it("begins anew with the next part of a stage, whose pace is another", () => {
    const estimate = new Estimate();
    estimate.remaining({ done: 0, total: 60 }, 0);
    estimate.remaining({ done: 59, total: 60 }, 600_000);
    expect(estimate.remaining({ done: 1, total: 10 }, 601_000)).toBeUndefined();
    expect(estimate.remaining({ done: 6, total: 10 }, 606_000)).toBe(4_000);
    // The same size once more, from its start.
    expect(estimate.remaining({ done: 0, total: 10 }, 700_000)).toBeUndefined();
    expect(estimate.remaining({ done: 5, total: 10 }, 705_000)).toBe(5_000);
  });

  it("is told in words", () => {
    expect(remainingText(39_200)).toBe("about 40 s left");
    expect(remainingText(170_000)).toBe("about 3 min left");
    expect(farText({ done: 3, total: 60 })).toBe("3 of 60");
    expect(farText({ done: 129, total: 1000, bytes: true })).toBe("12 %");
    expect(farText({ done: 0, total: 0, bytes: true })).toBe("0 %");
  });
});

it("a line is written again in its place on a terminal that has a width, and nowhere else", () => {
  // `script`, `docker run -t` and CI give a terminal of 0 columns: the line was rubbed out without an end.
  expect([0, 80].map((columns) => isLive({ isTTY: true, columns }))).toEqual([false, true]);
  expect(isLive({ isTTY: false, columns: 80 })).toBe(false);
});

describe("the files of a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // Finding E12.
  it("are those of the folders below it too, each once, without hidden ones and without going round in links", () => {
    mkdirSync(join(folder, "b", "c"), { recursive: true });
    mkdirSync(join(folder, ".git"));
    for (const name of ["z.json", "b/a.json", "b/c/a.json", ".git/a.json"]) writeFileSync(join(folder, name), "{}");
    symlinkSync(folder, join(folder, "b", "again"));
    symlinkSync(join(folder, "z.json"), join(folder, "b", "linked.json"));
    const { files, skipped } = findFiles([folder, join(folder, "z.json")]);
    expect(files.map(({ name }) => name)).toEqual(["b/a.json", "b/c/a.json", "b/linked.json", "z.json"]);
    expect(files.map(({ bytes }) => bytes)).toEqual([2, 2, 2, 2]);
    expect(skipped).toEqual([]);
  });

  it("are none where nothing in it can be opened, and it is said why", () => {
    const none = join(folder, "none");
    mkdirSync(none);
    expect(() => findFiles([none])).toThrow("The folder holds no files.");
    symlinkSync(join(folder, "gone"), join(none, "link"));
    expect(() => findFiles([none])).toThrow("The folder holds no files to read: the link leads to no file.");
  });
});

it("the next steps name the data folder where it is no usual one, as a shell reads it", () => {
  const steps = nextSteps({ files: [], surface: "it's mine", compared: [], dataDir: "my data" });
  expect(steps[0]).toMatch(/^SVC_DATA_DIR='my data' svc serve: /);
  expect(steps[1]).toContain('svc evaluate FILES --agent "old=COMMAND"');
  expect(steps[2]).toContain("svc push MORE_FILES --surface 'it'\\''s mine': ");
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { remembered, written } from "./compute.ts";
import { RESULTS } from "./results-folder.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "results-"));
  vi.stubEnv(RESULTS, folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("knows an input again, however the engine holds its values, and tells apart what is not the same", async () => {
  const sums = [0.5];
  sums[0] = (sums[0] ?? 0) + 0.5;
  const row = { id: "B-1" };
  const wide = "B-1 \u4e00".slice(0, 3);
  let made = 0;
  const ask = (input: unknown) => remembered("count", input, () => ++made);
  expect(await ask({ sums: [1], rows: [{ id: "B-1" }, { id: "B-1" }] })).toBe(1);
  expect(await ask({ sums, rows: [row, row] })).toBe(1);
  expect(await ask({ sums, rows: [{ id: wide }, row] })).toBe(1);
  const apart = [
    null,
    undefined,
    Number.NaN,
    {},
    [],
    new Map([[1, 2]]),
    new Set([1]),
    new Uint8Array([1]),
    [[1, 2]],
    [1],
  ];
  expect(new Set(apart.map((value) => written([value]))).size).toBe(apart.length);
});

it("makes once what is asked for while it is made, and again after a failure", async () => {
  const start = Promise.withResolvers<string>();
  let made = 0;
  const make = () => {
    made += 1;
    return start.promise;
  };
  const first = remembered("slow", 1, make);
  const second = remembered("slow", 1, make);
  const stopped = new AbortController();
  const third = remembered("slow", 1, make, stopped.signal);
  stopped.abort(new Error("stopped"));
  await expect(third).rejects.toThrow("stopped");
  start.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await expect(second).rejects.toThrow("broken");
  expect(made).toBe(2);
  expect(await remembered("slow", 1, () => "made")).toBe("made");
  expect(await remembered("slow", 1, make)).toBe("made");
  expect(readdirSync(folder)).toHaveLength(1);
});

it("makes what another process was making when it ended", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await remembered("left", 1, () => "made");
  const [name = ""] = readdirSync(folder);
  rmSync(join(folder, name));
  writeFileSync(join(folder, `${name}.claim`), String(pid));
  expect(await remembered("left", 1, () => "made again")).toBe("made again");
  expect(readdirSync(folder)).toEqual([name]);
});

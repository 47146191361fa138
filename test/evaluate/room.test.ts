import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemFailure } from "../../src/cli/system-failure.ts";
import type { Api } from "../../src/evaluate/api.ts";
import { requireRoom } from "../../src/evaluate/room.ts";
import { build } from "../../src/evaluate/stages.ts";
import { svcHere } from "../cli/svc-here.ts";

const full = () => requireRoom(tmpdir(), () => ({ bavail: 3, bsize: 4096 }));

it("a folder on a full disk is told in one sentence; one with room, or that is not there yet, is not", () => {
  expect(() => requireRoom(tmpdir(), () => ({ bavail: 1e6, bsize: 4096 }))).not.toThrow();
  expect(() => requireRoom("/nowhere/at/all", () => ({ bavail: 0, bsize: 4096 }))).not.toThrow();
  let thrown: unknown;
  try {
    full();
  } catch (error) {
    thrown = error;
  }
  expect(systemFailure(thrown)).toMatch(/^The disk is full .*Free some space and do it again/);
});

it("a store that has grown to the limit of a file is told in one sentence, below it it is not", () => {
  const folder = mkdtempSync(join(tmpdir(), "room-"));
  const look = () => ({ bavail: 1e6, bsize: 4096 });
  try {
    writeFileSync(join(folder, "store.db-wal"), "x".repeat(10_000));
    expect(() => requireRoom(folder, look, 100_000)).not.toThrow();
    let thrown: unknown;
    try {
      requireRoom(folder, look, 70_000);
    } catch (error) {
      thrown = error;
    }
    expect(systemFailure(thrown)).toMatch(/^The file ".*store\.db-wal" has grown .*Raise the limit \(ulimit -f\)/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("a job whose end the disk cannot take is not waited for", async () => {
  const call = async (name: string) =>
    name === "pipeline_post" ? { job: "job_1" } : { status: "running", message: null, done: 0, total: null };
  const api = { call, send: call, requireRoom: full } as unknown as Api;
  await expect(build(api, "desk", () => {})).rejects.toMatchObject({ code: "ENOSPC" });
});

it("a place that takes no page is told before anything is read", async () => {
  const home = mkdtempSync(join(tmpdir(), "out-"));
  try {
    for (const name of ["file", "traces.json"]) writeFileSync(join(home, name), "{}");
    const args = ["evaluate", join(home, "traces.json"), "--out", join(home, "file", "out")];
    const { code, stderr } = await svcHere(args, { HOME: home });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^svc: A file stands where a folder is needed/)]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

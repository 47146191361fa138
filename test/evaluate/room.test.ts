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

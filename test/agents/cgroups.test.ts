import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TrialGroups } from "../../src/agents/isolation/cgroups.ts";

const LIMITS = { memoryBytes: 2 ** 30, processes: 40, diskBytes: 2 ** 20 };
const ALL_MEMORY = 2 ** 30 + 2 ** 20 + 64 * 2 ** 20;
/** The folder of the newest group; that of a first try stays here, since an ordinary folder with files in it is not removed. */
const made = (folder: string) => {
  const groups = readdirSync(folder).filter((name) => name.startsWith("svc-trial-"));
  return join(folder, groups.find((name) => readFileSync(join(folder, name, "pids.max"), "utf8") === "42") ?? "none");
};
const held = (folder: string, file: string) => readFileSync(join(made(folder), file), "utf8");

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "groups-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("a delegated group of version 2 has trials beside the service, each with its limits", () => {
  const service = join(root, "svc.service");
  mkdirSync(join(service, "main"), { recursive: true });
  writeFileSync(join(service, "cgroup.subtree_control"), "");
  const mounts = `35 24 0:30 / ${root} rw - cgroup2 cgroup2 rw,nsdelegate`;
  const groups = TrialGroups.open("0::/svc.service/main\n", mounts);
  expect(readFileSync(join(service, "cgroup.subtree_control"), "utf8")).toBe("+memory +pids");
  const group = groups?.make(LIMITS);
  expect(held(service, "memory.max")).toBe(String(ALL_MEMORY));
  expect(held(service, "memory.oom.group")).toBe("1");
  expect(held(service, "pids.max")).toBe("42");
  expect(group?.enter.at(-1)).toBe(made(service));
  expect(group?.excess()).toBeUndefined();
  writeFileSync(join(made(service), "memory.events"), "oom 1\noom_kill 0\n");
  writeFileSync(join(made(service), "pids.events"), "max 0\n");
  expect(group?.excess()).toBeUndefined();
  writeFileSync(join(made(service), "pids.events"), "max 3\n");
  expect(group?.excess()).toBe("processes");
  writeFileSync(join(made(service), "memory.events"), "oom 1\noom_kill 1\n");
  expect(group?.excess()).toBe("memory");
});

it("version 1 has a group for memory and one for processes below those of the service", () => {
  for (const folder of ["memory/own", "pids"]) mkdirSync(join(root, folder), { recursive: true });
  const mounts = [
    `35 31 0:32 / ${root}/memory rw - cgroup cgroup rw,memory`,
    `39 31 0:36 / ${root}/pids rw - cgroup cgroup rw,pids`,
  ].join("\n");
  const group = TrialGroups.open("8:pids:/\n4:memory:/own\n0::/\n", mounts)?.make(LIMITS);
  const [memory = "", pids = ""] = group?.enter.slice(-2) ?? [];
  expect(pids).toBe(made(join(root, "pids")));
  expect(memory).toBe(join(root, "memory/own", basename(pids)));
  expect(readFileSync(join(memory, "memory.limit_in_bytes"), "utf8")).toBe(String(ALL_MEMORY));
});

it("where groups cannot be made there are none", () => {
  const mounts = `35 24 0:30 / ${root} ro - cgroup2 cgroup2 rw`;
  expect(TrialGroups.open("0::/gone.service/main\n", mounts)).toBeUndefined();
  expect(TrialGroups.open("0::/\n", mounts)).toBeUndefined();
  expect(TrialGroups.open("8:pids:/\n4:memory:/gone\n", "")).toBeUndefined();
  expect(TrialGroups.open("", "")).toBeUndefined();
});

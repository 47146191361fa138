import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { VisibleFolders } from "../../src/agents/isolation/visible-folders.ts";

/** Longer than any look at a system's folders is believed. */
const LATER_MS = 3_600_000;
const NOTHING_NAMED = { command: [], env: {} };

let system = "";
beforeEach(() => {
  system = realpathSync(mkdtempSync(join(tmpdir(), "system-")));
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(system, { recursive: true, force: true });
});

function hidden(places: VisibleFolders, shown: readonly string[] = []) {
  const mounts = places.mounts(NOTHING_NAMED, shown);
  const after = (option: string) => mounts.flatMap((word, i) => (word === option ? [mounts[i + 1]] : []));
  const files = mounts.flatMap((word, i) => (word === "/dev/null" ? [mounts[i + 1]] : []));
  return { files, folders: after("--tmpfs"), closed: after("--remount-ro") };
}

const places = (folders: readonly string[] = []) =>
  new VisibleFolders({ folders, areas: [], searched: [system] }, { folders: [], local: true });
const secret = (...path: string[]) => {
  const at = join(system, ...path);
  writeFileSync(at, "secret", { mode: 0o600 });
  return at;
};

it("a secret that was made while the service runs is hidden, and one that has gone keeps no trial from its start", () => {
  const first = secret("first.key");
  const visible = places();
  expect(hidden(visible).files).toEqual([first]);
  rmSync(first);
  expect(hidden(visible).files).toEqual([]);
  const second = secret("second.key");
  vi.advanceTimersByTime(LATER_MS);
  expect(hidden(visible).files).toEqual([second]);
});

it("a data folder in a folder that others may not read is hidden with it", () => {
  const own = join(system, "own");
  const data = join(own, "data");
  mkdirSync(own, { mode: 0o700 });
  mkdirSync(data);
  secret("own", "data", "store.db");
  // What lies in a hidden folder is not there to be covered or closed.
  expect(hidden(places([data]))).toEqual({ files: [], folders: [own], closed: [own] });
});

it("what a large folder holds beyond what is looked at is hidden whole", () => {
  const large = join(system, "large");
  mkdirSync(large);
  for (let i = 0; i < 20_001; i++) writeFileSync(join(large, String(i)), "");
  const key = secret("key");
  expect(hidden(places())).toEqual({ files: [key], folders: [large], closed: [large] });
});

import { readdirSync, readFileSync } from "node:fs";

/** A process that is ended may have started another the moment before: the walk is made again until it finds none. */
const WALKS = 8;
/** Near this end of their range process ids begin again from the bottom. */
const WRAP = 50_000;

let highest: number | undefined;

/**
 * Ends what a trial's processes left running outside their process group: on Linux every process that still has the
 * trial's token in the environment it was started with. `leader` is the id of the first process of the trial: nothing
 * older is looked at. A process that was started with another environment is not found. Never throws.
 */
export function endLeftovers(token: string, leader: number): void {
  if (process.platform !== "linux" || token === "") return;
  const marker = Buffer.from(`SVC_TRIAL_MCP_TOKEN=${token}\0`);
  for (let walk = 0; walk < WALKS; walk++) if (!walked(marker, leader)) return;
}

/** Whether any was found. */
function walked(marker: Buffer, leader: number): boolean {
  let found = false;
  for (const pid of younger(leader))
    try {
      if (!readFileSync(`/proc/${pid}/environ`).includes(marker)) continue;
      process.kill(pid, "SIGKILL");
      found = true;
    } catch {
      // It has gone, or is somebody else's.
    }
  return found;
}

function younger(leader: number): number[] {
  try {
    highest ??= Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
    const from = highest - leader < WRAP ? 2 : leader;
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid >= from && pid !== process.pid);
  } catch {
    return [];
  }
}

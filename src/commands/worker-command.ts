import { printJson, say } from "../cli/output.ts";
import { type Config, ConfigError } from "../config.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import { untilStopSignal } from "./commands.ts";

/**
 * `svc worker`: runs jobs and schedules until it is asked to end; what runs then goes back to the queue. It listens on
 * loopback alone, for the worlds of its own trials. With `json` standard output says where it works, once it does.
 */
export async function workerCommand(config: Config, json: boolean): Promise<void> {
  // A worker answers nobody: it holds no service-wide token, even where its settings have one.
  const clusterNode = new ClusterNode({ ...config, operatorToken: undefined });
  try {
    if ((await clusterNode.place).kind === "follower")
      throw new ConfigError(
        "Another process has this data folder: give this worker a folder of its own (SVC_DATA_DIR), and the same SVC_KEY.",
      );
    // Who reads that it works may ask it to end at once.
    const asked = untilStopSignal();
    if (json) printJson({ working: true, data_dir: config.dataDir });
    else say(`Working on the jobs of the database, from ${config.dataDir}`);
    await asked;
  } finally {
    await clusterNode.leave();
  }
}

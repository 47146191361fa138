import { resolve } from "node:path";
import { conflict } from "../../chapters/errors.ts";
import { offeredModel } from "../../chapters/models/spend.ts";
import { type Asking, askForPrograms, type ProposalResult } from "../../chapters/sandboxes/proposals/ask.ts";
import type { Outcome } from "../../worlds/propose/way.ts";
import { readConfig } from "../config.ts";
import type { EvaluationReport } from "../evaluate/report.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import type { FidelityOptions } from "./options.ts";

/**
 * Asks a model for programs, as the person at this machine: under the budget of the data folder's workspace, where the
 * cost is written down. Throws AppError `conflict` while another process holds the folder.
 */
export async function askModel(
  { model = "", usdCap, dataDir }: FidelityOptions,
  inputs: Pick<Asking, "name" | "traces" | "tools" | "records">,
): Promise<ProposalResult> {
  const { localCaller } = await import("../service/workspace.ts");
  const clusterNode = new ClusterNode(
    readConfig(dataDir === undefined ? process.env : { ...process.env, SVC_DATA_DIR: resolve(dataDir) }),
  );
  try {
    const place = await clusterNode.place;
    if (place.kind === "follower")
      throw conflict(
        "Another process uses the data folder, and model calls count against its budget. End it, or name another folder with --data.",
      );
    const caller = await localCaller(place.service);
    if (caller.org === undefined) throw conflict("The data folder has no org.");
    const signal = new AbortController().signal;
    const ctx = place.service.host.orgCtx(caller, caller.org, { credential: { caller }, args: {}, signal });
    offeredModel(ctx, model);
    return await askForPrograms(ctx, { ...inputs, policies: [], model, usdCap });
  } finally {
    await clusterNode.leave();
  }
}

/** What was asked and what was taken of it, as it is told. */
export function reportOf(
  asked: ProposalResult,
  outcome: Outcome | undefined,
): NonNullable<EvaluationReport["proposed"]> {
  const { model, rounds, usd, note } = asked;
  return {
    ...{ model, rounds, usd, tier: "llm-derived" },
    taken: outcome?.taken ?? false,
    reason: outcome?.reason ?? note ?? "Nothing was proposed that could be replayed.",
    tools: (outcome?.verdicts ?? []).map((verdict) => ({ ...verdict })),
    cut: [...(outcome?.cut ?? [])],
    ...(note === undefined ? {} : { note }),
  };
}

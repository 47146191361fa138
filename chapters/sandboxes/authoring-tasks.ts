import type { BaseState, Bundle } from "../../worlds/bundle.ts";
import { audit } from "../../worlds/draw/index.ts";
import type { ComputeTask } from "../compute.ts";

interface World {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

/** Audits a drawn state: rows that contradict the observed ones, and rows that look made up. */
export const auditState: ComputeTask<World, ReturnType<typeof audit>> = {
  name: "audit_state",
  run: ({ bundle, base }) => audit(bundle, base),
};

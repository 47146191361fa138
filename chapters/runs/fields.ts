import { z } from "zod";
import { recordId } from "../fields.ts";
import { EndCause, RootCause, TrialEnd } from "../records/runs/runs.ts";

/** The run group of a route. */
export const gid = recordId("run group");

/** The run that a row belongs to. */
export const ofRun = { run: z.string() };

/** The run of a route. */
export const rid = recordId("run");

/** How a trial ended, and why. */
export const ended = {
  end: TrialEnd,
  cause: EndCause.nullable(),
  root_cause: RootCause.nullable(),
};

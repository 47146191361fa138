import { z } from "zod";
import { connectByKeys, FirstSync, KeysInput } from "../../chapters/sources/obs-connect.ts";
import { operation } from "../kernel/operation.ts";

/** Connect the observability vendor by keys. */
export const obsConnect = [
  operation({
    name: "sources_obs_connect",
    title: "Connect the observability vendor by keys",
    description:
      "Connects or reconnects the observability vendor from an API key, an application key and a site, tried first and stored sealed. With `list` it answers the applications there are and stores nothing.",
    scope: "admin",
    effect: "create",
    hints: { idempotent: true, openWorld: true },
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/sources/obs/connect",
    input: KeysInput,
    output: z.object({
      source: z.string().nullable(),
      state: z.enum(["connected", "listed"]),
      reconnected: z.boolean(),
      first_sync: FirstSync,
      site: z.string(),
      ml_app: z.string().nullable(),
      services: z.array(z.string()).describe("Applications that sent spans in the last week."),
      message: z.string(),
    }),
    handle: connectByKeys,
  }),
];

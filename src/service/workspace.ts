import { firstToken, newOrg } from "../../chapters/automation/operator/orgs.ts";
import type { Caller, Scope } from "../../chapters/caller.ts";
import { mintToken } from "../../chapters/credentials.ts";
import type { OrgRow, ServiceStore } from "../../chapters/ports/store.ts";
import type { Config } from "../config.ts";
import { OPERATOR_HASH } from "./auth.ts";
import type { Service } from "./service.ts";

const LOCAL_TAG = "local";

/**
 * Mints the service-wide token where the workspace has none, neither here nor in the environment; answers it this once.
 * `keep` has it first: a process that ends in between leaves no token that nobody knows.
 */
export async function firstOperator(
  store: ServiceStore,
  config: Config,
  keep: (token: string) => void = () => {},
): Promise<string | undefined> {
  if (config.operatorToken !== undefined || (await store.setting(OPERATOR_HASH)) !== undefined) return undefined;
  const { raw, hash } = mintToken("operator");
  keep(raw);
  await store.putSetting(OPERATOR_HASH, hash);
  return raw;
}

/** Makes an org. Throws `bad_request` for a tag that is none, `conflict` for one that is taken. */
export function createOrg({ store, now, id }: Service, tag: string): Promise<OrgRow> {
  return newOrg({ service: store, now, id }, tag, LOCAL_TAG);
}

/** Mints an org token outside any call, for `svc init`; answers it this once. */
export function mintFor({ store, now, id }: Service, org: OrgRow, name: string, scope: Scope): Promise<string> {
  return firstToken({ service: store, now, id }, org, { name, scope, by: LOCAL_TAG });
}

/**
 * The person at this machine: admin of the workspace's one org, which is made where there is none. With several orgs it
 * is the one tagged `local`, else the oldest.
 */
export async function localCaller(service: Service): Promise<Caller> {
  const org =
    (await service.store.orgByTag(LOCAL_TAG)) ?? (await oldestOrg(service.store)) ?? (await makeLocal(service));
  return { kind: "local", name: LOCAL_TAG, scope: "admin", org: { id: org.id, tag: org.tag } };
}

async function makeLocal(service: Service): Promise<OrgRow> {
  const row: OrgRow = { id: service.id("org"), tag: LOCAL_TAG, created_at: service.now() };
  await service.store.createOrg(row);
  return (await service.store.orgByTag(LOCAL_TAG)) ?? row;
}

async function oldestOrg(store: ServiceStore): Promise<OrgRow | undefined> {
  return (await store.orgs({ limit: 1 })).items[0];
}

import { mintToken } from "../../chapters/credentials.ts";
import { BundleRecord, Environment, WorldRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { BaseState, Bundle } from "../../worlds/bundle.ts";
import { canonicalJson } from "../../worlds/digest.ts";
import { shop, shopRows } from "../worlds/fixtures/shop.ts";
import type { TestApp, TestOrg } from "./app.ts";

/** A minted world with its endpoint and connector token. */
export interface TestWorld {
  readonly id: string;
  readonly bundle: string;
  readonly url: string;
  readonly token: string;
}

/** Mints a world of an org straight into its store: the shop of the fixtures unless told otherwise. */
export async function mintWorld(
  app: TestApp,
  org: TestOrg,
  bundle: Bundle = shop,
  base: BaseState = shopRows,
): Promise<TestWorld> {
  const { service } = app;
  const store = service.store.forOrg(org.id);
  const at = service.now();
  const made = { created_at: at, by: "test" };
  const bytes = (value: unknown) => new TextEncoder().encode(canonicalJson(value as never));
  const bundleBlob = await store.blobs.put(bytes(bundle));
  const baseBlob = await store.blobs.put(bytes(base));
  const ids = { bundle: service.id("bd"), environment: service.id("env"), world: service.id("wl") };
  await store.records.put(BundleRecord, {
    id: ids.bundle,
    ...made,
    surface: "main",
    digest: bundleBlob,
    bundle_blob: bundleBlob,
    base_blob: baseBlob,
    evidence: [],
    inputs: bundleBlob,
    tools: bundle.tools.length,
    readonly_tools: [],
    tables: {},
    exceptions: 0,
    gaps: [],
    conflicts: 0,
  });
  await store.records.put(Environment, {
    id: ids.environment,
    ...made,
    label: "shop",
    surface: "main",
    bundle: ids.bundle,
    hypothesis: "observed",
    seed: "1",
    base_blob: baseBlob,
    rows: {},
    selection: {},
    tasks: 0,
    revision: 0,
  });
  await store.records.put(WorldRecord, {
    id: ids.world,
    ...made,
    bundle: ids.bundle,
    environment: ids.environment,
    seed: "1",
  });
  const { raw, hash, prefix } = mintToken("world");
  await store.tokens.insert({
    id: service.id("tok"),
    kind: "world",
    hash,
    prefix,
    name: "connector",
    scope: "read",
    world: ids.world,
    created_by: "test",
    created_at: at,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  });
  return {
    id: ids.world,
    bundle: ids.bundle,
    url: service.worlds.forOrg(org.id).url(ids.bundle, ids.world),
    token: raw,
  };
}

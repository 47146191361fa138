import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { mintToken } from "../../../chapters/credentials.ts";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { readConfig } from "../../../src/config.ts";
import { createService, type Service } from "../../../src/service/service.ts";
import { createOrg, mintFor } from "../../../src/service/workspace.ts";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import type { TestApp, TestOrg } from "../app.ts";
import { mintWorld } from "../world.ts";

/** A world with the path of its own endpoint and the token that opens it. */
export interface LiveWorld {
  readonly id: string;
  readonly bundle: string;
  readonly path: string;
  readonly token: string;
}

/** Writes an org with so many worlds of one environment into a data folder that no one serves; answers them with an admin token. */
export async function plantWorlds(dataDir: string, bundle: Bundle, base: BaseState, n: number) {
  const service = await createService({ config: readConfig({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error" }) });
  try {
    const { org, worlds } = await plantWorldsIn(service, bundle, base, n);
    return { worlds, admin: await mintFor(service, org, "many", "admin") };
  } finally {
    await service.close();
  }
}

/** Writes an org with so many worlds of one environment into a service's store. */
export async function plantWorldsIn(service: Service, bundle: Bundle, base: BaseState, n: number) {
  const org = await createOrg(service, "many");
  const first = await mintWorld({ service } as TestApp, { id: org.id } as TestOrg, bundle, base);
  const store = service.store.forOrg(org.id);
  const path = new URL(first.url, "http://x").pathname;
  const [, , bundleId = "", world = ""] = path.split("/");
  const record = await store.records.get(WorldRecord, world);
  if (!record) throw new Error("the first world was not stored");
  const worlds: LiveWorld[] = [];
  for (let i = 0; i < n; i++) {
    const id = service.id("wl");
    const { raw, hash, prefix } = mintToken("world");
    await store.records.insert(WorldRecord, { ...record, id, minted: true });
    await store.tokens.insert({
      id: service.id("tok"),
      kind: "world",
      hash,
      prefix,
      name: "many",
      scope: "push",
      world: id,
      created_by: "test",
      created_at: service.now(),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    worlds.push({ id, bundle: bundleId, path: path.replace(world, id), token: raw });
  }
  return { org, worlds };
}

/** Calls worlds of a served workspace over their own endpoints, connections kept. */
export class WorldCaller {
  readonly #pool: Pool;

  constructor(url: string, connections = 16) {
    this.#pool = new Pool(url, { connections });
  }

  /** One tool call as an agent makes it; the text of its answer. Throws when the endpoint does not answer 200. */
  async call(world: LiveWorld, name: string, args: Record<string, unknown>): Promise<string> {
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: world.path,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${world.token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text.slice(0, 300)}`);
    const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
    const { result } = JSON.parse(json) as { result?: { content: { text: string }[] } };
    return result?.content[0]?.text ?? "";
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** Memory of a process now and at its most, bytes (Linux). */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: of("VmRSS"), most: of("VmHWM") };
}

/** Runs so many works at a time; answers when all are done. */
export async function atOnce<T>(
  items: readonly T[],
  most: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: most }, run));
}

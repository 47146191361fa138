import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "../../../worlds/digest.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { createWorld, prepare, prepareBase } from "../../../worlds/world.ts";
import { invoker, startApp } from "../../helpers/app.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { shopCall } from "../../worlds/fixtures/shop-calls.ts";
import { shopIn } from "../runs/kit.ts";
import { ok } from "./kit.ts";

/** As the store holds them: keys in their order. */
const stored = <T>(value: T): T => JSON.parse(canonicalJson(value as never)) as T;
const PREPARED = prepare(stored(shop));
const BASE = prepareBase(stored(shopRows));
const RUNS = 20;

type Call = readonly [tool: string, args: JsonObject];
interface Seen {
  readonly text: string;
  readonly isError: boolean;
}

/** An agent that speaks MCP to its own world with its own connector token. */
async function agentAt(url: string, token: string) {
  const client = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
  return {
    async call([name, args]: Call): Promise<Seen> {
      const { content, isError } = await client.callTool({ name, arguments: args });
      return { text: (content as { text: string }[])[0]?.text ?? "", isError: isError === true };
    },
    close: () => client.close(),
  };
}

it("two agents in two forks never see each other's changes, whatever the interleaving of their calls", async () => {
  const app = await startApp();
  const agents: Awaited<ReturnType<typeof agentAt>>[] = [];
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const { environment } = await shopIn(app.service, org.id, 1);
    const worlds: { world: string; bundle_id: string; token: string; url: string }[] = [];
    for (let i = 0; i < 2; i++) worlds.push((await ok(invoke("worlds_post", { environment }))).body);
    for (const { url, token } of worlds) agents.push(await agentAt(url, token));
    const [one, two] = worlds;
    // Neither token opens the other's world.
    await expect(agentAt(one?.url ?? "", two?.token ?? "")).rejects.toThrow();
    await expect(agentAt(two?.url ?? "", one?.token ?? "")).rejects.toThrow();

    const step = fc.tuple(fc.nat({ max: 1 }), shopCall, fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        for (const { world, bundle_id } of worlds) await ok(invoke("world_reset", { bundle_id, world }));
        const made: Call[][] = [[], []];
        const seen: Seen[][] = [[], []];
        // An agent waits for its own answers; whether the other one's calls run at the same time is drawn.
        const busy = [Promise.resolve(), Promise.resolve()];
        for (const [at, call, waits] of steps) {
          made[at]?.push(call);
          busy[at] = (busy[at] ?? Promise.resolve()).then(async () => {
            const answer = await agents[at]?.call(call);
            if (answer) seen[at]?.push(answer);
          });
          if (waits) await Promise.all(busy);
        }
        await Promise.all(busy);
        for (const [at, calls] of made.entries()) {
          const alone = createWorld(PREPARED, BASE, { seed: "1" });
          const expected = calls.map(([tool, args]) => {
            const { text, isError } = alone.call(tool, args);
            return { text, isError };
          });
          expect(seen[at]).toEqual(expected);
          const { world = "", bundle_id = "" } = worlds[at] ?? {};
          const { body } = await ok(invoke("world_peek", { bundle_id, world }));
          expect(body.digest).toBe(alone.digest());
        }
      }),
      { numRuns: RUNS },
    );
  } finally {
    for (const agent of agents) await agent.close();
    await app.close();
  }
});

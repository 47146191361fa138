import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";
import { type Balancer, balancerBefore } from "./balancer.ts";
import { connect, endOf, shopIn } from "./kit.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: () => boolean): Promise<void> {
  while (!what()) await sleep(20);
}

/** Starts a run that finds its worlds' endpoint away until some calls were lost; the attempts and how it was counted. */
async function throughOutage(
  invoke: Invoke,
  balancer: Balancer,
  outage: NonNullable<Balancer["outage"]>,
  run: Record<string, unknown>,
) {
  const before = balancer.calls;
  balancer.outage = outage;
  const started = await invoke("start_run", run);
  expect(started.status).toBe(202);
  await until(() => balancer.calls >= before + 3);
  balancer.outage = undefined;
  expect(await endOf(invoke, started.body.job)).toBe("landed");
  const group = (await invoke("run_group", { gid: started.body.group })).body;
  const read = (await invoke("run_get", { rid: group.environments[0].run })).body;
  return { rates: group.rates, ledger: group.ledger, attempts: read.attempts as number };
}

bothSurfaces(
  "an outage of the worlds' endpoint is not the agent's: tried again, and counted when it is over",
  async (invoke, { app, org }) => {
    const balancer = await balancerBefore(app.url);
    try {
      app.service.listensAt(balancer.url);
      const shop = await shopIn(app.service, org.id, 3);
      const agent = await connect(invoke, shop, "good");
      for (const outage of [502, "after", 503, "reset"] as const) {
        const run = { agent, environment: shop.environment };
        const { rates, attempts } = await throughOutage(invoke, balancer, outage, run);
        expect([outage, rates]).toMatchObject([outage, { met: 3, failed: 0, infra: 0, invalid: 0 }]);
        expect(attempts).toBeGreaterThanOrEqual(6);
      }
    } finally {
      await balancer.close();
    }
  },
);

bothSurfaces("a probe waits for a world that is away", async (invoke, { app }) => {
  const balancer = await balancerBefore(app.url);
  try {
    app.service.listensAt(balancer.url);
    const script = `import { createInterface } from "node:readline";
      const token = process.env.SVC_TRIAL_MCP_TOKEN;
      const accept = "application/json, text/event-stream";
      const headers = { accept, authorization: "Bearer " + token, "content-type": "application/json" };
      const params = { name: "list_chores", arguments: {} };
      for await (const _ of createInterface({ input: process.stdin })) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
        const { status } = await fetch(process.env.SVC_TRIAL_MCP_URL, { method: "POST", headers, body });
        if (status !== 200) process.exit(1);
        console.log(JSON.stringify({ answer: "done" }));
      }`;
    const command = [process.execPath, "--input-type=module", "-e", script];
    const made = await invoke("agents_post", { kind: "command", name: "asked", command });
    balancer.outage = 502;
    const probe = await invoke("agent_probe", { aid: made.body.agent.id });
    await until(() => balancer.calls >= 2);
    balancer.outage = undefined;
    expect(await endOf(invoke, probe.body.job)).toBe("landed");
    const { result } = (await invoke("job_status", { job_id: probe.body.job })).body;
    expect(result).toMatchObject({ answered: true, connected: true, cause: null });
  } finally {
    await balancer.close();
  }
});

bothSurfaces(
  "no agent excuses itself: one that never calls, calls garbage, breaks off its calls or only says so stays failed",
  async (invoke, { app, org }) => {
    const balancer = await balancerBefore(app.url);
    try {
      app.service.listensAt(balancer.url);
      const shop = await shopIn(app.service, org.id, 2);
      const node = (script: string) => [process.execPath, "--input-type=module", "-e", script];
      const answer = `for await (const _ of (await import("node:readline")).createInterface({ input: process.stdin })) console.log(JSON.stringify({ answer: "the endpoint was away: HTTP 503" }));`;
      const agents = {
        idle: answer,
        garbage: `const headers = { authorization: "Bearer " + process.env.SVC_TRIAL_MCP_TOKEN, "content-type": "application/json" };
          for (const body of ["", "{", "[]", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${"x".repeat(50)}"}}'])
            await fetch(process.env.SVC_TRIAL_MCP_URL, { method: "POST", headers, body });
          await fetch(process.env.SVC_TRIAL_MCP_URL + "/elsewhere");
          await fetch(process.env.SVC_TRIAL_MCP_URL, { method: "DELETE" });
          ${answer}`,
        breaker: `import { connect } from "node:net";
          const url = new URL(process.env.SVC_TRIAL_MCP_URL);
          const head = "POST " + url.pathname + " HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer " + process.env.SVC_TRIAL_MCP_TOKEN + "\\r\\ncontent-type: application/json\\r\\n";
          for (const rest of ["content-length: 100\\r\\n\\r\\n{", "content-length: 2\\r\\n\\r\\n{}"]) await new Promise((done) => {
            const socket = connect(Number(url.port), url.hostname, () => { socket.write(head + rest); setTimeout(() => { socket.destroy(); done(); }, 20); });
          });
          ${answer}`,
      };
      for (const [name, script] of Object.entries(agents)) {
        const made = await invoke("agents_post", { kind: "command", name, command: node(script) });
        expect(made.status).toBe(201);
        const started = await invoke("start_run", { agent: made.body.agent.id, environment: shop.environment });
        expect(await endOf(invoke, started.body.job)).toBe("landed");
        const { body } = await invoke("run_group", { gid: started.body.group });
        expect([name, body.ledger]).toEqual([name, [{ end: "failed", cause: "checks", trials: 2 }]]);
      }
    } finally {
      await balancer.close();
    }
  },
);

bothSurfaces(
  "an http agent at work while the service is away at its own address is tried again",
  async (invoke, { app, org }) => {
    const balancer = await balancerBefore(app.url);
    const asked: string[] = [];
    const agent = createServer(async (req, res) => {
      let text = "";
      for await (const chunk of req) text += chunk;
      const { trial_mcp_url: url, trial_mcp_token: token, session } = JSON.parse(text);
      asked.push(session);
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json",
      };
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "x", arguments: {} },
      });
      const said = await fetch(url, { method: "POST", headers, body }).then(
        (response) => response.status,
        () => 0,
      );
      res.end(JSON.stringify({ answer: `status ${said}` }));
    });
    await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
    try {
      app.service.listensAt(balancer.url);
      const shop = await shopIn(app.service, org.id, 1);
      const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
      const made = await invoke("agents_post", { kind: "http", name: "remote", url });
      expect(made.status).toBe(201);
      const play = async () => {
        const started = await invoke("start_run", { agent: made.body.agent.id, environment: shop.environment });
        return { group: started.body.group as string, job: started.body.job as string };
      };
      // The address is known to answer once it has: what was never seen says nothing.
      const first = await play();
      await endOf(invoke, first.job);
      expect((await invoke("run_group", { gid: first.group })).body.ledger).toEqual([
        { end: "failed", cause: "checks", trials: 1 },
      ]);
      asked.length = 0;
      balancer.outage = 503;
      const second = await play();
      await until(() => asked.length >= 2);
      balancer.outage = undefined;
      await endOf(invoke, second.job);
      const { body } = await invoke("run_group", { gid: second.group });
      expect(body.ledger).toEqual([{ end: "failed", cause: "checks", trials: 1 }]);
      const read = (await invoke("run_get", { rid: body.environments[0].run })).body;
      expect(read.attempts).toBeGreaterThanOrEqual(3);
    } finally {
      await balancer.close();
      agent.closeAllConnections();
      agent.close();
    }
  },
);

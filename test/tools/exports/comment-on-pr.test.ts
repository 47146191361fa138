import { afterAll, beforeAll, expect } from "vitest";
import { Agent, VcsInstallation } from "../../../chapters/records/agents/agents.ts";
import { readConfig } from "../../../src/config.ts";
import { bothSurfaces, type Invoke, type SurfaceTest } from "../../helpers/app.ts";
import { type CodeHost, startCodeHost } from "../../helpers/vendors/vcs.ts";
import { connect, runToEnd, shopIn } from "../runs/kit.ts";

let host: CodeHost;
beforeAll(async () => {
  host = await startCodeHost();
});
afterAll(() => host.close());

const withHost = {
  get config() {
    return { vcsApp: host.app, sources: { ...readConfig({}).sources, vcsApiUrl: host.url } };
  },
};

/** A branch's version against another: the agent's version as the branch made it, and the app installed at the code host. */
async function branchRun(invoke: Invoke, { app, org }: SurfaceTest, branch: string) {
  const shop = await shopIn(app.service, org.id, 3);
  const main = (await runToEnd(invoke, { harness: "reference", environment: shop.environment })).group;
  const agent = await connect(invoke, shop, "bot", "silent");
  const group = (await runToEnd(invoke, { agent, environment: shop.environment })).group;
  const { records } = app.service.store.forOrg(org.id);
  const made = (repo: string) =>
    records.update(Agent, agent, (doc) => ({
      ...doc,
      versions: doc.versions.map((row) => ({
        ...row,
        origin: { kind: "branch" as const, repo, ref: `refs/heads/${branch}`, sha: "a".repeat(40) },
      })),
    }));
  const install = (repositories: string[]) =>
    records.put(VcsInstallation, {
      id: "vi_org",
      created_at: 1,
      updated_at: 1,
      by: "ann",
      installation_id: host.installation,
      account: "acme",
      repositories,
    });
  return { main, group, made, install };
}

const stateOf = async (invoke: Invoke) =>
  (await invoke("delivery_get")).body.channels.find(({ channel }: { channel: string }) => channel === "pr_comment");

bothSurfaces(
  "one comment stands on the branch's open pull request and is brought up to date",
  async (invoke, t) => {
    const branch = "fix/one";
    const { main, group, made, install } = await branchRun(invoke, t, branch);
    const args = { gid: group, against: main };
    const dry = await invoke("comment_on_pr", { ...args, dry_run: true }, t.org.push);
    expect(dry).toMatchObject({ status: 200, body: { group, against: main, action: "none", dry_run: true } });
    expect(dry.body.body).toContain("<!-- svc:finding -->");
    expect((await invoke("comment_on_pr", args, t.org.read)).status).toBe(403);
    expect((await invoke("comment_on_pr", { ...args, gid: "rg_none" })).status).toBe(404);
    expect((await invoke("comment_on_pr", args)).body).toMatchObject({ error: "no_branch", action: "none" });
    await made("acme/bot");
    expect((await stateOf(invoke)).state).toBe("not_connected");
    expect((await invoke("comment_on_pr", args)).status).toBe(409);
    await install(["acme/other"]);
    expect((await stateOf(invoke)).state).toBe("ready");
    expect((await invoke("comment_on_pr", args)).body.reason).toContain("off");
    await invoke("delivery_put", { channel: "pr_comment", on: true });
    expect(await invoke("comment_on_pr", args)).toMatchObject({ status: 409, body: { error: "not_covered" } });
    await install(["acme/bot"]);
    expect((await invoke("comment_on_pr", args)).body).toMatchObject({
      error: "no_pull_request",
      branch,
      repository: "acme/bot",
    });
    expect((await invoke("delivery_log")).body.log).toEqual([]);

    const number = 10 + host.pulls.length;
    host.pulls.push({ repository: "acme/bot", number: 1, branch, state: "closed" });
    host.pulls.push({ repository: "acme/bot", number, branch, state: "open" });
    // Somebody's words that hold our marker, and more comments than a page.
    for (let i = 0; i < 120; i++)
      host.comments.push({ id: i, repository: "acme/bot", number, body: "<!-- svc:finding --> mine", app: null });
    const own = () => host.comments.filter((row) => row.number === number && row.app !== null);
    const two = await Promise.all([1, 2].map(() => invoke("comment_on_pr", args, t.org.push)));
    const first = two.find(({ body }) => body.action === "created");
    if (!first) throw new Error(JSON.stringify(two.map(({ body }) => body)));
    expect(two.filter(({ body }) => body.action === "created")).toHaveLength(1);
    expect(first).toMatchObject({
      status: 200,
      body: { action: "created", number, pr_url: `https://host.example/acme/bot/pull/${number}`, branch },
    });
    expect(own()).toMatchObject([{ body: dry.body.body }]);
    expect(first.body.comment_url).toContain(String(own()[0]?.id));
    const again = await invoke("comment_on_pr", { ...args, console: "https://console.example" });
    expect(again.body).toMatchObject({ action: "updated", comment_url: first.body.comment_url });
    expect(own()).toMatchObject([{ body: expect.stringContaining("https://console.example/compare?a=") }]);
    for (const { repositories, permissions } of host.tokens.values())
      expect([repositories, permissions]).toEqual([["bot"], { pull_requests: "write" }]);
    const { log } = (await invoke("delivery_log")).body;
    expect(log[0]).toMatchObject({ group, target: `acme/bot#${number}`, reference: { action: "updated" } });
    expect(log.at(-1)).toMatchObject({
      channel: "pr_comment",
      reference: { action: "created", url: first.body.comment_url },
    });

    host.limit(1, 12);
    expect(await invoke("comment_on_pr", args)).toMatchObject({ status: 429, body: { retry_after: 12 } });
    host.fail(1, 502);
    expect((await invoke("comment_on_pr", args)).status).toBe(503);
    expect((await invoke("delivery_log")).body.log).toHaveLength(log.length);
  },
  withHost,
);

bothSurfaces("without the operator's app the channel says so", async (invoke, t) => {
  const { main, group, made, install } = await branchRun(invoke, t, "b");
  await made("acme/bot");
  await install(["acme/bot"]);
  expect(await stateOf(invoke)).toMatchObject({ state: "no_key", reason: expect.stringContaining("SVC_VCS_APP_ID") });
  expect((await invoke("delivery_put", { channel: "pr_comment", on: true })).status).toBe(409);
  expect((await invoke("comment_on_pr", { gid: group, against: main })).status).toBe(409);
});
